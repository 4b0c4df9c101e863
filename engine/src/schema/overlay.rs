//! Declarations laid over others: a change to types that are there already, such as a union's migration.

use std::collections::{HashMap, HashSet};

use super::{Declarations, FieldDecl, PatchMeta, Shape, TypeDecl, TypeExpr};
use crate::error::{Error, ErrorKind};

/// Something in the declarations above that does not fit those below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its line in the text of the declarations above.
    pub line: u32,
    /// What was wrong, in a sentence.
    pub message: String,
}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Self {
        Error::new(ErrorKind::InvalidSchema, format!("line {}: {}", misfit.line, misfit.message))
    }
}

impl Declarations {
    /// These types with others laid over them, cut down to what the type `root` needs. `named` gives the name that a
    /// type of `over` has here; one that it gives none is new.
    ///
    /// A struct that is there keeps its fields. Those that are declared again get the markers and what they say, the
    /// tags and the line; those that are new come after the others. An enum that is there keeps its values, may get
    /// more, and is closed when either is. Nothing that is there can become something else: that is a [`Misfit`].
    pub fn laid_over(
        &self,
        over: &Declarations,
        root: &str,
        named: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Declarations, Vec<Misfit>> {
        let mut types: HashMap<&str, TypeDecl> = HashMap::new();
        let mut added = Vec::new();
        let mut misfits = Vec::new();
        for declaration in &over.types {
            let mut declaration = declaration.clone();
            rename(&mut declaration, named);
            let Some(held) = self.types.iter().find(|held| held.name == declaration.name) else {
                added.push(declaration);
                continue;
            };
            let merged = types.entry(&held.name).or_insert_with(|| held.clone());
            lay(merged, declaration, &mut misfits);
        }
        if !misfits.is_empty() {
            return Err(misfits);
        }
        // Only what is needed is copied: it is a small part of a release.
        let held = self.types.iter().map(|held| types.get(held.name.as_str()).unwrap_or(held));
        let all: Vec<&TypeDecl> = held.chain(&added).collect();
        let needed = needed_by(&all, root);
        let kept = all.into_iter().filter(|ty| needed.contains(ty.name.as_str())).cloned();
        Ok(Declarations { types: kept.collect() })
    }
}

/// The names of the type and of all that it refers to, and they.
fn needed_by<'a>(types: &[&'a TypeDecl], root: &'a str) -> HashSet<&'a str> {
    let by_name: HashMap<&str, &TypeDecl> = types.iter().map(|ty| (ty.name.as_str(), *ty)).collect();
    let mut needed = HashSet::new();
    let mut open = vec![root];
    while let Some(name) = open.pop() {
        let Some(ty) = by_name.get(name) else { continue };
        if needed.insert(name) {
            match &ty.shape {
                Shape::Struct(fields) => open.extend(fields.iter().filter_map(|field| referred(&field.ty))),
                Shape::Alias(target) => open.extend(referred(target)),
                Shape::Enum { .. } => {}
            }
        }
    }
    needed
}

/// The declared type in a type: the `Volume` of `[]*Volume`.
fn referred(ty: &TypeExpr) -> Option<&str> {
    match ty {
        TypeExpr::Named(name) => Some(name),
        TypeExpr::List(of) | TypeExpr::Map(of) | TypeExpr::Pointer(of) => referred(of),
        TypeExpr::Scalar(_) | TypeExpr::Any => None,
    }
}

fn rename(declaration: &mut TypeDecl, named: &dyn Fn(&str) -> Option<String>) {
    if let Some(name) = named(&declaration.name) {
        declaration.name = name;
    }
    match &mut declaration.shape {
        Shape::Struct(fields) => fields.iter_mut().for_each(|field| rename_in(&mut field.ty, named)),
        Shape::Alias(target) => rename_in(target, named),
        Shape::Enum { .. } => {}
    }
}

fn rename_in(ty: &mut TypeExpr, named: &dyn Fn(&str) -> Option<String>) {
    match ty {
        TypeExpr::Named(name) => {
            if let Some(found) = named(name) {
                *name = found;
            }
        }
        TypeExpr::List(of) | TypeExpr::Map(of) | TypeExpr::Pointer(of) => rename_in(of, named),
        TypeExpr::Scalar(_) | TypeExpr::Any => {}
    }
}

fn lay(held: &mut TypeDecl, over: TypeDecl, misfits: &mut Vec<Misfit>) {
    held.line = over.line;
    held.markers.extend(over.markers);
    match (&mut held.shape, over.shape) {
        (Shape::Struct(held_fields), Shape::Struct(fields)) => {
            for field in fields {
                let same =
                    |held: &&mut FieldDecl| held.name == field.name && (!field.inline || held.ty == field.ty);
                match held_fields.iter_mut().find(same) {
                    None => held_fields.push(field),
                    Some(held_field) if held_field.ty == field.ty => lay_field(held_field, field),
                    Some(held_field) => misfits.push(Misfit {
                        line: field.line,
                        message: format!(
                            "the field {}.{} is {} where it is laid over, and not {}",
                            held.name,
                            field.name,
                            written(&held_field.ty),
                            written(&field.ty)
                        ),
                    }),
                }
            }
        }
        (Shape::Enum { values, closed }, Shape::Enum { values: more, closed: closes }) => {
            *closed |= closes;
            for value in more {
                if !values.iter().any(|held| held.value == value.value) {
                    values.push(value);
                }
            }
        }
        (Shape::Alias(target), Shape::Alias(over)) if *target == over => {}
        _ => misfits.push(Misfit {
            line: over.line,
            message: format!("the type {} is something else where it is laid over", held.name),
        }),
    }
}

fn lay_field(held: &mut FieldDecl, over: FieldDecl) {
    held.line = over.line;
    held.omit_empty = over.omit_empty;
    held.omit_zero = over.omit_zero;
    held.required = over.required.or(held.required);
    held.default = over.default.or_else(|| held.default.take());
    if over.patch != PatchMeta::default() {
        held.patch = over.patch;
    }
    held.markers.extend(over.markers);
}

/// As in Go.
fn written(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Named(name) => name.clone(),
        TypeExpr::List(of) => format!("[]{}", written(of)),
        TypeExpr::Map(of) => format!("map[string]{}", written(of)),
        TypeExpr::Pointer(of) => format!("*{}", written(of)),
        TypeExpr::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        TypeExpr::Any => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::schema::{Schema, go};

    const BELOW: &str = r#"
type Holder struct {
  Union Union `json:"union"`
  Other Other `json:"other"`
}
type Union struct {
  A *Member `json:"a,omitempty"`
  B *Member `json:"b,omitempty"`
}
type Member struct {
  X int `json:"x"`
}
type Other struct {}
type Unneeded struct {}
"#;

    fn laid(over: &str, root: &str) -> Result<Declarations, Vec<Misfit>> {
        let below = go::read(BELOW).unwrap();
        let named = |name: &str| below.get(name).map(|ty| ty.name.clone());
        let over = go::read_over(over, &|name| named(name).is_some()).unwrap();
        below.laid_over(&over, root, &named)
    }

    #[test]
    fn a_union_can_be_declared_on_types_that_are_there() {
        let over = r#"
// +enum
type UnionType string
const (
  A UnionType = "A"
)
type Union struct {
  // +unionDiscriminator
  // +required
  Type UnionType `json:"type"`
  // +unionMember
  // +optional
  A *Member `json:"a,omitempty"`
}
"#;
        let schema = Schema::compile(&laid(over, "Holder").unwrap()).unwrap();
        let union = schema.named("Union").unwrap();
        assert_eq!(schema.unions(union).len(), 1);
        let fields: Vec<&str> = schema.as_struct(union).unwrap().fields().map(|f| f.name.as_str()).collect();
        assert_eq!(fields, ["a", "b", "type"], "what is not declared again stays, what is new comes last");
    }

    #[test]
    fn only_what_the_root_needs_is_left() {
        let over = "type Other struct {}";
        let names = |root: &str| -> Vec<String> {
            laid(over, root).unwrap().types.into_iter().map(|ty| ty.name).collect()
        };
        assert_eq!(names("Holder"), ["Holder", "Union", "Member", "Other"]);
        assert_eq!(names("Union"), ["Union", "Member"]);
    }

    #[rstest]
    #[case::another_type(
        "type Union struct {\n  A *Other `json:\"a,omitempty\"`\n}",
        2,
        "the field Union.a is *Member"
    )]
    #[case::no_pointer("type Union struct {\n  A Member `json:\"a\"`\n}", 2, "and not Member")]
    #[case::another_shape("type Member string", 1, "the type Member is something else")]
    fn nothing_becomes_something_else(#[case] over: &str, #[case] line: u32, #[case] expected: &str) {
        let misfits = laid(over, "Holder").unwrap_err();
        assert_eq!(misfits.len(), 1, "{misfits:?}");
        assert!(misfits[0].line == line && misfits[0].message.contains(expected), "{misfits:?}");
    }
}
