//! `skewer target check`.

use std::fmt::Write;

use clap::Args;
use skewer_reports::style::wrap;
use skewer_results::control_characters::escape_line;
use skewer_targets::live::LiveServers;
use skewer_targets::{Sample, SampleResult, Target, TargetSpec, check_target, check_unions};

use crate::cli::arguments::target::TargetProcessOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};

/// The arguments of `skewer target check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Target to check, as `skewer target list` names it.
    target: TargetSpec,
    #[command(flatten)]
    options: TargetProcessOptions,
}

pub(super) fn check(arguments: &CheckArguments) -> Result {
    let target = arguments.options.open(&arguments.target, 1)?;
    if let Some(servers) = target.live() {
        return output::print(&describe_servers(servers)).map(|()| Exit::Ok);
    }
    let mut samples = check_target(&*target);
    samples.extend(check_unions(&*target));
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

/// Width of the column of results.
const INDENT: usize = 13;

/// Returns the word for a result, and the lines with its details.
fn describe_result(result: &SampleResult) -> (&'static str, String) {
    match result {
        SampleResult::Agrees => ("ok", String::new()),
        SampleResult::Unsupported(why) => ("unsupported", why.clone()),
        SampleResult::NotRun => ("not run", String::new()),
        SampleResult::Failed(why) => ("BROKEN", why.clone()),
        SampleResult::Differs { target, builtin } => {
            ("DIFFERENT", format!("target:  {target}\nbuiltin: {builtin}"))
        }
    }
}

fn operation_of(sample: &Sample) -> &'static str {
    sample.name.split_once(':').map_or(sample.name, |(operation, _)| operation)
}

/// Returns true if the target does not have the operation of a sample at all. Such operations are listed together.
fn is_missing_operation(sample: &Sample) -> bool {
    let missing = format!("does not support {}", operation_of(sample));
    matches!(&sample.result, SampleResult::Unsupported(why) if why.ends_with(&missing))
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
    let width = Stream::Output.style().line_width();
    let (not_had, others): (Vec<&Sample>, Vec<&Sample>) =
        samples.iter().partition(|sample| is_missing_operation(sample));
    for Sample { name, result } in others {
        let (word, details) = describe_result(result);
        text.push_str(&wrap(name, &format!("{word:INDENT$}"), &" ".repeat(INDENT), width));
        for line in details.lines() {
            let _ = writeln!(text, "{:INDENT$}{line}", "");
        }
    }
    if !not_had.is_empty() {
        let mut operations: Vec<&str> = Vec::new();
        for operation in not_had.iter().map(|sample| operation_of(sample)) {
            if !operations.contains(&operation) {
                operations.push(operation);
            }
        }
        let label = format!("{:INDENT$}", "unsupported");
        text.push_str(&wrap(&operations.join(", "), &label, &" ".repeat(INDENT), width));
    }
    for warning in target.warnings() {
        let _ = writeln!(text, "WARNING      {warning}");
    }
    text
}
