//! `skewer deviations`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use skewer_cases::{Cell, Corpus, Plan};
use skewer_execute::deviations;
use skewer_execute::execute::{self, ExecutionOptions, StepRecording};
use skewer_reports::style::wrap;
use skewer_results as results;
use skewer_results::control_characters::escape_line;
use skewer_targets::Target;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::deviations::DeviationArguments;
use crate::cli::arguments::output_path::{OutputPath, stream_beside};
use crate::cli::arguments::selection::SelectionArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::is_standard_input;
use crate::cli::output::{self, Stream, counted};
use crate::cli::progress::Progress;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{thread_count, with_threads};

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
    /// Run the whole corpus and rewrite the deviation file. Entries that still apply are kept, others are removed, and
    /// new deviations are added with `because: unexplained`, to be replaced by a reason. With `--deviations -`, the
    /// file is read from standard input and written to standard output.
    #[arg(long)]
    fix: bool,
}

pub(super) fn deviations(arguments: &DeviationsArguments) -> Result {
    if arguments.fix {
        let corpus = arguments.corpus.load()?;
        let threads = thread_count(None, corpus.cells().take(1024).count());
        let target = arguments.target.open(threads)?;
        return rewrite_file(arguments, &corpus, &*target, threads);
    }
    let target = arguments.target.open(1)?;
    let known_deviations = arguments.deviations.load(&*target, &arguments.corpus)?;
    let corpus = arguments.corpus.load_selected(&arguments.selection.selection())?;
    let cells: Vec<String> =
        arguments.selection.select_cells(&corpus, &arguments.corpus)?.cells.iter().map(Cell::id).collect();
    let mut text = String::new();
    for entry in known_deviations.iter().flat_map(|deviations| &deviations.entries) {
        let named: Vec<_> = cells.iter().filter(|id| entry.covers_cell(id)).collect();
        if !named.is_empty() {
            let _ = writeln!(text, "{}: {}", counted(named.len(), "cell"), *entry.found);
            text.push_str(&wrap(&entry.because, "  ", "  ", Stream::Output.style().line_width()));
        }
    }
    if text.is_empty() {
        let _ = writeln!(
            text,
            "{} has no known deviations in the selected cells",
            escape_line(&target.info().name)
        );
    }
    output::print(&text).map(|()| Exit::Ok)
}

fn rewrite_file(
    arguments: &DeviationsArguments,
    corpus: &Corpus,
    target: &dyn Target,
    threads: usize,
) -> Result {
    let refuse = |message: String| Failure::could_not_run(message);
    if !arguments.selection.reported_selection().is_everything() {
        return Err(refuse(
            "--fix runs the whole corpus: remove the patterns and options that select cells".to_owned(),
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
        _ => return Err(refuse("--fix needs a file to write: --deviations FILE".to_owned())),
    };
    let mut results = Vec::new();
    let mut unanswered = UnansweredCells::default();
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let progress = Progress::of(corpus.cells().count() as u64, "cells");
    with_threads(threads, || {
        execute::run(corpus.cells(), target, &options, |cell| {
            progress.add(1);
            unanswered.add(&cell);
            results.push(cell);
            Ok::<(), Failure>(())
        })
    })??;
    drop(progress);
    if let Some(failure) = unanswered.failure(target) {
        let message = format!("{}\n{} is unchanged", failure.message(), path.display());
        return Err(Failure::new(failure.exit, message));
    }
    let operations = operations_of_failures(corpus, &results);
    let operation_of = |cell: &results::Cell| operations.get(cell.id.as_str()).cloned().unwrap_or_default();
    let rewritten =
        deviations::rewrite(&target.info().name, known_deviations.as_ref(), &results, operation_of);
    let path = OutputPath::from(path);
    path.write(|out| out.write_all(rewritten.text.as_bytes()))?;
    let added: usize = rewritten.added.iter().map(Vec::len).sum();
    let mut text = match (rewritten.still_excused, &known_deviations) {
        (0, None) => format!("{path}: {} written\n", counted(added, "deviating cell")),
        (same, _) => format!("{path}: {} have the same deviation as before\n", counted(same, "cell")),
    };
    for found in &rewritten.dropped {
        let _ = writeln!(text, "removed: {found}");
    }
    for ids in &rewritten.added {
        let first = ids.first().map_or("", String::as_str);
        let _ = match ids.len() {
            1 => writeln!(text, "added without a reason: {first}"),
            number => {
                writeln!(text, "added without a reason: {first} and {}", counted(number - 1, "more cell"))
            }
        };
    }
    if added > 0 {
        text.push_str("\nnext: replace each `because: unexplained` in the file by the reason; until then, a run fails\n");
    }
    stream_beside([&path]).print(&text)?;
    Ok(if rewritten.added.is_empty() { Exit::Ok } else { Exit::CellFailed })
}

/// Returns the operation of each failed cell: that of a case about patches, or the request of a scenario.
fn operations_of_failures(corpus: &Corpus, results: &[results::Cell]) -> HashMap<String, String> {
    let failed: HashSet<&str> =
        results.iter().filter(|cell| cell.status.is_failure()).map(|cell| cell.id.as_str()).collect();
    let cells = corpus.cells().map(|cell| (cell.id(), cell)).filter(|(id, _)| failed.contains(id.as_str()));
    cells.map(|(id, cell)| (id, operation(&cell))).collect()
}

fn operation(cell: &Cell<'_>) -> String {
    match cell.plan() {
        Ok(Plan::Patch(plan)) => plan.declaration().name.to_owned(),
        Ok(Plan::Skew(plan)) => format!("a request ({})", plan.request.name()),
        Ok(Plan::Declare(_)) | Err(_) => "types".to_owned(),
    }
}
