//! `skewer target clean-up`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use skewer_targets::live::{Cluster, clean_up_at_end_of_input};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

const TIMEOUT: Duration = Duration::from_secs(60);

/// The arguments of `skewer target clean-up`.
#[derive(Debug, Args)]
pub(super) struct CleanUpArguments {
    /// The name of the run: the value of the label skewer.dev/run.
    #[arg(value_name = "RUN")]
    run: String,
    /// The kubeconfig file. Default: `$KUBECONFIG`, or ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig file. Default: its current context.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Wait for the end of standard input. A run starts such a process for the case that it is killed.
    #[arg(long)]
    at_end_of_input: bool,
}

pub(super) fn clean_up(arguments: &CleanUpArguments) -> Result {
    let failed = |why: String| Failure::new(Exit::TargetFailed, why);
    let connect = || {
        let kubeconfig = arguments.kubeconfig.as_deref();
        Cluster::connect(kubeconfig, arguments.context.as_deref(), TIMEOUT).map_err(failed)
    };
    let cluster = connect()?;
    let remove = |input: &mut dyn std::io::Read| {
        clean_up_at_end_of_input(&cluster, &arguments.run, input).map_err(|failure| failed(failure.why))
    };
    let was_removed = if arguments.at_end_of_input {
        remove(&mut std::io::stdin().lock())?
    } else {
        remove(&mut std::io::empty())?
    };
    if was_removed {
        output::print(&format!("removed what {} left behind in {}\n", arguments.run, cluster.address()))?;
    }
    Ok(Exit::Ok)
}
