//! The unions of a set of declarations, by struct.

use std::collections::{HashMap, HashSet};

use super::errors::{UnionError, UnionErrorKind as Kind};
use super::model::{Discriminator, Union};
use super::struct_context::{IgnoredUnionMarker, StructContext};
use super::type_lookup::{ResolvedType, TypeLookup};
use super::{declarative_markers, kep_markers, openapi};
use crate::document::{Doc, OwnedDoc, Text, from_json};
use crate::error::Result;
use crate::schema::declarations::{Declarations, FieldDecl, Marker, Shape, TypeDecl};

/// The extension of `OpenAPI`, which readers keep as a marker unless they translate it.
const EXTENSION: &str = "x-kubernetes-unions";

/// The unions of a set of declarations.
#[derive(Clone, Debug, Default)]
pub struct Unions {
    by_type: HashMap<String, Vec<Union>>,
    ignored_markers: Vec<IgnoredUnionMarker>,
}

impl Unions {
    /// Reads the unions of all structs and checks their declarations. All errors come at once, in the order of
    /// the source, each with its line.
    ///
    /// A union that is inlined (embedded) belongs to its parent too. Markers that declare no complete union, as many
    /// built-in types have them since 2019, are no error: see [`Unions::ignored_markers`].
    ///
    /// Sources: KEP-1027 for `+unionDiscriminator`, `+unionMember`, `+unionDiscriminatedBy` and for
    /// `x-kubernetes-unions` on a field; the revision of 2019 for a list of them on a type;
    /// `k8s.io/code-generator/cmd/validation-gen` for `+k8s:unionDiscriminator` and its kin.
    ///
    /// ```
    /// use skewer_engine::schema::go;
    /// use skewer_engine::schema::union::Unions;
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
        let mut reader = UnionReader {
            types: TypeLookup::new(declarations),
            adjacent_discriminators: HashMap::new(),
            errors: Vec::new(),
            ignored_markers: Vec::new(),
        };
        reader.collect_adjacent_discriminators(declarations);
        let mut own_unions: HashMap<&str, Vec<Union>> = HashMap::new();
        for decl in &declarations.types {
            if let Shape::Struct(fields) = &decl.shape {
                let unions = reader.read_unions(decl, fields);
                if !unions.is_empty() {
                    own_unions.insert(&decl.name, unions);
                }
            }
        }
        let mut by_type = HashMap::with_capacity(own_unions.len());
        for decl in declarations.types.iter().filter(|_| !own_unions.is_empty()) {
            if let Shape::Struct(fields) = &decl.shape {
                let mut embedded =
                    EmbeddedUnions { by_struct: &own_unions, unions: Vec::new(), visited: HashSet::new() };
                embedded.collect(&reader.types, &decl.name, fields);
                let unions = embedded.visible(&mut reader, decl, fields);
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

    /// Returns true if there is no union at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty()
    }

    /// The markers that refer to unions and declare none: a `+unionDiscriminator` without members, as built-in types have
    /// it since 2019; unions of list items (`+k8s:item`).
    #[must_use]
    pub fn ignored_markers(&self) -> &[IgnoredUnionMarker] {
        &self.ignored_markers
    }
}

struct UnionReader<'d> {
    types: TypeLookup<'d>,
    /// For each struct that embeds others or is embedded, the fields marked as discriminators in those.
    adjacent_discriminators: HashMap<&'d str, Vec<&'d FieldDecl>>,
    errors: Vec<UnionError>,
    ignored_markers: Vec<IgnoredUnionMarker>,
}

impl<'d> UnionReader<'d> {
    /// Collects for every struct the discriminators of the structs that it embeds, and of those that embed it.
    fn collect_adjacent_discriminators(&mut self, declarations: &'d Declarations) {
        for decl in &declarations.types {
            let Shape::Struct(fields) = &decl.shape else { continue };
            for field in fields.iter().filter(|field| field.inline) {
                let ResolvedType::Struct { name, fields: inner } = self.types.resolve(&field.ty) else {
                    continue;
                };
                self.adjacent_discriminators.entry(&decl.name).or_default().extend(discriminators(inner));
                self.adjacent_discriminators.entry(name).or_default().extend(discriminators(fields));
            }
        }
    }

    /// Reads the unions that a struct declares itself.
    fn read_unions(&mut self, decl: &'d TypeDecl, fields: &'d [FieldDecl]) -> Vec<Union> {
        let mut reader = StructContext {
            types: &self.types,
            fields,
            decl,
            adjacent_discriminators: self
                .adjacent_discriminators
                .get(decl.name.as_str())
                .map(Vec::as_slice)
                .unwrap_or_default(),
            errors: &mut self.errors,
            ignored_markers: &mut self.ignored_markers,
        };
        let mut unions = kep_markers::unions(&mut reader);
        unions.extend(read_field_extensions(&mut reader));
        unions.extend(read_list_extension(&mut reader));
        for union in declarative_markers::unions(&mut reader) {
            // A type on its way from one form to the other has both, and means one union. Its tags are about Go.
            match unions.iter_mut().find(|known| is_same_union(known, &union)) {
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

fn is_same_union(a: &Union, b: &Union) -> bool {
    let field = |union: &Union| union.discriminator.as_ref().map(|d| d.field.clone());
    let members =
        |union: &Union| union.members.iter().map(|m| (m.field.clone(), m.value.clone())).collect::<Vec<_>>();
    field(a) == field(b) && members(a) == members(b)
}

fn discriminators(fields: &[FieldDecl]) -> impl Iterator<Item = &FieldDecl> {
    fields.iter().filter(|field| field.markers.iter().any(|marker| marker.name == "unionDiscriminator"))
}

/// Reads the KEP's extension, which readers keep on the field.
fn read_field_extensions(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    for field in reader.fields {
        for marker in field.markers.iter().filter(|marker| marker.name == EXTENSION) {
            match parse_extension(marker).and_then(|value| openapi::read(&value, &field.name)) {
                Ok(union) => unions.extend(check_extension(reader, field, union)),
                Err(error) => reader.error(field, field.line, Kind::MalformedExtension, error.to_string()),
            }
        }
    }
    unions
}

/// Reads the list of the revision of 2019, which readers keep on the type.
fn read_list_extension(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    let Some(first) = reader.fields.first() else { return unions };
    for marker in reader.decl.markers.iter().filter(|marker| marker.name == EXTENSION) {
        match parse_extension(marker).and_then(|value| openapi::read_list(&value)) {
            Ok(listed) => {
                for union in listed {
                    let discriminator_name = union.discriminator.as_ref().map_or("", |d| d.field.as_str());
                    let field =
                        reader.fields.iter().find(|field| field.name == discriminator_name).unwrap_or(first);
                    unions.extend(check_extension(reader, field, union));
                }
            }
            Err(error) => reader.error(first, reader.decl.line, Kind::MalformedExtension, error.to_string()),
        }
    }
    unions
}

fn parse_extension(marker: &Marker) -> Result<OwnedDoc> {
    from_json(marker.value.strip_prefix('=').unwrap_or(&marker.value).as_bytes())
}

/// Checks an extension against its struct. Objects of JSON have no order, so that members and values get the order of
/// the declaration.
fn check_extension(
    reader: &mut StructContext<'_, '_>,
    field_of_error: &FieldDecl,
    mut union: Union,
) -> Option<Union> {
    let errors_before = reader.errors.len();
    let index_by_name: HashMap<&str, usize> =
        reader.fields.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
    if let Some(discriminator) = &mut union.discriminator {
        if let Some(&index) = index_by_name.get(discriminator.field.as_str()) {
            check_discriminator_values(reader, &reader.fields[index], discriminator);
        } else {
            let message =
                format!("the struct has no field {:?} to be the discriminator", discriminator.field);
            reader.error(field_of_error, field_of_error.line, Kind::UnknownField, message);
        }
    }
    for member in union.members.iter().filter(|member| !index_by_name.contains_key(member.field.as_str())) {
        let message = format!("the struct has no field {:?} to be a member", member.field);
        reader.error(field_of_error, field_of_error.line, Kind::UnknownField, message);
    }
    union.members.sort_by_key(|member| index_by_name.get(member.field.as_str()).copied());
    (reader.errors.len() == errors_before).then_some(union)
}

fn check_discriminator_values<'d>(
    reader: &mut StructContext<'_, 'd>,
    field: &'d FieldDecl,
    discriminator: &mut Discriminator,
) {
    discriminator.default = field.default.as_ref().and_then(Doc::as_str).map(Text::from);
    let ResolvedType::Enum { name, values, closed } = reader.types.resolve(&field.ty) else { return };
    discriminator.enum_type = Some(Text::from(name));
    let index_by_value: HashMap<&str, usize> =
        values.iter().enumerate().map(|(i, v)| (v.value.as_str(), i)).collect();
    let Some(listed) = &mut discriminator.values else { return };
    for value in listed.iter().filter(|value| closed && !index_by_value.contains_key(value.as_str())) {
        reader.error(
            field,
            field.line,
            Kind::MemberNotInEnum,
            format!("the enum {name} has no value {value:?}"),
        );
    }
    listed.sort_by_key(|value| index_by_value.get(value.as_str()).copied());
}

/// The unions of a struct and of those embedded in it.
struct EmbeddedUnions<'o, 'd> {
    by_struct: &'o HashMap<&'d str, Vec<Union>>,
    /// The unions, each with the struct that declares it.
    unions: Vec<(&'d str, &'o Union)>,
    visited: HashSet<&'d str>,
}

impl<'d> EmbeddedUnions<'_, 'd> {
    fn collect(&mut self, types: &TypeLookup<'d>, name: &'d str, fields: &'d [FieldDecl]) {
        let mut open = vec![(name, fields)];
        while let Some((name, fields)) = open.pop() {
            // A struct that is embedded twice has its fields once.
            if !self.visited.insert(name) {
                continue;
            }
            self.unions.extend(self.by_struct.get(name).into_iter().flatten().map(|union| (name, union)));
            for field in fields.iter().rev().filter(|field| field.inline) {
                if let ResolvedType::Struct { name, fields } = types.resolve(&field.ty) {
                    open.push((name, fields));
                }
            }
        }
    }

    /// Returns the unions that documents of the struct can have. As in encoding/json, the field with the least depth
    /// hides deeper ones of its name; a union that loses a field in this way is an error.
    fn visible(
        self,
        reader: &mut UnionReader<'d>,
        decl: &'d TypeDecl,
        fields: &'d [FieldDecl],
    ) -> Vec<Union> {
        if self.unions.iter().all(|(declared_in, _)| *declared_in == decl.name) {
            return self.unions.into_iter().map(|(_, union)| union.clone()).collect();
        }
        let declaring_structs = declaring_structs(&reader.types, &decl.name, fields);
        for (declared_in, union) in &self.unions {
            let discriminator = union.discriminator.as_ref().map(|d| &d.field);
            for field in discriminator.into_iter().chain(union.members.iter().map(|m| &m.field)) {
                if declaring_structs.get(field.as_str()).is_none_or(|nearest| nearest == declared_in) {
                    continue;
                }
                let message = format!(
                    "the field {field:?} of the union that {declared_in} brings is hidden by one of {}",
                    declaring_structs[field.as_str()]
                );
                let subject = decl.name.clone();
                reader.errors.push(UnionError { line: decl.line, subject, kind: Kind::HiddenField, message });
            }
        }
        self.unions.into_iter().map(|(_, union)| union.clone()).collect()
    }
}

/// Returns the struct that declares each field, by JSON name; of several the one with the least depth.
fn declaring_structs<'d>(
    types: &TypeLookup<'d>,
    name: &'d str,
    fields: &'d [FieldDecl],
) -> HashMap<&'d str, &'d str> {
    let mut declaring_structs = HashMap::new();
    let mut seen = HashSet::from([name]);
    let mut level = vec![(name, fields)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (name, fields) in level {
            for field in fields {
                if !field.inline {
                    declaring_structs.entry(field.name.as_str()).or_insert(name);
                } else if let ResolvedType::Struct { name, fields } = types.resolve(&field.ty) {
                    if seen.insert(name) {
                        next.push((name, fields));
                    }
                }
            }
        }
        level = next;
    }
    declaring_structs
}
