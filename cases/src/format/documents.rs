//! The documents of an operation. Cases and axis values contain them beside their other keys.
//!
//! The keys follow from the declarations of the operations. A document is written under the name of its role, and a
//! list of documents is written under the name of its operation.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::{Schema, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
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

/// A struct of the format that contains documents in addition to the fields for which serde derives `Deserialize`.
pub(super) trait HasDocuments<'de>: Sized {
    /// The name of the struct in error messages.
    const NAME: &'static str;

    /// Returns all keys of the struct, both of fields and of documents.
    fn keys() -> &'static [&'static str];

    /// Returns the keys of the struct's documents.
    fn document_keys() -> impl Iterator<Item = DocumentKey>;

    /// Reads the fields with the implementation that serde derives.
    fn deserialize_fields<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Returns the struct with these documents.
    fn with_documents(self, documents: DocumentsSpec) -> Self;
}

/// Implements `Deserialize` and `Serialize` for a struct with a field `documents`. For the other fields, serde derives
/// the implementations through `#[serde(remote = "Self")]`.
macro_rules! deserialize_with_documents {
    ($name:ident, $document_keys:expr) => {
        impl<'de> $crate::format::documents::HasDocuments<'de> for $name {
            const NAME: &'static str = stringify!($name);

            fn keys() -> &'static [&'static str] {
                static KEYS: std::sync::LazyLock<Vec<&str>> =
                    std::sync::LazyLock::new($crate::format::documents::all_keys::<$name>);
                &KEYS
            }

            fn document_keys() -> impl Iterator<Item = $crate::format::documents::DocumentKey> {
                $document_keys
            }

            fn deserialize_fields<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::deserialize(deserializer)
            }

            fn with_documents(self, documents: $crate::format::documents::DocumentsSpec) -> Self {
                $name { documents, ..self }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::format::documents::deserialize(deserializer)
            }
        }
    };
}
pub(super) use deserialize_with_documents;

/// Reads a struct with its fields and its documents.
pub(super) fn deserialize<'de, D: Deserializer<'de>, T: HasDocuments<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct Entries<T>(PhantomData<T>);

    impl<'de, T: HasDocuments<'de>> Visitor<'de> for Entries<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            let mut documents = DocumentsSpec::default();
            let fields: FieldAccess<'_, A> =
                FieldAccess { map, document_keys: T::document_keys().collect(), documents: &mut documents };
            let fields = T::deserialize_fields(MapAccessDeserializer::new(fields))?;
            Ok(fields.with_documents(documents))
        }
    }

    deserializer.deserialize_struct(T::NAME, T::keys(), Entries(PhantomData))
}

/// The entries of a map, for the derived implementation of `Deserialize`. Entries that are documents are stored here
/// and not passed on.
struct FieldAccess<'a, A> {
    map: A,
    document_keys: Vec<DocumentKey>,
    documents: &'a mut DocumentsSpec,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for FieldAccess<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            match self.document_keys.iter().find(|document_key| document_key.name() == key) {
                Some(DocumentKey::Role(role)) => {
                    self.documents.by_role.insert(*role, self.map.next_value()?);
                }
                Some(DocumentKey::List(kind)) => {
                    // A `null` counts as no list, as for any other list that can be left out.
                    if let Some(list) = self.map.next_value::<Option<Vec<OwnedDoc>>>()? {
                        self.documents.lists.insert(*kind, list);
                    }
                }
                None => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Returns the names of a struct's derived fields and of its documents.
pub(super) fn all_keys<T: for<'de> HasDocuments<'de>>() -> Vec<&'static str> {
    let mut keys = Vec::new();
    // The result is always an error: reading stops as soon as the struct has named its fields.
    let _ = T::deserialize_fields(FieldNames(&mut keys));
    keys.extend(T::document_keys().map(DocumentKey::name));
    keys
}

/// A deserializer that records the names of the fields that a struct requests.
struct FieldNames<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("only the fields of a struct have names"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.extend(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
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
