//! `skewer deviations`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use skewer_cases::{Cell, Corpus};
use skewer_reports::control_characters::escape_line;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::deviations::DeviationArguments;
use crate::cli::arguments::output_path::{OutputPath, stream_beside};
use crate::cli::arguments::selection::SelectionArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::is_standard_input;
use crate::cli::output;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{thread_count, with_threads};
use crate::deviations;
use crate::execute::{self, Options, StepRecording};
use crate::targets::Target;

/// The arguments of `skewer deviations`.
#[derive(Debug, Args)]
pub(super) struct DeviationsArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    deviations: DeviationArguments,
    /// Rewrite the file from a run of the whole corpus: entries that hold are kept, others dropped, and new ones
    /// added for somebody to explain. With `--deviations -` the file is read from standard input and written to
    /// standard output.
    #[arg(long)]
    fix: bool,
}

/// Carries the command out.
pub(super) fn deviations(arguments: &DeviationsArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let threads = thread_count(None, corpus.cells().take(1024).count());
    let target = arguments.target.open(threads)?;
    let target = &*target;
    if arguments.fix {
        return rewrite_file(arguments, &corpus, target, threads);
    }
    let known_deviations = arguments.deviations.load(target, &arguments.corpus)?;
    let cells: Vec<String> =
        arguments.selection.select_cells(&corpus, &arguments.corpus)?.cells.iter().map(Cell::id).collect();
    let mut text = String::new();
    for entry in known_deviations.iter().flat_map(|deviations| &deviations.entries) {
        let named: Vec<_> = cells.iter().filter(|id| entry.covers_cell(id)).collect();
        if !named.is_empty() {
            let _ = writeln!(text, "{} cells: {}\n  {}", named.len(), *entry.found, *entry.because);
        }
    }
    if text.is_empty() {
        let _ = writeln!(text, "no deviations of {} are known there", escape_line(&target.info().name));
    }
    output::print(&text)?;
    Ok(Exit::Ok)
}

fn rewrite_file(
    arguments: &DeviationsArguments,
    corpus: &Corpus,
    target: &dyn Target,
    threads: usize,
) -> Result {
    let refuse = |message: String| Failure::new(Exit::CouldNotRun, message);
    if !arguments.selection.reported_selection().is_everything() {
        return Err(refuse(
            "a part of the corpus cannot tell which entries still hold: leave the selection out".to_owned(),
        ));
    }
    // A file that does not exist yet has no entries.
    let is_missing = arguments
        .deviations
        .deviations
        .as_ref()
        .is_some_and(|path| !is_standard_input(path) && !path.exists());
    let known_deviations =
        if is_missing { None } else { arguments.deviations.load(target, &arguments.corpus)? };
    let path = match (&arguments.deviations.deviations, &known_deviations) {
        (Some(path), _) => path.clone(),
        (None, Some(known)) if Path::new(known.document().name()).exists() => {
            PathBuf::from(known.document().name())
        }
        _ => return Err(refuse("say which file to write with --deviations FILE".to_owned())),
    };
    let mut results = Vec::new();
    let mut unanswered = UnansweredCells::default();
    let options = Options { steps: StepRecording::Never, ..Options::default() };
    with_threads(threads, || {
        execute::run(corpus.cells(), target, &options, |cell| {
            unanswered.add(&cell);
            results.push(cell);
            Ok::<(), Failure>(())
        })
    })??;
    if let Some(failure) = unanswered.failure(target) {
        let message = format!("{}\n{} stays as it is", failure.message(), path.display());
        return Err(Failure::new(failure.exit, message));
    }
    let rewritten = deviations::rewrite(&target.info().name, known_deviations.as_ref(), &results);
    let path = OutputPath::from(path);
    path.write(|out| out.write_all(rewritten.text.as_bytes()))?;
    let mut text = format!("{path}: {} cells deviate as before\n", rewritten.still_excused);
    for found in &rewritten.dropped {
        let _ = writeln!(text, "dropped: {found}");
    }
    for id in &rewritten.added {
        let _ = writeln!(text, "to be explained: {id}");
    }
    stream_beside([&path]).print(&text)?;
    Ok(if rewritten.added.is_empty() { Exit::Ok } else { Exit::CellFailed })
}
