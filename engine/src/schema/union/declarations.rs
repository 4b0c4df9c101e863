//! From declarations to unions, by struct.

use std::collections::{HashMap, HashSet};

use super::errors::{UnionError, UnionErrorKind as Kind};
use super::model::{Discriminator, Union};
use super::type_lookup::{Resolved, Types};
use super::{declarative_markers, kep_markers, openapi};
use crate::document::{Doc, OwnedDoc, Text, from_json};
use crate::error::Result;
use crate::schema::{Declarations, FieldDecl, Marker, Shape, TypeDecl};

/// The extension of `OpenAPI`, which readers keep as a marker where they do not translate it.
const EXTENSION: &str = "x-kubernetes-unions";

/// The unions of a set of declarations.
#[derive(Clone, Debug, Default)]
pub struct Unions {
    by_type: HashMap<String, Vec<Union>>,
    ignored_markers: Vec<IgnoredUnionMarker>,
}

/// Something that speaks of a union and declares none that could be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredUnionMarker {
    /// The type and the field: `LimitResponse.type`.
    pub place: String,
    /// What it is: `+unionDiscriminator without any +unionMember beside it`.
    pub what: String,
    /// Line in the source, from 1; 0 when unknown.
    pub line: u32,
}

impl Unions {
    /// Reads the unions of all structs and checks their declarations. All errors come at once, in the order of
    /// the source, each with its line.
    ///
    /// A union that is inlined (embedded) belongs to its parent too. What looks like a union and declares none, as
    /// many built-in types do since 2019, is no error: see [`Unions::ignored_markers`].
    ///
    /// Sources: KEP-1027 for `+unionDiscriminator`, `+unionMember`, `+unionDiscriminatedBy` and for
    /// `x-kubernetes-unions` on a field; the revision of 2019 for a list of them on a type;
    /// `k8s.io/code-generator/cmd/validation-gen` for `+k8s:unionDiscriminator` and its kin.
    ///
    /// ```
    /// use skewer_engine::schema::go;
    /// use skewer_engine::union::Unions;
    ///
    /// let declarations = go::read(
    ///     r#"
    ///     type Strategy struct {
    ///         // +unionDiscriminator
    ///         Type StrategyType `json:"type"`
    ///         // +unionMember
    ///         // +optional
    ///         RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
    ///     }
    ///     // +enum
    ///     type StrategyType string
    ///     const (
    ///         Recreate           StrategyType = "Recreate"
    ///         RollingUpdateType  StrategyType = "RollingUpdate"
    ///     )
    ///     type RollingUpdate struct{}
    ///     "#,
    /// )
    /// .unwrap();
    /// let unions = Unions::declared(&declarations).unwrap();
    /// let union = &unions.of_type("Strategy")[0];
    /// assert_eq!(union.empty_values().collect::<Vec<_>>(), ["Recreate"]);
    /// ```
    pub fn declared(declarations: &Declarations) -> Result<Self, Vec<UnionError>> {
        let mut reader = Reader {
            types: Types::of(declarations),
            around: HashMap::new(),
            errors: Vec::new(),
            ignored_markers: Vec::new(),
        };
        reader.collect_around(declarations);
        let mut own: HashMap<&str, Vec<Union>> = HashMap::new();
        for decl in &declarations.types {
            if let Shape::Struct(fields) = &decl.shape {
                let unions = reader.unions(decl, fields);
                if !unions.is_empty() {
                    own.insert(&decl.name, unions);
                }
            }
        }
        let mut by_type = HashMap::with_capacity(own.len());
        for decl in declarations.types.iter().filter(|_| !own.is_empty()) {
            if let Shape::Struct(fields) = &decl.shape {
                let mut inlining = Inlining { own: &own, found: Vec::new(), seen: HashSet::new() };
                inlining.walk(&reader.types, &decl.name, fields);
                let unions = inlining.visible(&mut reader, decl, fields);
                if !unions.is_empty() {
                    by_type.insert(decl.name.clone(), unions);
                }
            }
        }
        if reader.errors.is_empty() {
            return Ok(Unions { by_type, ignored_markers: reader.ignored_markers });
        }
        reader.errors.sort_by_key(|error| error.line);
        Err(reader.errors)
    }

    /// The unions of a struct, those of embedded structs included.
    #[must_use]
    pub fn of_type(&self, name: &str) -> &[Union] {
        self.by_type.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Is there no union at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty()
    }

    /// What speaks of unions and declares none: a `+unionDiscriminator` without members, as built-in types have
    /// it since 2019; unions of list items (`+k8s:item`).
    #[must_use]
    pub fn ignored_markers(&self) -> &[IgnoredUnionMarker] {
        &self.ignored_markers
    }
}

struct Reader<'d> {
    types: Types<'d>,
    /// For each struct that embeds others or is embedded: the fields marked as discriminators in those.
    around: HashMap<&'d str, Vec<&'d FieldDecl>>,
    errors: Vec<UnionError>,
    ignored_markers: Vec<IgnoredUnionMarker>,
}

/// One struct while its unions are read.
pub(super) struct Struct<'r, 'd> {
    pub(super) types: &'r Types<'d>,
    pub(super) fields: &'d [FieldDecl],
    decl: &'d TypeDecl,
    around: &'r [&'d FieldDecl],
    errors: &'r mut Vec<UnionError>,
    ignored_markers: &'r mut Vec<IgnoredUnionMarker>,
}

impl Struct<'_, '_> {
    pub(super) fn error(&mut self, field: &FieldDecl, line: u32, kind: Kind, message: impl Into<String>) {
        let place = place(self.decl, field);
        self.errors.push(UnionError { line, place, kind, message: message.into() });
    }

    pub(super) fn ignore_marker(&mut self, field: &FieldDecl, what: &str, line: u32) {
        self.ignored_markers.push(IgnoredUnionMarker {
            place: place(self.decl, field),
            what: what.to_owned(),
            line,
        });
    }

    pub(super) fn ignore_marker_on(&mut self, field: &str, what: &str) {
        if let Some(field) = self.fields.iter().find(|f| f.name == field) {
            self.ignore_marker(field, what, field.line);
        }
    }

    /// Is this name a discriminator of a struct that embeds this one, or is embedded in it?
    pub(super) fn is_around(&self, name: &str) -> bool {
        self.around.iter().any(|field| field.go_name == name || field.name == name)
    }

    pub(super) fn has_discriminators_around(&self) -> bool {
        !self.around.is_empty()
    }

    /// See `Member::zero_is_unset`. Where there is no Go name, nobody knows what is a pointer: presence decides.
    pub(super) fn zero_is_unset(&self, field: &FieldDecl) -> bool {
        let pointer = self.types.is_pointer(&field.ty) || field.go_name.is_empty();
        !pointer && !matches!(self.types.resolve(&field.ty), Resolved::Struct { .. } | Resolved::Any)
    }
}

fn place(decl: &TypeDecl, field: &FieldDecl) -> String {
    let name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    format!("{}.{name}", decl.name)
}

impl<'d> Reader<'d> {
    /// Notes for every struct the discriminators of the structs directly below and above it.
    fn collect_around(&mut self, declarations: &'d Declarations) {
        for decl in &declarations.types {
            let Shape::Struct(fields) = &decl.shape else { continue };
            for field in fields.iter().filter(|field| field.inline) {
                let Resolved::Struct { name, fields: inner } = self.types.resolve(&field.ty) else {
                    continue;
                };
                self.around.entry(&decl.name).or_default().extend(discriminators(inner));
                self.around.entry(name).or_default().extend(discriminators(fields));
            }
        }
    }

    /// The unions that a struct declares itself.
    fn unions(&mut self, decl: &'d TypeDecl, fields: &'d [FieldDecl]) -> Vec<Union> {
        let mut of = Struct {
            types: &self.types,
            fields,
            decl,
            around: self.around.get(decl.name.as_str()).map(Vec::as_slice).unwrap_or_default(),
            errors: &mut self.errors,
            ignored_markers: &mut self.ignored_markers,
        };
        let mut unions = kep_markers::unions(&mut of);
        unions.extend(extensions(&mut of));
        unions.extend(listed(&mut of));
        for union in declarative_markers::unions(&mut of) {
            // A type on its way from one form to the other has both, and means one union. Its tags are about Go.
            match unions.iter_mut().find(|known| is_same(known, &union)) {
                Some(known) => {
                    for (known, tagged) in known.members.iter_mut().zip(&union.members) {
                        known.zero_is_unset = tagged.zero_is_unset;
                    }
                }
                None => unions.push(union),
            }
        }
        unions
    }
}

fn is_same(a: &Union, b: &Union) -> bool {
    let field = |union: &Union| union.discriminator.as_ref().map(|d| d.field.clone());
    let members =
        |union: &Union| union.members.iter().map(|m| (m.field.clone(), m.value.clone())).collect::<Vec<_>>();
    field(a) == field(b) && members(a) == members(b)
}

fn discriminators(fields: &[FieldDecl]) -> impl Iterator<Item = &FieldDecl> {
    fields.iter().filter(|field| field.markers.iter().any(|marker| marker.name == "unionDiscriminator"))
}

/// The KEP's extension where a reader kept it on the field.
fn extensions(of: &mut Struct<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    for field in of.fields {
        for marker in field.markers.iter().filter(|marker| marker.name == EXTENSION) {
            match json(marker).and_then(|value| openapi::read(&value, &field.name)) {
                Ok(union) => unions.extend(checked(of, field, union)),
                Err(error) => of.error(field, field.line, Kind::MalformedExtension, error.to_string()),
            }
        }
    }
    unions
}

/// The list of the revision of 2019, which readers keep on the type.
fn listed(of: &mut Struct<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    let Some(first) = of.fields.first() else { return unions };
    for marker in of.decl.markers.iter().filter(|marker| marker.name == EXTENSION) {
        match json(marker).and_then(|value| openapi::read_list(&value)) {
            Ok(listed) => {
                for union in listed {
                    let of_union = union.discriminator.as_ref().map_or("", |d| d.field.as_str());
                    let field = of.fields.iter().find(|field| field.name == of_union).unwrap_or(first);
                    unions.extend(checked(of, field, union));
                }
            }
            Err(error) => of.error(first, of.decl.line, Kind::MalformedExtension, error.to_string()),
        }
    }
    unions
}

fn json(marker: &Marker) -> Result<OwnedDoc> {
    from_json(marker.value.strip_prefix('=').unwrap_or(&marker.value).as_bytes())
}

/// Holds an extension against the struct that it stands on. Objects of JSON have no order, so that members and
/// values take that of the declaration.
fn checked(of: &mut Struct<'_, '_>, at: &FieldDecl, mut union: Union) -> Option<Union> {
    let before = of.errors.len();
    let fields: HashMap<&str, usize> =
        of.fields.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
    if let Some(discriminator) = &mut union.discriminator {
        if let Some(&place) = fields.get(discriminator.field.as_str()) {
            check_values(of, &of.fields[place], discriminator);
        } else {
            let message =
                format!("the struct has no field {:?} to be the discriminator", discriminator.field);
            of.error(at, at.line, Kind::UnknownField, message);
        }
    }
    for member in union.members.iter().filter(|member| !fields.contains_key(member.field.as_str())) {
        let message = format!("the struct has no field {:?} to be a member", member.field);
        of.error(at, at.line, Kind::UnknownField, message);
    }
    union.members.sort_by_key(|member| fields.get(member.field.as_str()).copied());
    (of.errors.len() == before).then_some(union)
}

fn check_values<'d>(of: &mut Struct<'_, 'd>, field: &'d FieldDecl, discriminator: &mut Discriminator) {
    discriminator.default = field.default.as_ref().and_then(Doc::as_str).map(Text::from);
    let Resolved::Enum { name, values, closed } = of.types.resolve(&field.ty) else { return };
    discriminator.of = Some(Text::from(name));
    let places: HashMap<&str, usize> =
        values.iter().enumerate().map(|(i, v)| (v.value.as_str(), i)).collect();
    let Some(listed) = &mut discriminator.values else { return };
    for value in listed.iter().filter(|value| closed && !places.contains_key(value.as_str())) {
        of.error(field, field.line, Kind::MemberNotInEnum, format!("the enum {name} has no value {value:?}"));
    }
    listed.sort_by_key(|value| places.get(value.as_str()).copied());
}

/// The unions of a struct and of those embedded in it, and where each was declared.
struct Inlining<'o, 'd> {
    own: &'o HashMap<&'d str, Vec<Union>>,
    found: Vec<(&'d str, &'o Union)>,
    seen: HashSet<&'d str>,
}

impl<'d> Inlining<'_, 'd> {
    fn walk(&mut self, types: &Types<'d>, name: &'d str, fields: &'d [FieldDecl]) {
        let mut open = vec![(name, fields)];
        while let Some((name, fields)) = open.pop() {
            // A struct that is embedded twice has its fields once.
            if !self.seen.insert(name) {
                continue;
            }
            self.found.extend(self.own.get(name).into_iter().flatten().map(|union| (name, union)));
            for field in fields.iter().rev().filter(|field| field.inline) {
                if let Resolved::Struct { name, fields } = types.resolve(&field.ty) {
                    open.push((name, fields));
                }
            }
        }
    }

    /// The unions that documents of the struct can have. As in encoding/json, the field nearest to the surface
    /// hides deeper ones of its name; a union that loses a field that way is an error.
    fn visible(self, reader: &mut Reader<'d>, decl: &'d TypeDecl, fields: &'d [FieldDecl]) -> Vec<Union> {
        if self.found.iter().all(|(owner, _)| *owner == decl.name) {
            return self.found.into_iter().map(|(_, union)| union.clone()).collect();
        }
        let owners = owners(&reader.types, &decl.name, fields);
        for (owner, union) in &self.found {
            let discriminator = union.discriminator.as_ref().map(|d| &d.field);
            for field in discriminator.into_iter().chain(union.members.iter().map(|m| &m.field)) {
                if owners.get(field.as_str()).is_none_or(|nearest| nearest == owner) {
                    continue;
                }
                let message = format!(
                    "the field {field:?} of the union that {owner} brings is hidden by one of {}",
                    owners[field.as_str()]
                );
                let place = decl.name.clone();
                reader.errors.push(UnionError { line: decl.line, place, kind: Kind::HiddenField, message });
            }
        }
        self.found.into_iter().map(|(_, union)| union.clone()).collect()
    }
}

/// For every JSON name the struct whose field it is, breadth first: the nearest to the surface wins.
fn owners<'d>(types: &Types<'d>, name: &'d str, fields: &'d [FieldDecl]) -> HashMap<&'d str, &'d str> {
    let mut owners = HashMap::new();
    let mut seen = HashSet::from([name]);
    let mut level = vec![(name, fields)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (name, fields) in level {
            for field in fields {
                if !field.inline {
                    owners.entry(field.name.as_str()).or_insert(name);
                } else if let Resolved::Struct { name, fields } = types.resolve(&field.ty)
                    && seen.insert(name)
                {
                    next.push((name, fields));
                }
            }
        }
        level = next;
    }
    owners
}
