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
    let is_refused = |earlier: &usize| {
        let pair = [values[*earlier].clone(), values[index].clone()];
        patch::combine(context, &pair).is_err_and(|error| error.is_in_base())
    };
    // An error in the patches that were merged before is in one of them.
    let in_earlier = error.is_in_base().then(|| (0..index).rev().find(is_refused)).flatten();
    patches[in_earlier.unwrap_or(index)].refusal(error)
}
