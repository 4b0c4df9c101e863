//! `skewer merge`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::shards::{self, ShardResults};
use skewer_reports::summary::Summary;
use skewer_reports::{Format, terminal};

use crate::cli::arguments::report::{ReportArgument, read_results};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The arguments of `skewer merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The results files of all shards of one run.
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// Where the results of the whole run go.
    #[arg(long, value_name = "PATH")]
    output: PathBuf,
}

/// Carries the command out.
pub(super) fn merge(arguments: &MergeArguments) -> Result {
    let part =
        |path: &PathBuf| Ok(ShardResults { name: path.display().to_string(), results: read_results(path)? });
    let parts = arguments.shards.iter().map(part).collect::<Result<_>>()?;
    let merged = shards::merge(parts).map_err(|error| Failure::new(Exit::CouldNotRun, error.to_string()))?;
    ReportArgument { format: Format::Json, path: arguments.output.clone() }.write(&merged)?;
    output::print(&terminal::report(&merged, output::style()))?;
    Ok(Exit::of_run(&Summary::of(&merged)))
}
