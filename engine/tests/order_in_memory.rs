//! Lists that a patch merges and orders, as `k8s.io/apimachinery` v0.37.2 does it: random lists, with the result that the
//! Go adapter gave. The items that the order does not name stand where upstream finds them in the memory of the live list,
//! in which the merge has worked before.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use skewer_engine::document::from_json;
use skewer_engine::patch::{self, PatchContext};
use skewer_engine::schema::{Schema, go};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

const TYPES: &str = r#"
type Root struct {
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Set   []string `json:"set,omitempty" patchStrategy:"merge"`
}
type Item struct {
  Name string `json:"name"`
}
"#;

fn context() -> PatchContext {
    let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
    PatchContext::of(Arc::new(schema), "Root").unwrap()
}

/// Live, the patch, the order, the result: the names of items. A dash is a deletion, `!` an item that replaces the list.
const ITEMS: &str = "\
b d a e | -a -b -d | f | e
e a | a g d h f | a e g d h f | a e g d h f
a c e f c | -f g d | g h c d e b | a g c c d e
b c f d e b | c d -b | f c h g d | f c d e
e c b d f | -d g b | g b h | e c f g b
b d | f | f b h e a | f b d
b a | c a h e -b | c a h e | c a h e
c e f b b | h c a | h c a b | h c a e f b b
c b a f e d | -d | f b c | a f b c e
f b e c d | -e -b | a | f c d
c b a b e | -b | h e | c a e
f a | b g | d h b g c a | b g f a
f b d c b e | -b -f -e | a | d c
e b c f | -e a f -c | a f | b a f
e a b b | e a c d f | b e a c d f | b b e a c d f
e f b c d a | ! e c | d f e c | e c
a b c f d | b g a | f b c g d a | f b c g d a
f c c | c | a d c e | f c c
c b d | e d h c | e d b h g c | e d b h c
b a c e e f d | -b | c a e | c a e e f d
e d f c c a | b g | c a d h b g | e f c c a d b g
a d c b f e | -e f | a f h d | a c b f d
a e | b g d -e | b g c d | a b g d
f b c f e a d | -c -b -d d -f -a -e f | d f | d f
c a a b e d f | a h c | e a h c | b e a a h c d f
b d f c a e | f b -b g e | d f b g e | d f c a b g e
c d e b a | -a ! -e -c c -b -d | c | c
c e b a | -a -b h g -c e | f h g e | h g e
b a e f | -a -f -e a f g e -b | a f g b c e | a f g e
d c f e | -c e a | h d e a | d f e a
f d c a d b e | g d e | c g h d e | f c g d d a b e
f a | ! c -f -a | c a d | c
e a c d | a -e -d -a b -c d e | a f b d e h | a b d e
e a b f d | c f b a -f | c d f b a | e c d f b a
a c f e b d | -f -d ! -c -b | e c a | 
e f a c b c d | f -d e -b -a ! -c -e | f e c | f e
d a c | g ! e | f c g e b | g e
b b d | -d d ! h b -b | d h b e | d h b
d b | h -d | h | b h
f e | h -f | h | e h
b d | e -b | e | d e";

/// The same for a list of scalars; a dash is an item of `$deleteFromPrimitiveList`.
const SETS: &str = "\
c b a d a | -d | f | c b a a
d a a c | a d g -b | f c a d g | c a d g
d c b c | f | f e | f d c b
c d c c c b c | e -c -a | e | d e b
b d a a b a a | b g f | e b g f d | b g f d a
a c b d d b | c f e | c d f b e a | c d f b e a
d d d | b a c e g | f b a c e g | b a c e g d
b d c b c c | c | c | b d c
c d b | a g f | a b c g f | a d b c g f
a b c | e -d | e f | e a b c
d c | f d c | f g d c a e | f d c
a c | a -b | a | a c
d a b b b a | a g | c d a g e | d a b g
c a a b | a | a d e c b | a c b
c d d c d d b | f | g d f b | c d f b
b a a | f c -b | g a f d c | a f c
d c d b d c a | e | e c g f | d e c b a
c d b b a | c e f -a | c e b f d | c e b f d
c d a d b | c d a f | c d a g b f | c d a b f
b a b c d b | c e d b | c e g d b | a c e d b
b c d a | f b e | f d a b e | f c d a b e
a c d d | c d | e c f b d a | c d a
d d | e | e d f a | e d
a b d a b | f g | c d a f g e | b d a f g
c c a | f | d c f | c f a
b c d d b | f | f | b c d f
c d d b d b b | a -d | a | c a b
a d a | e | b e c | a d e
a b a a | d | d f c | d a b";

fn scalar(text: &str) -> OwnedDoc {
    Doc::from(text)
}

fn list(text: &str, item: fn(&str) -> OwnedDoc) -> OwnedDoc {
    Doc::List(text.split_whitespace().map(item).collect())
}

fn named(text: &str) -> OwnedDoc {
    let document = match text.strip_prefix('-') {
        _ if text == "!" => r#"{"$patch":"replace"}"#.to_owned(),
        Some(name) => format!(r#"{{"name":"{name}","$patch":"delete"}}"#),
        None => format!(r#"{{"name":"{text}"}}"#),
    };
    from_json(document.as_bytes()).unwrap()
}

fn object(fields: impl IntoIterator<Item = (&'static str, OwnedDoc)>) -> OwnedDoc {
    Doc::Map(fields.into_iter().map(|(key, value)| (Text::from(key), value)).collect::<OwnedMap>())
}

#[track_caller]
fn check(rows: &str, documents: impl Fn([&str; 4]) -> [OwnedDoc; 3]) {
    let context = context();
    let wrong: Vec<_> = rows
        .lines()
        .filter_map(|row| {
            let parts: Vec<&str> = row.split('|').map(str::trim).collect();
            let [live, patch, expected] = documents(parts.try_into().unwrap());
            let result = patch::apply(&context, &live, &patch).unwrap();
            (result != expected).then(|| format!("{row}: {result}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn items_are_merged_and_ordered_as_upstream_does_it() {
    check(ITEMS, |[live, patch, order, expected]| {
        let patch = [("items", list(patch, named)), ("$setElementOrder/items", list(order, named))];
        [object([("items", list(live, named))]), object(patch), object([("items", list(expected, named))])]
    });
}

#[test]
fn scalars_are_merged_and_ordered_as_upstream_does_it() {
    check(SETS, |[live, patch, order, expected]| {
        let (deleted, added): (Vec<&str>, Vec<&str>) =
            patch.split_whitespace().partition(|t| t.starts_with('-'));
        let deleted = deleted.iter().map(|text| Doc::from(&text[1..])).collect::<Vec<_>>();
        let added = added.iter().map(|text| Doc::from(*text)).collect::<Vec<_>>();
        let mut patch = vec![("$setElementOrder/set", list(order, scalar))];
        patch.extend((!deleted.is_empty()).then(|| ("$deleteFromPrimitiveList/set", Doc::List(deleted))));
        patch.extend((!added.is_empty()).then(|| ("set", Doc::List(added))));
        let expected = list(expected, scalar);
        [object([("set", list(live, scalar))]), object(patch), object([("set", expected)])]
    });
}
