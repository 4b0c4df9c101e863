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
    pub(crate) fn from_declaration(field: &FieldDecl) -> Self {
        if field.required == Some(true) { Required::Yes } else { Required::No }
    }
}

/// The patch metadata of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMeta {
    /// `patchStrategy` less `retainKeys`.
    pub strategy: PatchStrategy,
    /// `patchStrategy` has `retainKeys`.
    pub retain_keys: bool,
    /// `patchMergeKey`: none, one, or several (multi-field keys).
    pub merge_key: Vec<OwnedText>,
    /// Several of them in the view of a party that supports a single key: one name that contains the commas.
    joined_merge_key: Vec<OwnedText>,
    /// `recommendedPatchMergeKey`: none or several, the default merge key first.
    pub recommended_merge_key: Vec<OwnedText>,
    /// The kind of the list to server-side apply; its order matters unless it is a set or a map.
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
        joined_merge_key: Vec::new(),
        recommended_merge_key: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
    };

    /// Checks the declared metadata; the error is a sentence without a field path.
    pub(crate) fn compile(patch: &PatchMeta) -> Result<Self, String> {
        let mut meta = FieldMeta {
            merge_key: patch.merge_key.iter().map(Text::from).collect(),
            joined_merge_key: join_names(&patch.merge_key),
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
        match (meta.merge_key.first(), meta.recommended_merge_key.first()) {
            (Some(default), Some(first)) if default != first => Err(format!(
                "the first recommended merge key is {first:?}, and must be the default merge key {default:?}"
            )),
            _ => Ok(meta),
        }
    }

    /// Returns the names in `patchMergeKey` as a party reads them that supports several keys (`multi_field`) or one.
    pub(crate) fn merge_key_names(&self, multi_field: bool) -> &[OwnedText] {
        if multi_field || self.merge_key.len() < 2 { &self.merge_key } else { &self.joined_merge_key }
    }

    pub(super) fn clear_merge_key(&mut self) {
        self.merge_key.clear();
        self.joined_merge_key.clear();
    }
}

fn join_names(names: &[String]) -> Vec<OwnedText> {
    if names.len() < 2 { Vec::new() } else { vec![Text::from(names.join(","))] }
}
