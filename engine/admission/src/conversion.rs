//! Conversion between two versions that differ in the names of fields: what a conversion webhook does with them.

use std::cmp::Reverse;

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, OwnedText};

/// One step of the path of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConversionStep {
    /// A field of an object.
    Field(OwnedText),
    /// Every item of a list.
    Items,
    /// Every value of a map.
    Values,
}

/// A field that has another path in another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedField {
    /// The path in the first version.
    pub from: Vec<ConversionStep>,
    /// The path in the second version.
    pub to: Vec<ConversionStep>,
}

/// The fields that have other paths in a second version. All other fields stay where they are.
///
/// A field of the items of a list stays in its item. The list itself can be moved, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedFields(Vec<MovedField>);

/// One step to a value: the key of an object or of a map, or the index of an item.
#[derive(Clone, Debug)]
enum PathStep {
    Key(OwnedText),
    Index(usize),
}

impl MovedFields {
    /// Creates a conversion.
    ///
    /// # Errors
    ///
    /// Returns the first field that would leave its list or its map: it would not be known to which item it goes.
    pub fn new(fields: Vec<MovedField>) -> Result<Self, MovedField> {
        let moved = MovedFields(fields);
        match moved.0.iter().find(|field| moved.leaves_container(field)) {
            Some(field) => Err(field.clone()),
            None => Ok(moved),
        }
    }

    /// Returns true if no field is moved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the conversion from the second version to the first.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let swap = |field: &MovedField| MovedField { from: field.to.clone(), to: field.from.clone() };
        MovedFields(self.0.iter().map(swap).collect())
    }

    /// Moves the fields of an object. A value at the new path is replaced.
    pub fn apply(&self, object: &mut OwnedDoc) {
        // A field inside of another moved field is taken out of it first, and put into it last.
        let mut inner_first: Vec<&MovedField> = self.0.iter().collect();
        inner_first.sort_by_key(|field| Reverse(field.from.len()));
        let mut taken = Vec::new();
        for field in inner_first {
            let mut values = Vec::new();
            take(object, &field.from, &mut Vec::new(), &mut values);
            taken.extend(values.into_iter().map(|(steps, value)| (&field.to, steps, value)));
        }
        taken.sort_by_key(|(to, ..)| to.len());
        for (to, steps, value) in taken {
            put(object, to, &steps, value);
        }
    }

    /// Returns true if a field does not stay in its item of a list, or in its value of a map.
    fn leaves_container(&self, field: &MovedField) -> bool {
        let (from, to) = (containers(&field.from), containers(&field.to));
        from.len() != to.len() || from.iter().zip(&to).any(|(from, to)| self.moved(from) != *to)
    }

    /// Returns the path in the second version of an element of the first.
    fn moved(&self, path: &[ConversionStep]) -> Vec<ConversionStep> {
        let around = self.0.iter().filter(|field| path.starts_with(&field.from));
        match around.max_by_key(|field| field.from.len()) {
            Some(field) => [&field.to, &path[field.from.len()..]].concat(),
            None => path.to_vec(),
        }
    }
}

/// Returns the paths of the lists and maps whose items contain an element, each with the step to its items.
fn containers(path: &[ConversionStep]) -> Vec<&[ConversionStep]> {
    let is_item = |step: &ConversionStep| !matches!(step, ConversionStep::Field(_));
    (0..path.len()).filter(|at| is_item(&path[*at])).map(|at| &path[..=at]).collect()
}

/// Takes the values at a path out of an object, each with its items and keys on the way.
fn take(
    value: &mut OwnedDoc,
    path: &[ConversionStep],
    steps: &mut Vec<PathStep>,
    taken: &mut Vec<(Vec<PathStep>, OwnedDoc)>,
) {
    match (path, value) {
        ([ConversionStep::Field(name)], Doc::Map(map)) => {
            taken.extend(map.remove(name).map(|value| (steps.clone(), value)));
        }
        ([ConversionStep::Field(name), rest @ ..], Doc::Map(map)) => {
            if let Some(inner) = map.get_mut(name) {
                take(inner, rest, steps, taken);
            }
        }
        ([ConversionStep::Items, rest @ ..], Doc::List(items)) => {
            for (index, item) in items.iter_mut().enumerate() {
                steps.push(PathStep::Index(index));
                take(item, rest, steps, taken);
                steps.pop();
            }
        }
        ([ConversionStep::Values, rest @ ..], Doc::Map(map)) => {
            for (key, inner) in map.iter_mut() {
                steps.push(PathStep::Key(key.clone()));
                take(inner, rest, steps, taken);
                steps.pop();
            }
        }
        _ => {}
    }
}

/// Puts a value at a path. Objects on the way are created. Items of lists exist: the value comes from one.
fn put(object: &mut OwnedDoc, path: &[ConversionStep], steps: &[PathStep], value: OwnedDoc) {
    let Some((step, rest)) = path.split_first() else {
        *object = value;
        return;
    };
    if object.is_null() && matches!(step, ConversionStep::Field(_)) {
        *object = Doc::Map(OwnedMap::new());
    }
    match (step, steps, object) {
        (ConversionStep::Field(name), _, Doc::Map(map)) => {
            if !map.contains_key(name) {
                map.insert(name.clone(), Doc::Null);
            }
            if let Some(inner) = map.get_mut(name) {
                put(inner, rest, steps, value);
            }
        }
        (ConversionStep::Items, [PathStep::Index(index), steps @ ..], Doc::List(items)) => {
            if let Some(item) = items.get_mut(*index) {
                put(item, rest, steps, value);
            }
        }
        (ConversionStep::Values, [PathStep::Key(key), steps @ ..], Doc::Map(map)) => {
            if let Some(inner) = map.get_mut(key) {
                put(inner, rest, steps, value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use skewer_engine::document::from_json;

    fn path(text: &str) -> Vec<ConversionStep> {
        let step = |word: &str| match word {
            "[]" => ConversionStep::Items,
            "*" => ConversionStep::Values,
            name => ConversionStep::Field(name.to_owned().into()),
        };
        text.split('.').map(step).collect()
    }

    /// Reads `a=b c=d`.
    fn moved(text: &str) -> Result<MovedFields, MovedField> {
        let fields = text.split(' ').map(|pair| {
            let (from, to) = pair.split_once('=').expect("FROM=TO");
            MovedField { from: path(from), to: path(to) }
        });
        MovedFields::new(fields.collect())
    }

    fn object(json: &str) -> OwnedDoc {
        from_json(json.as_bytes()).expect("valid JSON").to_static()
    }

    #[rstest]
    #[case::name(
        "spec.url=spec.endpoint",
        r#"{"spec":{"url":"u","a":1}}"#,
        r#"{"spec":{"endpoint":"u","a":1}}"#
    )]
    #[case::absent("spec.url=spec.endpoint", r#"{"spec":{"a":1}}"#, r#"{"spec":{"a":1}}"#)]
    #[case::swapped("a=b b=a", r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#)]
    #[case::value(
        "spec.url=spec.endpoint",
        r#"{"spec":{"url":{"a":null}}}"#,
        r#"{"spec":{"endpoint":{"a":null}}}"#
    )]
    #[case::items(
        "l.[].url=l.[].address",
        r#"{"l":[{"url":"u"},{"a":1},{"url":"v"}]}"#,
        r#"{"l":[{"address":"u"},{"a":1},{"address":"v"}]}"#
    )]
    #[case::values("m.*.a=m.*.b", r#"{"m":{"x":{"a":1},"y":{"a":2}}}"#, r#"{"m":{"x":{"b":1},"y":{"b":2}}}"#)]
    #[case::list_and_items(
        "l.[].url=k.[].address l=k",
        r#"{"l":[{"url":"u"},{}]}"#,
        r#"{"k":[{"address":"u"},{}]}"#
    )]
    fn fields_are_moved_both_ways(#[case] fields: &str, #[case] first: &str, #[case] second: &str) {
        let moved = moved(fields).expect("a conversion");
        let (first, second) = (object(first), object(second));
        let mut converted = first.clone();
        moved.apply(&mut converted);
        assert_eq!(converted, second);
        moved.reversed().apply(&mut converted);
        assert_eq!(converted, first);
    }

    #[test]
    fn an_object_is_created_for_a_field_that_moves_into_it() {
        let moved = moved("cert=tls.cert").expect("a conversion");
        let mut converted = object(r#"{"cert":"c"}"#);
        moved.apply(&mut converted);
        assert_eq!(converted, object(r#"{"tls":{"cert":"c"}}"#));
        // The object that the field leaves stays, as another field could be in it.
        moved.reversed().apply(&mut converted);
        assert_eq!(converted, object(r#"{"cert":"c","tls":{}}"#));
    }

    #[rstest]
    #[case::out_of_a_list("l.[].url=url")]
    #[case::into_a_list("url=l.[].url")]
    #[case::other_list("l.[].url=k.[].url")]
    #[case::map_of_lists("m.*.[].a=m.[].*.a")]
    fn a_field_does_not_leave_its_item(#[case] fields: &str) {
        assert!(moved(fields).is_err());
    }
}
