//! A type as a `CustomResourceDefinition`.

use std::collections::HashMap;

use super::keywords::GROUP_VERSION_KIND;
use super::write::{Version, Writer, map, object};
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{Declarations, Shape, TypeDecl, TypeExpr};

/// What a definition says beside the schema.
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
/// patch stand in it as well: servers drop them, since custom resources are not patched so, but who reads the
/// definition as a schema has all that was declared.
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
    let decl = declarations.get(root).ok_or_else(|| refused(format!("there is no type `{root}`")))?;
    if !matches!(decl.shape, Shape::Struct(_)) {
        return Err(refused(format!("`{root}` is no struct: the schema of a custom resource is an object")));
    }
    let mut count = Count { declarations, known: HashMap::new(), above: Vec::new() };
    let written = count.of(decl)?;
    if written > MAX_WRITTEN_OUT {
        return Err(refused(format!(
            "`{root}` is {written} schemas when each use of a type is written out; a definition may have {MAX_WRITTEN_OUT}"
        )));
    }
    let mut schema = Writer::new(declarations, Version::CustomResource).type_decl(decl);
    as_root(&mut schema);
    Ok(definition(names, schema))
}

/// The servers' own fields of every custom resource: of `metadata` a definition says that it is an object.
fn as_root(schema: &mut OwnedMap) {
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
    let served = object([
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
                ("versions", Doc::List(vec![served])),
            ]),
        ),
    ]))
}

/// How many schemas a definition may write out. Types that use others several times, level over level, would
/// otherwise fill the memory.
pub const MAX_WRITTEN_OUT: usize = 100_000;

/// Counts the schemas that a type is, written out.
struct Count<'d> {
    declarations: &'d Declarations,
    known: HashMap<&'d str, usize>,
    /// The types that contain the one that is counted.
    above: Vec<&'d str>,
}

impl<'d> Count<'d> {
    fn of(&mut self, decl: &'d TypeDecl) -> Result<usize> {
        if let Some(known) = self.known.get(decl.name.as_str()) {
            return Ok(*known);
        }
        if let Some(first) = self.above.iter().position(|name| *name == decl.name) {
            let way = self.above[first..].join(", ");
            return Err(refused(format!(
                "a CustomResourceDefinition has no references, and cannot say that a type contains itself: {way}, {}",
                decl.name
            )));
        }
        self.above.push(&decl.name);
        let mut count = 1_usize;
        match &decl.shape {
            Shape::Struct(fields) => {
                for field in fields {
                    count = count.saturating_add(self.of_expression(&field.ty)?);
                }
            }
            Shape::Alias(ty) => count = count.saturating_add(self.of_expression(ty)?),
            Shape::Enum { .. } => {}
        }
        self.above.pop();
        self.known.insert(&decl.name, count);
        Ok(count)
    }

    fn of_expression(&mut self, ty: &'d TypeExpr) -> Result<usize> {
        let decl = named(ty).and_then(|name| self.declarations.get(name));
        decl.map_or(Ok(1), |decl| self.of(decl))
    }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidSchema, message)
}

fn named(mut ty: &TypeExpr) -> Option<&str> {
    loop {
        match ty {
            TypeExpr::Named(name) => return Some(name),
            TypeExpr::List(inner) | TypeExpr::Map(inner) | TypeExpr::Pointer(inner) => ty = inner,
            TypeExpr::Scalar(_) | TypeExpr::Any => return None,
        }
    }
}
