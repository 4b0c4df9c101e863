//! `skewer target check`.

use std::fmt::Write;

use clap::Args;
use skewer_reports::control_characters::escape_line;

use crate::cli::arguments::target::TargetProcessOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::targets::live::LiveServers;
use crate::targets::{Sample, SampleResult, Target, TargetSpec, check_target};

/// The arguments of `skewer target check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Target to check, as `skewer target list` names it.
    target: TargetSpec,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// Runs the command.
pub(super) fn check(arguments: &CheckArguments) -> Result {
    let target = arguments.options.open(&arguments.target, 1)?;
    if let Some(servers) = target.live() {
        return output::print(&describe_servers(servers)).map(|()| Exit::Ok);
    }
    let samples = check_target(&*target);
    let permanent_failure = target.permanent_failure();
    target.stop();
    output::print(&text(&*target, &samples))?;
    if let Some(why) = permanent_failure {
        return Err(Failure::new(Exit::TargetFailed, format!("the target {why}")));
    }
    let failed = samples.iter().any(|sample| sample.result.is_failure()) || !target.warnings().is_empty();
    Ok(if failed { Exit::CellFailed } else { Exit::Ok })
}

/// Servers that keep objects run whole scenarios, and no sample operations.
fn describe_servers(servers: &LiveServers) -> String {
    servers.clusters().fold(String::new(), |mut text, server| {
        let (version, address) = (escape_line(server.version()), escape_line(server.address()));
        let _ = writeln!(text, "ok           kube-apiserver {version} answers at {address}");
        text
    })
}

fn text(target: &dyn Target, samples: &[Sample]) -> String {
    let info = target.info();
    let mut text = escape_line(&info.name).into_owned();
    for part in [info.version, info.language].into_iter().flatten() {
        let _ = write!(text, ", {}", escape_line(&part));
    }
    text.push('\n');
    for (what, which) in target.capabilities() {
        let _ = writeln!(
            text,
            "  {what}: {}",
            if which.is_empty() { "none".into() } else { escape_line(&which.join(", ")).into_owned() }
        );
    }
    text.push('\n');
    for Sample { name, result } in samples {
        let _ = match result {
            SampleResult::Agrees => writeln!(text, "ok           {name}"),
            SampleResult::Unsupported(why) => writeln!(text, "unsupported  {name}\n             {why}"),
            SampleResult::NotRun => writeln!(text, "not run      {name}"),
            SampleResult::Failed(why) => {
                writeln!(text, "BROKEN       {name}\n             {}", why.replace('\n', "\n             "))
            }
            SampleResult::Differs { target, builtin } => {
                writeln!(
                    text,
                    "DIFFERENT    {name}\n             target:  {target}\n             builtin: {builtin}"
                )
            }
        };
    }
    for warning in target.warnings() {
        let _ = writeln!(text, "WARNING      {warning}");
    }
    text
}
