//! `skewer patch conflicts`.

use std::path::PathBuf;

use clap::Args;
use skewer_engine::patch;

use super::super::document::Document;
use super::super::types::PatchContextArguments;
use super::super::{Result, output};
use super::EXIT_CODES;
use crate::exit::Exit;

/// The arguments of `skewer patch conflicts`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct ConflictsArguments {
    /// A patch, JSON or YAML; - is standard input.
    #[arg(value_name = "LEFT")]
    left: PathBuf,
    /// Another.
    #[arg(value_name = "RIGHT")]
    right: PathBuf,
    #[command(flatten)]
    context: PatchContextArguments,
}

/// Carries the command out.
pub(super) fn conflicts(arguments: &ConflictsArguments) -> Result {
    let [left, right] = Document::read_all([&arguments.left, &arguments.right])?;
    let context = arguments.context.load([&left, &right])?;
    match patch::find_conflict(&context, &left.value, &right.value) {
        Ok(Some(place)) if place.segments().is_empty() => {
            output::print("the patches conflict\n").map(|()| Exit::CellFailed)
        }
        Ok(Some(place)) => {
            output::print(&format!("the patches conflict at {place}\n")).map(|()| Exit::CellFailed)
        }
        Ok(None) => output::print("the patches do not conflict\n").map(|()| Exit::Ok),
        Err(error) => Err(left.refused(&error)),
    }
}
