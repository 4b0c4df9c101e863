//! `skewer patch apply`.

use std::mem::take;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skewer_engine::directive::{DirectiveSet, IntroducedIn, REGISTRY};
use skewer_engine::document::Text;
use skewer_engine::patch::{self, PatchContext, json_merge, json_patch};
use skewer_engine::{Doc, Error, ErrorKind, FieldPath, OwnedDoc, PathSegment};
use skewer_skew::{Decoder, ServedResource, UnknownFieldHandling, convert};

use crate::cli::arguments::admission::{self, AdmissionArguments, ObjectAdmission};
use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::{PATCH_EXIT_CODES, PatchContextArguments};
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::input::{DocumentPair, InputDocument};
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
    admission: AdmissionArguments,
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
        // A directive that shipped is known to newer releases, and another one only to who implements the proposal.
        let known_by = match directive.introduced_in() {
            IntroducedIn::Release(minor) => format!("servers know it since 1.{minor} (--profile kubernetes-1.{minor})"),
            _ => {
                "no server knows it, because it never shipped; --profile proposed shows what the proposal says".to_owned()
            }
        };
        output::error(&format!(
            "note: this profile does not know {name} and treats it as a field; {known_by}"
        ));
    }
}

/// Notes the first value of a patched object that does not fit its type. The object is printed as it was merged.
fn note_misfit(context: &PatchContext, object: &OwnedDoc) {
    let Err(error) = convert(context, object, Decoder::Json, UnknownFieldHandling::Refuse) else { return };
    let (path, message) = (error.path(), error.message());
    output::error(&match error.kind() {
        ErrorKind::StrictUnknownField => {
            format!("note: the patched object: a server drops {path}, which the type lacks")
        }
        _ => format!(
            "note: the patched object: a server refuses {path}, which does not fit its type: {message}"
        ),
    });
}

fn status(object: &OwnedDoc) -> Option<OwnedDoc> {
    object.as_map().and_then(|object| object.get("status").cloned())
}

/// Notes a new status of a patched object of a built-in kind. The object is printed as it was merged.
fn note_kept_status(context: &PatchContext, old: Option<&OwnedDoc>, object: &OwnedDoc) {
    let is_changed = status(object).as_ref() != old;
    if is_changed && ServedResource::new(context, None).has_status_subresource() {
        output::error(
            "note: the patched object: a server ignores status in this request, and stores that of the original",
        );
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
    let has_kind_before = original.kind().is_some();
    let admission = arguments.admission(&original, &patch)?;
    if let Some(admission) = &admission {
        original.value = admission.decode(&original.value).map_err(|error| original.refusal(&error))?;
    }
    let old = admission.is_some().then(|| original.value.clone());
    let old_status = status(&original.value);
    let built_in = arguments.built_in_context([&original, &patch]);
    // The values are moved, because a copy of a large document takes much memory.
    let result = match arguments.patch_type {
        PatchType::Strategic => {
            let context = arguments.context.load([&original, &patch])?;
            warn_of_unknown_directives(&context.directives, &patch.value);
            let result = patch::apply_owned(&context, take(&mut original.value), take(&mut patch.value));
            if let (Ok(result), false) = (&result, arguments.admission.no_admission) {
                note_misfit(&context, result);
            }
            result
        }
        PatchType::Merge => {
            let library = arguments.context.library()?;
            json_merge::apply_with(library, take(&mut original.value), take(&mut patch.value))
        }
        PatchType::Json => {
            json_patch::apply_with(arguments.context.library()?, &original.value, &patch.value)
        }
    };
    let documents = DocumentPair { base: Some(&original), other: &patch };
    match result {
        // The upstream library returns an object without a kind, but every client and server refuses it.
        Ok(result) if has_kind_before && !has_kind(&result) => {
            let message = "the patch deletes the kind, which every Kubernetes object must have";
            Err(patch.refusal(&Error::new(ErrorKind::InvalidDocument, message)))
        }
        Ok(result) => {
            let result = if let Some(admission) = &admission {
                if admission.keeps_status() && old.as_ref().and_then(status) != status(&result) {
                    output::error(&format!(
                        "note: {}: a server ignores status in this request, so that it is not stored",
                        patch.name()
                    ));
                }
                let decoded = admission.decode(&result).map_err(|error| vec![error]);
                let admitted = decoded.and_then(|decoded| admission.admit(old.as_ref(), decoded));
                admitted.map_err(|errors| admission::refusal(documents, &in_operations(errors, &patch)))?
            } else {
                if let Some(context) = built_in {
                    note_kept_status(&context, old_status.as_ref(), &result);
                }
                result
            };
            arguments.output.print(&result, &original).map(|()| Exit::Ok)
        }
        Err(error) if error.kind() == ErrorKind::UnsupportedPatchFormat => {
            Err(original.refusal(&error.at("kind")))
        }
        Err(error) => Err(documents.refusal(&error)),
    }
}

impl ApplyArguments {
    /// Returns the types of documents of a built-in kind.
    fn built_in_context(&self, documents: [&InputDocument; 2]) -> Option<PatchContext> {
        let is_admitted = !self.admission.no_admission;
        is_admitted.then(|| self.context.load_built_in(documents)).flatten()
    }

    /// Returns the admission of the patched object, if the types are those of a definition.
    fn admission(&self, original: &InputDocument, patch: &InputDocument) -> Result<Option<ObjectAdmission>> {
        // A custom resource does not support strategic merge patches.
        if matches!(self.patch_type, PatchType::Strategic) {
            return Ok(None);
        }
        let documents: &[&InputDocument] =
            if original.kind().is_some() { &[original] } else { &[original, patch] };
        let definition = self.context.load_definition(documents.iter().copied())?;
        self.admission.of(definition.as_ref(), "")
    }
}

/// Moves errors from the paths in an object to those in the operations of a JSON patch that wrote the values. Errors in other
/// values stay.
fn in_operations(errors: Vec<Error>, patch: &InputDocument) -> Vec<Error> {
    let Some(operations) = patch.value.as_list() else { return errors };
    let path_of = |operation: &OwnedDoc| Some(operation.as_map()?.get("path")?.as_str()?.to_owned());
    let pointers: Vec<Option<String>> = operations.iter().map(path_of).collect();
    let moved = |error: Error| {
        let segments = error.path().segments().to_vec();
        let origin = (0..pointers.len()).rev().find_map(|index| {
            let tokens: Vec<&str> = pointers[index].as_deref()?.split('/').skip(1).collect();
            let begins_path = tokens.len() <= segments.len()
                && tokens.iter().zip(&segments).all(|(token, segment)| names_segment(token, segment));
            begins_path.then_some((index, tokens.len()))
        });
        let Some((index, length)) = origin.filter(|_| !error.is_in_base()) else { return error };
        let mut target = FieldPath::root();
        target.push(PathSegment::Index(index));
        target.push(PathSegment::Key(Text::from_static("value")));
        segments.into_iter().skip(length).for_each(|segment| target.push(segment));
        error.with_path(Some(target))
    };
    errors.into_iter().map(moved).collect()
}

/// Returns true if a token of a JSON pointer names a segment of a path.
fn names_segment(token: &str, segment: &PathSegment) -> bool {
    match segment {
        PathSegment::Key(key) => token.replace("~1", "/").replace("~0", "~") == key.as_str(),
        PathSegment::Index(index) => token.parse() == Ok(*index),
    }
}
