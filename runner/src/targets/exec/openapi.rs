//! A compiled schema as an `OpenAPI` v3 document.
//!
//! Written from the compiled types, not from declarations: what a party lacks is cut from the compiled types,
//! and the target must see the schema as that party does.

use std::collections::{HashMap, HashSet};

use skewer_engine::schema::{
    FieldMeta, ListType, PatchStrategy, Required, ScalarType, Schema, StructType, Type, TypeId,
};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

/// A schema as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// The component that describes the whole document.
    pub(crate) root: String,
    /// The document: `{components: {schemas}}`.
    pub(crate) openapi: OwnedDoc,
    /// Some struct contains itself.
    pub(crate) recursive: bool,
}

/// Writes what a type refers to, with the type as the root.
pub(crate) fn publish(schema: &Schema, root: TypeId) -> Published {
    let mut writer =
        Writer { schema, names: names(schema), components: Map::new(), open: Vec::new(), recursive: false };
    let name = match writer.names.get(&root) {
        Some(name) => name.clone(),
        None => "root".to_owned(),
    };
    writer.component(root, &name);
    let schemas = Doc::Map(writer.components);
    Published {
        root: name,
        openapi: object([("components", object([("schemas", schemas)]))]),
        recursive: writer.recursive,
    }
}

/// A name of its own for every declared type. References are resolved by upstream without unescaping, so that
/// the names hold nothing to escape.
fn names(schema: &Schema) -> HashMap<TypeId, String> {
    let mut taken = HashSet::new();
    let mut names = HashMap::new();
    for declared in schema.names() {
        let Some(id) = schema.named(declared) else { continue };
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

fn simple(name: &str) -> OwnedMap {
    map([("type", Doc::from(name))])
}

fn strings<'s>(items: impl IntoIterator<Item = &'s OwnedText>) -> OwnedDoc {
    Doc::List(items.into_iter().map(|item| Doc::String(item.clone())).collect())
}

/// Says of a property that its Go type is a pointer, which upstream's lookup in Go types takes for a list.
const POINTER: &str = "x-skewer-go-pointer";

struct Writer<'s> {
    schema: &'s Schema,
    names: HashMap<TypeId, String>,
    components: OwnedMap,
    /// The types that are being written, outermost first.
    open: Vec<TypeId>,
    recursive: bool,
}

/// How often a list or a map that contains itself without a struct in between is written into itself. Nothing
/// is ever looked up below it: patch metadata stands on the fields of structs.
const UNROLLED: usize = 2;

impl Writer<'_> {
    fn component(&mut self, ty: TypeId, name: &str) {
        // The place is taken before the fields are written, so that a struct that contains itself ends.
        if self.components.contains_key(name) {
            self.recursive |= self.open.contains(&ty);
            return;
        }
        self.components.insert(Text::from(name), Doc::Null);
        self.open.push(ty);
        let written = match self.schema.get(ty) {
            Type::Struct(fields) => self.structure(fields),
            _ => self.inline(ty),
        };
        self.open.pop();
        self.components.insert(Text::from(name), Doc::Map(written));
    }

    fn structure(&mut self, of: &StructType) -> OwnedMap {
        let mut properties = Map::new();
        let mut required: Vec<OwnedText> = Vec::new();
        for field in of.fields() {
            let mut property = self.expression(field.ty);
            let mut meta = metadata(&field.meta);
            if field.is_pointer {
                meta.insert(Text::from_static(POINTER), Doc::Bool(true));
            }
            // What stands beside a reference is ignored.
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
        let mut schema = simple("object");
        schema.insert(Text::from("properties"), Doc::Map(properties));
        if !required.is_empty() {
            required.sort_unstable();
            schema.insert(Text::from("required"), strings(&required));
        }
        schema
    }

    /// A type where it is used: structs by reference, everything else in place. Upstream does not find the
    /// items of a list that is a component of its own.
    fn expression(&mut self, ty: TypeId) -> OwnedMap {
        let Type::Struct(of) = self.schema.get(ty) else { return self.inline(ty) };
        let name = self.names.get(&ty).cloned().unwrap_or_else(|| of.name.to_string());
        self.component(ty, &name);
        map([("$ref", Doc::from(format!("#/components/schemas/{name}")))])
    }

    fn inline(&mut self, ty: TypeId) -> OwnedMap {
        match self.schema.get(ty) {
            Type::Scalar(scalar) => self::scalar(*scalar),
            Type::Enum(of) => {
                let mut schema = simple("string");
                if of.closed {
                    schema.insert(Text::from("enum"), strings(&of.values));
                }
                schema
            }
            Type::List(inner) => self.around("array", "items", ty, *inner),
            Type::Map(inner) => self.around("object", "additionalProperties", ty, *inner),
            Type::Struct(_) => self.expression(ty),
            Type::Any => anything(),
        }
    }

    fn around(&mut self, kind: &str, key: &str, ty: TypeId, inner: TypeId) -> OwnedMap {
        if self.open.iter().filter(|open| **open == ty).count() >= UNROLLED {
            return anything();
        }
        self.open.push(ty);
        let written = self.expression(inner);
        self.open.pop();
        let mut schema = simple(kind);
        schema.insert(Text::from(key), Doc::Map(written));
        schema
    }
}

fn anything() -> OwnedMap {
    map([("x-kubernetes-preserve-unknown-fields", Doc::Bool(true))])
}

fn scalar(scalar: ScalarType) -> OwnedMap {
    match scalar {
        ScalarType::String => simple("string"),
        ScalarType::Integer => simple("integer"),
        ScalarType::Number => simple("number"),
        ScalarType::Boolean => simple("boolean"),
        ScalarType::Bytes => map([("type", Doc::from("string")), ("format", Doc::from("byte"))]),
        ScalarType::IntOrString => map([("x-kubernetes-int-or-string", Doc::Bool(true))]),
    }
}

fn metadata(meta: &FieldMeta) -> OwnedMap {
    let mut written = Map::new();
    let mut put = |key: &str, value: OwnedDoc| {
        written.insert(Text::from(key), value);
    };
    let base = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let retain = meta.retain_keys.then_some("retainKeys");
    let strategies: Vec<&str> = base.into_iter().chain(retain).collect();
    if !strategies.is_empty() {
        put("x-kubernetes-patch-strategy", Doc::from(strategies.join(",")));
    }
    for (key, names) in [
        ("x-kubernetes-patch-merge-key", &meta.merge_key),
        ("x-kubernetes-recommended-patch-merge-key", &meta.recommended_merge_key),
    ] {
        if !names.is_empty() {
            put(key, Doc::from(names.join(",")));
        }
    }
    if let Some(list_type) = meta.list_type {
        let name = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        put("x-kubernetes-list-type", Doc::from(name));
    }
    if !meta.list_map_keys.is_empty() {
        put("x-kubernetes-list-map-keys", strings(&meta.list_map_keys));
    }
    written
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

    /// The reader of the engine gives back what was written: what is written again from it is the same.
    #[test]
    fn what_is_written_reads_back() {
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
    fn a_view_lacks_what_was_cut_from_it() {
        let lack: SchemaElement = "Spec.items:retainKeys".parse().unwrap();
        let view = schema().without([&lack]).unwrap();
        let text = publish(&view, view.named("Root").unwrap()).openapi.to_string();
        assert!(!text.contains("merge,retainKeys"), "{text}");
        assert!(text.contains(r#""x-kubernetes-patch-strategy":"retainKeys""#), "{text}");
    }

    #[test]
    fn only_what_the_root_refers_to_is_written() {
        let schema = schema();
        let published = publish(&schema, schema.named("Item").unwrap());
        assert_eq!(
            published.openapi.to_string(),
            r#"{"components":{"schemas":{"Item":{"properties":{"data":{"format":"byte","type":"string"},"name":{"type":"string"}},"type":"object"}}}}"#
        );
        assert!(!published.recursive);
    }

    #[test]
    fn a_type_that_contains_itself_is_told() {
        let schema = schema();
        assert!(publish(&schema, schema.named("Root").unwrap()).recursive);
    }
}
