//! Edits of documents at field paths.

use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedMap, OwnedText, PathSegment, Text};

/// Returns the field paths of all values nested in a document. A path precedes the paths below it.
#[must_use]
pub fn field_paths(document: &OwnedDoc) -> Vec<FieldPath> {
    fn collect(value: &OwnedDoc, path: &mut FieldPath, paths: &mut Vec<FieldPath>) {
        let mut descend = |segment: PathSegment, value: &OwnedDoc| {
            path.push(segment);
            paths.push(path.clone());
            collect(value, path, paths);
            path.pop();
        };
        match value {
            Doc::Map(map) => {
                map.iter().for_each(|(key, value)| descend(PathSegment::Key(key.clone()), value));
            }
            Doc::List(items) => {
                items.iter().enumerate().for_each(|(index, value)| descend(PathSegment::Index(index), value));
            }
            _ => {}
        }
    }
    let mut paths = Vec::new();
    collect(document, &mut FieldPath::root(), &mut paths);
    paths
}

/// Returns the value at a field path, if the document has it.
pub fn value_at<'d>(document: &'d mut OwnedDoc, path: &[PathSegment]) -> Option<&'d mut OwnedDoc> {
    path.iter().try_fold(document, |value, segment| match (value, segment) {
        (Doc::Map(map), PathSegment::Key(key)) => map.get_mut(key),
        (Doc::List(items), PathSegment::Index(index)) => items.get_mut(*index),
        _ => None,
    })
}

/// Removes the value at a field path, if the document has it.
pub(crate) fn remove_at(document: &mut OwnedDoc, path: &FieldPath) {
    let Some((last, parents)) = path.segments().split_last() else { return };
    match (value_at(document, parents), last) {
        (Some(Doc::Map(map)), PathSegment::Key(key)) => {
            map.remove(key);
        }
        (Some(Doc::List(items)), PathSegment::Index(index)) if *index < items.len() => {
            items.remove(*index);
        }
        _ => {}
    }
}

/// Returns the map at a key. It is created if the key is missing or null. Returns `None` if the value is no map.
pub(crate) fn map_at<'d>(map: &'d mut OwnedMap, key: &'static str) -> Option<&'d mut OwnedMap> {
    if map.get(key).is_none_or(Doc::is_null) {
        map.insert(Text::from_static(key), Doc::Map(OwnedMap::default()));
    }
    map.get_mut(key)?.as_map_mut()
}

/// Collects the keys of all maps in a document, with repetitions.
pub(crate) fn collect_keys(document: &OwnedDoc, keys: &mut Vec<OwnedText>) {
    match document {
        Doc::Map(map) => map.iter().for_each(|(key, value)| {
            keys.push(key.clone());
            collect_keys(value, keys);
        }),
        Doc::List(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        _ => {}
    }
}

/// Finds every entry with this key in all maps of a document, and puts in its place the entry that `rewrite` returns for
/// its value.
pub(crate) fn rewrite_entries(
    document: &mut OwnedDoc,
    key: &str,
    rewrite: &dyn Fn(OwnedDoc) -> (OwnedText, OwnedDoc),
) {
    match document {
        Doc::Map(map) => {
            map.iter_mut().for_each(|(_, value)| rewrite_entries(value, key, rewrite));
            if let Some(value) = map.remove(key) {
                let (key, value) = rewrite(value);
                map.insert(key, value);
            }
        }
        Doc::List(items) => items.iter_mut().for_each(|item| rewrite_entries(item, key, rewrite)),
        _ => {}
    }
}

/// Removes a value that is nested in one of several documents. Returns false if they have fewer values.
pub fn remove_nth_value<'d>(documents: impl IntoIterator<Item = &'d mut OwnedDoc>, index: usize) -> bool {
    let mut left = index;
    for document in documents {
        let paths = field_paths(document);
        if let Some(path) = paths.get(left) {
            remove_at(document, path);
            return true;
        }
        left -= paths.len();
    }
    false
}

#[cfg(test)]
mod tests {
    use skewer_engine::document::from_json;

    use super::*;

    #[test]
    fn rewrite_entries_changes_all_maps() {
        let mut document = from_json(br#"{"a":[1,{"a":{"b":2}}],"c":3}"#).unwrap();
        let mut keys = Vec::new();
        collect_keys(&document, &mut keys);
        assert_eq!(keys, ["a", "a", "b", "c"]);
        rewrite_entries(&mut document, "a", &|value| (Text::from("A"), Doc::List(vec![value])));
        assert_eq!(document.to_string(), r#"{"A":[[1,{"A":[{"b":2}]}]],"c":3}"#);
    }

    #[test]
    fn remove_nth_value_removes_outer_values_first() {
        let documents = [br#"{"a":[1,{"b":2}]}"#.as_slice(), br#"{"c":3}"#].map(|it| from_json(it).unwrap());
        let without = |index| {
            let mut smaller = documents.clone();
            remove_nth_value(&mut smaller, index)
                .then(|| smaller.map(|document| document.to_string()).join(" "))
        };
        let smaller: Vec<String> = (0..).map_while(without).collect();
        assert_eq!(
            smaller,
            [
                r#"{} {"c":3}"#,
                r#"{"a":[{"b":2}]} {"c":3}"#,
                r#"{"a":[1]} {"c":3}"#,
                r#"{"a":[1,{}]} {"c":3}"#,
                r#"{"a":[1,{"b":2}]} {}"#,
            ]
        );
    }
}
