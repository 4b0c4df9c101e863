//! `skewer patch apply`.

use std::mem::take;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_engine::directive::{DirectiveSet, REGISTRY};
use skewer_engine::patch::{self, json_merge, json_patch};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};

use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::{PATCH_EXIT_CODES, PatchContextArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::input::InputDocument;
use crate::cli::output;

/// The arguments of `skewer patch apply`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
pub(super) struct ApplyArguments {
    /// Object to patch, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    original: PathBuf,
    /// Patch, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    patch: PathBuf,
    /// Format of the patch.
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t = PatchType::Strategic)]
    patch_type: PatchType,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PatchType {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902), with the behaviour of Kubernetes.
    Json,
}

/// Warns about directives in the patch that the profile does not know. They are applied as ordinary fields.
fn warn_of_unknown_directives(directives: &DirectiveSet, patch: &OwnedDoc) {
    let unknown = REGISTRY.iter().filter(|directive| !directives.knows(directive.name()));
    for directive in unknown.filter(|directive| has_key(patch, &|key| directive.is_own_key(key))) {
        let name = directive.name();
        output::error(&format!(
            "note: this profile does not know {name} and treats it as a field; --profile proposed knows it"
        ));
    }
}

fn has_key(value: &OwnedDoc, is_match: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Doc::Map(map) => map.iter().any(|(key, value)| is_match(key) || has_key(value, is_match)),
        Doc::List(items) => items.iter().any(|item| has_key(item, is_match)),
        _ => false,
    }
}

fn has_kind(object: &OwnedDoc) -> bool {
    let kind = object.as_map().and_then(|map| map.get("kind")).and_then(Doc::as_str);
    kind.is_some_and(|kind| !kind.is_empty())
}

pub(super) fn apply(arguments: &ApplyArguments) -> Result {
    let [mut original, mut patch] = InputDocument::read_all([&arguments.original, &arguments.patch])?;
    let (has_kind_before, is_map) = (original.kind().is_some(), original.value.as_map().is_some());
    // The values are moved, because a copy of a large document takes much memory.
    let result = match arguments.patch_type {
        PatchType::Strategic => {
            let context = arguments.context.load([&original, &patch])?;
            warn_of_unknown_directives(&context.directives, &patch.value);
            patch::apply_owned(&context, take(&mut original.value), take(&mut patch.value))
        }
        PatchType::Merge => json_merge::apply_owned(take(&mut original.value), take(&mut patch.value)),
        PatchType::Json => json_patch::apply(&original.value, &patch.value),
    };
    match result {
        // The upstream library returns an object without a kind, but every client and server refuses it.
        Ok(result) if has_kind_before && !has_kind(&result) => {
            let message = "the patch deletes the kind, which every Kubernetes object must have";
            Err(patch.refusal(&Error::new(ErrorKind::InvalidDocument, message)))
        }
        Ok(result) => arguments.output.print(&result, &original).map(|()| Exit::Ok),
        Err(error) if error.kind() == ErrorKind::UnsupportedPatchFormat => {
            Err(original.refusal(&error.at("kind")))
        }
        Err(error) if error.kind() == ErrorKind::InvalidDocument && !is_map => Err(original.refusal(&error)),
        Err(error) => Err(patch.refusal(&error)),
    }
}
