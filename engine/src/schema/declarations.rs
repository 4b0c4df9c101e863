//! Declarations of types. The readers of Go and `OpenAPI` return declarations, and the files of the embedded releases
//! contain them.
//!
//! Declarations can also be built by hand:
//!
//! ```
//! use skewer_engine::schema::{Declarations, FieldDecl, PatchMeta, Schema, TypeDecl, TypeExpr};
//!
//! let declarations = Declarations::new([
//!     TypeDecl::new_struct(
//!         "ServiceSpec",
//!         [FieldDecl::new("ports", TypeExpr::list(TypeExpr::named("ServicePort")))
//!             .optional()
//!             .with_patch(PatchMeta::merge_by(["port"]))],
//!     ),
//!     TypeDecl::new_struct(
//!         "ServicePort",
//!         [FieldDecl::new("name", TypeExpr::STRING).optional(), FieldDecl::new("port", TypeExpr::INTEGER).required()],
//!     ),
//! ]);
//! let schema = Schema::compile(&declarations).unwrap();
//! let spec = schema.named("ServiceSpec").expect("the type is declared");
//! assert_eq!(schema.field(spec, "ports").expect("the field is declared").meta.merge_key, ["port"]);
//! ```

use serde::{Deserialize, Serialize};

use super::patch_meta::PatchMeta;
use crate::document::{Doc, OwnedDoc};

/// A set of type declarations that refer to each other by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Declarations {
    /// The types, in the order of their source.
    pub types: Vec<TypeDecl>,
}

impl Declarations {
    /// Creates a set of declarations.
    #[must_use]
    pub fn new(types: impl IntoIterator<Item = TypeDecl>) -> Self {
        Declarations { types: types.into_iter().collect() }
    }

    /// Returns the declaration with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDecl> {
        self.types.iter().find(|t| t.name == name)
    }
}

/// A named type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TypeDecl {
    /// The name of the type, such as `DeploymentStrategy`. It contains a package if the source has one (`metav1.Time`).
    pub name: String,
    /// The definition of the type.
    pub shape: Shape,
    /// The markers of the type, such as `+enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// The line of the declaration in its source, counted from 1. 0 if the line is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl TypeDecl {
    /// Creates a type without markers and without a line.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        TypeDecl { name: name.into(), shape, markers: Vec::new(), line: 0 }
    }

    /// Creates a struct type.
    #[must_use]
    pub fn new_struct(name: impl Into<String>, fields: impl IntoIterator<Item = FieldDecl>) -> Self {
        TypeDecl::new(name, Shape::Struct(fields.into_iter().collect()))
    }

    /// Creates a closed enum type with these values.
    #[must_use]
    pub fn new_enum<'v>(name: impl Into<String>, values: impl IntoIterator<Item = &'v str>) -> Self {
        let values = values.into_iter().map(EnumValue::new).collect();
        TypeDecl::new(name, Shape::Enum { values, closed: true })
    }

    /// Adds a marker.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.markers.push(marker);
        self
    }
}

/// The definition of a declared type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// A struct with its fields, in the order of the source.
    Struct(Vec<FieldDecl>),
    /// A string type with constants.
    #[serde(rename_all = "camelCase")]
    Enum {
        /// The constants, in the order of the source.
        values: Vec<EnumValue>,
        /// Whether all other values are invalid. True for Go types with the marker `+enum` and for an `enum` in
        /// `OpenAPI`.
        closed: bool,
    },
    /// A name for another type, such as `type ResourceList map[ResourceName]Quantity`.
    Alias(TypeExpr),
}

/// A constant of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnumValue {
    /// The Go name of the constant. Empty if the source is not Go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The value in documents.
    pub value: String,
    /// The markers of the constant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// The line in the source, counted from 1. 0 if the line is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl EnumValue {
    /// Creates a value without a Go name and without markers.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        EnumValue { name: String::new(), value: value.into(), markers: Vec::new(), line: 0 }
    }
}

/// A use of a type, for example as the type of a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TypeExpr {
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A declared type.
    Named(String),
    /// A list. `[]byte` is not a list but a [`ScalarType::Bytes`].
    List(Box<TypeExpr>),
    /// A map with string keys.
    Map(Box<TypeExpr>),
    /// A Go pointer. A document contains the target itself, but a missing value differs from the zero value.
    Pointer(Box<TypeExpr>),
    /// Any JSON value (`interface{}`).
    Any,
    /// Any JSON value that Go keeps in a struct with its own JSON encoding (`runtime.RawExtension`). `omitempty` never
    /// omits it: Go writes null.
    RawExtension,
}

impl TypeExpr {
    /// The type of strings.
    pub const STRING: TypeExpr = TypeExpr::Scalar(ScalarType::String);
    /// The type of integers.
    pub const INTEGER: TypeExpr = TypeExpr::Scalar(ScalarType::Integer);
    /// The type of booleans.
    pub const BOOLEAN: TypeExpr = TypeExpr::Scalar(ScalarType::Boolean);

    /// Returns a reference to a declared type.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        TypeExpr::Named(name.into())
    }

    /// Returns the type of lists with items of this type.
    #[must_use]
    pub fn list(item: TypeExpr) -> Self {
        TypeExpr::List(Box::new(item))
    }

    /// Returns the type of maps with string keys and values of this type.
    #[must_use]
    pub fn map(value: TypeExpr) -> Self {
        TypeExpr::Map(Box::new(value))
    }

    /// Returns the type of pointers to this type.
    #[must_use]
    pub fn pointer(target: TypeExpr) -> Self {
        TypeExpr::Pointer(Box::new(target))
    }

    /// Returns the name of the declared type in a type expression, such as `Volume` in `[]*Volume`.
    pub(super) fn referenced_name(&self) -> Option<&str> {
        match self {
            TypeExpr::Named(name) => Some(name),
            TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => {
                inner.referenced_name()
            }
            TypeExpr::Scalar(_) | TypeExpr::Any | TypeExpr::RawExtension => None,
        }
    }
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScalarType {
    /// A string.
    String,
    /// An integer of 64 bits in Go (`int64`), or of any width.
    Integer,
    /// An integer of 32 bits in Go (`int32`).
    Int32,
    /// A float.
    Number,
    /// A boolean.
    Boolean,
    /// Bytes (`[]byte` in Go), which are a base64 string in documents.
    Bytes,
    /// A string or a number (`intstr.IntOrString`).
    IntOrString,
    /// A quantity, which is a string or a number (`resource.Quantity`).
    Quantity,
    /// A point in time, which is a string (`metav1.Time`). Go writes whole seconds.
    Time,
    /// A point in time with microseconds, which is a string (`metav1.MicroTime`).
    MicroTime,
    /// A duration, which is a string (`metav1.Duration`).
    Duration,
}

impl ScalarType {
    /// Returns the zero value as Go writes it, or `None` if Go writes null.
    #[must_use]
    pub fn zero(self) -> Option<OwnedDoc> {
        match self {
            ScalarType::String => Some(Doc::from("")),
            ScalarType::Integer | ScalarType::Int32 | ScalarType::Number | ScalarType::IntOrString => {
                Some(Doc::Int(0))
            }
            ScalarType::Boolean => Some(Doc::Bool(false)),
            ScalarType::Quantity => Some(Doc::from("0")),
            ScalarType::Duration => Some(Doc::from("0s")),
            ScalarType::Bytes | ScalarType::Time | ScalarType::MicroTime => None,
        }
    }

    /// Returns true if every value is a string.
    #[cfg(feature = "go")]
    pub(crate) fn is_always_text(self) -> bool {
        matches!(
            self,
            ScalarType::String
                | ScalarType::Bytes
                | ScalarType::Time
                | ScalarType::MicroTime
                | ScalarType::Duration
        )
    }

    /// Returns true if every value is an integer.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, ScalarType::Integer | ScalarType::Int32)
    }

    /// Returns true if the Go type is a struct with its own JSON encoding. `omitempty` never omits a struct.
    #[must_use]
    pub fn is_struct_in_go(self) -> bool {
        matches!(
            self,
            ScalarType::IntOrString
                | ScalarType::Quantity
                | ScalarType::Time
                | ScalarType::MicroTime
                | ScalarType::Duration
        )
    }
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldDecl {
    /// The key in documents. Empty for an embedded struct, whose fields belong to the struct that embeds it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The Go name. Empty if the source is not Go.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub go_name: String,
    /// The type of the field.
    #[serde(rename = "type")]
    pub ty: TypeExpr,
    /// Whether the field is an embedded struct: it has `json:",inline"`, or is embedded in Go without a JSON name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inline: bool,
    /// Whether the JSON tag has `omitempty`. Go then leaves out the zero value, except that of a struct.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omit_empty: bool,
    /// Whether the JSON tag has `omitzero`. Go then leaves out the zero value, including that of a struct.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omit_zero: bool,
    /// Whether the field is required: true for `+required`, false for `+optional`, `None` without either marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The value of `+default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<OwnedDoc>,
    /// The zero value that a server published as the default of the field, although the source declares none. Servers
    /// do so for each Go field that always has a value. Server-side apply uses it as the default of a list key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_default: Option<OwnedDoc>,
    /// The patch metadata.
    #[serde(default, skip_serializing_if = "PatchMeta::is_default")]
    pub patch: PatchMeta,
    /// All markers of the field. Markers with a field of their own in this struct, such as `+optional`, are included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// The line of the field in its source, counted from 1. 0 if the line is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl FieldDecl {
    /// Creates a field without patch metadata and markers. The field is marked neither as required nor as optional.
    #[must_use]
    pub fn new(name: impl Into<String>, ty: TypeExpr) -> Self {
        FieldDecl {
            name: name.into(),
            go_name: String::new(),
            ty,
            inline: false,
            omit_empty: false,
            omit_zero: false,
            required: None,
            default: None,
            published_default: None,
            patch: PatchMeta::default(),
            markers: Vec::new(),
            line: 0,
        }
    }

    /// Marks the field as optional and adds `omitempty`.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = Some(false);
        self.omit_empty = true;
        self
    }

    /// Marks the field as required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = Some(true);
        self
    }

    /// Sets whether the field has `omitempty`. Whether the field is required does not change.
    #[must_use]
    pub fn with_omit_empty(mut self, omit_empty: bool) -> Self {
        self.omit_empty = omit_empty;
        self
    }

    /// Sets the patch metadata.
    #[must_use]
    pub fn with_patch(mut self, patch: PatchMeta) -> Self {
        self.patch = patch;
        self
    }

    /// Adds a marker.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.markers.push(marker);
        self
    }

    /// Returns the first marker with this name.
    pub(super) fn marker(&self, name: &str) -> Option<&Marker> {
        self.markers.iter().find(|marker| marker.name == name)
    }
}

/// A `// +name=value` comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Marker {
    /// The name without the plus, such as `unionMember` or `k8s:unionDiscriminator`.
    pub name: String,
    /// The text after the name, including its `=`, such as `=ALPHA,optional`, `,optional` or `(union: "x")=…`. Can be
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The line in the source, counted from 1. 0 if the line is unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl Marker {
    /// Creates a marker. The value includes its `=`.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Marker { name: name.into(), value: value.into(), line: 0 }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde requires this signature.
fn is_zero(line: &u32) -> bool {
    *line == 0
}
