//! The tags of fields and types: those of patch metadata, and those that server-side apply uses. Every party reads
//! `patchStrategy` and `patchMergeKey`; directives declare other tags of patch metadata.

use super::patch_meta::{PatchMeta, merge_keys_error, split_merge_keys};

/// A tag of the metadata of a field or a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetadataTag {
    /// The whole tag `patchStrategy`.
    PatchStrategy,
    /// `patchMergeKey`.
    PatchMergeKey,
    /// A tag that a directive declares, by its name.
    Declared(&'static str),
    /// `listType`, with the keys of the list.
    ListType,
    /// `listMapKey`.
    ListMapKey,
    /// `mapType`. It is another name of `structType`.
    MapType,
    /// `structType`. It is another name of `mapType`.
    StructType,
}

/// The tags for server-side apply, which types can have as well as fields.
const TOPOLOGY_TAGS: [MetadataTag; 4] =
    [MetadataTag::ListType, MetadataTag::ListMapKey, MetadataTag::MapType, MetadataTag::StructType];

impl MetadataTag {
    /// The name of the struct tag or the marker in Go, or the word of `patchStrategy`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MetadataTag::PatchStrategy => "patchStrategy",
            MetadataTag::PatchMergeKey => "patchMergeKey",
            MetadataTag::Declared(name) => name,
            MetadataTag::ListType => "listType",
            MetadataTag::ListMapKey => "listMapKey",
            MetadataTag::MapType => "mapType",
            MetadataTag::StructType => "structType",
        }
    }

    /// Returns true if a type can have the tag. Only fields can have the other tags.
    #[must_use]
    pub fn is_of_types(self) -> bool {
        TOPOLOGY_TAGS.contains(&self)
    }
}

/// The declaration of a tag by a directive. Readers, writers and views of types handle the tag by its declaration.
///
/// ```
/// use skewer_engine::schema::{FieldMeta, TagDeclaration};
///
/// /// `patchStrategy:"merge,appendOnly"`
/// const WORD: TagDeclaration = TagDeclaration::strategy_word("appendOnly");
/// /// `appendKey:"a,b"` in Go, `x-kubernetes-append-key` in OpenAPI.
/// const KEYS: TagDeclaration = TagDeclaration::merge_keys("appendKey");
///
/// fn is_append_only(meta: &FieldMeta) -> bool {
///     meta.has_tag(WORD.name) && !meta.tag_values(KEYS.name).is_empty()
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TagDeclaration {
    /// The name of the struct tag in Go, or the word of `patchStrategy`.
    pub name: &'static str,
    /// The form in which the tag is written.
    pub form: TagForm,
    /// The check of the tag's values against the other metadata of the field, if there is one.
    pub check: Option<TagCheck>,
}

/// The form in which a tag is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagForm {
    /// A word that `patchStrategy` can have in addition to `merge` or `replace`, such as `retainKeys`.
    StrategyWord,
    /// A separate tag whose value names the fields that identify the items of a list, separated by commas. In Go, the
    /// tag is the key of a struct tag. In `OpenAPI`, the tag is an extension: `x-kubernetes-`, followed by the name in
    /// lower case with a hyphen before each former capital.
    MergeKeys,
}

/// A check of a tag's values against the other metadata of the field.
#[derive(Clone, Copy, Debug)]
pub struct TagCheck {
    /// The id of the rule. A case that expects the types to be refused names this id.
    pub rule: &'static str,
    /// A function that returns a message if the metadata breaks the rule.
    pub contradiction: fn(&PatchMeta) -> Option<String>,
}

impl TagDeclaration {
    /// Declares a word of `patchStrategy`.
    #[must_use]
    pub const fn strategy_word(name: &'static str) -> Self {
        TagDeclaration { name, form: TagForm::StrategyWord, check: None }
    }

    /// Declares a tag whose value is a list of merge keys.
    #[must_use]
    pub const fn merge_keys(name: &'static str) -> Self {
        TagDeclaration { name, form: TagForm::MergeKeys, check: None }
    }

    /// Adds a check against the other metadata of the field.
    #[must_use]
    pub const fn checked(self, rule: &'static str, contradiction: fn(&PatchMeta) -> Option<String>) -> Self {
        TagDeclaration { check: Some(TagCheck { rule, contradiction }), ..self }
    }
}

/// The tags that directives declare. [`DirectiveSet::metadata_tags`](crate::directive::DirectiveSet::metadata_tags)
/// returns the tags of a directive set.
#[derive(Clone, Debug, Default)]
pub struct MetadataTags {
    declarations: Vec<TagDeclaration>,
}

impl MetadataTags {
    /// Creates a set of these declarations. If several declarations have the same name, only the first is used.
    pub fn of(declarations: impl IntoIterator<Item = TagDeclaration>) -> Self {
        let mut tags = MetadataTags::default();
        for declaration in declarations {
            if tags.by_name(declaration.name).is_none() {
                tags.declarations.push(declaration);
            }
        }
        tags
    }

    /// Returns the declaration of the tag with this name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&TagDeclaration> {
        self.declarations.iter().find(|declaration| declaration.name == name)
    }

    /// Returns the declarations of the tags.
    pub fn iter(&self) -> impl Iterator<Item = &TagDeclaration> + Clone {
        self.declarations.iter()
    }

    /// Returns the declared words of `patchStrategy`.
    pub fn strategy_words(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.names_of_form(TagForm::StrategyWord)
    }

    /// Returns the names of the tags that are not words of `patchStrategy`.
    pub(super) fn own_tag_names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.names_of_form(TagForm::MergeKeys)
    }

    fn names_of_form(&self, form: TagForm) -> impl Iterator<Item = &'static str> + Clone {
        self.iter().filter(move |declaration| declaration.form == form).map(|declaration| declaration.name)
    }

    /// Returns all tags: the tags that every party reads, and the declared tags.
    pub(super) fn all(&self) -> Vec<MetadataTag> {
        let declared = |name| MetadataTag::Declared(name);
        let words = self.strategy_words().map(declared);
        let tags = std::iter::once(MetadataTag::PatchStrategy).chain(words);
        let tags = tags.chain([MetadataTag::PatchMergeKey]).chain(self.own_tag_names().map(declared));
        tags.chain(TOPOLOGY_TAGS).collect()
    }

    /// Returns a message for each declared tag that contradicts the other metadata of a field, together with the tag.
    pub(super) fn contradictions(
        &self,
        meta: &PatchMeta,
    ) -> impl Iterator<Item = (&TagDeclaration, &TagCheck, String)> {
        self.iter().filter_map(|declaration| {
            let check = declaration.check.as_ref()?;
            Some((declaration, check, (check.contradiction)(meta)?))
        })
    }

    /// Splits the value of a tag that is not a word of `patchStrategy`. Also returns an error message if the values are
    /// invalid.
    pub(super) fn split_values(value: &str) -> (Vec<String>, Option<String>) {
        let values = split_merge_keys(value);
        let error = merge_keys_error(&values);
        (values, error)
    }

    /// Returns an error message if the patch strategies cannot be combined. At most one of `merge` and `replace` is
    /// allowed, and each declared word is allowed once. Upstream: `extractRetainKeysPatchStrategy`.
    pub(super) fn strategies_error(&self, strategies: &[String]) -> Option<String> {
        let is_word = |strategy: &str| self.strategy_words().any(|word| word == strategy);
        let is_known = |strategy: &str| matches!(strategy, "merge" | "replace") || is_word(strategy);
        if let Some(unknown) = strategies.iter().find(|s| !is_known(s)) {
            let known = self.describe_strategies("and");
            return Some(format!("the patch strategy {unknown:?} is not known: {known} are"));
        }
        let has_repeated_word = self
            .strategy_words()
            .any(|word| strategies.iter().filter(|strategy| *strategy == word).count() > 1);
        let others = strategies.iter().filter(|strategy| !is_word(strategy)).count();
        (others > 1 || has_repeated_word).then(|| {
            let words: Vec<&str> = self.strategy_words().collect();
            let words = if words.is_empty() {
                String::new()
            } else {
                format!(", and {} at most once", join_words(&words, "and"))
            };
            let found = strategies.join(", ");
            format!("{found} cannot be combined: expected at most one of merge and replace{words}")
        })
    }

    /// Returns the words of `patchStrategy` as text: `merge, replace and retainKeys`.
    pub(super) fn describe_strategies(&self, conjunction: &str) -> String {
        join_words(
            &["merge", "replace"].into_iter().chain(self.strategy_words()).collect::<Vec<_>>(),
            conjunction,
        )
    }
}

/// Joins words with commas and a conjunction: `a, b and c`.
pub(super) fn join_words(words: &[&str], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} {conjunction} {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: TagDeclaration = TagDeclaration::merge_keys("a");
    const WORD: TagDeclaration = TagDeclaration::strategy_word("word");

    #[test]
    fn the_first_declaration_of_a_name_counts() {
        let checked = A.checked("a-rule", |meta| meta.merge_key.is_empty().then(|| "no key".to_owned()));
        let tags = MetadataTags::of([checked, WORD, A]);
        assert_eq!(tags.iter().map(|tag| tag.name).collect::<Vec<_>>(), ["a", "word"]);
        let contradictions: Vec<_> = tags.contradictions(&PatchMeta::default()).collect();
        assert!(matches!(contradictions[..], [(tag, check, _)] if tag.name == "a" && check.rule == "a-rule"));
    }

    #[test]
    fn words_and_tags_of_their_own_are_told_apart() {
        let tags = MetadataTags::of([A, WORD]);
        let names: Vec<_> = tags.all().into_iter().map(MetadataTag::name).collect();
        assert_eq!(
            names,
            [
                "patchStrategy",
                "word",
                "patchMergeKey",
                "a",
                "listType",
                "listMapKey",
                "mapType",
                "structType"
            ]
        );
        assert_eq!(tags.describe_strategies("and"), "merge, replace and word");
        assert_eq!(MetadataTags::default().describe_strategies("or"), "merge or replace");
    }
}
