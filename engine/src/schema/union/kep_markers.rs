//! Unions declared by the markers of KEP-1027, and the rules that they must keep.

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::Struct;
use super::errors::UnionErrorKind as Kind;
use super::markers::{self, KepMarkers, MemberMarker};
use super::model::{Discriminator, Form, Member, Union};
use super::type_lookup::Resolved;
use crate::document::{Doc, OwnedText, Text};
use crate::schema::FieldDecl;

/// A field with its markers, if it has any.
struct Marked<'d> {
    field: &'d FieldDecl,
    markers: KepMarkers<'d>,
}

/// A union that is being put together.
struct Draft<'d> {
    field: &'d FieldDecl,
    line: u32,
    union: Union,
    /// The values of the enum; `None` when the type is none, which is an error of its own.
    values: Option<FxHashSet<OwnedText>>,
    /// The field that each value selects.
    selected: FxHashMap<OwnedText, OwnedText>,
}

/// Reads the unions of one struct, embedded structs left aside. Every rule that is broken is reported.
///
/// Source: KEP-1027, "Go Markers", "Discriminator Values", "Empty Union Members", "Examples".
pub(super) fn unions(of: &mut Struct<'_, '_>) -> Vec<Union> {
    let marked = marked(of);
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    let has_members = marked.iter().any(|m| m.markers.member.is_some());
    for Marked { field, markers } in &marked {
        let Some(line) = markers.discriminator else { continue };
        if !has_members {
            // Half of the built-in types have the marker of 2019 and no members: they are not migrated.
            of.ignore_marker(field, "+unionDiscriminator without any +unionMember beside it", line);
            continue;
        }
        let discriminator = discriminator(of, field, line);
        drafts.push(Draft {
            field,
            line,
            values: discriminator.values.as_ref().map(|values| values.iter().cloned().collect()),
            union: Union::of(Some(discriminator), Vec::new(), Form::Kep),
            selected: FxHashMap::default(),
        });
    }
    for Marked { field, markers } in &marked {
        let Some((member, line)) = markers.member else {
            if let Some((_, line)) = markers.discriminated_by {
                let message = "the field has +unionDiscriminatedBy and is no member: add +unionMember";
                of.error(field, line, Kind::DiscriminatedByWithoutMember, message);
            }
            continue;
        };
        if markers.discriminator.is_some() {
            let message = "the field is marked as discriminator and as member: it can be one of the two";
            of.error(field, line, Kind::DiscriminatorIsMember, message);
            continue;
        }
        if let Some(draft) = union_of(of, field, (markers.discriminated_by, line), &drafts) {
            add(of, &mut drafts[draft], field, member, line);
        }
    }
    for draft in drafts.iter().filter(|draft| draft.union.members.is_empty()) {
        let message = "no member belongs to this discriminator: mark one with +unionMember";
        of.error(draft.field, draft.line, Kind::NoMembers, message);
    }
    drafts.into_iter().map(|draft| draft.union).collect()
}

fn marked<'d>(of: &mut Struct<'_, 'd>) -> Vec<Marked<'d>> {
    let mut found = Vec::new();
    for field in of.fields {
        let mut mistakes = Vec::new();
        let markers = markers::kep(field, &mut mistakes);
        for (kind, line, message) in mistakes {
            of.error(field, line, kind, message);
        }
        let first = markers.discriminator.or(markers.member.map(|m| m.1));
        match first.or(markers.discriminated_by.map(|by| by.1)) {
            None => {}
            Some(line) if field.inline => {
                let message = "a union marker on an embedded struct: mark the fields of the struct";
                of.error(field, line, Kind::MarkerOnEmbedded, message);
            }
            Some(_) => found.push(Marked { field, markers }),
        }
    }
    found
}

/// The discriminator that a field is. What is wrong with it is reported, and the members are checked all the same.
fn discriminator<'d>(of: &mut Struct<'_, 'd>, field: &'d FieldDecl, line: u32) -> Discriminator {
    let mut found = Discriminator {
        field: Text::from(&field.name),
        of: None,
        values: None,
        default: field.default.as_ref().and_then(Doc::as_str).map(Text::from),
    };
    let Resolved::Enum { name, values, closed } = of.types.resolve(&field.ty) else {
        let message = "the type of a discriminator must be a string type with constants, marked +enum";
        of.error(field, line, Kind::DiscriminatorNotAnEnum, message);
        return found;
    };
    if !closed {
        let message = format!("the type {name} of the discriminator is not marked +enum: mark it");
        of.error(field, line, Kind::DiscriminatorEnumOpen, message);
    }
    let mut seen = FxHashSet::default();
    let distinct = values.iter().filter(|value| seen.insert(value.value.as_str()));
    let listed: Vec<OwnedText> = distinct.map(|value| Text::from(&value.value)).collect();
    if let Some(default) = found.default.as_ref().filter(|default| !listed.contains(default)) {
        let message = format!("the default {default:?} is no value of {name}: {}", expected(&listed));
        of.error(field, line, Kind::DefaultNotInEnum, message);
    }
    check_presence(of, field, line, &listed);
    found.of = Some(Text::from(name));
    found.values = Some(listed);
    found
}

/// "This field MUST be required if there is no default option, omitempty if the default option is the empty
/// string, or optional and omitempty if a default value is specified."
fn check_presence(of: &mut Struct<'_, '_>, field: &FieldDecl, line: u32, values: &[OwnedText]) {
    // Without any word about it a field is required in Go, as it is always written.
    let required = field.required.unwrap_or(!field.omit_empty);
    let says_nothing = values.iter().any(|value| value.is_empty());
    if required || (field.omit_empty && (says_nothing || field.default.is_some())) {
        return;
    }
    let message = if field.omit_empty {
        "the discriminator may be missing, and nothing says what that means: mark it +required, give it a \
         +default, or add the empty string to its enum"
    } else {
        "the discriminator is optional and not omitempty, so that it is written as an empty string: mark it \
         +required, or add omitempty to its JSON tag"
    };
    of.error(field, line, Kind::DiscriminatorMayBeMissing, message);
}

/// To which union a member belongs.
fn union_of<'d>(
    of: &mut Struct<'_, 'd>,
    field: &'d FieldDecl,
    (by, line): (Option<(&'d str, u32)>, u32),
    drafts: &[Draft<'d>],
) -> Option<usize> {
    if let Some((name, line)) = by {
        let by_go_name = drafts.iter().position(|draft| draft.field.go_name == name);
        let found = by_go_name.or_else(|| drafts.iter().position(|draft| draft.field.name == name));
        if found.is_none() {
            if of.is_around(name) {
                let message =
                    format!("the discriminator {name} stands in another struct: a union cannot span structs");
                of.error(field, line, Kind::SpansStructs, message);
            } else {
                let message = format!(
                    "+unionDiscriminatedBy names {name}, which is no field marked +unionDiscriminator"
                );
                of.error(field, line, Kind::UnknownDiscriminatorField, message);
            }
        }
        return found;
    }
    match drafts.len() {
        1 => Some(0),
        0 if of.has_discriminators_around() => {
            let message = "the discriminator stands in another struct: a union cannot span structs";
            of.error(field, line, Kind::SpansStructs, message);
            None
        }
        0 => {
            let message =
                "a member in a struct without a discriminator: mark a field with +unionDiscriminator";
            of.error(field, line, Kind::MemberWithoutDiscriminator, message);
            None
        }
        _ => {
            let message = "the struct has several discriminators: say which with +unionDiscriminatedBy=…";
            of.error(field, line, Kind::AmbiguousDiscriminator, message);
            None
        }
    }
}

fn add<'d>(
    of: &mut Struct<'_, 'd>,
    draft: &mut Draft<'d>,
    field: &'d FieldDecl,
    marker: MemberMarker<'d>,
    line: u32,
) {
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    let value = marker.name.unwrap_or(go_name);
    if draft.values.as_ref().is_some_and(|values| !values.contains(value)) {
        let listed = draft.union.discriminator.as_ref().and_then(|d| d.values.as_deref());
        let message =
            format!("the discriminator has no value {value:?}: {}", expected(listed.unwrap_or_default()));
        of.error(field, line, Kind::MemberNotInEnum, message);
    } else if value.to_lowercase() != field.name.to_lowercase() {
        let message = format!(
            "the name {value:?} of the member is not the JSON name {:?}, not even in another case",
            field.name
        );
        of.error(field, line, Kind::MemberNameDiffers, message);
    }
    // As for `OpenAPI`: a field that may be left out is optional if nobody says anything else.
    if field.required.unwrap_or(!field.omit_empty) {
        let message = "a member must be optional, or no other could be chosen: mark it +optional";
        of.error(field, line, Kind::MemberNotOptional, message);
    }
    if let Some(first) = draft.selected.get(value) {
        let message = format!("the value {value:?} selects {first} already");
        of.error(field, line, Kind::DuplicateMemberValue, message);
        return;
    }
    draft.selected.insert(value.into(), Text::from(&field.name));
    let mut member = Member::new(&field.name, value);
    member.optional = marker.optional;
    draft.union.members.push(member);
}

/// Messages list so many values, and say that there are more.
const MAX_LISTED: usize = 20;

fn expected(values: &[OwnedText]) -> String {
    let quoted: Vec<String> = values.iter().take(MAX_LISTED).map(|value| format!("{value:?}")).collect();
    let more = if values.len() > MAX_LISTED { ", …" } else { "" };
    format!("it has {}{more}", quoted.join(", "))
}
