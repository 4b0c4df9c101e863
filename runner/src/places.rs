//! The places of a document, one by one, for what makes documents smaller.

use skewer_engine::{Doc, OwnedDoc, OwnedText};

/// A step into a document.
#[derive(Clone, Debug)]
pub(crate) enum At {
    Key(OwnedText),
    Index(usize),
}

/// Every place of a document but the document itself, each before what is inside of it.
pub(crate) fn places(document: &OwnedDoc) -> Vec<Vec<At>> {
    fn collect(value: &OwnedDoc, way: &mut Vec<At>, found: &mut Vec<Vec<At>>) {
        let mut inner = |at: At, value: &OwnedDoc| {
            way.push(at);
            found.push(way.clone());
            collect(value, way, found);
            way.pop();
        };
        match value {
            Doc::Map(map) => map.iter().for_each(|(key, value)| inner(At::Key(key.clone()), value)),
            Doc::List(items) => {
                items.iter().enumerate().for_each(|(index, value)| inner(At::Index(index), value));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(document, &mut Vec::new(), &mut found);
    found
}

/// Removes a place, if the document has it.
pub(crate) fn remove(document: &mut OwnedDoc, place: &[At]) {
    match (document, place) {
        (Doc::Map(map), [At::Key(key)]) => {
            map.remove(key);
        }
        (Doc::List(items), [At::Index(index)]) if *index < items.len() => {
            items.remove(*index);
        }
        (Doc::Map(map), [At::Key(key), rest @ ..]) => {
            if let Some(value) = map.get_mut(key) {
                remove(value, rest);
            }
        }
        (Doc::List(items), [At::Index(index), rest @ ..]) => {
            if let Some(value) = items.get_mut(*index) {
                remove(value, rest);
            }
        }
        _ => {}
    }
}

/// The keys of all maps in a document, as often as they are there.
pub(crate) fn keys(document: &OwnedDoc, found: &mut Vec<OwnedText>) {
    match document {
        Doc::Map(map) => map.iter().for_each(|(key, value)| {
            found.push(key.clone());
            keys(value, found);
        }),
        Doc::List(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

/// Changes the entries with this key in all maps of a document.
pub(crate) fn change(document: &mut OwnedDoc, key: &str, with: &dyn Fn(OwnedDoc) -> (OwnedText, OwnedDoc)) {
    match document {
        Doc::Map(map) => {
            map.iter_mut().for_each(|(_, value)| change(value, key, with));
            if let Some(value) = map.remove(key) {
                let (key, value) = with(value);
                map.insert(key, value);
            }
        }
        Doc::List(items) => items.iter_mut().for_each(|item| change(item, key, with)),
        _ => {}
    }
}

/// A document less the place with this number; `None` when there are not so many.
pub(crate) fn without(document: &OwnedDoc, number: usize) -> Option<OwnedDoc> {
    let place = places(document).into_iter().nth(number)?;
    let mut less = document.clone();
    remove(&mut less, &place);
    Some(less)
}

#[cfg(test)]
mod tests {
    use skewer_engine::document::from_json;

    use skewer_engine::Text;

    use super::*;

    #[test]
    fn keys_change_wherever_they_are() {
        let mut document = from_json(br#"{"a":[1,{"a":{"b":2}}],"c":3}"#).unwrap();
        let mut found = Vec::new();
        keys(&document, &mut found);
        assert_eq!(found, ["a", "a", "b", "c"]);
        change(&mut document, "a", &|value| (Text::from("A"), Doc::List(vec![value])));
        assert_eq!(document.to_string(), r#"{"A":[[1,{"A":[{"b":2}]}]],"c":3}"#);
    }

    #[test]
    fn every_place_goes_once_and_outer_places_first() {
        let document = from_json(br#"{"a":[1,{"b":2}],"c":3}"#).unwrap();
        let less: Vec<String> =
            (0..).map_while(|number| without(&document, number)).map(|less| less.to_string()).collect();
        assert_eq!(
            less,
            [
                r#"{"c":3}"#,
                r#"{"a":[{"b":2}],"c":3}"#,
                r#"{"a":[1],"c":3}"#,
                r#"{"a":[1,{}],"c":3}"#,
                r#"{"a":[1,{"b":2}]}"#,
            ]
        );
    }
}
