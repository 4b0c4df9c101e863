//! Writes a type as a `CustomResourceDefinition`.

use std::collections::HashMap;

use super::definitions::MAX_NESTING;
use super::keywords::GROUP_VERSION_KIND;
use super::write::{Format, Writer, map, object};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::embedding::{Embedding, FlattenedField};
use crate::schema::resolution::{DeclarationIndex, describe_cycle};
use crate::schema::{Declarations, Shape, TypeExpr};

/// The names of a custom resource in its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomResource<'n> {
    /// The API group, such as `example.com`.
    pub group: &'n str,
    /// The version, such as `v1`.
    pub version: &'n str,
    /// The kind, such as `CronTab`.
    pub kind: &'n str,
}

/// Writes a `CustomResourceDefinition` (`apiextensions.k8s.io/v1`) for the type `root`. The resource is namespaced and
/// has one version. Its plural is the kind in lower case with an appended `s`.
///
/// A definition has no references, so that the schema of a type is written at every use. The definition also contains
/// the extensions of strategic merge patch. Servers drop these extensions, because they do not support strategic merge
/// patches of custom resources, but other readers of the definition can use them.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`] if there is no struct `root`, if a type in it contains itself, if the definition would
/// have more than [`MAX_WRITTEN_OUT`] schemas, or if the schemas would nest deeper than [`MAX_NESTING`].
pub fn write_custom_resource(
    declarations: &Declarations,
    root: &str,
    names: CustomResource<'_>,
) -> Result<OwnedDoc> {
    let index = DeclarationIndex::new(declarations);
    let ty = index.find(root).ok_or_else(|| invalid(format!("there is no type `{root}`")))?;
    let decl = index.get(ty);
    if !matches!(decl.shape, Shape::Struct(_)) {
        return Err(invalid(format!("`{root}` is no struct: the schema of a custom resource is an object")));
    }
    let embedding = Embedding::new(&index, declarations.types.len());
    let mut counter =
        SchemaCounter { index: &index, embedding: &embedding, sizes: HashMap::new(), parents: Vec::new() };
    let schemas = counter.size_of(ty)?.schemas;
    if schemas > MAX_WRITTEN_OUT {
        return Err(invalid(format!(
            "`{root}` is {schemas} schemas when each use of a type is written out; a definition may have {MAX_WRITTEN_OUT}"
        )));
    }
    let writer = Writer { format: Format::CustomResource, index: &index, embedding: &embedding };
    let mut schema = writer.type_schema(ty);
    add_object_fields(&mut schema);
    Ok(definition(names, schema))
}

/// Adds the fields that servers define for every custom resource. In a definition, `metadata` is just an object.
fn add_object_fields(schema: &mut OwnedMap) {
    schema.remove(GROUP_VERSION_KIND);
    let Some(Doc::Map(properties)) = schema.get_mut("properties") else { return };
    for (name, ty) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        properties.insert(Text::from(name), object([("type", Doc::from(ty))]));
    }
}

fn definition(CustomResource { group, version, kind }: CustomResource<'_>, schema: OwnedMap) -> OwnedDoc {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    let names = object([
        ("kind", Doc::from(kind)),
        ("listKind", Doc::from(format!("{kind}List"))),
        ("plural", Doc::from(plural.as_str())),
        ("singular", Doc::from(singular)),
    ]);
    let version = object([
        ("name", Doc::from(version)),
        ("schema", object([("openAPIV3Schema", Doc::Map(schema))])),
        ("served", Doc::Bool(true)),
        ("storage", Doc::Bool(true)),
    ]);
    Doc::Map(map([
        ("apiVersion", Doc::from("apiextensions.k8s.io/v1")),
        ("kind", Doc::from("CustomResourceDefinition")),
        ("metadata", object([("name", Doc::from(format!("{plural}.{group}")))])),
        (
            "spec",
            object([
                ("group", Doc::from(group)),
                ("names", names),
                ("scope", Doc::from("Namespaced")),
                ("versions", Doc::List(vec![version])),
            ]),
        ),
    ]))
}

/// Maximum number of schemas and values of enums in a definition. Without a limit, types that use other types several
/// times on many levels could fill the memory.
pub const MAX_WRITTEN_OUT: usize = 100_000;

/// Number of bytes of a default value that count as one schema towards the size limit of a definition.
const BYTES_PER_SCHEMA: usize = 64;

/// The size of the schema of a type, if all types are written out at each place that uses them.
#[derive(Clone, Copy)]
struct WrittenSize {
    /// The number of schemas, values of enums and other parts that take memory.
    schemas: usize,
    /// Nesting depth of the schemas.
    height: usize,
}

/// Computes the written size of types.
struct SchemaCounter<'i, 'd> {
    index: &'i DeclarationIndex<'d>,
    embedding: &'i Embedding<'i, 'd>,
    /// The sizes that were computed so far, by the index of the declaration.
    sizes: HashMap<usize, WrittenSize>,
    /// The types that contain the type whose size is being computed.
    parents: Vec<usize>,
}

impl<'d> SchemaCounter<'_, 'd> {
    fn size_of(&mut self, ty: usize) -> Result<WrittenSize> {
        let decl = self.index.get(ty);
        if let Some(first) = self.parents.iter().position(|parent| *parent == ty) {
            return Err(invalid(format!(
                "a CustomResourceDefinition has no references, and cannot say that a type contains itself: {}",
                describe_cycle(self.index, &self.parents[first..])
            )));
        }
        let known = self.sizes.get(&ty).copied();
        if self.parents.len() + known.map_or(1, |size| size.height) > MAX_NESTING {
            let message = format!("schemas nest deeper than {MAX_NESTING} levels, at the type {}", decl.name);
            return Err(Error::new(ErrorKind::TooDeep, message));
        }
        if let Some(known) = known {
            return Ok(known);
        }
        self.parents.push(ty);
        let mut size = WrittenSize { schemas: 1, height: 1 };
        match &decl.shape {
            Shape::Struct(_) => {
                for FlattenedField { field, .. } in self.embedding.fields(ty) {
                    let default = field.default.as_ref().map_or(0, |default| default.to_string().len());
                    size.schemas = size
                        .schemas
                        .saturating_add(default / BYTES_PER_SCHEMA + field.patch.list_map_keys.len());
                    self.add(&mut size, &field.ty)?;
                }
            }
            Shape::Alias(ty) => self.add(&mut size, ty)?,
            Shape::Enum { values, .. } => size.schemas = size.schemas.saturating_add(values.len()),
        }
        self.parents.pop();
        self.sizes.insert(ty, size);
        Ok(size)
    }

    fn add(&mut self, size: &mut WrittenSize, ty: &'d TypeExpr) -> Result<()> {
        let used = match ty.referenced_name().and_then(|name| self.index.find(name)) {
            Some(declared) => self.size_of(declared)?,
            None => WrittenSize { schemas: 1, height: 0 },
        };
        size.schemas = size.schemas.saturating_add(used.schemas);
        size.height = size.height.max(used.height + 1);
        Ok(())
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidSchema, message)
}
