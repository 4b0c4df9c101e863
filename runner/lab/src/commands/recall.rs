//! `skewer-lab recall`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_audit::input::DefinitionFile;

use crate::recall::{KnownChangeKind, Recall};
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output::{self, Stream};
use skewer::cli::progress::Progress;
use skewer::cli::workers::{parse_jobs, thread_count, with_threads};
use skewer::exit::Exit;

/// The arguments of `skewer-lab recall`.
#[derive(Debug, Args)]
pub(super) struct RecallArguments {
    /// Files with one CustomResourceDefinition each.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Number of changes.
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// Seed of the changes. The same seed makes the same changes.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Only changes of this kind: `maxItems`, for example. Can be given several times.
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    only: Vec<KnownChangeKind>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// Number of threads, at most 256. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a file that is checked in.
    Markdown,
    /// For programs.
    Json,
}

fn parse_kind(name: &str) -> std::result::Result<KnownChangeKind, String> {
    let found = KnownChangeKind::ALL.into_iter().find(|kind| kind.name == name);
    found.ok_or_else(|| format!("the kinds are: {}", KnownChangeKind::ALL.map(|kind| kind.name).join(", ")))
}

/// Runs the command.
pub(super) fn recall(arguments: &RecallArguments) -> Result {
    let files = read_definitions(&arguments.files)?;
    let kinds =
        if arguments.only.is_empty() { KnownChangeKind::ALL.to_vec() } else { arguments.only.clone() };
    let progress = Progress::of(arguments.count, "changes");
    let run = || Recall::measure(&files, &kinds, arguments.count, arguments.seed, || progress.add(1));
    let recall = with_threads(thread_count(arguments.jobs, usize::MAX), run)?;
    drop(progress);
    match arguments.format {
        FormatArgument::Text => output::print(&recall.text(Stream::Output.style().width))?,
        FormatArgument::Markdown => output::print_document(&recall.markdown())?,
        FormatArgument::Json => output::print_json(&recall)?,
    }
    Ok(if recall.has_missed() { Exit::CellFailed } else { Exit::Ok })
}

/// Reads files with one definition each.
pub(super) fn read_definitions(paths: &[PathBuf]) -> Result<Vec<DefinitionFile>> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let bytes = std::fs::read(path)
            .map_err(|error| Failure::new(Exit::CouldNotRun, format!("{name}: {error}")))?;
        DefinitionFile::read(&name, &bytes).map_err(|errors| Failure::of_files(Exit::CouldNotRun, &[errors]))
    };
    paths.iter().map(read).collect()
}
