//! `skewer differential`.

use std::io::IsTerminal;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::run::in_pool;
use super::target::TargetArguments;
use super::{Failure, Result, output};
use crate::differential::{self, Kind, Plan};
use crate::exit::Exit;

/// The arguments of `skewer differential`.
#[derive(Debug, Args)]
pub(super) struct DifferentialArguments {
    #[command(flatten)]
    target: TargetArguments,
    /// How many random documents are compared.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// The seed of the random numbers: the same seed gives the same documents.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The number of the first trial, to run one again that was found before.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Only this operation; can be given several times.
    #[arg(long = "operation", value_name = "OPERATION")]
    operations: Vec<Kind>,
    /// How many threads; all processors when left out.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Carries the command out.
pub(super) fn differential(arguments: &DifferentialArguments) -> Result {
    let target = arguments.target.open(arguments.jobs)?;
    let target = &*target;
    let info = target.info();
    let kinds =
        if arguments.operations.is_empty() { Kind::ALL.to_vec() } else { arguments.operations.clone() };
    let plan = Plan { seed: arguments.seed, first: arguments.first, count: arguments.count, kinds };
    let version = info.version.map(|version| format!(" {version}")).unwrap_or_default();
    output::print(&format!(
        "builtin against {}{version}: seed {}, trials {} to {}\n\n",
        info.name,
        plan.seed,
        plan.first,
        plan.first + plan.count.saturating_sub(1)
    ))?;
    let progress = if std::io::stderr().is_terminal() {
        ProgressBar::new(plan.count)
    } else {
        ProgressBar::with_draw_target(Some(plan.count), ProgressDrawTarget::hidden())
    };
    let report = in_pool(arguments.jobs, || differential::run(&plan, target, &|more| progress.inc(more)))?;
    let report = report.map_err(|why| Failure::new(Exit::CouldNotRun, why))?;
    progress.finish_and_clear();
    output::print(&report.text())?;
    match target.broken() {
        Some(why) => Err(Failure::new(Exit::TargetFailed, format!("the target {why}"))),
        None if report.different > 0 => Ok(Exit::CellFailed),
        None => Ok(Exit::Ok),
    }
}
