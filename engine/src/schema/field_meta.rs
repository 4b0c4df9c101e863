//! Patch metadata of a field, checked and ready for use.

use super::declarations::FieldDecl;
use super::patch_meta::{ListType, PatchMeta};
use crate::document::{OwnedText, Text};

/// How a map or a list is patched when no directive says otherwise. Upstream:
/// `extractRetainKeysPatchStrategy`, second result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchStrategy {
    /// Nothing declared: maps merge, lists are replaced.
    #[default]
    Unset,
    /// Lists merge (and maps, as they do anyway).
    Merge,
    /// Maps and lists are replaced as a whole.
    Replace,
}

/// Whether a document must have a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Required {
    /// It may be missing.
    #[default]
    No,
    /// Marked `+required`, or listed as required in OpenAPI.
    Yes,
}

impl Required {
    pub(crate) fn of(field: &FieldDecl) -> Self {
        if field.required == Some(true) { Required::Yes } else { Required::No }
    }
}

/// The patch metadata of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldMeta {
    /// `patchStrategy` less `retainKeys`.
    pub strategy: PatchStrategy,
    /// `patchStrategy` has `retainKeys`.
    pub retain_keys: bool,
    /// `patchMergeKey`: none, one, or several (multi-field keys).
    pub merge_key: Vec<OwnedText>,
    /// Several of them as those read it who know of one only: a single name, commas and all.
    merge_key_as_one: Vec<OwnedText>,
    /// `recommendedPatchMergeKey`: none or several, the default merge key first.
    pub recommended_merge_key: Vec<OwnedText>,
    /// What server-side apply takes the list for; ordered unless a set or a map.
    pub list_type: Option<ListType>,
    /// The keys of a list of type `map`.
    pub list_map_keys: Vec<OwnedText>,
}

impl FieldMeta {
    /// Nothing declared.
    pub const NONE: FieldMeta = FieldMeta {
        strategy: PatchStrategy::Unset,
        retain_keys: false,
        merge_key: Vec::new(),
        merge_key_as_one: Vec::new(),
        recommended_merge_key: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
    };

    /// Checks what was declared; the error is a sentence without a place.
    pub(crate) fn compile(patch: &PatchMeta) -> Result<Self, String> {
        let mut meta = FieldMeta {
            merge_key: patch.merge_key.iter().map(Text::from).collect(),
            merge_key_as_one: as_one(&patch.merge_key),
            recommended_merge_key: patch.recommended_merge_key.iter().map(Text::from).collect(),
            list_type: patch.list_type,
            list_map_keys: patch.list_map_keys.iter().map(Text::from).collect(),
            ..FieldMeta::default()
        };
        let mut strategies = 0;
        for strategy in &patch.strategies {
            match strategy.as_str() {
                "" => {}
                "retainKeys" => meta.retain_keys = true,
                "merge" | "replace" => {
                    strategies += 1;
                    meta.strategy =
                        if strategy == "merge" { PatchStrategy::Merge } else { PatchStrategy::Replace };
                }
                other => {
                    return Err(format!(
                        "unexpected patch strategy {other:?}: expected merge, replace or retainKeys"
                    ));
                }
            }
        }
        if strategies > 1 {
            return Err("a field has at most one of the patch strategies merge and replace".to_owned());
        }
        if let (Some(default), Some(first)) = (meta.merge_key.first(), meta.recommended_merge_key.first())
            && default != first
        {
            return Err(format!(
                "the first recommended merge key is {first:?}, and must be the default merge key {default:?}"
            ));
        }
        Ok(meta)
    }

    /// The names in `patchMergeKey`, to somebody who reads several of them or one.
    pub(crate) fn merge_key_names(&self, multi_field: bool) -> &[OwnedText] {
        if multi_field || self.merge_key.len() < 2 { &self.merge_key } else { &self.merge_key_as_one }
    }

    pub(super) fn forget_merge_key(&mut self) {
        self.merge_key.clear();
        self.merge_key_as_one.clear();
    }
}

fn as_one(names: &[String]) -> Vec<OwnedText> {
    if names.len() < 2 { Vec::new() } else { vec![Text::from(names.join(","))] }
}
