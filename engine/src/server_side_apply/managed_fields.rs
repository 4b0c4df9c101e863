//! Managed fields of an object: `metadata.managedFields`. Upstream: `DecodeManagedFields` and `encodeManagedFields`.

use std::collections::BTreeMap;

use super::field_set::FieldSet;
use super::managers::{ManagerId, Managers, OwnedFields};
use super::time::Timestamp;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};
use crate::error::{Error, ErrorKind, ManagerOperation, Result};

/// The managers of an object, with the times of their last changes.
#[derive(Clone, Debug, Default)]
pub(super) struct ManagedFields<'a> {
    pub(super) managers: Managers<'a>,
    /// The time of the last change, by manager. An entry without a time is older than all others.
    pub(super) times: BTreeMap<ManagerId, Timestamp>,
}

/// The value of `metadata.managedFields`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ManagedFieldsValue<'d> {
    /// There is none, or it cannot be decoded into entries: upstream then behaves as if there were none.
    Absent,
    /// The entries.
    Entries(&'d [Doc<'d>]),
}

impl<'d> ManagedFieldsValue<'d> {
    /// Returns the value of an object. Upstream: `Unstructured.GetManagedFields`.
    pub(super) fn of(object: &'d Doc<'_>) -> Self {
        let metadata = object.as_map().and_then(|map| map.get("metadata")).and_then(Doc::as_map);
        let entries = metadata.and_then(|map| map.get("managedFields")).and_then(Doc::as_list);
        match entries {
            Some(entries) if entries.iter().all(is_entry) => ManagedFieldsValue::Entries(entries),
            _ => ManagedFieldsValue::Absent,
        }
    }

    /// Returns true if the value says that no field has an owner: an empty list, or a list with one empty entry.
    /// Upstream: `isResetManagedFields`.
    pub(super) fn is_reset(self) -> bool {
        match self {
            ManagedFieldsValue::Entries([]) => true,
            ManagedFieldsValue::Entries([Doc::Map(entry)]) => {
                let is_zero =
                    |value: Option<&Doc<'_>>| value.is_none_or(|v| v.is_null() || v.as_str() == Some(""));
                MEMBERS.iter().all(|member| is_zero(entry.get(member)))
                    && entry.get("fieldsV1").is_none_or(Doc::is_null)
            }
            _ => false,
        }
    }
}

/// The members of an entry.
pub(super) const MEMBERS: [&str; 6] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "subresource"];

/// Returns true if a value can be decoded into an entry.
fn is_entry(value: &Doc<'_>) -> bool {
    let Doc::Map(entry) = value else { return false };
    MEMBERS.iter().all(|member| match entry.get(member) {
        None | Some(Doc::Null) => true,
        Some(Doc::String(text)) => *member != "time" || Timestamp::parse(text).is_some(),
        Some(_) => false,
    })
}

impl<'a> ManagedFields<'a> {
    /// Reads managed fields.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidManagedFields`] if an entry lacks a member or has an unknown one.
    pub(super) fn read(value: ManagedFieldsValue<'a>) -> Result<Self> {
        let mut managed = ManagedFields::default();
        let ManagedFieldsValue::Entries(entries) = value else { return Ok(managed) };
        for (index, entry) in entries.iter().enumerate() {
            let Doc::Map(entry) = entry else { continue };
            let at_entry = |error: Error| error.at_index(index).at("managedFields").at("metadata");
            let (id, owned) = read_entry(entry).map_err(at_entry)?;
            // Of several entries of one manager, only the last one counts, even if it has no time.
            match Timestamp::parse(&text(entry, "time")) {
                Some(time) => managed.times.insert(id.clone(), time),
                None => managed.times.remove(&id),
            };
            managed.managers.insert(id, owned);
        }
        Ok(managed)
    }
}

/// Returns the string in a member of an entry. Empty if there is none.
pub(super) fn text(entry: &Map<'_>, member: &str) -> OwnedText {
    entry.get(member).and_then(Doc::as_str).map(Text::from).unwrap_or_default()
}

fn read_entry<'a>(entry: &'a Map<'_>) -> Result<(ManagerId, OwnedFields<'a>)> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidManagedFields, message);
    let operation = match text(entry, "operation").as_str() {
        "Apply" => ManagerOperation::Apply,
        "Update" => ManagerOperation::Update,
        other => {
            return Err(invalid(format!("operation {other:?}: expected Apply or Update")).at("operation"));
        }
    };
    let api_version = text(entry, "apiVersion");
    if api_version.is_empty() {
        return Err(invalid("expected an API version".to_owned()).at("apiVersion"));
    }
    let fields_type = text(entry, "fieldsType");
    if fields_type != "FieldsV1" {
        return Err(invalid(format!("fields type {fields_type:?}: expected FieldsV1")).at("fieldsType"));
    }
    let fields = match entry.get("fieldsV1") {
        None | Some(Doc::Null) => FieldSet::new(),
        // The text keeps the order of the members.
        Some(Doc::String(text)) => FieldSet::from_json(text).map_err(|error| error.at("fieldsV1"))?,
        Some(fields) => FieldSet::from_doc(fields).map_err(|error| error.at("fieldsV1"))?,
    };
    let id = ManagerId {
        manager: text(entry, "manager"),
        operation,
        api_version: match operation {
            ManagerOperation::Apply => OwnedText::default(),
            ManagerOperation::Update => api_version.clone(),
        },
        subresource: text(entry, "subresource"),
    };
    Ok((id, OwnedFields { fields, api_version }))
}

impl ManagedFields<'_> {
    /// Copies the managed fields into some that borrow nothing.
    pub(super) fn to_static(&self) -> ManagedFields<'static> {
        let managers = self.managers.iter().map(|(id, owned)| (id.clone(), owned.to_static()));
        ManagedFields { managers: managers.collect(), times: self.times.clone() }
    }

    /// Returns the entries of `metadata.managedFields`. They are sorted as upstream sorts them: by operation, time,
    /// manager, API version and subresource. `fieldsV1` is a string with JSON text.
    pub(super) fn entries(&self) -> Vec<OwnedDoc> {
        let mut entries: Vec<_> = self.managers.iter().collect();
        let seconds = |id: &ManagerId| self.seconds(id);
        entries.sort_by(|(a, of_a), (b, of_b)| {
            (a.operation, seconds(a), &a.manager, &of_a.api_version, &a.subresource).cmp(&(
                b.operation,
                seconds(b),
                &b.manager,
                &of_b.api_version,
                &b.subresource,
            ))
        });
        entries.into_iter().map(|(id, owned)| Doc::Map(self.entry(id, owned))).collect()
    }

    /// Returns the time of the last change of a manager.
    pub(super) fn seconds(&self, id: &ManagerId) -> i64 {
        self.times.get(id).map_or(0, Timestamp::seconds)
    }

    fn entry(&self, id: &ManagerId, owned: &OwnedFields<'_>) -> OwnedMap {
        let mut entry = Map::new();
        let members = [
            ("apiVersion", owned.api_version.clone()),
            ("fieldsType", Text::from_static("FieldsV1")),
            ("fieldsV1", Text::from(owned.fields.to_json())),
            ("manager", id.manager.clone()),
            ("operation", Text::from_static(id.operation.name())),
            ("subresource", id.subresource.clone()),
            ("time", self.times.get(id).map(|time| time.text().clone()).unwrap_or_default()),
        ];
        for (key, value) in members.into_iter().filter(|(_, value)| !value.is_empty()) {
            entry.insert(Text::from_static(key), Doc::String(value));
        }
        entry
    }
}

/// Copies an object without its managed fields.
pub(super) fn without_managed_fields<'a>(object: &'a Doc<'_>) -> Doc<'a> {
    let Doc::Map(map) = object else { return object.borrowed() };
    let members = map.iter().map(|(key, value)| {
        let value = match value {
            Doc::Map(metadata) if *key == "metadata" => {
                let kept = metadata.iter().filter(|(key, _)| **key != "managedFields");
                Doc::Map(kept.map(|(key, value)| (key.as_borrowed(), value.borrowed())).collect())
            }
            value => value.borrowed(),
        };
        (key.as_borrowed(), value)
    });
    Doc::Map(members.collect())
}

/// Sets `metadata.managedFields`, or removes it if there are no entries. An object whose `metadata` is null gets none, as
/// upstream. Upstream: `Unstructured.SetManagedFields`.
pub(super) fn set(object: &mut Doc<'_>, entries: Vec<OwnedDoc>) {
    const KEY: &str = "managedFields";
    let Some(object) = object.as_map_mut() else { return };
    if entries.is_empty() {
        if let Some(Doc::Map(metadata)) = object.get_mut("metadata") {
            metadata.remove(KEY);
        }
        return;
    }
    match object.get_mut("metadata") {
        Some(Doc::Map(metadata)) => {
            metadata.insert(Text::from_static(KEY), Doc::List(entries));
        }
        None => {
            let metadata = [(Text::from_static(KEY), Doc::List(entries))].into_iter().collect();
            object.insert(Text::from_static("metadata"), Doc::Map(metadata));
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::from_json;

    #[rstest]
    #[case::no_metadata("{}", r#"{"metadata":{"managedFields":[{}]}}"#)]
    #[case::metadata(r#"{"metadata":{"name":"x"}}"#, r#"{"metadata":{"managedFields":[{}],"name":"x"}}"#)]
    #[case::null_metadata(r#"{"metadata":null}"#, r#"{"metadata":null}"#)]
    fn entries_are_set_unless_metadata_is_null(#[case] object: &str, #[case] expected: &str) {
        let mut object = from_json(object.as_bytes()).unwrap();
        set(&mut object, vec![Doc::Map(Map::new())]);
        assert_eq!(object.to_string(), expected);
    }
}
