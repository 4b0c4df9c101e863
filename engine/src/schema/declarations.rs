//! Types as declared. The readers of Go and `OpenAPI` produce them, and the embedded releases are stored as them.
//!
//! They can also be built by hand:
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
use crate::document::OwnedDoc;

/// A set of type declarations that refer to each other by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Declarations {
    /// The types, in the order of their source.
    pub types: Vec<TypeDecl>,
}

impl Declarations {
    /// Returns a set of these types.
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
    /// `DeploymentStrategy`; with a package where it came with one (`metav1.Time`).
    pub name: String,
    /// The right side of the declaration.
    pub shape: Shape,
    /// Markers on the type: `+enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// Line of the declaration in its source, from 1; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl TypeDecl {
    /// Returns a type without markers, from no source.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        TypeDecl { name: name.into(), shape, markers: Vec::new(), line: 0 }
    }

    /// Returns a struct type.
    #[must_use]
    pub fn new_struct(name: impl Into<String>, fields: impl IntoIterator<Item = FieldDecl>) -> Self {
        TypeDecl::new(name, Shape::Struct(fields.into_iter().collect()))
    }

    /// Returns an enum type that has only these values.
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

/// The right side of a type declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// A struct: fields in source order.
    Struct(Vec<FieldDecl>),
    /// A string type with its constants. `closed` when the type is marked `+enum` (or OpenAPI lists an
    /// `enum`): then other values are not valid.
    #[serde(rename_all = "camelCase")]
    Enum {
        /// The constants, in source order.
        values: Vec<EnumValue>,
        /// Whether other values are invalid.
        closed: bool,
    },
    /// Another name for a type: `type ResourceList map[ResourceName]Quantity`.
    Alias(TypeExpr),
}

/// A constant of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnumValue {
    /// The Go name of the constant; empty when the source has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The value in documents.
    pub value: String,
    /// Markers on the constant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// Line in the source, from 1; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl EnumValue {
    /// Returns a value without a Go name and without markers.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        EnumValue { name: String::new(), value: value.into(), markers: Vec::new(), line: 0 }
    }
}

/// A type where it is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TypeExpr {
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A declared type.
    Named(String),
    /// A list; `[]byte` is not one but a [`ScalarType::Bytes`].
    List(Box<TypeExpr>),
    /// A map with string keys.
    Map(Box<TypeExpr>),
    /// `*T`: the same document, but absence differs from the zero value.
    Pointer(Box<TypeExpr>),
    /// Any JSON (`runtime.RawExtension`, `interface{}`).
    Any,
}

impl TypeExpr {
    /// Text.
    pub const STRING: TypeExpr = TypeExpr::Scalar(ScalarType::String);
    /// Whole numbers.
    pub const INTEGER: TypeExpr = TypeExpr::Scalar(ScalarType::Integer);
    /// Booleans.
    pub const BOOLEAN: TypeExpr = TypeExpr::Scalar(ScalarType::Boolean);

    /// Returns a reference to a declared type.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        TypeExpr::Named(name.into())
    }

    /// Returns a list of these items.
    #[must_use]
    pub fn list(item: TypeExpr) -> Self {
        TypeExpr::List(Box::new(item))
    }

    /// Returns a map with string keys and these values.
    #[must_use]
    pub fn map(value: TypeExpr) -> Self {
        TypeExpr::Map(Box::new(value))
    }

    /// Returns a pointer to a type.
    #[must_use]
    pub fn pointer(target: TypeExpr) -> Self {
        TypeExpr::Pointer(Box::new(target))
    }

    /// Returns the declared type in a type expression: the `Volume` of `[]*Volume`.
    pub(super) fn referenced_name(&self) -> Option<&str> {
        match self {
            TypeExpr::Named(name) => Some(name),
            TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => {
                inner.referenced_name()
            }
            TypeExpr::Scalar(_) | TypeExpr::Any => None,
        }
    }
}

/// The scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScalarType {
    /// Text.
    String,
    /// Whole numbers of any width.
    Integer,
    /// Floats.
    Number,
    /// Booleans.
    Boolean,
    /// `[]byte`: base64 text.
    Bytes,
    /// `intstr.IntOrString` and `resource.Quantity`: text or a number.
    IntOrString,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldDecl {
    /// The key in documents; empty for an embedded struct, whose fields belong to the parent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The Go name; empty when the source has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub go_name: String,
    /// The type.
    #[serde(rename = "type")]
    pub ty: TypeExpr,
    /// `json:",inline"` or a Go embedded struct without a JSON name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inline: bool,
    /// `omitempty` in the JSON tag: the zero value is not written, unless it is that of a struct.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omit_empty: bool,
    /// `omitzero` in the JSON tag: the zero value is not written, structs included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub omit_zero: bool,
    /// `Some(true)`: `+required`; `Some(false)`: `+optional`; `None`: not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The value of `+default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<OwnedDoc>,
    /// Patch metadata.
    #[serde(default, skip_serializing_if = "PatchMeta::is_default")]
    pub patch: PatchMeta,
    /// All markers of the field, including those that other fields of this struct are read from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<Marker>,
    /// Line of the field in its source, from 1; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl FieldDecl {
    /// Returns a field without patch metadata, which is neither required nor optional.
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
            patch: PatchMeta::default(),
            markers: Vec::new(),
            line: 0,
        }
    }

    /// Marks the field as optional; its zero value is not written, as with `omitempty`.
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

    /// Sets whether the zero value is left out (`omitempty`), without saying whether the field is required.
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
    /// Without the plus: `unionMember`, `k8s:unionDiscriminator`.
    pub name: String,
    /// The text after the name, its `=` included: `=ALPHA,optional`, `,optional`, `(union: "x")=…`; or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Line in the source, from 1; 0 when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

impl Marker {
    /// Returns a marker; the value includes its `=`.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Marker { name: name.into(), value: value.into(), line: 0 }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
fn is_zero(line: &u32) -> bool {
    *line == 0
}
