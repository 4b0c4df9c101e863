//! Compiled schemas. Types refer to each other by id instead of by name, structs contain the fields of the structs that
//! they embed, and a field is looked up with one hash.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::declarations::ScalarType;
use super::field_meta::{FieldMeta, Required};
use super::patch_meta::{ListType, MapType};
use crate::document::{DocKind, OwnedDoc, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::union::Union;

/// The id of a type in a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(super) u32);

/// The definition of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A string type with listed values.
    Enum(EnumType),
    /// A list with items of one type.
    List(TypeId),
    /// A map from strings to values of one type.
    Map(TypeId),
    /// A struct.
    Struct(StructType),
    /// Any JSON value.
    Any,
}

impl Type {
    /// Returns true if a scalar of this kind is a value of the type. Returns false for the kinds list and map.
    #[must_use]
    pub fn accepts_scalar(&self, kind: DocKind) -> bool {
        let scalar = match self {
            Type::Scalar(scalar) => *scalar,
            Type::Enum(_) => ScalarType::String,
            Type::Any => return !matches!(kind, DocKind::List | DocKind::Map),
            Type::List(_) | Type::Map(_) | Type::Struct(_) => return false,
        };
        match scalar {
            ScalarType::String
            | ScalarType::Bytes
            | ScalarType::Time
            | ScalarType::MicroTime
            | ScalarType::Duration => kind == DocKind::String,
            ScalarType::Integer | ScalarType::Int32 => kind == DocKind::Int,
            ScalarType::Number => matches!(kind, DocKind::Int | DocKind::Float),
            ScalarType::Boolean => kind == DocKind::Bool,
            ScalarType::IntOrString | ScalarType::Quantity => {
                matches!(kind, DocKind::Int | DocKind::Float | DocKind::String)
            }
        }
    }

    /// Returns a description of a value of the type for error messages, with its article, such as `a list`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Type::Scalar(
                ScalarType::String | ScalarType::Time | ScalarType::MicroTime | ScalarType::Duration,
            ) => "a string".to_owned(),
            Type::Scalar(ScalarType::Bytes) => "base64 text".to_owned(),
            Type::Scalar(ScalarType::Integer | ScalarType::Int32) => "an integer".to_owned(),
            Type::Scalar(ScalarType::Number) => "a number".to_owned(),
            Type::Scalar(ScalarType::Boolean) => "a boolean".to_owned(),
            Type::Scalar(ScalarType::IntOrString | ScalarType::Quantity) => "text or a number".to_owned(),
            Type::Enum(e) => format!("a {}, which is a string", e.name),
            Type::List(_) => "a list".to_owned(),
            Type::Map(_) => "a map".to_owned(),
            Type::Struct(s) => format!("a {}, which is a map", s.name),
            Type::Any => "any value".to_owned(),
        }
    }
}

/// A string type with listed values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnumType {
    /// The declared name.
    pub name: OwnedText,
    /// The values, in the order of the source.
    pub values: Vec<OwnedText>,
    /// Whether only the listed values are valid.
    pub closed: bool,
}

impl EnumType {
    /// Checks that a value is valid. An enum that is not closed accepts any value.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownEnumValue`] if the enum is closed and does not list the value.
    pub fn check(&self, value: &str) -> Result<()> {
        if !self.closed || self.values.iter().any(|known| known == value) {
            return Ok(());
        }
        let expected: Vec<String> = self.values.iter().map(|value| format!("{value:?}")).collect();
        let message = format!("{value:?} is not a value of {} (expected {})", self.name, expected.join(", "));
        Err(Error::new(ErrorKind::UnknownEnumValue, message))
    }
}

/// A struct with its fields, including the fields of embedded structs.
#[derive(Clone, Debug, PartialEq)]
pub struct StructType {
    /// The declared name.
    pub name: OwnedText,
    /// The fields, in the order of the source.
    fields: Vec<Field>,
    positions: FieldPositions,
    unions: Vec<Union>,
}

impl StructType {
    /// Creates a struct. The names of the fields must differ.
    pub(super) fn new(name: OwnedText, fields: Vec<Field>, unions: Vec<Union>) -> Self {
        let positions = FieldPositions::of(&fields);
        StructType { name, fields, positions, unions }
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|position| &self.fields[position])
    }

    fn position(&self, name: &str) -> Option<usize> {
        if self.fields.len() <= MAX_LINEAR_SEARCH {
            return self.fields.iter().position(|field| field.name == *name);
        }
        self.positions.find(name, &self.fields)
    }

    /// Returns the field with this name if the struct has the name `declared_in`, or embeds the struct with this name
    /// that declares the field.
    pub(crate) fn declared_field(&self, declared_in: &str, name: &str) -> Option<&Field> {
        self.field(name).filter(|field| self.name == *declared_in || *field.declared_in == *declared_in)
    }

    /// Returns the fields, in the order of the source.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }

    /// Returns the unions of the struct, including those of embedded structs.
    #[must_use]
    pub fn unions(&self) -> &[Union] {
        &self.unions
    }

    pub(crate) fn unions_mut(&mut self) -> &mut Vec<Union> {
        &mut self.unions
    }

    /// Removes a field from the struct and from its unions.
    pub(crate) fn remove_field(&mut self, name: &str) {
        self.unions.retain_mut(|union| union.remove_field(name));
        self.fields.retain(|field| field.name != *name);
        self.positions = FieldPositions::of(&self.fields);
    }

    pub(crate) fn fields_mut(&mut self) -> impl Iterator<Item = &mut Field> {
        self.fields.iter_mut()
    }

    pub(crate) fn field_mut(&mut self, name: &str) -> Option<&mut Field> {
        self.position(name).map(|position| &mut self.fields[position])
    }
}

/// Structs with up to this number of fields are searched linearly. Most structs are small, and comparing a few names is
/// as fast as hashing one.
const MAX_LINEAR_SEARCH: usize = 6;

/// The positions of the fields of a struct, by the hashes of their names. The table has no copies of the names. It is empty
/// if the fields are searched linearly.
#[derive(Clone, Debug)]
struct FieldPositions(HashTable<u32>);

impl FieldPositions {
    fn of(fields: &[Field]) -> Self {
        if fields.len() <= MAX_LINEAR_SEARCH {
            return FieldPositions(HashTable::new());
        }
        let mut positions = HashTable::with_capacity(fields.len());
        let hash_at = |position: &u32| hash(&fields[*position as usize].name);
        #[allow(clippy::cast_possible_truncation)] // A struct with 4 billion fields does not fit into memory.
        let length = fields.len() as u32;
        for position in 0..length {
            positions.insert_unique(hash_at(&position), position, hash_at);
        }
        FieldPositions(positions)
    }

    /// Returns the position of the field with this name. `fields` are the fields of the struct.
    fn find(&self, name: &str, fields: &[Field]) -> Option<usize> {
        let is_named = |position: &u32| fields[*position as usize].name == *name;
        self.0.find(hash(name), is_named).map(|&position| position as usize)
    }
}

/// The positions follow from the fields, which are compared, too.
impl PartialEq for FieldPositions {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of the declaration, independent of the others"
)]
#[non_exhaustive]
pub struct Field {
    /// The key in documents.
    pub name: OwnedText,
    /// The name of the struct that declares the field. If the field belongs to an embedded struct, this is the embedded
    /// struct. All fields that a struct declares share the text.
    pub declared_in: Arc<str>,
    /// The type. If the field is a pointer, this is the type of its target.
    pub ty: TypeId,
    /// Whether the field is a pointer in Go.
    pub is_pointer: bool,
    /// The patch metadata. All fields of a schema that declare none share one value.
    pub meta: Arc<FieldMeta>,
    /// Whether documents must have the field.
    pub required: Required,
    /// Whether null is a value of the field, which an `OpenAPI` schema declares (`nullable`). Otherwise, a null says that the
    /// field is not set.
    pub nullable: bool,
    /// Whether the field is declared in Go. Go writes a field that is not set, unless the field has `omitempty` or
    /// `omitzero`.
    pub is_go: bool,
    /// Whether the field belongs to a struct that is embedded by a pointer. If none of its fields is set, the pointer
    /// is nil, and Go writes none of them.
    pub is_embedded_by_pointer: bool,
    /// Whether the field has `omitempty`, and Go leaves out a zero scalar and an empty list or map. False for a
    /// [`TypeExpr::RawExtension`](super::TypeExpr), on which `omitempty` has no effect.
    pub omit_empty: bool,
    /// Whether the field has `omitzero`. Go then leaves out the zero value, including that of a struct. An empty list
    /// or map is not the zero value.
    pub omit_zero: bool,
    /// The default that servers publish: the declared default (`+default` in Go, `default` in `OpenAPI`) or, for a
    /// scalar that Go always writes, the zero value. Few fields have one: a box keeps the others small.
    pub default: Option<Box<OwnedDoc>>,
}

/// The properties of a type that server-side apply uses, if the type itself declares them and not the field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypeTopology {
    /// The list type of a list type.
    pub list_type: Option<ListType>,
    /// The keys that identify the items of a list of type `map`.
    pub list_map_keys: Vec<OwnedText>,
    /// The map type of a struct or map type.
    pub map_type: Option<MapType>,
    /// Whether a struct can have fields that it does not declare (`x-kubernetes-preserve-unknown-fields`).
    pub keeps_unknown_fields: bool,
}

impl TypeTopology {
    /// The topology of a type that declares nothing.
    pub const NONE: TypeTopology = TypeTopology {
        list_type: None,
        list_map_keys: Vec::new(),
        map_type: None,
        keeps_unknown_fields: false,
    };
}

/// A set of compiled types.
///
/// A copy of a schema shares its types with the original. An edit copies only the types that it changes. The views of
/// many parties therefore take little more memory than one schema.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(super) types: Vec<Arc<Type>>,
    pub(super) names: Arc<FxHashMap<OwnedText, TypeId>>,
    /// For each type, whether objects of the type can have a union at any depth. Empty if no type has a union.
    pub(super) reaches_union: Arc<[bool]>,
    /// The topologies of the types that declare one.
    pub(super) topologies: Arc<FxHashMap<TypeId, TypeTopology>>,
}

impl Schema {
    /// Returns the topology that a type itself declares.
    #[must_use]
    pub fn topology(&self, ty: TypeId) -> &TypeTopology {
        self.topologies.get(&ty).unwrap_or(const { &TypeTopology::NONE })
    }

    /// Returns the id of the type with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }

    /// Returns the names of all declared types, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.keys().map(Text::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Returns the definition of a type.
    #[must_use]
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.types[ty.0 as usize]
    }

    /// Returns the definition of a struct type. Returns `None` for any other type.
    #[must_use]
    pub fn as_struct(&self, ty: TypeId) -> Option<&StructType> {
        match self.get(ty) {
            Type::Struct(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the field of a struct type. Returns `None` for any other type, including maps. Upstream:
    /// `LookupPatchMetadataForStruct`.
    #[must_use]
    pub fn field(&self, ty: TypeId, name: &str) -> Option<&Field> {
        self.as_struct(ty).and_then(|s| s.field(name))
    }

    /// Finds a field of a struct type by its name in JSON, as `encoding/json` does: a field with exactly this name comes
    /// first, then one whose name differs only in case.
    /// Upstream: `PatchMetaFromStruct.LookupPatchMetadataForStruct`.
    #[must_use]
    pub fn field_in_any_case(&self, ty: TypeId, name: &str) -> Option<&Field> {
        let s = self.as_struct(ty)?;
        s.field(name).or_else(|| s.fields().find(|field| is_equal_in_any_case(&field.name, name)))
    }

    /// Returns the unions of a struct type. The result is empty for any other type. In a schema view, the unions have
    /// only the members and the values that the party knows.
    #[must_use]
    pub fn unions(&self, ty: TypeId) -> &[Union] {
        self.as_struct(ty).map(StructType::unions).unwrap_or_default()
    }

    /// Returns the type of the items of a list type. Returns `None` for any other type.
    #[must_use]
    pub fn item(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::List(item) => Some(*item),
            _ => None,
        }
    }

    /// Returns a copy that shares the types that are equal to the type with the same id in another schema. This saves
    /// memory if the two were compiled from almost the same declarations.
    #[must_use]
    pub fn sharing_types_of(&self, other: &Schema) -> Schema {
        let mut sharing = self.clone();
        for (own, other) in sharing.types.iter_mut().zip(&other.types) {
            if own == other {
                *own = Arc::clone(other);
            }
        }
        if sharing.names == other.names {
            sharing.names = Arc::clone(&other.names);
        }
        sharing
    }

    /// Edits the structs for which `is_affected` returns true. Returns false if there are none.
    pub(crate) fn edit_structs(
        &mut self,
        is_affected: impl Fn(&StructType) -> bool,
        mut edit: impl FnMut(&mut StructType),
    ) -> bool {
        self.edit_types(
            |ty| matches!(ty, Type::Struct(s) if is_affected(s)),
            |ty| {
                if let Type::Struct(s) = ty {
                    edit(s);
                }
            },
        )
    }

    /// Edits the enums for which `is_affected` returns true. Returns false if there are none.
    pub(crate) fn edit_enums(
        &mut self,
        is_affected: impl Fn(&EnumType) -> bool,
        mut edit: impl FnMut(&mut EnumType),
    ) -> bool {
        self.edit_types(
            |ty| matches!(ty, Type::Enum(e) if is_affected(e)),
            |ty| {
                if let Type::Enum(e) = ty {
                    edit(e);
                }
            },
        )
    }

    /// Edits the types for which `is_affected` returns true, and copies them first if they are shared. Returns false if
    /// there are none.
    fn edit_types(&mut self, is_affected: impl Fn(&Type) -> bool, mut edit: impl FnMut(&mut Type)) -> bool {
        let mut is_edited = false;
        for ty in self.types.iter_mut().filter(|ty| is_affected(ty)) {
            edit(Arc::make_mut(ty));
            is_edited = true;
        }
        is_edited
    }
}

/// Returns true if two names are equal or differ only in case. As in Go, the Kelvin sign equals `k` and the long s
/// equals `s`.
fn is_equal_in_any_case(a: &str, b: &str) -> bool {
    let folded = |text: &str| {
        text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>()
    };
    a.chars().count() == b.chars().count() && folded(a) == folded(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Declarations, FieldDecl, TypeDecl, TypeExpr};

    #[test]
    fn each_field_is_found_in_small_and_in_large_structs() {
        for size in 1..=2 * MAX_LINEAR_SEARCH {
            let names: Vec<String> = (0..size).map(|number| format!("field{number}")).collect();
            let fields = names.iter().map(|name| FieldDecl::new(name, TypeExpr::STRING));
            let schema = Schema::compile(&Declarations::new([TypeDecl::new_struct("T", fields)])).unwrap();
            let mut s = schema.as_struct(schema.named("T").unwrap()).unwrap().clone();
            for name in &names {
                assert_eq!(s.field(name).unwrap().name, *name);
            }
            assert!(s.field("field").is_none());
            s.remove_field("field0");
            let found: Vec<&String> = names.iter().filter(|name| s.field(name).is_some()).collect();
            assert_eq!(found, names[1..].iter().collect::<Vec<_>>());
        }
    }
}
