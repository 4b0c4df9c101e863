//! A type as a `CustomResourceDefinition`.

use std::collections::HashMap;

use super::keywords::GROUP_VERSION_KIND;
use super::write::{Format, Writer, map, object};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Declarations, Shape, TypeDecl, TypeExpr};

/// The names in a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomResource<'n> {
    /// The API group: `example.com`.
    pub group: &'n str,
    /// The version: `v1`.
    pub version: &'n str,
    /// The kind: `CronTab`.
    pub kind: &'n str,
}

/// Writes a `CustomResourceDefinition` (`apiextensions.k8s.io/v1`) for the type `root`: namespaced, of one version,
/// with the plural that the lower-case kind gives with an `s`.
///
/// A definition has no references, so that every use of a type is written out. The extensions of strategic merge
/// patch stand in it as well: servers drop them, since custom resources are not patched so, but a reader
/// of the definition has all that was declared.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`] when there is no type `root`, when it is no struct, when a type that it needs
/// contains itself, which a definition cannot say, or when it is more than [`MAX_WRITTEN_OUT`] schemas.
pub fn write_custom_resource(
    declarations: &Declarations,
    root: &str,
    names: CustomResource<'_>,
) -> Result<OwnedDoc> {
    let decl = declarations.get(root).ok_or_else(|| invalid(format!("there is no type `{root}`")))?;
    if !matches!(decl.shape, Shape::Struct(_)) {
        return Err(invalid(format!("`{root}` is no struct: the schema of a custom resource is an object")));
    }
    let mut counter = SchemaCounter { declarations, counts: HashMap::new(), parents: Vec::new() };
    let schemas = counter.count(decl)?;
    if schemas > MAX_WRITTEN_OUT {
        return Err(invalid(format!(
            "`{root}` is {schemas} schemas when each use of a type is written out; a definition may have {MAX_WRITTEN_OUT}"
        )));
    }
    let mut schema = Writer::new(declarations, Format::CustomResource).type_schema(decl);
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

/// Maximum number of schemas in a definition. Types that use others several times, level over level, would
/// otherwise fill the memory.
pub const MAX_WRITTEN_OUT: usize = 100_000;

/// Counts the schemas of a type when each use of a type is written out.
struct SchemaCounter<'d> {
    declarations: &'d Declarations,
    /// The counts so far, by the name of the type.
    counts: HashMap<&'d str, usize>,
    /// The types that contain the one that is counted.
    parents: Vec<&'d str>,
}

impl<'d> SchemaCounter<'d> {
    fn count(&mut self, decl: &'d TypeDecl) -> Result<usize> {
        if let Some(count) = self.counts.get(decl.name.as_str()) {
            return Ok(*count);
        }
        if let Some(first) = self.parents.iter().position(|name| *name == decl.name) {
            let cycle = self.parents[first..].join(", ");
            return Err(invalid(format!(
                "a CustomResourceDefinition has no references, and cannot say that a type contains itself: {cycle}, {}",
                decl.name
            )));
        }
        self.parents.push(&decl.name);
        let mut count = 1_usize;
        match &decl.shape {
            Shape::Struct(fields) => {
                for field in fields {
                    count = count.saturating_add(self.count_expr(&field.ty)?);
                }
            }
            Shape::Alias(ty) => count = count.saturating_add(self.count_expr(ty)?),
            Shape::Enum { .. } => {}
        }
        self.parents.pop();
        self.counts.insert(&decl.name, count);
        Ok(count)
    }

    fn count_expr(&mut self, ty: &'d TypeExpr) -> Result<usize> {
        let decl = ty.referenced_name().and_then(|name| self.declarations.get(name));
        decl.map_or(Ok(1), |decl| self.count(decl))
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidSchema, message)
}
