//! `skewer laws`.

use clap::{Args, ValueEnum};
use skewer_cases::Corpus;
use skewer_cases::yaml::nearest;
use skewer_reports::laws::{self as reports, RecordComparison, Report, SituationCounts};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::laws::report::{self, ExampleSelection};
use crate::laws::{
    CompiledSituations, FormatChange, VerdictRecord, corpus as corpus_situations, generate, proposals,
};

/// The arguments of `skewer laws`.
#[derive(Debug, Args)]
pub(super) struct LawsArguments {
    /// Only this directive or proposal, with an example of what it is good for; `$` can be left out.
    directive: Option<String>,
    /// Where the row of generated situations begins.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// How many situations to generate beside those of the corpus.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_COUNT)]
    count: u64,
    /// How to print what the laws say.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// The verdicts alone, without examples, which take longer.
    #[arg(long)]
    table: bool,
    #[command(flatten)]
    corpus: CorpusArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
    /// One self-contained page for a browser.
    Html,
}

/// Carries the command out.
pub(super) fn laws(arguments: &LawsArguments) -> Result {
    let changes = select_format_changes(arguments.directive.as_deref())?;
    let examples = match (arguments.table, &arguments.directive) {
        (true, _) => ExampleSelection::None,
        (false, Some(_)) => ExampleSelection::All,
        (false, None) => ExampleSelection::Broken,
    };
    let corpus = arguments.corpus.load()?;
    let (report, _) = try_laws(&changes, &corpus, (arguments.seed, arguments.count), examples)?;
    match arguments.format {
        FormatArgument::Text => output::print(&reports::text(&report))?,
        FormatArgument::Markdown => output::print_document(&reports::markdown(&report))?,
        FormatArgument::Html => output::print_document(&reports::html(&report))?,
        FormatArgument::Json => output::print_json(&report)?,
    }
    Ok(exit_of(&report))
}

/// The seed of the generated situations, if the user gives none.
const DEFAULT_SEED: u64 = 1;
/// The number of generated situations, if the user gives none.
const DEFAULT_COUNT: u64 = 1000;

/// Tries the laws on every directive and proposal, and returns the verdicts as cells of a run, with counter-examples.
pub(super) fn cells(corpus: &Corpus) -> Result<Vec<skewer_reports::Cell>> {
    let (report, record) =
        try_laws(&proposals::all(), corpus, (DEFAULT_SEED, DEFAULT_COUNT), ExampleSelection::All)?;
    Ok(report::cells(&report, &record))
}

fn try_laws(
    changes: &[FormatChange],
    corpus: &Corpus,
    (seed, count): (u64, u64),
    examples: ExampleSelection,
) -> Result<(Report, VerdictRecord)> {
    let record =
        VerdictRecord::built_in().map_err(|errors| Failure::new(Exit::CouldNotRun, errors.to_string()))?;
    let mut situations = corpus_situations::situations(corpus);
    let from_corpus = situations.len();
    situations.extend(generate::situations(seed, count));
    let tried = SituationCounts { from_corpus, generated: situations.len() - from_corpus, seed };
    let report = report::report(changes, (&CompiledSituations::new(situations), tried), &record, examples);
    Ok((report, record))
}

fn select_format_changes(name: Option<&str>) -> Result<Vec<FormatChange>> {
    let all = proposals::all();
    let Some(name) = name else { return Ok(all) };
    let is_named =
        |change: &&FormatChange| change.name == name || change.name.strip_prefix('$') == Some(name);
    let named: Vec<FormatChange> = all.iter().filter(is_named).cloned().collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let known_names = || all.iter().map(|change| change.name);
    let hint = nearest(name, known_names()).map_or_else(
        || format!("there is {}", known_names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Failure::new(Exit::NothingSelected, format!("there is no directive or proposal `{name}`: {hint}")))
}

/// Reports the verdicts that are worse or better than the record, and returns the exit code.
fn exit_of(report: &Report) -> Exit {
    let better = report.summary_lines(RecordComparison::Better);
    if !better.is_empty() {
        output::error(&format!(
            "better than on record: write it down in runner/laws.yaml, or try more situations (--count):\n  {}",
            better.join("\n  ")
        ));
    }
    let worse = report.summary_lines(RecordComparison::Worse);
    if worse.is_empty() {
        return Exit::Ok;
    }
    output::error(&format!("worse than on record in runner/laws.yaml:\n  {}", worse.join("\n  ")));
    Exit::CellFailed
}
