//! Unions declared by the tags of declarative validation.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::declarations::Struct;
use super::errors::UnionErrorKind as Kind;
use super::markers::{self, Tag, TagName};
use super::model::{Discriminator, Form, Member, Union};
use super::type_lookup::Resolved;
use crate::document::Text;
use crate::schema::{FieldDecl, ScalarType};

/// Reads the unions of one struct. Unions are told apart by their names, and those of `+k8s:zeroOrOneOfMember`
/// from those of `+k8s:unionMember`; they come in the order of their names, as generated code has them.
///
/// Upstream: `k8s.io/code-generator/cmd/validation-gen/validators`, `union.go` and `zeroorone.go`. Unions of list
/// items (`+k8s:item`) are passed over.
pub(super) fn unions(of: &mut Struct<'_, '_>) -> Vec<Union> {
    let mut found: BTreeMap<(bool, &str), Draft<'_>> = BTreeMap::new();
    for field in of.fields {
        let (mut mistakes, mut ignored_markers) = (Vec::new(), Vec::new());
        let tags = markers::declarative(field, &mut mistakes, &mut ignored_markers);
        for (kind, line, message) in mistakes {
            of.error(field, line, kind, message);
        }
        for (tag, line) in ignored_markers {
            of.ignore_marker(field, &format!("a union within +{tag}"), line);
        }
        for tag in tags {
            if field.inline {
                let message = "a union tag on an embedded struct: tag the fields of the struct";
                of.error(field, tag.line, Kind::MarkerOnEmbedded, message);
                continue;
            }
            let at_most_one = tag.name == TagName::ZeroOrOneOf;
            let draft =
                found.entry((at_most_one, tag.union)).or_insert_with(|| Draft::new(tag.union, !at_most_one));
            match tag.name {
                TagName::Discriminator => discriminator(of, &mut draft.union, field, tag),
                TagName::Member | TagName::ZeroOrOneOf => member(of, draft, field, tag),
            }
        }
    }
    let mut complete = Vec::new();
    for Draft { union, .. } in found.into_values() {
        match union.discriminator.as_ref().filter(|_| union.members.is_empty()) {
            Some(discriminator) => {
                of.ignore_marker_on(&discriminator.field, "a discriminator without members");
            }
            None => complete.push(union),
        }
    }
    complete
}

/// A union that is being put together, and the field that each value selects.
struct Draft<'d> {
    union: Union,
    selected: FxHashMap<&'d str, &'d str>,
}

impl Draft<'_> {
    fn new(name: &str, required: bool) -> Self {
        let mut union = Union::of(None, Vec::new(), Form::Declarative);
        union.name = Text::from(name);
        union.required = required;
        Draft { union, selected: FxHashMap::default() }
    }
}

fn discriminator(of: &mut Struct<'_, '_>, union: &mut Union, field: &FieldDecl, tag: Tag<'_>) {
    let (enum_of, values) = match of.types.resolve(&field.ty) {
        Resolved::Enum { name, values, closed } => {
            let values = closed.then(|| values.iter().map(|v| Text::from(&v.value)).collect());
            (Some(Text::from(name)), values)
        }
        Resolved::Scalar(ScalarType::String) => (None, None),
        _ => {
            let message = "+k8s:unionDiscriminator can only be used on a string";
            of.error(field, tag.line, Kind::DiscriminatorNotAString, message);
            return;
        }
    };
    if let Some(first) = &union.discriminator {
        let message = format!("the union has the discriminator {} already", first.field);
        of.error(field, tag.line, Kind::TwoDiscriminators, message);
        return;
    }
    union.discriminator =
        Some(Discriminator { field: Text::from(&field.name), of: enum_of, values, default: None });
}

fn member<'d>(of: &mut Struct<'_, 'd>, draft: &mut Draft<'d>, field: &'d FieldDecl, tag: Tag<'d>) {
    if matches!(of.types.resolve(&field.ty), Resolved::Struct { .. }) && !of.types.is_pointer(&field.ty) {
        let message = "whether a struct is set cannot be told: make the member a pointer";
        of.error(field, tag.line, Kind::MemberNeverUnset, message);
        return;
    }
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    let value = tag.member_name.unwrap_or(go_name);
    match draft.selected.get(value) {
        None => {}
        Some(first) if *first == field.name => {
            of.error(field, tag.line, Kind::MarkerTwice, "the field is a member of this union already");
            return;
        }
        Some(first) => {
            let message = format!("the value {value:?} selects {first} already");
            of.error(field, tag.line, Kind::DuplicateMemberValue, message);
            return;
        }
    }
    if draft.union.members.last().is_some_and(|last| last.field == field.name) {
        of.error(field, tag.line, Kind::MarkerTwice, "the field is a member of this union already");
        return;
    }
    draft.selected.insert(value, &field.name);
    let mut member = Member::new(&field.name, value);
    member.zero_is_unset = of.zero_is_unset(field);
    draft.union.members.push(member);
}
