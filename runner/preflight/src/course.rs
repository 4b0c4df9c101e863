//! The course of an apply: the requests that a tool sends for one object, one after the other.

use skewer_engine::document::{from_json, to_json};
use skewer_engine::server_side_apply::{CsaUpgrade, upgrade_managed_fields};
use skewer_engine::{Doc, Error, OwnedDoc, OwnedMap, Text};
use skewer_skew::{BuiltIn, Operand, Operation, OperationKind, Request, Role, without_managed_fields};

use crate::owners::{entries, owners, with_entries};
use crate::redact::MANIFEST_ANNOTATIONS;
use crate::request::{Answered, ToolRequest};
use crate::served::ServedKind;
use crate::tool::{ApplyTool, ClientSideApply, ManagerPrefix, Migration, Sending};

/// An object, and the manifest that a tool applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// The kind.
    pub served: &'a ServedKind,
    /// The live object with its managed fields. `None` if it does not exist.
    pub live: Option<&'a OwnedDoc>,
    /// The manifest.
    pub manifest: &'a OwnedDoc,
    /// The manifest before, if it is known.
    pub previous: Option<&'a OwnedDoc>,
}

/// The requests of a tool for one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// The requests, and what came of them.
    pub requests: Vec<Answered>,
    /// The object after them. `None` if it does not exist.
    pub object: Option<OwnedDoc>,
    /// The first refusal, which ends the course.
    pub refusal: Option<Error>,
}

/// Whether the tool applies for the first time, and another tool did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChange {
    /// The tool has applied before.
    Never,
    /// Another tool has applied before.
    Now,
}

impl Course {
    fn send(&mut self, served: &ServedKind, request: ToolRequest) {
        if self.refusal.is_some() {
            return;
        }
        let answered = request.send(served, self.object.as_ref());
        match &answered.end {
            Ok(object) => self.object = Some(object.clone()),
            Err(error) => self.refusal = Some(error.clone()),
        }
        self.requests.push(answered);
    }
}

/// Lets a tool apply a manifest.
#[must_use]
pub fn apply(tool: &ApplyTool, applied: Applied<'_>, change: ToolChange) -> Course {
    let mut course = Course { object: applied.live.cloned(), ..Course::default() };
    let request = tool.request(applied);
    let updaters: Vec<&str> = match &tool.migration {
        Migration::OfManagers(managers) if change == ToolChange::Now => {
            managers.iter().map(String::as_str).collect()
        }
        Migration::AlwaysOfManagers(managers) => managers.to_vec(),
        _ => Vec::new(),
    };
    if let Migration::OfPrefixes(_) = tool.migration {
        // The refusal of a dry run is that of the request.
        let dry_run = request.clone().send(applied.served, course.object.as_ref());
        if let Err(error) = &dry_run.end {
            course.refusal = Some(error.clone());
            course.requests.push(dry_run);
        }
    }
    if let Some(object) = course.object.clone() {
        let migrated = match tool.migration {
            Migration::OfPrefixes(prefixes) => {
                let replaced = replace_managers(&object, &tool.manager, prefixes);
                Some(without_annotation(replaced.unwrap_or_else(|| object.clone())))
            }
            _ => upgraded(&object, &updaters, &tool.manager),
        };
        tool.migrate(&mut course, applied.served, migrated);
    }
    course.send(applied.served, request.clone());
    if let (Migration::OfAnnotation | Migration::AlwaysOfManagers(_), Some(object)) =
        (&tool.migration, course.object.clone())
    {
        let updaters = owners_of_annotation(&object);
        let updaters: Vec<&str> = updaters.iter().map(String::as_str).collect();
        let sent = course.requests.len();
        tool.migrate(&mut course, applied.served, upgraded(&object, &updaters, &tool.manager));
        if course.requests.len() > sent {
            course.send(applied.served, request);
        }
    }
    course
}

impl ApplyTool {
    /// Returns the request that applies a manifest.
    fn request(&self, applied: Applied<'_>) -> ToolRequest {
        let Applied { live, manifest, .. } = applied;
        let mut request = ToolRequest::new(
            format!("{} applies the manifest", self.name),
            Request::Create,
            &self.manager,
            manifest.clone(),
        );
        match self.sending {
            Sending::ServerSideApply { force } => {
                request.request = Request::ServerSideApply;
                request.force = force;
            }
            Sending::ClientSideApply(ClientSideApply::Annotation { is_strict }) => {
                request.is_strict = is_strict;
                request.document = with_annotation(manifest);
                request.last_applied = Some(live.and_then(last_applied).unwrap_or(Doc::Map(OwnedMap::new())));
                request.request = Request::ClientSideApply;
            }
            Sending::ClientSideApply(ClientSideApply::Stored) => {
                let previous = applied.previous.cloned().unwrap_or(Doc::Map(OwnedMap::new()));
                request.request = Request::ClientSideApply;
                if let (true, Some(live)) = (applied.served.client.context.custom_resource, live) {
                    // The server merges the difference of the manifests into the live object.
                    let patch = json_merge(OperationKind::JsonMergeTwoWay, [&previous, manifest]);
                    let live = without_managed_fields(live.clone());
                    request.document = patch
                        .and_then(|patch| json_merge(OperationKind::JsonMergeApply, [&live, &patch]))
                        .unwrap_or(live);
                    request.request = Request::JsonMergePatch;
                }
                request.last_applied = Some(previous);
            }
            Sending::Update | Sending::MergePatch => {
                if let Some(live) = live {
                    let live = without_managed_fields(live.clone());
                    request.document =
                        json_merge(OperationKind::JsonMergeApply, [&live, manifest]).unwrap_or(live);
                }
                let is_update = self.sending == Sending::Update;
                request.request = if is_update { Request::Update } else { Request::JsonMergePatch };
            }
        }
        if live.is_none() && request.request != Request::ServerSideApply {
            request.request = Request::Create;
        }
        request
    }

    /// Sends the request that changes the managed fields, if there is a change.
    fn migrate(&self, course: &mut Course, served: &ServedKind, migrated: Option<OwnedDoc>) {
        let Some(migrated) = migrated.filter(|migrated| Some(migrated) != course.object.as_ref()) else {
            return;
        };
        course.send(
            served,
            ToolRequest::new(
                format!("{} takes over the fields of earlier managers", self.name),
                Request::Update,
                &self.manager,
                migrated,
            ),
        );
    }
}

/// Performs an operation of JSON merge patches on two documents.
fn json_merge(kind: OperationKind, documents: [&OwnedDoc; 2]) -> Option<OwnedDoc> {
    let roles = match kind {
        OperationKind::JsonMergeTwoWay => [Role::Original, Role::Modified],
        _ => [Role::Live, Role::Patch],
    };
    let operands = roles.into_iter().zip(documents.map(Operand::from));
    let operation = Operation::new(kind, None, operands).ok()?;
    BuiltIn::execute(&operation).ok()
}

/// Gives an applier what updaters own. `None` if none of them owns anything, or if the managed fields cannot be read.
fn upgraded(object: &OwnedDoc, updaters: &[&str], applier: &str) -> Option<OwnedDoc> {
    if !owners(object).iter().any(|owner| owner.is_update_of(updaters)) {
        return None;
    }
    upgrade_managed_fields(object, CsaUpgrade { updaters, applier, subresource: "" }).ok()
}

/// Gives an applier what managers with these names own. Upstream: `PatchReplaceFieldsManagers` (fluxcd/pkg, ssa).
fn replace_managers(object: &OwnedDoc, applier: &str, prefixes: &[ManagerPrefix]) -> Option<OwnedDoc> {
    let text = |entry: &OwnedDoc, key: &str| {
        entry.as_map().and_then(|entry| entry.get(key)?.as_str()).unwrap_or_default().to_owned()
    };
    let is_replaced = |entry: &OwnedDoc| {
        text(entry, "subresource").is_empty()
            && prefixes.iter().any(|known| {
                text(entry, "manager").starts_with(known.prefix)
                    && text(entry, "operation") == known.operation
            })
    };
    let is_own = |entry: &OwnedDoc| text(entry, "manager") == applier && text(entry, "operation") == "Apply";
    let all = entries(object);
    if !all.iter().any(is_replaced) {
        return None;
    }
    // The first entry becomes that of the applier, unless it has one, and gets the fields of all others.
    let target =
        all.iter().find(|entry| is_own(entry)).or_else(|| all.iter().find(|entry| is_replaced(entry)))?;
    let merged: Vec<&OwnedDoc> = all.iter().filter(|entry| is_own(entry) || is_replaced(entry)).collect();
    let mut fields = None;
    for owner in owners(&with_entries(object, merged.into_iter().cloned().collect())) {
        fields = Some(match fields.take() {
            None => owner.fields,
            Some(before) => owner.fields.union(before),
        });
    }
    let mut entry = target.clone();
    if let Some(entry) = entry.as_map_mut() {
        entry.insert("manager".into(), Doc::String(Text::from(applier.to_owned())));
        entry.insert("operation".into(), Doc::String(Text::from_static("Apply")));
        entry.insert("fieldsV1".into(), Doc::String(Text::from(fields?.to_json())));
    }
    let others = all.iter().filter(|entry| !is_own(entry) && !is_replaced(entry)).cloned();
    Some(with_entries(object, others.chain([entry]).collect()))
}

/// Returns the updaters that own the annotation of `kubectl apply`.
fn owners_of_annotation(object: &OwnedDoc) -> Vec<String> {
    use skewer_engine::server_side_apply::PathElement;
    let path = ["metadata", "annotations", MANIFEST_ANNOTATIONS[0]];
    let path = path.map(|name| PathElement::Field(Text::from_static(name)));
    let owners = owners(object).into_iter().filter(|owner| owner.operation.name() == "Update");
    owners.filter(|owner| owner.fields.contains(&path)).map(|owner| owner.manager).collect()
}

/// Returns the manifest in the annotation of `kubectl apply`.
#[must_use]
pub fn last_applied(object: &OwnedDoc) -> Option<OwnedDoc> {
    let annotations = object.as_map()?.get("metadata")?.as_map()?.get("annotations")?.as_map()?;
    from_json(annotations.get(MANIFEST_ANNOTATIONS[0])?.as_str()?.as_bytes()).ok()
}

/// Adds the annotation of `kubectl apply` to a manifest. Upstream: `util.GetModifiedConfiguration`.
fn with_annotation(manifest: &OwnedDoc) -> OwnedDoc {
    let mut text = String::from_utf8_lossy(&to_json(manifest)).into_owned();
    text.push('\n');
    let mut annotated = manifest.clone();
    let mut map = Some(&mut annotated);
    for key in ["metadata", "annotations"] {
        map = map.and_then(Doc::as_map_mut).and_then(|map| {
            if map.get(key).is_none_or(Doc::is_null) {
                map.insert(Text::from_static(key), Doc::Map(OwnedMap::new()));
            }
            map.get_mut(key)
        });
    }
    if let Some(annotations) = map.and_then(Doc::as_map_mut) {
        annotations.insert(Text::from_static(MANIFEST_ANNOTATIONS[0]), Doc::String(Text::from(text)));
    }
    annotated
}

fn without_annotation(mut object: OwnedDoc) -> OwnedDoc {
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut());
    if let Some(annotations) = metadata.and_then(|metadata| metadata.get_mut("annotations")?.as_map_mut()) {
        annotations.remove(MANIFEST_ANNOTATIONS[0]);
    }
    object
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::yaml;
    use skewer_engine::schema::builtin;

    use super::*;
    use crate::served::{KindVersion, ServedKinds};

    const LIVE: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","old":"1"}}
  managedFields:
    - {manager: helm, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:z': {}}}}
    - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1,
       fieldsV1: {'f:data': {'f:x': {}, 'f:old': {}}, 'f:metadata': {'f:annotations': {'f:kubectl.kubernetes.io/last-applied-configuration': {}}}}}
data: {x: "1", old: "1", z: "1"}
"#;

    const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1'}\n";

    fn document(text: &str) -> OwnedDoc {
        yaml::read_manifest("", text.as_bytes()).expect("valid YAML")
    }

    /// Returns the requests of a tool in words, and the keys of the object after them.
    fn course_of(tool: &str, change: ToolChange) -> (Vec<String>, Vec<String>) {
        let version = KindVersion { request: "v1".into(), kind: "ConfigMap".into(), stored: "v1".into() };
        let served = ServedKinds::of(builtin::newest()).get(&version).expect("a built-in kind");
        let (live, manifest) = (document(LIVE), document(MANIFEST));
        let previous = document(&MANIFEST.replace("x: '1'", "x: '1', z: '1'"));
        let applied =
            Applied { served: &served, live: Some(&live), manifest: &manifest, previous: Some(&previous) };
        let course = apply(&ApplyTool::named(tool).expect("a tool"), applied, change);
        let requests = course.requests.iter().map(|answered| {
            let ToolRequest { request, manager, force, .. } = &answered.request;
            format!("{} {manager}{}", request.name(), if *force { " forced" } else { "" })
        });
        let object = course.object.expect("the object exists");
        let data = object.as_map().and_then(|object| object.get("data")?.as_map()).expect("it has data");
        (requests.collect(), data.keys().map(ToString::to_string).collect())
    }

    #[rstest]
    #[case::applies_and_takes_over_the_owner_of_the_annotation(
        "kubectl", ToolChange::Never,
        &["server-side-apply kubectl", "update kubectl", "server-side-apply kubectl"], &["x", "z"]
    )]
    #[case::removes_what_the_annotation_has("kubectl-csa", ToolChange::Never,
        &["client-side-apply kubectl-client-side-apply"], &["x", "z"])]
    #[case::removes_what_the_last_release_had("helm3", ToolChange::Never, &["client-side-apply helm"], &["old", "x"])]
    #[case::takes_over_nothing("helm4", ToolChange::Never, &["server-side-apply helm"], &["old", "x", "z"])]
    #[case::takes_over_its_own_updates("helm4", ToolChange::Now, &["update helm", "server-side-apply helm"], &["old", "x"])]
    #[case::takes_over_all_of_kubectl("flux", ToolChange::Never,
        &["update kustomize-controller", "server-side-apply kustomize-controller forced"], &["x", "z"])]
    #[case::has_a_manager_of_its_own("argocd", ToolChange::Never, &["client-side-apply argocd-controller"], &["x", "z"])]
    #[case::takes_over_kubectl_first("argocd-ssa", ToolChange::Never,
        &["update argocd-controller", "server-side-apply argocd-controller forced"], &["x", "z"])]
    #[case::takes_over_kubectl_last("argocd-3.0-ssa", ToolChange::Never,
        &["server-side-apply argocd-controller forced", "update argocd-controller",
          "server-side-apply argocd-controller forced"], &["x", "z"])]
    #[case::sends_the_whole_object("controller-update", ToolChange::Never, &["update controller"], &["old", "x", "z"])]
    #[case::sends_its_fields("controller-patch", ToolChange::Never, &["json-merge-patch controller"], &["old", "x", "z"])]
    #[case::applies("controller-apply", ToolChange::Now, &["server-side-apply controller forced"], &["old", "x", "z"])]
    fn a_tool_sends_its_requests(
        #[case] tool: &str,
        #[case] change: ToolChange,
        #[case] requests: &[&str],
        #[case] keys: &[&str],
    ) {
        let (sent, left) = course_of(tool, change);
        assert_eq!(
            (sent, left),
            (
                requests.iter().map(ToString::to_string).collect(),
                keys.iter().map(ToString::to_string).collect()
            )
        );
    }

    #[test]
    fn flux_merges_the_fields_of_all_managers_that_it_replaces() {
        let object = document(
            "metadata:\n  managedFields:\n  - {manager: kustomize-controller, operation: Apply, fieldsV1: {'f:a': {}}}\n  - \
             {manager: kubectl-edit, operation: Update, fieldsV1: {'f:b': {}}}\n  - {manager: kubectl, operation: Update, \
             subresource: scale, fieldsV1: {'f:c': {}}}\n  - {manager: before-first-apply, operation: Update, fieldsV1: {'f:d': \
             {}}}\n",
        );
        let Migration::OfPrefixes(prefixes) = ApplyTool::named("flux").expect("a tool").migration else {
            panic!()
        };
        let replaced = replace_managers(&object, "kustomize-controller", prefixes).expect("a change");
        let owned: Vec<(String, Vec<String>)> =
            owners(&replaced).iter().map(|owner| (owner.name(), owner.fields.paths())).collect();
        let expected = [
            ("kubectl (Update, subresource scale)".to_owned(), vec![".c".to_owned()]),
            ("kustomize-controller (Apply)".to_owned(), [".a", ".b", ".d"].map(str::to_owned).to_vec()),
        ];
        assert_eq!(owned, expected);
    }
}
