//! `skewer patch conflicts`.

use std::path::PathBuf;

use clap::Args;
use skewer_engine::patch;

use crate::cli::arguments::patch_context::{PATCH_EXIT_CODES, PatchContextArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::input::{DocumentPair, InputDocument};
use crate::cli::output;

/// The arguments of `skewer patch conflicts`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
pub(super) struct ConflictsArguments {
    /// First patch, in JSON or YAML; - is standard input.
    #[arg(value_name = "LEFT")]
    left: PathBuf,
    /// Second patch, in JSON or YAML; - is standard input.
    #[arg(value_name = "RIGHT")]
    right: PathBuf,
    #[command(flatten)]
    context: PatchContextArguments,
}

pub(super) fn conflicts(arguments: &ConflictsArguments) -> Result {
    let [left, right] = InputDocument::read_all([&arguments.left, &arguments.right])?;
    let context = arguments.context.load([&left, &right])?;
    match patch::find_conflict(&context, &left.value, &right.value) {
        Ok(Some(path)) if path.segments().is_empty() => {
            output::print("the patches conflict\n").map(|()| Exit::CellFailed)
        }
        Ok(Some(path)) => {
            output::print(&format!("the patches conflict at {path}\n")).map(|()| Exit::CellFailed)
        }
        Ok(None) => output::print("the patches do not conflict\n").map(|()| Exit::Ok),
        Err(error) => Err(DocumentPair { base: Some(&left), other: &right }.refusal(&error)),
    }
}
