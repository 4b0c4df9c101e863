//! `x-kubernetes-unions`, in the two forms that there are.
//!
//! KEP-1027, on the property of the discriminator:
//! `{fieldMembers: {RollingUpdate: {name: rollingUpdate, optional: true}, Recreate: null}}`.
//!
//! `k8s.io/kube-openapi`, on the object:
//! `[{discriminator: type, fields-to-discriminateBy: {rollingUpdate: RollingUpdate}}]`.

use std::collections::HashMap;

use super::document::Reader;
use super::extensions::marker;
use super::keywords::UNIONS;
use super::schema::Class;
use super::write::Index;
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};
use crate::schema::{EnumValue, FieldDecl, Marker, ScalarType, Shape, TypeDecl, TypeExpr};

const FIELD_MEMBERS: &str = "fieldMembers";

/// A value of the discriminator, and the member that it selects, if any: its property, and whether it is optional.
pub(super) type Selection = (String, Option<(String, bool)>);

impl Reader {
    /// The KEP's form on a property, if it is there.
    pub(super) fn field_members(&mut self, schema: &OwnedMap) -> Option<Vec<Selection>> {
        let value = schema.get(UNIONS)?;
        if matches!(value, Doc::List(_)) {
            let object = schema.contains_key("properties");
            if !object {
                self.at(UNIONS, |reader| reader.error("the list form of unions belongs to an object"));
            }
            return None;
        }
        self.at(UNIONS, |reader| {
            let unions = reader.map(value)?;
            for key in unions.keys().filter(|key| *key != FIELD_MEMBERS) {
                reader.at(key, |reader| reader.error("only `fieldMembers` is understood here"));
            }
            reader.at(FIELD_MEMBERS, |reader| {
                let Some(members) = unions.get(FIELD_MEMBERS) else {
                    reader.error("missing");
                    return None;
                };
                let members = reader.map(members)?;
                Some(
                    members
                        .iter()
                        .map(|(value, member)| reader.at(value, |r| r.selection(value, member)))
                        .collect(),
                )
            })
        })
    }

    fn selection(&mut self, value: &str, member: &OwnedDoc) -> Selection {
        if value.contains(',') {
            self.error("a value with a comma cannot be written as a marker");
        }
        if member.is_null() {
            return (value.to_owned(), None);
        }
        let Some(member) = self.map(member) else { return (value.to_owned(), None) };
        for key in member.keys().filter(|key| !matches!(key.as_str(), "name" | "optional")) {
            self.at(key, |reader| reader.error("only `name` and `optional` are understood here"));
        }
        let name = self.at("name", |reader| reader.string(member.get("name").unwrap_or(&Doc::Null)));
        let optional = self.flag(member, "optional");
        (value.to_owned(), name.map(|name| (name.to_owned(), optional)))
    }

    /// Puts unions on the fields, as markers of the KEP.
    pub(super) fn mark_unions(
        &mut self,
        holder: &str,
        fields: &mut [FieldDecl],
        unions: Vec<(usize, Vec<Selection>)>,
    ) {
        let several = unions.len() > 1;
        let places: HashMap<String, usize> =
            fields.iter().enumerate().map(|(i, field)| (field.name.clone(), i)).collect();
        for (discriminator, selections) in unions {
            let name = fields[discriminator].name.clone();
            fields[discriminator].markers.push(Marker {
                name: "unionDiscriminator".to_owned(),
                value: String::new(),
                line: 0,
            });
            if fields[discriminator].ty == TypeExpr::Scalar(ScalarType::String) {
                // The members list all valid values, even where no `enum` does.
                fields[discriminator].ty = self.enum_of(&format!("{holder}.{name}"), &selections);
            }
            for (value, member) in selections {
                let Some((member, optional)) = member else { continue };
                let field = places.get(&member).map(|&i| &mut fields[i]);
                let problem = match &field {
                    None => "no property",
                    Some(field) if marked(field, "unionMember").is_some() => "selected by two values",
                    Some(_) => "",
                };
                let Some(field) = field.filter(|_| problem.is_empty()) else {
                    let message =
                        format!("the union of {name:?} has the member {member:?}, which is {problem}");
                    self.at("properties", |r| r.at(&name, |r| r.at(UNIONS, |r| r.error(message))));
                    continue;
                };
                let option = if optional { ",optional" } else { "" };
                field.markers.push(marker("unionMember", &format!("{value}{option}")));
                if several {
                    field.markers.push(marker("unionDiscriminatedBy", &name));
                }
            }
        }
    }

    fn enum_of(&mut self, holder: &str, selections: &[Selection]) -> TypeExpr {
        let name = self.free_name(holder);
        let value = |value: &str| EnumValue {
            name: String::new(),
            value: value.to_owned(),
            markers: Vec::new(),
            line: 0,
        };
        let values = selections.iter().map(|(text, _)| value(text)).collect();
        let shape = Shape::Enum { values, closed: true };
        self.types.push(TypeDecl { name: name.clone(), shape, markers: Vec::new(), line: 0 });
        TypeExpr::Named(name)
    }

    /// The older form is kept as it stands; its shape is checked.
    pub(super) fn check_list_form(&mut self, schema: &OwnedMap, class: &Class<'_>) {
        let unions = schema.get(UNIONS).and_then(Doc::as_list).unwrap_or_default();
        self.at(UNIONS, |reader| {
            let Class::Struct(properties) = class else {
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
            self.at(key, |reader| match key.as_str() {
                "discriminator" => {
                    let name = reader.string(value);
                    reader.is_property(name, properties);
                }
                "fields-to-discriminateBy" => {
                    let Some(members) = reader.map(value) else { return };
                    for (member, value) in members.iter() {
                        reader.at(member, |reader| {
                            reader.string(value);
                            reader.is_property(Some(member), properties);
                        });
                    }
                }
                _ => reader.error("only `discriminator` and `fields-to-discriminateBy` are understood here"),
            });
        }
    }

    fn is_property(&mut self, name: Option<&str>, properties: &OwnedMap) {
        if let Some(name) = name.filter(|name| !properties.contains_key(name)) {
            self.error(format!("the object has no property {name:?}"));
        }
    }
}

/// The extension for every discriminator of a struct, by the field's place.
///
/// Members without a discriminator of their own belong to the first; what breaks the rules of unions is written as
/// far as it goes.
pub(super) fn written(fields: &[FieldDecl], types: &Index<'_>) -> HashMap<usize, OwnedDoc> {
    let mut unions: Vec<(usize, OwnedMap)> = Vec::new();
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (i, field) in
        fields.iter().enumerate().filter(|(_, field)| marked(field, "unionDiscriminator").is_some())
    {
        named.entry(&field.name).or_insert(unions.len());
        named.insert(&field.go_name, unions.len());
        unions.push((i, values(&field.ty, types).map(|value| (Text::from(value), Doc::Null)).collect()));
    }
    for field in fields {
        let Some(member) = marked(field, "unionMember") else { continue };
        let by = marked(field, "unionDiscriminatedBy").and_then(|by| by.value.strip_prefix('='));
        let union = by.map_or(Some(0), |by| named.get(by).copied());
        if let Some((_, members)) = union.and_then(|union| unions.get_mut(union)) {
            let (value, optional) = selected_by(field, member);
            members.insert(Text::from(value), written_member(&field.name, optional));
        }
    }
    unions.into_iter().map(|(i, members)| (i, object(FIELD_MEMBERS, Doc::Map(members)))).collect()
}

fn marked<'f>(field: &'f FieldDecl, name: &str) -> Option<&'f Marker> {
    field.markers.iter().find(|marker| marker.name == name)
}

fn object(key: &str, value: OwnedDoc) -> OwnedDoc {
    Doc::Map([(Text::from(key), value)].into_iter().collect())
}

fn written_member(name: &str, optional: bool) -> OwnedDoc {
    let entries = [(Text::from("name"), Doc::from(name)), (Text::from("optional"), Doc::Bool(optional))];
    Doc::Map(entries.into_iter().collect())
}

/// The value that selects a member, and whether the member is optional: `[=<value>][,optional]`; the value is the
/// Go name of the field unless it is given.
fn selected_by(field: &FieldDecl, member: &Marker) -> (String, bool) {
    let (name, optional) = match member.value.strip_suffix(",optional") {
        Some(name) => (name, true),
        None => (member.value.as_str(), false),
    };
    let go_name = if field.go_name.is_empty() { &field.name } else { &field.go_name };
    (name.strip_prefix('=').unwrap_or(go_name).to_owned(), optional)
}

/// The values of the enum that a type is.
fn values<'d>(ty: &'d TypeExpr, types: &Index<'d>) -> impl Iterator<Item = &'d str> {
    let mut ty = ty;
    let mut found: &[EnumValue] = &[];
    // As many steps as there are types: an alias of itself ends the search.
    for _ in 0..=types.len() {
        match ty {
            TypeExpr::Pointer(target) => ty = target,
            TypeExpr::Named(name) => match types.get(name.as_str()).map(|decl| &decl.shape) {
                Some(Shape::Enum { values, .. }) => {
                    found = values;
                    break;
                }
                Some(Shape::Alias(target)) => ty = target,
                _ => break,
            },
            _ => break,
        }
    }
    found.iter().map(|value| value.value.as_str())
}
