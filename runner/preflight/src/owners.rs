//! The owners of the fields of an object, as its managed fields say.

use skewer_engine::error::ManagerOperation;
use skewer_engine::server_side_apply::{FieldComparison, FieldSet, PathElement};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};

use crate::served::ServedKind;

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
    entries(object).iter().filter_map(owner).collect()
}

fn owner(entry: &OwnedDoc) -> Option<OwnerEntry> {
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

/// Returns an object with other entries of managed fields.
#[must_use]
pub fn with_entries(object: &OwnedDoc, entries: Vec<OwnedDoc>) -> OwnedDoc {
    let mut object = object.clone();
    if let Some(Doc::Map(metadata)) = object.as_map_mut().and_then(|object| object.get_mut("metadata")) {
        metadata.insert("managedFields".into(), Doc::List(entries));
    }
    object
}

/// Returns an entry of a manager that applied fields of the main resource.
#[must_use]
pub fn applied_entry(manager: &str, api_version: &str, fields: &FieldSet<'_>) -> OwnedDoc {
    let members = [
        ("apiVersion", api_version),
        ("fieldsType", "FieldsV1"),
        ("fieldsV1", &fields.to_json()),
        ("manager", manager),
        ("operation", "Apply"),
    ];
    let members =
        members.map(|(key, value)| (Text::from_static(key), Doc::String(Text::from(value.to_owned()))));
    Doc::Map(members.into_iter().collect::<OwnedMap>())
}

/// Returns the fields that an apply of a manifest sets: list items, and what has nothing below it. `None` if a list of it has
/// an item without an identity.
#[must_use]
pub fn fields_of(served: &ServedKind, manifest: &OwnedDoc) -> Option<FieldSet<'static>> {
    let identity = ["apiVersion", "kind"].into_iter().filter_map(|key| {
        let value = manifest.as_map()?.get(key)?.clone();
        Some((Text::from_static(key), value))
    });
    let empty = Doc::Map(identity.collect::<OwnedMap>());
    let added = FieldComparison::new(served.place(), &empty, manifest).ok()?.added;
    let mut fields = added.leaves().to_static();
    added.for_each(|path| {
        if path.last().is_some_and(|last| last.as_field().is_none()) {
            let path: Vec<PathElement<'static>> = path.iter().map(|element| element.to_static()).collect();
            fields.insert(&path);
        }
    });
    Some(fields)
}

/// Returns the members of a set of which no other member is above, as paths.
#[must_use]
pub fn highest(set: &FieldSet<'_>) -> Vec<Vec<PathElement<'static>>> {
    let mut found: Vec<Vec<PathElement<'static>>> = Vec::new();
    set.for_each(|path| {
        let path: Vec<PathElement<'static>> = path.iter().map(|element| element.to_static()).collect();
        if !found.iter().any(|above| path.starts_with(above)) {
            found.retain(|below| !below.starts_with(&path));
            found.push(path);
        }
    });
    found
}

/// Returns true if a set has a path, or a path below it.
#[must_use]
pub fn has_at_or_below(set: &FieldSet<'_>, path: &[PathElement<'_>]) -> bool {
    let mut has = false;
    set.for_each(|member| {
        has |= member.len() >= path.len() && member.iter().zip(path).all(|(a, b)| **a == *b);
    });
    has
}

/// Returns a path in the notation of field sets without the first dot, such as `spec.containers[name="a"].image`.
#[must_use]
pub fn path_text(path: &[PathElement<'_>]) -> String {
    let text: String = path.iter().map(ToString::to_string).collect();
    text.trim_start_matches('.').to_owned()
}
