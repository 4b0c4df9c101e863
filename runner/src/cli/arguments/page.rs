//! The arguments of the HTML report: links to case files, and properties of the run.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::Args;
use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use skewer_reports::{CitedDocument, PageOptions, SourceLink};

/// The help of `--source-link`. As a doc comment, the address would have to be a link.
const SOURCE_LINK_HELP: &str = "Link the case files of an HTML report to this address, in which {file} and {line} are \
                                replaced, such as https://example.com/blob/main/{file}#L{line}";

/// The argument that links case files.
#[derive(Debug, Args)]
pub(in crate::cli) struct SourceLinkArgument {
    #[arg(long, value_name = "ADDRESS", help = SOURCE_LINK_HELP)]
    source_link: Option<SourceLink>,
}

/// The arguments that add to the HTML report.
#[derive(Debug, Args)]
pub(in crate::cli) struct PageArguments {
    #[command(flatten)]
    source_link: SourceLinkArgument,
    /// Record a property of the run in the results file and the HTML report, such as commit=1a2b3c or date=2026-01-31.
    /// Can be given several times. Nothing is recorded by default, so that equal runs have equal reports.
    #[arg(long = "run-info", value_name = "KEY=VALUE")]
    run_info: Vec<RunProperty>,
}

/// A property of a run, which the user gives.
#[derive(Clone, Debug)]
struct RunProperty {
    key: String,
    value: String,
}

impl FromStr for RunProperty {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        if key.is_empty() || value.is_empty() {
            return Err("expected KEY=VALUE, with a key and a value");
        }
        Ok(RunProperty { key: key.to_owned(), value: value.to_owned() })
    }
}

impl PageArguments {
    /// Returns the properties of the run. The last value of a key counts.
    pub(in crate::cli) fn run_info(&self) -> BTreeMap<String, String> {
        self.run_info.iter().map(|RunProperty { key, value }| (key.clone(), value.clone())).collect()
    }

    /// Returns the additions to the HTML report.
    pub(in crate::cli) fn page_options(&self) -> PageOptions {
        self.source_link.page_options()
    }
}

impl SourceLinkArgument {
    /// Returns the additions to an HTML report: the link, and the design documents.
    pub(in crate::cli) fn page_options(&self) -> PageOptions {
        PageOptions { source_link: self.source_link.clone(), ..default_page_options() }
    }
}

/// Returns the additions to an HTML report without arguments: the design documents.
pub(in crate::cli) fn default_page_options() -> PageOptions {
    let document = |document: &skewer_cases::design_documents::DesignDocument| CitedDocument {
        name: document.name.to_owned(),
        title: document.title.to_owned(),
        address: document.address.map(str::to_owned),
    };
    PageOptions { documents: DESIGN_DOCUMENTS.iter().map(document).collect(), ..PageOptions::default() }
}
