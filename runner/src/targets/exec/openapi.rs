//! Conversion of a compiled schema to an `OpenAPI` v3 document.
//!
//! The document is made from the compiled types, not from the declarations. The schema elements that a party does not
//! know are removed only from the compiled types, and the target must see the schema as that party does.

use std::collections::{HashMap, HashSet};

use skewer_engine::schema::openapi::tag_extension;
use skewer_engine::schema::{
    FieldMeta, ListType, PatchStrategy, Required, ScalarType, Schema, StructType, Type, TypeId,
};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

/// A schema in the form in which it is sent to an adapter.
#[derive(Clone, Debug)]
pub(crate) struct PublishedSchema {
    /// The name of the component that describes the root object.
    pub(crate) root: String,
    /// The OpenAPI document: `{components: {schemas}}`.
    pub(crate) openapi: OwnedDoc,
    /// Whether some struct contains itself.
    pub(crate) is_recursive: bool,
}

/// Converts a type, as the root, with all types that it refers to.
pub(crate) fn publish(schema: &Schema, root: TypeId) -> PublishedSchema {
    let mut writer = SchemaWriter {
        schema,
        names: component_names(schema),
        components: Map::new(),
        in_progress: Vec::new(),
        is_recursive: false,
    };
    let name = match writer.names.get(&root) {
        Some(name) => name.clone(),
        None => "root".to_owned(),
    };
    writer.add_component(root, &name);
    let schemas = Doc::Map(writer.components);
    PublishedSchema {
        root: name,
        openapi: object([("components", object([("schemas", schemas)]))]),
        is_recursive: writer.is_recursive,
    }
}

/// Returns a unique component name for each declared type. The names have no characters that a reference must escape,
/// because upstream does not unescape references.
fn component_names(schema: &Schema) -> HashMap<TypeId, String> {
    let mut taken = HashSet::new();
    let mut names = HashMap::new();
    for declared in schema.names() {
        let Some(id) = schema.named(declared) else { continue };
        // An alias of a struct is the same type as the struct, so that only the struct has a component.
        if schema.as_struct(id).is_some_and(|of| of.name != declared) {
            continue;
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '.' };
        let mut name: String = declared.chars().map(plain).collect();
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.insert(id, name);
    }
    names
}

fn object<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedDoc {
    Doc::Map(map(entries))
}

fn map<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedMap {
    entries.into_iter().map(|(key, value)| (Text::from(key), value)).collect()
}

fn type_schema(name: &str) -> OwnedMap {
    map([("type", Doc::from(name))])
}

fn strings<'s>(items: impl IntoIterator<Item = &'s OwnedText>) -> OwnedDoc {
    Doc::List(items.into_iter().map(|item| Doc::String(item.clone())).collect())
}

/// The extension of a property whose Go type is a pointer. Upstream's lookup in Go types treats pointers as lists.
const GO_POINTER: &str = "x-skewer-go-pointer";

struct SchemaWriter<'s> {
    schema: &'s Schema,
    names: HashMap<TypeId, String>,
    components: OwnedMap,
    /// The types that are being converted, outermost first.
    in_progress: Vec<TypeId>,
    is_recursive: bool,
}

/// Maximum depth to which a recursive list or map type is written, if no struct is part of the recursion. Deeper
/// levels are never looked up, because only struct fields have patch metadata.
const MAX_SELF_NESTING: usize = 2;

impl SchemaWriter<'_> {
    fn add_component(&mut self, ty: TypeId, name: &str) {
        // The component is registered before its fields are converted, so that recursive structs do not recurse
        // forever.
        if self.components.contains_key(name) {
            self.is_recursive |= self.in_progress.contains(&ty);
            return;
        }
        self.components.insert(Text::from(name), Doc::Null);
        self.in_progress.push(ty);
        let schema = match self.schema.get(ty) {
            Type::Struct(fields) => self.struct_schema(fields),
            _ => self.inline_schema(ty),
        };
        self.in_progress.pop();
        self.components.insert(Text::from(name), Doc::Map(schema));
    }

    fn struct_schema(&mut self, of: &StructType) -> OwnedMap {
        let mut properties = Map::new();
        let mut required: Vec<OwnedText> = Vec::new();
        for field in of.fields() {
            let mut property = self.reference_or_inline(field.ty);
            let mut meta = patch_metadata(&field.meta);
            if field.is_pointer {
                meta.insert(Text::from_static(GO_POINTER), Doc::Bool(true));
            }
            // OpenAPI ignores keys beside `$ref`.
            if !meta.is_empty() && property.contains_key("$ref") {
                property = map([("allOf", Doc::List(vec![Doc::Map(property)]))]);
            }
            for (key, value) in meta {
                property.insert(key, value);
            }
            if field.required == Required::Yes {
                required.push(field.name.clone());
            }
            properties.insert(field.name.clone(), Doc::Map(property));
        }
        let mut schema = type_schema("object");
        schema.insert(Text::from("properties"), Doc::Map(properties));
        if !required.is_empty() {
            required.sort_unstable();
            schema.insert(Text::from("required"), strings(&required));
        }
        schema
    }

    /// Returns the schema for a reference to a type: `$ref` for a struct, and an inline schema for any other type.
    /// Other types must be inline, because upstream does not find the items of a list that is a component.
    fn reference_or_inline(&mut self, ty: TypeId) -> OwnedMap {
        let Type::Struct(of) = self.schema.get(ty) else { return self.inline_schema(ty) };
        let name = self.names.get(&ty).cloned().unwrap_or_else(|| of.name.to_string());
        self.add_component(ty, &name);
        map([("$ref", Doc::from(format!("#/components/schemas/{name}")))])
    }

    fn inline_schema(&mut self, ty: TypeId) -> OwnedMap {
        match self.schema.get(ty) {
            Type::Scalar(scalar) => scalar_schema(*scalar),
            Type::Enum(of) => {
                let mut schema = type_schema("string");
                if of.closed {
                    schema.insert(Text::from("enum"), strings(&of.values));
                }
                schema
            }
            Type::List(inner) => self.container_schema("array", "items", ty, *inner),
            Type::Map(inner) => self.container_schema("object", "additionalProperties", ty, *inner),
            Type::Struct(_) => self.reference_or_inline(ty),
            Type::Any => any_schema(),
        }
    }

    fn container_schema(&mut self, kind: &str, key: &str, ty: TypeId, inner: TypeId) -> OwnedMap {
        if self.in_progress.iter().filter(|in_progress| **in_progress == ty).count() >= MAX_SELF_NESTING {
            return any_schema();
        }
        self.in_progress.push(ty);
        let inner_schema = self.reference_or_inline(inner);
        self.in_progress.pop();
        let mut schema = type_schema(kind);
        schema.insert(Text::from(key), Doc::Map(inner_schema));
        schema
    }
}

fn any_schema() -> OwnedMap {
    map([("x-kubernetes-preserve-unknown-fields", Doc::Bool(true))])
}

fn scalar_schema(scalar: ScalarType) -> OwnedMap {
    match scalar {
        ScalarType::String | ScalarType::Time | ScalarType::Duration => type_schema("string"),
        ScalarType::Integer => type_schema("integer"),
        ScalarType::Number => type_schema("number"),
        ScalarType::Boolean => type_schema("boolean"),
        ScalarType::Bytes => map([("type", Doc::from("string")), ("format", Doc::from("byte"))]),
        ScalarType::IntOrString | ScalarType::Quantity => {
            map([("x-kubernetes-int-or-string", Doc::Bool(true))])
        }
    }
}

fn patch_metadata(meta: &FieldMeta) -> OwnedMap {
    let mut metadata = Map::new();
    let mut insert = |key: &str, value: OwnedDoc| {
        metadata.insert(Text::from(key), value);
    };
    let base = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let strategies: Vec<&str> = base.into_iter().chain(meta.strategy_words()).collect();
    if !strategies.is_empty() {
        insert("x-kubernetes-patch-strategy", Doc::from(strategies.join(",")));
    }
    if !meta.merge_key.is_empty() {
        insert("x-kubernetes-patch-merge-key", Doc::from(meta.merge_key.join(",")));
    }
    for (tag, values) in meta.own_tags() {
        insert(&tag_extension(tag), Doc::from(values.join(",")));
    }
    if let Some(list_type) = meta.list_type {
        let name = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        insert("x-kubernetes-list-type", Doc::from(name));
    }
    if !meta.list_map_keys.is_empty() {
        insert("x-kubernetes-list-map-keys", strings(&meta.list_map_keys));
    }
    metadata
}

#[cfg(test)]
mod tests {
    use skewer_engine::schema::{SchemaElement, go, openapi};

    use super::*;

    const TYPES: &str = r#"
        type Root struct {
            Spec     Spec              `json:"spec" patchStrategy:"retainKeys"`
            Labels   map[string]string `json:"labels,omitempty"`
            Matrix   [][]int           `json:"matrix,omitempty"`
            Policy   Policy            `json:"policy,omitempty"`
            Port     intstr.IntOrString `json:"port,omitempty"`
            Anything runtime.RawExtension `json:"anything,omitempty"`
            Nested   *Root             `json:"nested,omitempty"`
        }
        type Spec struct {
            Items []Item `json:"items" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
            Ports []Item `json:"ports" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol"`
            Set   Names  `json:"set" patchStrategy:"merge"`
            Whole Item   `json:"whole" patchStrategy:"replace"`
        }
        type Names []string
        type Item struct {
            Name string `json:"name"`
            Data []byte `json:"data,omitempty"`
        }
        // +enum
        type Policy string
        const (
            Always Policy = "Always"
            Never  Policy = "Never"
        )
    "#;

    fn schema() -> Schema {
        Schema::compile(&go::read(TYPES).unwrap()).unwrap()
    }

    #[test]
    fn a_published_schema_is_read_back_unchanged() {
        let schema = schema();
        let published = publish(&schema, schema.named("Root").unwrap());
        let document = object([
            ("openapi", Doc::from("3.0.0")),
            ("components", published.openapi.as_map().unwrap().get("components").unwrap().clone()),
        ]);
        let read = Schema::compile(&openapi::read(&document).unwrap()).unwrap();
        let again = publish(&read, read.named("Root").unwrap());
        assert_eq!(again.openapi.to_string(), published.openapi.to_string());
    }

    #[test]
    fn elements_without_which_a_view_was_made_are_not_published() {
        let element: SchemaElement = "Spec.items:retainKeys".parse().unwrap();
        let view = schema().without([&element]).unwrap();
        let text = publish(&view, view.named("Root").unwrap()).openapi.to_string();
        assert!(!text.contains("merge,retainKeys"), "{text}");
        assert!(text.contains(r#""x-kubernetes-patch-strategy":"retainKeys""#), "{text}");
    }

    #[test]
    fn only_types_that_the_root_refers_to_are_published() {
        let schema = schema();
        let published = publish(&schema, schema.named("Item").unwrap());
        assert_eq!(
            published.openapi.to_string(),
            r#"{"components":{"schemas":{"Item":{"properties":{"data":{"format":"byte","type":"string"},"name":{"type":"string"}},"type":"object"}}}}"#
        );
        assert!(!published.is_recursive);
    }

    #[test]
    fn a_type_that_contains_itself_is_recursive() {
        let schema = schema();
        assert!(publish(&schema, schema.named("Root").unwrap()).is_recursive);
    }
}
