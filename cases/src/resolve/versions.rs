//! Converts the API versions that a case declares to a resource of the engine.

use skewer_engine::patch::PatchContext;
use skewer_engine::server_side_apply::{Rename, Resource, ResourceVersion};
use skewer_engine::{Doc, OwnedText};
use skewer_skew::Role;
use skewer_yaml::{Diagnostics, Spanned};

use super::contributions::Contributions;
use super::documents::has_path;
use crate::format::{RenameSpec, VersionSpec};

/// Converts the versions of a case. `context_of` returns the context of objects of a root type; `None` stands for the
/// root type of the schema. Returns `None` after reporting an error.
pub(super) fn resolve_versions(
    specs: &Spanned<Vec<VersionSpec>>,
    mut context_of: impl FnMut(Option<&Spanned<String>>) -> Option<PatchContext>,
    diagnostics: &Diagnostics,
) -> Option<Resource> {
    if specs.is_empty() {
        diagnostics
            .error(specs.span, "the resource has no version")
            .help("list at least the version of the request, or remove `versions`");
        return None;
    }
    let errors_before = diagnostics.len();
    let mut versions: Vec<ResourceVersion> = Vec::new();
    for spec in &specs.value {
        check_api_version(&spec.api_version, &versions, diagnostics);
        let context = context_of(spec.root.as_ref())?;
        let path = |path: &Spanned<String>| resolve_path(path, diagnostics).unwrap_or_default();
        let rename = |rename: &RenameSpec| Rename { hub: path(&rename.hub), version: path(&rename.version) };
        versions.push(ResourceVersion {
            api_version: spec.api_version.as_str().into(),
            root: context.root,
            schema: context.schema,
            renames: spec.renames.iter().map(rename).collect(),
            reset_fields: spec.reset_fields.iter().map(path).collect(),
        });
    }
    if diagnostics.len() == errors_before {
        for (spec, version) in specs.value.iter().zip(&versions) {
            check_paths(spec, version, &versions, diagnostics);
        }
    }
    (diagnostics.len() == errors_before).then_some(Resource::new(versions))
}

/// Reports a text that is no API version, and a version that is declared twice.
fn check_api_version(name: &Spanned<String>, versions: &[ResourceVersion], diagnostics: &Diagnostics) {
    if name.matches('/').count() > 1 || name.split('/').any(str::is_empty) {
        diagnostics
            .error(name.span, format!("`{name}` is no API version"))
            .help("write `group/version`, such as `apps/v1`, or `version` for the core group");
    } else if versions.iter().any(|version| version.api_version == *name.as_str()) {
        diagnostics
            .error(name.span, format!("the version `{name}` is declared twice"))
            .help("a resource has each version once: remove one of them");
    }
}

fn resolve_path(path: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Vec<OwnedText>> {
    if path.contains(['[', ']']) || path.split('.').any(str::is_empty) {
        diagnostics
            .error(path.span, format!("`{path}` is not a path of field names"))
            .help("write names with dots between them, such as `spec.replicas`: a conversion moves no items of lists");
        return None;
    }
    Some(path.split('.').map(OwnedText::from).collect())
}

/// Reports paths that no object can have: a conversion would move nothing, and the case would test nothing.
fn check_paths(
    spec: &VersionSpec,
    version: &ResourceVersion,
    versions: &[ResourceVersion],
    diagnostics: &Diagnostics,
) {
    let of_version =
        |path: &Spanned<String>, version: &ResourceVersion| has_path(path, &version.schema, version.root);
    let report = |path: &Spanned<String>, of: &str| {
        diagnostics
            .error(path.span, format!("objects of {of} have no field `{path}`"))
            .help("correct the path, or name the type of the version with `root`");
    };
    let in_version = spec.renames.iter().map(|rename| &rename.version).chain(&spec.reset_fields);
    for path in in_version.filter(|path| !of_version(path, version)) {
        report(path, &spec.api_version);
    }
    for hub in spec.renames.iter().map(|rename| &rename.hub) {
        let mut others = versions.iter().filter(|other| other.api_version != version.api_version);
        if !others.any(|other| of_version(hub, other)) {
            report(hub, "the other versions");
        }
    }
}

/// Reports a request whose API version the case does not declare.
pub(super) fn check_sent_versions(
    specs: &Spanned<Vec<VersionSpec>>,
    contributions: &Contributions,
    diagnostics: &Diagnostics,
) {
    let is_declared = |sent: &str| specs.iter().any(|version| version.api_version.value == sent);
    for role in [Role::Configuration, Role::New] {
        let documents = contributions.all().filter_map(|setting| setting.documents.get(&role));
        let sent =
            documents.filter_map(|document| document.as_map()?.get("apiVersion").and_then(Doc::as_str));
        let mut unknown: Vec<&str> = sent.filter(|sent| !is_declared(sent)).collect();
        unknown.dedup();
        for sent in unknown {
            let names: Vec<&str> = specs.iter().map(|version| version.api_version.as_str()).collect();
            diagnostics
                .error(
                    specs.span,
                    format!("the `{role}` has the version `{sent}`, which the resource does not have"),
                )
                .help(format!(
                    "add it to `versions` (which has {}): a server has no endpoint for another version",
                    names.join(", ")
                ));
        }
    }
}
