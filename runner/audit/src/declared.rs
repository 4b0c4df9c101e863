//! Types that are declared in Go or in `OpenAPI`, such as those of a Kubernetes release, in the form that an audit works on.
//!
//! A server with such types checks only which fields are required, and closed enums. What API servers validate and default
//! with functions is not simulated.

use std::collections::BTreeMap;

use skewer_admission::structural::{AdditionalProperties, StructuralSchema, ValueType};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{
    Field, FieldMeta, ListType, MapType, PatchStrategy, Required, ScalarType, Schema, StructType, Type,
    TypeId,
};
use skewer_engine::{Doc, Text};

use super::facts::{Facts, Property, facts_of_schema};
use super::schema_path::{SchemaPath, SchemaStep};

/// Types in the form that an audit works on.
#[derive(Clone, Debug, Default)]
pub struct DeclaredTypes {
    /// The shape of the objects. A type that contains itself has no fields where it is repeated.
    pub schema: StructuralSchema,
    /// The statements of the types about each element.
    pub facts: BTreeMap<SchemaPath, Facts>,
    /// The type that declares each field.
    pub owners: BTreeMap<SchemaPath, String>,
}

/// Maximum number of fields of a kind, with those of all types that it contains. The largest kind of a Kubernetes release
/// has 2,000. Types that contain each other have so many that no computer can list them.
pub const MAX_FIELDS: usize = 50_000;

/// Returns the types of the objects of a context. `None` if they have more than [`MAX_FIELDS`] fields.
#[must_use]
pub fn declared_types(context: &PatchContext) -> Option<DeclaredTypes> {
    let mut reader =
        Reader { schema: &context.schema, open: Vec::new(), patch: BTreeMap::new(), owners: BTreeMap::new() };
    let schema = reader.read(context.root, &SchemaPath::default());
    if reader.owners.len() > MAX_FIELDS {
        return None;
    }
    let mut facts = facts_of_schema(&schema);
    for (path, patch) in reader.patch {
        facts.entry(path).or_default().extend(patch);
    }
    Some(DeclaredTypes { schema, facts, owners: reader.owners })
}

struct Reader<'s> {
    schema: &'s Schema,
    /// The structs that contain the current element.
    open: Vec<TypeId>,
    patch: BTreeMap<SchemaPath, Facts>,
    owners: BTreeMap<SchemaPath, String>,
}

impl Reader<'_> {
    fn read(&mut self, id: TypeId, path: &SchemaPath) -> StructuralSchema {
        let mut schema = StructuralSchema::default();
        match self.schema.get(id) {
            Type::Scalar(scalar) => set_scalar(&mut schema, *scalar),
            Type::Enum(values) => {
                schema.ty = Some(ValueType::String);
                if values.closed {
                    schema.validation.enum_values =
                        values.values.iter().map(|value| Doc::from(value.to_string())).collect();
                }
            }
            Type::List(item) => {
                schema.ty = Some(ValueType::Array);
                schema.items = Some(Box::new(self.read(*item, &path.child(SchemaStep::Items))));
            }
            Type::Map(value) => {
                schema.ty = Some(ValueType::Object);
                let values = self.read(*value, &path.child(SchemaStep::Values));
                schema.additional_properties = Some(AdditionalProperties::Schema(Box::new(values)));
            }
            Type::Struct(declared) => self.read_struct(id, declared, path, &mut schema),
            Type::Any => schema.preserve_unknown_fields = true,
        }
        let topology = self.schema.topology(id);
        set_topology(&mut schema, topology.list_type, topology.map_type);
        schema
    }

    fn read_struct(
        &mut self,
        id: TypeId,
        declared: &StructType,
        path: &SchemaPath,
        schema: &mut StructuralSchema,
    ) {
        schema.ty = Some(ValueType::Object);
        if self.open.contains(&id) {
            return;
        }
        self.open.push(id);
        for field in declared.fields() {
            if self.owners.len() > MAX_FIELDS {
                break;
            }
            let field_path = path.child(SchemaStep::Field(field.name.to_string()));
            let mut inner = self.read(field.ty, &field_path);
            set_topology(&mut inner, field.meta.list_type, field.meta.map_type);
            if !field.meta.list_map_keys.is_empty() {
                inner.list_map_keys = field.meta.list_map_keys.iter().map(ToString::to_string).collect();
            }
            self.patch.insert(field_path.clone(), patch_facts(&field.meta));
            self.owners.insert(field_path, owner(declared, field));
            if field.required == Required::Yes {
                schema.validation.required.push(field.name.to_string());
            }
            schema.properties.insert(field.name.to_string(), inner);
        }
        self.open.pop();
    }
}

fn owner(declared: &StructType, field: &Field) -> String {
    let name = if field.declared_in.is_empty() { declared.name.as_str() } else { &field.declared_in };
    name.to_owned()
}

fn set_scalar(schema: &mut StructuralSchema, scalar: ScalarType) {
    let (ty, format) = match scalar {
        ScalarType::String => (ValueType::String, None),
        ScalarType::Integer | ScalarType::Int32 => (ValueType::Integer, None),
        ScalarType::Number => (ValueType::Number, None),
        ScalarType::Boolean => (ValueType::Boolean, None),
        ScalarType::Bytes => (ValueType::String, Some("byte")),
        ScalarType::Time | ScalarType::MicroTime => (ValueType::String, Some("date-time")),
        ScalarType::Duration => (ValueType::String, Some("duration")),
        ScalarType::IntOrString | ScalarType::Quantity => {
            schema.int_or_string = true;
            return;
        }
    };
    schema.ty = Some(ty);
    schema.validation.format = format.map(str::to_owned);
}

fn set_topology(schema: &mut StructuralSchema, list_type: Option<ListType>, map_type: Option<MapType>) {
    schema.list_type = list_type.or(schema.list_type);
    schema.map_type = map_type.or(schema.map_type);
}

fn patch_facts(meta: &FieldMeta) -> Facts {
    let mut facts = Facts::new();
    let strategy = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    if let Some(strategy) = strategy {
        facts.insert(Property::PatchStrategy, Doc::from(strategy));
    }
    let words: Vec<&str> = meta.strategy_words().collect();
    if !words.is_empty() {
        facts.insert(Property::PatchDirectives, Doc::from(words.join(",")));
    }
    if !meta.merge_key.is_empty() {
        let keys: Vec<&str> = meta.merge_key.iter().map(Text::as_str).collect();
        facts.insert(Property::MergeKey, Doc::from(keys.join(",")));
    }
    facts
}
