//! Managed fields and conflicts in the form of reports.

use std::borrow::Cow;

use skewer_engine::server_side_apply::{FieldSet, PathElement};
use skewer_engine::{Doc, Error, OwnedDoc};
use skewer_results::Owner;
use skewer_skew::without_managed_fields;

/// Splits an object into the object without managed fields and the owners that they name. An object without managed
/// fields, or with managed fields that cannot be read, is returned unchanged and has no owners.
pub fn split_owners(object: &OwnedDoc) -> (Cow<'_, OwnedDoc>, Vec<Owner>) {
    let metadata = object.as_map().and_then(|map| map.get("metadata")).and_then(Doc::as_map);
    let entries = metadata.and_then(|metadata| metadata.get("managedFields")).and_then(Doc::as_list);
    let owners: Option<Vec<Owner>> =
        entries.and_then(|entries| entries.iter().map(|entry| owner_of_entry(entry, object)).collect());
    match owners {
        Some(owners) => (Cow::Owned(without_managed_fields(object.clone())), owners),
        None => (Cow::Borrowed(object), Vec::new()),
    }
}

/// Returns the owner that an entry of the object's managed fields names, or `None` if the entry cannot be read.
fn owner_of_entry(entry: &OwnedDoc, object: &OwnedDoc) -> Option<Owner> {
    let entry = entry.as_map()?;
    let text = |key: &str| match entry.get(key) {
        None | Some(Doc::Null) => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    let fields = match entry.get("fieldsV1") {
        None => FieldSet::new(),
        Some(Doc::String(text)) => FieldSet::from_json(text).ok()?,
        Some(fields) => FieldSet::from_doc(fields).ok()?,
    };
    let api_version = Some(text("apiVersion")?).filter(|version| !version.is_empty());
    // In another version, a field can have another path.
    let version_of_object = object.as_map().and_then(|map| map.get("apiVersion")).and_then(Doc::as_str);
    let has_version_of_object =
        version_of_object.is_none_or(|version| api_version.as_deref() == Some(version));
    let absent_fields = if has_version_of_object { absent_fields(&fields, object) } else { Vec::new() };
    Some(Owner {
        manager: text("manager")?,
        operation: text("operation").filter(|operation| !operation.is_empty())?,
        api_version,
        subresource: Some(text("subresource")?).filter(|subresource| !subresource.is_empty()),
        fields: fields.paths(),
        absent_fields,
    })
}

/// Returns the paths of the fields that an object does not have.
fn absent_fields(fields: &FieldSet<'_>, object: &OwnedDoc) -> Vec<String> {
    let mut absent = Vec::new();
    fields.for_each(|path| {
        if !has_path(object, path) {
            absent.push(path.iter().map(ToString::to_string).collect());
        }
    });
    absent
}

fn has_path(value: &OwnedDoc, path: &[&PathElement<'_>]) -> bool {
    let Some((element, rest)) = path.split_first() else { return true };
    match (*element, value) {
        (PathElement::Field(name), Doc::Map(map)) => map.get(name).is_some_and(|value| has_path(value, rest)),
        (PathElement::Index(index), Doc::List(items)) => {
            let item = usize::try_from(*index).ok().and_then(|index| items.get(index));
            item.is_some_and(|item| has_path(item, rest))
        }
        (element, Doc::List(items)) => {
            items.iter().any(|item| is_identity(element, item) && has_path(item, rest))
        }
        _ => false,
    }
}

/// Returns true if an element identifies the item of a list. A key that the item does not have counts as equal, because
/// the element can have the default of the key.
fn is_identity(element: &PathElement<'_>, item: &OwnedDoc) -> bool {
    let is_equal =
        |a: &Doc<'_>, b: &OwnedDoc| PathElement::Value(a.to_static()) == PathElement::Value(b.clone());
    match (element, item) {
        (PathElement::Value(value), item) => is_equal(value, item),
        (PathElement::Key(keys), Doc::Map(item)) => {
            keys.iter().all(|(key, value)| item.get(key).is_none_or(|of_item| is_equal(value, of_item)))
        }
        _ => false,
    }
}

/// Returns the other owners with which an apply request conflicts, each with the fields that the request changes.
#[must_use]
pub fn conflicting_owners(error: &Error) -> Vec<Owner> {
    let mut owners: Vec<Owner> = Vec::new();
    for conflict in error.conflicts() {
        let owner = Owner {
            manager: conflict.manager.clone(),
            operation: conflict.operation.name().to_owned(),
            api_version: conflict.api_version.clone(),
            subresource: conflict.subresource.clone(),
            fields: Vec::new(),
            absent_fields: Vec::new(),
        };
        // The conflicts are sorted by path. Several owners can have the same name.
        let is_same = |known: &&mut Owner| **known == Owner { fields: known.fields.clone(), ..owner.clone() };
        match owners.iter_mut().find(is_same) {
            Some(known) => known.fields.push(conflict.path.clone()),
            None => owners.push(Owner { fields: vec![conflict.path.clone()], ..owner }),
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::error::{ManagerConflict, ManagerOperation};
    use skewer_results::owners;

    use super::*;

    const ENTRY: &str = r#"{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":
        {"f:items":{".":{},"k:{\"name\":\"x\"}":{"f:y":{}}}}}"#;

    fn split(object: &str) -> (String, String) {
        let object = from_json(object.as_bytes()).unwrap();
        let (without, owners) = split_owners(&object);
        (without.to_string(), owners::text(&owners))
    }

    #[rstest]
    #[case::other_metadata(r#"{"name":"n","managedFields":[ENTRY]}"#, r#"{"metadata":{"name":"n"}}"#)]
    #[case::no_other_metadata(r#"{"managedFields":[ENTRY]}"#, "{}")]
    fn managed_fields_are_split_off(#[case] metadata: &str, #[case] without: &str) {
        let object = format!(r#"{{"metadata":{}}}"#, metadata.replace("ENTRY", ENTRY));
        let fields = [".items", ".items[name=\"x\"].y"];
        let fields: String = fields.map(|field| format!("  {field} (not in the object)\n")).concat();
        let fields = format!("m (Apply, v1)\n{fields}");
        assert_eq!(split(&object), (without.to_owned(), fields));
    }

    #[test]
    fn fields_can_be_text() {
        let entry =
            r#"{"manager":"m","operation":"Update","subresource":"status","fieldsV1":"{\"f:a\":{}}"}"#;
        let (_, owners) = split(&format!(r#"{{"metadata":{{"managedFields":[{entry}]}}}}"#));
        assert_eq!(owners, "m (Update, subresource status)\n  .a (not in the object)\n");
    }

    #[rstest]
    #[case::none(r#"{"metadata":{"name":"n"}}"#)]
    #[case::empty_metadata(r#"{"metadata":{}}"#)]
    #[case::no_list(r#"{"metadata":{"managedFields":{"a":1}}}"#)]
    #[case::no_entry(r#"{"metadata":{"managedFields":["a"]}}"#)]
    #[case::no_operation(r#"{"metadata":{"managedFields":[{"manager":"m"}]}}"#)]
    #[case::unreadable_fields(
        r#"{"metadata":{"managedFields":[{"fieldsV1":"{","manager":"m","operation":"Apply"}]}}"#
    )]
    #[case::no_object("[]")]
    fn what_cannot_be_read_is_left_in_the_object(#[case] object: &str) {
        assert_eq!(split(object), (object.to_owned(), String::new()));
    }

    #[rstest]
    #[case::field("", r#"{"f:a":{},"f:b":{}}"#, &[".b"])]
    #[case::other_version(r#""apiVersion":"v2","#, r#"{"f:b":{}}"#, &[])]
    #[case::same_version(r#""apiVersion":"v1","#, r#"{"f:b":{}}"#, &[".b"])]
    #[case::items("", r#"{"f:l":{"k:{\"n\":\"x\"}":{"f:y":{},"f:z":{}},"k:{\"n\":\"w\"}":{".":{}}}}"#,
        &[r#".l[n="w"]"#, r#".l[n="x"].z"#])]
    #[case::default_of_a_key("", r#"{"f:l":{"k:{\"n\":\"x\",\"p\":\"TCP\"}":{".":{}}}}"#, &[])]
    #[case::values("", r#"{"f:s":{"v:1":{},"v:3":{}}}"#, &[".s[=3]"])]
    #[case::indices("", r#"{"f:s":{"i:1":{},"i:2":{}}}"#, &[".s[2]"])]
    #[case::below_a_string("", r#"{"f:a":{"f:b":{}}}"#, &[".a.b"])]
    fn fields_that_the_object_does_not_have_are_marked(
        #[case] version: &str,
        #[case] fields: &str,
        #[case] expected: &[&str],
    ) {
        let entry = format!(r#"{{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsV1":{fields}}}"#);
        let members = r#""a":"t","l":[{"n":"x","y":1}],"s":[1.0,2]"#;
        let object = format!(r#"{{{version}{members},"metadata":{{"managedFields":[{entry}]}}}}"#);
        let owners = split_owners(&from_json(object.as_bytes()).unwrap()).1;
        assert_eq!(owners[0].absent_fields, expected);
    }

    #[test]
    fn conflicts_are_grouped_by_owner() {
        let conflict = |manager: &str, path: &str, version: Option<&str>| ManagerConflict {
            manager: manager.to_owned(),
            path: path.to_owned(),
            operation: version.map_or(ManagerOperation::Apply, |_| ManagerOperation::Update),
            api_version: version.map(str::to_owned),
            subresource: None,
        };
        let conflicts = vec![
            conflict("b", ".x", None),
            conflict("a", ".y", Some("v1")),
            conflict("a", ".x", Some("v1")),
            conflict("a", ".x", Some("v2")),
        ];
        let owners = conflicting_owners(&Error::apply_conflict(conflicts, "4 conflicts"));
        let expected = "a (Update, v1)\n  .x\n  .y\na (Update, v2)\n  .x\nb (Apply)\n  .x\n";
        assert_eq!(owners::text(&owners), expected);
    }
}
