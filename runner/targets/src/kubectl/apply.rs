//! The patch that `kubectl apply` sends. kubectl creates it only for a server, so it gets one that has the live object and
//! records the patch.

use std::io;

use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::{Overwrite, PatchContext, Precondition};
use skewer_engine::schema::builtin::{self, ReleaseKind};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_skew::{BuiltIn, Operation, OperationKind, Role};

use super::errors::apply_failure;
use super::recording_server::{RecordingServer, ServedObject};
use super::subprocess::ProcessOutput;
use crate::OperationError;
use crate::failure::{crashed, unsupported};
use crate::library::{answer_in, is_same_answer};

/// The annotation in which kubectl keeps the configuration that it applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The documents of an operation.
const ROLES: [Role; 3] = [Role::LastApplied, Role::Modified, Role::Live];

/// The name of an object that has none. kubectl needs one.
const NAME: &str = "object";

/// The input of kubectl for an operation.
pub(super) struct ApplyRequest {
    object: ServedObject,
    manifest: OwnedDoc,
    content_type: &'static str,
    overwrite: bool,
}

impl ApplyRequest {
    /// Converts an operation for a kubectl of the release 1.`minor`. Fails with the reason why kubectl cannot perform it.
    pub(super) fn of(operation: &Operation<'_>, minor: u32) -> Result<Self, String> {
        let kind = kind_of(operation, minor)?;
        if operation.options().preconditions.iter().any(|condition| !is_checked_by_kubectl(condition)) {
            return Err("kubectl has preconditions of its own".to_owned());
        }
        let documents = ROLES.map(|role| operation.document(role));
        let name = documents.iter().find_map(|document| text_at(document, "name")).unwrap_or(NAME);
        let mut names = documents.iter().filter_map(|document| text_at(document, "name"));
        if names.any(|other| other != name) || text_at(documents[1], "resourceVersion").is_some() {
            return Err("kubectl itself compares names and resource versions".to_owned());
        }
        let [last_applied, manifest, mut live] = documents.map(|document| complete(document, &kind, name));
        if documents[0].as_map().is_none_or(|map| !map.is_empty()) {
            annotate(&mut live, last_applied.to_string());
        }
        check_same_answer(operation, [&last_applied, &manifest, &live])?;
        let (name, json) = (name.to_owned(), to_json(&live));
        let ObjectKind { api_version, kind, is_built_in } = kind;
        let content_type = if is_built_in {
            "application/strategic-merge-patch+json"
        } else {
            "application/merge-patch+json"
        };
        let overwrite = operation.options().overwrite == Overwrite::Yes || !is_built_in;
        let object = ServedObject { api_version, kind, name, json };
        Ok(ApplyRequest { object, manifest, content_type, overwrite })
    }

    /// Lets `run` run kubectl with arguments and an input, and returns the patch that kubectl sends. Without a difference,
    /// kubectl sends nothing.
    pub(super) fn send(
        self,
        run: impl FnOnce(&[&str], Vec<u8>) -> Result<ProcessOutput, OperationError>,
    ) -> Result<OwnedDoc, OperationError> {
        let no_server =
            |error: io::Error| crashed(format!("the server for kubectl cannot be started: {error}"));
        let server = RecordingServer::start(self.object).map_err(no_server)?;
        // Discovery is cached by address, and the port of another server can have been the same.
        let cache = tempfile::tempdir().map_err(no_server)?;
        let (address, cache) = (server.address(), cache.path().display().to_string());
        let overwrite = format!("--overwrite={}", self.overwrite);
        let arguments =
            ["apply", "-f", "-", "--validate=false", &overwrite, "--server", &address, "--cache-dir", &cache];
        let output = run(&arguments, to_json(&self.manifest))?;
        if !output.success {
            return Err(apply_failure(&output.stderr));
        }
        let Some(patch) = server.recorded() else { return Ok(Doc::Map(OwnedMap::new())) };
        if patch.content_type != self.content_type {
            return Err(unsupported(format!(
                "kubectl sends {}, not {}",
                patch.content_type, self.content_type
            )));
        }
        let patch = from_json(&patch.body)
            .map_err(|error| crashed(format!("the patch of kubectl is not a document: {error}")))?;
        Ok(without_last_applied(patch))
    }
}

struct ObjectKind {
    api_version: String,
    kind: String,
    is_built_in: bool,
}

/// Returns the kind of the objects, if kubectl treats them as the operation does.
fn kind_of(operation: &Operation<'_>, minor: u32) -> Result<ObjectKind, String> {
    if operation.kind() == OperationKind::JsonMergeThreeWay {
        let text = |key| operation.document(Role::Modified).as_map()?.get(key)?.as_str().map(str::to_owned);
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return Err("kubectl needs an object with apiVersion and kind".to_owned());
        };
        return Ok(ObjectKind { api_version, kind, is_built_in: false });
    }
    let context = operation.context();
    let Some((context, of_types)) = context.and_then(|c| Some((c, ReleaseKind::of(&c.schema, c.root)?)))
    else {
        return Err(
            "kubectl creates strategic merge patches only for built-in types, with its own types".to_owned()
        );
    };
    if of_types.release.minor() != minor
        && !has_same_answer_with_types_of(minor, operation, context, &of_types)
    {
        return Err(format!(
            "kubectl has the types of 1.{minor}, and not those of {}",
            of_types.release.name()
        ));
    }
    let (api_version, kind) = (of_types.api_version.to_owned(), of_types.kind.to_owned());
    Ok(ObjectKind { api_version, kind, is_built_in: true })
}

/// Returns true if the simulated operation has the same answer with the types of another release: the newest embedded one
/// that is not newer.
fn has_same_answer_with_types_of(
    minor: u32,
    operation: &Operation<'_>,
    context: &PatchContext,
    of_types: &ReleaseKind,
) -> bool {
    let Some(release) = builtin::releases().iter().rev().find(|release| release.minor() <= minor) else {
        return false;
    };
    let name = format!("{}/{}", of_types.api_version, of_types.kind);
    let root = release.resolve(&name).ok().and_then(|name| release.schema().named(name));
    root.is_some_and(|root| {
        let with_types = PatchContext { schema: release.schema().clone(), root, ..context.clone() };
        is_same_answer(&answer_in(operation, context), &answer_in(operation, &with_types))
    })
}

/// Returns true for the preconditions with which kubectl creates every patch.
fn is_checked_by_kubectl(precondition: &Precondition) -> bool {
    match precondition {
        Precondition::KeyUnchanged(key) => matches!(key.as_str(), "apiVersion" | "kind"),
        Precondition::MetadataKeyUnchanged(key) => key.as_str() == "name",
    }
}

/// Returns a text of the metadata of a document.
fn text_at<'d>(document: &'d OwnedDoc, key: &str) -> Option<&'d str> {
    document.as_map()?.get("metadata")?.as_map()?.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// Returns a document with what kubectl needs, where it is missing: version, kind and name.
fn complete(document: &OwnedDoc, kind: &ObjectKind, name: &str) -> OwnedDoc {
    let mut document = document.clone();
    let Doc::Map(map) = &mut document else { return document };
    for (key, value) in [("apiVersion", &kind.api_version), ("kind", &kind.kind)] {
        insert_if_missing(map, key, value.clone().into());
    }
    if let Some(metadata) = map_at(map, "metadata") {
        insert_if_missing(metadata, "name", name.to_owned().into());
    }
    document
}

fn annotate(object: &mut OwnedDoc, last_applied: String) {
    let Doc::Map(object) = object else { return };
    if let Some(annotations) = map_at(object, "metadata").and_then(|metadata| map_at(metadata, "annotations"))
    {
        annotations.insert(Text::from_static(LAST_APPLIED), last_applied.into());
    }
}

/// Returns the map at a key, which is created if there is nothing.
fn map_at<'m>(map: &'m mut OwnedMap, key: &'static str) -> Option<&'m mut OwnedMap> {
    insert_if_missing(map, key, Doc::Map(OwnedMap::new()));
    match map.get_mut(key) {
        Some(Doc::Map(value)) => Some(value),
        _ => None,
    }
}

fn insert_if_missing(map: &mut OwnedMap, key: &'static str, value: OwnedDoc) {
    if map.get(key).is_none() {
        map.insert(Text::from_static(key), value);
    }
}

/// Checks that the operation has the same answer with the documents that kubectl gets: what was added for kubectl, and its
/// annotation, must not matter. The order of `documents` is that of [`ROLES`].
fn check_same_answer(operation: &Operation<'_>, documents: [&OwnedDoc; 3]) -> Result<(), String> {
    let [last_applied, manifest, live] = documents.map(OwnedDoc::clone);
    let (mut manifest, mut live) = (manifest, live);
    annotate(&mut live, "old".to_owned());
    annotate(&mut manifest, "new".to_owned());
    let documents = [last_applied, manifest, live];
    let operands = ROLES.iter().zip(&documents).map(|(role, document)| (*role, document.into()));
    let given =
        Operation::new(operation.kind(), operation.context(), operands).map_err(|error| error.to_string())?;
    let given = BuiltIn::execute(&given.with_options(operation.options())).map(without_last_applied);
    if is_same_answer(&BuiltIn::execute(operation), &given) {
        return Ok(());
    }
    Err("kubectl needs a version, a kind and a name, and adds an annotation, with which the patch is another one".to_owned())
}

/// Returns a patch without the annotation that kubectl adds, and without the maps that it leaves empty.
fn without_last_applied(mut patch: OwnedDoc) -> OwnedDoc {
    let Doc::Map(root) = &mut patch else { return patch };
    if let Some(Doc::Map(metadata)) = root.get_mut("metadata") {
        let is_empty = match metadata.get_mut("annotations") {
            Some(Doc::Map(annotations)) => {
                annotations.remove(LAST_APPLIED).is_some() && annotations.is_empty()
            }
            _ => false,
        };
        if is_empty {
            metadata.remove("annotations");
            if metadata.is_empty() {
                root.remove("metadata");
            }
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_skew::OperationOptions;

    use super::*;

    fn json(text: &str) -> OwnedDoc {
        from_json(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case::only_that(r#"{"metadata":{"annotations":{"LAST":"x"}}}"#, "{}")]
    #[case::with_another_change(
        r#"{"a":1,"metadata":{"annotations":{"LAST":"x"},"b":2}}"#,
        r#"{"a":1,"metadata":{"b":2}}"#
    )]
    #[case::with_an_annotation(
        r#"{"metadata":{"annotations":{"LAST":"x","c":null}}}"#,
        r#"{"metadata":{"annotations":{"c":null}}}"#
    )]
    #[case::without_it(r#"{"metadata":{"annotations":{}}}"#, r#"{"metadata":{"annotations":{}}}"#)]
    fn the_annotation_of_kubectl_is_removed(#[case] patch: &str, #[case] expected: &str) {
        assert_eq!(without_last_applied(json(&patch.replace("LAST", LAST_APPLIED))), json(expected));
    }

    #[rstest]
    #[case::a_field(r#"{"spec":{"replicas":1}}"#, r#"{"spec":{"replicas":2}}"#, true)]
    #[case::an_annotation(
        r#"{"metadata":{"annotations":{"a":"b"}}}"#,
        r#"{"metadata":{"annotations":{"a":"c"}}}"#,
        true
    )]
    #[case::all_annotations(r#"{"metadata":{"annotations":{"a":"b"}}}"#, r#"{"metadata":{}}"#, false)]
    #[case::the_kind(r#"{"kind":"Deployment"}"#, "{}", false)]
    #[case::the_name(r#"{"metadata":{"name":"a"}}"#, r#"{"metadata":{"name":"b"}}"#, false)]
    fn what_kubectl_adds_must_not_matter(#[case] before: &str, #[case] after: &str, #[case] expected: bool) {
        let release = builtin::newest();
        let root = release.resolve("apps/v1/Deployment").unwrap();
        let context = PatchContext::of(release.schema().clone(), root).unwrap();
        let documents = [before, after, before].map(json);
        let operation = Operation::of_documents(OperationKind::ThreeWay, &context, &documents).unwrap();
        // Without `overwrite`, the annotation of kubectl is itself a conflict.
        let operation = operation
            .with_options(OperationOptions { overwrite: Overwrite::Yes, ..OperationOptions::default() });
        let request = ApplyRequest::of(&operation, release.minor());
        assert_eq!(request.is_ok(), expected, "{:?}", request.err());
    }
}
