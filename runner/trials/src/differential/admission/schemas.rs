//! Random definitions.

use serde_json::{Map, Value, json};

use super::objects::value;
use super::values::{FORMATS, NAMES, PATTERNS, rules};
use crate::random_testing::Random;

/// Maximum nesting of generated schemas.
const MAX_DEPTH: usize = 3;

/// The limits of the schemas below a part of a schema.
#[derive(Clone, Copy)]
struct SchemaLimits {
    depth: usize,
    /// Whether the value has an old value, which rules may then name.
    is_correlated: bool,
}

impl SchemaLimits {
    fn below(self, is_correlated: bool) -> SchemaLimits {
        SchemaLimits { depth: self.depth + 1, is_correlated: self.is_correlated && is_correlated }
    }
}

/// Returns a random definition with one version.
pub(in crate::differential) fn definition(random: &mut Random) -> Value {
    let limits = SchemaLimits { depth: 0, is_correlated: true };
    let mut properties = Map::new();
    properties.insert("spec".to_owned(), object(random, limits));
    if random.chance(500) {
        let status = object(random, limits.below(true));
        properties.insert("status".to_owned(), status);
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if random.chance(300) {
        schema["required"] = json!(["spec"]);
    }
    let mut subresources = Map::new();
    if random.chance(300) {
        subresources.insert("status".to_owned(), json!({}));
    }
    if random.chance(100) {
        let paths = json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"});
        subresources.insert("scale".to_owned(), paths);
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "tabs", "kind": "Tab"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn schema(random: &mut Random, limits: SchemaLimits) -> Value {
    let scalar_or_nested = if limits.depth < MAX_DEPTH { 12 } else { 7 };
    let mut schema = match random.below(scalar_or_nested) {
        0 | 1 => integer(random),
        2 => number(random),
        3 => json!({"type": "boolean"}),
        4 | 5 => string(random),
        6 => json!({"x-kubernetes-int-or-string": true}),
        7 | 8 => object(random, limits),
        9 => map(random, limits),
        10 => list(random, limits),
        _ => free_object(random),
    };
    add_alternatives(random, &mut schema);
    add_rules(random, &mut schema, limits);
    if random.chance(150) {
        schema["nullable"] = json!(true);
    }
    if random.chance(200) {
        let default = value(random, &schema, 0);
        if !default.is_null() {
            schema["default"] = default;
        }
    }
    schema
}

fn integer(random: &mut Random) -> Value {
    let mut schema = json!({"type": "integer"});
    match random.below(5) {
        0 => schema["enum"] = json!([0, 2, 5]),
        1 => schema["minimum"] = json!(1),
        2 => {
            schema["maximum"] = json!(4);
            schema["exclusiveMaximum"] = json!(random.chance(500));
        }
        3 => schema["multipleOf"] = json!(2),
        _ => {}
    }
    if random.chance(150) {
        schema["format"] = json!(random.pick_text(&["int32", "int64"]));
    }
    schema
}

fn number(random: &mut Random) -> Value {
    let mut schema = json!({"type": "number"});
    match random.below(4) {
        0 => schema["minimum"] = json!(0.5),
        1 => schema["maximum"] = json!(2.5),
        2 => schema["multipleOf"] = json!(0.5),
        _ => {}
    }
    schema
}

fn string(random: &mut Random) -> Value {
    let mut schema = json!({"type": "string"});
    match random.below(7) {
        0 => schema["enum"] = json!(["x", "y", "abc"]),
        1 => schema["minLength"] = json!(1),
        2 | 3 => schema["pattern"] = json!(random.pick(&PATTERNS).0),
        4 => schema["format"] = json!(random.pick(&FORMATS).0),
        _ => {}
    }
    if random.chance(300) {
        schema["maxLength"] = json!(*random.pick(&[1, 2, 5, 40]));
    }
    schema
}

fn object(random: &mut Random, limits: SchemaLimits) -> Value {
    let count = 1 + random.below(4);
    let mut properties = Map::new();
    for _ in 0..count {
        let name = random.pick_text(&NAMES);
        let field = schema(random, limits.below(true));
        properties.insert(name.to_owned(), field);
    }
    let names: Vec<String> = properties.keys().cloned().collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if random.chance(350) {
        schema["required"] = json!([random.pick(&names)]);
    }
    if random.chance(60) {
        schema["maxProperties"] = json!(2);
    }
    if random.chance(60) {
        schema["minProperties"] = json!(1);
    }
    if random.chance(60) {
        schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    if random.chance(60) {
        schema["x-kubernetes-map-type"] = json!("atomic");
    }
    if limits.depth == 0 {
        add_rules(random, &mut schema, limits);
    }
    schema
}

fn map(random: &mut Random, limits: SchemaLimits) -> Value {
    let values = schema(random, limits.below(true));
    let mut schema = json!({"type": "object", "additionalProperties": values});
    if random.chance(700) {
        schema["maxProperties"] = json!(*random.pick(&[1, 3]));
    }
    schema
}

fn list(random: &mut Random, limits: SchemaLimits) -> Value {
    let mut schema = match random.below(4) {
        0 => {
            let items = json!({"type": random.pick_text(&["string", "integer"])});
            json!({"type": "array", "items": items, "x-kubernetes-list-type": "set"})
        }
        1 => {
            let mut items = object(random, limits.below(true));
            items["properties"]["name"] = json!({"type": "string", "maxLength": 10});
            items["required"] = json!(["name"]);
            items.as_object_mut().map(|items| items.remove("x-kubernetes-map-type"));
            json!({"type": "array", "items": items, "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"]})
        }
        _ => json!({"type": "array", "items": schema(random, limits.below(false))}),
    };
    if random.chance(700) {
        schema["maxItems"] = json!(*random.pick(&[1, 3]));
    }
    if random.chance(100) {
        schema["minItems"] = json!(1);
    }
    schema
}

fn free_object(random: &mut Random) -> Value {
    let mut schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    if random.chance(500) {
        schema["x-kubernetes-embedded-resource"] = json!(true);
    }
    schema
}

fn add_alternatives(random: &mut Random, schema: &mut Value) {
    if !random.chance(200) {
        return;
    }
    let first = nested(random, schema);
    let second = nested(random, schema);
    match random.below(4) {
        0 => schema["allOf"] = json!([first, second]),
        1 => schema["anyOf"] = json!([first, second]),
        2 => schema["oneOf"] = json!([first, second]),
        _ => schema["not"] = first,
    }
}

/// Returns a schema for `allOf` and the like, which only validates.
fn nested(random: &mut Random, schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("integer" | "number") => {
            random.pick(&[json!({"minimum": 2}), json!({"maximum": 3}), json!({"enum": [0, 1, 2]})]).clone()
        }
        Some("string") => random
            .pick(&[json!({"maxLength": 2}), json!({"pattern": "^x"}), json!({"enum": ["x", "abc"]})])
            .clone(),
        Some("array") => random.pick(&[json!({"maxItems": 1}), json!({"minItems": 1})]).clone(),
        Some("object") => match schema["properties"].as_object() {
            Some(properties) if !properties.is_empty() => {
                let names: Vec<&String> = properties.keys().collect();
                let name = *random.pick(&names);
                if random.chance(500) {
                    return json!({"required": [name]});
                }
                let field = nested(random, &properties[name]);
                json!({"properties": {name: field}})
            }
            _ => random.pick(&[json!({"minProperties": 1}), json!({"maxProperties": 1})]).clone(),
        },
        _ => json!({"enum": ["x", 1]}),
    }
}

fn add_rules(random: &mut Random, schema: &mut Value, limits: SchemaLimits) {
    if !random.chance(250) {
        return;
    }
    let ty = match schema["type"].as_str() {
        Some("object") if schema.get("additionalProperties").is_some() => "map",
        Some(ty) => ty,
        None => return,
    };
    let rule = if ty == "object" {
        rule_of_object(random, schema, limits)
    } else {
        Some(rule_of(random, ty, limits))
    };
    let Some(mut rule) = rule else { return };
    if random.chance(200) {
        rule["message"] = json!("not valid");
    }
    if random.chance(200) {
        rule["reason"] = json!(random.pick_text(&[
            "FieldValueInvalid",
            "FieldValueForbidden",
            "FieldValueRequired",
            "FieldValueDuplicate"
        ]));
    }
    schema["x-kubernetes-validations"] = json!([rule]);
}

fn rule_of(random: &mut Random, ty: &str, limits: SchemaLimits) -> Value {
    let (plain, of_changes) = rules(ty);
    if limits.is_correlated && random.chance(400) {
        let text = random.pick_text(of_changes);
        return with_old_value(random, text);
    }
    json!({"rule": random.pick_text(plain)})
}

/// Makes a rule about a change, some with an optional old value.
fn with_old_value(random: &mut Random, rule: &str) -> Value {
    if random.chance(300) {
        let rule = format!("!oldSelf.hasValue() || ({})", rule.replace("oldSelf", "oldSelf.value()"));
        return json!({"rule": rule, "optionalOldSelf": true});
    }
    json!({"rule": rule})
}

fn rule_of_object(random: &mut Random, schema: &Value, limits: SchemaLimits) -> Option<Value> {
    let properties = schema["properties"].as_object()?;
    let names: Vec<&String> = properties.keys().collect();
    if names.is_empty() {
        return None;
    }
    let (first, second) = (*random.pick(&names), *random.pick(&names));
    let mut rule = match random.below(4) {
        0 => json!({"rule": format!("has(self.{first}) || !has(self.{second})")}),
        1 => json!({"rule": format!("!has(self.{first})")}),
        2 if limits.is_correlated => {
            let text = format!("!has(oldSelf.{first}) || has(self.{first})");
            with_old_value(random, &text)
        }
        _ => {
            let ty = properties[first]["type"].as_str()?;
            if ty == "object" {
                return None;
            }
            let (plain, _) = rules(ty);
            let text = random.pick_text(plain).replace("self", &format!("self.{first}"));
            json!({"rule": format!("!has(self.{first}) || ({text})")})
        }
    };
    if random.chance(300) {
        rule["fieldPath"] = json!(format!(".{first}"));
    }
    Some(rule)
}
