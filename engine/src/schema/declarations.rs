//! Types as declared: what the readers of Go text and OpenAPI produce, and what is stored for the embedded
//! releases.

use serde::{Deserialize, Serialize};

use super::patch_meta::PatchMeta;
use crate::document::OwnedDoc;

/// A set of type declarations that refer to each other by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Declarations {
    /// The types, in the order of their source.
    pub types: Vec<TypeDecl>,
}

impl Declarations {
    /// The declaration with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDecl> {
        self.types.iter().find(|t| t.name == name)
    }
}

/// A named type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Returns the first marker with this name.
    pub(super) fn marker(&self, name: &str) -> Option<&Marker> {
        self.markers.iter().find(|marker| marker.name == name)
    }
}

/// A `// +name=value` comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
fn is_zero(line: &u32) -> bool {
    *line == 0
}
