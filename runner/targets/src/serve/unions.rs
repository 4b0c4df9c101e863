//! The operation `admit-union` of `skewer serve`: the unions in a schema of the protocol, and the rules that a request asks for.

use std::borrow::Cow;

use serde::Deserialize;
use skewer_engine::schema::Schema;
use skewer_engine::schema::union::{Cardinality, DeclarationForm, Member, Union, openapi};
use skewer_engine::union::policy::{self, Policy};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc, OwnedMap};
use skewer_protocol::messages::{RawDocument, SchemaMessage};

/// The policies whose rules `skewer serve` has. A schema of the protocol does not say all that the others need: how a value is
/// held in Go, and in which form a union is declared.
pub(super) const POLICIES: [&str; 9] = [
    "legacy",
    "deduce",
    "kep-1027",
    "kep-1027-ratcheting",
    "kep-1027-restoring",
    "kep-1027-empty-none",
    "kep-1027-nil-none",
    "discriminator-defaulting",
    "discriminator-following",
];

/// The name of the rules of an implementation itself. Those of the engine are those of the KEP.
const OWN: &str = "own";

/// A request of the operation.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct AdmitUnionMessage<'a> {
    pub(super) schema: SchemaMessage<RawDocument<'a>>,
    pub(super) documents: AdmitUnionDocuments<'a>,
    options: AdmitUnionOptions<'a>,
}

/// The documents of the operation.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct AdmitUnionDocuments<'a> {
    #[serde(default)]
    pub(super) old: Option<RawDocument<'a>>,
    pub(super) new: RawDocument<'a>,
}

#[derive(Debug, Deserialize)]
struct AdmitUnionOptions<'a> {
    #[serde(borrow)]
    policy: Cow<'a, str>,
    gate: bool,
    ratcheting: bool,
}

impl AdmitUnionMessage<'_> {
    /// Returns the policy with the rules that the request asks for. `None` for rules that `skewer serve` does not have.
    pub(super) fn rules(&self) -> Option<&'static dyn Policy> {
        let AdmitUnionOptions { policy, gate, ratcheting } = &self.options;
        match (&**policy, gate, ratcheting) {
            (name, false, _) if name == OWN || POLICIES.contains(&name) => Some(policy::NONE),
            (OWN, true, false) => policy::by_name("kep-1027"),
            (OWN, true, true) => policy::by_name("kep-1027-ratcheting"),
            (name, ..) => POLICIES.contains(&name).then(|| policy::by_name(name)).flatten(),
        }
    }

    /// Returns the name of the rules.
    pub(super) fn policy(&self) -> &str {
        &self.options.policy
    }
}

/// Takes the extensions of unions out of an `OpenAPI` document. Returns the unions of each component.
pub(super) fn take_unions(document: &mut OwnedDoc) -> Result<Vec<(String, Vec<Union>)>, Error> {
    let mut found = Vec::new();
    let components =
        ["components", "schemas"].iter().try_fold(document, |doc, key| doc.as_map_mut()?.get_mut(key));
    for (name, component) in components.and_then(Doc::as_map_mut).into_iter().flat_map(OwnedMap::iter_mut) {
        let Some(component) = component.as_map_mut() else { continue };
        let mut unions = Vec::new();
        let properties = component.get_mut("properties").and_then(Doc::as_map_mut);
        for (field, property) in properties.into_iter().flat_map(OwnedMap::iter_mut) {
            let Some(property) = property.as_map_mut() else { continue };
            if let Some(extension) = property.remove("x-kubernetes-unions") {
                let union = openapi::read(&extension, field).map_err(|error| error.at(field).at(name))?;
                unions.push(with_default(union, property));
            }
        }
        let described = component.remove("x-skewer-unions");
        for description in described.iter().filter_map(Doc::as_list).flatten() {
            unions.extend(read_description(description).map_err(|error| error.at(name))?.map(|union| {
                let discriminator = union.discriminator.as_ref();
                let properties = component.get("properties").and_then(Doc::as_map);
                let property = discriminator.and_then(|d| properties?.get(&d.field)?.as_map());
                with_default(union.clone(), property.unwrap_or(&OwnedMap::new()))
            }));
        }
        if !unions.is_empty() {
            found.push((name.to_string(), unions));
        }
    }
    Ok(found)
}

/// Returns a schema with the unions of its types.
pub(super) fn with_unions(schema: Schema, unions: Vec<(String, Vec<Union>)>) -> Result<Schema, Error> {
    let all = unions
        .into_iter()
        .flat_map(|(name, unions)| unions.into_iter().map(move |union| (name.clone(), union)));
    all.into_iter().try_fold(schema, |schema, (name, union)| schema.with_union(&name, union))
}

/// Gives a union the default of the property of its discriminator.
fn with_default(mut union: Union, property: &OwnedMap) -> Union {
    if let Some(discriminator) = &mut union.discriminator {
        discriminator.default = property.get("default").and_then(Doc::as_str).map(Into::into);
    }
    union
}

/// Reads the description of a union in the form of the protocol. Returns `None` for a modal union, for which none of the
/// policies has rules.
fn read_description(description: &OwnedDoc) -> Result<Option<Union>, Error> {
    let invalid = |message: &str| {
        Error::new(ErrorKind::InvalidSchema, format!("x-skewer-unions: {message}, found {description}"))
    };
    let map = description.as_map().ok_or_else(|| invalid("expected the description of a union"))?;
    let text = |map: &OwnedMap, key: &str| map.get(key).and_then(Doc::as_str).map(str::to_owned);
    let listed = map.get("members").and_then(Doc::as_list).ok_or_else(|| invalid("expected `members`"))?;
    let read_member = |member: &OwnedDoc| {
        let member = member.as_map()?;
        let read = Member::new(&text(member, "field")?, &text(member, "value")?);
        Some(if member.get("optional") == Some(&Doc::Bool(true)) { read.optional() } else { read })
    };
    let members = || {
        let read: Option<Vec<Member>> = listed.iter().map(read_member).collect();
        read.ok_or_else(|| invalid("expected members with a `field` and a `value`"))
    };
    let without_discriminator = |cardinality| {
        let mut union = Union::legacy([], cardinality);
        union.members = members()?;
        Ok(Some(union))
    };
    match map.get("kind").and_then(Doc::as_str) {
        Some("modal") => Ok(None),
        Some("exactly-one") => without_discriminator(Cardinality::ExactlyOne),
        Some("zero-or-one") => without_discriminator(Cardinality::AtMostOne),
        Some("discriminated") => {
            let field = text(map, "discriminator").ok_or_else(|| invalid("expected a `discriminator`"))?;
            let values = map.get("values").and_then(Doc::as_list);
            let mut union = Union::discriminated(
                &field,
                values.unwrap_or_default().iter().filter_map(Doc::as_str),
                members()?,
            );
            if let (None, Some(discriminator)) = (values, &mut union.discriminator) {
                discriminator.values = None;
            }
            if let Some(Doc::Bool(deduce)) = map.get("deduceInvalidDiscriminator") {
                union.form = DeclarationForm::List { deduce: Some(*deduce) };
            }
            Ok(Some(union))
        }
        _ => Err(invalid("expected a known `kind`")),
    }
}
