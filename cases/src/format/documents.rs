//! The documents of an operation. Cases and axis values contain them beside their other keys.
//!
//! The keys follow from the declarations of the operations. A document is written under the name of its role, and a
//! list of documents is written under the name of its operation.

use std::collections::BTreeMap;

use schemars::{Schema, json_schema};
use serde::de::MapAccess;
use serde::ser::{Serialize, SerializeMap, Serializer};
use skewer_engine::OwnedDoc;
use skewer_skew::{OperationKind, Role};

/// The documents of a case or of an axis value, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentsSpec {
    /// The documents by role.
    pub by_role: BTreeMap<Role, OwnedDoc>,
    /// The lists of documents by operation. An axis value has no lists.
    pub lists: BTreeMap<OperationKind, Vec<OwnedDoc>>,
}

impl FromIterator<(Role, OwnedDoc)> for DocumentsSpec {
    fn from_iter<I: IntoIterator<Item = (Role, OwnedDoc)>>(documents: I) -> Self {
        DocumentsSpec { by_role: documents.into_iter().collect(), lists: BTreeMap::new() }
    }
}

impl Serialize for DocumentsSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (role, document) in &self.by_role {
            map.serialize_entry(role.name(), document)?;
        }
        for (kind, documents) in &self.lists {
            map.serialize_entry(kind.name(), documents)?;
        }
        map.end()
    }
}

/// The key under which a document or a list of documents is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DocumentKey {
    /// The key of the document in a role.
    Role(Role),
    /// The key of the list of documents of an operation.
    List(OperationKind),
}

impl DocumentKey {
    /// Returns the keys of documents that an axis value can have.
    pub(crate) fn of_roles() -> impl Iterator<Item = DocumentKey> + Clone {
        let is_used = |role: &Role| OperationKind::ALL.iter().any(|kind| has_document(*kind, *role));
        Role::ALL.iter().copied().filter(is_used).map(DocumentKey::Role)
    }

    /// Returns the keys of documents and lists that a case can have.
    pub(crate) fn all() -> impl Iterator<Item = DocumentKey> + Clone {
        DocumentKey::of_roles().chain(DocumentKey::of_lists())
    }

    /// Returns the keys of all lists of documents.
    pub(crate) fn of_lists() -> impl Iterator<Item = DocumentKey> + Clone {
        let kinds = OperationKind::ALL.iter().copied();
        kinds.filter(|kind| kind.declaration().list_operand().is_some()).map(DocumentKey::List)
    }

    /// Returns the key under which an operand is written.
    pub(crate) fn of_operand(kind: OperationKind, role: Role) -> DocumentKey {
        if role.declaration().is_list { DocumentKey::List(kind) } else { DocumentKey::Role(role) }
    }

    /// Returns the key as written in a case file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DocumentKey::Role(role) => role.name(),
            DocumentKey::List(kind) => kind.name(),
        }
    }
}

/// Returns true if the operation has a single document (not a list) as the operand in this role.
fn has_document(kind: OperationKind, role: Role) -> bool {
    kind.declaration().document_roles().any(|other| other == role)
}

impl DocumentsSpec {
    /// Reads the document or the list of documents of a key.
    pub(super) fn read_value<'de, A: MapAccess<'de>>(
        &mut self,
        key: DocumentKey,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            DocumentKey::Role(role) => {
                self.by_role.insert(role, map.next_value()?);
            }
            DocumentKey::List(kind) => {
                // A `null` counts as no list, as for any other list that can be left out.
                if let Some(list) = map.next_value::<Option<Vec<OwnedDoc>>>()? {
                    self.lists.insert(kind, list);
                }
            }
        }
        Ok(())
    }
}

/// Adds the documents of a case to the JSON Schema of a case.
pub(super) fn add_to_case_schema(schema: &mut Schema) {
    add_to_schema(schema, DocumentKey::all(), |key| match key {
        DocumentKey::Role(role) => json_schema!({
            "description": format!(
                "{} Operand of {}.",
                sentence(role.declaration().about),
                names_of_operations(role)
            ),
        }),
        DocumentKey::List(kind) => {
            let mut schema = json_schema!({
                "description": format!("The {}, for a case that {}.", list_name(kind), kind.declaration().about),
                "type": "array",
                "items": true,
            });
            let length = kind.declaration().list_operand().and_then(|operand| operand.length);
            if let Some(length) = length {
                schema.insert("minItems".to_owned(), length.into());
                schema.insert("maxItems".to_owned(), length.into());
            }
            schema
        }
    });
}

/// Adds the documents of an axis value to the JSON Schema of an axis value.
pub(super) fn add_to_setting_schema(schema: &mut Schema) {
    add_to_schema(schema, DocumentKey::of_roles(), |key| {
        let about = match key {
            DocumentKey::Role(role) => role.declaration().about,
            DocumentKey::List(kind) => list_name(kind),
        };
        json_schema!({"description": format!("A part of {about}, which is laid over that of the case.")})
    });
}

fn add_to_schema(
    schema: &mut Schema,
    keys: impl Iterator<Item = DocumentKey>,
    schema_of_key: impl Fn(DocumentKey) -> Schema,
) {
    let properties = schema.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.extend(keys.map(|key| (key.name().to_owned(), schema_of_key(key).into())));
    }
}

/// Returns the plural name of the documents in the list operand of an operation, for example "patches", or "documents"
/// if the operation has no list operand.
fn list_name(kind: OperationKind) -> &'static str {
    kind.declaration().list_operand().map_or("documents", |operand| operand.role.name())
}

/// Lists the operations that take a document in this role. Their names are formatted as code.
fn names_of_operations(role: Role) -> String {
    let kinds = OperationKind::ALL.iter().filter(|kind| has_document(**kind, role));
    kinds.map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
}

/// Capitalises a phrase and ends it with a full stop.
fn sentence(phrase: &str) -> String {
    let mut chars = phrase.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}
