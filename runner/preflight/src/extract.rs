//! The apply configuration of an owner: the part of an object that its field set names. Upstream: `ExtractInto`
//! (k8s.io/client-go, applyconfigurations).

use skewer_engine::server_side_apply::{FieldSet, PathElement};
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

/// Returns the identity of an object, and what a field set names of it. A field that the object does not have is left out.
#[must_use]
pub fn extract(object: &OwnedDoc, fields: &FieldSet<'_>) -> OwnedDoc {
    let mut extracted = identity_of(object);
    let leaves = fields.leaves();
    fields.for_each(|path| {
        // A member that has members below it is a container, or an item, of which they are the content.
        let owned: Vec<PathElement<'_>> = path.iter().map(|element| (*element).clone()).collect();
        copy(&mut extracted, object, path, leaves.contains(&owned));
    });
    extracted
}

/// Returns the part of an object that names it.
#[must_use]
pub fn identity_of(object: &OwnedDoc) -> OwnedDoc {
    let only = |value: &OwnedDoc, keys: &[&str]| -> OwnedMap {
        let members = value.as_map().into_iter().flat_map(OwnedMap::iter);
        let members = members.filter(|(key, _)| keys.contains(&key.as_str()));
        members.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let mut identity = only(object, &["apiVersion", "kind", "metadata"]);
    if let Some(metadata) = identity.get_mut("metadata") {
        *metadata = Doc::Map(only(metadata, &["name", "namespace"]));
    }
    Doc::Map(identity)
}

/// Copies the value at a path. The maps and items on the way are created.
fn copy(to: &mut OwnedDoc, from: &OwnedDoc, path: &[&PathElement<'_>], is_whole: bool) -> Option<()> {
    let Some((first, rest)) = path.split_first() else {
        if is_whole {
            *to = from.clone();
        }
        return Some(());
    };
    match first {
        PathElement::Field(name) => {
            let value = from.as_map()?.get(name)?;
            let map = to.as_map_mut()?;
            if !map.contains_key(name) {
                map.insert(name.to_static(), empty_like(value));
            }
            copy(map.get_mut(name)?, value, rest, is_whole)
        }
        PathElement::Key(keys) => {
            let is_item = |item: &OwnedDoc| {
                let found = |key: &str| item.as_map().and_then(|item| item.get(key));
                keys.iter().all(|(key, wanted)| found(key).is_some_and(|found| is_same_key(found, wanted)))
            };
            let value = from.as_list()?.iter().find(|item| is_item(item))?;
            let items = to.as_list_mut()?;
            if !items.iter().any(is_item) {
                let keys = keys
                    .iter()
                    .filter_map(|(key, _)| Some((key.to_static(), value.as_map()?.get(key)?.clone())));
                items.push(Doc::Map(keys.collect()));
            }
            // An item alone has its keys.
            let is_whole = is_whole && !rest.is_empty();
            copy(items.iter_mut().find(|item| is_item(item))?, value, rest, is_whole)
        }
        PathElement::Value(wanted) => {
            let value = from.as_list()?.iter().find(|item| is_same_key(item, wanted))?;
            to.as_list_mut()?.push(value.clone());
            Some(())
        }
        PathElement::Index(_) | PathElement::Unidentified => None,
    }
}

/// Returns true if a value is that of a path. A field set has the numbers of JSON, in which 1 and 1.0 are the same.
#[must_use]
pub fn is_same_key(found: &Doc<'_>, wanted: &Doc<'_>) -> bool {
    PathElement::Value(found.clone()) == PathElement::Value(wanted.clone())
}

fn empty_like(value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(_) => Doc::Map(OwnedMap::new()),
        Doc::List(_) => Doc::List(Vec::new()),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::document::from_json;

    use super::*;

    #[test]
    fn an_extract_has_what_the_fields_name() {
        let object = from_json(
            br#"{"apiVersion":"v1","kind":"A","metadata":{"name":"a","uid":"1","labels":{"x":"1","y":"2"}},
                "spec":{"ports":[{"port":1,"name":"a","target":2},{"port":2,"name":"b"}],"set":["p","q"],"whole":{"a":[1]}}}"#,
        )
        .unwrap();
        let fields = FieldSet::from_json(
            r#"{"f:metadata":{"f:labels":{"f:x":{}}},"f:spec":{"f:gone":{},"f:ports":{"k:{\"port\":1}":{".":{},"f:name":{},"f:port":{}},
                "k:{\"port\":2}":{".":{}}},"f:set":{"v:\"q\"":{}},"f:whole":{}}}"#,
        )
        .unwrap();
        let expected = r#"{"apiVersion":"v1","kind":"A","metadata":{"labels":{"x":"1"},"name":"a"},"spec":{"ports":[{"name":"a","port":1},{"port":2}],"set":["q"],"whole":{"a":[1]}}}"#;
        assert_eq!(extract(&object, &fields).to_string(), expected);
    }
}
