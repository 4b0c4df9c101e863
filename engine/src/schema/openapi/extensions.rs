//! Extensions of Kubernetes: patch metadata, and what becomes a marker.

use super::document::Reader;
use super::keywords::{
    EMBEDDED_RESOURCE, GROUP_VERSION_KIND, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PATCH_MERGE_KEY,
    PATCH_STRATEGY, PRESERVE_UNKNOWN, RECOMMENDED_MERGE_KEY, UNIONS,
};
use super::schema::Class;
use crate::document::{Doc, OwnedMap};
use crate::schema::patch_meta::{
    merge_keys_error, recommended_merge_key_error, split_merge_keys, split_strategies, strategies_error,
    unknown_list_type,
};
use crate::schema::{ListType, Marker, PatchMeta};

/// A marker with a value.
pub(super) fn marker(name: &str, value: &str) -> Marker {
    Marker { name: name.to_owned(), value: format!("={value}"), line: 0 }
}

impl Reader {
    /// The patch metadata of a property.
    pub(super) fn patch_meta(&mut self, schema: &OwnedMap) -> PatchMeta {
        let mut patch = PatchMeta {
            strategies: self.split(schema, PATCH_STRATEGY, split_strategies),
            merge_key: self.split(schema, PATCH_MERGE_KEY, split_merge_keys),
            recommended_merge_key: self.split(schema, RECOMMENDED_MERGE_KEY, split_merge_keys),
            list_type: None,
            list_map_keys: Vec::new(),
        };
        if let Some(message) = strategies_error(&patch.strategies) {
            self.at(PATCH_STRATEGY, |reader| reader.error(message));
        }
        for (key, keys) in
            [(PATCH_MERGE_KEY, &patch.merge_key), (RECOMMENDED_MERGE_KEY, &patch.recommended_merge_key)]
        {
            if let Some(message) = merge_keys_error(keys) {
                self.at(key, |reader| reader.error(message));
            }
        }
        if let Some(message) = recommended_merge_key_error(&patch) {
            self.at(RECOMMENDED_MERGE_KEY, |reader| reader.error(message));
        }
        (patch.list_type, patch.list_map_keys) = self.list_metadata(schema);
        patch
    }

    fn split(&mut self, schema: &OwnedMap, key: &str, split: fn(&str) -> Vec<String>) -> Vec<String> {
        let Some(value) = schema.get(key) else { return Vec::new() };
        self.at(key, |reader| reader.string(value)).map(split).unwrap_or_default()
    }

    fn list_metadata(&mut self, schema: &OwnedMap) -> (Option<ListType>, Vec<String>) {
        let list_type = schema.get(LIST_TYPE).and_then(|value| {
            self.at(LIST_TYPE, |reader| {
                let name = reader.string(value)?;
                let list_type = ListType::from_name(name);
                if list_type.is_none() {
                    reader.error(unknown_list_type(name));
                }
                list_type
            })
        });
        let Some(keys) = schema.get(LIST_MAP_KEYS) else { return (list_type, Vec::new()) };
        let keys = self.at(LIST_MAP_KEYS, |reader| {
            let Some(items) = keys.as_list() else {
                reader.error("a list of keys is due here");
                return Vec::new();
            };
            let strings = items
                .iter()
                .enumerate()
                .filter_map(|(i, item)| reader.at_index(i, |reader| reader.string(item)).map(str::to_owned));
            let keys: Vec<String> = strings.collect();
            if let Some(message) = merge_keys_error(&keys) {
                reader.error(message);
            }
            keys
        });
        (list_type, keys)
    }

    /// The markers of a named type, or of one that is given a name for them.
    pub(super) fn type_markers(&mut self, schema: &OwnedMap, class: &Class<'_>) -> Vec<Marker> {
        let (list_type, keys) = self.list_metadata(schema);
        let mut markers: Vec<Marker> = keys.iter().map(|key| marker("listMapKey", key)).collect();
        markers.extend(list_type.map(|list_type| marker("listType", list_type.name())));
        let is_struct = matches!(class, Class::Struct(_));
        markers.extend(self.map_type(schema, if is_struct { "structType" } else { "mapType" }));
        markers.extend(raw(schema, GROUP_VERSION_KIND));
        markers.extend(raw(schema, EMBEDDED_RESOURCE));
        markers.extend(self.object_markers(schema, class));
        markers
    }

    /// Those markers of a type that a property has no use for.
    pub(super) fn object_markers(&mut self, schema: &OwnedMap, class: &Class<'_>) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.preserve_unknown(schema, class).into_iter().collect();
        match schema.get(UNIONS) {
            Some(Doc::List(_)) => {
                self.check_list_form(schema, class);
                markers.extend(raw(schema, UNIONS));
            }
            // The form of a property, which reads it.
            Some(Doc::Map(_)) | None => {}
            Some(_) => self.at(UNIONS, |reader| reader.error("a list or a map of unions is due here")),
        }
        markers
    }

    /// The markers of a property. What concerns the fields of an inline object is the object's.
    pub(super) fn field_markers(&mut self, schema: &OwnedMap, class: &Class<'_>) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.map_type(schema, "mapType").into_iter().collect();
        markers.extend(raw(schema, EMBEDDED_RESOURCE));
        if !matches!(class, Class::Struct(_)) {
            markers.extend(self.preserve_unknown(schema, class));
        }
        markers
    }

    fn map_type(&mut self, schema: &OwnedMap, name: &str) -> Option<Marker> {
        let value = schema.get(MAP_TYPE)?;
        self.at(MAP_TYPE, |reader| match reader.string(value)? {
            known @ ("atomic" | "granular") => Some(marker(name, known)),
            other => {
                reader.error(format!("the map type {other:?} is not known: atomic and granular are"));
                None
            }
        })
    }

    /// Where anything goes, unknown fields are kept anyway.
    fn preserve_unknown(&mut self, schema: &OwnedMap, class: &Class<'_>) -> Option<Marker> {
        let set = self.flag(schema, PRESERVE_UNKNOWN);
        (set && !matches!(class, Class::Any | Class::Map(None))).then(|| marker(PRESERVE_UNKNOWN, "true"))
    }
}

/// An extension as it stands, for documents that are written again.
fn raw(schema: &OwnedMap, key: &str) -> Option<Marker> {
    schema.get(key).map(|value| marker(key, &value.to_string()))
}
