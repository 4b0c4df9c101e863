//! `skewer run`.

mod accept;
mod errata;
mod result_sinks;

use std::convert::Infallible;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use skewer_cases::yaml::FileErrors;
use skewer_cases::{Cell, Corpus};
use skewer_reports::group::GroupKey;
use skewer_reports::{Format, Problem, ProblemKind, RunInfo};

use crate::cli::arguments::report::{ReportArgument, check_paths, stream_beside};

use self::errata::ErrataList;
use self::result_sinks::ResultSinks;
use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::deviations::DeviationArguments;
use crate::cli::arguments::page::PageArguments;
use crate::cli::arguments::selection::SelectionArguments;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::failure::Result;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{parse_jobs, thread_count, with_threads};
use crate::cli::{interrupt, laws, output};
use crate::deviations::DeviationJudge;
use crate::execute::{self, ManagedFieldsForm, Options, StepRecording};

/// The arguments of `skewer run`.
// Each `bool` is a flag of the command line.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    deviations: DeviationArguments,
    #[arg(long = "report", value_name = "FORMAT=PATH", help = report_help())]
    reports: Vec<ReportArgument>,
    #[command(flatten)]
    page: PageArguments,
    /// Number of threads, at most 256. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
    /// Record the duration of each cell. Reports of the same run then differ from each other.
    #[arg(long)]
    durations: bool,
    /// Record the documents of every step for all cells, not only for failed cells. Implied by an HTML report.
    #[arg(long)]
    steps: bool,
    /// Also check the laws of patch evolution (`skewer laws`). This adds a cell for each directive and law, and a page
    /// to the HTML report.
    #[arg(long, conflicts_with_all = ["shard", "target"])]
    laws: bool,
    /// Write final states into the suite files of the corpus: into expectations whose outcome does not determine them,
    /// and into a new expectation for each group of cells that fail. Nothing else is changed. A new expectation counts
    /// as unreviewed, and fails the run, until it has a `because`.
    #[arg(long, requires = "corpus", conflicts_with_all = ["target", "reports", "shard", "laws", "rows"])]
    accept: bool,
    /// Print a table of outcomes with a row for each value of this axis. Instead of an axis: suite, case, level,
    /// status, outcome, kep, issue or document.
    #[arg(long, value_name = "AXIS", requires = "columns")]
    rows: Option<String>,
    /// Axis of the columns of that table.
    #[arg(long, value_name = "AXIS", requires = "rows")]
    columns: Option<String>,
}

/// Returns the help of `--report`, which lists the formats.
fn report_help() -> String {
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
    format!(
        "Write a report; can be given several times. Formats: {} (json is the results file). The path - is standard \
         output; the table then goes to standard error",
        formats.join(", ")
    )
}

impl RunArguments {
    fn records_all_steps(&self) -> bool {
        self.steps || self.reports.iter().any(|report| report.format == Format::Html)
    }

    /// Returns the axes of the table of outcomes, if the user asked for it.
    fn pivot(&self) -> Option<(GroupKey, GroupKey)> {
        // A word that is no other key is the name of an axis, so parsing cannot fail.
        let key = |name: &String| name.parse().unwrap_or_else(|never: Infallible| match never {});
        self.rows.as_ref().map(key).zip(self.columns.as_ref().map(key))
    }
}

/// Runs the command.
pub(super) fn run(arguments: &RunArguments) -> Result {
    check_paths(&arguments.reports)?;
    let corpus = arguments.corpus.load()?;
    let selected = arguments.selection.select_cells(&corpus, &arguments.corpus)?;
    let cells = selected.cells;
    if arguments.accept {
        return accept::accept_final_states(&cells);
    }
    let unreviewed = accept::unreviewed_expectations(&cells);
    let threads = thread_count(arguments.jobs, cells.len());
    let target = arguments.target.open(threads)?;
    let target = &*target;
    let laws = if arguments.laws { laws::cells(&corpus)? } else { Vec::new() };
    let info = RunInfo {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        corpus_hash: corpus.hash.clone(),
        target: arguments.target.describe(target),
        selection: arguments.selection.reported_selection(),
        selected: Some((selected.in_all_shards + laws.len()) as u64),
        info: arguments.page.run_info(),
    };
    let options = Options {
        steps: if arguments.records_all_steps() { StepRecording::Always } else { StepRecording::OnFailure },
        managed_fields: ManagedFieldsForm::Owners,
        durations: arguments.durations,
        rerun_command: arguments.corpus.rerun_command(&arguments.target),
        stop: Some(interrupt::watch_signals()?),
    };
    let deviations = arguments.deviations.load(target, &arguments.corpus)?;
    let mut judge = deviations.as_ref().map(DeviationJudge::new);
    let all_ids = deviations.as_ref().map(|_| ids_with_selection(&corpus, &cells));
    let mut sinks =
        ResultSinks::open(&arguments.reports, arguments.pivot(), arguments.page.page_options(), &info)?;
    let mut errata = ErrataList::default();
    let mut unanswered = UnansweredCells::default();
    let progress = progress_bar(cells.len());
    let work = || {
        execute::run(cells.into_iter(), target, &options, |mut cell| {
            progress.inc(1);
            if let Some(judge) = &mut judge {
                judge.judge(&mut cell);
            }
            errata.add(&cell);
            unanswered.add(&cell);
            sinks.add(cell);
            Ok::<(), Infallible>(())
        })
    };
    match with_threads(threads, work)? {
        Ok(()) => progress.finish_and_clear(),
        Err(never) => match never {},
    }
    if options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        return sinks.finish_partial(&info);
    }
    for cell in laws {
        sinks.add(cell);
    }
    let mut problems = Vec::new();
    if let Some(errors) = judge.zip(all_ids).and_then(|(judge, all_ids)| judge.finish(&all_ids)) {
        problems.extend(deviation_problems(&errors));
    }
    if let Some(message) = unanswered.describe_failure(target) {
        problems.push(Problem { kind: ProblemKind::Target, message });
    }
    let unreviewed = unreviewed.into_iter();
    problems.extend(unreviewed.map(|message| Problem { kind: ProblemKind::Unreviewed, message }));
    let messages: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
    let exit = sinks.finish(&info, problems)?;
    if arguments.selection.is_errata_only() {
        stream_beside(&arguments.reports).print(&errata.render())?;
    }
    target.stop();
    for warning in target.warnings() {
        output::error(&format!("{}: {warning}", info.target.name));
    }
    for message in messages {
        output::error(&message);
    }
    Ok(exit)
}

/// Returns a problem for each error in the deviation file.
fn deviation_problems(errors: &FileErrors) -> impl Iterator<Item = Problem> {
    errors.diagnostics().iter().map(|diagnostic| {
        let one = vec![diagnostic.clone()];
        let error = FileErrors::new(errors.name(), errors.source_text().into(), one);
        Problem { kind: ProblemKind::Deviations, message: error.to_string() }
    })
}

/// Returns the ids of all cells of the corpus. The flag is true for the selected cells.
fn ids_with_selection(corpus: &Corpus, selected: &[Cell<'_>]) -> Vec<(String, bool)> {
    let mut selected = selected.iter().map(Cell::id).peekable();
    corpus
        .cells()
        .map(|cell| cell.id())
        .map(|id| (selected.next_if_eq(&id).is_some(), id))
        .map(|(is_selected, id)| (id, is_selected))
        .collect()
}

/// Creates a progress bar, which is visible only on a terminal and for large runs.
fn progress_bar(cells: usize) -> ProgressBar {
    const MIN_CELLS: usize = 20_000;
    if cells < MIN_CELLS || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(cells as u64), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(cells as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} cells, {eta} left") {
        bar.set_style(style);
    }
    bar
}
