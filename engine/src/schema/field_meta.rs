//! The patch metadata of a field after it was checked.

use super::declarations::FieldDecl;
use super::metadata_tag::{MetadataTag, MetadataTags, TagForm};
use super::patch_meta::{ListType, MapType, PatchMeta, unknown_list_type, unknown_map_type};
use crate::document::{OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

/// The way in which a map or a list is patched if no directive changes it. Upstream: the second result of
/// `extractRetainKeysPatchStrategy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchStrategy {
    /// No strategy is declared. Maps are merged, and lists are replaced.
    #[default]
    Unset,
    /// Lists and maps are merged.
    Merge,
    /// Lists and maps are replaced as a whole.
    Replace,
}

/// Whether a document must have a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Required {
    /// Documents can lack the field.
    #[default]
    No,
    /// Documents must have the field. It is marked `+required` in Go, or listed under `required` in `OpenAPI`.
    Yes,
}

impl Required {
    pub(crate) fn from_declaration(field: &FieldDecl) -> Self {
        if field.required == Some(true) { Required::Yes } else { Required::No }
    }
}

/// A metadata tag of a field. A directive declares the tag.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldTag {
    name: OwnedText,
    form: TagForm,
    /// The values of the tag. Empty for a word of `patchStrategy`.
    values: Vec<OwnedText>,
}

/// The patch metadata of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMeta {
    /// The value of `patchStrategy`, without the words that directives declare.
    pub strategy: PatchStrategy,
    /// The names in `patchMergeKey`. The proposal for multi-field keys allows several names.
    pub merge_key: Vec<OwnedText>,
    /// The value of `patchMergeKey` as a single name. A party that supports only single keys reads `port,protocol` as
    /// one name with a comma.
    joined_merge_key: Vec<OwnedText>,
    /// The metadata tags that directives declare, including the declared words of `patchStrategy`.
    tags: Vec<FieldTag>,
    /// The list type for server-side apply. It also tells whether the order of the items matters: it does, unless the
    /// type is `set` or `map`.
    pub list_type: Option<ListType>,
    /// The keys that identify the items of a list of type `map`.
    pub list_map_keys: Vec<OwnedText>,
    /// The map type for server-side apply, if the field declares one.
    pub map_type: Option<MapType>,
}

impl FieldMeta {
    /// The metadata of a field without declared patch metadata.
    pub const NONE: FieldMeta = FieldMeta {
        strategy: PatchStrategy::Unset,
        merge_key: Vec::new(),
        joined_merge_key: Vec::new(),
        tags: Vec::new(),
        list_type: None,
        list_map_keys: Vec::new(),
        map_type: None,
    };

    /// Checks the declared metadata of a field. The error is a message without the path of the field.
    pub(crate) fn compile(patch: &PatchMeta, declared: &MetadataTags) -> std::result::Result<Self, String> {
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

    /// Returns the values of a tag that a directive declares. The result is empty if the field does not have the tag,
    /// or if the tag is a word of `patchStrategy`.
    #[must_use]
    pub fn tag_values(&self, name: &str) -> &[OwnedText] {
        self.tags.iter().find(|tag| tag.name == *name).map(|tag| tag.values.as_slice()).unwrap_or_default()
    }

    /// Returns those words of `patchStrategy` that directives declare.
    pub fn strategy_words(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().filter(|tag| tag.form == TagForm::StrategyWord).map(|tag| tag.name.as_str())
    }

    /// Returns the tags that directives declare, with their values. Words of `patchStrategy` are not included.
    pub fn own_tags(&self) -> impl Iterator<Item = (&str, &[OwnedText])> {
        let own_tags = self.tags.iter().filter(|tag| tag.form != TagForm::StrategyWord);
        own_tags.map(|tag| (tag.name.as_str(), tag.values.as_slice()))
    }

    /// Returns the keys that identify the items of a list for a party that reads all metadata. These are the values of
    /// a tag that a directive declares or, if there is no such tag, the names in `patchMergeKey`. The result is empty
    /// if only the index identifies an item.
    #[must_use]
    pub fn identifying_keys(&self) -> &[OwnedText] {
        let declared = self.tags.iter().find(|tag| tag.form == TagForm::MergeKeys && !tag.values.is_empty());
        declared.map_or(&self.merge_key, |tag| &tag.values)
    }

    /// Returns true if [`FieldMeta::remove_tag`] changes the metadata.
    pub(crate) fn has_metadata(&self, tag: MetadataTag) -> bool {
        match tag {
            MetadataTag::PatchStrategy => {
                self.strategy != PatchStrategy::Unset || self.strategy_words().next().is_some()
            }
            MetadataTag::PatchMergeKey => !self.merge_key.is_empty(),
            MetadataTag::Declared(name) => self.has_tag(name),
            MetadataTag::ListType => self.list_type.is_some() || !self.list_map_keys.is_empty(),
            MetadataTag::ListMapKey => !self.list_map_keys.is_empty(),
            MetadataTag::MapType | MetadataTag::StructType => self.map_type.is_some(),
        }
    }

    /// Removes a tag from the field.
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
            // Without the list type, the keys have no meaning.
            MetadataTag::ListType => {
                self.list_type = None;
                self.list_map_keys.clear();
            }
            MetadataTag::ListMapKey => self.list_map_keys.clear(),
            MetadataTag::MapType | MetadataTag::StructType => self.map_type = None,
        }
    }

    /// Sets the values of a tag, in place of those that the field has. `declared` are the tags that directives declare.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] if the tag cannot have these values, or if the metadata then contradicts itself.
    pub fn set_tag(&mut self, tag: MetadataTag, values: &[&str], declared: &MetadataTags) -> Result<()> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidSchema, message);
        let texts = || values.iter().map(|value| (*value).to_owned()).collect();
        let last = values.last().copied().unwrap_or_default();
        let (mut patch, mut map_type) = (self.as_declared(), self.map_type);
        match tag {
            MetadataTag::ListType => {
                let list_type = ListType::from_name(last);
                patch.list_type = Some(list_type.ok_or_else(|| invalid(unknown_list_type(last)))?);
            }
            MetadataTag::ListMapKey => patch.list_map_keys = texts(),
            MetadataTag::MapType | MetadataTag::StructType => {
                map_type = Some(MapType::from_name(last).ok_or_else(|| invalid(unknown_map_type(last)))?);
            }
            MetadataTag::PatchMergeKey => patch.merge_key = texts(),
            MetadataTag::Declared(name) if declared.strategy_words().all(|word| word != name) => {
                patch.set_tag(name, texts());
            }
            MetadataTag::PatchStrategy | MetadataTag::Declared(_) => patch.strategies = texts(),
        }
        *self = FieldMeta { map_type, ..FieldMeta::compile(&patch, declared).map_err(invalid)? };
        Ok(())
    }

    /// Returns the metadata as a declaration that compiles to it.
    fn as_declared(&self) -> PatchMeta {
        let texts = |values: &[OwnedText]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        let strategy = match self.strategy {
            PatchStrategy::Unset => None,
            PatchStrategy::Merge => Some("merge"),
            PatchStrategy::Replace => Some("replace"),
        };
        let mut patch = PatchMeta::with_strategies(strategy.into_iter().chain(self.strategy_words()));
        patch.merge_key = texts(&self.merge_key);
        patch.tags = self.own_tags().map(|(name, values)| (name.to_owned(), texts(values))).collect();
        patch.list_type = self.list_type;
        patch.list_map_keys = texts(&self.list_map_keys);
        patch
    }

    /// Replaces the names in `patchMergeKey`.
    pub fn set_merge_key<'k>(&mut self, names: impl IntoIterator<Item = &'k str>) {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        self.merge_key = names.iter().map(Text::from).collect();
        self.joined_merge_key = join_names(&names);
    }

    /// Returns the names in `patchMergeKey`. If `multi_field` is false, the result is the whole value as one name, as a
    /// party that supports only single keys reads it.
    pub(crate) fn merge_key_names(&self, multi_field: bool) -> &[OwnedText] {
        if multi_field || self.merge_key.len() < 2 { &self.merge_key } else { &self.joined_merge_key }
    }
}

fn join_names(names: &[String]) -> Vec<OwnedText> {
    if names.len() < 2 { Vec::new() } else { vec![Text::from(names.join(","))] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::metadata_tag::TagDeclaration;

    #[test]
    fn metadata_has_a_tag_if_removing_the_tag_changes_it() {
        let values = vec![Text::from_static("a")];
        let tag = |form| FieldTag { name: Text::from_static("declared"), form, values: values.clone() };
        let metas = [
            FieldMeta::NONE,
            FieldMeta { strategy: PatchStrategy::Replace, ..FieldMeta::NONE },
            FieldMeta { merge_key: values.clone(), ..FieldMeta::NONE },
            FieldMeta { tags: vec![tag(TagForm::StrategyWord)], ..FieldMeta::NONE },
            FieldMeta { tags: vec![tag(TagForm::MergeKeys)], ..FieldMeta::NONE },
            FieldMeta { list_type: Some(ListType::Set), ..FieldMeta::NONE },
            FieldMeta { list_map_keys: values.clone(), ..FieldMeta::NONE },
            FieldMeta { map_type: Some(MapType::Atomic), ..FieldMeta::NONE },
        ];
        let tags = [
            MetadataTag::PatchStrategy,
            MetadataTag::PatchMergeKey,
            MetadataTag::Declared("declared"),
            MetadataTag::Declared("other"),
            MetadataTag::ListType,
            MetadataTag::ListMapKey,
            MetadataTag::MapType,
            MetadataTag::StructType,
        ];
        for meta in &metas {
            for tag in tags {
                let mut without = meta.clone();
                without.remove_tag(tag);
                assert_eq!(meta.has_metadata(tag), without != *meta, "{tag:?} of {meta:?}");
            }
        }
    }

    #[test]
    fn a_declared_tag_has_values_of_its_own_unless_it_is_a_word() {
        let (own, word) = (TagDeclaration::merge_keys("own"), TagDeclaration::strategy_word("word"));
        let declared = MetadataTags::of([own, word]);
        let mut meta = FieldMeta { strategy: PatchStrategy::Replace, ..FieldMeta::NONE };
        meta.set_tag(MetadataTag::Declared("own"), &["a", "b"], &declared).unwrap();
        assert_eq!(
            (meta.strategy, meta.tag_values("own")),
            (PatchStrategy::Replace, &texts(&["a", "b"])[..])
        );
        meta.set_tag(MetadataTag::Declared("word"), &["merge", "word"], &declared).unwrap();
        assert_eq!((meta.strategy, meta.has_tag("word")), (PatchStrategy::Merge, true));
        assert_eq!(meta.tag_values("own"), texts(&["a", "b"]));
    }

    fn texts(values: &[&'static str]) -> Vec<OwnedText> {
        values.iter().copied().map(Text::from_static).collect()
    }
}
