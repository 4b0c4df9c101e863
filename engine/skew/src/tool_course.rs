//! The course of an apply: the requests that a tool sends for one object, one after the other.

use skewer_engine::document::{from_json, to_json};
use skewer_engine::error::ErrorKind;
use skewer_engine::server_side_apply::{CsaUpgrade, PathElement, upgrade_managed_fields};
use skewer_engine::{Doc, Error, OwnedDoc, OwnedMap, Text};

use super::apply_tool::{
    ApplyTool, ClientSideApply, KUBECTL, KUBECTL_LAST_APPLIED, LAST_APPLIED_ANNOTATION, ManagerPrefix,
    Migration, Sending,
};
use super::built_in::BuiltIn;
use super::operations::{Operand, Operation, OperationKind, Role};
use super::owner_entry::{entries, owners, with_entries};
use super::request::Request;
use super::role_reconciliation::reconciliation;
use super::stored_object::without_managed_fields;

/// A manifest that a tool applies to an object.
#[derive(Clone, Copy, Debug)]
pub struct ManifestApply<'a> {
    /// The manifest.
    pub manifest: &'a OwnedDoc,
    /// The manifest before, if it is known.
    pub previous: Option<&'a OwnedDoc>,
    /// Whether the tool has applied before.
    pub change: ToolChange,
    /// Whether the object is a custom resource.
    pub is_custom_resource: bool,
    /// Whether the user lets the tool take fields from other managers, if it has an option for it.
    pub force: bool,
}

/// Whether the tool applies for the first time, and another tool did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChange {
    /// The tool has applied before.
    Never,
    /// Another tool has applied before.
    Now,
    /// No tool has applied before.
    First,
}

/// A request that a tool sends.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// The request in words, such as `helm applies the manifest`.
    pub about: String,
    /// The kind of request.
    pub request: Request,
    /// The field manager.
    pub manager: String,
    /// Whether a server-side apply takes fields from other managers.
    pub force: bool,
    /// Whether the server refuses unknown fields (`fieldValidation=Strict`).
    pub is_strict: bool,
    /// The manifest, the apply configuration, or the whole object.
    pub document: OwnedDoc,
    /// Whether the server only says what the request would do.
    pub is_dry_run: bool,
    /// The manifest before. Only a client-side apply has one.
    pub last_applied: Option<OwnedDoc>,
}

impl ToolRequest {
    /// Creates a request that is not forced.
    #[must_use]
    pub fn new(about: impl Into<String>, request: Request, manager: &str, document: OwnedDoc) -> Self {
        ToolRequest {
            about: about.into(),
            request,
            manager: manager.to_owned(),
            force: false,
            is_strict: false,
            is_dry_run: false,
            document,
            last_applied: None,
        }
    }
}

/// A function that sends a request of a tool. It gets the object before the request, and returns the object after it, both
/// with managed fields.
pub type SendRequest<'s, E> = dyn FnMut(&ToolRequest, Option<&OwnedDoc>) -> Result<OwnedDoc, E> + 's;

impl ApplyTool {
    /// Lets the tool apply a manifest. `send` sends each request, and returns the object after it, with its managed fields.
    /// Returns the object after the last one.
    ///
    /// # Errors
    /// Fails with the first error of `send`. Fails with [`ErrorKind::AlreadyExists`] if the tool refuses to adopt the object.
    pub fn apply<E: From<Error>>(
        &self,
        apply: ManifestApply<'_>,
        live: Option<&OwnedDoc>,
        send: &mut SendRequest<'_, E>,
    ) -> Result<OwnedDoc, E> {
        if apply.change == ToolChange::First && live.is_some() && !self.adopts {
            let message = format!("{} does not take over an object that it has not created", self.name);
            return Err(Error::new(ErrorKind::AlreadyExists, message).into());
        }
        let reconciled = self.reconciliation(apply.manifest, live);
        let reconciled = reconciled.map(|request| send(&request, live)).transpose()?;
        let live = reconciled.as_ref().or(live);
        let request = self.request(apply, live);
        let updaters: Vec<&str> = match &self.migration {
            Migration::OfManagers(managers) if apply.change == ToolChange::Now => {
                managers.iter().map(String::as_str).collect()
            }
            Migration::AlwaysOfManagers(managers) => managers.to_vec(),
            _ => Vec::new(),
        };
        let tried = match self.migration {
            Migration::OfPrefixes(_) => {
                Some(send(&ToolRequest { is_dry_run: true, ..request.clone() }, live)?)
            }
            _ => None,
        };
        let migrated = live.and_then(|object| match self.migration {
            Migration::OfPrefixes(prefixes) => {
                let replaced = replace_managers(object, &self.manager, prefixes);
                Some(without_annotation(replaced.unwrap_or_else(|| object.clone())))
            }
            _ => upgraded(object, &updaters, &self.manager),
        });
        let migrated = migrated.filter(|migrated| Some(migrated) != live);
        if let (Some(tried), Some(live), None) = (&tried, live, &migrated)
            && without_bookkeeping(tried) == without_bookkeeping(live)
        {
            return Ok(live.clone());
        }
        let before = migrated.map(|migrated| send(&self.migration_request(migrated), live)).transpose()?;
        let object = send(&request, before.as_ref().or(live))?;
        if !matches!(self.migration, Migration::OfAnnotation | Migration::AlwaysOfManagers(_)) {
            return Ok(object);
        }
        let kept = self.annotation_request(&object).map(|request| send(&request, Some(&object)));
        let object = kept.transpose()?.unwrap_or(object);
        let updaters = owners_of_annotation(&object, "Update");
        let updaters: Vec<&str> = updaters.iter().map(String::as_str).collect();
        match upgraded(&object, &updaters, &self.manager).filter(|migrated| *migrated != object) {
            None => Ok(object),
            Some(migrated) => {
                let object = send(&self.migration_request(migrated), Some(&object))?;
                send(&request, Some(&object))
            }
        }
    }

    /// Returns the request of `kubectl auth reconcile`. `None` if the tool does not call it, or if it sends none.
    fn reconciliation(&self, manifest: &OwnedDoc, live: Option<&OwnedDoc>) -> Option<ToolRequest> {
        let manager = self.role_manager?;
        let (request, object) = reconciliation(manifest, live)?;
        let about = format!("{} reconciles the role or binding", self.name);
        Some(ToolRequest::new(about, request, manager, object))
    }

    /// Returns the request that changes the managed fields.
    fn migration_request(&self, migrated: OwnedDoc) -> ToolRequest {
        let about = format!("{} takes over the fields of earlier managers", self.name);
        ToolRequest::new(about, Request::Update, &self.manager, migrated)
    }

    /// Returns the request by which `kubectl apply --server-side` keeps the annotation of `kubectl apply`, which the server then
    /// keeps up to date. `None` if there is no annotation, if an applier owns it, or if the manager is not kubectl's own.
    /// Upstream: `saveLastApplyAnnotationIfNecessary` (k8s.io/kubectl, pkg/cmd/apply).
    fn annotation_request(&self, object: &OwnedDoc) -> Option<ToolRequest> {
        if self.manager != KUBECTL || !owners_of_annotation(object, "Apply").is_empty() {
            return None;
        }
        let members = object.as_map()?;
        let metadata = members.get("metadata")?.as_map()?;
        let text = metadata.get("annotations")?.as_map()?.get(LAST_APPLIED_ANNOTATION)?.clone();
        let part = |map: &OwnedMap, keys: [&'static str; 2]| {
            let kept =
                keys.into_iter().filter_map(|key| Some((Text::from_static(key), map.get(key)?.clone())));
            kept.collect::<OwnedMap>()
        };
        let mut document = part(members, ["apiVersion", "kind"]);
        document.insert("metadata".into(), Doc::Map(part(metadata, ["name", "namespace"])));
        let mut document = Doc::Map(document);
        metadata_map(&mut document, "annotations")?.insert(Text::from_static(LAST_APPLIED_ANNOTATION), text);
        let about = format!("{} keeps the annotation of kubectl apply", self.name);
        Some(ToolRequest::new(about, Request::ServerSideApply, KUBECTL_LAST_APPLIED, document))
    }

    /// Chooses the kind of request by what the tool sends, and by whether the object exists.
    fn request(&self, apply: ManifestApply<'_>, live: Option<&OwnedDoc>) -> ToolRequest {
        let manifest = &with_empty_texts(apply.manifest, self.marks);
        let mut request = ToolRequest::new(
            format!("{} applies the manifest", self.name),
            Request::Create,
            &self.manager,
            manifest.clone(),
        );
        match self.sending {
            Sending::ServerSideApply { force } => {
                request.request = Request::ServerSideApply;
                request.force = force || apply.force;
            }
            Sending::ClientSideApply(ClientSideApply::Annotation { is_strict }) => {
                request.is_strict = is_strict;
                request.document = with_annotation(manifest);
                request.last_applied = Some(live.and_then(last_applied).unwrap_or(Doc::Map(OwnedMap::new())));
                request.request = Request::ClientSideApply;
            }
            Sending::ClientSideApply(ClientSideApply::Stored) => {
                let mut previous = apply.previous.cloned().unwrap_or(Doc::Map(OwnedMap::new()));
                request.request = Request::ClientSideApply;
                // Both manifests have the maps with the entries of the tool, so that a patch does not remove the whole map.
                for map in self.marks.iter().filter(|_| live.is_some()) {
                    for manifest in [&mut previous, &mut request.document] {
                        metadata_map(manifest, map);
                    }
                }
                if let (true, Some(live)) = (apply.is_custom_resource, live) {
                    // The server merges the difference of the manifests into the live object.
                    let patch = json_merge(OperationKind::JsonMergeTwoWay, [&previous, &request.document]);
                    let live = without_managed_fields(live.clone());
                    request.document = patch
                        .and_then(|patch| json_merge(OperationKind::JsonMergeApply, [&live, &patch]))
                        .unwrap_or(live);
                    request.request = Request::JsonMergePatch;
                }
                request.last_applied = Some(previous);
            }
            Sending::Replace => request.request = Request::Update,
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
}

/// Returns the part of an object in which Flux looks for drift. Upstream: `ResourceManager.hasDrifted` (fluxcd/pkg, ssa).
fn without_bookkeeping(object: &OwnedDoc) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(members) = object.as_map_mut() {
        members.remove("status");
        if let Some(metadata) = members.get_mut("metadata").and_then(Doc::as_map_mut) {
            metadata.retain(|key, _| matches!(key.as_str(), "labels" | "annotations"));
        }
    }
    object
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
        entry.insert("fieldsV1".into(), from_json(fields?.to_json().as_bytes()).ok()?);
    }
    let others = all.iter().filter(|entry| !is_own(entry) && !is_replaced(entry)).cloned();
    Some(with_entries(object, others.chain([entry]).collect()))
}

/// Returns the managers that own the annotation of `kubectl apply` by an operation.
fn owners_of_annotation(object: &OwnedDoc, operation: &str) -> Vec<String> {
    let path = ["metadata", "annotations", LAST_APPLIED_ANNOTATION];
    let path = path.map(|name| PathElement::Field(Text::from_static(name)));
    let owners = owners(object).into_iter().filter(|owner| owner.operation.name() == operation);
    owners.filter(|owner| owner.fields.contains(&path)).map(|owner| owner.manager).collect()
}

/// Returns the manifest in the annotation of `kubectl apply`.
#[must_use]
pub fn last_applied(object: &OwnedDoc) -> Option<OwnedDoc> {
    let annotations = object.as_map()?.get("metadata")?.as_map()?.get("annotations")?.as_map()?;
    from_json(annotations.get(LAST_APPLIED_ANNOTATION)?.as_str()?.as_bytes()).ok()
}

/// Adds the annotation of `kubectl apply` to a manifest. Upstream: `util.GetModifiedConfiguration`.
fn with_annotation(manifest: &OwnedDoc) -> OwnedDoc {
    let mut text = String::from_utf8_lossy(&to_json(manifest)).into_owned();
    text.push('\n');
    let mut annotated = manifest.clone();
    if let Some(annotations) = metadata_map(&mut annotated, "annotations") {
        annotations.insert(Text::from_static(LAST_APPLIED_ANNOTATION), Doc::String(Text::from(text)));
    }
    annotated
}

/// Returns a map of the metadata, which is created if it does not exist.
fn metadata_map<'d>(object: &'d mut OwnedDoc, map: &'static str) -> Option<&'d mut OwnedMap> {
    ["metadata", map]
        .into_iter()
        .try_fold(object, |object, key| {
            let members = object.as_map_mut()?;
            if members.get(key).is_none_or(Doc::is_null) {
                members.insert(Text::from_static(key), Doc::Map(OwnedMap::new()));
            }
            members.get_mut(key)
        })?
        .as_map_mut()
}

/// Returns a manifest with an empty text for each null in these maps of the metadata.
fn with_empty_texts(manifest: &OwnedDoc, maps: &[&str]) -> OwnedDoc {
    let mut manifest = manifest.clone();
    let metadata = manifest.as_map_mut().and_then(|manifest| manifest.get_mut("metadata")?.as_map_mut());
    let maps =
        metadata.into_iter().flat_map(OwnedMap::iter_mut).filter(|(key, _)| maps.contains(&key.as_str()));
    for (_, value) in maps.filter_map(|(_, map)| map.as_map_mut()).flat_map(OwnedMap::iter_mut) {
        if value.is_null() {
            *value = Doc::String(Text::from_static(""));
        }
    }
    manifest
}

fn without_annotation(mut object: OwnedDoc) -> OwnedDoc {
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut());
    if let Some(annotations) = metadata.and_then(|metadata| metadata.get_mut("annotations")?.as_map_mut()) {
        annotations.remove(LAST_APPLIED_ANNOTATION);
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flux_merges_the_fields_of_all_managers_that_it_replaces() {
        let object = from_json(
            br#"{"metadata":{"managedFields":[
              {"manager":"kustomize-controller","operation":"Apply","fieldsV1":{"f:a":{}}},
              {"manager":"kubectl-edit","operation":"Update","fieldsV1":{"f:b":{}}},
              {"manager":"kubectl","operation":"Update","subresource":"scale","fieldsV1":{"f:c":{}}},
              {"manager":"before-first-apply","operation":"Update","fieldsV1":{"f:d":{}}}]}}"#,
        )
        .expect("valid JSON");
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

    #[test]
    fn a_null_is_an_empty_text_where_a_tool_adds_metadata_of_its_own() {
        let manifest = from_json(br#"{"metadata":{"labels":{"a":null},"annotations":{"b":null,"c":"d"}}}"#);
        let manifest = manifest.expect("valid JSON");
        let sent = |name| {
            let tool = ApplyTool::named(name).expect("a tool");
            with_empty_texts(&manifest, tool.marks).to_string()
        };
        let with = |label, annotation| {
            format!(
                r#"{{"metadata":{{"annotations":{{"b":{annotation},"c":"d"}},"labels":{{"a":{label}}}}}}}"#
            )
        };
        let found = ["helm3", "kubectl-csa", "controller-apply"].map(sent);
        assert_eq!(found, [with("\"\"", "\"\""), with("null", "\"\""), with("null", "null")]);
    }
}
