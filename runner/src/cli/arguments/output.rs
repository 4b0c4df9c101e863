//! The argument that chooses the format of a document that is printed.

use clap::{Args, ValueEnum};
use skewer_cases::yaml;
use skewer_engine::OwnedDoc;

use crate::cli::failure::Result;
use crate::cli::output;

/// The output format of a document.
#[derive(Debug, Args)]
pub(in crate::cli) struct OutputArguments {
    /// How the result is written.
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    output: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Json,
    Yaml,
}

impl OutputArguments {
    /// Prints a document to standard output.
    pub(in crate::cli) fn print(&self, value: &OwnedDoc) -> Result<()> {
        match self.output {
            Format::Json => output::print_pretty_json(value),
            Format::Yaml => output::print(&yaml::write_manifest(value)),
        }
    }
}

/// Renders a document as JSON with a field on each line.
pub(in crate::cli) fn pretty_json(value: &OwnedDoc) -> String {
    // Writing to memory cannot fail, and the compact form says the same.
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()) + "\n"
}
