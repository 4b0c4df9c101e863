//! `skewer patch diff`.

use std::path::PathBuf;

use clap::Args;
use skewer_engine::ErrorKind;
use skewer_engine::patch::{self, json_merge};

use super::arguments::{DiffType, EXIT_CODES};
use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::PatchContextArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::input::InputDocument;

/// The arguments of `skewer patch diff`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct DiffArguments {
    /// Object before the change, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    original: PathBuf,
    /// Object after the change, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    modified: PathBuf,
    /// Type of the patch.
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t = DiffType::Strategic)]
    patch_type: DiffType,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// Runs the command.
pub(super) fn diff(arguments: &DiffArguments) -> Result {
    let [original, modified] = InputDocument::read_all([&arguments.original, &arguments.modified])?;
    let result = match arguments.patch_type {
        DiffType::Strategic => {
            let context = arguments.context.load([&modified, &original])?;
            patch::two_way(&context, &original.value, &modified.value)
        }
        DiffType::Merge => json_merge::two_way(&original.value, &modified.value),
    };
    match result {
        Ok(patch) => arguments.output.print(&patch, &modified).map(|()| Exit::Ok),
        Err(error) if error.kind() == ErrorKind::InvalidDocument && original.value.as_map().is_none() => {
            Err(original.refusal(&error))
        }
        Err(error) => Err(modified.refusal(&error)),
    }
}
