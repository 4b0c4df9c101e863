//! The definition of the objects that random rules judge, and random objects.

use serde_json::{Map, Value, json};

use crate::random_testing::Random;

const TEXTS: [&str; 9] = ["", "a", "b", "abc", "x y", "äöü", "12", "-3.5", "ABC"];
const NUMBERS: [i64; 6] = [0, 1, 2, -1, 5, 9_223_372_036_854_775_807];

/// Returns a definition with rules for its specification. The message of a rule is `rN`, with its number.
///
/// With limits, texts, lists and maps are short, so that servers do not refuse most rules as too expensive.
pub(super) fn definition<'r>(rules: impl Iterator<Item = (usize, &'r str)>, has_limits: bool) -> Value {
    let rule = |(number, rule): (usize, &str)| json!({"rule": rule, "message": format!("r{number}")});
    let rules: Vec<Value> = rules.map(rule).collect();
    let text = json!({"type": "string", "maxLength": 5});
    let integer = json!({"type": "integer"});
    let format = |format: &str| json!({"type": "string", "format": format, "maxLength": 30});
    let list = |items: &Value| json!({"type": "array", "items": items, "maxItems": 4});
    let set = |items: &Value| json!({"type": "array", "items": items, "maxItems": 4, "x-kubernetes-list-type": "set"});
    let item = json!({"type": "object", "properties": {"k": text, "v": integer}, "required": ["k"]});
    let by_key = json!({"type": "array", "items": item, "maxItems": 4, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"]});
    let item = json!({"type": "object", "properties": {"k-e-y": text}, "required": ["k-e-y"]});
    let by_escaped_key = json!({"type": "array", "items": item, "maxItems": 4, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k-e-y"]});
    let spec = json!({
        "type": "object",
        "x-kubernetes-validations": rules,
        "properties": {
            "b": {"type": "boolean"},
            "i": integer,
            "n": {"type": "number"},
            "s": text,
            "namespace": text,
            "nu": {"type": "string", "maxLength": 5, "nullable": true},
            "e": {"type": "string", "enum": ["a", "b", "c"]},
            "q": text,
            "t": format("date-time"),
            "d": format("duration"),
            "y": format("byte"),
            "x": {"x-kubernetes-int-or-string": true, "maxLength": 5},
            "li": list(&integer),
            "ls": set(&text),
            "lo": by_key,
            "sn": set(&json!({"type": "number"})),
            "st": set(&format("date-time")),
            "ll": list(&list(&integer)),
            "lk": by_escaped_key,
            "on": {"type": "object", "properties": {"a": {"type": "integer", "nullable": true}, "b": integer}},
            "m": {"type": "object", "additionalProperties": integer, "maxProperties": 4},
            "o": {"type": "object", "properties": {"a": integer, "b": text}},
        },
    });
    let spec = if has_limits { spec } else { without_limits(spec) };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "tabs", "singular": "tab", "kind": "Tab", "listKind": "TabList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}],
        },
    })
}

fn without_limits(schema: Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(key, _)| !key.starts_with("max"));
            Value::Object(kept.map(|(key, value)| (key, without_limits(value))).collect())
        }
        other => other,
    }
}

/// Returns an object that is valid, apart from its rules.
pub(super) fn object(random: &mut Random) -> Value {
    let mut spec = Map::new();
    let names = [
        "b",
        "i",
        "n",
        "s",
        "namespace",
        "nu",
        "e",
        "q",
        "t",
        "d",
        "y",
        "x",
        "li",
        "ls",
        "lo",
        "m",
        "o",
        "sn",
        "st",
        "ll",
        "lk",
        "on",
    ];
    for name in names {
        if random.chance(850) {
            let value = field(random, name);
            spec.insert(name.to_owned(), value);
        }
    }
    json!({"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "x", "namespace": "n"}, "spec": spec})
}

fn field(random: &mut Random, name: &str) -> Value {
    let text = |random: &mut Random| json!(random.pick_text(&TEXTS));
    let integer = |random: &mut Random| json!(*random.pick(&NUMBERS));
    let length = random.below(4);
    match name {
        "b" => json!(random.chance(500)),
        "i" => integer(random),
        "n" => random.pick(&[json!(0), json!(1.5), json!(-2.25), json!(3), json!(1e20)]).clone(),
        "nu" => random.pick(&[Value::Null, json!("a"), json!("")]).clone(),
        "e" => json!(random.pick_text(&["a", "b", "c"])),
        "q" => json!(random.pick_text(&["1", "1500m", "2Ki", "x", ""])),
        "t" => json!(random.pick_text(&["2024-02-29T10:00:00Z", "2020-12-31T23:59:59.5+02:00"])),
        "d" => json!(random.pick_text(&["1h", "90s", "-1.5s", "0s"])),
        "y" => json!(random.pick_text(&["", "YWJj", "/w=="])),
        "x" => random.pick(&[json!(0), json!(1), json!("a"), json!("50%")]).clone(),
        "li" => Value::Array((0..length).map(|_| integer(random)).collect()),
        "ls" => json!(TEXTS.iter().skip(random.below(6)).take(length).collect::<Vec<_>>()),
        "lo" => {
            let item = |key: &&str| {
                if random.chance(700) {
                    json!({"k": key, "v": *random.pick(&NUMBERS)})
                } else {
                    json!({"k": key})
                }
            };
            Value::Array(["b", "a", "", "c"].iter().take(length).map(item).collect())
        }
        "sn" => json!([json!(1), json!(1.5), json!(0), json!(3)][..length]),
        "st" => {
            json!(["2024-02-29T10:00:00Z", "2020-12-31T23:59:59.5+02:00", "1970-01-01T00:00:00Z"][..length])
        }
        "ll" => Value::Array((0..length).map(|_| field(random, "li")).collect()),
        "lk" => Value::Array(["b", "a", ""].iter().take(length).map(|key| json!({"k-e-y": key})).collect()),
        "on" => random.pick(&[json!({}), json!({"a": null}), json!({"a": 1}), json!({"b": 1})]).clone(),
        "m" => {
            let entry = |key: &&str| ((*key).to_owned(), json!(*random.pick(&NUMBERS)));
            Value::Object(["a", "b", "12", ""].iter().take(length).map(entry).collect())
        }
        "o" => match random.below(3) {
            0 => json!({}),
            1 => json!({"a": *random.pick(&NUMBERS)}),
            _ => json!({"a": *random.pick(&NUMBERS), "b": random.pick_text(&TEXTS)}),
        },
        _ => text(random),
    }
}
