//! The managed fields of an object in the form in which cases write and compare them.

use skewer_engine::document::from_json;
use skewer_engine::error::ManagerOperation;
use skewer_engine::server_side_apply::FieldSet;
use skewer_engine::{Doc, OwnedDoc};

const METADATA: &str = "metadata";
const MANAGED_FIELDS: &str = "managedFields";

/// Converts the managed fields of an object to the form of case files: an entry has no `time`, and its `fieldsV1` is a
/// map instead of JSON text. Two objects in this form are equal if their entries have the same order and the same sets
/// of fields.
///
/// ```
/// use skewer_cases::readable_managed_fields;
/// use skewer_engine::document::from_json;
///
/// let object = from_json(
///     br#"{"metadata":{"managedFields":[{"manager":"m","time":"2026-01-01T00:00:00Z","fieldsV1":"{\"f:a\":{}}"}]}}"#,
/// )?;
/// let readable = readable_managed_fields(object).to_string();
/// assert_eq!(readable, r#"{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}},"manager":"m"}]}}"#);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn readable_managed_fields(mut object: OwnedDoc) -> OwnedDoc {
    let metadata = object.as_map_mut().and_then(|object| object.get_mut(METADATA));
    let managed_fields = metadata.and_then(Doc::as_map_mut).and_then(|map| map.get_mut(MANAGED_FIELDS));
    if let Some(Doc::List(entries)) = managed_fields {
        for entry in entries.iter_mut().filter_map(Doc::as_map_mut) {
            entry.remove("time");
            if let Some(fields) = entry.get_mut("fieldsV1") {
                // Text that is not JSON is a defect of the implementation, which the comparison shows.
                if let Some(set) = fields.as_str().and_then(|text| from_json(text.as_bytes()).ok()) {
                    *fields = set;
                }
            }
        }
    }
    object
}

/// An owner of fields of an object: an entry of its managed fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldOwner {
    /// The name of the field manager.
    pub manager: String,
    /// The operation by which the manager became an owner.
    pub operation: ManagerOperation,
    /// The subresource to which the requests were sent. It is empty for the main resource.
    pub subresource: String,
    /// The paths of all fields that the manager owns, sorted and without duplicates, in the notation of field sets.
    pub fields: Vec<String>,
}

/// Returns the owners of the fields of an object, sorted.
///
/// ```
/// use skewer_cases::field_owners;
/// use skewer_engine::document::from_json;
///
/// let object = from_json(
///     br#"{"metadata":{"managedFields":[{"manager":"m","operation":"Apply","fieldsV1":"{\"f:a\":{\"f:b\":{}}}"}]}}"#,
/// )?;
/// let owners = field_owners(&object);
/// assert_eq!((owners[0].manager.as_str(), &owners[0].fields), ("m", &vec![".a.b".to_owned()]));
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn field_owners(object: &OwnedDoc) -> Vec<FieldOwner> {
    let metadata = object.as_map().and_then(|object| object.get(METADATA)).and_then(Doc::as_map);
    let entries = metadata.and_then(|metadata| metadata.get(MANAGED_FIELDS)).and_then(Doc::as_list);
    let mut owners: Vec<_> = entries.unwrap_or_default().iter().map(field_owner).collect();
    owners.sort_unstable();
    owners
}

fn field_owner(entry: &OwnedDoc) -> FieldOwner {
    let value = |key: &str| entry.as_map().and_then(|entry| entry.get(key));
    let text = |key: &str| value(key).and_then(Doc::as_str).unwrap_or_default().to_owned();
    let is_apply = text("operation") == ManagerOperation::Apply.name();
    let set = match value("fieldsV1") {
        Some(Doc::String(text)) => FieldSet::from_json(text),
        Some(fields) => FieldSet::from_doc(fields),
        None => Ok(FieldSet::default()),
    };
    // A set that cannot be read is a defect of the implementation, which the comparison shows.
    let mut fields = set.map_or_else(
        |_| vec![value("fieldsV1").map(ToString::to_string).unwrap_or_default()],
        |set| set.paths(),
    );
    fields.sort_unstable();
    fields.dedup();
    FieldOwner {
        manager: text("manager"),
        operation: if is_apply { ManagerOperation::Apply } else { ManagerOperation::Update },
        subresource: text("subresource"),
        fields,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::text_and_map(
        r#"[{"fieldsV1":"{\"f:b\":{},\"f:a\":{\".\":{}}}"}]"#,
        r#"[{"fieldsV1":{"f:a":{".":{}},"f:b":{}}}]"#
    )]
    #[case::a_time(r#"[{"manager":"m","time":"2026-01-01T00:00:00Z"}]"#, r#"[{"manager":"m"}]"#)]
    fn managed_fields_with_the_same_meaning_are_equal(#[case] one: &str, #[case] other: &str) {
        let read = |fields: &str| {
            let object = format!(r#"{{"metadata":{{"managedFields":{fields}}}}}"#);
            readable_managed_fields(from_json(object.as_bytes()).unwrap())
        };
        assert_eq!(read(one), read(other));
    }

    #[rstest]
    #[case::text_that_is_not_json(r#"{"metadata":{"managedFields":[{"fieldsV1":"f:a"}]}}"#)]
    #[case::other_fields_with_these_names(r#"{"fieldsV1":"{}","metadata":{"time":"x"},"time":"x"}"#)]
    #[case::no_list(r#"{"metadata":{"managedFields":{"time":"x"}}}"#)]
    #[case::no_object("[]")]
    fn other_parts_of_an_object_are_kept(#[case] text: &str) {
        let object = from_json(text.as_bytes()).unwrap();
        assert_eq!(readable_managed_fields(object.clone()), object);
    }
}
