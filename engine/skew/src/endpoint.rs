//! The endpoint of a request: the object that it names, and what a server checks before it stores an object there.

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::builtin::ReleaseKind;

use super::request::RequestType;
use super::stored_object::{ASSUMED_API_VERSION, ASSUMED_UID, kind_of_root};

/// The name of an object whose documents say none.
const ASSUMED_NAME: &str = "skewer";

/// The resource version of a stored object that does not say its own.
const ASSUMED_RESOURCE_VERSION: &str = "1";

const METADATA: &str = "metadata";

/// The endpoint of a request. Every stored object has a version, a kind, a name, a uid and a resource version. Documents
/// can leave them out: they are added to what the server gets, and removed from the result.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    api_version: OwnedDoc,
    kind: OwnedDoc,
    name: OwnedDoc,
    /// The members that neither document has: of the object, and of its metadata.
    added: [Vec<&'static str>; 2],
    /// Whether the type of the object has the members. Only then are they checked.
    is_object: bool,
}

impl Endpoint {
    /// Returns the endpoint of a request. `api_version` and `kind` are those of its options.
    pub(super) fn of(
        context: &PatchContext,
        api_version: Option<&str>,
        kind: Option<&str>,
        live: Option<&OwnedDoc>,
        body: &OwnedDoc,
    ) -> Self {
        let documents: Vec<&OwnedDoc> = live.into_iter().chain([body]).collect();
        let find = |find: &dyn Fn(&OwnedDoc) -> Option<OwnedDoc>| {
            documents.iter().find_map(|document| find(document).filter(|found| found.as_str() != Some("")))
        };
        let text =
            |key: &str| find(&|object| object.as_map()?.get(key).filter(|v| v.as_str().is_some()).cloned());
        let built_in = built_in_kind(context);
        let api_version =
            api_version.or(built_in.map(|(version, _)| version)).map(|v| Doc::from(v).to_static());
        let kind = kind.or(built_in.map(|(_, kind)| kind)).map(|kind| Doc::from(kind).to_static());
        let name = find(&|object| metadata(object)?.get("name").filter(|v| v.as_str().is_some()).cloned());
        let is_missing =
            |map: Option<&OwnedMap>, key: &str| map.and_then(|map| map.get(key)).is_none_or(Doc::is_null);
        let missing = |keys: &[&'static str], map: &dyn Fn(&OwnedDoc) -> Option<OwnedMap>| {
            let is_added =
                |key: &&&str| documents.iter().all(|document| is_missing(map(document).as_ref(), key));
            keys.iter().filter(is_added).copied().collect::<Vec<_>>()
        };
        Endpoint {
            api_version: api_version
                .or_else(|| text("apiVersion"))
                .unwrap_or_else(|| ASSUMED_API_VERSION.into()),
            kind: kind
                .or_else(|| text("kind"))
                .unwrap_or_else(|| Doc::from(kind_of_root(context)).to_static()),
            name: name.unwrap_or_else(|| ASSUMED_NAME.into()),
            added: [
                missing(&["apiVersion", "kind"], &|object| object.as_map().cloned()),
                missing(&["name", "uid", "resourceVersion"], &|object| metadata(object).cloned()),
            ],
            is_object: is_object(context),
        }
    }

    /// Adds what every stored object has.
    pub(super) fn complete_live(&self, live: &OwnedDoc) -> OwnedDoc {
        let mut live = live.clone();
        if let (Doc::Map(object), true) = (&mut live, self.is_object) {
            set_default(object, "apiVersion", &self.api_version);
            set_default(object, "kind", &self.kind);
            set_default(object, METADATA, &Doc::Map(Map::new()));
            if let Some(Doc::Map(metadata)) = object.get_mut(METADATA) {
                set_default(metadata, "name", &self.name);
                set_default(metadata, "uid", &ASSUMED_UID.into());
                set_default(metadata, "resourceVersion", &ASSUMED_RESOURCE_VERSION.into());
            }
        }
        live
    }

    /// Adds the name to a body that is a whole object or an apply configuration.
    pub(super) fn complete_body(&self, request_type: RequestType, body: &mut OwnedDoc) {
        let has_name = request_type.is_whole_object() || request_type == RequestType::ServerSideApply;
        let (Doc::Map(object), true, true) = (body, has_name, self.is_object) else { return };
        set_default(object, METADATA, &Doc::Map(Map::new()));
        if let Some(Doc::Map(metadata)) = object.get_mut(METADATA) {
            set_default(metadata, "name", &self.name);
        }
    }

    /// Gives a merged object the version and the kind of the endpoint. An object that is decoded from JSON must name no
    /// other one. The result of a strategic merge patch is put into the type of the endpoint, whatever it names.
    /// Upstream: `runtime.DecodeInto`, `RequestScope.AcceptsGroupVersion`, `smpPatcher.applyPatchToCurrentObject`.
    pub(super) fn with_type(&self, request_type: RequestType, mut merged: OwnedDoc) -> Result<OwnedDoc> {
        if !self.is_object {
            return Ok(merged);
        }
        // `encoding/json` decodes null into a struct as an empty object.
        if merged.is_null() {
            merged = Doc::Map(Map::new());
        }
        let Doc::Map(object) = &mut merged else {
            let message = format!("expected an object, found {}", merged.kind().with_article());
            return Err(Error::new(ErrorKind::InvalidDocument, message));
        };
        for (key, expected) in [("apiVersion", &self.api_version), ("kind", &self.kind)] {
            let named = object.get(key).filter(|value| !value.is_null() && value.as_str() != Some(""));
            let is_other = named.is_some_and(|named| named != expected);
            if is_other && request_type != RequestType::StrategicMergePatch {
                let is_text = named.is_some_and(|named| named.as_str().is_some());
                let kind = if is_text { ErrorKind::WrongApiVersion } else { ErrorKind::Undecodable };
                let message = format!("expected the {key} of the endpoint, {expected}");
                return Err(Error::new(kind, message).at(key));
            }
            object.insert(Text::from(key), expected.clone());
        }
        Ok(merged)
    }

    /// Refuses an object with another name than that of the endpoint. Upstream: `checkName`.
    pub(super) fn check_name(&self, object: &OwnedDoc) -> Result<()> {
        let name = metadata(object).and_then(|metadata| metadata.get("name"));
        if !self.is_object || name == Some(&self.name) {
            return Ok(());
        }
        let message =
            format!("the request is sent to the object {}, and would store another name", self.name);
        Err(Error::new(ErrorKind::WrongName, message).at("name").at(METADATA))
    }

    /// Removes the owner references that equal an earlier one. Upstream: `dedupOwnerReferences`.
    pub(super) fn remove_repeated_owners(object: &mut OwnedDoc) {
        let metadata = object.as_map_mut().and_then(|object| object.get_mut(METADATA));
        let owners =
            metadata.and_then(Doc::as_map_mut).and_then(|metadata| metadata.get_mut("ownerReferences"));
        let Some(Doc::List(owners)) = owners else { return };
        let mut distinct: Vec<OwnedDoc> = Vec::with_capacity(owners.len());
        for owner in std::mem::take(owners) {
            if !distinct.contains(&owner) {
                distinct.push(owner);
            }
        }
        *owners = distinct;
    }

    /// Removes the members that no document has.
    pub(super) fn remove_added(&self, object: &mut OwnedDoc) {
        let (Doc::Map(object), true) = (object, self.is_object) else { return };
        let [of_object, of_metadata] = &self.added;
        for key in of_object {
            object.remove(key);
        }
        if let Some(Doc::Map(metadata)) = object.get_mut(METADATA) {
            for key in of_metadata {
                metadata.remove(key);
            }
        }
    }
}

/// Returns the API version and the kind of a type of an embedded release.
fn built_in_kind(context: &PatchContext) -> Option<(&'static str, &'static str)> {
    let kind = ReleaseKind::of(&context.schema, context.root)?;
    Some((kind.api_version, kind.kind))
}

/// Returns true if the root type has a version, a kind, and metadata with a name.
fn is_object(context: &PatchContext) -> bool {
    let schema = &context.schema;
    let has = |field: &str| schema.field(context.root, field).is_some();
    let metadata = schema.field(context.root, METADATA);
    has("apiVersion") && has("kind") && metadata.is_some_and(|field| schema.field(field.ty, "name").is_some())
}

fn metadata(object: &OwnedDoc) -> Option<&OwnedMap> {
    object.as_map()?.get(METADATA)?.as_map()
}

fn set_default(map: &mut OwnedMap, key: &'static str, value: &OwnedDoc) {
    if map.get(key).is_none_or(Doc::is_null) {
        map.insert(Text::from_static(key), value.clone());
    }
}
