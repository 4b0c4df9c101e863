//! Properties of `$patchMergeKey` on generated types.
//!
//! The types have lists in lists and lists in structs. A list has default merge keys, recommended merge keys, or both,
//! of one or several fields.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};
use skewer_engine::profile::Profile;
use skewer_engine::schema::{MetadataTag, Schema};
use skewer_engine::{Doc, ErrorKind, Map, OwnedDoc, OwnedMap, Text};

use crate::helpers::schema_of;

/// The names of the fields that can be merge keys of list items. An item also has a field `x`, and fields that hold
/// lists and structs.
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The declaration of a field with a list of maps.
#[derive(Clone, Debug)]
struct KeyedList {
    strategy: &'static str,
    default: Vec<&'static str>,
    recommended: Vec<&'static str>,
}

impl KeyedList {
    fn keys(&self) -> &[&'static str] {
        if self.recommended.is_empty() { &self.default } else { &self.recommended }
    }

    /// Returns the key that each item must have.
    fn required(&self) -> Option<&'static str> {
        self.default.first().copied()
    }

    fn tags(&self) -> String {
        let mut tags = String::new();
        for (tag, value) in [
            ("patchStrategy", self.strategy.to_owned()),
            ("patchMergeKey", self.default.join(",")),
            ("recommendedPatchMergeKey", self.recommended.join(",")),
        ] {
            if !value.is_empty() {
                write!(tags, " {tag}:\"{value}\"").unwrap();
            }
        }
        tags
    }

    /// Returns an item of a patch that identifies `item`: it has the directive with all recommended keys, and the
    /// values of these keys.
    fn patch_item_for(&self, item: &OwnedDoc) -> OwnedDoc {
        let keys =
            self.recommended.iter().filter_map(|key| Some((Text::from(*key), field(item, key)?.clone())));
        let listed = self.recommended.iter().map(|key| Doc::from(*key)).collect::<Vec<_>>();
        with_field(&Doc::Map(keys.collect()), "$patchMergeKey", listed.into())
    }

    fn key_values(&self, item: &OwnedDoc) -> Vec<Option<OwnedDoc>> {
        self.keys().iter().map(|key| field(item, key).cloned()).collect()
    }
}

/// The generated types, described by their lists.
#[derive(Clone, Debug)]
struct Types {
    /// The list in the root.
    list: KeyedList,
    /// The list in each item of the root's list.
    inner: KeyedList,
    /// The list in each struct.
    in_struct: KeyedList,
}

impl Types {
    fn list_of_field(&self, name: &str) -> &KeyedList {
        match name {
            "list" => &self.list,
            "inner" => &self.inner,
            _ => &self.in_struct,
        }
    }

    fn go(&self) -> String {
        let (list, inner, in_struct) = (self.list.tags(), self.inner.tags(), self.in_struct.tags());
        let names = NAMES.map(|n| format!("{} string `json:\"{n},omitempty\"`\n", n.to_uppercase())).concat();
        format!(
            "type Root struct {{
  List []Item `json:\"list,omitempty\"{list}`
  One *Holder `json:\"one,omitempty\"`
}}
type Item struct {{
  {names}
  X int `json:\"x,omitempty\"`
  Inner []Leaf `json:\"inner,omitempty\"{inner}`
  One *Holder `json:\"one,omitempty\"`
}}
type Holder struct {{
  X int `json:\"x,omitempty\"`
  InStruct []Leaf `json:\"inStruct,omitempty\"{in_struct}`
}}
type Leaf struct {{
  {names}
  X int `json:\"x,omitempty\"`
}}
"
        )
    }

    fn schema(&self) -> Schema {
        schema_of(&self.go())
    }

    fn context(&self) -> PatchContext {
        PatchContext::of(Arc::new(self.schema()), "Root").unwrap()
    }

    fn context_without_element_order(&self) -> PatchContext {
        without(self.context(), "$setElementOrder")
    }

    /// Returns the context of a party that knows neither `$patchMergeKey` nor recommended merge keys.
    fn old_context(&self) -> PatchContext {
        let schema = self.schema().without_tag(MetadataTag::Declared("recommendedPatchMergeKey"));
        let context = PatchContext::of(Arc::new(schema), "Root").unwrap();
        PatchContext { directives: Profile::Today.directives(), ..context }
    }
}

fn without(context: PatchContext, directive: &str) -> PatchContext {
    PatchContext { directives: context.directives.without(directive), ..context }
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    (subsequence(NAMES.to_vec(), 1..=3)).prop_shuffle()
}

/// Generates lists with a default merge key and recommended merge keys, which include the default one.
fn recommended() -> impl Strategy<Value = KeyedList> {
    names().prop_map(|names| KeyedList { strategy: "merge", default: vec![names[0]], recommended: names })
}

/// Generates lists whose only recommended key is the default one.
fn recommended_default() -> impl Strategy<Value = KeyedList> {
    select(NAMES.to_vec()).prop_map(|name| KeyedList {
        strategy: "merge",
        default: vec![name],
        recommended: vec![name],
    })
}

/// Generates lists with recommended but without default merge keys. Without the directive they are replaced.
fn recommended_without_default() -> impl Strategy<Value = KeyedList> {
    (names(), select(vec!["", "replace"])).prop_map(|(recommended, strategy)| KeyedList {
        strategy,
        default: vec![],
        recommended,
    })
}

/// Generates lists with a default merge key of one or several fields and without recommended keys.
fn default_only() -> impl Strategy<Value = KeyedList> {
    names().prop_map(|default| KeyedList { strategy: "merge", default, recommended: vec![] })
}

fn any_list() -> BoxedStrategy<KeyedList> {
    prop_oneof![3 => recommended(), 2 => recommended_without_default(), 1 => default_only()].boxed()
}

/// Generates lists that only a party with support for `$patchMergeKey` can merge by all of their keys.
fn with_recommended_keys() -> BoxedStrategy<KeyedList> {
    prop_oneof![recommended(), recommended_without_default()].boxed()
}

fn types(list: impl Fn() -> BoxedStrategy<KeyedList>) -> impl Strategy<Value = Types> {
    (list(), list(), list()).prop_map(|(list, inner, in_struct)| Types { list, inner, in_struct })
}

fn object(fields: Vec<(&'static str, BoxedStrategy<OwnedDoc>)>) -> BoxedStrategy<OwnedDoc> {
    let optional: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| proptest::option::of(value).prop_map(move |v| v.map(|v| (Text::from(name), v))))
        .collect();
    optional.prop_map(|fields| Doc::Map(fields.into_iter().flatten().collect::<OwnedMap>())).boxed()
}

fn word() -> BoxedStrategy<OwnedDoc> {
    "[k-m]".prop_map(Doc::from).boxed()
}

fn number() -> BoxedStrategy<OwnedDoc> {
    (0..3_i64).prop_map(Doc::from).boxed()
}

/// Generates the items of a list, with additional fields `more`. Each item has the default merge key, and no two items
/// have equal key values.
fn items(keyed: &KeyedList, more: Vec<(&'static str, BoxedStrategy<OwnedDoc>)>) -> BoxedStrategy<OwnedDoc> {
    let keyed = keyed.clone();
    let mut fields: Vec<_> = NAMES.iter().map(|name| (*name, word())).collect();
    fields.push(("x", number()));
    fields.extend(more);
    let item = (word(), object(fields)).prop_map({
        let required = keyed.required();
        move |(default, item)| match required {
            Some(key) if field(&item, key).is_none() => with_field(&item, key, default),
            _ => item,
        }
    });
    proptest::collection::vec(item, 0..5)
        .prop_map(move |items| {
            let mut unique: Vec<OwnedDoc> = Vec::new();
            for item in items {
                if unique.iter().all(|other| keyed.key_values(other) != keyed.key_values(&item)) {
                    unique.push(item);
                }
            }
            Doc::List(unique)
        })
        .boxed()
}

fn holder(types: &Types) -> BoxedStrategy<OwnedDoc> {
    object(vec![("x", number()), ("inStruct", items(&types.in_struct, vec![]))])
}

fn document(types: &Types) -> BoxedStrategy<OwnedDoc> {
    let more = vec![("inner", items(&types.inner, vec![])), ("one", holder(types))];
    object(vec![("list", items(&types.list, more)), ("one", holder(types))])
}

/// Generates types, and `N` documents of these types.
fn documents<const N: usize>(
    list: impl Fn() -> BoxedStrategy<KeyedList>,
) -> impl Strategy<Value = (Types, [OwnedDoc; N])> {
    types(list).prop_flat_map(|types| {
        let documents = proptest::collection::vec(document(&types), N);
        (Just(types), documents.prop_map(|documents| documents.try_into().unwrap()))
    })
}

/// Generates types whose outermost list has several recommended keys, a document with at least this number of items in
/// the list, and the index of an item.
fn documents_with_a_list(least: usize) -> impl Strategy<Value = (Types, OwnedDoc, Index)> {
    let keyed =
        || with_recommended_keys().prop_filter("one key", |keyed| keyed.recommended.len() > 1).boxed();
    let documents = types(keyed).prop_flat_map(move |types| {
        let enough = move |items: &OwnedDoc| list(items).len() >= least;
        let items = items(&types.list, vec![]).prop_filter("too few", enough);
        (Just(types.clone()), items.prop_map(|items| in_list(list(&items).to_vec())))
    });
    (documents, any::<Index>()).prop_map(|((types, document), index)| (types, document, index))
}

fn in_list(items: Vec<OwnedDoc>) -> OwnedDoc {
    with_field(&Doc::Map(Map::new()), "list", items.into())
}

fn field<'v>(value: &'v OwnedDoc, name: &str) -> Option<&'v OwnedDoc> {
    value.as_map().and_then(|map| map.get(name))
}

fn with_field(value: &OwnedDoc, name: &str, new: OwnedDoc) -> OwnedDoc {
    let mut map = value.as_map().cloned().unwrap_or_default();
    map.insert(name.into(), new);
    Doc::Map(map)
}

fn list(value: &OwnedDoc) -> &[OwnedDoc] {
    value.as_list().unwrap_or_default()
}

/// Returns the document with all lists sorted.
fn unordered(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(map) => Doc::Map(map.iter().map(|(key, value)| (key.clone(), unordered(value))).collect()),
        Doc::List(items) => {
            let mut items: Vec<OwnedDoc> = items.iter().map(unordered).collect();
            items.sort_by_key(ToString::to_string);
            Doc::List(items)
        }
        scalar => scalar.clone(),
    }
}

fn without_key(value: &OwnedDoc, name: &str) -> OwnedDoc {
    match value {
        Doc::Map(map) => {
            let kept = map.iter().filter(|(key, _)| *key != name);
            Doc::Map(kept.map(|(key, value)| (key.clone(), without_key(value, name))).collect())
        }
        Doc::List(items) => Doc::List(items.iter().map(|item| without_key(item, name)).collect()),
        scalar => scalar.clone(),
    }
}

/// Returns the document after conversion to the server's type, which drops element orders and nulls.
///
/// Like upstream, applying a patch stores the element orders and nulls of maps that the live object lacks.
fn converted(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(map) => {
            let kept =
                map.iter().filter(|(key, value)| !key.starts_with("$setElementOrder/") && !value.is_null());
            Doc::Map(kept.map(|(key, value)| (key.clone(), converted(value))).collect())
        }
        Doc::List(items) => Doc::List(items.iter().map(converted).collect()),
        scalar => scalar.clone(),
    }
}

/// Returns the expected result of applying `modified` after `last` to the object `live`, which others may have changed.
/// The result is computed from the documents alone, without a patch.
fn expected_result(
    types: &Types,
    name: &str,
    [last, modified, live]: [Option<&OwnedDoc>; 3],
) -> Option<OwnedDoc> {
    match (modified, live) {
        (None, _) if last.is_some() => None,
        (None, live) => live.cloned(),
        (Some(modified @ Doc::Map(_)), Some(live @ Doc::Map(_))) => {
            let mut map = Map::new();
            let keys = [modified, live].into_iter().flat_map(|v| v.as_map().unwrap().keys());
            for key in keys {
                let of = |document: Option<&'_ OwnedDoc>| document.and_then(|d| field(d, key)).cloned();
                let (last, modified, live) = (of(last), of(Some(modified)), of(Some(live)));
                if let Some(value) =
                    expected_result(types, key, [last.as_ref(), modified.as_ref(), live.as_ref()])
                {
                    map.insert(key.clone(), value);
                }
            }
            Some(Doc::Map(map))
        }
        (Some(Doc::List(modified)), Some(Doc::List(live))) => {
            let keyed = types.list_of_field(name);
            let counterpart = |items: &[OwnedDoc], item: &OwnedDoc| {
                items.iter().find(|other| keyed.key_values(other) == keyed.key_values(item)).cloned()
            };
            let last = last.map(list).unwrap_or_default();
            let new = modified.iter().filter(|item| counterpart(live, item).is_none());
            let items = live.iter().chain(new).filter_map(|item| {
                let of = [counterpart(last, item), counterpart(modified, item), counterpart(live, item)];
                expected_result(types, "", of.each_ref().map(Option::as_ref))
            });
            Some(Doc::List(items.collect()))
        }
        (modified, _) => modified.cloned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn applying_a_two_way_patch_yields_the_modified_document((types, [original, modified]) in documents(any_list)) {
        let context = types.context();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        // The patch has the element orders of the modified document, so that the order of items is equal, too.
        prop_assert_eq!(patch::apply(&context, &original, &patch).unwrap(), modified, "by {}", patch);
    }

    #[test]
    fn applying_a_patch_without_element_order_yields_the_modified_document_in_any_order((types, [original, modified]) in documents(any_list)) {
        let context = types.context_without_element_order();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        let result = patch::apply(&context, &original, &patch).unwrap();
        prop_assert_eq!(unordered(&result), unordered(&modified), "by {}", patch);
    }

    #[test]
    fn applying_a_three_way_patch_yields_the_expected_result(
        (types, [last, modified, live]) in documents(with_recommended_keys)
    ) {
        // Lists with only a default key are excluded: if the live object lacks an item, deletions in it are stored,
        // like upstream.
        let expected = expected_result(&types, "", [Some(&last), Some(&modified), Some(&live)]).unwrap();
        for context in [types.context(), types.context_without_element_order()] {
            let documents = ThreeWay { last_applied: &last, modified: &modified, live: &live };
            let patch = patch::three_way(&context, documents, Overwrite::Yes, &[]).unwrap();
            let result = patch::apply(&context, &live, &patch).unwrap();
            prop_assert_eq!(&without_key(&result, "$patchMergeKey"), &result, "by {}", patch);
            prop_assert_eq!(unordered(&converted(&result)), unordered(&expected), "by {}", patch);
        }
    }

    #[test]
    fn every_item_of_a_list_with_recommended_keys_carries_the_directive((types, [original, modified]) in documents(any_list)) {
        let patch = patch::two_way(&types.context(), &original, &modified).unwrap();
        check_directives(&types, &patch)?;
    }

    #[test]
    fn a_deletion_removes_only_the_matched_item((types, live, index) in documents_with_a_list(1)) {
        let items = list(field(&live, "list").unwrap());
        let removed = index.index(items.len());
        let deletion = with_field(&types.list.patch_item_for(&items[removed]), "$patch", "delete".into());
        let mut left = items.to_vec();
        left.remove(removed);
        let result = patch::apply(&types.context(), &live, &in_list(vec![deletion])).unwrap();
        prop_assert_eq!(result, with_field(&live, "list", left.into()));
    }

    #[test]
    fn a_listed_null_removes_the_key_from_the_first_match((types, live, index) in documents_with_a_list(1)) {
        let items = list(field(&live, "list").unwrap());
        let more: Vec<&str> =
            types.list.recommended.iter().copied().filter(|key| Some(*key) != types.list.required()).collect();
        let (selected, key) = (&items[index.index(items.len())], more[index.index(more.len())]);
        let is_match = |other: &OwnedDoc| {
            let equal = |k: &&str| *k == key || field(other, k) == field(selected, k);
            field(other, key).is_some() && types.list.recommended.iter().all(equal)
        };
        let patch_item = types.list.patch_item_for(selected);
        let mut expected = items.to_vec();
        match items.iter().position(is_match) {
            Some(first) => expected[first] = without_field(&items[first], key),
            // No item has the key: the item of the patch is a new one.
            None => expected.insert(0, without_field(&without_field(&patch_item, key), "$patchMergeKey")),
        }
        let patch = in_list(vec![with_field(&patch_item, key, Doc::Null)]);
        let result = patch::apply(&types.context(), &live, &patch).unwrap();
        prop_assert_eq!(result, with_field(&live, "list", expected.into()));
    }

    /// The patch-merge-key document: "And the new patch is the superset of the old patch and the difference is the
    /// directve. Thus, the behavior of the old server will not be affected."
    #[test]
    fn an_old_server_is_unaffected_if_the_default_key_is_recommended(
        (types, [original, modified]) in documents(|| recommended_default().boxed())
    ) {
        let server = types.old_context();
        let old = patch::two_way(&server, &original, &modified).unwrap();
        let new = patch::two_way(&types.context(), &original, &modified).unwrap();
        prop_assert_eq!(&without_key(&new, "$patchMergeKey"), &old, "the patches differ in more than the directive");
        let result = patch::apply(&server, &original, &new).unwrap();
        prop_assert_eq!(without_key(&result, "$patchMergeKey"), patch::apply(&server, &original, &old).unwrap());
    }

    /// The patch-merge-key document: "An old server will drop the field it doesn't recognise". The directive is an
    /// ordinary field to an old server, and the rest of the patch has the same effect as without the directive.
    ///
    /// There is one exception. If an old server matches two items of the patch with the same live item, it must merge
    /// the directive as a list, and refuses the unknown field.
    #[test]
    fn an_old_server_treats_the_directive_as_a_field(
        (types, [original, modified]) in documents(with_recommended_keys)
    ) {
        let server = types.old_context();
        let new = patch::two_way(&types.context(), &original, &modified).unwrap();
        match (patch::apply(&server, &original, &new), patch::apply(&server, &original, &without_key(&new, "$patchMergeKey"))) {
            (Ok(with), Ok(without)) => prop_assert_eq!(without_key(&with, "$patchMergeKey"), without, "by {}", new),
            (Err(error), Ok(_)) => {
                prop_assert_eq!(error.kind(), ErrorKind::UnknownField, "{} by {}", error, new);
                prop_assert!(error.to_string().contains("$patchMergeKey"), "{}", error);
            }
            (with, without) => prop_assert!(with.is_err() && without.is_err(), "by {}", new),
        }
    }

    #[test]
    fn only_changes_of_the_same_item_conflict((types, original, index) in documents_with_a_list(2)) {
        let items = list(field(&original, "list").unwrap());
        let context = types.context_without_element_order();
        let first = index.index(items.len());
        let change = |index: usize, value: i64| {
            let mut items = items.to_vec();
            items[index] = with_field(&items[index], "x", value.into());
            patch::two_way(&context, &original, &with_field(&original, "list", items.into())).unwrap()
        };
        let (left, other, same) = (change(first, 7), change((first + 1) % items.len(), 8), change(first, 9));
        prop_assert!(!patch::have_conflicts(&context, &left, &other).unwrap(), "{} and {}", left, other);
        prop_assert!(patch::have_conflicts(&context, &left, &same).unwrap(), "{} and {}", left, same);
        prop_assert!(!patch::have_conflicts(&context, &left, &left).unwrap());
    }

    /// The first patch only adds or changes items. Like upstream, combining drops a deletion if the other patch lacks
    /// the list.
    #[test]
    fn applying_a_combined_patch_equals_applying_both_patches(
        (types, (one, two, three)) in types(any_list).prop_flat_map(|types| {
            let document = || items(&types.list, vec![]).prop_map(|items| in_list(list(&items).to_vec()));
            let documents = (document(), document(), document());
            (Just(types.clone()), documents)
        })
    ) {
        let context = types.context_without_element_order();
        let two = expected_result(&types, "", [None, Some(&two), Some(&one)]).unwrap();
        let first = patch::two_way(&context, &one, &two).unwrap();
        let second = patch::two_way(&context, &two, &three).unwrap();
        let keeps_deletions = field(&first, "list").is_some() && !types.list.recommended.is_empty();
        let three = if keeps_deletions { three } else { two.clone() };
        let second = if keeps_deletions { second } else { Doc::Map(Map::new()) };
        let both = patch::combine(&context, &[first.clone(), second.clone()]).unwrap();
        let result = patch::apply(&context, &one, &both).unwrap();
        prop_assert_eq!(unordered(&result), unordered(&three), "{} and {} are {}", first, second, both);
    }
}

fn without_field(value: &OwnedDoc, name: &str) -> OwnedDoc {
    let mut map = value.as_map().cloned().unwrap_or_default();
    map.remove(name);
    Doc::Map(map)
}

/// Checks that each item of a list with recommended keys lists them all, and that no other item has the directive.
fn check_directives(types: &Types, patch: &OwnedDoc) -> Result<(), TestCaseError> {
    for (name, value) in patch.as_map().into_iter().flat_map(Map::iter) {
        if name.starts_with('$') {
            continue;
        }
        for item in list(value) {
            let keyed = types.list_of_field(name);
            let listed = (!keyed.recommended.is_empty())
                .then(|| Doc::from(keyed.recommended.iter().map(|key| Doc::from(*key)).collect::<Vec<_>>()));
            prop_assert_eq!(field(item, "$patchMergeKey"), listed.as_ref(), "in {} of {}", name, patch);
            check_directives(types, item)?;
        }
        check_directives(types, value)?;
    }
    Ok(())
}
