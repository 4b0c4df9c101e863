//! Reads the extension `x-kubernetes-unions`, which has two forms.
//!
//! The form of KEP-1027 is on the property of the discriminator: `{fieldMembers: {RollingUpdate: {name: rollingUpdate,
//! optional: true}, Recreate: null}}`.
//!
//! The form of `k8s.io/kube-openapi` is on the object: `[{discriminator: type, fields-to-discriminateBy:
//! {rollingUpdate: RollingUpdate}}]`.

use std::collections::HashMap;

use super::keywords::UNIONS;
use super::reader::{Reader, marker_with_value};
use super::schema_form::SchemaForm;
use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::schema::{FieldDecl, Marker, ScalarType, TypeDecl, TypeExpr};

pub(super) const FIELD_MEMBERS: &str = "fieldMembers";

/// A value of a discriminator.
pub(super) struct DiscriminatorValue {
    value: String,
    member: Option<SelectedMember>,
}

struct SelectedMember {
    property: String,
    optional: bool,
}

impl Reader {
    /// Reads the form of KEP-1027 on a property, if the property has it.
    pub(super) fn read_field_members(&mut self, schema: &OwnedMap) -> Option<Vec<DiscriminatorValue>> {
        let value = schema.get(UNIONS)?;
        if matches!(value, Doc::List(_)) {
            let is_object = schema.contains_key("properties");
            if !is_object {
                self.at_key(UNIONS, |reader| reader.error("the list form of unions belongs to an object"));
            }
            return None;
        }
        self.at_key(UNIONS, |reader| {
            let unions = reader.map(value)?;
            for key in unions.keys().filter(|key| *key != FIELD_MEMBERS) {
                reader.at_key(key, |reader| reader.error("only `fieldMembers` is understood here"));
            }
            reader.at_key(FIELD_MEMBERS, |reader| {
                let Some(members) = unions.get(FIELD_MEMBERS) else {
                    reader.error("missing");
                    return None;
                };
                let members = reader.map(members)?;
                Some(
                    members
                        .iter()
                        .map(|(value, member)| reader.at_key(value, |r| r.read_value(value, member)))
                        .collect(),
                )
            })
        })
    }

    fn read_value(&mut self, value: &str, member: &OwnedDoc) -> DiscriminatorValue {
        DiscriminatorValue { value: value.to_owned(), member: self.read_selected_member(value, member) }
    }

    fn read_selected_member(&mut self, value: &str, member: &OwnedDoc) -> Option<SelectedMember> {
        if value.contains(',') {
            self.error("a value with a comma cannot be written as a marker");
        }
        if member.is_null() {
            return None;
        }
        let member = self.map(member)?;
        for key in member.keys().filter(|key| !matches!(key.as_str(), "name" | "optional")) {
            self.at_key(key, |reader| reader.error("only `name` and `optional` are understood here"));
        }
        let name = self.at_key("name", |reader| reader.string(member.get("name").unwrap_or(&Doc::Null)));
        let optional = self.flag(member, "optional");
        name.map(|name| SelectedMember { property: name.to_owned(), optional })
    }

    /// Adds the union markers of KEP-1027 to the fields. Each entry of `unions` has the index of its discriminator.
    pub(super) fn mark_unions(
        &mut self,
        parent: &str,
        fields: &mut [FieldDecl],
        unions: Vec<(usize, Vec<DiscriminatorValue>)>,
    ) {
        let has_several = unions.len() > 1;
        let index_by_name: HashMap<String, usize> =
            fields.iter().enumerate().map(|(i, field)| (field.name.clone(), i)).collect();
        for (discriminator, values) in unions {
            let name = fields[discriminator].name.clone();
            fields[discriminator].markers.push(Marker::new("unionDiscriminator", ""));
            if fields[discriminator].ty == TypeExpr::Scalar(ScalarType::String) {
                // The extension lists all valid values, even if the property has no `enum`.
                fields[discriminator].ty = self.declare_enum(&format!("{parent}.{name}"), &values);
            }
            for DiscriminatorValue { value, member } in values {
                let Some(SelectedMember { property: member, optional }) = member else { continue };
                let field = index_by_name.get(&member).map(|&i| &mut fields[i]);
                let problem = match &field {
                    None => "no property",
                    Some(field) if field.marker("unionMember").is_some() => "selected by two values",
                    Some(_) => "",
                };
                let Some(field) = field.filter(|_| problem.is_empty()) else {
                    let message =
                        format!("the union of {name:?} has the member {member:?}, which is {problem}");
                    self.at_key("properties", |r| {
                        r.at_key(&name, |r| r.at_key(UNIONS, |r| r.error(message)));
                    });
                    continue;
                };
                let option = if optional { ",optional" } else { "" };
                field.markers.push(marker_with_value("unionMember", &format!("{value}{option}")));
                if has_several {
                    field.markers.push(marker_with_value("unionDiscriminatedBy", &name));
                }
            }
        }
    }

    fn declare_enum(&mut self, wanted_name: &str, values: &[DiscriminatorValue]) -> TypeExpr {
        let name = self.reserve_name(wanted_name);
        self.types.push(TypeDecl::new_enum(&name, values.iter().map(|value| value.value.as_str())));
        TypeExpr::Named(name)
    }

    /// Checks the form of `k8s.io/kube-openapi`. The extension itself is kept unchanged.
    pub(super) fn check_list_form(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) {
        let unions = schema.get(UNIONS).and_then(Doc::as_list).unwrap_or_default();
        self.at_key(UNIONS, |reader| {
            let SchemaForm::Struct(properties) = form else {
                return reader.error("unions belong to an object with properties");
            };
            for (i, union) in unions.iter().enumerate() {
                reader.at_index(i, |reader| reader.check_listed_union(union, properties));
            }
        });
    }

    fn check_listed_union(&mut self, union: &OwnedDoc, properties: &OwnedMap) {
        let Some(union) = self.map(union) else { return };
        for (key, value) in union.iter() {
            self.at_key(key, |reader| match key.as_str() {
                "discriminator" => {
                    let name = reader.string(value);
                    reader.check_property(name, properties);
                }
                "fields-to-discriminateBy" => {
                    let Some(members) = reader.map(value) else { return };
                    for (member, value) in members.iter() {
                        reader.at_key(member, |reader| {
                            reader.string(value);
                            reader.check_property(Some(member), properties);
                        });
                    }
                }
                // This key was added in `structured-merge-diff` v4.
                "deduceInvalidDiscriminator" => {
                    if !matches!(value, Doc::Bool(_)) {
                        let found = value.kind().with_article();
                        reader.error(format!("expected true or false, found {found}"));
                    }
                }
                _ => reader.error(
                    "only `discriminator`, `fields-to-discriminateBy` and `deduceInvalidDiscriminator` are understood \
                     here",
                ),
            });
        }
    }

    fn check_property(&mut self, name: Option<&str>, properties: &OwnedMap) {
        if let Some(name) = name.filter(|name| !properties.contains_key(name)) {
            self.error(format!("the object has no property {name:?}"));
        }
    }
}
