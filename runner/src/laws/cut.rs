//! The part of a schema that a situation needs: small enough to read, and quick to copy.

use std::collections::{HashMap, HashSet};

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{
    Declarations, EnumType, EnumValue, Field, FieldDecl, FieldMeta, PatchMeta, PatchStrategy, ScalarType,
    Schema, SchemaElement, Shape, StructType, Type, TypeDecl, TypeExpr, TypeId,
};
use skewer_engine::skew::Edit;
use skewer_engine::{Doc, OwnedDoc, OwnedText, Text};

use super::situation::Content;

/// A part of a schema.
pub(super) struct Cut {
    /// The types, with embedded structs' fields in place and names that Go allows.
    pub(super) types: Declarations,
    /// The name of the root.
    pub(super) root: String,
    /// Which type each name stands for.
    named: Vec<(TypeId, String)>,
}

/// Cuts out what the content speaks of: the fields, wherever they are, whose names are in it.
pub(super) fn cut(everything: &PatchContext, content: &Content) -> Cut {
    let mut words = Words::default();
    words.of(content);
    let mut cutter = Cutter {
        schema: &everything.schema,
        words,
        names: HashMap::new(),
        taken: HashSet::new(),
        named: Vec::new(),
        types: Vec::new(),
    };
    let root = match cutter.expr(everything.root) {
        TypeExpr::Named(name) => name,
        TypeExpr::Pointer(inner) => match *inner {
            TypeExpr::Named(name) => name,
            other => cutter.alias(other),
        },
        other => cutter.alias(other),
    };
    Cut { types: Declarations { types: cutter.types }, root, named: cutter.named }
}

/// The words that documents hold: keys, and texts that may be values of enums.
#[derive(Default)]
struct Words(HashSet<String>);

impl Words {
    fn of(&mut self, content: &Content) {
        content.documents().into_iter().for_each(|document| self.document(document));
        match content {
            Content::Intent { intent, .. } => intent.0.iter().for_each(|edit| self.edit(edit)),
            Content::Patch { patch, .. } => self.document(patch),
        }
    }

    fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Set(value) => self.document(value),
            Edit::Choose { selector: at, fields } => {
                self.text(&at.to_string());
                fields.iter().for_each(|(key, value)| self.entry(key, value));
            }
            Edit::Add { selector: at, item } => {
                self.text(&at.to_string());
                self.document(item);
            }
            Edit::Select { selector: at, member, value } => {
                self.text(&at.to_string());
                self.entry(member, value);
            }
            Edit::Remove(at) | Edit::Clear(at) => self.text(&at.to_string()),
            Edit::Order { selector: at, order } => {
                self.text(&at.to_string());
                for item in order {
                    self.document(item);
                }
            }
        }
    }

    fn document(&mut self, value: &OwnedDoc) {
        match value {
            Doc::Map(map) => map.iter().for_each(|(key, value)| self.entry(key, value)),
            Doc::List(items) => items.iter().for_each(|item| self.document(item)),
            Doc::String(text) => {
                self.0.insert(text.to_string());
            }
            _ => {}
        }
    }

    fn entry(&mut self, key: &str, value: &OwnedDoc) {
        self.text(key);
        self.document(value);
    }

    /// A key, a key of a directive with the field that it names, or a place: each name that may be in it.
    fn text(&mut self, text: &str) {
        self.0.insert(text.to_owned());
        self.0.extend(text.split(['.', '[', ']', '=', ',', '/', '"']).map(str::to_owned));
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

struct Cutter<'a> {
    schema: &'a Schema,
    words: Words,
    names: HashMap<TypeId, String>,
    taken: HashSet<String>,
    named: Vec<(TypeId, String)>,
    types: Vec<TypeDecl>,
}

impl Cutter<'_> {
    fn expr(&mut self, ty: TypeId) -> TypeExpr {
        match self.schema.get(ty) {
            Type::Scalar(scalar) => TypeExpr::Scalar(*scalar),
            Type::Any => TypeExpr::Any,
            Type::List(item) => TypeExpr::List(Box::new(self.element(*item))),
            Type::Map(value) => TypeExpr::Map(Box::new(self.element(*value))),
            // Only what is closed is checked; the values of any other are texts.
            Type::Enum(values) if !values.closed => TypeExpr::Scalar(ScalarType::String),
            Type::Enum(values) => TypeExpr::Named(self.enumeration(ty, values)),
            // A struct may hold itself: by a pointer, as Go wants it. Documents are the same.
            Type::Struct(fields) => TypeExpr::Pointer(Box::new(TypeExpr::Named(self.structure(ty, fields)))),
        }
    }

    /// A type in a list or a map, where it needs no pointer.
    fn element(&mut self, ty: TypeId) -> TypeExpr {
        match self.expr(ty) {
            TypeExpr::Pointer(inner) => *inner,
            other => other,
        }
    }

    fn alias(&mut self, target: TypeExpr) -> String {
        let name = self.name("Root");
        self.types.push(TypeDecl {
            name: name.clone(),
            shape: Shape::Alias(target),
            markers: Vec::new(),
            line: 0,
        });
        name
    }

    fn enumeration(&mut self, ty: TypeId, values: &EnumType) -> String {
        if let Some(name) = self.names.get(&ty) {
            return name.clone();
        }
        let name = self.begin(ty, &values.name);
        let spoken_of = |value: &&OwnedText| self.words.has(value);
        let mut kept: Vec<&OwnedText> = values.values.iter().filter(spoken_of).collect();
        if kept.is_empty() {
            kept.extend(values.values.first());
        }
        let value = |value: &&OwnedText| EnumValue {
            name: String::new(),
            value: value.to_string(),
            markers: Vec::new(),
            line: 0,
        };
        let values = kept.iter().map(value).collect();
        self.end(&name, Shape::Enum { values, closed: true });
        name
    }

    fn structure(&mut self, ty: TypeId, fields: &StructType) -> String {
        if let Some(name) = self.names.get(&ty) {
            return name.clone();
        }
        let name = self.begin(ty, &fields.name);
        let at = self.types.len();
        // Its place in the text is before the types that it holds.
        self.types.push(TypeDecl {
            name: name.clone(),
            shape: Shape::Struct(Vec::new()),
            markers: Vec::new(),
            line: 0,
        });
        let spoken_of: Vec<&Field> = fields.fields().filter(|field| self.words.has(&field.name)).collect();
        let fields = spoken_of.into_iter().map(|field| self.field(field)).collect();
        self.types[at].shape = Shape::Struct(fields);
        name
    }

    fn field(&mut self, field: &Field) -> FieldDecl {
        // Items have their merge keys, whether or not a document of this situation has them.
        for keys in [&field.meta.merge_key, &field.meta.recommended_merge_key, &field.meta.list_map_keys] {
            self.words.0.extend(keys.iter().map(ToString::to_string));
        }
        let ty = self.expr(field.ty);
        FieldDecl {
            name: field.name.to_string(),
            go_name: String::new(),
            inline: false,
            omit_empty: field.omit_zero || matches!(ty, TypeExpr::Pointer(_)),
            ty,
            omit_zero: false,
            required: None,
            default: None,
            patch: declared(&field.meta),
            markers: Vec::new(),
            line: 0,
        }
    }

    fn begin(&mut self, ty: TypeId, declared: &str) -> String {
        let name = self.name(declared);
        self.names.insert(ty, name.clone());
        self.named.push((ty, name.clone()));
        name
    }

    fn end(&mut self, name: &str, shape: Shape) {
        self.types.push(TypeDecl { name: name.to_owned(), shape, markers: Vec::new(), line: 0 });
    }

    /// `core/v1.PodSpec` is `PodSpec` here; the second of a name has a number.
    fn name(&mut self, declared: &str) -> String {
        let last = declared.rsplit(['.', '/']).next().unwrap_or_default();
        let plain: String = last.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain =
            if plain.starts_with(|c: char| c.is_ascii_uppercase()) { plain } else { format!("T{plain}") };
        let mut name = plain.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{plain}{number}");
            number += 1;
        }
        name
    }
}

/// Metadata as it is written.
fn declared(meta: &FieldMeta) -> PatchMeta {
    let strategy = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let retain_keys = meta.retain_keys.then_some("retainKeys");
    let texts = |names: &[OwnedText]| names.iter().map(ToString::to_string).collect();
    PatchMeta {
        strategies: strategy.into_iter().chain(retain_keys).map(str::to_owned).collect(),
        merge_key: texts(&meta.merge_key),
        recommended_merge_key: texts(&meta.recommended_merge_key),
        list_type: meta.list_type,
        list_map_keys: texts(&meta.list_map_keys),
    }
}

impl Cut {
    /// What a view of the whole lacks of the part, less metadata: of that both parties of a situation have all, but
    /// for the tag that came with the change that is tried. To lack another one is another change.
    pub(super) fn lacks(&self, whole: &Schema, view: &Schema) -> Vec<SchemaElement> {
        let mut lacks = Vec::new();
        for (ty, name) in &self.named {
            let Some(declared) = self.types.get(name) else { continue };
            // By name: a view can be that of another release, which numbers its types in its own way. A type that it
            // has not is behind a field that it has not.
            let known_as = match whole.get(*ty) {
                Type::Struct(whole) => &whole.name,
                Type::Enum(whole) => &whole.name,
                _ => continue,
            };
            let Some(seen) = view.named(known_as) else { continue };
            match (&declared.shape, whole.get(*ty), view.get(seen)) {
                (Shape::Struct(fields), Type::Struct(whole), Type::Struct(view)) => {
                    for field in fields {
                        if whole.field(&field.name).is_some() && view.field(&field.name).is_none() {
                            let (of, field) = (Text::from(name), Text::from(&field.name));
                            lacks.push(SchemaElement::Field { type_name: of, field });
                        }
                    }
                }
                (Shape::Enum { values, .. }, _, Type::Enum(view)) => {
                    let missing = values.iter().filter(|value| view.values.iter().all(|v| *v != value.value));
                    lacks.extend(missing.map(|value| SchemaElement::EnumValue {
                        type_name: Text::from(name),
                        value: Text::from(&value.value),
                    }));
                }
                _ => {}
            }
        }
        lacks
    }
}
