//! The compiler. It turns declarations into a schema: it looks up all type names and flattens embedded structs.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::compiled::{EnumType, Field, Schema, StructType, Type, TypeId, TypeTopology};
use super::declarations::{Declarations, FieldDecl, ScalarType, Shape, TypeDecl, TypeExpr};
use super::embedding::{Embedding, FlattenedField};
use super::error_limit::limit_errors;
use super::field_meta::{FieldMeta, Required};
use super::metadata_tag::MetadataTags;
use super::patch_meta::MapType;
use super::resolution::{DeclarationIndex, Target, describe_cycle};
use super::type_topology::{map_type_of, topologies_of};
use super::union::Unions;
use crate::document::{OwnedDoc, OwnedText, Text};
use crate::error::{Error, ErrorKind};

impl Schema {
    /// Compiles declarations. Looks up the type names, flattens embedded structs and reads the unions.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidSchema`] for each declaration that cannot be compiled, up to
    /// [`MAX_ERRORS`](super::MAX_ERRORS). A message contains the line if the source has lines.
    ///
    /// ```
    /// # #[cfg(feature = "go")] {
    /// use skewer_engine::schema::{Schema, go};
    ///
    /// let declarations = go::read("type Port struct {\n\tPort int `json:\"port\"`\n}").unwrap();
    /// let schema = Schema::compile(&declarations).unwrap();
    /// let port = schema.named("Port").expect("it is declared");
    /// assert!(schema.field(port, "port").is_some());
    /// assert!(schema.field(port, "protocol").is_none());
    /// # }
    /// ```
    ///
    /// The patch metadata can have the tags that registered directives declare.
    pub fn compile(declarations: &Declarations) -> Result<Self, Vec<Error>> {
        Schema::compile_with_tags(declarations, &MetadataTags::registered())
    }

    /// Compiles declarations as [`Schema::compile`] does, with these metadata tags instead of the tags of the
    /// registered directives.
    ///
    /// # Errors
    ///
    /// The errors of [`Schema::compile`].
    pub fn compile_with_tags(declarations: &Declarations, tags: &MetadataTags) -> Result<Self, Vec<Error>> {
        let index = DeclarationIndex::new(declarations);
        let mut embedding = Embedding::new(&index, declarations.types.len());
        let mut errors = Vec::new();
        let unions = match Unions::of(&index, &embedding, declarations) {
            Ok(unions) => unions,
            Err(union_errors) => {
                errors.extend(union_errors.into_iter().map(Error::from));
                Unions::default()
            }
        };
        let embedding_errors = embedding.take_errors();
        let mut compiler = Compiler {
            index: &index,
            tags,
            embedding: &embedding,
            types: vec![Type::Any; declarations.types.len()],
            names: FxHashMap::default(),
            exprs: FxHashMap::default(),
            declaring_structs: FxHashMap::default(),
            no_metadata: Arc::new(FieldMeta::NONE),
            unions,
            errors,
        };
        for message in embedding_errors {
            compiler.error(message);
        }
        for cycle in index.alias_cycles() {
            let message =
                format!("aliases or references lead only to each other: {}", describe_cycle(&index, cycle));
            compiler.error(message);
        }
        for (position, declaration) in declarations.types.iter().enumerate() {
            compiler.declare(position, &declaration.name);
        }
        for (position, declaration) in declarations.types.iter().enumerate() {
            let ty = compiler.compile_shape(position, declaration);
            compiler.types[position] = ty;
        }
        let topologies = compiler.compile_topologies(declarations);
        compiler.finish(topologies)
    }
}

/// The state of compiling one set of declarations.
struct Compiler<'a> {
    index: &'a DeclarationIndex<'a>,
    /// The metadata tags that directives declare.
    tags: &'a MetadataTags,
    embedding: &'a Embedding<'a, 'a>,
    types: Vec<Type>,
    names: FxHashMap<OwnedText, TypeId>,
    /// The ids of the types that have no name, such as `[]string`.
    exprs: FxHashMap<TypeExpr, TypeId>,
    /// The names of the structs that declare fields.
    declaring_structs: FxHashMap<&'a str, Arc<str>>,
    /// The metadata of all fields without metadata.
    no_metadata: Arc<FieldMeta>,
    unions: Unions,
    errors: Vec<Error>,
}

#[allow(clippy::cast_possible_truncation)] // a schema of 4 billion types does not fit memory
fn type_id(position: usize) -> TypeId {
    TypeId(position as u32)
}

fn is_go(field: &FieldDecl) -> bool {
    !field.go_name.is_empty()
}

impl<'a> Compiler<'a> {
    /// Adds the type of a declaration to the schema. An alias of a struct or of an enum has a copy of this type.
    fn declare(&mut self, position: usize, name: &str) {
        let id = match self.index.resolve_declared(position).target {
            Target::Declared(target) => type_id(target),
            Target::Unnamed(_) | Target::Undeclared(_) | Target::Cycle => type_id(position),
        };
        if self.names.insert(Text::from(name), id).is_some() {
            self.error(format!("the type {name} is declared twice"));
        }
    }

    fn error(&mut self, message: String) {
        self.errors.push(Error::new(ErrorKind::InvalidSchema, message));
    }

    fn compile_shape(&mut self, position: usize, declaration: &'a TypeDecl) -> Type {
        let name = declaration.name.as_str();
        match &declaration.shape {
            Shape::Struct(_) => Type::Struct(self.compile_struct(name, self.embedding.fields(position))),
            Shape::Enum { values, closed } => Type::Enum(EnumType {
                name: Text::from(name),
                values: values.iter().map(|v| Text::from(&v.value)).collect(),
                closed: *closed,
            }),
            Shape::Alias(_) => match self.index.resolve_declared(position).target {
                Target::Unnamed(expr) => self.compile_expr(expr),
                Target::Undeclared(missing) => {
                    self.error(format!("the type {name} is an alias of {missing}, which is not declared"));
                    Type::Any
                }
                // The type of an aliased struct or enum is copied to its aliases later. Cycles are reported elsewhere.
                Target::Declared(_) | Target::Cycle => Type::Any,
            },
        }
    }

    fn compile_expr(&mut self, expr: &'a TypeExpr) -> Type {
        match expr {
            TypeExpr::Scalar(scalar) => Type::Scalar(*scalar),
            TypeExpr::List(item) => Type::List(self.resolve(item)),
            TypeExpr::Map(value) => Type::Map(self.resolve(value)),
            TypeExpr::Any | TypeExpr::RawExtension | TypeExpr::Named(_) | TypeExpr::Pointer(_) => Type::Any,
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
        let id = type_id(self.types.len());
        self.types.push(ty);
        self.exprs.insert(expr.clone(), id);
        id
    }

    fn compile_struct(&mut self, name: &str, flattened: Vec<FlattenedField<'a>>) -> StructType {
        let mut fields = Vec::with_capacity(flattened.len());
        for FlattenedField { field, declared_in, is_embedded_by_pointer, duplicate, .. } in flattened {
            if let Some((other, line)) = duplicate {
                self.error(format!(
                    "{other}, line {line}: two embedded structs have a field {}, and encoding/json would drop both",
                    field.name
                ));
            }
            let meta = self.compile_meta(field).unwrap_or_else(|message| {
                self.error(format!("{name}.{}, line {}: {message}", field.name, field.line));
                FieldMeta::default()
            });
            fields.push(Field {
                name: Text::from(&field.name),
                declared_in: self.declaring_struct(declared_in),
                ty: self.resolve(&field.ty),
                is_pointer: self.index.resolve(&field.ty).is_pointer,
                meta: if meta == FieldMeta::NONE { Arc::clone(&self.no_metadata) } else { Arc::new(meta) },
                required: Required::from_declaration(field),
                nullable: !is_go(field) && field.marker("nullable").is_some(),
                is_go: is_go(field),
                is_embedded_by_pointer,
                omit_empty: field.omit_empty && !self.is_raw_extension(field),
                omit_zero: field.omit_zero,
                default: field
                    .default
                    .clone()
                    .or_else(|| self.published_default(field))
                    .filter(|default| !default.is_null())
                    .map(Box::new),
            });
        }
        StructType::new(Text::from(name), fields, self.unions.take_of_type(name))
    }

    /// Returns the name of a struct, which all fields of the schema share.
    fn declaring_struct(&mut self, name: &'a str) -> Arc<str> {
        Arc::clone(self.declaring_structs.entry(name).or_insert_with(|| Arc::from(name)))
    }

    fn compile_meta(&self, field: &FieldDecl) -> Result<FieldMeta, String> {
        let mut meta = FieldMeta::compile(&field.patch, self.tags)?;
        meta.map_type = map_type_of(&field.markers)?;
        // Upstream converts `runtime.RawExtension` to a type in which all maps and lists are atomic.
        let target = self.index.resolve(&field.ty).target;
        let is_any = matches!(target, Target::Unnamed(TypeExpr::Any | TypeExpr::RawExtension));
        if is_any && is_go(field) && meta.map_type.is_none() {
            meta.map_type = Some(MapType::Atomic);
        }
        Ok(meta)
    }

    /// Returns true if the field has a raw extension itself, not a pointer to one.
    fn is_raw_extension(&self, field: &FieldDecl) -> bool {
        let resolved = self.index.resolve(&field.ty);
        matches!(resolved.target, Target::Unnamed(TypeExpr::RawExtension)) && !resolved.is_pointer
    }

    /// Returns the default that servers publish for a field without a declared default. It is the zero value of a
    /// scalar that Go always writes. Upstream: `mustEnforceDefault` of kube-openapi.
    fn published_default(&self, field: &FieldDecl) -> Option<OwnedDoc> {
        let resolved = self.index.resolve(&field.ty);
        if !is_go(field) || field.omit_empty || resolved.is_pointer {
            return field.published_default.clone();
        }
        match resolved.target {
            Target::Unnamed(TypeExpr::Scalar(scalar)) if !scalar.is_struct_in_go() => scalar.zero(),
            Target::Declared(target) if matches!(self.index.get(target).shape, Shape::Enum { .. }) => {
                ScalarType::String.zero()
            }
            _ => None,
        }
    }

    fn compile_topologies(&mut self, declarations: &Declarations) -> FxHashMap<TypeId, TypeTopology> {
        let mut topologies = FxHashMap::default();
        let all = topologies_of(&declarations.types, self.index).into_iter().zip(&declarations.types);
        for (position, (topology, declaration)) in all.enumerate() {
            match topology {
                Ok(topology) if topology == TypeTopology::NONE => {}
                Ok(topology) => {
                    topologies.insert(type_id(position), topology);
                }
                Err(message) => {
                    self.error(format!("{}, line {}: {message}", declaration.name, declaration.line));
                }
            }
        }
        topologies
    }

    fn finish(mut self, topologies: FxHashMap<TypeId, TypeTopology>) -> Result<Schema, Vec<Error>> {
        if self.errors.is_empty() {
            // Collected in place, the references would keep the much larger memory of the types.
            let mut types = Vec::with_capacity(self.types.len());
            types.extend(self.types.into_iter().map(Arc::new));
            let reaches_union = Schema::find_unions(&types);
            let (names, topologies) = (Arc::new(self.names), Arc::new(topologies));
            Ok(Schema { types, names, reaches_union, topologies })
        } else {
            limit_errors(&mut self.errors, |first, message| Error::new(first.kind(), message));
            Err(self.errors)
        }
    }
}
