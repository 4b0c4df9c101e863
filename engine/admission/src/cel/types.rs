//! The types of CEL expressions, and the types that schemas have in CEL.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use cel::Value;
use skewer_engine::schema::ListType;

use super::release::RuleRelease;
use crate::structural::{StructuralSchema, ValueType};

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    /// A type that is not known yet: that of the items of `[]`. It becomes any other type.
    Open,
    /// Any value. Operators are checked when they are evaluated.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Duration,
    Timestamp,
    Type,
    List(Arc<Ty>, Arc<ListKind>),
    Map(Arc<Ty>, Arc<Ty>),
    Object(Arc<Fields>),
    Optional(Arc<Ty>),
    /// A type of a Kubernetes library, such as `quantity`.
    Opaque(&'static str),
}

/// The type of the messages of a format.
pub(super) const MESSAGES: &str = "messages of a format";

/// How lists are compared and concatenated. Upstream: `unstructuredSetList`, `unstructuredMapList`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Plain,
    Set,
    /// The escaped names of the keys.
    Map(Vec<String>),
}

/// The fields of an object by their escaped names.
pub(super) type Fields = BTreeMap<String, Ty>;

/// The types of an expression on which its value depends.
#[derive(Debug)]
pub(super) struct ExpressionTypes {
    /// Those of variables, also those of macros, by their names.
    pub(super) variables: HashMap<String, Ty>,
    /// Those of lists of which a function is called, by the id of the call. The sum of an empty list depends on its type.
    pub(super) lists: HashMap<u64, Ty>,
    /// The release of the server, which decides how lists are compared and added.
    pub(super) release: RuleRelease,
}

impl Ty {
    pub(super) fn plain_list(item: Ty) -> Ty {
        Ty::List(Arc::new(item), Arc::new(ListKind::Plain))
    }

    /// Returns the type of a value, as far as calls depend on it.
    pub(super) fn of_value(value: &Value) -> Ty {
        match value {
            Value::Null => Ty::Null,
            Value::Bool(_) => Ty::Bool,
            Value::Int(_) => Ty::Int,
            Value::UInt(_) => Ty::Uint,
            Value::Float(_) => Ty::Double,
            Value::String(_) => Ty::String,
            Value::Bytes(_) => Ty::Bytes,
            Value::Duration(_) => Ty::Duration,
            Value::Timestamp(_) => Ty::Timestamp,
            Value::Function(..) => Ty::Type,
            Value::List(_) => Ty::plain_list(Ty::Dyn),
            Value::Map(_) => Ty::Map(Arc::new(Ty::Dyn), Arc::new(Ty::Dyn)),
            Value::Opaque(_) => Ty::Dyn,
        }
    }

    /// Returns whether null can be compared with the type. Upstream: `isLegacyNullable`.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(
            self,
            Ty::Open
                | Ty::Dyn
                | Ty::Null
                | Ty::Object(_)
                | Ty::Duration
                | Ty::Timestamp
                | Ty::Optional(_)
                | Ty::Opaque(_)
        )
    }

    /// Returns whether both types are the same, apart from types that are not known yet. Upstream: `IsEquivalentType`.
    pub(super) fn is_equivalent(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Open, _) | (_, Ty::Open) => true,
            (Ty::List(a, _), Ty::List(b, _)) | (Ty::Optional(a), Ty::Optional(b)) => a.is_equivalent(b),
            (Ty::Map(ka, va), Ty::Map(kb, vb)) => ka.is_equivalent(kb) && va.is_equivalent(vb),
            (Ty::Opaque(MESSAGES), Ty::List(item, _)) | (Ty::List(item, _), Ty::Opaque(MESSAGES)) => {
                item.is_equivalent(&Ty::String)
            }
            (a, b) => a == b,
        }
    }

    /// Returns the type that a parameter has after an argument that is not the first one with this parameter. A null stays a null,
    /// whatever follows. Upstream: `isValidTypeSubstitution`, `mostGeneral`.
    pub(super) fn bind(&self, argument: &Ty) -> Option<Ty> {
        let joined = self.join(argument)?;
        let is_kept = *self == Ty::Null && joined != Ty::Dyn;
        Some(if is_kept { Ty::Null } else { joined })
    }

    /// Returns the type of which both types are, or `None` if there is none. Upstream: `isAssignable`, `mostGeneral`.
    pub(super) fn join(&self, other: &Ty) -> Option<Ty> {
        Some(match (self, other) {
            (Ty::Open, ty) | (ty, Ty::Open) => ty.clone(),
            (Ty::Dyn, _) | (_, Ty::Dyn) => Ty::Dyn,
            (Ty::Null, ty) | (ty, Ty::Null) if ty.is_nullable() => ty.clone(),
            (Ty::List(a, kind), Ty::List(b, _)) => Ty::List(Arc::new(a.join(b)?), Arc::clone(kind)),
            (Ty::Map(ka, va), Ty::Map(kb, vb)) => Ty::Map(Arc::new(ka.join(kb)?), Arc::new(va.join(vb)?)),
            (Ty::Optional(a), Ty::Optional(b)) => Ty::Optional(Arc::new(a.join(b)?)),
            // The messages of a format are a list of texts.
            (Ty::Opaque(MESSAGES), Ty::List(item, _)) | (Ty::List(item, _), Ty::Opaque(MESSAGES)) => {
                Ty::String.join(item).map(|_| Ty::Opaque(MESSAGES))?
            }
            (a, b) if a == b => a.clone(),
            _ => return None,
        })
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Open => f.write_str("any"),
            Ty::Dyn => f.write_str("dyn"),
            Ty::Null => f.write_str("null"),
            Ty::Bool => f.write_str("bool"),
            Ty::Int => f.write_str("int"),
            Ty::Uint => f.write_str("uint"),
            Ty::Double => f.write_str("double"),
            Ty::String => f.write_str("string"),
            Ty::Bytes => f.write_str("bytes"),
            Ty::Duration => f.write_str("duration"),
            Ty::Timestamp => f.write_str("timestamp"),
            Ty::Type => f.write_str("type"),
            Ty::List(item, _) => write!(f, "list({item})"),
            Ty::Map(key, value) => write!(f, "map({key}, {value})"),
            Ty::Object(_) => f.write_str("object"),
            Ty::Optional(ty) => write!(f, "optional({ty})"),
            Ty::Opaque(name) => f.write_str(name),
        }
    }
}

pub(super) fn list_kind(schema: &StructuralSchema) -> ListKind {
    match schema.list_type {
        Some(ListType::Set) => ListKind::Set,
        Some(ListType::Map) => ListKind::Map(
            schema
                .list_map_keys
                .iter()
                .map(|key| escape(key).map_or_else(|| key.clone(), Cow::into_owned))
                .collect(),
        ),
        _ => ListKind::Plain,
    }
}

/// Returns whether the schema declares each field that all objects have. Only then, rules see other fields of the
/// metadata. Upstream: `WithTypeAndObjectMeta`.
pub(super) fn declares_names(schema: &StructuralSchema) -> bool {
    let is = |schema: &StructuralSchema, name: &str, ty| {
        schema.properties.get(name).is_some_and(|property| property.ty == Some(ty))
    };
    is(schema, "kind", ValueType::String)
        && is(schema, "apiVersion", ValueType::String)
        && is(schema, "metadata", ValueType::Object)
        && schema.properties.get("metadata").is_some_and(|metadata| {
            is(metadata, "name", ValueType::String) && is(metadata, "generateName", ValueType::String)
        })
}

/// The names that CEL reserves, and which are therefore escaped.
pub(super) const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Returns the escaped name of a field whose name is reserved. Expressions can also use the name itself. Upstream:
/// `DeclTypeProvider.FindStructFieldType`.
pub(super) fn escape_reserved(name: &str) -> Option<String> {
    let is_short = name.len() <= "namespace".len();
    (is_short && RESERVED.contains(&name)).then(|| format!("__{name}__"))
}

/// Returns the name that a field has in CEL, or `None` if rules cannot name it. Upstream: `cel.Escape`.
pub(super) fn escape(name: &str) -> Option<Cow<'_, str>> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(escaped) = escape_reserved(name) {
        return Some(escaped.into());
    }
    // Almost all names have only letters and digits, and every field of a value is escaped.
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Some(name.into());
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/')) {
        return None;
    }
    let name = name.replace("__", "__underscores__").replace('.', "__dot__");
    Some(name.replace('-', "__dash__").replace('/', "__slash__").into())
}
