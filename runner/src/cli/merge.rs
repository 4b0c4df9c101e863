//! `skewer merge`.

use std::path::PathBuf;

use clap::Args;
use skewer_reports::shards::{self, ShardResults};
use skewer_reports::summary::Summary;
use skewer_reports::{json, terminal};

use crate::cli::arguments::output_path::{OutputPath, stream_beside};
use crate::cli::arguments::report::read_all_results;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// The arguments of `skewer merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The results files of all shards of one run. One of them can be -, standard input.
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// Results file to write. With -, it is written to standard output, and the table to standard error.
    #[arg(long, value_name = "PATH")]
    output: OutputPath,
}

/// Runs the command.
pub(super) fn merge(arguments: &MergeArguments) -> Result {
    let results = read_all_results(arguments.shards.iter().map(PathBuf::as_path))?;
    let parts = results.into_iter().map(|(name, results)| ShardResults { name, results }).collect();
    let merged = shards::merge(parts).map_err(|error| Failure::new(Exit::CouldNotRun, error.to_string()))?;
    arguments.output.write(|out| json::write(&merged, out))?;
    let stream = stream_beside([&arguments.output]);
    stream.print_styled(&terminal::report(&merged, stream.style()))?;
    Ok(Exit::of_run(&Summary::of(&merged)))
}
