//! The types that schemas have in CEL, and the sizes of their values. Upstream: `SchemaDeclType` (k8s.io/apiserver,
//! `pkg/cel/common`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::types::{Fields, Ty, declares_names, escape, list_kind};
use crate::structural::{AdditionalProperties, StructuralSchema, ValueType};

/// The size of the largest request, in bytes. Upstream: `MaxRequestSizeBytes`.
pub(super) const MAX_REQUEST: u64 = 3 * 1024 * 1024;

/// The largest text of a request: it is in quotation marks.
const MAX_TEXT: u64 = MAX_REQUEST - 2;

/// The type of the values of a schema.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) ty: Ty,
    /// The largest number of items, entries or bytes. 0 for values that have none.
    pub(super) max_elements: u64,
    /// The size of the smallest value in JSON, in bytes.
    min_size: u64,
    /// The fields by their escaped names.
    pub(super) fields: BTreeMap<String, Arc<Declared>>,
    /// The type of items, or of the values of a map.
    pub(super) element: Option<Arc<Declared>>,
}

impl Declared {
    /// Returns the type of the values of a schema. `None` if rules cannot see the values.
    pub(super) fn of_schema(schema: &StructuralSchema, is_resource_root: bool) -> Option<Arc<Declared>> {
        let max_length = schema.validation.max_length.map(not_negative);
        if schema.int_or_string {
            let max = max_length.map_or(MAX_TEXT, |max| max.saturating_mul(4));
            return Some(Declared::simple(Ty::Dyn, 1, max));
        }
        let ty = if is_resource_root { Some(ValueType::Object) } else { schema.ty };
        Some(match ty? {
            ValueType::Array => {
                let item = Declared::of_inner(schema.items.as_deref()?)?;
                let max = schema.validation.max_items.map(not_negative);
                let ty = Ty::List(Arc::new(item.ty.clone()), Arc::new(list_kind(schema)));
                let max = max.unwrap_or(MAX_TEXT / (item.min_size + 1));
                Arc::new(Declared { element: Some(item), ..Declared::new(ty, 2, max) })
            }
            ValueType::Object => match &schema.additional_properties {
                Some(AdditionalProperties::Schema(values)) => {
                    let value = Declared::of_inner(values)?;
                    let max = schema.validation.max_properties.map(not_negative);
                    let ty = Ty::Map(Arc::new(Ty::String), Arc::new(value.ty.clone()));
                    // A key has at least two bytes, with a colon, a comma and, strangely, two more.
                    let max = max.unwrap_or(MAX_TEXT / (value.min_size + 6));
                    Arc::new(Declared { element: Some(value), ..Declared::new(ty, 2, max) })
                }
                _ => Declared::object(schema, is_resource_root),
            },
            ValueType::String => match schema.validation.format.as_deref() {
                Some("byte") => Declared::simple(Ty::Bytes, 2, max_length.unwrap_or(MAX_TEXT)),
                Some("duration") => Declared::simple(Ty::Duration, 3, 32),
                Some("date") => Declared::simple(Ty::Timestamp, 12, 12),
                Some("date-time") => Declared::simple(Ty::Timestamp, 21, 32),
                // The length counts characters of up to four bytes.
                _ => Declared::simple(
                    Ty::String,
                    2,
                    max_length.map_or_else(|| longest_text(schema), |max| max.saturating_mul(4)),
                ),
            },
            ValueType::Boolean => Declared::simple(Ty::Bool, 4, 0),
            ValueType::Number => Declared::simple(Ty::Double, 1, 0),
            ValueType::Integer => Declared::simple(Ty::Int, 1, 0),
        })
    }

    fn of_inner(schema: &StructuralSchema) -> Option<Arc<Declared>> {
        Declared::of_schema(schema, schema.embedded_resource)
    }

    fn new(ty: Ty, min_size: u64, max_elements: u64) -> Declared {
        Declared { ty, max_elements, min_size, fields: BTreeMap::new(), element: None }
    }

    fn simple(ty: Ty, min_size: u64, max_elements: u64) -> Arc<Declared> {
        Arc::new(Declared::new(ty, min_size, max_elements))
    }

    fn object(schema: &StructuralSchema, is_resource_root: bool) -> Arc<Declared> {
        let text = || Declared::simple(Ty::String, 2, MAX_TEXT);
        let of_all = |name: &str| match name {
            "apiVersion" | "kind" => Some(text()),
            "metadata" => {
                let names = ["name", "generateName"].map(|name| (name.to_owned(), text()));
                Some(Declared::with_fields(BTreeMap::from(names), 2))
            }
            _ => None,
        };
        let is_completed = is_resource_root && !declares_names(schema);
        let mut fields = BTreeMap::new();
        let mut min_size = 2;
        let declared = schema.properties.keys().map(String::as_str);
        let completed = ["apiVersion", "kind", "metadata"].into_iter();
        let completed = completed.filter(|name| is_completed && !schema.properties.contains_key(*name));
        for name in declared.chain(completed) {
            let property = schema.properties.get(name);
            let of_all = of_all(name).filter(|_| is_completed);
            let has_default = of_all.is_none() && property.is_some_and(|property| property.default.is_some());
            let Some(ty) = of_all.or_else(|| Declared::of_inner(property?)) else { continue };
            if !has_default && schema.validation.required.iter().any(|required| required == name) {
                min_size += name.len() as u64 + ty.min_size + 4;
            }
            if let Some(name) = escape(name) {
                fields.insert(name.into_owned(), ty);
            }
        }
        Declared::with_fields(fields, min_size)
    }

    fn with_fields(fields: BTreeMap<String, Arc<Declared>>, min_size: u64) -> Arc<Declared> {
        let types: Fields = fields.iter().map(|(name, field)| (name.clone(), field.ty.clone())).collect();
        Arc::new(Declared { fields, ..Declared::new(Ty::Object(Arc::new(types)), min_size, 0) })
    }

    /// The largest number of such values in a request. Upstream: `maxCardinality`.
    pub(super) fn max_cardinality(&self) -> u64 {
        MAX_REQUEST / (self.min_size + 1)
    }
}

fn not_negative(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

/// Returns the length of the longest text without a limit. Upstream: `estimateMaxStringEnumLength`.
fn longest_text(schema: &StructuralSchema) -> u64 {
    let lengths = schema.validation.enum_values.iter().map(|value| value.as_str().map_or(0, str::len));
    lengths.max().map_or(MAX_TEXT, |length| length as u64)
}
