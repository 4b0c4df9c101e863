//! `skewer-lab coverage`.

use std::collections::{BTreeMap, BTreeSet};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use skewer_cases::{Cell, Corpus};

use crate::coverage::{Coverage, ItemSample};
use crate::mutants::{self, Baseline};
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
    /// Draw N items at random, and show the cells of each.
    #[arg(long, value_name = "N", conflicts_with = "items")]
    sample: Option<usize>,
    /// The seed of the sample. The same seed draws the same items.
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Also run the mutants of the engine on the cells of the sample, and name some that make them fail.
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
    let width = Stream::Output.style().width;
    match (arguments.format, arguments.sample) {
        (_, Some(count)) => {
            let sample = coverage.sample(count, arguments.seed);
            let noticed = if arguments.mutants { Some(run_mutants(&corpus, &sample)?) } else { None };
            output::print(&sample.text(noticed.as_ref(), width))?;
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

/// Runs the mutants on the cells of a sample. Returns the names of the mutants that each cell notices.
fn run_mutants(corpus: &Corpus, sample: &ItemSample<'_>) -> Result<BTreeMap<String, Vec<String>>> {
    let wanted: BTreeSet<&str> = sample.items.iter().flat_map(|item| item.cells()).collect();
    let cells: Vec<Cell<'_>> = corpus.cells().filter(|cell| wanted.contains(cell.id().as_str())).collect();
    let failure = |error: mutants::BaselineError| Failure::new(Exit::CellFailed, error.to_string());
    let _progress = Progress::of_activity("running the mutants");
    let baseline = Baseline::of(cells).map_err(failure)?;
    let all = mutants::all(&baseline);
    Ok(mutants::noticed_by_cell(&baseline, all))
}
