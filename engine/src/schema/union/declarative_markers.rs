//! Unions that are declared by the tags of declarative validation.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::errors::UnionErrorKind as Kind;
use super::markers::{MarkerError, UnionTag, UnionTagName, read_declarative_tags};
use super::model::{DeclarationForm, Discriminator, Member, Union};
use super::struct_context::StructContext;
use super::type_lookup::{ResolvedType, resolve};
use crate::document::Text;
use crate::schema::declarations::{FieldDecl, ScalarType};

/// Reads the unions of one struct. A union is identified by its name and by whether its tag is `+k8s:unionMember` or
/// `+k8s:zeroOrOneOfMember`. As in generated code, unions are sorted by name. Unions of list items (`+k8s:item`) are
/// ignored.
///
/// Upstream: `union.go` and `zeroorone.go` (k8s.io/code-generator, cmd/validation-gen/validators).
pub(super) fn unions(reader: &mut StructContext<'_, '_>) -> Vec<Union> {
    let mut builders: BTreeMap<(bool, &str), UnionBuilder<'_>> = BTreeMap::new();
    for field in reader.fields {
        let (mut marker_errors, mut warnings) = (Vec::new(), Vec::new());
        let tags = read_declarative_tags(field, &mut marker_errors, &mut warnings);
        for MarkerError { kind, line, message } in marker_errors {
            reader.error(field, line, kind, message);
        }
        for (tag, line) in warnings {
            reader.warn(field, &format!("a union within +{tag}"), line);
        }
        for tag in tags {
            if field.inline {
                let message = "a union tag on an embedded struct: tag the fields of the struct";
                reader.error(field, tag.line, Kind::MarkerOnEmbedded, message);
                continue;
            }
            let at_most_one = tag.name == UnionTagName::ZeroOrOneOf;
            let builder = builders
                .entry((at_most_one, tag.union))
                .or_insert_with(|| UnionBuilder::new(tag.union, !at_most_one));
            match tag.name {
                UnionTagName::Discriminator => add_discriminator(reader, &mut builder.union, field, tag),
                UnionTagName::Member | UnionTagName::ZeroOrOneOf => add_member(reader, builder, field, tag),
            }
        }
    }
    let mut complete = Vec::new();
    for UnionBuilder { union, .. } in builders.into_values() {
        match union.discriminator.as_ref().filter(|_| union.members.is_empty()) {
            Some(discriminator) => {
                reader.warn_about(&discriminator.field, "a discriminator without members");
            }
            None => complete.push(union),
        }
    }
    complete
}

/// A union whose members are being collected.
struct UnionBuilder<'d> {
    union: Union,
    /// The field that each value selects.
    selected: FxHashMap<&'d str, &'d str>,
}

impl UnionBuilder<'_> {
    fn new(name: &str, required: bool) -> Self {
        let mut union = Union::new(None, Vec::new(), DeclarationForm::Declarative);
        union.name = Text::from(name);
        union.required = required;
        UnionBuilder { union, selected: FxHashMap::default() }
    }
}

fn add_discriminator(
    reader: &mut StructContext<'_, '_>,
    union: &mut Union,
    field: &FieldDecl,
    tag: UnionTag<'_>,
) {
    let (enum_type, values) = match resolve(reader.types, &field.ty) {
        ResolvedType::Enum { name, values, closed } => {
            let values = closed.then(|| reader.distinct_values(field, values));
            (Some(Text::from(name)), values)
        }
        ResolvedType::Scalar(ScalarType::String) => (None, None),
        _ => {
            let message = "+k8s:unionDiscriminator can only be used on a string";
            reader.error(field, tag.line, Kind::DiscriminatorNotAString, message);
            return;
        }
    };
    if let Some(first) = &union.discriminator {
        let message = format!("the union already has the discriminator {}", first.field);
        reader.error(field, tag.line, Kind::TwoDiscriminators, message);
        return;
    }
    union.discriminator =
        Some(Discriminator { field: Text::from(&field.name), enum_type, values, default: None });
}

fn add_member<'d>(
    reader: &mut StructContext<'_, 'd>,
    builder: &mut UnionBuilder<'d>,
    field: &'d FieldDecl,
    tag: UnionTag<'d>,
) {
    if matches!(resolve(reader.types, &field.ty), ResolvedType::Struct)
        && !reader.types.resolve(&field.ty).is_pointer
    {
        let message = "a member that is a struct is always set: make the member a pointer";
        reader.error(field, tag.line, Kind::MemberNeverUnset, message);
        return;
    }
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    let value = tag.member_name.unwrap_or(go_name);
    match builder.selected.get(value) {
        None => {}
        Some(first) if *first == field.name => {
            reader.error(field, tag.line, Kind::MarkerTwice, "the field is already a member of this union");
            return;
        }
        Some(first) => {
            let message = format!("the value {value:?} already selects {first}");
            reader.error(field, tag.line, Kind::DuplicateMemberValue, message);
            return;
        }
    }
    if builder.union.members.last().is_some_and(|last| last.field == field.name) {
        reader.error(field, tag.line, Kind::MarkerTwice, "the field is already a member of this union");
        return;
    }
    builder.selected.insert(value, &field.name);
    let mut member = Member::new(&field.name, value);
    member.zero_is_unset = reader.zero_is_unset(field);
    builder.union.members.push(member);
}
