//! `skewer-lab coverage`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use skewer_cases::Corpus;
use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use skewer_reports::documents;

use crate::coverage::{Coverage, DecidingCells, ItemCoverage, SampleVerdicts};
use crate::mutants::BaselineError;
use skewer::cli::arguments::corpus::CorpusArguments;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output::{self, Stream};
use skewer::cli::progress::Progress;
use skewer::exit::Exit;

/// The arguments of `skewer-lab coverage`.
#[derive(Debug, Args)]
pub(super) struct CoverageArguments {
    #[command(flatten)]
    corpus: CorpusArguments,
    /// List the items with their cases, or with the reason why there is none.
    #[arg(long)]
    items: bool,
    /// Only the items of this document.
    #[arg(long, value_name = "DOCUMENT", value_parser = PossibleValuesParser::new(DESIGN_DOCUMENTS.iter().map(|d| d.name)))]
    document: Option<String>,
    /// Say for each item whether it holds: whether the cells that decide it confirm it.
    #[arg(long, conflicts_with = "items")]
    verdicts: bool,
    /// Draw N items at random, and show the cells and the verdict of each.
    #[arg(long, value_name = "N", conflicts_with_all = ["items", "verdicts"])]
    sample: Option<usize>,
    /// The seed of the sample. The same seed draws the same items.
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Also run the mutants of the engine on the cells of the sample, and show verdicts that change.
    #[arg(long, requires = "sample")]
    mutants: bool,
    /// Output format. `--items` and `--sample` are only for text.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text, conflicts_with_all = ["items", "sample"])]
    format: FormatArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
}

/// Runs the command.
pub(super) fn coverage(arguments: &CoverageArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let progress = Progress::of_activity("linking the cases to the documents");
    let mut coverage = Coverage::of(&corpus);
    drop(progress);
    if let Some(document) = &arguments.document {
        coverage.retain_document(document);
    }
    let style = Stream::Output.style();
    let width = style.width;
    match (arguments.format, arguments.sample) {
        (_, Some(count)) => {
            let sample = coverage.sample(count, arguments.seed);
            let deciding = decide(&corpus, &sample.items)?;
            let rows = sample.items.iter().map(|item| deciding.row(item)).collect();
            let changed = if arguments.mutants {
                let _progress = Progress::of_activity("running the mutants");
                let failure = |error: BaselineError| Failure::new(Exit::CellFailed, error.to_string());
                Some(deciding.changed_by_mutants(&sample.items).map_err(failure)?)
            } else {
                None
            };
            output::print(&sample.text(&SampleVerdicts { rows, changed }, width))?;
        }
        (format, None) if arguments.verdicts => {
            let items: Vec<&ItemCoverage> = coverage.items.iter().collect();
            let report = decide(&corpus, &items)?.report(&coverage);
            match format {
                FormatArgument::Text => output::print(&documents::text(&report, style))?,
                FormatArgument::Markdown => output::print(&documents::markdown(&report))?,
                FormatArgument::Json => output::print_json(&report)?,
            }
        }
        (FormatArgument::Text, None) if arguments.items => {
            output::print(&(coverage.item_list(width) + "\n" + &coverage.text(width)))?;
        }
        (FormatArgument::Text, None) => output::print(&coverage.text(width))?,
        (FormatArgument::Markdown, None) => output::print(&coverage.markdown())?,
        (FormatArgument::Json, None) => output::print_json(&coverage)?,
    }
    Ok(if coverage.has_faults() { Exit::CellFailed } else { Exit::Ok })
}

/// Runs the cells that decide items.
fn decide<'c>(corpus: &'c Corpus, items: &[&ItemCoverage]) -> Result<DecidingCells<'c>> {
    let _progress = Progress::of_activity("running the cells that decide the items");
    DecidingCells::of(corpus, items).map_err(|why| Failure::new(Exit::CellFailed, why))
}
