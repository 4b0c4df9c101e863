//! `skewer run`.

use std::convert::Infallible;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use skewer_cases::{Cell, Corpus};
use skewer_reports as reports;
use skewer_reports::group::GroupKey;
use skewer_reports::{Format, RunInfo};

use super::report::ReportArgument;

use super::corpus::{CorpusArguments, SelectionArguments};
use super::deviations::DeviationArguments;
use super::errata::Errata;
use super::sinks::Sinks;
use super::target_options::TargetArguments;
use super::{Failure, Result, interrupt, laws, output};
use crate::deviations::Judge;
use crate::execute::{self, Options, Steps};
use crate::exit::Exit;
use crate::targets::Target;

/// The arguments of `skewer run`.
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
    /// Write a report; can be given several times. Formats: json (the results file), html, markdown, junit,
    /// badge, github, compatibility, text.
    #[arg(long = "report", value_name = "FORMAT=PATH")]
    reports: Vec<ReportArgument>,
    /// How many threads; all processors when left out.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Record how long each cell took. The same run then no longer gives the same bytes.
    #[arg(long)]
    durations: bool,
    /// Keep the documents of every cell in the results, not only of those that fail. An HTML report has them
    /// always.
    #[arg(long)]
    steps: bool,
    /// Try the laws of patch evolution as well (`skewer laws`): a cell for each directive and law, with
    /// counter-examples. The HTML report has a page for them.
    #[arg(long, conflicts_with_all = ["shard", "target"])]
    laws: bool,
    /// Print a table of outcomes by an axis (or suite, case, level, status, outcome, kep, issue, document).
    #[arg(long, value_name = "AXIS", requires = "columns")]
    rows: Option<String>,
    /// What the columns of that table are.
    #[arg(long, value_name = "AXIS", requires = "rows")]
    columns: Option<String>,
}

impl RunArguments {
    fn keeps_steps(&self) -> bool {
        self.steps || self.reports.iter().any(|report| report.format == Format::Html)
    }

    /// The table that was asked for.
    fn pivot(&self) -> Option<(GroupKey, GroupKey)> {
        // Any word names an axis, so that reading a key cannot fail.
        let key = |name: &String| name.parse().unwrap_or_else(|never: Infallible| match never {});
        self.rows.as_ref().map(key).zip(self.columns.as_ref().map(key))
    }
}

/// Carries the command out.
pub(super) fn run(arguments: &RunArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let selected = arguments.selection.cells(&corpus, &arguments.corpus)?;
    let cells = selected.cells;
    let target = arguments.target.open(arguments.jobs)?;
    let target = &*target;
    let laws = if arguments.laws { laws::cells(&corpus)? } else { Vec::new() };
    let info = RunInfo {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        corpus_hash: corpus.hash.clone(),
        target: described(target),
        selection: arguments.selection.recorded(),
        selected: Some((selected.in_all_shards + laws.len()) as u64),
    };
    let options = Options {
        steps: if arguments.keeps_steps() { Steps::Always } else { Steps::Failures },
        durations: arguments.durations,
        rerun: arguments.corpus.rerun(&arguments.target),
        stop: Some(interrupt::watch()?),
    };
    let known = arguments.deviations.load(target, &arguments.corpus)?;
    let mut judge = known.as_ref().map(Judge::new);
    let all = known.as_ref().map(|_| with_selected(&corpus, &cells));
    let mut sinks = Sinks::open(&arguments.reports, arguments.pivot(), &info)?;
    let mut errata = Errata::default();
    let progress = progress(cells.len());
    let work = || {
        execute::run(cells.into_iter(), target, &options, |mut cell| {
            progress.inc(1);
            if let Some(judge) = &mut judge {
                judge.judge(&mut cell);
            }
            errata.add(&cell);
            sinks.take(cell);
            Ok::<(), Infallible>(())
        })
    };
    match in_pool(arguments.jobs, work)? {
        Ok(()) => progress.finish_and_clear(),
        Err(never) => match never {},
    }
    if options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        return sinks.finish_partial(&info);
    }
    for cell in laws {
        sinks.take(cell);
    }
    let mut exit = sinks.finish(&info)?;
    if arguments.selection.is_of_errata() {
        output::print(&errata.text())?;
    }
    if let Some(wrong) = judge.zip(all).and_then(|(judge, all)| judge.finish(&all)) {
        output::error(&wrong.to_string());
        exit = exit.max(Exit::CellFailed);
    }
    for complaint in target.complaints() {
        output::error(&format!("{}: {complaint}", info.target.name));
    }
    match target.broken() {
        Some(why) => Err(Failure::new(Exit::TargetFailed, format!("the target {why}"))),
        None => Ok(exit),
    }
}

/// Every cell of the corpus, with whether it is selected.
fn with_selected(corpus: &Corpus, selected: &[Cell<'_>]) -> Vec<(String, bool)> {
    let mut selected = selected.iter().map(Cell::id).peekable();
    corpus
        .cells()
        .map(|cell| cell.id())
        .map(|id| (selected.next_if_eq(&id).is_some(), id))
        .map(|(is, id)| (id, is))
        .collect()
}

pub(super) fn described(target: &dyn Target) -> reports::Target {
    let info = target.info();
    reports::Target { name: info.name, version: info.version, language: info.language }
}

/// Works with this many threads.
pub(super) fn in_pool<T: Send>(jobs: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let pool =
        pool.map_err(|error| Failure::new(Exit::CouldNotRun, format!("cannot start threads: {error}")))?;
    Ok(pool.install(work))
}

/// Only a terminal sees it, and only when there is something to wait for.
fn progress(cells: usize) -> ProgressBar {
    const WORTH_SHOWING: usize = 20_000;
    if cells < WORTH_SHOWING || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(cells as u64), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(cells as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} cells, {eta} left") {
        bar.set_style(style);
    }
    bar
}
