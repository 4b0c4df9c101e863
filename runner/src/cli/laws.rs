//! `skewer laws`.

use std::sync::Arc;

use clap::Args;
use skewer_cases::Corpus;
use skewer_cases::yaml::nearest;
use skewer_reports::laws::{
    self as reports, LawsReport, RecordComparison, ReportSubject, VerdictKind, VerdictSummary,
};
use skewer_trials::laws::report::{self, ExampleSelection};
use skewer_trials::laws::topology::{self, TopologyChange};
use skewer_trials::laws::{
    AskedImplementation, CompiledSituations, FormatChange, SituationPlan, UnansweredRequests, VerdictRecord,
    proposals,
};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::report::FormatArgument;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};
use crate::cli::progress::Progress;

/// The arguments of `skewer laws`.
#[derive(Debug, Args)]
pub(super) struct LawsArguments {
    /// Check only this directive or proposal, and also print an example of its benefit. `$` can be omitted. With
    /// `--topology`: check only this change.
    directive: Option<String>,
    /// Check changes of the topology of a field (`atomic-list-to-map`) instead of directives. The laws are then about
    /// apply requests to servers with the old and with the new topology.
    #[arg(long)]
    topology: bool,
    /// Seed of the generated situations.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Number of situations to generate, in addition to those of the corpus; with `--topology`, for each change. As
    /// many are generated in which another client changes the object between the client's read and its patch; in them,
    /// only a benefit is searched.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_COUNT)]
    count: u64,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// Print only the verdicts. Examples take longer to compute.
    #[arg(long)]
    table: bool,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

impl LawsArguments {
    fn plan(&self) -> SituationPlan {
        SituationPlan { seed: self.seed, count: self.count }
    }
}

pub(super) fn laws(arguments: &LawsArguments) -> Result {
    if arguments.topology && !arguments.target.rerun_option().is_empty() {
        return Err(Failure::could_not_run(
            "the laws of topologies are those of the built-in engine: leave out --target",
        ));
    }
    let report = if arguments.topology { topology_report(arguments)? } else { directive_report(arguments)? };
    match arguments.format {
        FormatArgument::Text => output::print(&reports::text(&report, Stream::Output.style()))?,
        FormatArgument::Markdown => output::print_document(&reports::markdown(&report))?,
        FormatArgument::Html => output::print_document(&reports::html(&report))?,
        FormatArgument::Json => output::print_json(&report)?,
    }
    Ok(report_changed_verdicts(&report))
}

fn topology_report(arguments: &LawsArguments) -> Result<LawsReport> {
    let all: Vec<&TopologyChange> = topology::CHANGES.iter().collect();
    let changes = select_named(&all, arguments.directive.as_deref(), |change| change.name)?;
    let record = VerdictRecord::of_topologies()?;
    let _progress = Progress::of_activity("checking the laws");
    Ok(topology::report::report(&changes, arguments.plan(), &record, !arguments.table))
}

fn directive_report(arguments: &LawsArguments) -> Result<LawsReport> {
    let corpus = arguments.corpus.load()?;
    let implementation = implementation(&arguments.target)?;
    let all = changes_of(&corpus, implementation.as_ref());
    let changes = select_named(&all, arguments.directive.as_deref(), |change| change.name)?;
    if let Some(change) = changes.iter().find(|change| change.is_declared() && implementation.is_none()) {
        let message = format!(
            "the built-in engine does not have {0}, which a suite declares: name a target that lists {0} in \
             `supports.directives` (--target)",
            change.name
        );
        return Err(Failure::could_not_run(message));
    }
    let examples = match (arguments.table, &arguments.directive) {
        (true, _) => ExampleSelection::None,
        (false, Some(_)) => ExampleSelection::All,
        (false, None) => ExampleSelection::Broken,
    };
    let (report, _) = try_laws(&changes, &corpus, arguments.plan(), examples)?;
    if let Some(implementation) = implementation {
        report_unanswered(&implementation, &report)?;
    }
    Ok(report)
}

/// Starts the target, unless it is the built-in engine.
fn implementation(target: &TargetArguments) -> Result<Option<AskedImplementation>> {
    if target.rerun_option().is_empty() {
        return Ok(None);
    }
    let target = target.open(std::thread::available_parallelism().map_or(1, usize::from))?;
    Ok(Some(AskedImplementation::of_target(Arc::from(target))))
}

/// Returns the changes that can be tried. Proposals that only the engine has cannot be asked of a target, and directives that
/// the suites of the corpus declare are asked of targets.
fn changes_of(corpus: &Corpus, implementation: Option<&AskedImplementation>) -> Vec<FormatChange> {
    let declared = corpus.suites.iter().flat_map(|suite| &suite.declared_directives);
    let mut changes: Vec<FormatChange> =
        declared.map(|directive| FormatChange::declared(*directive)).collect();
    changes.sort_by_key(|change| (change.name, change.directive.form()));
    changes.dedup_by_key(|change| (change.name, change.directive.form()));
    let Some(implementation) = implementation else {
        return proposals::all().into_iter().chain(changes).collect();
    };
    changes.extend(proposals::all().into_iter().filter(|change| change.is_registered));
    changes
        .into_iter()
        .map(|change| FormatChange { implementation: implementation.clone(), ..change })
        .collect()
}

/// Notes the requests that the target did not answer. A target that answered none decided nothing.
fn report_unanswered(implementation: &AskedImplementation, report: &LawsReport) -> Result<()> {
    let UnansweredRequests { count, first: Some(first) } = implementation.unanswered() else { return Ok(()) };
    let message =
        format!("{count} requests were not answered, and say nothing about a law; the first: {first}");
    let is_shown = |summary: &VerdictSummary| summary.verdict != VerdictKind::NotShown;
    if report.rows.iter().flat_map(|row| &row.verdicts).any(is_shown) {
        output::error(&format!("note: {message}"));
        return Ok(());
    }
    Err(Failure::new(Exit::TargetFailed, message))
}

const DEFAULT_SEED: u64 = 1;
const DEFAULT_COUNT: u64 = 1000;

/// Checks every directive and proposal against the laws. A target is asked about the directives that the corpus declares, or else
/// about all that it has. Returns the verdicts as cells of a run, with counter-examples.
pub(super) fn cells(
    corpus: &Corpus,
    arguments: &CorpusArguments,
    target: &TargetArguments,
) -> Result<Vec<skewer_results::Cell>> {
    let plan = SituationPlan { seed: DEFAULT_SEED, count: DEFAULT_COUNT };
    let implementation = implementation(target)?;
    let mut changes =
        implementation.as_ref().map_or_else(proposals::all, |target| changes_of(corpus, Some(target)));
    if changes.iter().any(FormatChange::is_declared) {
        changes.retain(FormatChange::is_declared);
    }
    let (report, record) = try_laws(&changes, corpus, plan, ExampleSelection::All)?;
    if let Some(implementation) = implementation {
        report_unanswered(&implementation, &report)?;
    }
    let mut cells = report::cells(&report, &record);
    for rerun in cells.iter_mut().filter_map(|cell| cell.rerun.as_mut()) {
        rerun.push_str(&arguments.rerun_option());
        rerun.push_str(&target.rerun_option());
    }
    Ok(cells)
}

fn try_laws(
    changes: &[FormatChange],
    corpus: &Corpus,
    plan: SituationPlan,
    examples: ExampleSelection,
) -> Result<(LawsReport, VerdictRecord)> {
    let record = VerdictRecord::of_directives()?;
    let _progress = Progress::of_activity("checking the laws");
    let situations = CompiledSituations::of_corpus(corpus, plan);
    Ok((report::report(changes, &situations, &record, examples), record))
}

/// Returns the changes with a name, or all of them. A leading `$` of a name can be omitted.
fn select_named<T: Clone>(all: &[T], name: Option<&str>, name_of: fn(&T) -> &'static str) -> Result<Vec<T>> {
    let Some(name) = name else { return Ok(all.to_vec()) };
    let is_named = |change: &&T| name_of(change) == name || name_of(change).strip_prefix('$') == Some(name);
    let named: Vec<T> = all.iter().filter(is_named).cloned().collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let known_names = || all.iter().map(name_of);
    let hint = nearest(name, known_names()).map_or_else(
        || format!("expected one of {}", known_names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Failure::new(
        Exit::NothingSelected,
        format!("unknown directive, proposal or change `{name}`: {hint}"),
    ))
}

/// Prints the verdicts that are worse or better than the recorded ones, and returns the exit code.
fn report_changed_verdicts(report: &LawsReport) -> Exit {
    let file = match report.subject {
        ReportSubject::Directive => "runner/trials/data/laws.yaml",
        ReportSubject::TopologyChange => "runner/trials/data/topology-laws.yaml",
    };
    let better = report.summary_lines(RecordComparison::Better);
    if !better.is_empty() {
        output::error(&format!(
            "better than recorded: update {file}, or try more situations (--count):\n  {}",
            better.join("\n  ")
        ));
    }
    let worse = report.summary_lines(RecordComparison::Worse);
    if worse.is_empty() {
        return Exit::Ok;
    }
    output::error(&format!(
        "worse than recorded in {file}, where a law without a record counts as kept:\n  {}",
        worse.join("\n  ")
    ));
    Exit::CellFailed
}
