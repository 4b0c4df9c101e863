//! Properties of `$patchMergeKey` on generated types: lists with merge keys of one field or several, recommended
//! or moved, in each other and in structs.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};
use skewer_engine::profile::Profile;
use skewer_engine::schema::{MetadataTag, Schema};
use skewer_engine::{Doc, ErrorKind, Map, OwnedDoc, OwnedMap, Text};

use crate::helpers::schema_of;

/// The fields of items that can be keys; the other fields are `x` and lists.
const NAMES: [&str; 3] = ["a", "b", "c"];

/// A list of maps, as its field declares it.
#[derive(Clone, Debug)]
struct KeyedList {
    strategy: &'static str,
    default: Vec<&'static str>,
    recommended: Vec<&'static str>,
}

impl KeyedList {
    /// The merge keys that tell its items apart.
    fn keys(&self) -> &[&'static str] {
        if self.recommended.is_empty() { &self.default } else { &self.recommended }
    }

    /// The key that every item must have.
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

    /// An item of a patch that lists all keys and has no other fields.
    fn named(&self, item: &OwnedDoc) -> OwnedDoc {
        let keys =
            self.recommended.iter().filter_map(|key| Some((Text::from(*key), field(item, key)?.clone())));
        let listed = self.recommended.iter().map(|key| Doc::from(*key)).collect::<Vec<_>>();
        with_field(&Doc::Map(keys.collect()), "$patchMergeKey", listed.into())
    }

    fn id(&self, item: &OwnedDoc) -> Vec<Option<OwnedDoc>> {
        self.keys().iter().map(|key| field(item, key).cloned()).collect()
    }
}

/// The lists of the types, outermost first: those of the root, of its items, and of what structs hold.
#[derive(Clone, Debug)]
struct Types {
    list: KeyedList,
    inner: KeyedList,
    held: KeyedList,
}

impl Types {
    fn keyed(&self, name: &str) -> &KeyedList {
        match name {
            "list" => &self.list,
            "inner" => &self.inner,
            _ => &self.held,
        }
    }

    fn go(&self) -> String {
        let (list, inner, held) = (self.list.tags(), self.inner.tags(), self.held.tags());
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
  Held []Leaf `json:\"held,omitempty\"{held}`
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

    fn without_order(&self) -> PatchContext {
        without(self.context(), "$setElementOrder")
    }

    /// The context of a party that knows neither the directive nor the tag that came with it.
    fn old(&self) -> PatchContext {
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

/// Lists with a default merge key, and all or some of the others recommended beside it.
fn recommended() -> impl Strategy<Value = KeyedList> {
    names().prop_map(|names| KeyedList { strategy: "merge", default: vec![names[0]], recommended: names })
}

/// Lists whose only recommended key is the default one.
fn recommended_default() -> impl Strategy<Value = KeyedList> {
    select(NAMES.to_vec()).prop_map(|name| KeyedList {
        strategy: "merge",
        default: vec![name],
        recommended: vec![name],
    })
}

/// Lists whose keys were moved to where they belong: without the directive they are replaced.
fn moved() -> impl Strategy<Value = KeyedList> {
    (names(), select(vec!["", "replace"])).prop_map(|(recommended, strategy)| KeyedList {
        strategy,
        default: vec![],
        recommended,
    })
}

/// Lists whose merge key itself is of several fields, or of one.
fn declared() -> impl Strategy<Value = KeyedList> {
    names().prop_map(|default| KeyedList { strategy: "merge", default, recommended: vec![] })
}

fn any_list() -> BoxedStrategy<KeyedList> {
    prop_oneof![3 => recommended(), 2 => moved(), 1 => declared()].boxed()
}

/// Lists that only those who know the directive can merge by their keys.
fn proposed() -> BoxedStrategy<KeyedList> {
    prop_oneof![recommended(), moved()].boxed()
}

fn types(list: impl Fn() -> BoxedStrategy<KeyedList>) -> impl Strategy<Value = Types> {
    (list(), list(), list()).prop_map(|(list, inner, held)| Types { list, inner, held })
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

/// The items of a list: each with what it must have, no two the same.
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
                if unique.iter().all(|other| keyed.id(other) != keyed.id(&item)) {
                    unique.push(item);
                }
            }
            Doc::List(unique)
        })
        .boxed()
}

fn holder(types: &Types) -> BoxedStrategy<OwnedDoc> {
    object(vec![("x", number()), ("held", items(&types.held, vec![]))])
}

fn document(types: &Types) -> BoxedStrategy<OwnedDoc> {
    let more = vec![("inner", items(&types.inner, vec![])), ("one", holder(types))];
    object(vec![("list", items(&types.list, more)), ("one", holder(types))])
}

/// Types and documents of them.
fn documents<const N: usize>(
    list: impl Fn() -> BoxedStrategy<KeyedList>,
) -> impl Strategy<Value = (Types, [OwnedDoc; N])> {
    types(list).prop_flat_map(|types| {
        let documents = proptest::collection::vec(document(&types), N);
        (Just(types), documents.prop_map(|documents| documents.try_into().unwrap()))
    })
}

/// Types whose outermost list has several recommended keys, a document with so many items in it, and a choice.
fn documents_with_a_list(least: usize) -> impl Strategy<Value = (Types, OwnedDoc, Index)> {
    let keyed = || {
        let keyed = prop_oneof![recommended(), moved()];
        keyed.prop_filter("one key", |keyed| keyed.recommended.len() > 1).boxed()
    };
    let documents = types(keyed).prop_flat_map(move |types| {
        let enough = move |items: &OwnedDoc| list(items).len() >= least;
        let items = items(&types.list, vec![]).prop_filter("too few", enough);
        (Just(types.clone()), items.prop_map(|items| in_list(list(&items).to_vec())))
    });
    (documents, any::<Index>()).prop_map(|((types, document), at)| (types, document, at))
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

/// The document with all lists sorted.
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

/// The document without a key, at any depth.
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

/// The document as the server's type has it. As upstream, orders and nulls are stored where live lacks what they are
/// in; a null decodes to what is left out.
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

/// The document that a user wants who applied `last` and now applies `modified` while others made it `live`. It is
/// computed from the documents alone, without a patch.
fn wanted(types: &Types, name: &str, [last, modified, live]: [Option<&OwnedDoc>; 3]) -> Option<OwnedDoc> {
    match (modified, live) {
        (None, _) if last.is_some() => None,
        (None, live) => live.cloned(),
        (Some(modified @ Doc::Map(_)), Some(live @ Doc::Map(_))) => {
            let mut map = Map::new();
            let keys = [modified, live].into_iter().flat_map(|v| v.as_map().unwrap().keys());
            for key in keys {
                let of = |document: Option<&'_ OwnedDoc>| document.and_then(|d| field(d, key)).cloned();
                let (last, modified, live) = (of(last), of(Some(modified)), of(Some(live)));
                if let Some(value) = wanted(types, key, [last.as_ref(), modified.as_ref(), live.as_ref()]) {
                    map.insert(key.clone(), value);
                }
            }
            Some(Doc::Map(map))
        }
        (Some(Doc::List(modified)), Some(Doc::List(live))) => {
            let keyed = types.keyed(name);
            let counterpart = |items: &[OwnedDoc], item: &OwnedDoc| {
                items.iter().find(|other| keyed.id(other) == keyed.id(item)).cloned()
            };
            let last = last.map(list).unwrap_or_default();
            let new = modified.iter().filter(|item| counterpart(live, item).is_none());
            let items = live.iter().chain(new).filter_map(|item| {
                let of = [counterpart(last, item), counterpart(modified, item), counterpart(live, item)];
                wanted(types, "", of.each_ref().map(Option::as_ref))
            });
            Some(Doc::List(items.collect()))
        }
        (modified, _) => modified.cloned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_created_patch_leads_to_the_modified_document((types, [original, modified]) in documents(any_list)) {
        let context = types.context();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        // The patch orders the lists, so that the order is that of the modified document.
        prop_assert_eq!(patch::apply(&context, &original, &patch).unwrap(), modified, "by {}", patch);
    }

    #[test]
    fn without_an_order_the_patch_leads_there_except_for_order((types, [original, modified]) in documents(any_list)) {
        let context = types.without_order();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        let result = patch::apply(&context, &original, &patch).unwrap();
        prop_assert_eq!(unordered(&result), unordered(&modified), "by {}", patch);
    }

    #[test]
    fn a_three_way_patch_does_what_the_user_wants((types, [last, modified, live]) in documents(proposed)) {
        // Of the lists inside of items that live lacks: in one that is merged by its declared key deletions are stored,
        // as upstream stores them.
        let expected = wanted(&types, "", [Some(&last), Some(&modified), Some(&live)]).unwrap();
        for context in [types.context(), types.without_order()] {
            let documents = ThreeWay { last_applied: &last, modified: &modified, live: &live };
            let patch = patch::three_way(&context, documents, Overwrite::Yes, &[]).unwrap();
            let result = patch::apply(&context, &live, &patch).unwrap();
            prop_assert_eq!(&without_key(&result, "$patchMergeKey"), &result, "by {}", patch);
            prop_assert_eq!(unordered(&converted(&result)), unordered(&expected), "by {}", patch);
        }
    }

    #[test]
    fn every_item_of_a_merging_list_lists_its_merge_keys((types, [original, modified]) in documents(any_list)) {
        let patch = patch::two_way(&types.context(), &original, &modified).unwrap();
        check_directives(&types, &patch)?;
    }

    #[test]
    fn a_deletion_removes_only_the_matched_item((types, live, at) in documents_with_a_list(1)) {
        let items = list(field(&live, "list").unwrap());
        let gone = at.index(items.len());
        let deletion = with_field(&types.list.named(&items[gone]), "$patch", "delete".into());
        let mut left = items.to_vec();
        left.remove(gone);
        let result = patch::apply(&types.context(), &live, &in_list(vec![deletion])).unwrap();
        prop_assert_eq!(result, with_field(&live, "list", left.into()));
    }

    #[test]
    fn a_listed_null_removes_the_key_from_the_first_match((types, live, at) in documents_with_a_list(1)) {
        let items = list(field(&live, "list").unwrap());
        let more: Vec<&str> =
            types.list.recommended.iter().copied().filter(|key| Some(*key) != types.list.required()).collect();
        let (meant, key) = (&items[at.index(items.len())], more[at.index(more.len())]);
        let is_meant = |other: &OwnedDoc| {
            let equal = |k: &&str| *k == key || field(other, k) == field(meant, k);
            field(other, key).is_some() && types.list.recommended.iter().all(equal)
        };
        let named = types.list.named(meant);
        let mut expected = items.to_vec();
        match items.iter().position(is_meant) {
            Some(first) => expected[first] = without_field(&items[first], key),
            // No item has the key: the item of the patch is a new one.
            None => expected.insert(0, without_field(&without_field(&named, key), "$patchMergeKey")),
        }
        let patch = in_list(vec![with_field(&named, key, Doc::Null)]);
        let result = patch::apply(&types.context(), &live, &patch).unwrap();
        prop_assert_eq!(result, with_field(&live, "list", expected.into()));
    }

    /// "And the new patch is the superset of the old patch and the difference is the directve. Thus, the behavior of the
    /// old server will not be affected."
    #[test]
    fn an_old_server_is_unaffected_if_the_default_key_is_recommended(
        (types, [original, modified]) in documents(|| recommended_default().boxed())
    ) {
        let server = types.old();
        let old = patch::two_way(&types.old(), &original, &modified).unwrap();
        let new = patch::two_way(&types.context(), &original, &modified).unwrap();
        prop_assert_eq!(&without_key(&new, "$patchMergeKey"), &old, "the difference is the directive");
        let result = patch::apply(&server, &original, &new).unwrap();
        prop_assert_eq!(without_key(&result, "$patchMergeKey"), patch::apply(&server, &original, &old).unwrap());
    }

    /// "An old server will drop the field it doesn't recognise": it takes the directive for a field, and does with the
    /// rest what it would do without. But two items of the patch can be one to it, and then it is asked to merge what it
    /// does not know.
    #[test]
    fn an_old_server_treats_the_directive_as_a_field(
        (types, [original, modified]) in documents(proposed)
    ) {
        let server = types.old();
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
    fn changes_of_different_items_do_not_conflict((types, original, at) in documents_with_a_list(2)) {
        let items = list(field(&original, "list").unwrap());
        let context = types.without_order();
        let first = at.index(items.len());
        let change = |which: usize, to: i64| {
            let mut items = items.to_vec();
            items[which] = with_field(&items[which], "x", to.into());
            patch::two_way(&context, &original, &with_field(&original, "list", items.into())).unwrap()
        };
        let (left, other, same) = (change(first, 7), change((first + 1) % items.len(), 8), change(first, 9));
        prop_assert!(!patch::have_conflicts(&context, &left, &other).unwrap(), "{} and {}", left, other);
        prop_assert!(patch::have_conflicts(&context, &left, &same).unwrap(), "{} and {}", left, same);
        prop_assert!(!patch::have_conflicts(&context, &left, &left).unwrap());
    }

    /// The first patch only adds: as upstream, a deletion that finds no list in the patch before it is forgotten.
    #[test]
    fn a_combined_patch_does_what_both_patches_do(
        (types, (one, two, three)) in types(any_list).prop_flat_map(|types| {
            let document = || items(&types.list, vec![]).prop_map(|items| in_list(list(&items).to_vec()));
            let documents = (document(), document(), document());
            (Just(types.clone()), documents)
        })
    ) {
        let context = types.without_order();
        let two = wanted(&types, "", [None, Some(&two), Some(&one)]).unwrap();
        let first = patch::two_way(&context, &one, &two).unwrap();
        let second = patch::two_way(&context, &two, &three).unwrap();
        let says_all = field(&first, "list").is_some() && !types.list.recommended.is_empty();
        let three = if says_all { three } else { two.clone() };
        let second = if says_all { second } else { Doc::Map(Map::new()) };
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

/// Every item of a list with recommended keys lists them all; no other list has the directive.
fn check_directives(types: &Types, patch: &OwnedDoc) -> Result<(), TestCaseError> {
    for (name, value) in patch.as_map().into_iter().flat_map(Map::iter) {
        if name.starts_with('$') {
            continue;
        }
        for item in list(value) {
            let keyed = types.keyed(name);
            let listed = (!keyed.recommended.is_empty())
                .then(|| Doc::from(keyed.recommended.iter().map(|key| Doc::from(*key)).collect::<Vec<_>>()));
            prop_assert_eq!(field(item, "$patchMergeKey"), listed.as_ref(), "in {} of {}", name, patch);
            check_directives(types, item)?;
        }
        check_directives(types, value)?;
    }
    Ok(())
}
