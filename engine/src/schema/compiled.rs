//! Types resolved for use: ids instead of names, embedded structs flattened, fields found by one hash.

use rustc_hash::FxHashMap;

use super::declarations::ScalarType;
use super::field_meta::{FieldMeta, Required};
use crate::document::{DocKind, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::union::Union;

/// A type of a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(super) u32);

/// The definition of a type.
#[derive(Clone, Debug)]
pub enum Type {
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A string; `closed` when only the listed values are valid.
    Enum(EnumType),
    /// A list of one type.
    List(TypeId),
    /// A map from strings to one type.
    Map(TypeId),
    /// A struct.
    Struct(StructType),
    /// Any JSON.
    Any,
}

impl Type {
    /// Returns true if a scalar of this kind has the type. Lists and maps have none of the scalar types.
    #[must_use]
    pub fn accepts_scalar(&self, kind: DocKind) -> bool {
        let scalar = match self {
            Type::Scalar(scalar) => *scalar,
            Type::Enum(_) => ScalarType::String,
            Type::Any => return !matches!(kind, DocKind::List | DocKind::Map),
            Type::List(_) | Type::Map(_) | Type::Struct(_) => return false,
        };
        match scalar {
            ScalarType::String | ScalarType::Bytes => kind == DocKind::String,
            ScalarType::Integer => kind == DocKind::Int,
            ScalarType::Number => matches!(kind, DocKind::Int | DocKind::Float),
            ScalarType::Boolean => kind == DocKind::Bool,
            ScalarType::IntOrString => matches!(kind, DocKind::Int | DocKind::Float | DocKind::String),
        }
    }

    /// Describes a value of the type for messages, with its article: `a list`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Type::Scalar(ScalarType::String) => "a string".to_owned(),
            Type::Scalar(ScalarType::Bytes) => "base64 text".to_owned(),
            Type::Scalar(ScalarType::Integer) => "an integer".to_owned(),
            Type::Scalar(ScalarType::Number) => "a number".to_owned(),
            Type::Scalar(ScalarType::Boolean) => "a boolean".to_owned(),
            Type::Scalar(ScalarType::IntOrString) => "text or a number".to_owned(),
            Type::Enum(e) => format!("a {}, which is a string", e.name),
            Type::List(_) => "a list".to_owned(),
            Type::Map(_) => "a map".to_owned(),
            Type::Struct(s) => format!("a {}, which is a map", s.name),
            Type::Any => "any value".to_owned(),
        }
    }
}

/// A string type with listed values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnumType {
    /// The declared name.
    pub name: OwnedText,
    /// The values, in source order.
    pub values: Vec<OwnedText>,
    /// Only the listed values are valid.
    pub closed: bool,
}

impl EnumType {
    /// Checks a value; any is valid if the type is not closed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownEnumValue`].
    pub fn check(&self, value: &str) -> Result<()> {
        if !self.closed || self.values.iter().any(|known| known == value) {
            return Ok(());
        }
        let message = format!("{value:?} is no value of {}: expected {}", self.name, self.values.join(", "));
        Err(Error::new(ErrorKind::UnknownEnumValue, message))
    }
}

/// A struct: its fields by name, embedded structs' fields included.
#[derive(Clone, Debug)]
pub struct StructType {
    /// The declared name.
    pub name: OwnedText,
    /// The fields, in source order.
    fields: Vec<Field>,
    /// The index of each field, by its key in documents. The keys are apart from the fields, because a hash table has
    /// empty entries, and fields are large.
    index_by_name: FxHashMap<OwnedText, u32>,
    unions: Vec<Union>,
}

impl StructType {
    /// Makes a struct of fields with different names.
    pub(super) fn new(name: OwnedText, fields: Vec<Field>, unions: Vec<Union>) -> Self {
        let index_by_name = index_by_name(&fields);
        StructType { name, fields, index_by_name, unions }
    }

    /// Returns the field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.index_by_name.get(name).map(|&index| &self.fields[index as usize])
    }

    /// Returns the fields, in source order.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }

    /// Returns the unions that the fields make, inlined ones included.
    #[must_use]
    pub fn unions(&self) -> &[Union] {
        &self.unions
    }

    pub(crate) fn unions_mut(&mut self) -> &mut Vec<Union> {
        &mut self.unions
    }

    /// Removes a field, also from the unions; false when there is none.
    pub(crate) fn remove_field(&mut self, name: &str) -> bool {
        self.unions.retain_mut(|union| union.remove_field(name));
        let Some(index) = self.index_by_name.get(name) else { return false };
        self.fields.remove(*index as usize);
        self.index_by_name = index_by_name(&self.fields);
        true
    }

    pub(crate) fn field_metas_mut(&mut self) -> impl Iterator<Item = &mut FieldMeta> {
        self.fields.iter_mut().map(|field| &mut field.meta)
    }

    pub(crate) fn field_mut(&mut self, name: &str) -> Option<&mut Field> {
        self.index_by_name.get(name).map(|&index| &mut self.fields[index as usize])
    }
}

#[allow(clippy::cast_possible_truncation)] // a struct of 4 billion fields does not fit memory
fn index_by_name(fields: &[Field]) -> FxHashMap<OwnedText, u32> {
    fields.iter().enumerate().map(|(index, field)| (field.name.clone(), index as u32)).collect()
}

/// A field of a struct.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The key in documents.
    pub name: OwnedText,
    /// The struct that declares the field. It differs from the struct that has the field when that one embeds it.
    pub declared_in: OwnedText,
    /// The type; pointers are transparent.
    pub ty: TypeId,
    /// The type is a pointer in Go.
    pub is_pointer: bool,
    /// Patch metadata.
    pub meta: FieldMeta,
    /// Whether documents must have the field.
    pub required: Required,
    /// `omitempty`: Go leaves out a scalar that is zero, and a list or a map that is empty.
    pub omit_empty: bool,
    /// `omitzero`: Go leaves out the zero value, also of a struct. An empty list or map is not zero.
    pub omit_zero: bool,
}

/// A set of resolved types.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(super) types: Vec<Type>,
    pub(super) names: FxHashMap<OwnedText, TypeId>,
    pub(super) has_unions: bool,
}

impl Schema {
    /// Returns the type with this name.
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

    /// Returns the struct behind a type, if it is one.
    #[must_use]
    pub fn as_struct(&self, ty: TypeId) -> Option<&StructType> {
        match self.get(ty) {
            Type::Struct(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the field of a struct type. Upstream: `LookupPatchMetadataForStruct`, which knows no fields of maps
    /// either.
    #[must_use]
    pub fn field(&self, ty: TypeId, name: &str) -> Option<&Field> {
        self.as_struct(ty).and_then(|s| s.field(name))
    }

    /// Returns the field of a struct type that `encoding/json` would find, in any case when there is none in this.
    /// Upstream: `LookupPatchMetadataForStruct` of the Go types.
    #[must_use]
    pub fn field_in_any_case(&self, ty: TypeId, name: &str) -> Option<&Field> {
        let s = self.as_struct(ty)?;
        s.field(name).or_else(|| s.fields().find(|field| is_equal_in_any_case(&field.name, name)))
    }

    /// Returns the unions of a struct type; none for other types. In a view they have the members and the values that
    /// its party knows.
    #[must_use]
    pub fn unions(&self, ty: TypeId) -> &[Union] {
        self.as_struct(ty).map(StructType::unions).unwrap_or_default()
    }

    /// Returns true if any type can have a union. A view answers for the schema that it was made from.
    #[must_use]
    pub fn has_unions(&self) -> bool {
        self.has_unions
    }

    /// Adds a union to a struct; false when the type is none.
    pub(crate) fn add_union(&mut self, ty: TypeId, union: &Union) -> bool {
        let Some(name) = self.as_struct(ty).map(|s| s.name.clone()) else { return false };
        for s in self.structs_mut().filter(|s| s.name == name) {
            s.unions.push(union.clone());
        }
        self.has_unions = true;
        true
    }

    /// Returns the schema with one more union on a struct type. Legacy unions, and unions that are to be migrated, are
    /// declared in this way on types without markers. In views the discriminator has the values of its enum type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] when there is no such struct, or when it does not have a field of the union.
    pub fn with_union(mut self, type_name: &str, mut union: Union) -> Result<Schema> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidSchema, message);
        let no_struct = || invalid(format!("the schema has no struct {type_name} that could have a union"));
        let ty = self.named(type_name).ok_or_else(no_struct)?;
        let discriminator = union.discriminator.as_ref().map(|d| &d.field);
        let mut fields = discriminator.into_iter().chain(union.members.iter().map(|member| &member.field));
        if let Some(missing) = fields.find(|field| self.field(ty, field).is_none()) {
            return Err(invalid(format!("{type_name} has no field {missing} that a union could be made of")));
        }
        if let Some(discriminator) = &mut union.discriminator {
            let discriminator_type = self.field(ty, &discriminator.field).map(|field| self.get(field.ty));
            if let Some(Type::Enum(e)) = discriminator_type {
                discriminator.enum_type = Some(e.name.clone());
            }
        }
        if self.add_union(ty, &union) { Ok(self) } else { Err(no_struct()) }
    }

    /// Returns the type of a list's items, if the type is a list.
    #[must_use]
    pub fn item(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::List(item) => Some(*item),
            _ => None,
        }
    }

    pub(crate) fn structs_mut(&mut self) -> impl Iterator<Item = &mut StructType> {
        self.types.iter_mut().filter_map(|ty| match ty {
            Type::Struct(s) => Some(s),
            _ => None,
        })
    }

    pub(crate) fn types_mut(&mut self) -> impl Iterator<Item = &mut Type> {
        self.types.iter_mut()
    }
}

/// Returns true for names that differ only in case. As in Go, that includes the Kelvin sign and the long s.
fn is_equal_in_any_case(a: &str, b: &str) -> bool {
    let folded = |text: &str| {
        text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>()
    };
    a.chars().count() == b.chars().count() && folded(a) == folded(b)
}
