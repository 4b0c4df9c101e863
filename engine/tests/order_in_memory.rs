//! Lists that a patch merges and orders, as `k8s.io/apimachinery` v0.37.2 does it: random lists, with the result that the
//! Go adapter gave. The items that the order does not name stand where upstream finds them in the memory of the live list,
//! in which the merge has worked before.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::sync::Arc;

use skewer_engine::patch::{self, Knowledge};
use skewer_engine::schema::{Schema, go};
use skewer_engine::value::from_json;
use skewer_engine::{Map, Str, Value};

const TYPES: &str = r#"
type Root struct {
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Set   []string `json:"set,omitempty" patchStrategy:"merge"`
}
type Item struct {
  Name string `json:"name"`
}
"#;

fn knowledge() -> Knowledge {
    let schema = Schema::compile(&go::read(TYPES).unwrap()).unwrap();
    Knowledge::of(Arc::new(schema), "Root").unwrap()
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
d b c d e a f | -b a -e -f | a | d d c a
d e c f a b b | c h a b | c d h a b e | c d h f a b b e
b f a c e a | d a c | d a c | d b f a a c e
e e a f | a d -f | a d h c | e e a d
c e b b | a -b h | c e g f a h | c e a h
a f b d c e | -e | b | a f b d c
b f e c | ! h -e -f -b | h g d a | h
c a b f b d | h -c -b e | h d a e | f h d a e
a e e f | a -f | e a | e e a
c b c d e f | f | f g d | c c b e f d
a c d b f e e | c -e b -a | c b h | c d b f
f d | e -f | e d | e d
b d c f e a | b h -c | b h | b d f e a h
f d | d c | d h c f a b | d c f
f d e b b a | -b -f a g d | h a g d e | a g d e
e a c | e d a -c | e h f d a g | e d a
f f b d c | e g -d -f b | e a g b | c e g b
b c a c d e | -b d | d h | c c a d e
d a b f a e | a | a f h b | d a a f b e
f d a b c e | c a -b f | c a g f | d c a f e
a f d e b | ! d c | d c g h | d c
b a c f b | f | f c g | b b a f c
d c f b a | g -b -c | a g | d f a g
a e b d f c | f c h | a d e f c h | a b d e f c h
e b a a f c | e -a b d | e b d | e b f c d
a f b | d a b | d a c e b | d a f b
d a f e b c | -f c -e | c | d a b c
c d e a b f | d h | d a h b | c d e a h b f
a e e c d f | d | c a g d e | c a d e e f
a e b c f | -a d h b e | d g h b e | c f d h b e
a d e c | g c e | g c e | g a d c e
b d e a f | -a -b c | c | d e f c
f c | b -c a h | b a e d h | f b a h
a c c e | -a -c h | e h | e h
f c e | a -c -f | e a | e a
f d c b f | ! e -f -b | c e | e
b c d | a d | a b d | a b c d
e b b d c | h -c -e | h b g | d h b b
a e | -a h e g ! d b | h e g d b | h e g d b
b d f | g h a | g h e b c a | g h b a d f
b b a c | e a | e f a | e b b a c
c b e | -e h | f b d c g h | b c h
b d a c | a | a h | b d a c
a b | -b f ! | a f h g e c | f
f c | g -f -c | b g | g
f c | -f g e a | h g c e a | g c e a
b b d a c | -c | h a d | b b a d
d b a | ! -a -d -b | h | 
b c e f | c -e g | c d f b g | c f b g
b d e c | b | d b c h g | d b e c
c b f | b h f a g d | b h f a g d | c b h f a g d
a d | d e c | d e f c | a d e c
b e f c a | c -f h | g c h a | b e c h a
d e b c f a | -d b e -f | b a c e | b a c e
e c d f | ! -f -e | c d | 
d c e f a f | g d -f | g d | c e a g d
b c d | c d | c g d | b c d
a c e f f b | f | b f c h g | a e b f f c
a f a | e h -a | b e h | f e h
a e c f b d | -d h a g | h f a e g b | c h f a e g b
d e f f c | -c -d a | g f a b | e f f a
f b c a e e | e -c d | e d | f b a e e d
c e d f a b d | c f | c e f | c e d d f a b
a b f | a -b | a | a f
a d a c | -c a g ! h | a g h d e | a g h
b b a d | b -d h | b h | b b a h
f a c | h d e | h d f c a e | h d f c a e
a c e d b f | c -f -d | b c | a e b c
c f e a b d | e -c h b f | e h d b f | e a h d b f
c b | e d -b | c h e d g | c e d
c e a | b | b e c a | b e c a
f c e | -f h -c | g h e | h e
a c e d f b f | d -e c | d c g h | a d c f f b
d a e e | e | h g a e | d a e e
d b f a e c | -e | c a | d b f c a
c d | d -c a | d g b a | d a
d a f | b d -a c h g | b d c f h g | b d c f h g
b a c | -c f g b | f g b | a f g b
e d d c | e b g | e b g a | e b g d d c
e b d a | ! b d a | e b c d a | b d a
f d c a e b | h | d e c b a h | f d e c b a h
b c f a d f | -b a h | a c e d h | f f a c d h
e d e a c f | a | c b a h e | d c a e e f
f d a | c -d | c | f a c
d b | b | d b | d b
e f a b d | -e | g b c | f a b d
b b d a f | -a b ! e | g b e | b e
f c e a f d b | a c | a c | f f e a c d b
c d a d f e b | c b | e c b a | d d f e c b a
d e c f | -f a -d c -e | a b c | a c
c b f a | e -a | b e | c b f e
e b | c h b | c d h f b e | c h b e
e f a b c | -b c d h a | c d h e a | f c d h e a
d f c a b | e -c | g e b a | d f e b a
a f f | e h d -a | e h g d f | e h d f f
b f d e c a | f h e a -d b | f h e a b | f c h e a b
b e f d a c | ! b c | b c e a d | b c
e f c d a | -a -d h g e -c | b h g e | f h g e
b f b c e | b c h e | b c h d e | b b f c h e
e b c b | b | e d a b | e b b c
b c c d | f -b e | f a c e d | f c c e d
c c a | c h f | c a b h f e | c c a h f
b d f | -b e | h e c | d f e
f d a c | e a -d | e a | f c e a
e c | d -e a f -c | d a f | d a f
a c e | -c -a h | h | e h
f a a d | e b -a | e b | f d e b
c d f a e b | -d b e | a b f h e | c a b f e
d c f e a | -e | g f | d c f a
b c b e f a d | f -e d ! a | f d a | f d a
f e c e | -e c h | d c f a h | c f h
c a f c | h a b | h a b | h c c a b f
a c e f b | d ! | d g e c | d
c f b | c f h e | c a f h e | c f h e b
a b d e c | b -c -a h | b h f | b d e h
f c b d a e | c -a -b f | c d e f | c d e f
e a b f | b f | b h f e | a b f e
e a b | e | b h e | a b e
a d f b e c | f -c h a | b d f g h a | b d f e h a
f b | -b -f | d | 
b c | f a | f h d a c | f a b c
d e d | -d | b | e
b e c d f | -d a | a | b e c f a
a b | g b -a e | g h d b f e | g b e
e d b f b | d b | d a b | e d b b f
c f b e a d | -d h | b c g h | f b c e a h
f d c a b e | f -e -a b | f b g c | f d b c
c f e | a -c b e | f a b e g | f a b e
a e a b c | -b -a g | g | e c g
a a e | -a h | e h | e h";

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
c b d d | c | c g b e a | c b d
c b d a | c a e f b -d | c a e f b g | c a e f b
d b a b d b | f c b e | f g c b e a | f c d b e a
b c d d b | f | f | b c d f
c b c b c | c -a | c e b | c b
d b c b | f b g | e f a b d g | f b d g c
a c d c a d a | -a | d c | d d c c
d c b | c f d | c a e f d | c f d b
b d c a c | f c a d | f g b c a d | f b c a d
b d | e g | e g a | e g b d
a a | f b -a | g f e b | f b
d a c a a | b f g c | e b f g c a | b f g d c a
c a d b | -d | c | c a b
a b | e -b | f e | e a
b b c | f | a g d f b c | f b c
c b d d b c c | f -b -d | f | c f
c a a c b | b e -a | b e | c b e
d c d d a | g -d -b | f g | c g a
c d | g d e b | a g d e b | g c d e b
c a c b | g b a | d g e b a c | g b a c
c d c | f b | c e f b | c f b d
b d | g d | g f c e d | g b d
c d | f -a | c g f | c f d
d c a a a | g b e | d g c b e | d g c a b e
a d b | e a | e f c b d a | e b d a
c b d a | c | c b f a d | c b a d
b c c d b c d | a f e | a f c e | a f b c e d
d d b c a b | d | g e d | d b a c
d c d c | a d g e | a c d g e b | a c d g e
c b | b f a c | b f a d g c | b f a c
b b c a | e b | a e g b | c a e b
b a c | -d -b | f | a c
d c a | e g a | e g c b a | e g d c a
a a c b a d b | a | c e a d | b c a d
b c c c b | e -a -d | e b | c e b
a c d | c -d | a f c | a c
a c c c a d b | d e g | d f e g | a c d e g b
c a a a c b | c | a f e c | a c b
a b | c d f | c d a f e b | c d a f b
c d d b d b b | a -d | a | c a b
a d | -a | b | d
d d b a | b c -a | b c | d b c
d d b a d d a | a d | b g a d c e | b a d
a d b b a | f e c | f e d c a | f b e d c a
b c a | -c | g d a e f | b a
c d | f b | f a e b | f b c d
b d a a c a a | b a f g d | b a f c g d | b a f c g d
a a | b c | f e b d g c | b c a
a b | g b c | g a b c | g a b c
d a b d | -c | f g | d d a b
a d a | e | b e c | a d e
a b a a | d | d f c | d a b
a b d | f a b | f g a b e | f a b d
d b c d b c | -c | a g b | d d b b
a d | g f -c | a g f | a g f d";

fn scalar(text: &str) -> Value {
    Value::from(text)
}

fn list(text: &str, item: fn(&str) -> Value) -> Value {
    Value::List(text.split_whitespace().map(item).collect())
}

fn named(text: &str) -> Value {
    let document = match text.strip_prefix('-') {
        _ if text == "!" => r#"{"$patch":"replace"}"#.to_owned(),
        Some(name) => format!(r#"{{"name":"{name}","$patch":"delete"}}"#),
        None => format!(r#"{{"name":"{text}"}}"#),
    };
    from_json(document.as_bytes()).unwrap()
}

fn object(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    Value::Map(fields.into_iter().map(|(key, value)| (Str::from(key), value)).collect::<Map>())
}

#[track_caller]
fn check(rows: &str, documents: impl Fn([&str; 4]) -> [Value; 3]) {
    let knowledge = knowledge();
    let wrong: Vec<_> = rows
        .lines()
        .filter_map(|row| {
            let parts: Vec<&str> = row.split('|').map(str::trim).collect();
            let [live, patch, expected] = documents(parts.try_into().unwrap());
            let result = patch::apply(&knowledge, &live, &patch).unwrap();
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
        let deleted = deleted.iter().map(|text| Value::from(&text[1..])).collect::<Vec<_>>();
        let added = added.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
        let mut patch = vec![("$setElementOrder/set", list(order, scalar))];
        patch.extend((!deleted.is_empty()).then(|| ("$deleteFromPrimitiveList/set", Value::List(deleted))));
        patch.extend((!added.is_empty()).then(|| ("set", Value::List(added))));
        let expected = list(expected, scalar);
        [object([("set", list(live, scalar))]), object(patch), object([("set", expected)])]
    });
}
