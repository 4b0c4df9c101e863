//! `skewer patch diff` and `skewer patch diff3`: patches that are created from documents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_engine::patch::{self, Overwrite, PatchContext, Precondition, ThreeWay, json_merge};
use skewer_engine::{Error, ErrorKind};

use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::{PATCH_EXIT_CODES, PatchContextArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{DocumentPair, InputDocument};

/// The kinds of patch that can be created from documents.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DiffType {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
}

/// The arguments of `skewer patch diff`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
pub(super) struct DiffArguments {
    /// Object before the change, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    original: PathBuf,
    /// Object after the change, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    modified: PathBuf,
    /// Format of the patch.
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t = DiffType::Strategic)]
    patch_type: DiffType,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

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
        Err(error) => Err(DocumentPair { base: Some(&original), other: &modified }.refusal(&error)),
    }
}

/// The arguments of `skewer patch diff3`.
#[derive(Debug, Args)]
#[command(after_help = PATCH_EXIT_CODES)]
pub(super) struct Diff3Arguments {
    /// Last-applied configuration, in JSON or YAML; - is standard input. Its fields that the modified configuration
    /// lacks are deleted.
    #[arg(long, value_name = "FILE")]
    last_applied: PathBuf,
    /// Modified configuration, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    modified: PathBuf,
    /// Live object, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    live: PathBuf,
    /// Refuse a patch that would overwrite changes that others made to the live object: such a change is a conflict. By
    /// default, it is overwritten, as by `kubectl apply`. A JSON merge patch always overwrites.
    #[arg(long)]
    no_overwrite: bool,
    /// Overwrite changes that others made to the live object, which is the default.
    #[arg(long, hide = true, overrides_with = "no_overwrite")]
    overwrite: bool,
    /// Refuse a patch that changes this field: kind, metadata.name. Can be given several times. kubectl apply uses
    /// apiVersion, kind and metadata.name.
    #[arg(long, value_name = "FIELD", value_parser = parse_precondition)]
    unchanged: Vec<Precondition>,
    /// Format of the patch.
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t = DiffType::Strategic)]
    patch_type: DiffType,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl Diff3Arguments {
    /// Returns whether the patch overwrites changes that others made to the live object.
    ///
    /// # Errors
    /// Fails if the type of the patch cannot refuse them.
    fn overwrite(&self) -> Result<Overwrite> {
        let refuses = self.no_overwrite && !self.overwrite;
        match self.patch_type {
            DiffType::Merge if refuses => Err(Failure::could_not_run(
                "--no-overwrite needs --type strategic: a JSON merge patch always overwrites, also that of kubectl apply",
            )),
            _ if refuses => Ok(Overwrite::No),
            _ => Ok(Overwrite::Yes),
        }
    }
}

fn parse_precondition(text: &str) -> std::result::Result<Precondition, String> {
    match text.split_once('.') {
        None if !text.is_empty() => Ok(Precondition::KeyUnchanged(text.into())),
        Some(("metadata", key)) if !key.is_empty() => Ok(Precondition::MetadataKeyUnchanged(key.into())),
        _ => {
            Err("expected a top-level field or a field of metadata, for example kind or metadata.name"
                .to_owned())
        }
    }
}

pub(super) fn diff3(arguments: &Diff3Arguments) -> Result {
    let overwrite = arguments.overwrite()?;
    let [last_applied, modified, live] =
        InputDocument::read_all([&arguments.last_applied, &arguments.modified, &arguments.live])?;
    let documents =
        ThreeWay { last_applied: &last_applied.value, modified: &modified.value, live: &live.value };
    let context = match arguments.patch_type {
        DiffType::Strategic => Some(arguments.context.load([&modified, &live, &last_applied])?),
        DiffType::Merge => None,
    };
    let result = match &context {
        Some(context) => patch::three_way(context, documents, overwrite, &arguments.unchanged),
        None => json_merge::three_way(documents, &arguments.unchanged),
    };
    match result {
        Ok(patch) => arguments.output.print(&patch, &modified).map(|()| Exit::Ok),
        Err(error) => {
            let not_an_object = [&last_applied, &modified, &live]
                .into_iter()
                .find(|document| document.value.as_map().is_none() && !document.value.is_null());
            let refused = not_an_object.filter(|_| error.kind() == ErrorKind::InvalidDocument);
            let pairs = [(&live, &modified), (&last_applied, &modified), (&last_applied, &live)];
            let pairs = pairs.map(|(base, other)| DocumentPair { base: Some(base), other });
            let of_pair =
                || pairs.into_iter().find_map(|pair| document_with(context.as_ref()?, pair, &error));
            Err(refused.or_else(of_pair).unwrap_or(&modified).refusal(&error))
        }
    }
}

/// Returns the document that has an error of a three-way patch, if the patch of two of the documents has this error.
fn document_with<'d>(
    context: &PatchContext,
    pair: DocumentPair<'d>,
    error: &Error,
) -> Option<&'d InputDocument> {
    let found = patch::two_way(context, &pair.base?.value, &pair.other.value).err()?;
    let is_same = found.kind() == error.kind() && found.path() == error.path();
    is_same.then(|| pair.document_with(&found))
}
