//! The unions of all structs in a set of declarations.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::errors::{UnionError, UnionErrorKind as Kind};
use super::model::{Discriminator, Union};
use super::struct_context::{StructContext, UnionSize, UnionWarning, too_large};
use super::type_lookup::{ResolvedType, resolve};
use super::{declarative_markers, kep_markers, modal_markers, openapi};
use crate::document::{Doc, OwnedDoc, OwnedText, Text, from_json};
use crate::error::Result;
use crate::schema::declarations::{Declarations, FieldDecl, Marker, Shape, TypeDecl};
use crate::schema::embedding::Embedding;
use crate::schema::error_limit::limit_errors;
use crate::schema::resolution::DeclarationIndex;

/// The name of the `OpenAPI` extension for unions. The `OpenAPI` reader keeps extensions as markers.
const EXTENSION: &str = "x-kubernetes-unions";

/// The unions of a set of declarations.
#[derive(Clone, Debug, Default)]
pub struct Unions {
    by_type: HashMap<String, Vec<Union>>,
    warnings: Vec<UnionWarning>,
}

impl Unions {
    /// Reads the unions of all structs and validates their declarations.
    ///
    /// A struct also has the unions of the structs that it embeds. Markers that declare no complete union, which many
    /// built-in types have had since 2019, are ignored: see [`Unions::warnings`].
    ///
    /// Sources:
    ///
    /// - KEP-1027 for `+unionDiscriminator`, `+unionMember`, `+unionDiscriminatedBy`, and `x-kubernetes-unions` on a
    ///   field
    /// - the revision of 2019 for the list `x-kubernetes-unions` on a type
    /// - `k8s.io/code-generator/cmd/validation-gen` for `+k8s:unionDiscriminator`, `+k8s:unionMember`,
    ///   `+k8s:zeroOrOneOfMember`, `+k8s:modeDiscriminator` and `+k8s:ifMode`
    ///
    /// # Errors
    ///
    /// All errors of the declarations with their lines, in the order of the source.
    ///
    /// ```
    /// # #[cfg(feature = "go")] {
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
    /// # }
    /// ```
    pub fn declared(declarations: &Declarations) -> Result<Self, Vec<UnionError>> {
        let index = DeclarationIndex::new(declarations);
        let embedding = Embedding::new(&index, declarations.types.len());
        Unions::of(&index, &embedding, declarations)
    }

    /// Reads unions as [`Unions::declared`] does, with a given index and given embedded structs.
    pub(in crate::schema) fn of(
        types: &DeclarationIndex<'_>,
        embedding: &Embedding<'_, '_>,
        declarations: &Declarations,
    ) -> Result<Self, Vec<UnionError>> {
        let mut reader = UnionReader {
            types,
            embedding,
            adjacent_structs: FxHashMap::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
            size: UnionSize::default(),
        };
        reader.collect_adjacent_structs(declarations);
        let mut own_unions: FxHashMap<usize, Vec<Union>> = FxHashMap::default();
        for (index, decl) in declarations.types.iter().enumerate() {
            if let Shape::Struct(fields) = &decl.shape {
                let unions = reader.read_unions(index, decl, fields);
                if !unions.is_empty() {
                    own_unions.insert(index, unions);
                }
            }
        }
        let mut by_type = HashMap::with_capacity(own_unions.len());
        if !own_unions.is_empty() {
            for (index, decl) in declarations.types.iter().enumerate() {
                let structs = embedding.structs(index);
                if structs.len() > 1 {
                    let unions = reader.unions_with_embedded(index, &structs, &own_unions);
                    if !unions.is_empty() {
                        by_type.insert(decl.name.clone(), unions);
                    }
                }
            }
            for (index, unions) in own_unions {
                by_type.entry(declarations.types[index].name.clone()).or_insert(unions);
            }
        }
        if reader.errors.is_empty() {
            return Ok(Unions { by_type, warnings: reader.warnings });
        }
        reader.errors.sort_by_key(|error| error.line);
        limit_errors(&mut reader.errors, |first, message| UnionError { message, ..first });
        Err(reader.errors)
    }

    /// Removes and returns the unions of a struct.
    pub(in crate::schema) fn take_of_type(&mut self, name: &str) -> Vec<Union> {
        self.by_type.remove(name).unwrap_or_default()
    }

    /// Returns the unions of a struct, including those of embedded structs.
    #[must_use]
    pub fn of_type(&self, name: &str) -> &[Union] {
        self.by_type.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns true if no struct has a union.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_type.is_empty()
    }

    /// Returns the warnings: about markers that are ignored (`+unionDiscriminator` in a struct without members, which many
    /// built-in types have had since 2019, and unions of list items with `+k8s:item`), and about names of members that do
    /// not match their fields.
    #[must_use]
    pub fn warnings(&self) -> &[UnionWarning] {
        &self.warnings
    }
}

/// The state of reading the unions of all structs.
struct UnionReader<'r, 'd> {
    types: &'r DeclarationIndex<'d>,
    embedding: &'r Embedding<'r, 'd>,
    /// The structs that a struct embeds or is embedded in, by the index of its declaration.
    adjacent_structs: FxHashMap<usize, Vec<usize>>,
    errors: Vec<UnionError>,
    warnings: Vec<UnionWarning>,
    size: UnionSize,
}

impl<'d> UnionReader<'_, 'd> {
    fn collect_adjacent_structs(&mut self, declarations: &'d Declarations) {
        for (index, decl) in declarations.types.iter().enumerate() {
            let Shape::Struct(fields) = &decl.shape else { continue };
            for field in fields.iter().filter(|field| field.inline) {
                let Some(target) = self.types.resolve_struct(&field.ty) else { continue };
                self.adjacent_structs.entry(index).or_default().push(target);
                self.adjacent_structs.entry(target).or_default().push(index);
            }
        }
    }

    /// Reads the unions that a struct declares itself.
    fn read_unions(&mut self, index: usize, decl: &'d TypeDecl, fields: &'d [FieldDecl]) -> Vec<Union> {
        let mut reader = StructContext {
            types: self.types,
            fields,
            decl,
            adjacent_structs: self.adjacent_structs.get(&index).map(Vec::as_slice).unwrap_or_default(),
            errors: &mut self.errors,
            warnings: &mut self.warnings,
            size: &mut self.size,
        };
        let mut unions = kep_markers::unions(&mut reader);
        unions.extend(read_field_extensions(&mut reader));
        unions.extend(read_list_extension(&mut reader));
        let first_member = |union: &Union| union.members.first().map(|member| member.field.clone());
        let index_by_member: FxHashMap<Option<OwnedText>, usize> =
            unions.iter().enumerate().map(|(index, union)| (first_member(union), index)).collect();
        for union in declarative_markers::unions(&mut reader) {
            // During a migration, a type can declare the same union in both forms. Only the tags say what is set in Go.
            let known = index_by_member.get(&first_member(&union)).copied();
            match known.filter(|index| is_same_union(&unions[*index], &union)) {
                Some(index) => {
                    let known = &mut unions[index];
                    for (known, tagged) in known.members.iter_mut().zip(&union.members) {
                        known.zero_is_unset = tagged.zero_is_unset;
                    }
                }
                None => unions.push(union),
            }
        }
        unions.extend(modal_markers::unions(&mut reader));
        unions
    }

    /// Returns the unions of a struct and of the structs that it embeds. As in `encoding/json`, a field hides fields
    /// with the same name at a greater depth. An error is reported if a field of a union is hidden.
    fn unions_with_embedded(
        &mut self,
        ty: usize,
        structs: &[usize],
        own_unions: &FxHashMap<usize, Vec<Union>>,
    ) -> Vec<Union> {
        let mut declared: Vec<(usize, &Union)> = Vec::new();
        for index in structs {
            declared.extend(own_unions.get(index).into_iter().flatten().map(|union| (*index, union)));
        }
        if declared.iter().all(|(declared_in, _)| *declared_in == ty) {
            return declared.into_iter().map(|(_, union)| union.clone()).collect();
        }
        let fields = self.embedding.fields(ty);
        let declaring_structs: FxHashMap<&str, &str> =
            fields.iter().map(|field| (field.field.name.as_str(), field.declared_in)).collect();
        let decl = self.types.get(ty);
        let mut unions = Vec::new();
        for (declared_in, union) in declared {
            if !self.size.add(texts_of(union)) {
                if self.size.is_first_report() {
                    self.errors.push(error_of_type(decl, Kind::TooLarge, too_large()));
                }
                return Vec::new();
            }
            let declared_in = self.types.get(declared_in).name.as_str();
            for field in fields_of(union) {
                let nearest = declaring_structs.get(field.as_str()).copied().unwrap_or(declared_in);
                if nearest != declared_in {
                    let message = format!(
                        "the field {field:?} of the union of {declared_in} is hidden by a field of {nearest}"
                    );
                    self.errors.push(error_of_type(decl, Kind::HiddenField, message));
                }
            }
            unions.push(union.clone());
        }
        unions
    }
}

fn error_of_type(decl: &TypeDecl, kind: Kind, message: String) -> UnionError {
    let (subject, type_name) = (decl.name.clone(), decl.name.clone());
    UnionError { line: decl.line, subject, type_name, key: String::new(), kind, message }
}

/// Returns the names of all fields of a union: the discriminator and the members.
fn fields_of(union: &Union) -> impl Iterator<Item = &OwnedText> {
    let discriminator = union.discriminator.as_ref().map(|discriminator| &discriminator.field);
    discriminator.into_iter().chain(union.members.iter().map(|member| &member.field))
}

/// Returns the field names and the values of a union.
fn texts_of(union: &Union) -> impl Iterator<Item = &str> {
    let values = union.discriminator.as_ref().and_then(|discriminator| discriminator.values.as_deref());
    let members = union.members.iter().flat_map(|member| [member.field.as_str(), member.value.as_str()]);
    let modes = union.members.iter().flat_map(|member| &member.modes).map(|(value, _)| value.as_str());
    members.chain(modes).chain(values.unwrap_or_default().iter().map(Text::as_str))
}

fn is_same_union(a: &Union, b: &Union) -> bool {
    let field = |union: &Union| union.discriminator.as_ref().map(|d| d.field.clone());
    let members =
        |union: &Union| union.members.iter().map(|m| (m.field.clone(), m.value.clone())).collect::<Vec<_>>();
    field(a) == field(b) && members(a) == members(b)
}

/// Reads the extensions in the form of KEP-1027, which are markers of fields.
fn read_field_extensions(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    let has_extension = |field: &FieldDecl| field.marker(EXTENSION).is_some();
    if !reader.fields.iter().any(has_extension) {
        return unions;
    }
    let index_by_name = index_by_name(reader.fields);
    for field in reader.fields {
        for marker in field.markers.iter().filter(|marker| marker.name == EXTENSION) {
            match parse_extension(marker).and_then(|value| openapi::read(&value, &field.name)) {
                Ok(union) => unions.extend(check_extension(reader, &index_by_name, field, union)),
                Err(error) => reader.error(field, field.line, Kind::MalformedExtension, error.to_string()),
            }
        }
    }
    unions
}

/// Reads the extension in the form of the revision of 2019, which is a marker of the type.
fn read_list_extension(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut unions = Vec::new();
    let Some(first) = reader.fields.first() else { return unions };
    if !reader.decl.markers.iter().any(|marker| marker.name == EXTENSION) {
        return unions;
    }
    let index_by_name = index_by_name(reader.fields);
    for marker in reader.decl.markers.iter().filter(|marker| marker.name == EXTENSION) {
        match parse_extension(marker).and_then(|value| openapi::read_list(&value)) {
            Ok(listed) => {
                for union in listed {
                    let discriminator_name = union.discriminator.as_ref().map_or("", |d| d.field.as_str());
                    let field =
                        index_by_name.get(discriminator_name).map_or(first, |index| &reader.fields[*index]);
                    unions.extend(check_extension(reader, &index_by_name, field, union));
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

fn index_by_name(fields: &[FieldDecl]) -> FxHashMap<&str, usize> {
    fields.iter().enumerate().map(|(index, field)| (field.name.as_str(), index)).collect()
}

/// Checks a union from an extension against its struct. Members and values are sorted in the order of their
/// declarations, because the JSON objects of the extension have no order.
fn check_extension(
    reader: &mut StructContext<'_, '_>,
    index_by_name: &FxHashMap<&str, usize>,
    field_of_error: &FieldDecl,
    mut union: Union,
) -> Option<Union> {
    let errors_before = reader.errors.len();
    if let Some(discriminator) = &mut union.discriminator {
        if let Some(&index) = index_by_name.get(discriminator.field.as_str()) {
            check_discriminator_values(reader, &reader.fields[index], discriminator);
        } else {
            let message = format!(
                "the struct has no field {:?}, which is the discriminator of the union",
                discriminator.field
            );
            reader.error(field_of_error, field_of_error.line, Kind::UnknownField, message);
        }
    }
    for member in union.members.iter().filter(|member| !index_by_name.contains_key(member.field.as_str())) {
        let message = format!("the struct has no field {:?}, which is a member of the union", member.field);
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
    let ResolvedType::Enum { name, values, closed } = resolve(reader.types, &field.ty) else { return };
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
