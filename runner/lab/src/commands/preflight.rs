//! `skewer-lab preflight`.

use std::fmt::Write;

use clap::Args;
use skewer_cases::yaml;
use skewer_engine::schema::builtin;
use skewer_preflight::request::{SimulatedServers, StepServers};
use skewer_targets::TargetSpec;

use crate::preflight::{ObjectNumbers, PreflightCounts, TrialPlan, TrialStep, generated_kinds};
use skewer::cli::arguments::target::TargetProcessOptions;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output;
use skewer::exit::Exit;

/// The arguments of `skewer-lab preflight`.
#[derive(Debug, Args)]
pub(super) struct PreflightArguments {
    #[command(flatten)]
    objects: ObjectNumbers,
    /// An API server that keeps objects, or another implementation, which then performs the operations of a simulated server.
    #[arg(long, value_name = "TARGET")]
    target: TargetSpec,
    /// Shows the documents of each step that differs.
    #[arg(long)]
    documents: bool,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// Runs the command. Prints each step that does not end as simulated.
pub(super) fn preflight(arguments: &PreflightArguments) -> Result {
    let target = arguments.options.open(&arguments.target, 1)?;
    let simulated = SimulatedServers(target.operations());
    let live = target.live();
    let servers: &dyn StepServers = live.map_or(&simulated, |servers| servers);
    let minor = live.map(|servers| servers.newest().minor());
    let release = minor.map_or(Some(builtin::newest()), |minor| {
        builtin::releases().iter().find(|release| release.minor() == minor)
    });
    let release = release.ok_or_else(|| {
        Failure::could_not_run(format!("{}: the types of its release are not embedded", arguments.target))
    })?;
    let plan = TrialPlan { release, objects: arguments.objects };
    let kinds = generated_kinds(release).map_err(Failure::could_not_run)?;
    let counts = PreflightCounts::of_trials(servers, &kinds, plan, &mut |step, difference| {
        let safe = if difference.is_false_safe { "FALSELY SAFE " } else { "" };
        output::print(&format!("DIFFERS {safe}{}: {}\n", step.title, difference.how))?;
        if arguments.documents { output::print(&documents(step)) } else { Ok(()) }
    })?;
    output::print(&counts.text())?;
    target.stop();
    Ok(if counts.different > 0 { Exit::CellFailed } else { Exit::Ok })
}

fn documents(step: &TrialStep) -> String {
    let mut text =
        format!("# the object\n{}# the manifest\n{}", yaml::write(&step.before), yaml::write(&step.manifest));
    for (whose, taken) in [("simulated", step.simulated.as_ref()), ("server", step.live.as_ref())] {
        for answered in taken.into_iter().flat_map(|taken| &taken.requests) {
            let end = match &answered.end {
                Ok(object) => yaml::write(object),
                Err(error) => format!("refused: {error}\n"),
            };
            let _ = write!(text, "# {whose}: {}\n{end}", answered.request.about);
        }
    }
    text
}
