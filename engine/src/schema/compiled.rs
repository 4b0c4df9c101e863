//! Types resolved for use: ids instead of names, embedded structs flattened, fields found by one hash.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::declarations::{Declarations, FieldDecl, ScalarType, Shape, TypeExpr};
use super::field_meta::{FieldMeta, Required};
use crate::document::{OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::schema::union::{Union, Unions};

/// A type of a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// What a type is.
#[derive(Clone, Debug)]
pub enum Type {
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A string; `closed` when only the listed values are valid.
    Enum(EnumType),
    /// A list of one type.
    List(TypeId),
    /// A map from strings to one type.
    Map(TypeId),
    /// A struct.
    Struct(StructType),
    /// Any JSON.
    Any,
}

/// A string type with listed values.
#[derive(Clone, Debug)]
pub struct EnumType {
    /// The declared name.
    pub name: OwnedText,
    /// The values, in source order.
    pub values: Vec<OwnedText>,
    /// Only the listed values are valid.
    pub closed: bool,
}

/// A struct: its fields by name, embedded structs' fields included.
#[derive(Clone, Debug)]
pub struct StructType {
    /// The declared name.
    pub name: OwnedText,
    fields: FxHashMap<OwnedText, Field>,
    order: Vec<OwnedText>,
    unions: Vec<Union>,
}

impl StructType {
    /// The field with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }

    /// The fields, in source order.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.order.iter().filter_map(|name| self.fields.get(name))
    }

    /// The unions that the fields make, inlined ones included.
    #[must_use]
    pub fn unions(&self) -> &[Union] {
        &self.unions
    }

    pub(crate) fn unions_mut(&mut self) -> &mut Vec<Union> {
        &mut self.unions
    }

    /// Takes a field away, also out of its unions; false when there is none.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        self.unions.retain_mut(|union| union.forget_field(name));
        self.order.retain(|n| n != name);
        self.fields.remove(name).is_some()
    }

    pub(crate) fn metas_mut(&mut self) -> impl Iterator<Item = &mut FieldMeta> {
        self.fields.values_mut().map(|field| &mut field.meta)
    }

    pub(crate) fn field_mut(&mut self, name: &str) -> Option<&mut Field> {
        self.fields.get_mut(name)
    }
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key in documents.
    pub name: OwnedText,
    /// The struct that declares it: another than the one that has it when that one embeds it.
    pub declared_in: OwnedText,
    /// The type; pointers are transparent.
    pub ty: TypeId,
    /// The type is a pointer in Go.
    pub is_pointer: bool,
    /// Patch metadata.
    pub meta: FieldMeta,
    /// Whether documents must have the field.
    pub required: Required,
    /// `omitempty`: Go leaves out a scalar that is zero, and a list or a map that holds nothing.
    pub omit_empty: bool,
    /// `omitzero`: Go leaves out the zero value, also of a struct; a list or a map that is there is none.
    pub omit_zero: bool,
}

/// A set of resolved types.
#[derive(Clone, Debug)]
pub struct Schema {
    types: Vec<Type>,
    names: FxHashMap<OwnedText, TypeId>,
    has_unions: bool,
}

impl Schema {
    /// Resolves declarations, unions included. All errors come at once, each [`ErrorKind::InvalidSchema`] with the
    /// line in its message where the source has lines.
    ///
    /// ```
    /// use skewer_engine::schema::{Schema, go};
    ///
    /// let declarations = go::read("type Port struct {\n\tPort int `json:\"port\"`\n}").unwrap();
    /// let schema = Schema::compile(&declarations).unwrap();
    /// let port = schema.named("Port").expect("it is declared");
    /// assert!(schema.field(port, "port").is_some());
    /// assert!(schema.field(port, "protocol").is_none());
    /// ```
    pub fn compile(declarations: &Declarations) -> Result<Self, Vec<Error>> {
        let mut compiler = Compiler::new(declarations);
        match Unions::declared(declarations) {
            Ok(unions) => compiler.unions = unions,
            Err(errors) => compiler.errors.extend(errors.into_iter().map(Error::from)),
        }
        for (index, declaration) in declarations.types.iter().enumerate() {
            compiler.declare(index, &declaration.name);
        }
        for (index, declaration) in declarations.types.iter().enumerate() {
            let ty = compiler.shape(&declaration.name, &declaration.shape);
            compiler.types[index] = ty;
        }
        compiler.finish()
    }

    /// The type with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<TypeId> {
        self.names.get(name).copied()
    }

    /// The names of all declared types, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.keys().map(Text::as_str).collect();
        names.sort_unstable();
        names
    }

    /// What a type is.
    #[must_use]
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.types[ty.0 as usize]
    }

    /// The struct behind a type, if it is one.
    #[must_use]
    pub fn as_struct(&self, ty: TypeId) -> Option<&StructType> {
        match self.get(ty) {
            Type::Struct(s) => Some(s),
            _ => None,
        }
    }

    /// The field of a struct type. Upstream: `LookupPatchMetadataForStruct`, which knows no fields of maps
    /// either.
    #[must_use]
    pub fn field(&self, ty: TypeId, name: &str) -> Option<&Field> {
        self.as_struct(ty).and_then(|s| s.field(name))
    }

    /// The field of a struct type that `encoding/json` would find, in any case when there is none in this. Upstream:
    /// `LookupPatchMetadataForStruct` of the Go types.
    #[must_use]
    pub fn field_in_any_case(&self, ty: TypeId, name: &str) -> Option<&Field> {
        let of = self.as_struct(ty)?;
        of.field(name).or_else(|| of.fields().find(|field| equal_in_any_case(&field.name, name)))
    }

    /// The unions of a struct type; none for other types. In a view they have the members and the values that its
    /// party knows.
    #[must_use]
    pub fn unions(&self, ty: TypeId) -> &[Union] {
        self.as_struct(ty).map(StructType::unions).unwrap_or_default()
    }

    /// Can any type have a union? A view answers for the schema that it was made from.
    #[must_use]
    pub fn has_unions(&self) -> bool {
        self.has_unions
    }

    /// Puts a union on a struct; false when the type is none.
    pub(crate) fn attach(&mut self, ty: TypeId, union: &Union) -> bool {
        let Some(name) = self.as_struct(ty).map(|s| s.name.clone()) else { return false };
        // An alias is a copy, and has the union as well.
        for s in self.structs_mut().filter(|s| s.name == name) {
            s.unions.push(union.clone());
        }
        self.has_unions = true;
        true
    }

    /// The type of a list's items, if the type is a list.
    #[must_use]
    pub fn item(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::List(item) => Some(*item),
            _ => None,
        }
    }

    pub(crate) fn structs_mut(&mut self) -> impl Iterator<Item = &mut StructType> {
        self.types.iter_mut().filter_map(|ty| match ty {
            Type::Struct(s) => Some(s),
            _ => None,
        })
    }

    pub(crate) fn types_mut(&mut self) -> impl Iterator<Item = &mut Type> {
        self.types.iter_mut()
    }
}

/// Letters that differ from `k` and `s` only by their case count, as in Go: the Kelvin sign and the long s.
fn equal_in_any_case(a: &str, b: &str) -> bool {
    let folded = |text: &str| {
        text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>()
    };
    a.chars().count() == b.chars().count() && folded(a) == folded(b)
}

struct Compiler<'a> {
    declarations: &'a Declarations,
    types: Vec<Type>,
    names: FxHashMap<OwnedText, TypeId>,
    exprs: FxHashMap<TypeExpr, TypeId>,
    unions: Unions,
    errors: Vec<Error>,
}

/// How many embedded structs may stand in one another: more is a cycle.
const MAX_EMBEDDING: usize = 32;

/// How many embedded structs a struct may have in all: a few lines can embed each other without end.
const MAX_EMBEDDED: usize = 1_000;

impl<'a> Compiler<'a> {
    fn new(declarations: &'a Declarations) -> Self {
        Compiler {
            declarations,
            types: vec![Type::Any; declarations.types.len()],
            names: FxHashMap::default(),
            exprs: FxHashMap::default(),
            unions: Unions::default(),
            errors: Vec::new(),
        }
    }

    fn declare(&mut self, index: usize, name: &str) {
        #[allow(clippy::cast_possible_truncation)] // a schema of 4 billion types does not fit memory
        let id = TypeId(index as u32);
        if self.names.insert(Text::from(name), id).is_some() {
            self.error(format!("the type {name} is declared twice"));
        }
    }

    fn error(&mut self, message: String) {
        self.errors.push(Error::new(ErrorKind::InvalidSchema, message));
    }

    fn shape(&mut self, name: &'a str, shape: &'a Shape) -> Type {
        match shape {
            Shape::Struct(fields) => {
                let mut found = Flattened::default();
                self.flatten(name, fields, 0, &mut found);
                Type::Struct(self.flattened(name, found))
            }
            Shape::Enum { values, closed } => Type::Enum(EnumType {
                name: Text::from(name),
                values: values.iter().map(|v| Text::from(&v.value)).collect(),
                closed: *closed,
            }),
            Shape::Alias(expr) => self.alias(name, expr),
        }
    }

    /// An alias is its target's type again, so that looking a field up never follows a chain.
    fn alias(&mut self, name: &'a str, expr: &'a TypeExpr) -> Type {
        let mut expr = expr;
        for _ in 0..MAX_EMBEDDING {
            match expr {
                TypeExpr::Pointer(inner) => expr = inner,
                TypeExpr::Named(target) => match self.declarations.get(target).map(|t| &t.shape) {
                    Some(Shape::Alias(next)) => expr = next,
                    Some(shape) => return self.shape(target, shape),
                    None => break,
                },
                other => return self.expr_type(other),
            }
        }
        self.error(format!("the type {name} does not lead to a declared type"));
        Type::Any
    }

    fn expr_type(&mut self, expr: &'a TypeExpr) -> Type {
        match expr {
            TypeExpr::Scalar(scalar) => Type::Scalar(*scalar),
            TypeExpr::List(item) => Type::List(self.resolve(item)),
            TypeExpr::Map(value) => Type::Map(self.resolve(value)),
            TypeExpr::Any | TypeExpr::Named(_) | TypeExpr::Pointer(_) => Type::Any,
        }
    }

    fn resolve(&mut self, expr: &'a TypeExpr) -> TypeId {
        match expr {
            TypeExpr::Pointer(inner) => self.resolve(inner),
            TypeExpr::Named(name) => {
                if let Some(id) = self.names.get(name.as_str()) {
                    return *id;
                }
                self.error(format!("the type {name} is not declared"));
                self.intern(&TypeExpr::Any)
            }
            other => self.intern(other),
        }
    }

    fn intern(&mut self, expr: &'a TypeExpr) -> TypeId {
        if let Some(id) = self.exprs.get(expr) {
            return *id;
        }
        let ty = self.expr_type(expr);
        #[allow(clippy::cast_possible_truncation)] // as in `declare`
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty);
        self.exprs.insert(expr.clone(), id);
        id
    }

    /// Collects a struct's fields with those of its embedded structs, each with its depth.
    fn flatten(&mut self, name: &'a str, fields: &'a [FieldDecl], depth: usize, found: &mut Flattened<'a>) {
        if depth > MAX_EMBEDDING || found.embedded > MAX_EMBEDDED {
            if !found.too_many {
                self.error(format!("{name} embeds itself, or too many structs"));
            }
            found.too_many = true;
            return;
        }
        // The struct itself counts, once it is looked into.
        found.embedded += 1;
        for field in fields {
            if !field.inline {
                found.add(Flat { field, declared_in: name, depth, rival: None });
                continue;
            }
            match self.embedded(&field.ty) {
                Some((inner, fields)) => self.flatten(inner, fields, depth + 1, found),
                None => self.error(format!(
                    "{}line {}: only a struct can be inlined, and {} is none",
                    if name.is_empty() { String::new() } else { format!("{name}, ") },
                    field.line,
                    if field.go_name.is_empty() { &field.name } else { &field.go_name },
                )),
            }
        }
    }

    fn embedded(&self, expr: &'a TypeExpr) -> Option<(&'a str, &'a [FieldDecl])> {
        let mut expr = expr;
        for _ in 0..MAX_EMBEDDING {
            match expr {
                TypeExpr::Pointer(inner) => expr = inner,
                TypeExpr::Named(name) => match &self.declarations.get(name)?.shape {
                    Shape::Struct(fields) => return Some((name, fields)),
                    Shape::Alias(next) => expr = next,
                    Shape::Enum { .. } => return None,
                },
                _ => return None,
            }
        }
        None
    }

    fn flattened(&mut self, name: &str, found: Flattened<'a>) -> StructType {
        let mut fields = FxHashMap::default();
        let mut order = Vec::new();
        for Flat { field, declared_in, rival, .. } in found.fields {
            if let Some((rival, line)) = rival {
                self.error(format!(
                    "{rival}, line {line}: two embedded structs have a field {}, and encoding/json would drop both",
                    field.name
                ));
            }
            let meta = match FieldMeta::compile(&field.patch) {
                Ok(meta) => meta,
                Err(message) => {
                    self.error(format!("{name}.{}, line {}: {message}", field.name, field.line));
                    FieldMeta::default()
                }
            };
            let key = Text::from(&field.name);
            let compiled = Field {
                name: key.clone(),
                declared_in: Text::from(declared_in),
                ty: self.resolve(&field.ty),
                is_pointer: matches!(field.ty, TypeExpr::Pointer(_)),
                meta,
                required: Required::of(field),
                omit_empty: field.omit_empty,
                omit_zero: field.omit_zero,
            };
            order.push(key.clone());
            fields.insert(key, compiled);
        }
        StructType { name: Text::from(name), fields, order, unions: self.unions.of_type(name).to_vec() }
    }

    fn finish(self) -> Result<Schema, Vec<Error>> {
        if self.errors.is_empty() {
            let has_unions = !self.unions.is_empty();
            Ok(Schema { types: self.types, names: self.names, has_unions })
        } else {
            Err(self.errors)
        }
    }
}

/// A field with the embedded struct that it comes from.
struct Flat<'a> {
    field: &'a FieldDecl,
    declared_in: &'a str,
    depth: usize,
    /// The struct and the line of another field of the same name that is as near to the surface.
    rival: Option<(&'a str, u32)>,
}

#[derive(Default)]
struct Flattened<'a> {
    fields: Vec<Flat<'a>>,
    embedded: usize,
    too_many: bool,
}

impl<'a> Flattened<'a> {
    /// As in encoding/json, the field nearest to the surface hides deeper ones of the same name, also two that are
    /// equally deep.
    fn add(&mut self, flat: Flat<'a>) {
        match self.fields.iter_mut().find(|held| held.field.name == flat.field.name) {
            Some(held) => match held.depth.cmp(&flat.depth) {
                Ordering::Less => {}
                Ordering::Equal => held.rival = Some((flat.declared_in, flat.field.line)),
                Ordering::Greater => *held = flat,
            },
            None => self.fields.push(flat),
        }
    }
}
