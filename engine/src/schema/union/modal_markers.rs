//! Modal unions: a discriminator decides for each member whether it is required, optional or forbidden.

use std::collections::BTreeMap;

use super::errors::UnionErrorKind as Kind;
use super::markers::{line_of, parse_arguments, split_name};
use super::model::{DeclarationForm, Discriminator, Member, ModeRule, Union};
use super::struct_context::StructContext;
use super::type_lookup::{ResolvedType, resolve};
use crate::document::Text;
use crate::schema::declarations::{FieldDecl, ScalarType};

/// A tag of a modal union, without the stability levels around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModalTag<'d> {
    /// `+k8s:modeDiscriminator(modality: "m")`, with the name of the union.
    Discriminator(&'d str),
    /// `+k8s:ifMode(modality: "m", mode: "v")=+…`, with the name of the union, the value and the rule.
    Member(&'d str, &'d str, ModeRule),
    /// A tag with one of these names in another form.
    Malformed,
}

/// Reads the modal unions of one struct, sorted by name as in generated code. A discriminator without members declares
/// nothing.
///
/// Upstream: `mode.go` (k8s.io/code-generator v0.37, cmd/validation-gen/validators). In v0.36 the file is
/// `discriminator.go`, and the tags are `+k8s:discriminator(name: …)` and `+k8s:member(discriminator: …, value: …)`.
pub(super) fn unions(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut unions: BTreeMap<&str, (Union, u32)> = BTreeMap::new();
    let fields = reader.fields;
    for field in fields {
        for marker in &field.markers {
            let line = line_of(marker, field);
            let Some(tag) = parse_tag(&marker.name, &marker.value) else { continue };
            let name = match tag {
                ModalTag::Discriminator(name) | ModalTag::Member(name, ..) => name,
                ModalTag::Malformed => {
                    let message = format!(
                        "+{}{} is malformed (expected +k8s:modeDiscriminator, or +k8s:ifMode(\"…\")=+…, with the \
                         optional argument modality: \"…\")",
                        marker.name, marker.value
                    );
                    reader.error(field, line, Kind::MalformedMarker, message);
                    continue;
                }
            };
            if field.inline {
                let message = "a union tag on an embedded struct: tag the fields of the struct";
                reader.error(field, line, Kind::MarkerOnEmbedded, message);
                continue;
            }
            let (union, _) = unions.entry(name).or_insert_with(|| {
                let mut union = Union::new(None, Vec::new(), DeclarationForm::Modal);
                union.name = Text::from(name);
                (union, line)
            });
            match tag {
                ModalTag::Member(..) if is_always_set(reader, field) => {
                    let message = "a member that is a struct is always set: make the member a pointer";
                    reader.error(field, line, Kind::MemberNeverUnset, message);
                }
                ModalTag::Member(_, value, rule) => add_rule(reader, union, field, value, rule),
                _ => add_discriminator(reader, union, field, line),
            }
        }
    }
    unions.retain(|_, (union, _)| !union.members.is_empty());
    for (union, line) in unions.values() {
        check(reader, union, *line);
    }
    unions.into_values().map(|(union, _)| union).collect()
}

fn parse_tag<'d>(name: &'d str, value: &'d str) -> Option<ModalTag<'d>> {
    let (mut name, mut value) = (name, value);
    loop {
        let (_, rest) = match name {
            "k8s:alpha" | "k8s:beta" | "k8s:stable" => parse_arguments(value)?,
            "k8s:modeDiscriminator" | "k8s:discriminator" => return Some(parse_discriminator(value)),
            "k8s:ifMode" | "k8s:member" => return Some(parse_member(value).unwrap_or(ModalTag::Malformed)),
            _ => return None,
        };
        (name, value) = split_name(rest.strip_prefix("=+")?);
    }
}

fn parse_discriminator(value: &str) -> ModalTag<'_> {
    match parse_arguments(value) {
        Some((arguments, "")) => match arguments[..] {
            [] => ModalTag::Discriminator(""),
            [("modality" | "name", name)] => ModalTag::Discriminator(name),
            _ => ModalTag::Malformed,
        },
        _ => ModalTag::Malformed,
    }
}

fn parse_member(value: &str) -> Option<ModalTag<'_>> {
    let (arguments, payload) = parse_arguments(value)?;
    let (mut union, mut mode) = ("", None);
    for (argument, value) in arguments {
        match argument {
            "modality" | "discriminator" => union = value,
            "" | "mode" | "value" => mode = Some(value),
            _ => return None,
        }
    }
    Some(ModalTag::Member(union, mode?, parse_rule(payload)?))
}

/// Reads the tag that holds in a mode. A tag that restricts only the value leaves the member optional, because the
/// member then has a rule.
fn parse_rule(payload: &str) -> Option<ModeRule> {
    let (name, value) = split_name(payload.strip_prefix("=+")?);
    match name {
        "k8s:required" => Some(ModeRule::Required),
        "k8s:forbidden" => Some(ModeRule::Forbidden),
        "k8s:alpha" | "k8s:beta" | "k8s:stable" => parse_rule(parse_arguments(value)?.1),
        "" => None,
        _ => Some(ModeRule::Optional),
    }
}

fn add_discriminator(reader: &mut StructContext<'_, '_>, union: &mut Union, field: &FieldDecl, line: u32) {
    let mut discriminator =
        Discriminator { field: Text::from(&field.name), enum_type: None, values: None, default: None };
    match resolve(reader.types, &field.ty) {
        _ if reader.types.resolve(&field.ty).is_pointer => {
            let message = "+k8s:modeDiscriminator cannot be used on a pointer";
            return reader.error(field, line, Kind::DiscriminatorNotAString, message);
        }
        ResolvedType::Enum { name, values, closed } => {
            discriminator.enum_type = Some(Text::from(name));
            discriminator.values = closed.then(|| reader.distinct_values(field, values));
        }
        ResolvedType::Scalar(ScalarType::String) => {}
        ResolvedType::Scalar(ScalarType::Boolean) => {
            discriminator.values = Some(["false", "true"].map(Text::from).to_vec());
            discriminator.default = Some(Text::from("false"));
        }
        _ => {
            let message = "+k8s:modeDiscriminator can only be used on a string or a boolean";
            return reader.error(field, line, Kind::DiscriminatorNotAString, message);
        }
    }
    if let Some(first) = &union.discriminator {
        let message = format!("the union already has the discriminator {}", first.field);
        return reader.error(field, line, Kind::TwoDiscriminators, message);
    }
    union.discriminator = Some(discriminator);
}

/// Returns true for a struct that is no pointer.
fn is_always_set(reader: &StructContext<'_, '_>, field: &FieldDecl) -> bool {
    let is_pointer = reader.types.resolve(&field.ty).is_pointer;
    matches!(resolve(reader.types, &field.ty), ResolvedType::Struct) && !is_pointer
}

fn add_rule(
    reader: &mut StructContext<'_, '_>,
    union: &mut Union,
    field: &FieldDecl,
    value: &str,
    rule: ModeRule,
) {
    // The tags of a field follow each other, so that a known member is the last one.
    if union.members.last().is_none_or(|last| last.field != field.name) {
        let mut member = Member::new(&field.name, value);
        member.zero_is_unset = reader.zero_is_unset(field);
        union.members.push(member);
    }
    let Some(member) = union.members.last_mut() else { return };
    if member.modes.iter().all(|(_, rule)| *rule == ModeRule::Forbidden) {
        // The first value that permits the member is the one that selects it.
        member.value = Text::from(value);
    }
    member.modes.push((Text::from(value), rule));
}

/// Reports members without a discriminator, and values that a boolean does not have.
fn check(reader: &mut StructContext<'_, '_>, union: &Union, line: u32) {
    let Some(field) = reader.fields.iter().find(|field| field.name == union.members[0].field.as_str()) else {
        return;
    };
    let Some(discriminator) = &union.discriminator else {
        let message = "the modal union has no discriminator: mark a field with +k8s:modeDiscriminator";
        return reader.error(field, line, Kind::MemberWithoutDiscriminator, message);
    };
    let is_boolean = discriminator.enum_type.is_none() && discriminator.values.is_some();
    let mut modes = union.members.iter().flat_map(|member| &member.modes);
    if let Some((value, _)) = modes.find(|(value, _)| is_boolean && *value != "true" && *value != "false") {
        let message = format!("the discriminator {} is a boolean: {value:?} is not", discriminator.field);
        reader.error(field, line, Kind::MemberNotInEnum, message);
    }
}
