//! `skewer run`.

mod accept;
mod errata;
mod negotiate;
mod outcome_table;
mod result_sinks;
mod watch;

use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering;

use clap::Args;
use skewer_cases::yaml::FileErrors;
use skewer_cases::{Cell, Corpus, Plan};
use skewer_engine::directive::Directive;
use skewer_execute::deviations::DeviationJudge;
use skewer_execute::execute::{self, ExecutionOptions, ManagedFieldsForm, StepRecording};
use skewer_reports::Format;
use skewer_reports::result_kind::ExampleLimit;
use skewer_results::{Problem, ProblemKind, RunInfo, Status};
use skewer_targets::Target;

use self::errata::ErrataList;
use self::outcome_table::OutcomeTable;
use self::result_sinks::{EarlyEnd, PrintOptions, ResultSinks};
use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::deviations::DeviationArguments;
use crate::cli::arguments::page::PageArguments;
use crate::cli::arguments::report::{FormatArgument, ReportArgument, check_paths, stream_beside};
use crate::cli::arguments::result_filter::{OutcomeArgument, ResultFilter, outcome_parser, status_parser};
use crate::cli::arguments::selection::{SelectedCells, SelectionArguments};
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::progress::Progress;
use crate::cli::target_failure::UnansweredCells;
use crate::cli::workers::{parse_jobs, thread_count, with_threads};
use crate::cli::{interrupt, laws, output};

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
    /// Also check the laws of patch evolution (`skewer laws`) on the target, of the directives that the corpus declares, or
    /// else of all. This adds a cell for each directive and law, and a page
    /// to the HTML report.
    #[arg(long, conflicts_with = "shard")]
    laws: bool,
    /// Write final states into the suite files of the corpus: into expectations whose outcome does not determine them,
    /// and into a new expectation for each group of cells that fail. Nothing else is changed. A new expectation counts
    /// as unreviewed, and fails the run, until it has a `because`.
    #[arg(long, requires = "corpus", conflicts_with_all = ["target", "reports", "shard", "laws", "rows", "columns"])]
    accept: bool,
    /// Run each cell in which a client sends a patch twice, also with a client that negotiates: it speaks the newest version
    /// of types and directives that it and the server know. Print what negotiation gains, costs and permits, as text,
    /// markdown, html or json, instead of the results. Expectations are not checked.
    #[arg(
        long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text",
        conflicts_with_all = ["reports", "steps", "durations", "laws", "accept", "rows", "columns", "statuses", "outcomes",
                              "failures", "fail_fast", "watch"]
    )]
    negotiate: Option<FormatArgument>,
    /// Print a table of outcomes with a row for each value of this axis. Instead of an axis: suite, case, level,
    /// status, outcome, kep, issue or document.
    #[arg(long, value_name = "AXIS")]
    rows: Option<String>,
    /// Print a table of outcomes with a column for each value of this axis. With --rows, it is one table of both.
    #[arg(long, value_name = "AXIS")]
    columns: Option<String>,
    /// Print the cells with this status instead of the failures, and count only them in the table of --rows and
    /// --columns; can be given several times. The table of suites, the reports and the exit code are still those of all
    /// cells.
    #[arg(long = "status", value_name = "STATUS", value_parser = status_parser())]
    statuses: Vec<Status>,
    /// Print the cells with this outcome, like --status. `silent` is any outcome that is wrong although the request was
    /// accepted.
    #[arg(long = "outcome", value_name = "OUTCOME", value_parser = outcome_parser())]
    outcomes: Vec<OutcomeArgument>,
    /// Number of failures that are printed in full, of as many kinds as possible, or `all`. Default: one of each kind,
    /// for the 10 kinds with the most failures. The kinds of all failures are always listed.
    #[arg(long, value_name = "N|all", value_parser = parse_failures)]
    failures: Option<ExampleLimit>,
    /// Stop at the first failure, in the order of ids. The reports are marked as partial, and the exit code is 1.
    #[arg(long)]
    fail_fast: bool,
    /// Run the cells again whenever a file of --corpus changes, until Ctrl-C. The table has only the suites that are
    /// not ok.
    #[arg(long, requires = "corpus", conflicts_with_all = ["accept", "laws"])]
    watch: bool,
}

/// The default of `--failures`.
const DEFAULT_EXAMPLES: ExampleLimit = ExampleLimit::OfLargestGroups(10);

fn parse_failures(text: &str) -> std::result::Result<ExampleLimit, String> {
    match text {
        "all" => Ok(ExampleLimit::All),
        number => number
            .parse()
            .map(ExampleLimit::Cells)
            .map_err(|_| "expected a number of failures, or `all`".to_owned()),
    }
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

    fn print_options(&self) -> PrintOptions {
        PrintOptions {
            table: OutcomeTable::new(self.rows.as_deref(), self.columns.as_deref()),
            filter: ResultFilter::new(&self.statuses, &self.outcomes),
            examples: self.failures.unwrap_or(DEFAULT_EXAMPLES),
            is_short: self.watch,
        }
    }

    fn options(&self, threads: usize) -> Result<ExecutionOptions> {
        let options = ExecutionOptions {
            steps: if self.records_all_steps() { StepRecording::Always } else { StepRecording::OnFailure },
            managed_fields: ManagedFieldsForm::Owners,
            durations: self.durations,
            rerun_command: self.corpus.rerun_command(&self.target),
            stop: Some(interrupt::watch_signals()?),
            ..ExecutionOptions::default()
        };
        // Small batches, so that few cells are run in vain.
        let batch = if self.fail_fast { threads * 4 } else { options.batch };
        Ok(ExecutionOptions { batch, ..options })
    }
}

pub(super) fn run(arguments: &RunArguments) -> Result {
    check_paths(&arguments.reports)?;
    if let Some(format) = arguments.negotiate {
        let corpus = load_corpus(arguments)?;
        return negotiate::negotiate(select_cells(arguments, &corpus)?.cells, &arguments.target, format);
    }
    match &arguments.corpus.corpus {
        Some(path) if arguments.watch => {
            let stream = stream_beside(&arguments.reports);
            watch::watch(&arguments.corpus, path, stream, |corpus| run_corpus(arguments, corpus))
        }
        _ => {
            // The program ends after the run, which frees all memory at once.
            let corpus = ManuallyDrop::new(load_corpus(arguments)?);
            run_corpus(arguments, &corpus)
        }
    }
}

/// Loads the corpus, or only the part with the selected cells. The laws are those of the whole corpus.
fn load_corpus(arguments: &RunArguments) -> Result<Corpus> {
    if arguments.laws {
        return arguments.corpus.load();
    }
    arguments.corpus.load_selected(&arguments.selection.selection())
}

fn run_corpus(arguments: &RunArguments, corpus: &Corpus) -> Result {
    let selected = select_cells(arguments, corpus)?;
    if arguments.accept {
        return accept::accept_final_states(&selected.cells);
    }
    let print_options = arguments.print_options();
    if let Some(table) = &print_options.table {
        table.check(&selected.cells)?;
    }
    let threads = thread_count(arguments.jobs, selected.cells.len());
    let target = arguments.target.open(threads)?;
    let target = &*target;
    let laws =
        if arguments.laws { laws::cells(corpus, &arguments.corpus, &arguments.target)? } else { Vec::new() };
    let info = RunInfo {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        corpus_hash: corpus.hash.clone(),
        target: arguments.target.describe(target),
        selection: arguments.selection.reported_selection(),
        selected: Some((selected.in_all_shards + laws.len()) as u64),
        info: arguments.page.run_info(),
    };
    let deviations = arguments.deviations.load(target, &arguments.corpus)?;
    // A deviation file is compared with all cells of the corpus.
    let all_ids = match &deviations {
        Some(_) if arguments.selection.is_everything() => Some(ids_with_selection(corpus, &selected.cells)),
        Some(_) => Some(ids_with_selection(&arguments.corpus.load()?, &selected.cells)),
        None => None,
    };
    let mut run = CellRun {
        judge: deviations.as_ref().map(DeviationJudge::new),
        sinks: ResultSinks::open(&arguments.reports, print_options, arguments.page.page_options(), &info)?,
        errata: ErrataList::default(),
        unanswered: UnansweredCells::default(),
    };
    if let Some(end) = run.run(&selected.cells, target, threads, arguments)? {
        let ended = run.sinks.finish_partial(&info, end);
        stop_target(target, &info);
        return ended;
    }
    for cell in laws {
        run.sinks.add(cell);
    }
    let mut problems = Vec::new();
    if let Some(errors) = run.judge.zip(all_ids).and_then(|(judge, all_ids)| judge.finish(&all_ids)) {
        problems.extend(deviation_problems(&errors));
    }
    if let Some(message) = run.unanswered.describe_failure(target) {
        problems.push(Problem { kind: ProblemKind::Target, message, suite: None });
    }
    problems.extend(accept::unreviewed_expectations(&selected.cells));
    let messages: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
    let exit = run.sinks.finish(&info, problems)?;
    if arguments.selection.is_errata_only() {
        stream_beside(&arguments.reports).print(&run.errata.render())?;
    }
    stop_target(target, &info);
    note_declared_directives(&selected.cells, target, &info);
    if arguments.corpus.corpus.is_some() {
        note_unclear_intents(&selected.cells);
    }
    // The table has the first line of each problem.
    for message in messages.iter().filter(|message| message.trim_end().contains('\n')) {
        output::error(message);
    }
    Ok(exit)
}

/// Selects the cells about which the target can be asked. Those whose server has a policy of other rules are left out:
/// each of them would say that the target does not follow rules that it does not claim to have.
fn select_cells<'c>(arguments: &RunArguments, corpus: &'c Corpus) -> Result<SelectedCells<'c>> {
    let rules = arguments.target.union_rules();
    let can_be_asked = |cell: &Cell<'_>| arguments.target.can_be_asked(cell);
    let selected = arguments.selection.select_cells_that(corpus, &arguments.corpus, can_be_asked)?;
    let left_out = selected.left_out;
    if selected.cells.is_empty() && left_out > 0 {
        let message = format!(
            "each of the {left_out} selected cells has a policy of other rules than the KEP's: expected cells whose policy is \
             none, kep-1027 or kep-1027-ratcheting for `--policy {rules}`"
        );
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    if left_out > 0 {
        output::error(&format!(
            "note: {left_out} cells are left out, because their policies are other rules than the KEP's (`--policy {rules}`)"
        ));
    }
    Ok(selected)
}

/// Notes cells whose intent may be another one than their author has.
///
/// Cells without an intent cannot show whether a request does what the user wants; a case that says who owns which field is about
/// owners. And a manager which applied before gives up all fields that the intent does not set.
fn note_unclear_intents(cells: &[Cell<'_>]) {
    let (mut without_intent, mut starting_empty) = (NamedCells::default(), NamedCells::default());
    for cell in cells {
        let Ok(Plan::Skew(plan)) = cell.plan() else { continue };
        let has_owners = cell.expectation.answers.iter().all(|answer| answer.owners.is_some());
        if plan.ideal_is_request() && !has_owners {
            without_intent.add(cell);
        }
        let applied_before = plan
            .history
            .iter()
            .any(|earlier| earlier.request.takes_fields() && earlier.options.manager == plan.options.manager);
        let is_empty = plan.configuration.is_none() && !plan.intent.0.is_empty();
        if plan.request.takes_fields() && is_empty && applied_before {
            starting_empty.add(cell);
        }
    }
    if let Some(names) = without_intent.names() {
        output::error(&format!(
            "note: the ideal of {names} is the request itself, because the case has a configuration and no intent: \
             `skewer show` suggests an intent"
        ));
    }
    if let Some(names) = starting_empty.names() {
        output::error(&format!(
            "note: the apply of {names} has only the fields of the intent, although the same manager applied others \
             before, which it gives up: `configuration` says with which fields it starts"
        ));
    }
}

/// A number of cells, with the id of the first.
#[derive(Default)]
struct NamedCells {
    first: Option<String>,
    others: usize,
}

impl NamedCells {
    fn add(&mut self, cell: &Cell<'_>) {
        match &self.first {
            Some(_) => self.others += 1,
            None => self.first = Some(cell.id()),
        }
    }

    /// Names the first cell, and says how many more there are. `None` if there is none.
    fn names(self) -> Option<String> {
        let first = self.first?;
        Some(if self.others == 0 { first } else { format!("{first} and {} more", self.others) })
    }
}

/// Notes the directives that a suite declares and the target does not have.
fn note_declared_directives(cells: &[Cell<'_>], target: &dyn Target, info: &RunInfo) {
    let declared = cells.iter().flat_map(|cell| cell.case.directives().iter());
    let declared = declared.filter(|directive| directive.form().is_some()).map(Directive::name);
    let missing: BTreeSet<&str> = declared.filter(|name| !target.has_declared_directive(name)).collect();
    for name in missing {
        output::error(&format!(
            "note: {} does not have {name}, which a suite declares: expected a target that lists it in \
             `supports.directives`. The built-in engine treats the key as a field, and other targets are not asked",
            info.target.name
        ));
    }
}

fn stop_target(target: &dyn Target, info: &RunInfo) {
    target.stop();
    for warning in target.warnings() {
        output::error(&format!("{}: {warning}", info.target.name));
    }
}

/// The run of some cells, with the consumers of their results.
struct CellRun<'a> {
    judge: Option<DeviationJudge<'a>>,
    sinks: ResultSinks<'a>,
    errata: ErrataList,
    unanswered: UnansweredCells,
}

/// The error of a consumer that stops the run at a failure.
struct FirstFailure;

impl CellRun<'_> {
    /// Runs the cells. Returns the reason if the run ended early.
    fn run(
        &mut self,
        cells: &[Cell<'_>],
        target: &dyn Target,
        threads: usize,
        arguments: &RunArguments,
    ) -> Result<Option<EarlyEnd>> {
        let options = arguments.options(threads)?;
        let progress = Progress::of(cells.len() as u64, "cells");
        let work = || {
            execute::run(cells.iter().copied(), target, &options, |cell| {
                progress.add(1);
                let cell = match &mut self.judge {
                    Some(judge) => judge.judge(cell),
                    None => cell,
                };
                self.errata.add(&cell);
                self.unanswered.add(&cell);
                let is_failure = cell.status.is_failure();
                self.sinks.add(cell);
                if arguments.fail_fast && is_failure { Err(FirstFailure) } else { Ok(()) }
            })
        };
        let ended = with_threads(threads, work)?;
        drop(progress);
        if ended.is_err() && self.sinks.cells() < cells.len() {
            return Ok(Some(EarlyEnd::FirstFailure));
        }
        let is_interrupted = options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        Ok(is_interrupted.then_some(EarlyEnd::Interrupt))
    }
}

fn deviation_problems(errors: &FileErrors) -> impl Iterator<Item = Problem> {
    errors.diagnostics().iter().map(|diagnostic| {
        let one = vec![diagnostic.clone()];
        let error = FileErrors::new(errors.name(), errors.source_text().into(), one);
        Problem { kind: ProblemKind::Deviations, message: error.to_string(), suite: None }
    })
}

/// Returns the ids of all cells of the corpus. The flag is true for the selected cells.
fn ids_with_selection(corpus: &Corpus, selected: &[Cell<'_>]) -> Vec<(String, bool)> {
    let mut selected = selected.iter().map(Cell::id).peekable();
    let mut cells: Vec<Cell<'_>> = corpus.cells().collect();
    // The order of the selected cells.
    skewer_cases::sort_by_id(&mut cells);
    cells
        .iter()
        .map(Cell::id)
        .map(|id| (selected.next_if_eq(&id).is_some(), id))
        .map(|(is_selected, id)| (id, is_selected))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_selected_cell_is_found_among_all_cells() {
        let corpus = Corpus::embedded().unwrap();
        let mut selected: Vec<_> = corpus.cells().filter(|cell| cell.id().contains("client=old")).collect();
        skewer_cases::sort_by_id(&mut selected);
        let ids = ids_with_selection(&corpus, &selected);
        assert_eq!(ids.len(), corpus.cells().count());
        let is_right = |(id, is_selected): &(String, bool)| *is_selected == id.contains("client=old");
        assert!(!selected.is_empty() && ids.iter().all(is_right));
    }
}
