//! Writes `x-kubernetes-unions` in the form of KEP-1027, for unions that markers declare.

use std::collections::HashMap;

use super::unions::FIELD_MEMBERS;
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::schema::resolution::{DeclarationIndex, Target};
use crate::schema::{EnumValue, FieldDecl, Marker, Shape, TypeExpr};

/// Returns the extension of every discriminator of a struct, by the index of the field.
///
/// A member that names no discriminator belongs to the first discriminator. Invalid unions are written as far as
/// possible.
pub(super) fn union_extensions<'d>(
    fields: &'d [FieldDecl],
    types: &DeclarationIndex<'d>,
) -> HashMap<usize, OwnedDoc> {
    let mut unions: Vec<(usize, OwnedMap)> = Vec::new();
    let mut union_by_discriminator: HashMap<&str, usize> = HashMap::new();
    for (i, field) in
        fields.iter().enumerate().filter(|(_, field)| field.marker("unionDiscriminator").is_some())
    {
        union_by_discriminator.entry(&field.name).or_insert(unions.len());
        union_by_discriminator.insert(&field.go_name, unions.len());
        unions.push((i, enum_values(&field.ty, types).map(|value| (Text::from(value), Doc::Null)).collect()));
    }
    for field in fields {
        let Some(member) = field.marker("unionMember") else { continue };
        let by = field.marker("unionDiscriminatedBy").and_then(|by| by.value.strip_prefix('='));
        let union = by.map_or(Some(0), |by| union_by_discriminator.get(by).copied());
        if let Some((_, members)) = union.and_then(|union| unions.get_mut(union)) {
            let (value, optional) = parse_member_marker(field, member);
            members.insert(Text::from(value), member_extension(&field.name, optional));
        }
    }
    unions.into_iter().map(|(i, members)| (i, object(FIELD_MEMBERS, Doc::Map(members)))).collect()
}

fn object(key: &str, value: OwnedDoc) -> OwnedDoc {
    Doc::Map([(Text::from(key), value)].into_iter().collect())
}

fn member_extension(name: &str, optional: bool) -> OwnedDoc {
    let entries = [(Text::from("name"), Doc::from(name)), (Text::from("optional"), Doc::Bool(optional))];
    Doc::Map(entries.into_iter().collect())
}

/// Returns the value that selects a member, and whether the member is optional: `[=<value>][,optional]`. If the marker
/// has no value, the Go name of the field selects the member.
fn parse_member_marker(field: &FieldDecl, member: &Marker) -> (String, bool) {
    let (name, optional) = match member.value.strip_suffix(",optional") {
        Some(name) => (name, true),
        None => (member.value.as_str(), false),
    };
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    (name.strip_prefix('=').unwrap_or(go_name).to_owned(), optional)
}

/// Returns the values of an enum type. The result is empty for other types.
fn enum_values<'d>(ty: &'d TypeExpr, types: &DeclarationIndex<'d>) -> impl Iterator<Item = &'d str> {
    let values: &[EnumValue] = match types.resolve(ty).target {
        Target::Declared(index) => match &types.get(index).shape {
            Shape::Enum { values, .. } => values,
            _ => &[],
        },
        _ => &[],
    };
    values.iter().map(|value| value.value.as_str())
}
