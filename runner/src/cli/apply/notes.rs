//! The notes of `skewer apply` about the answer of a server.

use skewer_engine::patch::{LibraryChange, PatchLibrary};
use skewer_engine::server_side_apply::{Resource, VersionConversion};
use skewer_engine::{Error, OwnedText};
use skewer_execute::owners::split_owners;

use crate::cli::input::InputDocument;
use crate::cli::output;

/// Notes the owners of the live object in other versions than that of the request: those whose version the resource does not
/// have, so that the field manager has removed them, and those of a built-in kind, whose fields are not converted.
pub(crate) fn note_owners_in_other_versions(documents: &[InputDocument], resource: &Resource) {
    let Some(live) = documents.get(1) else { return };
    let sent = resource.versions.first().map(|version| version.api_version.as_str()).unwrap_or_default();
    for owner in split_owners(&live.value).1 {
        let Some(version) = owner.api_version.as_deref().filter(|version| *version != sent) else { continue };
        let what = if resource.version(version).is_none() {
            format!("loses its fields, because the resource has no version {version}")
        } else if resource.conversion == VersionConversion::SamePaths {
            format!(
                "is compared by paths: a field with another path in {version} than in {sent} is not found, and a server \
                 converts it"
            )
        } else {
            continue;
        };
        output::error(&format!("note: {}: {owner} {what}", live.name()));
    }
}

/// Notes the fields of the request that a server resets before it stores the object.
pub(crate) fn note_reset_fields(sent: Option<&InputDocument>, resource: &Resource) {
    let (Some(sent), Some(version)) = (sent, resource.versions.first()) else { return };
    let has_value = |path: &[OwnedText]| {
        path.iter().try_fold(&sent.value, |value, name| value.as_map()?.get(name)).is_some()
    };
    // Every document has metadata: its name is no change.
    let is_metadata = |path: &[OwnedText]| matches!(path, [only] if *only == *"metadata");
    let is_reset = |path: &&Vec<OwnedText>| !is_metadata(path) && has_value(path);
    for path in version.reset_fields.iter().filter(is_reset) {
        let path = path.join(".");
        output::error(&format!(
            "note: {}: a server ignores {path} in this request, so that it is not stored and has no owner",
            sent.name()
        ));
    }
}

/// Notes that an update is accepted although its owners cannot be computed, and what becomes of them. `document` has the error.
pub(crate) fn note_owners_not_computed(document: &InputDocument, error: &Error, library: PatchLibrary) {
    let what = if library.has(LibraryChange::OwnersKept) {
        "keeps the owners as they are; releases before 1.37 remove all owners"
    } else {
        "removes all owners; releases since 1.37 keep them as they are"
    };
    let (name, path, message) = (document.name(), error.path(), error.message());
    let at = if path.segments().is_empty() { String::new() } else { format!(" {path}:") };
    output::error(&format!("note: {name}:{at} {message}: a server accepts the update, and {what}"));
}
