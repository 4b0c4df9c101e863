//! Unions that are declared by the markers of KEP-1027, and the validation of these declarations.

use rustc_hash::{FxHashMap, FxHashSet};

use super::errors::UnionErrorKind as Kind;
use super::markers::{KepMarkers, MarkerError, MemberMarker, read_kep_markers};
use super::model::{DeclarationForm, Discriminator, Member, Union};
use super::struct_context::StructContext;
use super::type_lookup::{ResolvedType, resolve};
use crate::document::{Doc, OwnedText, Text};
use crate::schema::declarations::FieldDecl;

struct MarkedField<'d> {
    field: &'d FieldDecl,
    markers: KepMarkers<'d>,
}

/// A union whose members are being collected.
struct UnionBuilder<'d> {
    field: &'d FieldDecl,
    line: u32,
    union: Union,
    /// The values of the enum, or `None` if the type of the discriminator is not an enum. The latter is reported as an
    /// error.
    values: Option<FxHashSet<OwnedText>>,
    /// The field that each value selects.
    selected: FxHashMap<OwnedText, OwnedText>,
}

/// Reads the unions that one struct declares itself, without those of embedded structs. All errors are reported.
///
/// Source: KEP-1027, "Go Markers", "Discriminator Values", "Empty Union Members", "Examples".
pub(super) fn unions(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let marked = marked_fields(reader);
    let mut builders: Vec<UnionBuilder<'_>> = Vec::new();
    let has_members = marked.iter().any(|m| m.markers.member.is_some());
    for MarkedField { field, markers } in &marked {
        let Some(line) = markers.discriminator else { continue };
        if !has_members {
            // Many built-in types have this marker from the revision of 2019, and no member markers.
            reader.warn(field, "+unionDiscriminator without +unionMember in the same struct", line);
            continue;
        }
        let discriminator = read_discriminator(reader, field, line);
        builders.push(UnionBuilder {
            field,
            line,
            values: discriminator.values.as_ref().map(|values| values.iter().cloned().collect()),
            union: Union::new(Some(discriminator), Vec::new(), DeclarationForm::Kep),
            selected: FxHashMap::default(),
        });
    }
    let unions_by_name = UnionsByName::new(&builders);
    for MarkedField { field, markers } in &marked {
        let Some((member, line)) = markers.member else {
            if let Some((_, line)) = markers.discriminated_by {
                let message = "the field has +unionDiscriminatedBy but is not a member: add +unionMember";
                reader.error(field, line, Kind::DiscriminatedByWithoutMember, message);
            }
            continue;
        };
        if markers.discriminator.is_some() {
            let message = "the field is marked as discriminator and as member: remove one of the markers";
            reader.error(field, line, Kind::DiscriminatorIsMember, message);
            continue;
        }
        let builder = match markers.discriminated_by {
            Some((name, line)) => find_named_union(reader, field, name, line, &unions_by_name),
            None => find_only_union(reader, field, line, builders.len()),
        };
        if let Some(builder) = builder {
            add_member(reader, &mut builders[builder], field, member, line);
        }
    }
    for builder in builders.iter().filter(|builder| builder.union.members.is_empty()) {
        let message = if is_go(builder.field) {
            "the discriminator has no members: mark a field with +unionMember"
        } else {
            "the discriminator has no members: name a property in `fieldMembers`"
        };
        reader.error(builder.field, builder.line, Kind::NoMembers, message);
    }
    builders.into_iter().map(|builder| builder.union).collect()
}

fn marked_fields<'d>(reader: &mut StructContext<'_, 'd>) -> Vec<MarkedField<'d>> {
    let mut found = Vec::new();
    for field in reader.fields {
        let mut marker_errors = Vec::new();
        let markers = read_kep_markers(field, &mut marker_errors);
        for MarkerError { kind, line, message } in marker_errors {
            reader.error(field, line, kind, message);
        }
        let first = markers.discriminator.or(markers.member.map(|m| m.1));
        match first.or(markers.discriminated_by.map(|by| by.1)) {
            None => {}
            Some(line) if field.inline => {
                let message = "a union marker on an embedded struct: mark the fields of the struct";
                reader.error(field, line, Kind::MarkerOnEmbedded, message);
            }
            Some(_) => found.push(MarkedField { field, markers }),
        }
    }
    found
}

/// Reads a discriminator and reports its errors. A discriminator with errors is returned too, so that its members can
/// be checked.
fn read_discriminator<'d>(
    reader: &mut StructContext<'_, 'd>,
    field: &'d FieldDecl,
    line: u32,
) -> Discriminator {
    let mut discriminator = Discriminator {
        field: Text::from(&field.name),
        enum_type: None,
        values: None,
        default: field.default.as_ref().and_then(Doc::as_str).map(Text::from),
    };
    let ResolvedType::Enum { name, values, closed } = resolve(reader.types, &field.ty) else {
        let message = if is_go(field) {
            "the type of a discriminator must be a string type with constants, marked +enum"
        } else {
            "the type of a discriminator must be a string"
        };
        reader.error(field, line, Kind::DiscriminatorNotAnEnum, message);
        return discriminator;
    };
    if !closed {
        let message = format!("the type {name} of the discriminator must be marked +enum");
        reader.error(field, line, Kind::DiscriminatorEnumOpen, message);
    }
    let listed = reader.distinct_values(field, values);
    if let Some(default) = discriminator.default.as_ref().filter(|default| !listed.contains(default)) {
        let message =
            format!("the default {default:?} is not a value of {name} ({})", expected_values(&listed));
        reader.error(field, line, Kind::DefaultNotInEnum, message);
    }
    check_presence(reader, field, line, &listed);
    discriminator.enum_type = Some(Text::from(name));
    discriminator.values = Some(listed);
    discriminator
}

/// Checks that the discriminator is always present, or that its absence has a meaning.
///
/// Source: KEP-1027, "Go Markers": "This field MUST be required if there is no default option, omitempty if the default
/// option is the empty string, or optional and omitempty if a default value is specified."
fn check_presence(reader: &mut StructContext<'_, '_>, field: &FieldDecl, line: u32, values: &[OwnedText]) {
    // A field without `+required`, `+optional` and `omitempty` counts as required, because Go always writes it.
    let required = field.required.unwrap_or(!field.omit_empty);
    // A property of a custom resource gets its default before it is validated, also if it is required.
    if is_go(field) && field.default.is_some() && required {
        let message = "the discriminator has a +default and is always written, so that the default is never used: mark it \
                       +optional and add omitempty to its JSON tag, or remove the +default";
        reader.error(field, line, Kind::DefaultNotOptional, message);
        return;
    }
    let has_empty_value = values.iter().any(|value| value.is_empty());
    if required || (field.omit_empty && (has_empty_value || field.default.is_some())) {
        return;
    }
    let message = if !is_go(field) {
        "the discriminator can be missing, which has no meaning: list it in `required`, give it a `default`, or add the \
         empty string to its enum"
    } else if field.omit_empty {
        "the discriminator can be missing, which has no meaning: mark it +required, give it a +default, or add the \
         empty string to its enum"
    } else {
        "the discriminator is optional and not omitempty, so that it is written as an empty string: mark it \
         +required, or add omitempty to its JSON tag"
    };
    reader.error(field, line, Kind::DiscriminatorMayBeMissing, message);
}

/// The indices of unions by the name of the discriminator. If several discriminators have the same name, the first is
/// used.
#[derive(Default)]
struct UnionsByName<'d> {
    by_go_name: FxHashMap<&'d str, usize>,
    by_name: FxHashMap<&'d str, usize>,
}

impl<'d> UnionsByName<'d> {
    fn new(builders: &[UnionBuilder<'d>]) -> Self {
        let mut unions = UnionsByName::default();
        for (index, builder) in builders.iter().enumerate() {
            unions.by_go_name.entry(&builder.field.go_name).or_insert(index);
            unions.by_name.entry(&builder.field.name).or_insert(index);
        }
        unions
    }
}

/// Returns the index of the union with this discriminator. Reports an error and returns `None` if there is no such union.
fn find_named_union<'d>(
    reader: &mut StructContext<'_, 'd>,
    field: &'d FieldDecl,
    name: &'d str,
    line: u32,
    unions: &UnionsByName<'d>,
) -> Option<usize> {
    let found = unions.by_go_name.get(name).or_else(|| unions.by_name.get(name)).copied();
    if found.is_none() {
        if reader.is_adjacent_discriminator(name) {
            let message =
                format!("the discriminator {name} is in another struct: a union cannot span structs");
            reader.error(field, line, Kind::SpansStructs, message);
        } else {
            let message =
                format!("+unionDiscriminatedBy names {name}, which is not a field with +unionDiscriminator");
            reader.error(field, line, Kind::UnknownDiscriminatorField, message);
        }
    }
    found
}

/// Returns the index of the only union of a struct with `count` unions. Reports an error and returns `None` if there is
/// another number of unions.
fn find_only_union<'d>(
    reader: &mut StructContext<'_, 'd>,
    field: &'d FieldDecl,
    line: u32,
    count: usize,
) -> Option<usize> {
    match count {
        1 => Some(0),
        0 if reader.has_adjacent_discriminators() => {
            let message = "the discriminator is in another struct: a union cannot span structs";
            reader.error(field, line, Kind::SpansStructs, message);
            None
        }
        0 => {
            let message =
                "the struct has a member but no discriminator: mark a field with +unionDiscriminator";
            reader.error(field, line, Kind::MemberWithoutDiscriminator, message);
            None
        }
        _ => {
            let message = "the struct has several discriminators: name one with +unionDiscriminatedBy=…";
            reader.error(field, line, Kind::AmbiguousDiscriminator, message);
            None
        }
    }
}

fn add_member<'d>(
    reader: &mut StructContext<'_, 'd>,
    builder: &mut UnionBuilder<'d>,
    field: &'d FieldDecl,
    marker: MemberMarker<'d>,
    line: u32,
) {
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    let value = marker.name.unwrap_or(go_name);
    if builder.values.as_ref().is_some_and(|values| !values.contains(value)) {
        let listed = builder.union.discriminator.as_ref().and_then(|d| d.values.as_deref());
        let message = format!(
            "the discriminator has no value {value:?} ({})",
            expected_values(listed.unwrap_or_default())
        );
        reader.error(field, line, Kind::MemberNotInEnum, message);
    }
    // As in `OpenAPI` generation, a field with `omitempty` counts as optional unless it is marked as required.
    if field.required.unwrap_or(!field.omit_empty) {
        let message = if is_go(field) {
            "a member must be optional, so that another one can be selected: mark it +optional"
        } else {
            "a member must be optional, so that another one can be selected: take it out of `required`"
        };
        reader.error(field, line, Kind::MemberNotOptional, message);
    }
    if let Some(first) = builder.selected.get(value) {
        let message = format!("the value {value:?} already selects {first}");
        reader.error(field, line, Kind::DuplicateMemberValue, message);
        return;
    }
    // KEP-1027, "Go Markers": the name of a member "should match the serialized JSON name of the field case-insensitively".
    if !value.eq_ignore_ascii_case(&field.name) {
        let of_another = reader.fields.iter().any(|other| value.eq_ignore_ascii_case(&other.name));
        let other = if of_another { ", and is that of another field" } else { "" };
        let description = format!(
            "the member name {value:?} should be the JSON name {:?} of its field, apart from the case{other}",
            field.name
        );
        reader.warn(field, &description, line);
    }
    builder.selected.insert(value.into(), Text::from(&field.name));
    let mut member = Member::new(&field.name, value);
    member.optional = marker.optional;
    builder.union.members.push(member);
}

/// Returns true if a field is declared in Go, and not by a property of an `OpenAPI` schema.
fn is_go(field: &FieldDecl) -> bool {
    !field.go_name.is_empty()
}

/// Maximum number of values that an error message lists.
const MAX_LISTED_VALUES: usize = 20;

/// Maximum number of characters of a value in an error message.
const MAX_VALUE_LENGTH: usize = 100;

fn expected_values(values: &[OwnedText]) -> String {
    let shortened = |value: &OwnedText| match value.char_indices().nth(MAX_VALUE_LENGTH) {
        Some((end, _)) => format!("{:?}…", &value[..end]),
        None => format!("{value:?}"),
    };
    let quoted: Vec<String> = values.iter().take(MAX_LISTED_VALUES).map(shortened).collect();
    let more = if values.len() > MAX_LISTED_VALUES { ", …" } else { "" };
    format!("expected {}{more}", quoted.join(", "))
}
