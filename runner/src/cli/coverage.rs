//! `skewer coverage`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use skewer_cases::design_documents::DESIGN_DOCUMENTS;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output::{self, Stream};
use crate::coverage::Coverage;

/// The arguments of `skewer coverage`.
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
    let mut coverage = Coverage::of(&arguments.corpus.load()?);
    if let Some(document) = &arguments.document {
        coverage.retain_document(document);
    }
    let width = Stream::Output.style().width;
    match (arguments.format, arguments.sample) {
        (_, Some(count)) => output::print(&coverage.sample_text(count, arguments.seed, width))?,
        (FormatArgument::Text, None) if arguments.items => {
            output::print(&(coverage.item_list(width) + "\n" + &coverage.text(width)))?;
        }
        (FormatArgument::Text, None) => output::print(&coverage.text(width))?,
        (FormatArgument::Markdown, None) => output::print(&coverage.markdown())?,
        (FormatArgument::Json, None) => output::print_json(&coverage)?,
    }
    Ok(if coverage.has_faults() { Exit::CellFailed } else { Exit::Ok })
}
