//! Patch metadata of a field, checked and ready for use.

use super::declarations::FieldDecl;
use super::metadata_tag::{MetadataTag, MetadataTags, TagForm};
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

/// A tag of a field that a directive declares.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldTag {
    name: OwnedText,
    form: TagForm,
    /// The values; a word of `patchStrategy` has none.
    values: Vec<OwnedText>,
}

/// The patch metadata of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMeta {
    /// `patchStrategy` less the words that directives declare.
    pub strategy: PatchStrategy,
    /// `patchMergeKey`: none, one, or several (multi-field keys).
    pub merge_key: Vec<OwnedText>,
    /// Several of them in the view of a party that supports a single key: one name that contains the commas.
    joined_merge_key: Vec<OwnedText>,
    /// Tags that directives declare, words of `patchStrategy` among them.
    tags: Vec<FieldTag>,
    /// The kind of the list to server-side apply; its order matters unless it is a set or a map.
    pub list_type: Option<ListType>,
    /// The keys of a list of type `map`.
    pub list_map_keys: Vec<OwnedText>,
}

impl FieldMeta {
    /// Nothing declared.
    pub const NONE: FieldMeta = FieldMeta {
        strategy: PatchStrategy::Unset,
        merge_key: Vec::new(),
        joined_merge_key: Vec::new(),
        tags: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
    };

    /// Checks the declared metadata; the error is a sentence without a field path.
    pub(crate) fn compile(patch: &PatchMeta, declared: &MetadataTags) -> Result<Self, String> {
        let texts = |values: &[String]| values.iter().map(Text::from).collect();
        let own_tags = patch.tags.iter().map(|(name, values)| FieldTag {
            name: Text::from(name),
            form: TagForm::MergeKeys,
            values: texts(values),
        });
        let mut meta = FieldMeta {
            merge_key: texts(&patch.merge_key),
            joined_merge_key: join_names(&patch.merge_key),
            tags: own_tags.collect(),
            list_type: patch.list_type,
            list_map_keys: texts(&patch.list_map_keys),
            ..FieldMeta::default()
        };
        let mut strategies = 0;
        for strategy in &patch.strategies {
            match strategy.as_str() {
                "" => {}
                "merge" | "replace" => {
                    strategies += 1;
                    meta.strategy =
                        if strategy == "merge" { PatchStrategy::Merge } else { PatchStrategy::Replace };
                }
                word if declared.strategy_words().any(|declared| declared == word) => {
                    meta.add_strategy_word(word);
                }
                other => {
                    let known = declared.describe_strategies("or");
                    return Err(format!("unexpected patch strategy {other:?}: expected {known}"));
                }
            }
        }
        if strategies > 1 {
            return Err("a field has at most one of the patch strategies merge and replace".to_owned());
        }
        match declared.contradictions(patch).next() {
            Some((_, _, message)) => Err(message),
            None => Ok(meta),
        }
    }

    fn add_strategy_word(&mut self, word: &str) {
        if !self.has_tag(word) {
            self.tags.push(FieldTag {
                name: Text::from(word),
                form: TagForm::StrategyWord,
                values: Vec::new(),
            });
        }
    }

    /// Returns true if the field has a tag that a directive declares.
    #[must_use]
    pub fn has_tag(&self, name: &str) -> bool {
        self.tags.iter().any(|tag| tag.name == *name)
    }

    /// The values of a tag that a directive declares. Empty if the field does not have it, and for a word of
    /// `patchStrategy`.
    #[must_use]
    pub fn tag_values(&self, name: &str) -> &[OwnedText] {
        self.tags.iter().find(|tag| tag.name == *name).map(|tag| tag.values.as_slice()).unwrap_or_default()
    }

    /// The words of `patchStrategy` that directives declare.
    pub fn strategy_words(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().filter(|tag| tag.form == TagForm::StrategyWord).map(|tag| tag.name.as_str())
    }

    /// The tags that directives declare, with their values; words of `patchStrategy` are not among them.
    pub fn own_tags(&self) -> impl Iterator<Item = (&str, &[OwnedText])> {
        let own_tags = self.tags.iter().filter(|tag| tag.form != TagForm::StrategyWord);
        own_tags.map(|tag| (tag.name.as_str(), tag.values.as_slice()))
    }

    /// The keys that identify the items of a list to whoever reads all metadata: those of a tag that a directive
    /// declares, or else those of `patchMergeKey`. Empty if only their index identifies them.
    #[must_use]
    pub fn identifying_keys(&self) -> &[OwnedText] {
        let declared = self.tags.iter().find(|tag| tag.form == TagForm::MergeKeys && !tag.values.is_empty());
        declared.map_or(&self.merge_key, |tag| &tag.values)
    }

    /// Removes a tag.
    pub fn remove_tag(&mut self, tag: MetadataTag) {
        match tag {
            MetadataTag::PatchStrategy => {
                self.strategy = PatchStrategy::Unset;
                self.tags.retain(|tag| tag.form != TagForm::StrategyWord);
            }
            MetadataTag::PatchMergeKey => {
                self.merge_key.clear();
                self.joined_merge_key.clear();
            }
            MetadataTag::Declared(name) => self.tags.retain(|tag| tag.name != *name),
        }
    }

    /// Returns the names in `patchMergeKey` as a party reads them that supports several keys (`multi_field`) or one.
    pub(crate) fn merge_key_names(&self, multi_field: bool) -> &[OwnedText] {
        if multi_field || self.merge_key.len() < 2 { &self.merge_key } else { &self.joined_merge_key }
    }
}

fn join_names(names: &[String]) -> Vec<OwnedText> {
    if names.len() < 2 { Vec::new() } else { vec![Text::from(names.join(","))] }
}
