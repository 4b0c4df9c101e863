//! Reads the extensions of Kubernetes. Some are patch metadata, and the others become markers.

use std::rc::Rc;

use super::keywords::{
    EMBEDDED_RESOURCE, GROUP_VERSION_KIND, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, PATCH_MERGE_KEY,
    PATCH_STRATEGY, PRESERVE_UNKNOWN, UNIONS, tag_extension,
};
use super::reader::{Reader, marker_with_value};
use super::schema_form::SchemaForm;
use crate::document::{Doc, OwnedMap};
use crate::schema::patch_meta::{merge_keys_error, split_strategies, unknown_list_type, unknown_map_type};
use crate::schema::{ListType, MapType, Marker, MetadataTags, PatchMeta};

impl Reader {
    /// Reads the patch metadata of a property.
    pub(super) fn patch_meta(&mut self, schema: &OwnedMap) -> PatchMeta {
        let mut patch = PatchMeta::default();
        if let Some(value) = self.string_of(schema, PATCH_STRATEGY) {
            patch.strategies = split_strategies(value);
            if let Some(message) = self.tags.strategies_error(&patch.strategies) {
                self.at_key(PATCH_STRATEGY, |reader| reader.error(message));
            }
        }
        patch.merge_key = self.merge_keys(schema, PATCH_MERGE_KEY);
        let tag_extensions = Rc::clone(&self.tag_extensions);
        for (tag, extension) in tag_extensions.iter() {
            patch.set_tag(tag, self.merge_keys(schema, extension));
        }
        let contradictions: Vec<_> =
            self.tags.contradictions(&patch).map(|(tag, _, message)| (tag.name, message)).collect();
        for (tag, message) in contradictions {
            self.at_key(&tag_extension(tag), |reader| reader.error(message));
        }
        (patch.list_type, patch.list_map_keys) = self.list_metadata(schema);
        patch
    }

    /// Reads a list of merge keys that are separated by commas.
    fn merge_keys(&mut self, schema: &OwnedMap, key: &str) -> Vec<String> {
        let Some(value) = self.string_of(schema, key) else { return Vec::new() };
        let (names, error) = MetadataTags::split_values(value);
        if let Some(message) = error {
            self.at_key(key, |reader| reader.error(message));
        }
        names
    }

    fn string_of<'v>(&mut self, schema: &'v OwnedMap, key: &str) -> Option<&'v str> {
        let value = schema.get(key)?;
        self.at_key(key, |reader| reader.string(value))
    }

    fn list_metadata(&mut self, schema: &OwnedMap) -> (Option<ListType>, Vec<String>) {
        let list_type = schema.get(LIST_TYPE).and_then(|value| {
            self.at_key(LIST_TYPE, |reader| {
                let name = reader.string(value)?;
                let list_type = ListType::from_name(name);
                if list_type.is_none() {
                    reader.error(unknown_list_type(name));
                }
                list_type
            })
        });
        let Some(keys) = schema.get(LIST_MAP_KEYS) else { return (list_type, Vec::new()) };
        let keys = self.at_key(LIST_MAP_KEYS, |reader| {
            let Some(items) = keys.as_list() else {
                reader.error("expected a list of keys");
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

    /// Returns the markers of a type that has a name, or that gets a name because of these markers.
    pub(super) fn type_markers(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) -> Vec<Marker> {
        let (list_type, keys) = self.list_metadata(schema);
        let mut markers: Vec<Marker> = keys.iter().map(|key| marker_with_value("listMapKey", key)).collect();
        markers.extend(list_type.map(|list_type| marker_with_value("listType", list_type.name())));
        let is_struct = matches!(form, SchemaForm::Struct(_));
        markers.extend(self.map_type(schema, if is_struct { "structType" } else { "mapType" }));
        markers.extend(json_marker(schema, GROUP_VERSION_KIND));
        markers.extend(json_marker(schema, EMBEDDED_RESOURCE));
        markers.extend(self.object_markers(schema, form));
        markers
    }

    /// Returns those markers of a type that a property cannot have.
    pub(super) fn object_markers(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.preserve_unknown(schema, form).into_iter().collect();
        match schema.get(UNIONS) {
            Some(Doc::List(_)) => {
                self.check_list_form(schema, form);
                markers.extend(json_marker(schema, UNIONS));
            }
            // This form of the extension is on a property. It is read with the object of the property.
            Some(Doc::Map(_)) | None => {}
            Some(_) => self.at_key(UNIONS, |reader| reader.error("expected a list or a map of unions")),
        }
        markers
    }

    /// Returns the markers of a property. Extensions about the fields of a nested object are not included, because they
    /// become markers of the object.
    pub(super) fn field_markers(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) -> Vec<Marker> {
        let mut markers: Vec<Marker> = self.map_type(schema, "mapType").into_iter().collect();
        markers.extend(json_marker(schema, EMBEDDED_RESOURCE));
        if !matches!(form, SchemaForm::Struct(_)) {
            markers.extend(self.preserve_unknown(schema, form));
        }
        markers
    }

    fn map_type(&mut self, schema: &OwnedMap, marker_name: &str) -> Option<Marker> {
        let value = schema.get(MAP_TYPE)?;
        self.at_key(MAP_TYPE, |reader| match reader.string(value)? {
            map_type if MapType::from_name(map_type).is_some() => {
                Some(marker_with_value(marker_name, map_type))
            }
            other => {
                reader.error(unknown_map_type(other));
                None
            }
        })
    }

    /// Returns the marker of a type that keeps unknown fields. A type of any JSON needs no marker for this.
    fn preserve_unknown(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) -> Option<Marker> {
        // Servers also accept the extension where there are no fields.
        let is_set = self.flag(schema, PRESERVE_UNKNOWN) && form.has_fields();
        let has_other_fields = matches!(schema.get("additionalProperties"), Some(Doc::Bool(true)));
        let is_inherited =
            matches!(form, SchemaForm::Struct(_)) && (self.keeps_unknown_fields || has_other_fields);
        (is_inherited || is_set && !matches!(form, SchemaForm::Any | SchemaForm::Map(None)))
            .then(|| marker_with_value(PRESERVE_UNKNOWN, "true"))
    }
}

/// Returns a marker that has the JSON of an extension as its value, so that the extension can be written again.
fn json_marker(schema: &OwnedMap, key: &str) -> Option<Marker> {
    schema.get(key).map(|value| marker_with_value(key, &value.to_string()))
}
