//! The patch metadata of a field as it is declared. Struct tags in Go and extensions in `OpenAPI` have the same syntax.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The patch metadata of a field, as it is written in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PatchMeta {
    /// The words of `patchStrategy`, which `,` or `|` separates: `merge`, `replace`, and words that directives declare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<String>,
    /// The names in `patchMergeKey`, which commas separate. Only the proposal for multi-field keys allows several
    /// names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merge_key: Vec<String>,
    /// The values of the tags that directives declare, by the name of the tag. Words of `patchStrategy` are not
    /// included.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, Vec<String>>,
    /// The value of `+listType` or `x-kubernetes-list-type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_type: Option<ListType>,
    /// The values of `+listMapKey` or `x-kubernetes-list-map-keys`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list_map_keys: Vec<String>,
}

impl PatchMeta {
    /// Returns the metadata of a list or a map with these words of `patchStrategy`, such as `merge`, `replace` or
    /// `retainKeys`.
    #[must_use]
    pub fn with_strategies<'s>(strategies: impl IntoIterator<Item = &'s str>) -> Self {
        PatchMeta { strategies: strategies.into_iter().map(str::to_owned).collect(), ..PatchMeta::default() }
    }

    /// Returns the metadata of a list whose items are merged by these keys.
    #[must_use]
    pub fn merge_by<'k>(keys: impl IntoIterator<Item = &'k str>) -> Self {
        let merge_key = keys.into_iter().map(str::to_owned).collect();
        PatchMeta { merge_key, ..PatchMeta::with_strategies(["merge"]) }
    }

    /// Returns the values of a tag that a directive declares. The result is empty if the field does not have the tag.
    #[must_use]
    pub fn tag_values(&self, name: &str) -> &[String] {
        self.tags.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Sets the values of a tag that a directive declares. If there are no values, the tag is removed.
    pub fn set_tag(&mut self, name: &str, values: Vec<String>) {
        if values.is_empty() {
            self.tags.remove(name);
        } else {
            self.tags.insert(name.to_owned(), values);
        }
    }

    pub(super) fn is_default(&self) -> bool {
        *self == PatchMeta::default()
    }
}

/// The list type for server-side apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListType {
    /// The list is replaced as a whole.
    Atomic,
    /// The list is a set of scalars.
    Set,
    /// The items of the list are maps that keys identify.
    Map,
}

impl ListType {
    /// Returns the name of the list type, as it is written in markers and extensions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [ListType::Atomic, ListType::Set, ListType::Map]
            .into_iter()
            .find(|list_type| list_type.name() == name)
    }
}

/// The map type for server-side apply: `+mapType`, `+structType` or `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MapType {
    /// The map or the struct has one owner.
    Atomic,
    /// Each field of the map or the struct has an owner of its own.
    Granular,
}

impl MapType {
    /// Returns the name of the map type, as it is written in markers and extensions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MapType::Atomic => "atomic",
            MapType::Granular => "granular",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [MapType::Atomic, MapType::Granular].into_iter().find(|map_type| map_type.name() == name)
    }
}

/// Returns the error message for an unknown map type.
pub(super) fn unknown_map_type(name: &str) -> String {
    format!("unknown map type {name:?}: expected atomic or granular")
}

/// Returns the error message for an unknown list type.
pub(super) fn unknown_list_type(name: &str) -> String {
    format!("unknown list type {name:?}: expected atomic, set or map")
}

/// Splits the value of `patchStrategy`.
pub(super) fn split_strategies(value: &str) -> Vec<String> {
    value.split([',', '|']).map(|strategy| strategy.trim().to_owned()).collect()
}

/// Splits a list of merge keys at its commas.
pub(super) fn split_merge_keys(value: &str) -> Vec<String> {
    value.split(',').map(|key| key.trim().to_owned()).collect()
}

/// Returns an error message if a list of merge keys has an empty or a repeated key.
pub(super) fn merge_keys_error(keys: &[String]) -> Option<String> {
    if keys.iter().any(String::is_empty) {
        return Some("an empty key".to_owned());
    }
    let mut seen = std::collections::HashSet::new();
    keys.iter().find(|key| !seen.insert(key.as_str())).map(|twice| format!("the key {twice:?} twice"))
}
