//! Patch metadata of a field as declared, and its syntax, which Go struct tags and `OpenAPI` extensions share.

use serde::{Deserialize, Serialize};

/// The patch metadata of a field, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PatchMeta {
    /// `patchStrategy`, split at `,` or `|`: `merge`, `replace`, `retainKeys`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<String>,
    /// `patchMergeKey`, split at `,` (several: the multi-field proposal).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merge_key: Vec<String>,
    /// `recommendedPatchMergeKey`, split at `,`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommended_merge_key: Vec<String>,
    /// `+listType` or `x-kubernetes-list-type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_type: Option<ListType>,
    /// `+listMapKey` or `x-kubernetes-list-map-keys`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list_map_keys: Vec<String>,
}

impl PatchMeta {
    /// Returns the metadata of a list or a map with these patch strategies: `merge`, `replace`, `retainKeys`.
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

    pub(super) fn is_default(&self) -> bool {
        *self == PatchMeta::default()
    }
}

/// The kind of a list to server-side apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// A set of scalars.
    Set,
    /// Maps identified by keys.
    Map,
}

impl ListType {
    /// Returns the name in markers and documents.
    pub(super) fn name(self) -> &'static str {
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

/// Returns the message for a list type that is none.
pub(super) fn unknown_list_type(name: &str) -> String {
    format!("the list type {name:?} is not known: atomic, set and map are")
}

/// Splits the value of `patchStrategy`.
pub(super) fn split_strategies(value: &str) -> Vec<String> {
    value.split([',', '|']).map(|strategy| strategy.trim().to_owned()).collect()
}

/// Returns the error in a combination of patch strategies, if there is one. Upstream: `extractRetainKeysPatchStrategy`.
pub(super) fn strategies_error(strategies: &[String]) -> Option<String> {
    const KNOWN: [&str; 3] = ["merge", "replace", "retainKeys"];
    if let Some(unknown) = strategies.iter().find(|s| !KNOWN.contains(&s.as_str())) {
        return Some(format!(
            "the patch strategy {unknown:?} is not known: merge, replace and retainKeys are"
        ));
    }
    let retain_keys = strategies.iter().filter(|s| *s == "retainKeys").count();
    match (strategies.len(), retain_keys) {
        (0 | 1, _) | (2, 1) => None,
        (2, _) => Some("two patch strategies must be retainKeys and one other".to_owned()),
        (n, _) => Some(format!("{n} patch strategies: there can be two, of which one is retainKeys")),
    }
}

/// Splits a list of merge keys, which commas separate.
pub(super) fn split_merge_keys(value: &str) -> Vec<String> {
    value.split(',').map(|key| key.trim().to_owned()).collect()
}

/// Returns the error in a list of merge keys, if there is one.
pub(super) fn merge_keys_error(keys: &[String]) -> Option<String> {
    if keys.iter().any(String::is_empty) {
        return Some("an empty key".to_owned());
    }
    let mut seen = std::collections::HashSet::new();
    keys.iter().find(|key| !seen.insert(key.as_str())).map(|twice| format!("the key {twice:?} twice"))
}

/// Returns the contradiction between the default merge key and the recommended ones, if there is one. Source:
/// patch-merge-key.md, "Requirements for the recommended merge keys to keep backward compatibility".
pub(super) fn recommended_merge_key_error(patch: &PatchMeta) -> Option<String> {
    let (default, first) = (patch.merge_key.first()?, patch.recommended_merge_key.first()?);
    (default != first).then(|| {
        format!("the first recommended merge key must be the default merge key {default:?}, and is {first:?}")
    })
}
