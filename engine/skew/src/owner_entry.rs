//! The owners of the fields of an object, as its managed fields say.

use skewer_engine::error::ManagerOperation;
use skewer_engine::server_side_apply::FieldSet;
use skewer_engine::{Doc, OwnedDoc};

/// An entry of the managed fields.
#[derive(Clone, Debug)]
pub struct OwnerEntry {
    /// The field manager.
    pub manager: String,
    /// The operation.
    pub operation: ManagerOperation,
    /// The API version.
    pub api_version: String,
    /// The subresource. Empty for the main resource.
    pub subresource: String,
    /// The day of the last change, such as `2026-03-02`. Empty if the entry has no time.
    pub day: String,
    /// The fields.
    pub fields: FieldSet<'static>,
}

impl OwnerEntry {
    /// Reads an entry of managed fields. `None` if its fields cannot be read.
    pub(crate) fn read(entry: &OwnedDoc) -> Option<OwnerEntry> {
        let entry = entry.as_map()?;
        let text = |key: &str| entry.get(key).and_then(Doc::as_str).unwrap_or_default().to_owned();
        let fields = match entry.get("fieldsV1") {
            Some(Doc::String(text)) => FieldSet::from_json(text),
            Some(fields) => FieldSet::from_doc(fields).map(|set| set.to_static()),
            None => Ok(FieldSet::new()),
        };
        Some(OwnerEntry {
            manager: text("manager"),
            operation: if text("operation") == "Apply" {
                ManagerOperation::Apply
            } else {
                ManagerOperation::Update
            },
            api_version: text("apiVersion"),
            subresource: text("subresource"),
            day: text("time").split('T').next().unwrap_or_default().to_owned(),
            fields: fields.ok()?,
        })
    }

    /// Returns the owner in words, such as `helm (Update)`.
    #[must_use]
    pub fn name(&self) -> String {
        let subresource = match self.subresource.as_str() {
            "" => String::new(),
            subresource => format!(", subresource {subresource}"),
        };
        format!("{} ({}{subresource})", self.manager, self.operation.name())
    }

    /// Returns true if the entry is that of updates of the main resource by one of these managers.
    #[must_use]
    pub fn is_update_of(&self, managers: &[&str]) -> bool {
        self.operation == ManagerOperation::Update
            && self.subresource.is_empty()
            && managers.contains(&self.manager.as_str())
    }

    /// Returns true if the entry is that of a manager that applies.
    #[must_use]
    pub fn is_apply_of(&self, manager: &str) -> bool {
        self.operation == ManagerOperation::Apply && self.subresource.is_empty() && self.manager == manager
    }
}

/// Returns the entries of the managed fields of an object as they are.
#[must_use]
pub fn entries(object: &OwnedDoc) -> &[OwnedDoc] {
    let metadata = object.as_map().and_then(|object| object.get("metadata")?.as_map());
    metadata.and_then(|metadata| metadata.get("managedFields")?.as_list()).unwrap_or_default()
}

/// Returns the owners of an object. An entry that cannot be read owns nothing.
#[must_use]
pub fn owners(object: &OwnedDoc) -> Vec<OwnerEntry> {
    entries(object).iter().filter_map(OwnerEntry::read).collect()
}

/// Returns an object with other entries of managed fields.
#[must_use]
pub fn with_entries(object: &OwnedDoc, entries: Vec<OwnedDoc>) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(Doc::Map(metadata)) = object.as_map_mut().and_then(|object| object.get_mut("metadata")) {
        metadata.insert("managedFields".into(), Doc::List(entries));
    }
    object
}
