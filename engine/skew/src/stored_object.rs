//! The object that a server stores, with its managed fields.

use std::borrow::Cow;

use skewer_engine::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};
use skewer_engine::patch::PatchContext;

/// The API version of an object that does not say its own.
pub(super) const ASSUMED_API_VERSION: &str = "v1";

/// The uid of a stored object that does not say its own. Every stored object has one; the field manager tells by it
/// whether a request creates the object.
pub(super) const ASSUMED_UID: &str = "stored";

const MANAGED_FIELDS: &str = "managedFields";

/// The state of a stored object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredObject {
    /// The object without its managed fields. `None` if the object does not exist.
    pub(super) object: Option<OwnedDoc>,
    /// The entries of `metadata.managedFields`.
    pub(super) managed_fields: Vec<OwnedDoc>,
    /// The number of writes.
    pub(super) resource_version: u64,
}

impl StoredObject {
    /// Creates the state of an object. Null stands for an object that does not exist. If the server keeps no managed
    /// fields, those in the object are fields like any others.
    pub(super) fn new(object: &OwnedDoc, keeps_managed_fields: bool) -> Self {
        if object.is_null() {
            return StoredObject { object: None, managed_fields: Vec::new(), resource_version: 0 };
        }
        let mut object = object.clone();
        let managed_fields = if keeps_managed_fields { take_managed_fields(&mut object) } else { Vec::new() };
        StoredObject { object: Some(object), managed_fields, resource_version: 1 }
    }

    /// Replaces the object. The resource version grows if the object or its managed fields have changed.
    pub(super) fn write(&mut self, object: OwnedDoc, managed_fields: Vec<OwnedDoc>) {
        let is_changed = self.object.as_ref() != Some(&object) || self.managed_fields != managed_fields;
        self.resource_version += u64::from(is_changed);
        self.object = Some(object);
        self.managed_fields = managed_fields;
    }

    /// Returns the object with its managed fields. Null if the object does not exist.
    pub(super) fn document(&self) -> Cow<'_, OwnedDoc> {
        match &self.object {
            None => Cow::Owned(Doc::Null),
            Some(object) => with_managed_fields(object, &self.managed_fields),
        }
    }
}

/// Returns an object with managed fields in its metadata, if there are any.
pub(super) fn with_managed_fields<'d>(object: &'d OwnedDoc, entries: &[OwnedDoc]) -> Cow<'d, OwnedDoc> {
    if entries.is_empty() {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(metadata) = metadata_of(&mut object) {
        metadata.insert(Text::from_static(MANAGED_FIELDS), Doc::List(entries.to_vec()));
    }
    Cow::Owned(object)
}

/// Returns the metadata of an object, which is created if it does not exist.
fn metadata_of(object: &mut OwnedDoc) -> Option<&mut OwnedMap> {
    const KEY: &str = "metadata";
    let object = object.as_map_mut()?;
    if object.get(KEY).is_none_or(Doc::is_null) {
        object.insert(Text::from_static(KEY), Doc::Map(Map::new()));
    }
    object.get_mut(KEY)?.as_map_mut()
}

/// Removes the managed fields from an object and returns them.
pub(super) fn take_managed_fields(object: &mut OwnedDoc) -> Vec<OwnedDoc> {
    let metadata = object.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Doc::as_map_mut);
    let entries = metadata.and_then(|metadata| metadata.remove(MANAGED_FIELDS));
    entries.and_then(Doc::into_list).unwrap_or_default()
}

/// Removes the managed fields from an object, and the metadata if nothing else is in it.
///
/// ```
/// use skewer_skew::without_managed_fields;
/// use skewer_engine::document::from_json;
///
/// let object = from_json(br#"{"a":1,"metadata":{"managedFields":[]}}"#)?;
/// assert_eq!(without_managed_fields(object).to_string(), r#"{"a":1}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn without_managed_fields(mut object: OwnedDoc) -> OwnedDoc {
    let Some(map) = object.as_map_mut() else { return object };
    if let Some(metadata) = map.get_mut("metadata").and_then(Doc::as_map_mut) {
        let removed = metadata.remove(MANAGED_FIELDS);
        if removed.is_some() && metadata.is_empty() {
            map.remove("metadata");
        }
    }
    object
}

/// Returns entries of managed fields without their times.
pub(super) fn remove_times(mut entries: Vec<OwnedDoc>) -> Vec<OwnedDoc> {
    for entry in entries.iter_mut().filter_map(Doc::as_map_mut) {
        entry.remove("time");
    }
    entries
}

/// Returns the kind of an object that does not say its own: the name of its type, without the package or group.
pub(super) fn kind_of_root(context: &PatchContext) -> &str {
    context
        .schema
        .as_struct(context.root)
        .map_or("Object", |ty| ty.name.rsplit('.').next().unwrap_or(&ty.name))
}

/// The identity that a field manager needs and that the documents of a case can leave out.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    api_version: Doc<'static>,
    kind: Doc<'static>,
    /// Whether one of the documents has an API version, a kind, or metadata.
    is_written: [bool; 3],
}

impl Identity {
    /// Returns the identity of an object. `documents` are its forms, of which the first that has a member decides.
    /// `kind` is the kind of an object that does not say its own. `api_version` is the version of the server, if it is
    /// known: an object has it whatever the documents say.
    pub(super) fn of(documents: &[&OwnedDoc], kind: &str, api_version: Option<OwnedText>) -> Self {
        let find = |key: &str| {
            let mut values = documents.iter().filter_map(|document| document.as_map()?.get(key));
            values.find(|value| !value.is_null() && value.as_str() != Some("")).cloned()
        };
        let (written_version, written_kind) = (find("apiVersion"), find("kind"));
        let has_metadata =
            documents.iter().any(|document| document.as_map().is_some_and(|d| d.contains_key("metadata")));
        Identity {
            is_written: [written_version.is_some(), written_kind.is_some(), has_metadata],
            api_version: api_version
                .map(Doc::String)
                .or(written_version)
                .unwrap_or_else(|| Doc::from(ASSUMED_API_VERSION)),
            kind: written_kind.unwrap_or_else(|| Doc::from(kind)),
        }
    }

    /// Returns the API version, unless a document has something else in its place.
    pub(super) fn api_version(&self) -> Option<&str> {
        self.api_version.as_str()
    }

    /// Adds the identity to a document. A stored object also has a uid.
    pub(super) fn add_to(&self, mut document: OwnedDoc, is_stored: bool) -> OwnedDoc {
        if let Some(map) = document.as_map_mut() {
            map.insert(OwnedText::from_static("apiVersion"), self.api_version.clone());
            map.insert(OwnedText::from_static("kind"), self.kind.clone());
        }
        if is_stored
            && let Some(metadata) = metadata_of(&mut document)
            && metadata.get("uid").and_then(Doc::as_str).is_none_or(str::is_empty)
        {
            metadata.insert(OwnedText::from_static("uid"), Doc::from(ASSUMED_UID));
        }
        document
    }

    /// Removes the members that no document of the case has.
    pub(super) fn remove_from(&self, mut document: OwnedDoc) -> OwnedDoc {
        let Some(map) = document.as_map_mut() else { return document };
        let [has_api_version, has_kind, has_metadata] = self.is_written;
        if !has_api_version {
            map.remove("apiVersion");
        }
        if !has_kind {
            map.remove("kind");
        }
        if let Some(Doc::Map(metadata)) = map.get_mut("metadata") {
            if metadata.get("uid").and_then(Doc::as_str) == Some(ASSUMED_UID) {
                metadata.remove("uid");
            }
            if metadata.is_empty() && !has_metadata {
                map.remove("metadata");
            }
        }
        document
    }
}
