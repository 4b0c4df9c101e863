//! Removes from a result the required fields that none of the documents have.
//!
//! The types write required fields always. Documents often leave them out: a live object without metadata, or without
//! `apiVersion` and `kind`. The results of such documents would all have these fields, with empty values.

use std::collections::BTreeSet;

use serde_json::Value;

/// The path of a field. An item of a list has the path of the list, so that a field counts as present if one item of
/// the list has it.
type Path = Vec<String>;

/// Removes the fields with empty values that no document has, and `apiVersion` and `kind` if no document has them.
pub(crate) fn remove(mut result: Value, documents: &[&Value]) -> Value {
    let mut present = BTreeSet::new();
    for document in documents {
        collect(document, &mut Path::new(), &mut present);
    }
    if let Some(result) = result.as_object_mut() {
        result.retain(|name, _| {
            !matches!(name.as_str(), "apiVersion" | "kind") || present.contains(&vec![name.clone()])
        });
    }
    prune(&mut result, &mut Path::new(), &present);
    result
}

fn collect(value: &Value, path: &mut Path, present: &mut BTreeSet<Path>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                path.push(name.clone());
                present.insert(path.clone());
                collect(value, path, present);
                path.pop();
            }
        }
        Value::Array(list) => list.iter().for_each(|item| collect(item, path, present)),
        _ => {}
    }
}

fn prune(value: &mut Value, path: &mut Path, present: &BTreeSet<Path>) {
    match value {
        Value::Object(map) => map.retain(|name, value| {
            path.push(name.clone());
            prune(value, path, present);
            let keep = present.contains(path) || !is_empty(value);
            path.pop();
            keep
        }),
        Value::Array(list) => list.iter_mut().for_each(|item| prune(item, path, present)),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_empty_fields_that_no_document_has_are_removed() {
        let result = json!({
            "kind": "Pod", "apiVersion": "v1", "metadata": {}, "spec": {"list": [{"a": 0}, {"a": 1, "b": ""}]},
            "status": {"count": 0, "of": 1},
        });
        let (live, patch) =
            (json!({"kind": "Pod", "spec": {"list": [{"a": 1}]}}), json!({"status": {"count": 5}}));
        let expected = json!({
            "kind": "Pod", "spec": {"list": [{"a": 0}, {"a": 1}]}, "status": {"count": 0, "of": 1},
        });
        assert_eq!(remove(result, &[&live, &patch]), expected);
    }
}
