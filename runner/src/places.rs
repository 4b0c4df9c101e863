//! The places of a document, one by one, for what makes documents smaller.

use skewer_engine::{Str, Value};

/// A step into a document.
#[derive(Clone, Debug)]
pub(crate) enum At {
    Key(Str),
    Index(usize),
}

/// Every place of a document but the document itself, each before what is inside of it.
pub(crate) fn places(document: &Value) -> Vec<Vec<At>> {
    fn collect(value: &Value, way: &mut Vec<At>, found: &mut Vec<Vec<At>>) {
        let mut inner = |at: At, value: &Value| {
            way.push(at);
            found.push(way.clone());
            collect(value, way, found);
            way.pop();
        };
        match value {
            Value::Map(map) => map.iter().for_each(|(key, value)| inner(At::Key(key.clone()), value)),
            Value::List(items) => {
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
pub(crate) fn remove(document: &mut Value, place: &[At]) {
    match (document, place) {
        (Value::Map(map), [At::Key(key)]) => {
            map.remove(key);
        }
        (Value::List(items), [At::Index(index)]) if *index < items.len() => {
            items.remove(*index);
        }
        (Value::Map(map), [At::Key(key), rest @ ..]) => {
            if let Some(value) = map.get_mut(key) {
                remove(value, rest);
            }
        }
        (Value::List(items), [At::Index(index), rest @ ..]) => {
            if let Some(value) = items.get_mut(*index) {
                remove(value, rest);
            }
        }
        _ => {}
    }
}

/// A document less the place with this number; `None` when there are not so many.
pub(crate) fn without(document: &Value, number: usize) -> Option<Value> {
    let place = places(document).into_iter().nth(number)?;
    let mut less = document.clone();
    remove(&mut less, &place);
    Some(less)
}

#[cfg(test)]
mod tests {
    use skewer_engine::value::from_json;

    use super::*;

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
