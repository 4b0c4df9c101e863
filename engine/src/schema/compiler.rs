//! The compiler: declarations with their names resolved and embedded structs flattened.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::compiled::{EnumType, Field, Schema, StructType, Type, TypeId};
use super::declarations::{Declarations, FieldDecl, Shape, TypeExpr};
use super::field_meta::{FieldMeta, Required};
use super::union::Unions;
use crate::document::{OwnedText, Text};
use crate::error::{Error, ErrorKind};

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
            let ty = compiler.compile_shape(&declaration.name, &declaration.shape);
            compiler.types[index] = ty;
        }
        compiler.finish()
    }
}

/// The state of compiling one set of declarations.
struct Compiler<'a> {
    declarations: &'a Declarations,
    types: Vec<Type>,
    names: FxHashMap<OwnedText, TypeId>,
    /// The types of expressions without a name.
    exprs: FxHashMap<TypeExpr, TypeId>,
    unions: Unions,
    errors: Vec<Error>,
}

/// Maximum nesting of embedded structs; deeper nesting is a cycle.
const MAX_EMBEDDING: usize = 32;

/// Maximum number of embedded structs in a struct, at all levels: a few lines can embed each other without end.
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

    fn compile_shape(&mut self, name: &'a str, shape: &'a Shape) -> Type {
        match shape {
            Shape::Struct(fields) => {
                let mut flattened = FlattenedFields::default();
                self.flatten(name, fields, 0, &mut flattened);
                Type::Struct(self.compile_struct(name, flattened))
            }
            Shape::Enum { values, closed } => Type::Enum(EnumType {
                name: Text::from(name),
                values: values.iter().map(|v| Text::from(&v.value)).collect(),
                closed: *closed,
            }),
            Shape::Alias(expr) => self.compile_alias(name, expr),
        }
    }

    /// Compiles an alias to a copy of its target, so that field lookup never follows a chain.
    fn compile_alias(&mut self, name: &'a str, expr: &'a TypeExpr) -> Type {
        let mut expr = expr;
        for _ in 0..MAX_EMBEDDING {
            match expr {
                TypeExpr::Pointer(inner) => expr = inner,
                TypeExpr::Named(target) => match self.declarations.get(target).map(|t| &t.shape) {
                    Some(Shape::Alias(next)) => expr = next,
                    Some(shape) => return self.compile_shape(target, shape),
                    None => break,
                },
                other => return self.compile_expr(other),
            }
        }
        self.error(format!("the type {name} does not lead to a declared type"));
        Type::Any
    }

    fn compile_expr(&mut self, expr: &'a TypeExpr) -> Type {
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
        let ty = self.compile_expr(expr);
        #[allow(clippy::cast_possible_truncation)] // as in `declare`
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty);
        self.exprs.insert(expr.clone(), id);
        id
    }

    /// Collects a struct's fields with those of its embedded structs, each with its depth.
    fn flatten(
        &mut self,
        name: &'a str,
        fields: &'a [FieldDecl],
        depth: usize,
        flattened: &mut FlattenedFields<'a>,
    ) {
        if depth > MAX_EMBEDDING || flattened.embedded_structs > MAX_EMBEDDED {
            if !flattened.has_too_many {
                self.error(format!("{name} embeds itself, or too many structs"));
            }
            flattened.has_too_many = true;
            return;
        }
        // The struct itself counts, too.
        flattened.embedded_structs += 1;
        for field in fields {
            if !field.inline {
                flattened.add(FlattenedField { field, declared_in: name, depth, duplicate: None });
                continue;
            }
            match self.embedded_struct(&field.ty) {
                Some((inner, fields)) => self.flatten(inner, fields, depth + 1, flattened),
                None => self.error(format!(
                    "{}line {}: only a struct can be inlined, and {} is none",
                    if name.is_empty() { String::new() } else { format!("{name}, ") },
                    field.line,
                    if field.go_name.is_empty() { &field.name } else { &field.go_name },
                )),
            }
        }
    }

    fn embedded_struct(&self, expr: &'a TypeExpr) -> Option<(&'a str, &'a [FieldDecl])> {
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

    fn compile_struct(&mut self, name: &str, flattened: FlattenedFields<'a>) -> StructType {
        let mut fields = FxHashMap::default();
        let mut order = Vec::new();
        for FlattenedField { field, declared_in, duplicate, .. } in flattened.fields {
            if let Some((other, line)) = duplicate {
                self.error(format!(
                    "{other}, line {line}: two embedded structs have a field {}, and encoding/json would drop both",
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
                required: Required::from_declaration(field),
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
struct FlattenedField<'a> {
    field: &'a FieldDecl,
    declared_in: &'a str,
    depth: usize,
    /// The struct and the line of another field of the same name and depth.
    duplicate: Option<(&'a str, u32)>,
}

/// The fields of a struct and of its embedded structs.
#[derive(Default)]
struct FlattenedFields<'a> {
    fields: Vec<FlattenedField<'a>>,
    /// The number of structs so far, the outer one included.
    embedded_structs: usize,
    has_too_many: bool,
}

impl<'a> FlattenedFields<'a> {
    /// Adds a field. As in encoding/json, the field with the least depth hides deeper ones of the same name, also two
    /// that are equally deep.
    fn add(&mut self, field: FlattenedField<'a>) {
        match self.fields.iter_mut().find(|known| known.field.name == field.field.name) {
            Some(known) => match known.depth.cmp(&field.depth) {
                Ordering::Less => {}
                Ordering::Equal => known.duplicate = Some((field.declared_in, field.field.line)),
                Ordering::Greater => *known = field,
            },
            None => self.fields.push(field),
        }
    }
}
