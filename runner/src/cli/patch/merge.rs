//! `skewer patch merge`.

use std::path::{Path, PathBuf};

use clap::Args;
use skewer_engine::patch::{self, PatchContext};
use skewer_engine::{Error, OwnedDoc};

use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::{PATCH_EXIT_CODES, PatchContextArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputDocument;

/// The arguments of `skewer patch merge`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
pub(super) struct MergeArguments {
    /// Patches in the order of their application, in JSON or YAML; - is standard input.
    #[arg(value_name = "PATCH", required = true)]
    patches: Vec<PathBuf>,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result {
    let mut patches =
        InputDocument::read_list(arguments.patches.iter().map(PathBuf::as_path).collect::<Vec<&Path>>())?;
    let context = arguments.context.load(&patches)?;
    let values: Vec<OwnedDoc> = patches.iter_mut().map(|patch| std::mem::take(&mut patch.value)).collect();
    match patch::combine(&context, &values) {
        Ok(merged) => arguments.output.print(&merged, &patches[0]).map(|()| Exit::Ok),
        Err(error) => Err(refuse_first_unmergeable(&context, &patches, &values, &error)),
    }
}

/// Creates the failure for the first patch that cannot be merged with the preceding patches.
fn refuse_first_unmergeable(
    context: &PatchContext,
    patches: &[InputDocument],
    values: &[OwnedDoc],
    error: &Error,
) -> Failure {
    let mergeable = (1..values.len()).find(|count| patch::combine(context, &values[..*count]).is_err());
    let index = mergeable.unwrap_or(values.len()) - 1;
    patches[index].refusal(error)
}
