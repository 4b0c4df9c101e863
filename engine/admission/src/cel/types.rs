//! The types of CEL expressions, and the types that schemas have in CEL.

use std::collections::BTreeMap;
use std::sync::Arc;

use cel::Value;
use skewer_engine::schema::ListType;

use crate::structural::{AdditionalProperties, StructuralSchema, ValueType};

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

impl Ty {
    pub(super) fn plain_list(item: Ty) -> Ty {
        Ty::List(Arc::new(item), Arc::new(ListKind::Plain))
    }

    /// Returns the type of the values of a schema. `None` if rules cannot see the values. Upstream: `SchemaDeclType`.
    pub(super) fn of_schema(schema: &StructuralSchema, is_resource_root: bool) -> Option<Ty> {
        if schema.int_or_string {
            return Some(Ty::Dyn);
        }
        let ty = if is_resource_root { Some(ValueType::Object) } else { schema.ty };
        Some(match ty? {
            ValueType::Array => {
                let items = schema.items.as_deref()?;
                let item = Ty::of_schema(items, items.embedded_resource)?;
                Ty::List(Arc::new(item), Arc::new(list_kind(schema)))
            }
            ValueType::Object => match &schema.additional_properties {
                Some(AdditionalProperties::Schema(values)) => {
                    let value = Ty::of_schema(values, values.embedded_resource)?;
                    Ty::Map(Arc::new(Ty::String), Arc::new(value))
                }
                _ => Ty::Object(Arc::new(fields_of(schema, is_resource_root))),
            },
            ValueType::String => match schema.validation.format.as_deref() {
                Some("byte") => Ty::Bytes,
                Some("duration") => Ty::Duration,
                Some("date" | "date-time") => Ty::Timestamp,
                _ => Ty::String,
            },
            ValueType::Boolean => Ty::Bool,
            ValueType::Number => Ty::Double,
            ValueType::Integer => Ty::Int,
        })
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
            (a, b) => a == b,
        }
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

fn list_kind(schema: &StructuralSchema) -> ListKind {
    match schema.list_type {
        Some(ListType::Set) => ListKind::Set,
        Some(ListType::Map) => {
            ListKind::Map(schema.list_map_keys.iter().map(|key| escape(key).unwrap_or_default()).collect())
        }
        _ => ListKind::Plain,
    }
}

fn fields_of(schema: &StructuralSchema, is_resource_root: bool) -> Fields {
    let mut fields = Fields::new();
    for (name, property) in &schema.properties {
        if let (Some(name), Some(ty)) = (escape(name), Ty::of_schema(property, property.embedded_resource)) {
            fields.insert(name, ty);
        }
    }
    if is_resource_root {
        fields.insert("apiVersion".to_owned(), Ty::String);
        fields.insert("kind".to_owned(), Ty::String);
        let names = ["name", "generateName"].map(|name| (name.to_owned(), Ty::String));
        let metadata = match schema.properties.get("metadata") {
            Some(declared) if declares_names(schema) => fields_of(declared, false),
            _ => Fields::from(names),
        };
        fields.insert("metadata".to_owned(), Ty::Object(Arc::new(metadata)));
    }
    fields
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
const RESERVED: [&str; 21] = [
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
    RESERVED.contains(&name).then(|| format!("__{name}__"))
}

/// Returns the name that a field has in CEL, or `None` if rules cannot name it. Upstream: `cel.Escape`.
pub(super) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(escaped) = escape_reserved(name) {
        return Some(escaped);
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/')) {
        return None;
    }
    let name = name.replace("__", "__underscores__").replace('.', "__dot__");
    Some(name.replace('-', "__dash__").replace('/', "__slash__"))
}
