//! The documents of a case and those of a server: an object of a server has a name, a namespace, an API version of the
//! run, and metadata that the server sets.

use skewer_engine::document::from_json;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_skew::{Edit, LAST_APPLIED_ANNOTATION, LiveRequest, ReadObject, Request, RequestType, Scenario};

/// The metadata that the server sets. A case cannot say what it is.
pub const METADATA_OF_SERVER: [&str; 6] =
    ["uid", "creationTimestamp", "generation", "resourceVersion", "selfLink", "deletionTimestamp"];

const METADATA: &str = "metadata";

/// The name of an object that has none in the case.
const NAME: &str = "skewer";

/// The names of the object in the documents of a scenario.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is about another member, independent of the others")]
pub(super) struct ObjectNames {
    pub(super) name: String,
    kind: String,
    /// The API groups in the documents of the case, and on the server. Built-in types have the same in both.
    groups: [String; 2],
    /// Members that the documents of the case have.
    has_kind: bool,
    has_api_version: bool,
    has_metadata: bool,
    has_name: bool,
    namespace: Option<OwnedDoc>,
}

impl ObjectNames {
    /// Reads the documents of a scenario.
    ///
    /// # Errors
    /// Fails if a document has metadata that only a server sets.
    pub(super) fn of(scenario: &Scenario, kind: &str, groups: [String; 2]) -> Result<Self, String> {
        let others = scenario.history.iter().chain(&scenario.meanwhile).filter_map(|o| o.document.as_deref());
        let own =
            [Some(&*scenario.stored), scenario.last_applied.as_deref(), scenario.configuration.as_deref()];
        let is_created = scenario.stored.is_null() || scenario.request == Request::Create;
        let intents = scenario.history.iter().chain(&scenario.meanwhile).map(|other| &other.intent);
        let edits = intents.chain([&scenario.intent]).flat_map(|intent| &intent.0);
        // An intent can create the object with its name.
        let names = edits.filter(|_| is_created).filter_map(|edit| match edit {
            Edit::Set(values) if values.as_map().and_then(name_of).is_some() => Some(values),
            _ => None,
        });
        let documents: Vec<&OwnedMap> =
            own.into_iter().flatten().chain(others).chain(names).filter_map(Doc::as_map).collect();
        let metadata: Vec<&OwnedMap> =
            documents.iter().filter_map(|document| document.get(METADATA)?.as_map()).collect();
        if let Some(key) = METADATA_OF_SERVER.iter().find(|key| metadata.iter().any(|m| m.contains_key(key)))
        {
            return Err(format!("the case sets metadata.{key}, which only a server sets"));
        }
        let name = documents.iter().find_map(|document| name_of(document));
        Ok(ObjectNames {
            name: name.unwrap_or(NAME).to_owned(),
            kind: kind.to_owned(),
            groups,
            has_kind: documents.iter().any(|document| document.contains_key("kind")),
            has_api_version: documents.iter().any(|document| document.contains_key("apiVersion")),
            has_metadata: documents.iter().any(|document| document.contains_key(METADATA)),
            has_name: name.is_some(),
            namespace: metadata.iter().find_map(|metadata| metadata.get("namespace").cloned()),
        })
    }

    /// Returns the object to create, as the case has it, in a version of the server.
    pub(super) fn complete(&self, object: &OwnedDoc, api_version: &str) -> OwnedDoc {
        let mut object = object.clone();
        if let Doc::Map(members) = &mut object {
            members.insert("apiVersion".into(), Doc::from(api_version).to_static());
            members.insert("kind".into(), Doc::from(&*self.kind).to_static());
            let metadata = metadata_of(members);
            metadata.insert("name".into(), Doc::from(&*self.name).to_static());
            metadata.remove("namespace");
            rename_in_last_applied(metadata, &self.groups[0], &self.groups[1]);
        }
        object
    }

    /// Returns a manifest for a client that is a program.
    pub(super) fn manifest(
        &self,
        manifest: &OwnedDoc,
        api_version: &str,
        namespace: Option<&str>,
    ) -> OwnedDoc {
        let mut manifest = self.complete(manifest, api_version);
        if let (Doc::Map(members), Some(namespace)) = (&mut manifest, namespace) {
            metadata_of(members).insert("namespace".into(), Doc::from(namespace).to_static());
        }
        manifest
    }

    /// Returns the body of a request. `api_version` is that of the endpoint.
    pub(super) fn body(&self, request: &LiveRequest<'_>, api_version: &str) -> OwnedDoc {
        let whole = request.request_type.is_whole_object();
        let mut body = request.body.clone();
        if let Doc::Map(members) = &mut body {
            if let Some(metadata) = members.get_mut(METADATA).and_then(Doc::as_map_mut) {
                rename_in_last_applied(metadata, &self.groups[0], &self.groups[1]);
            }
            let names_type = members.get("apiVersion").and_then(Doc::as_str).map(str::to_owned);
            if whole || request.request_type == RequestType::ServerSideApply {
                // A wrong version stays wrong.
                let own = names_type.map_or_else(|| api_version.to_owned(), |named| self.on_server(&named));
                members.insert("apiVersion".into(), Doc::from(&*own).to_static());
                if !members.contains_key("kind") {
                    members.insert("kind".into(), Doc::from(&*self.kind).to_static());
                }
                let metadata = metadata_of(members);
                metadata.remove("namespace");
                if !metadata.contains_key("name") {
                    metadata.insert("name".into(), Doc::from(&*self.name).to_static());
                }
                if whole && !request.managed_fields.is_empty() {
                    let entries = request.managed_fields.iter().map(|entry| self.entry_on_server(entry));
                    metadata.insert("managedFields".into(), Doc::List(entries.collect()));
                }
            } else if let Some(named) = names_type {
                members.insert("apiVersion".into(), Doc::from(&*self.on_server(&named)).to_static());
            }
            let is_patch = !whole && request.request_type != RequestType::JsonPatch;
            if let (Some(version), true) = (request.resource_version, whole || is_patch) {
                metadata_of(members).insert("resourceVersion".into(), Doc::from(version).to_static());
            }
        }
        body
    }

    /// Returns the object of a response as the case would write it.
    pub(super) fn read(&self, object: &OwnedDoc) -> ReadObject {
        let mut object = object.clone();
        let (mut managed_fields, mut resource_version) = (Vec::new(), String::new());
        if let Doc::Map(members) = &mut object {
            let api_version = members.get("apiVersion").and_then(Doc::as_str).map(|v| self.in_case(v));
            match api_version {
                Some(version) if self.has_api_version => {
                    members.insert("apiVersion".into(), Doc::from(&*version).to_static());
                }
                _ => drop(members.remove("apiVersion")),
            }
            if !self.has_kind {
                members.remove("kind");
            }
            let metadata = metadata_of(members);
            let version = metadata.get("resourceVersion").and_then(Doc::as_str);
            version.unwrap_or_default().clone_into(&mut resource_version);
            let entries = metadata.remove("managedFields").and_then(Doc::into_list).unwrap_or_default();
            managed_fields = entries.iter().map(|entry| self.entry_in_case(entry)).collect();
            for key in METADATA_OF_SERVER {
                metadata.remove(key);
            }
            metadata.remove("namespace");
            rename_in_last_applied(metadata, &self.groups[1], &self.groups[0]);
            if let Some(namespace) = &self.namespace {
                metadata.insert("namespace".into(), namespace.clone());
            }
            if !self.has_name {
                metadata.remove("name");
            }
            if metadata.is_empty() && !self.has_metadata {
                members.remove(METADATA);
            }
        }
        ReadObject { object, managed_fields, resource_version }
    }

    fn on_server(&self, api_version: &str) -> String {
        replace_group(api_version, &self.groups[0], &self.groups[1])
    }

    fn in_case(&self, api_version: &str) -> String {
        replace_group(api_version, &self.groups[1], &self.groups[0])
    }

    /// Returns an entry of managed fields in the API version of the run.
    pub(super) fn entry_on_server(&self, entry: &OwnedDoc) -> OwnedDoc {
        let mut entry = with_api_version(entry, |version| self.on_server(version));
        if let Some(fields) = entry.as_map_mut().and_then(|entry| entry.get_mut("fieldsV1"))
            // The engine also reads and writes sets of fields as text.
            && let Some(read) = fields.as_str().and_then(|text| from_json(text.as_bytes()).ok())
        {
            *fields = read;
        }
        entry
    }

    /// Returns an entry without its time.
    fn entry_in_case(&self, entry: &OwnedDoc) -> OwnedDoc {
        let mut entry = with_api_version(entry, |version| self.in_case(version));
        if let Doc::Map(entry) = &mut entry {
            entry.remove("time");
        }
        entry
    }
}

fn name_of(members: &OwnedMap) -> Option<&str> {
    members.get(METADATA)?.as_map()?.get("name")?.as_str()
}

fn replace_group(api_version: &str, from: &str, to: &str) -> String {
    match api_version.rsplit_once('/') {
        Some((group, version)) if group == from => format!("{to}/{version}"),
        _ => api_version.to_owned(),
    }
}

/// Renames the group in the manifest that `kubectl apply` keeps in an annotation. A server compares it with that of the object.
/// Upstream: `lastAppliedManager.allowedConflictsFromLastApplied` (k8s.io/apimachinery, managedfields).
fn rename_in_last_applied(metadata: &mut OwnedMap, from: &str, to: &str) {
    if from == to {
        return;
    }
    let annotations = metadata.get_mut("annotations").and_then(Doc::as_map_mut);
    let annotation = annotations.and_then(|annotations| annotations.get_mut(LAST_APPLIED_ANNOTATION));
    if let Some(annotation) = annotation
        && let Some(text) = annotation.as_str()
    {
        let named = |group: &str| format!("\"apiVersion\":\"{group}/");
        *annotation = Doc::from(text.replace(&named(from), &named(to)));
    }
}

fn with_api_version(entry: &OwnedDoc, change: impl Fn(&str) -> String) -> OwnedDoc {
    let mut entry = entry.clone();
    if let Doc::Map(members) = &mut entry
        && let Some(version) = members.get("apiVersion").and_then(Doc::as_str).map(change)
    {
        members.insert("apiVersion".into(), Doc::from(&*version).to_static());
    }
    entry
}

fn metadata_of(members: &mut OwnedMap) -> &mut OwnedMap {
    if members.get(METADATA).and_then(Doc::as_map).is_none() {
        members.insert(Text::from(METADATA), Doc::Map(Map::new()));
    }
    match members.get_mut(METADATA) {
        Some(Doc::Map(metadata)) => metadata,
        _ => unreachable!("it was just inserted"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skewer_engine::patch::PatchContext;
    use skewer_engine::schema::builtin;
    use skewer_skew::Intent;

    use super::*;

    #[test]
    fn an_intent_can_name_the_object_that_it_creates() {
        let schema = Arc::clone(builtin::newest().schema());
        let context = PatchContext::of(schema, "core/v1.ConfigMap").unwrap();
        let name = |stored: &str| {
            let json = |text: &str| from_json(text.as_bytes()).unwrap();
            let mut scenario = Scenario::up_to_date(Arc::new(json(stored)), context.clone());
            scenario.intent = Arc::new(Intent(vec![Edit::Set(json(r#"{"metadata":{"name":"web"}}"#))]));
            ObjectNames::of(&scenario, "ConfigMap", Default::default()).unwrap().name
        };
        assert_eq!([name("null"), name("{}")], ["web", NAME]);
    }
}
