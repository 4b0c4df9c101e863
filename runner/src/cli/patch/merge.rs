//! `skewer patch merge`.

use std::path::{Path, PathBuf};

use clap::Args;
use skewer_engine::patch::{self, PatchContext};
use skewer_engine::{Error, OwnedDoc};

use super::super::document::{Document, OutputArguments};
use super::super::types::PatchContextArguments;
use super::super::{Failure, Result};
use super::EXIT_CODES;
use crate::exit::Exit;

/// The arguments of `skewer patch merge`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct MergeArguments {
    /// The patches in the order in which they would be applied, JSON or YAML; - is standard input.
    #[arg(value_name = "PATCH", required = true)]
    patches: Vec<PathBuf>,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// Carries the command out.
pub(super) fn merge(arguments: &MergeArguments) -> Result {
    let patches =
        Document::read_list(arguments.patches.iter().map(PathBuf::as_path).collect::<Vec<&Path>>())?;
    let context = arguments.context.load(&patches)?;
    let values: Vec<OwnedDoc> = patches.iter().map(|patch| patch.value.clone()).collect();
    match patch::combine(&context, &values) {
        Ok(merged) => arguments.output.print(&merged).map(|()| Exit::Ok),
        Err(error) => Err(blame(&context, &patches, &values, &error)),
    }
}

/// The patch to blame is the last of the fewest that cannot be merged.
fn blame(context: &PatchContext, patches: &[Document], values: &[OwnedDoc], error: &Error) -> Failure {
    let fewest = (1..values.len()).find(|count| patch::combine(context, &values[..*count]).is_err());
    let blamed = fewest.unwrap_or(values.len()) - 1;
    patches[blamed].refused(error)
}
