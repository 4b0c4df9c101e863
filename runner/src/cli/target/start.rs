//! `skewer target start`.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::Args;
use skewer_targets::live::ServerProcess;
use skewer_targets::{LiveTarget, TargetSpec};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::{interrupt, output};

/// The arguments of `skewer target start`.
#[derive(Debug, Args)]
pub(super) struct StartArguments {
    /// The servers: kube:1.36, or kube:1.30+1.36 for two with one etcd.
    #[arg(value_name = "TARGET")]
    target: TargetSpec,
}

pub(super) fn start(arguments: &StartArguments) -> Result {
    let TargetSpec::Kube(releases) = &arguments.target else {
        let message = format!(
            "{}: expected {}, an API server that keeps objects",
            arguments.target,
            ServerProcess::NAME_FORM
        );
        return Err(Failure::could_not_run(message));
    };
    let stop = interrupt::watch_signals()?;
    let failed = |why: String| Failure::new(Exit::TargetFailed, why);
    let mut servers = LiveTarget::start_processes(releases).map_err(|error| failed(error.to_string()))?;
    output::print(&describe(&servers))?;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
        if let Some(server) = servers.iter_mut().find_map(|server| server.has_ended().then_some(server)) {
            return Err(failed(format!("the API server {} has ended", server.release())));
        }
    }
    Ok(Exit::Ok)
}

fn describe(servers: &[ServerProcess]) -> String {
    let mut text = String::new();
    for server in servers {
        let _ = writeln!(text, "kube-apiserver {}", server.release());
        let _ = writeln!(text, "  export KUBECONFIG={}", server.kubeconfig().display());
    }
    text.push_str("Runs until it is interrupted (Ctrl-C); nothing is kept then.\n");
    text
}
