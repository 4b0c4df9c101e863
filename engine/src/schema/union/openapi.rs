//! Reading and writing of the `OpenAPI` extension `x-kubernetes-unions` in its two forms.
//!
//! The form of KEP-1027 ("`OpenAPI`") is on the property of the discriminator. A value that selects no member is
//! `null`:
//!
//! ```json
//! {"fieldMembers": {"RollingUpdate": {"name": "rollingUpdate", "optional": true}, "Recreate": null}}
//! ```
//!
//! The form of the revision of 2019, which `k8s.io/kube-openapi` publishes, is on the object. The flag
//! `deduceInvalidDiscriminator` was added in `structured-merge-diff` v4:
//!
//! ```json
//! [{"discriminator": "type", "fields-to-discriminateBy": {"rollingUpdate": "RollingUpdate"},
//!   "deduceInvalidDiscriminator": true}]
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{DeclarationForm, Discriminator, Member, Union};
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

const FIELD_MEMBERS: &str = "fieldMembers";
const NAME: &str = "name";
const OPTIONAL: &str = "optional";
const DISCRIMINATOR: &str = "discriminator";
const FIELDS_TO_DISCRIMINATE_BY: &str = "fields-to-discriminateBy";
const DEDUCE: &str = "deduceInvalidDiscriminator";

/// Reads the form of KEP-1027. `discriminator` is the property that has the extension. Members and values are sorted by
/// value, because a JSON object has no order.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`] with the path into the extension, if the extension has another form, if it has no
/// values, or if two values select the same field.
pub fn read(extension: &OwnedDoc, discriminator: &str) -> Result<Union> {
    let extension = map_with_keys(extension, &[FIELD_MEMBERS])?;
    let listed = extension.get(FIELD_MEMBERS).unwrap_or(&Doc::Null);
    let listed = as_map(listed).map_err(|e| e.at(FIELD_MEMBERS))?;
    if listed.is_empty() {
        return Err(invalid("a union must have values".to_owned()).at(FIELD_MEMBERS));
    }
    let mut members: Vec<Member> = Vec::new();
    let mut selected: FxHashMap<OwnedText, &OwnedText> = FxHashMap::default();
    for (value, member) in listed.iter().filter(|(_, member)| !member.is_null()) {
        let member = read_member(value, member).map_err(|e| e.at(value).at(FIELD_MEMBERS))?;
        if let Some(first) = selected.insert(member.field.clone(), value) {
            let message = format!("the value {first:?} already selects the field {:?}", member.field);
            return Err(invalid(message).at(NAME).at(value).at(FIELD_MEMBERS));
        }
        members.push(member);
    }
    let discriminator = Discriminator {
        field: discriminator.into(),
        enum_type: None,
        values: Some(listed.keys().cloned().collect()),
        default: None,
    };
    Ok(Union::new(Some(discriminator), members, DeclarationForm::Kep))
}

fn read_member(value: &str, member: &OwnedDoc) -> Result<Member> {
    let member = map_with_keys(member, &[NAME, OPTIONAL])?;
    let name = as_string(member.get(NAME).unwrap_or(&Doc::Null)).map_err(|e| e.at(NAME))?;
    let mut parsed = Member::new(name, value);
    parsed.optional = optional_bool(member, OPTIONAL)?.unwrap_or(false);
    Ok(parsed)
}

/// Writes the form of KEP-1027. Returns `None` for a union without a discriminator, which this form cannot express.
///
/// ```
/// # use skewer_engine::document::from_json;
/// use skewer_engine::schema::union::openapi;
///
/// let text = br#"{"fieldMembers":{"RollingUpdate":{"name":"rollingUpdate","optional":true},"Recreate":null}}"#;
/// let extension = from_json(text)?;
/// let union = openapi::read(&extension, "type")?;
/// let selected = union.member_selected_by("RollingUpdate");
/// assert_eq!(selected.map(|member| member.field.as_str()), Some("rollingUpdate"));
/// assert_eq!(openapi::write(&union), Some(extension));
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[must_use]
pub fn write(union: &Union) -> Option<OwnedDoc> {
    let discriminator = union.discriminator.as_ref()?;
    let empty = discriminator.values.iter().flatten().map(|value| (value.clone(), Doc::Null));
    let members = union.members.iter().map(|member| {
        let entries = [
            (Text::from_static(NAME), Doc::String(member.field.clone())),
            (Text::from_static(OPTIONAL), Doc::Bool(member.optional)),
        ];
        (member.value.clone(), Doc::Map(entries.into_iter().collect()))
    });
    // Members come last, because the last of several equal keys is kept. A member thereby replaces the null of its
    // value.
    let listed: OwnedMap = empty.chain(members).collect();
    Some(Doc::Map([(Text::from_static(FIELD_MEMBERS), Doc::Map(listed))].into_iter().collect()))
}

/// Reads the form that the 2019 revision of the KEP has. It maps each field of a union to the discriminator value that
/// selects the field. It does not list values that select no field.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`] with the path into the extension, if the extension has another form, if a field occurs
/// twice, or if a value selects two fields. Upstream: `makeUnions` (k8s.io/kube-openapi, pkg/schemaconv) refuses the
/// same.
pub fn read_list(extension: &OwnedDoc) -> Result<Vec<Union>> {
    let Some(items) = extension.as_list() else {
        return Err(invalid(format!("expected a list of unions, found {}", extension.kind().with_article())));
    };
    let mut used_fields: FxHashSet<OwnedText> = FxHashSet::default();
    let mut unions = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let union = read_item(item).map_err(|e| e.at_index(index))?;
        let discriminator = union.discriminator.as_ref().map(|d| &d.field);
        for field in discriminator.into_iter().chain(union.members.iter().map(|m| &m.field)) {
            if !used_fields.insert(field.clone()) {
                let message = format!("the field {field:?} already belongs to a union");
                return Err(invalid(message).at_index(index));
            }
        }
        unions.push(union);
    }
    Ok(unions)
}

fn read_item(item: &OwnedDoc) -> Result<Union> {
    let item = map_with_keys(item, &[DISCRIMINATOR, FIELDS_TO_DISCRIMINATE_BY, DEDUCE])?;
    let field = item.get(DISCRIMINATOR).map(|v| as_string(v).map_err(|e| e.at(DISCRIMINATOR))).transpose()?;
    let discriminator = field.map(|field| Discriminator {
        field: field.into(),
        enum_type: None,
        values: None,
        default: None,
    });
    let listed = as_map(item.get(FIELDS_TO_DISCRIMINATE_BY).unwrap_or(&Doc::Null))
        .map_err(|e| e.at(FIELDS_TO_DISCRIMINATE_BY))?;
    let mut members: Vec<Member> = Vec::with_capacity(listed.len());
    let mut selected: FxHashMap<&str, &OwnedText> = FxHashMap::default();
    for (field, value) in listed.iter() {
        let value = as_string(value).map_err(|e| e.at(field).at(FIELDS_TO_DISCRIMINATE_BY))?;
        if let Some(first) = selected.insert(value, field) {
            let message = format!("the value {value:?} already selects the field {first:?}");
            return Err(invalid(message).at(field).at(FIELDS_TO_DISCRIMINATE_BY));
        }
        members.push(Member::new(field, value));
    }
    if members.is_empty() {
        return Err(invalid("a union must have fields".to_owned()).at(FIELDS_TO_DISCRIMINATE_BY));
    }
    Ok(Union::new(discriminator, members, DeclarationForm::List { deduce: optional_bool(item, DEDUCE)? }))
}

/// Writes the form of the revision of 2019. Values that select no member, and whether a member is optional, are lost,
/// because this form cannot express them.
#[must_use]
pub fn write_list(unions: &[Union]) -> OwnedDoc {
    let item = |union: &Union| {
        let fields: OwnedMap =
            union.members.iter().map(|m| (m.field.clone(), Doc::String(m.value.clone()))).collect();
        let mut item = Map::new();
        if let Some(discriminator) = &union.discriminator {
            item.insert(Text::from_static(DISCRIMINATOR), Doc::String(discriminator.field.clone()));
        }
        item.insert(Text::from_static(FIELDS_TO_DISCRIMINATE_BY), Doc::Map(fields));
        if let DeclarationForm::List { deduce: Some(deduce) } = union.form {
            item.insert(Text::from_static(DEDUCE), Doc::Bool(deduce));
        }
        Doc::Map(item)
    };
    Doc::List(unions.iter().map(item).collect())
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidSchema, message)
}

fn as_map(value: &OwnedDoc) -> Result<&OwnedMap> {
    value.as_map().ok_or_else(|| invalid(format!("expected a map, found {}", value.kind().with_article())))
}

fn as_string(value: &OwnedDoc) -> Result<&str> {
    value.as_str().ok_or_else(|| invalid(format!("expected a string, found {}", value.kind().with_article())))
}

fn optional_bool(map: &OwnedMap, key: &str) -> Result<Option<bool>> {
    match map.get(key) {
        None | Some(Doc::Null) => Ok(None),
        Some(Doc::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => {
            Err(invalid(format!("expected true or false, found {}", other.kind().with_article())).at(key))
        }
    }
}

/// Returns the value as a map. Returns an error if it is not a map, or if it has a key that is not listed.
fn map_with_keys<'v>(value: &'v OwnedDoc, keys: &[&str]) -> Result<&'v OwnedMap> {
    let map = as_map(value)?;
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(map),
        Some(key) => Err(invalid(format!("unknown key (expected {})", keys.join(", "))).at(key)),
    }
}
