//! Declarations laid over others: a change to types that are there already, such as a union's migration.

use std::collections::{HashMap, HashSet};

use super::{Declarations, FieldDecl, PatchMeta, Shape, TypeDecl, TypeExpr};
use crate::error::{Error, ErrorKind};

/// Something in the declarations above that does not fit those below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayConflict {
    /// Its line in the text of the declarations above.
    pub line: u32,
    /// What was wrong, in a sentence.
    pub message: String,
}

impl From<OverlayConflict> for Error {
    fn from(misfit: OverlayConflict) -> Self {
        Error::new(ErrorKind::InvalidSchema, format!("line {}: {}", misfit.line, misfit.message))
    }
}

impl Declarations {
    /// These types with others laid over them, cut down to what the type `root` needs. `named` gives the name that a
    /// type of `over` has here; one that it gives none is new.
    ///
    /// A struct that is there keeps its fields. Those that are declared again get the markers and what they say, the
    /// tags and the line; those that are new come after the others. An enum that is there keeps its values, may get
    /// more, and is closed when either is. Nothing that is there can become something else: that is a [`OverlayConflict`].
    pub fn overlaid_with(
        &self,
        over: &Declarations,
        root: &str,
        named: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Declarations, Vec<OverlayConflict>> {
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

fn lay(held: &mut TypeDecl, over: TypeDecl, misfits: &mut Vec<OverlayConflict>) {
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
                    Some(held_field) => misfits.push(OverlayConflict {
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
        _ => misfits.push(OverlayConflict {
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

    fn laid(over: &str, root: &str) -> Result<Declarations, Vec<OverlayConflict>> {
        let below = go::read(BELOW).unwrap();
        let named = |name: &str| below.get(name).map(|ty| ty.name.clone());
        let over = go::read_overlay(over, &|name| named(name).is_some()).unwrap();
        below.overlaid_with(&over, root, &named)
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

    const RICH: &str = r#"
type Holder struct {
  Embedded `json:",inline"`
  Texts    []string           `json:"texts"`
  Labels   map[string]string  `json:"labels"`
  Count    *int64             `json:"count"`
  Free     any                `json:"free"`
  // +default="a"
  // +optional
  Kind     Kind               `json:"kind,omitempty" patchStrategy:"replace"`
  Listed   []Item             `json:"listed"`
  Mapped   map[string]Kind    `json:"mapped"`
  Named    Items              `json:"named"`
}
type Embedded struct {
  X int `json:"x"`
}
type Other struct {
  Y int `json:"y"`
}
// A type of which nobody says that it is closed.
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
)
type Items []Item
type Item struct {
  Deep *Deep `json:"deep"`
}
type Deep struct {}
"#;

    fn laid_on_rich(over: &str) -> Result<Declarations, Vec<OverlayConflict>> {
        let below = go::read(RICH).unwrap();
        let named = |name: &str| below.get(name).map(|ty| ty.name.clone());
        let over = go::read_overlay(over, &|name| named(name).is_some()).unwrap();
        below.overlaid_with(&over, "Holder", &named)
    }

    fn fields<'d>(declarations: &'d Declarations, name: &str) -> &'d [FieldDecl] {
        match &declarations.get(name).unwrap().shape {
            Shape::Struct(fields) => fields,
            other => panic!("{other:?}"),
        }
    }

    fn field<'d>(declarations: &'d Declarations, name: &str) -> &'d FieldDecl {
        fields(declarations, "Holder").iter().find(|field| field.name == name).unwrap()
    }

    #[test]
    fn what_is_declared_again_has_what_is_said_again() {
        let over =
            "type Holder struct {\n\n  // +required\n  Kind Kind `json:\"kind\" patchStrategy:\"merge\"`\n}";
        let (below, laid) = (go::read(RICH).unwrap(), laid_on_rich(over).unwrap());
        let (before, after) = (field(&below, "kind"), field(&laid, "kind"));
        assert_eq!((before.required, after.required), (Some(false), Some(true)));
        assert_eq!((before.omit_empty, after.omit_empty), (true, false));
        assert_eq!((&before.default, &after.default), (&Some("a".into()), &Some("a".into())));
        assert_eq!(after.patch.strategies, ["merge"]);
        assert_eq!(after.line, 4);
        let markers = |field: &FieldDecl| field.markers.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
        assert_eq!(markers(before), ["default", "optional"]);
        assert_eq!(markers(after), ["default", "optional", "required"]);
        assert_eq!(laid.get("Holder").unwrap().line, 1);
    }

    #[test]
    fn what_is_not_said_again_stays() {
        let over = "type Holder struct {\n  // +default=\"b\"\n  Kind Kind `json:\"kind,omitzero\"`\n}";
        let laid = laid_on_rich(over).unwrap();
        let after = field(&laid, "kind");
        assert_eq!(after.patch.strategies, ["replace"]);
        assert_eq!(after.required, Some(false));
        assert_eq!(after.default, Some("b".into()));
        assert!(after.omit_zero && !after.omit_empty);
    }

    #[rstest]
    #[case::a_new_value("type Kind string\nconst C Kind = \"C\"", &["A", "B", "C"], false)]
    #[case::a_value_that_is_there("type Kind string\nconst B Kind = \"B\"", &["A", "B"], false)]
    #[case::closed("// +enum\ntype Kind string\nconst B Kind = \"B\"", &["A", "B"], true)]
    fn an_enum_gets_more_values_and_may_be_closed(
        #[case] over: &str,
        #[case] expected: &[&str],
        #[case] is_closed: bool,
    ) {
        let laid = laid_on_rich(over).unwrap();
        let Shape::Enum { values, closed } = &laid.get("Kind").unwrap().shape else { panic!("an enum") };
        assert_eq!(values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>(), expected);
        assert_eq!(*closed, is_closed);
    }

    #[test]
    fn a_closed_enum_stays_closed() {
        let below =
            go::read("type R struct {\n  K K `json:\"k\"`\n}\n// +enum\ntype K string\nconst A K = \"A\"")
                .unwrap();
        let over = go::read("type K string\nconst B K = \"B\"").unwrap();
        let laid = below.overlaid_with(&over, "R", &|_| None).unwrap();
        assert!(
            matches!(&laid.get("K").unwrap().shape, Shape::Enum { closed: true, values } if values.len() == 2)
        );
    }

    #[test]
    fn the_root_needs_what_stands_in_lists_maps_pointers_and_aliases() {
        let laid = laid_on_rich(
            "type Deep struct {\n  New []*New `json:\"new\"`\n}\ntype New struct {}\ntype Unneeded struct {}",
        )
        .unwrap();
        let names: Vec<_> = laid.types.iter().map(|ty| ty.name.as_str()).collect();
        assert_eq!(names, ["Holder", "Embedded", "Kind", "Items", "Item", "Deep", "New"]);
    }

    /// The types above are named in the terms of those below wherever they stand.
    #[test]
    fn names_are_those_of_the_types_below() {
        let below =
            go::read("type Holder struct {\n  M Member `json:\"m\"`\n}\ntype Member struct {}").unwrap();
        let over = go::read("type Mine struct {\n  L []*Short `json:\"l\"`\n  M map[string]Short `json:\"n\"`\n  A Alias `json:\"a\"`\n}\ntype Short struct {}\ntype Alias []Short").unwrap();
        let named = |name: &str| match name {
            "Mine" => Some("Holder".to_owned()),
            "Short" => Some("Member".to_owned()),
            _ => None,
        };
        let laid = below.overlaid_with(&over, "Holder", &named).unwrap();
        let types: Vec<_> = fields(&laid, "Holder").iter().map(|field| written(&field.ty)).collect();
        assert_eq!(types, ["Member", "[]*Member", "map[string]Member", "Alias"]);
        assert!(matches!(&laid.get("Alias").unwrap().shape, Shape::Alias(of) if written(of) == "[]Member"));
    }

    #[rstest]
    #[case::embedded_again(
        "type Holder struct {\n  Embedded `json:\",inline\"`\n}\ntype Embedded struct {}",
        9
    )]
    #[case::another_embedded("type Holder struct {\n  Other `json:\",inline\"`\n}\ntype Other struct {}", 10)]
    fn what_is_embedded_is_told_apart_by_its_type(#[case] over: &str, #[case] number: usize) {
        assert_eq!(fields(&laid_on_rich(over).unwrap(), "Holder").len(), number);
    }

    #[test]
    fn the_same_alias_is_the_same() {
        assert!(laid_on_rich("type Items []Item").is_ok());
    }

    #[rstest]
    #[case::a_list(
        "Texts string `json:\"texts\"`",
        "texts is []string where it is laid over, and not string"
    )]
    #[case::a_map(
        "Labels any `json:\"labels\"`",
        "labels is map[string]string where it is laid over, and not any"
    )]
    #[case::a_pointer(
        "Count *bool `json:\"count\"`",
        "count is *integer where it is laid over, and not *boolean"
    )]
    #[case::anything("Free *Kind `json:\"free\"`", "free is any where it is laid over, and not *Kind")]
    fn types_that_differ_are_written_as_in_go(#[case] line: &str, #[case] expected: &str) {
        let misfits = laid_on_rich(&format!("type Holder struct {{\n  {line}\n}}")).unwrap_err();
        let errors: Vec<_> = misfits.into_iter().map(|misfit| Error::from(misfit).to_string()).collect();
        assert_eq!(errors, [format!("line 2: the field Holder.{expected}")]);
    }

    #[test]
    fn another_alias_is_something_else() {
        let misfits = laid_on_rich("type Items []string").unwrap_err();
        assert_eq!(
            misfits,
            [OverlayConflict {
                line: 1,
                message: "the type Items is something else where it is laid over".to_owned()
            }]
        );
    }
}
