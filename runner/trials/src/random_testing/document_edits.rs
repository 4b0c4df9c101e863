//! Edits of documents at field paths.

use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedText, PathSegment};

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

/// Removes the value at a field path, if the document has it.
pub fn remove_at(document: &mut OwnedDoc, path: &FieldPath) {
    remove_at_segments(document, path.segments());
}

fn remove_at_segments(document: &mut OwnedDoc, path: &[PathSegment]) {
    match (document, path) {
        (Doc::Map(map), [PathSegment::Key(key)]) => {
            map.remove(key);
        }
        (Doc::List(items), [PathSegment::Index(index)]) if *index < items.len() => {
            items.remove(*index);
        }
        (Doc::Map(map), [PathSegment::Key(key), rest @ ..]) => {
            if let Some(value) = map.get_mut(key) {
                remove_at_segments(value, rest);
            }
        }
        (Doc::List(items), [PathSegment::Index(index), rest @ ..]) => {
            if let Some(value) = items.get_mut(*index) {
                remove_at_segments(value, rest);
            }
        }
        _ => {}
    }
}

/// Collects the keys of all maps in a document, with repetitions.
pub fn collect_keys(document: &OwnedDoc, keys: &mut Vec<OwnedText>) {
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
pub fn rewrite_entries(
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

/// Returns a copy of a document without the value at the field path with this index in [`field_paths`]. Returns `None`
/// if the document has fewer values.
#[must_use]
pub fn without_nth_value(document: &OwnedDoc, index: usize) -> Option<OwnedDoc> {
    let path = field_paths(document).into_iter().nth(index)?;
    let mut smaller = document.clone();
    remove_at(&mut smaller, &path);
    Some(smaller)
}

#[cfg(test)]
mod tests {
    use skewer_engine::Text;
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
    fn without_nth_value_removes_outer_values_first() {
        let document = from_json(br#"{"a":[1,{"b":2}],"c":3}"#).unwrap();
        let smaller: Vec<String> =
            (0..).map_while(|index| without_nth_value(&document, index)).map(|doc| doc.to_string()).collect();
        assert_eq!(
            smaller,
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
