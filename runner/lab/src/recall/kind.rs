//! The kinds of changes that are made to definitions. Each of them does something to an object, a client or a server: that
//! a kind has no finding is a fault of the audit.

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_trials::random_testing::Random;

/// A kind of change of a version of a definition.
#[derive(Clone, Copy, Debug)]
pub struct KnownChangeKind {
    /// The name in reports.
    pub name: &'static str,
    /// Changes the schema of one element. Returns what was changed, or `None` if the schema has nothing to change in this
    /// way.
    pub(super) change: fn(&mut OwnedMap, &mut Random) -> Option<String>,
    /// Whether the change is only about the owners of fields. A field in an atomic list or map has no owner of its own.
    pub(super) is_about_owners: bool,
}

impl KnownChangeKind {
    /// All kinds.
    pub const ALL: [KnownChangeKind; 21] = [
        kind("removed field", remove_field),
        kind("made required", make_required),
        kind("enum value removed", remove_enum_value),
        kind("enum added", add_enum),
        kind("pattern added", add_pattern),
        kind("maxLength", |schema, random| limit_size(schema, random, "string", "maxLength")),
        kind("minLength", |schema, random| raise_minimum(schema, random, "string", "minLength")),
        kind("maximum", limit_number),
        kind("maxItems", |schema, random| limit_size(schema, random, "array", "maxItems")),
        kind("minItems", |schema, random| raise_minimum(schema, random, "array", "minItems")),
        kind("maxProperties", |schema, random| {
            schema.get("additionalProperties")?;
            limit_size(schema, random, "object", "maxProperties")
        }),
        kind("type", change_type),
        // Without null among them, the values of `enum` refuse null already.
        kind("nullable removed", |schema, _| {
            if schema.contains_key("enum") { None } else { remove_keyword(schema, "nullable") }
        }),
        kind("default added", add_default),
        kind("default removed", |schema, _| remove_keyword(schema, "default")),
        kind("list type", change_list_type),
        kind("list map keys", change_list_map_keys),
        KnownChangeKind { is_about_owners: true, ..kind("map type", change_map_type) },
        kind("rule added", add_rule),
        kind("pruning added", add_pruning),
        kind("unserved", unserve),
    ];
}

const fn kind(
    name: &'static str,
    change: fn(&mut OwnedMap, &mut Random) -> Option<String>,
) -> KnownChangeKind {
    KnownChangeKind { name, change, is_about_owners: false }
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
/// Returns true if a list or map has one owner as a whole.
pub(super) fn is_atomic(schema: &OwnedMap) -> bool {
    let is = |keyword: &str, value: &str| schema.get(keyword).and_then(Doc::as_str) == Some(value);
    is(MAP_TYPE, "atomic")
        || (type_of(schema) == Some("array") && !is(LIST_TYPE, "map") && !is(LIST_TYPE, "set"))
}

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const RULES: &str = "x-kubernetes-validations";

/// Keywords that limit the values of a schema: another limit beside them can be without an effect.
const LIMITS: [&str; 20] = [
    "enum",
    "pattern",
    "format",
    "maxLength",
    "minLength",
    "maximum",
    "minimum",
    "multipleOf",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "default",
    RULES,
    "x-kubernetes-int-or-string",
];

fn type_of(schema: &OwnedMap) -> Option<&str> {
    schema.get("type").and_then(Doc::as_str)
}

/// Returns true if a schema says no more of its values than their type.
fn is_unlimited(schema: &OwnedMap) -> bool {
    !LIMITS.iter().any(|keyword| schema.contains_key(keyword))
}

fn set(schema: &mut OwnedMap, keyword: &'static str, value: impl Into<OwnedDoc>) -> String {
    let value = value.into();
    let text = format!("{keyword}: {value}");
    schema.insert(Text::from_static(keyword), value);
    text
}

fn remove_keyword(schema: &mut OwnedMap, keyword: &str) -> Option<String> {
    schema.remove(keyword).map(|old| format!("{keyword}: {old} removed"))
}

fn texts(list: &[&str]) -> OwnedDoc {
    Doc::List(list.iter().map(|text| Doc::from((*text).to_owned())).collect())
}

/// Picks a field of an object that satisfies a condition.
fn pick_field(
    schema: &OwnedMap,
    random: &mut Random,
    is_wanted: impl Fn(&str, &OwnedMap) -> bool,
) -> Option<String> {
    let fields = schema.get("properties")?.as_map()?;
    let wanted =
        fields.iter().filter(|(name, field)| field.as_map().is_some_and(|field| is_wanted(name, field)));
    let names: Vec<String> = wanted.map(|(name, _)| name.to_string()).collect();
    (!names.is_empty()).then(|| random.pick(&names).clone())
}

fn required(schema: &OwnedMap) -> Vec<OwnedDoc> {
    schema.get("required").and_then(Doc::as_list).unwrap_or_default().to_vec()
}

fn set_required(schema: &mut OwnedMap, required: Vec<OwnedDoc>) {
    if required.is_empty() {
        schema.remove("required");
    } else {
        schema.insert(Text::from_static("required"), Doc::List(required));
    }
}

fn remove_field(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    if schema.contains_key(PRESERVE) {
        return None;
    }
    let name = pick_field(schema, random, |_, _| true)?;
    let mut others = required(schema);
    others.retain(|field| field.as_str() != Some(&name));
    set_required(schema, others);
    schema.get_mut("properties")?.as_map_mut()?.remove(&name);
    Some(format!("{name} removed"))
}

fn add_pruning(schema: &mut OwnedMap, _: &mut Random) -> Option<String> {
    // The fields of a map are all known, and a scalar has none.
    if type_of(schema).is_some_and(|ty| ty != "object") || schema.contains_key("additionalProperties") {
        return None;
    }
    remove_keyword(schema, PRESERVE)
}

fn make_required(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let mut all = required(schema);
    let is_optional = |name: &str| !all.iter().any(|field| field.as_str() == Some(name));
    let name = pick_field(schema, random, |name, field| is_optional(name) && !field.contains_key("default"))?;
    all.push(Doc::from(name.clone()));
    set_required(schema, all);
    Some(format!("{name} required"))
}

fn remove_enum_value(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let default = schema.get("default").cloned();
    let values = schema.get_mut("enum")?.as_list_mut()?;
    if values.len() < 2 {
        return None;
    }
    let at = random.below(values.len());
    if default.as_ref() == Some(&values[at]) {
        return None;
    }
    let removed = values.remove(at);
    Some(format!("enum without {removed}"))
}

fn add_enum(schema: &mut OwnedMap, _: &mut Random) -> Option<String> {
    (type_of(schema) == Some("string") && is_unlimited(schema))
        .then(|| set(schema, "enum", texts(&["First", "Second"])))
}

fn add_pattern(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let pattern = random.pick_text(&[
        "^[a-m]+$",
        "^[^a-m]*$",
        r"^\d{3}-\d{4}$",
        "^(https?|s3)://[^/]+/.*$",
        "^.{0,7}$",
    ]);
    let is_free = type_of(schema) == Some("string") && is_unlimited(schema);
    is_free.then(|| set(schema, "pattern", pattern.to_owned()))
}

fn limit_size(
    schema: &mut OwnedMap,
    random: &mut Random,
    of_type: &str,
    keyword: &'static str,
) -> Option<String> {
    let most = *random.pick(&[1, 3, 8, 16, 64, 256]);
    (type_of(schema) == Some(of_type) && is_unlimited(schema)).then(|| set(schema, keyword, Doc::Int(most)))
}

fn raise_minimum(
    schema: &mut OwnedMap,
    random: &mut Random,
    of_type: &str,
    keyword: &'static str,
) -> Option<String> {
    let least = *random.pick(&[1, 2, 5]);
    (type_of(schema) == Some(of_type) && is_unlimited(schema)).then(|| set(schema, keyword, Doc::Int(least)))
}

fn limit_number(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let has_only_format = {
        let mut without_format = schema.clone();
        without_format.remove("format");
        is_unlimited(&without_format)
    };
    let most = *random.pick(&[0, 10, 100, 65535, 1_000_000]);
    (type_of(schema) == Some("integer") && has_only_format).then(|| set(schema, "maximum", Doc::Int(most)))
}

fn change_type(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    const SCALARS: [&str; 3] = ["string", "integer", "boolean"];
    let old = type_of(schema).filter(|ty| SCALARS.contains(ty) && is_unlimited(schema))?.to_owned();
    let new = random.pick_text(&SCALARS);
    (new != old).then(|| set(schema, "type", new.to_owned()))
}

fn add_default(schema: &mut OwnedMap, _: &mut Random) -> Option<String> {
    if !is_unlimited(schema) {
        return None;
    }
    let default = match type_of(schema)? {
        "string" => Doc::from("standard".to_owned()),
        "integer" => Doc::Int(3),
        "boolean" => Doc::Bool(true),
        _ => return None,
    };
    Some(set(schema, "default", default))
}

fn change_list_type(schema: &mut OwnedMap, _: &mut Random) -> Option<String> {
    if type_of(schema) != Some("array") {
        return None;
    }
    let items = schema.get("items")?.as_map()?;
    let is_list_of_scalars = matches!(type_of(items), Some("string" | "integer"));
    let new = match schema.get(LIST_TYPE).and_then(Doc::as_str) {
        Some("set" | "map") => "atomic",
        _ if is_list_of_scalars => "set",
        _ => return None,
    };
    schema.remove(MAP_KEYS);
    Some(set(schema, LIST_TYPE, new.to_owned()))
}

fn change_list_map_keys(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let keys = schema.get(MAP_KEYS)?.as_list()?.to_vec();
    let items = schema.get_mut("items")?.as_map_mut()?;
    let is_key = |name: &str| keys.iter().any(|key| key.as_str() == Some(name));
    let is_scalar = |field: &OwnedMap| matches!(type_of(field), Some("string" | "integer" | "boolean"));
    let new = pick_field(items, random, |name, field| {
        !is_key(name) && is_scalar(field) && !field.contains_key("nullable")
    })?;
    // A key is required, or has a default.
    let mut all = required(items);
    if !all.iter().any(|field| field.as_str() == Some(&new)) {
        all.push(Doc::from(new.clone()));
        set_required(items, all);
    }
    let keys = keys.into_iter().chain([Doc::from(new)]).collect();
    Some(set(schema, MAP_KEYS, Doc::List(keys)))
}

fn change_map_type(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    // An object whose fields are all required has no field that a second manager could own alone.
    let all = required(schema);
    let has_optional =
        pick_field(schema, random, |name, _| !all.iter().any(|field| field.as_str() == Some(name)));
    if type_of(schema) != Some("object")
        || (has_optional.is_none() && !schema.contains_key("additionalProperties"))
    {
        return None;
    }
    let is_atomic = schema.get(MAP_TYPE).and_then(Doc::as_str) == Some("atomic");
    Some(set(schema, MAP_TYPE, if is_atomic { "granular" } else { "atomic" }.to_owned()))
}

fn add_rule(schema: &mut OwnedMap, random: &mut Random) -> Option<String> {
    let rule = match type_of(schema)? {
        "string" if is_unlimited(schema) => {
            random.pick_text(&["self.size() < 7", "!self.contains('/')", "self != 'default'"])
        }
        "integer" if is_unlimited(schema) => {
            random.pick_text(&["self < 30", "self != 8080", "self % 2 == 0"])
        }
        "array" if is_unlimited(schema) => "self.size() < 2",
        _ => return None,
    };
    let rule: OwnedMap = [(Text::from_static("rule"), Doc::from(rule.to_owned()))].into_iter().collect();
    Some(set(schema, RULES, Doc::List(vec![Doc::Map(rule)])))
}

/// Changes a version, which has the keyword `served`.
fn unserve(version: &mut OwnedMap, _: &mut Random) -> Option<String> {
    let is_served = version.get("served") == Some(&Doc::Bool(true)) && version.contains_key("storage");
    is_served.then(|| set(version, "served", Doc::Bool(false)))
}
