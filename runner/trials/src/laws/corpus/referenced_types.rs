//! Extraction of the part of a schema that a situation uses. It is small enough to read, and fast to copy.

use std::collections::{HashMap, HashSet};

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{
    Declarations, EnumType, Field, FieldDecl, FieldMeta, PatchMeta, PatchStrategy, ScalarType, Schema,
    SchemaElement, Shape, StructType, Type, TypeDecl, TypeExpr, TypeId,
};
use skewer_engine::{Doc, OwnedDoc, OwnedText, Text};
use skewer_skew::Edit;

use crate::laws::situation::{ClientIntent, PatchSource};

/// The part of a schema that a situation uses.
pub(super) struct ReferencedTypes {
    /// The declarations. Fields of embedded structs are inlined, and all names are valid in Go.
    pub(super) types: Declarations,
    /// Name of the root type.
    pub(super) root_type: String,
    /// The names of the extracted structs and enums.
    type_names: Vec<(TypeId, String)>,
}

/// The names that documents contain: keys, and strings that may be enum values.
#[derive(Default)]
struct ReferencedNames(HashSet<String>);

impl ReferencedNames {
    fn add_patch_source(&mut self, source: &PatchSource) {
        source.objects().into_iter().for_each(|document| self.add_document(document));
        match source {
            PatchSource::Intent(ClientIntent { intent, .. }) => {
                intent.0.iter().for_each(|edit| self.add_edit(edit));
            }
            PatchSource::Given { patch, .. } => self.add_document(patch),
        }
    }

    fn add_edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Set(value) => self.add_document(value),
            Edit::Choose { selector: at, fields } => {
                self.add_path_text(&at.to_string());
                fields.iter().for_each(|(key, value)| self.add_entry(key, value));
            }
            Edit::Add { selector: at, item } => {
                self.add_path_text(&at.to_string());
                self.add_document(item);
            }
            Edit::Select { selector: at, member, value } => {
                self.add_path_text(&at.to_string());
                self.add_entry(member, value);
            }
            Edit::Remove(at) | Edit::Clear(at) | Edit::Increment { selector: at, .. } => {
                self.add_path_text(&at.to_string());
            }
            Edit::Order { selector: at, order } => {
                self.add_path_text(&at.to_string());
                for item in order {
                    self.add_document(item);
                }
            }
        }
    }

    fn add_document(&mut self, value: &OwnedDoc) {
        match value {
            Doc::Map(map) => map.iter().for_each(|(key, value)| self.add_entry(key, value)),
            Doc::List(items) => items.iter().for_each(|item| self.add_document(item)),
            Doc::String(text) => {
                self.0.insert(text.to_string());
            }
            _ => {}
        }
    }

    fn add_entry(&mut self, key: &str, value: &OwnedDoc) {
        self.add_path_text(key);
        self.add_document(value);
    }

    /// Adds a text to the set of names, and each name within the text. The text is a key, a key of a directive, or a
    /// field path.
    fn add_path_text(&mut self, text: &str) {
        self.0.insert(text.to_owned());
        self.0.extend(text.split(['.', '[', ']', '=', ',', '/', '"']).map(str::to_owned));
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

struct TypeExtractor<'a> {
    schema: &'a Schema,
    referenced: ReferencedNames,
    name_by_type: HashMap<TypeId, String>,
    used_names: HashSet<String>,
    type_names: Vec<(TypeId, String)>,
    types: Vec<TypeDecl>,
}

impl TypeExtractor<'_> {
    fn type_expr(&mut self, ty: TypeId) -> TypeExpr {
        match self.schema.get(ty) {
            Type::Scalar(scalar) => TypeExpr::Scalar(*scalar),
            Type::Any => TypeExpr::Any,
            Type::List(item) => TypeExpr::List(Box::new(self.element_type_expr(*item))),
            Type::Map(value) => TypeExpr::Map(Box::new(self.element_type_expr(*value))),
            // An open enum accepts every string.
            Type::Enum(values) if !values.closed => TypeExpr::Scalar(ScalarType::String),
            Type::Enum(values) => TypeExpr::Named(self.extract_enum(ty, values)),
            // Go requires a pointer for a recursive struct. The pointer does not change the documents.
            Type::Struct(fields) => {
                TypeExpr::Pointer(Box::new(TypeExpr::Named(self.extract_struct(ty, fields))))
            }
        }
    }

    /// Returns the type expression for an item of a list or a value of a map, which needs no pointer.
    fn element_type_expr(&mut self, ty: TypeId) -> TypeExpr {
        match self.type_expr(ty) {
            TypeExpr::Pointer(inner) => *inner,
            other => other,
        }
    }

    fn add_alias(&mut self, target: TypeExpr) -> String {
        let name = self.unique_name("Root");
        self.add_type(&name, Shape::Alias(target));
        name
    }

    fn extract_enum(&mut self, ty: TypeId, values: &EnumType) -> String {
        if let Some(name) = self.name_by_type.get(&ty) {
            return name.clone();
        }
        let name = self.assign_name(ty, &values.name);
        let is_referenced = |value: &&OwnedText| self.referenced.contains(value);
        let mut referenced_values: Vec<&OwnedText> = values.values.iter().filter(is_referenced).collect();
        if referenced_values.is_empty() {
            referenced_values.extend(values.values.first());
        }
        self.types.push(TypeDecl::new_enum(&name, referenced_values.iter().map(|value| value.as_str())));
        name
    }

    fn extract_struct(&mut self, ty: TypeId, fields: &StructType) -> String {
        if let Some(name) = self.name_by_type.get(&ty) {
            return name.clone();
        }
        let name = self.assign_name(ty, &fields.name);
        let index = self.types.len();
        // Reserve the position, so that a struct is declared before the types of its fields.
        self.add_type(&name, Shape::Struct(Vec::new()));
        let referenced_fields: Vec<&Field> =
            fields.fields().filter(|field| self.referenced.contains(&field.name)).collect();
        let fields = referenced_fields.into_iter().map(|field| self.extract_field(field)).collect();
        self.types[index].shape = Shape::Struct(fields);
        name
    }

    fn extract_field(&mut self, field: &Field) -> FieldDecl {
        // The merge keys must be declared even if no document of the situation contains them.
        let meta = &field.meta;
        let keys = [meta.merge_key.as_slice(), &meta.list_map_keys].into_iter();
        for keys in keys.chain(meta.own_tags().map(|(_, values)| values)) {
            self.referenced.0.extend(keys.iter().map(ToString::to_string));
        }
        let ty = self.type_expr(field.ty);
        let omit_empty = field.omit_zero || matches!(ty, TypeExpr::Pointer(_));
        FieldDecl::new(field.name.as_str(), ty)
            .with_omit_empty(omit_empty)
            .with_patch(patch_meta(&field.meta))
    }

    fn assign_name(&mut self, ty: TypeId, declared: &str) -> String {
        let name = self.unique_name(declared);
        self.name_by_type.insert(ty, name.clone());
        self.type_names.push((ty, name.clone()));
        name
    }

    fn add_type(&mut self, name: &str, shape: Shape) {
        self.types.push(TypeDecl::new(name, shape));
    }

    /// Returns the last part of a declared name (`PodSpec` for `core/v1.PodSpec`). A number is appended if the name is
    /// in use.
    fn unique_name(&mut self, declared: &str) -> String {
        let last = declared.rsplit(['.', '/']).next().unwrap_or_default();
        let letters: String = last.chars().filter(char::is_ascii_alphanumeric).collect();
        let exported = if letters.starts_with(|c: char| c.is_ascii_uppercase()) {
            letters
        } else {
            format!("T{letters}")
        };
        let mut name = exported.clone();
        let mut number = 2;
        while !self.used_names.insert(name.clone()) {
            name = format!("{exported}{number}");
            number += 1;
        }
        name
    }
}

/// Converts patch metadata back to a declaration.
fn patch_meta(meta: &FieldMeta) -> PatchMeta {
    let strategy = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let texts = |names: &[OwnedText]| names.iter().map(ToString::to_string).collect();
    let strategies = strategy.into_iter().chain(meta.strategy_words());
    let mut patch = PatchMeta::with_strategies(strategies);
    patch.merge_key = texts(&meta.merge_key);
    patch.tags = meta.own_tags().map(|(tag, values)| (tag.to_owned(), texts(values))).collect();
    patch.list_type = meta.list_type;
    patch.list_map_keys = texts(&meta.list_map_keys);
    patch
}

impl ReferencedTypes {
    /// Extracts the types with all fields, at any depth, whose names occur in the documents.
    pub(super) fn extract(up_to_date: &PatchContext, source: &PatchSource) -> Self {
        let mut names = ReferencedNames::default();
        names.add_patch_source(source);
        let mut extractor = TypeExtractor {
            schema: &up_to_date.schema,
            referenced: names,
            name_by_type: HashMap::new(),
            used_names: HashSet::new(),
            type_names: Vec::new(),
            types: Vec::new(),
        };
        let root_type = match extractor.type_expr(up_to_date.root) {
            TypeExpr::Named(name) => name,
            TypeExpr::Pointer(inner) => match *inner {
                TypeExpr::Named(name) => name,
                other => extractor.add_alias(other),
            },
            other => extractor.add_alias(other),
        };
        let types = Declarations::new(extractor.types);
        ReferencedTypes { types, root_type, type_names: extractor.type_names }
    }

    /// Returns the fields and enum values of the extracted types that a view of the full schema lacks.
    ///
    /// Metadata is ignored. In a situation, both parties have all metadata, except the tag of the change under test.
    pub(super) fn missing_elements(&self, full: &Schema, view: &Schema) -> Vec<SchemaElement> {
        let mut missing = Vec::new();
        for (ty, name) in &self.type_names {
            let Some(declared) = self.types.get(name) else { continue };
            // Types are looked up by name, because `TypeId`s differ between releases. If the view lacks a type, it also
            // lacks the fields that refer to the type.
            let schema_name = match full.get(*ty) {
                Type::Struct(declared) => &declared.name,
                Type::Enum(declared) => &declared.name,
                _ => continue,
            };
            let Some(view_type) = view.named(schema_name) else { continue };
            match (&declared.shape, full.get(*ty), view.get(view_type)) {
                (Shape::Struct(fields), Type::Struct(full), Type::Struct(view)) => {
                    for field in fields {
                        if full.field(&field.name).is_some() && view.field(&field.name).is_none() {
                            let (of, field) = (Text::from(name), Text::from(&field.name));
                            missing.push(SchemaElement::Field { type_name: of, field });
                        }
                    }
                }
                (Shape::Enum { values, .. }, _, Type::Enum(view)) => {
                    let missing_values =
                        values.iter().filter(|value| view.values.iter().all(|v| *v != value.value));
                    missing.extend(missing_values.map(|value| SchemaElement::EnumValue {
                        type_name: Text::from(name),
                        value: Text::from(&value.value),
                    }));
                }
                _ => {}
            }
        }
        missing
    }
}
