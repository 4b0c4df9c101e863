//! Properties of patches on generated objects.

use proptest::prelude::*;
use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay, bytes, json_merge};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Result, Text};

use crate::helpers::context_of;

const TYPES: &str = r#"
type Root struct {
  Items   []Item            `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Kept    []Item            `json:"kept,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
  Ports   []Item            `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"name" recommendedPatchMergeKey:"name,kind"`
  Plain   []Item            `json:"plain,omitempty"`
  Set     []string          `json:"set,omitempty" patchStrategy:"merge"`
  Words   []string          `json:"words,omitempty"`
  One     *Item             `json:"one,omitempty"`
  Union   *Item             `json:"union,omitempty" patchStrategy:"retainKeys"`
  Labels  map[string]string `json:"labels,omitempty"`
}
type Item struct {
  Name  string   `json:"name"`
  Kind  string   `json:"kind,omitempty"`
  Size  int      `json:"size,omitempty"`
  Set   []string `json:"set,omitempty" patchStrategy:"merge"`
  Inner *Item    `json:"inner,omitempty"`
}
"#;

fn context() -> PatchContext {
    context_of(TYPES, "Root")
}

fn word() -> impl Strategy<Value = OwnedDoc> {
    "[a-d]".prop_map(Doc::from)
}

fn words() -> impl Strategy<Value = OwnedDoc> {
    proptest::collection::btree_set("[a-e]", 0..4)
        .prop_map(|set| Doc::List(set.into_iter().rev().map(Doc::from).collect()))
}

fn object(fields: Vec<(&'static str, BoxedStrategy<OwnedDoc>)>) -> BoxedStrategy<OwnedDoc> {
    let optional: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| proptest::option::of(value).prop_map(move |v| v.map(|v| (Text::from(name), v))))
        .collect();
    optional.prop_map(|fields| Doc::Map(fields.into_iter().flatten().collect::<OwnedMap>())).boxed()
}

fn named(name: OwnedDoc, rest: &OwnedDoc) -> OwnedDoc {
    let mut map = rest.as_map().cloned().unwrap_or_default();
    map.insert("name".into(), name);
    Doc::Map(map)
}

fn item(depth: u32) -> BoxedStrategy<OwnedDoc> {
    let mut fields = vec![
        ("kind", word().boxed()),
        ("size", (0..3_i64).prop_map(Doc::from).boxed()),
        ("set", words().boxed()),
    ];
    if depth > 0 {
        fields.push(("inner", item(depth - 1)));
    }
    (word(), object(fields)).prop_map(|(name, rest)| named(name, &rest)).boxed()
}

/// Generates list items with unique names. The design documents require unique merge keys.
fn items() -> BoxedStrategy<OwnedDoc> {
    proptest::collection::vec(item(1), 0..4)
        .prop_map(|items| {
            let mut seen = Vec::new();
            let unique = items.into_iter().filter(|item| {
                let name = item.as_map().unwrap().get("name").cloned();
                let is_new = !seen.contains(&name);
                seen.push(name);
                is_new
            });
            Doc::List(unique.collect())
        })
        .boxed()
}

fn root() -> BoxedStrategy<OwnedDoc> {
    object(vec![
        ("items", items()),
        ("kept", items()),
        ("ports", items()),
        ("plain", items()),
        ("set", words().boxed()),
        ("words", words().boxed()),
        ("one", item(1)),
        ("union", item(0)),
        ("labels", object(vec![("x", word().boxed()), ("y", word().boxed())])),
    ])
}

/// Returns the document with all lists of scalars sorted. With the strategy `merge` they are unordered sets, and
/// upstream omits some changes of their order from created patches.
fn unordered(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(map) => Doc::Map(map.iter().map(|(k, v)| (k.clone(), unordered(v))).collect()),
        Doc::List(items) => {
            let mut items: Vec<OwnedDoc> = items.iter().map(unordered).collect();
            if items.iter().all(Doc::is_scalar) {
                items.sort_by_key(ToString::to_string);
            }
            Doc::List(items)
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn applying_a_two_way_patch_yields_the_modified_document(original in root(), modified in root()) {
        let context = context();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        let result = patch::apply(&context, &original, &patch).unwrap();
        prop_assert_eq!(unordered(&result), unordered(&modified), "by {}", patch);
    }

    /// The operations on text read documents into an arena, whose maps are copied when they are changed.
    #[test]
    fn operations_on_text_and_on_documents_agree(last in root(), modified in root(), live in root()) {
        let context = context();
        let texts = [&last, &modified, &live].map(to_json);
        let [last_text, modified_text, live_text] = [&texts[0], &texts[1], &texts[2]].map(Vec::as_slice);
        let written = |document: Result<OwnedDoc>| document.map(|document| to_json(&document));

        let two_way = patch::two_way(&context, &live, &modified);
        prop_assert_eq!(written(two_way.clone()), bytes::two_way(&context, live_text, modified_text));
        for patch in [two_way.unwrap_or_default(), modified.clone()] {
            let applied = written(patch::apply(&context, &live, &patch));
            prop_assert_eq!(applied, bytes::apply(&context, live_text, &to_json(&patch)));
            let patches = [last_text, &to_json(&patch)];
            let combined = written(patch::combine(&context, &[last.clone(), patch]));
            prop_assert_eq!(combined, bytes::combine(&context, &patches));
        }
        let documents = ThreeWay { last_applied: &last, modified: &modified, live: &live };
        let in_text = bytes::ThreeWayTexts { last_applied: last_text, modified: modified_text, live: live_text };
        for overwrite in [Overwrite::Yes, Overwrite::No] {
            let three_way = written(patch::three_way(&context, documents, overwrite, &[]));
            prop_assert_eq!(three_way, bytes::three_way(&context, in_text, overwrite, &[]));
        }
        let conflict = patch::have_conflicts(&context, &last, &modified);
        prop_assert_eq!(conflict, bytes::have_conflicts(&context, last_text, modified_text));
        let merged = written(json_merge::apply(&live, &modified));
        prop_assert_eq!(merged, bytes::json_merge_apply(live_text, modified_text));
        let merge_patch = written(json_merge::two_way(&live, &modified));
        prop_assert_eq!(merge_patch, bytes::json_merge_two_way(live_text, modified_text));
    }

    #[test]
    fn a_patch_between_equal_documents_changes_nothing(document in root()) {
        let patch = patch::two_way(&context(), &document, &document).unwrap();
        let result = patch::apply(&context(), &document, &patch).unwrap();
        prop_assert_eq!(result, document);
    }

    #[test]
    fn applying_a_patch_twice_equals_applying_it_once(original in root(), modified in root()) {
        let context = context();
        let patch = patch::two_way(&context, &original, &modified).unwrap();
        let once = patch::apply(&context, &original, &patch).unwrap();
        let twice = patch::apply(&context, &once, &patch).unwrap();
        prop_assert_eq!(twice, once, "by {}", patch);
    }

    #[test]
    fn applying_a_three_way_patch_to_the_last_applied_object_yields_the_modified_document(original in root(), modified in root()) {
        let context = context();
        let documents = ThreeWay { last_applied: &original, modified: &modified, live: &original };
        let patch = patch::three_way(&context, documents, Overwrite::No, &[]).unwrap();
        let result = patch::apply(&context, &original, &patch).unwrap();
        prop_assert_eq!(unordered(&result), unordered(&modified), "by {}", patch);
    }

    #[test]
    fn no_operation_panics_or_changes_its_inputs(live in root(), patch in anything()) {
        let context = context();
        let before = (live.clone(), patch.clone());
        let _ = patch::apply(&context, &live, &patch);
        let _ = patch::two_way(&context, &live, &patch);
        let _ = patch::combine(&context, &[live.clone(), patch.clone()]);
        let _ = patch::have_conflicts(&context, &live, &patch);
        let documents = ThreeWay { last_applied: &patch, modified: &live, live: &patch };
        let _ = patch::three_way(&context, documents, Overwrite::No, &[]);
        let _ = json_merge::apply(&live, &patch);
        prop_assert_eq!((live, patch), before, "an operation changed its inputs");
    }

    #[test]
    fn applying_a_json_merge_patch_yields_the_modified_document(original in root(), modified in root()) {
        let patch = json_merge::two_way(&original, &modified).unwrap();
        prop_assert_eq!(json_merge::apply(&original, &patch).unwrap(), modified);
    }

    #[test]
    fn a_written_document_is_read_back_unchanged(document in anything()) {
        prop_assert_eq!(from_json(&to_json(&document)).unwrap(), document);
    }
}

/// Generates documents of any shape whose keys are fields of the schema and directives.
fn anything() -> BoxedStrategy<OwnedDoc> {
    let scalar = prop_oneof![
        Just(Doc::Null),
        any::<bool>().prop_map(Doc::from),
        (0..3_i64).prop_map(Doc::from),
        Just(Doc::Float(1.5)),
        word(),
        prop_oneof![Just("delete"), Just("replace"), Just("merge")].prop_map(Doc::from),
    ];
    let key = proptest::sample::select(vec![
        "items",
        "kept",
        "ports",
        "plain",
        "set",
        "one",
        "union",
        "labels",
        "name",
        "kind",
        "inner",
        "unknown",
        "$patch",
        "$retainKeys",
        "$patchMergeKey",
        "$setElementOrder/items",
        "$setElementOrder/set",
        "$setElementOrder",
        "$deleteFromPrimitiveList/set",
        "$deleteFromPrimitiveList/items",
        "$deleteFromPrimitiveListx",
    ]);
    scalar
        .prop_recursive(4, 48, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Doc::List),
                proptest::collection::vec((key.clone(), inner), 0..5).prop_map(|entries| entries
                    .into_iter()
                    .map(|(k, v)| (Text::from(k), v))
                    .collect::<OwnedMap>()
                    .into()),
            ]
        })
        .boxed()
}
