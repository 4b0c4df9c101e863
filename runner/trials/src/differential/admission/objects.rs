//! Random objects for a schema, and changes of them.

use serde_json::{Map, Value, json};

use super::values::{FORMATS, KEYS, NAMES, PATTERNS, TEXTS, odd_values};
use crate::random_testing::Random;

/// Returns an object of the kind of the definitions.
pub(super) fn object(random: &mut Random, definition: &Value, mistakes: usize) -> Value {
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut object = value(random, schema, mistakes);
    if !object.is_object() {
        object = json!({});
    }
    object["apiVersion"] = json!("example.com/v1");
    object["kind"] = json!("Tab");
    object["metadata"] = json!({"name": "x", "namespace": "d"});
    object
}

/// Returns an object with some changes.
pub(super) fn changed(random: &mut Random, definition: &Value, old: &Value, mistakes: usize) -> Value {
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut new = old.clone();
    for part in ["spec", "status"] {
        let field = &schema["properties"][part];
        if !field.is_null() && new.get(part).is_some() {
            let changed = change(random, field, &new[part], mistakes);
            new[part] = changed;
        }
    }
    new
}

fn change(random: &mut Random, schema: &Value, old: &Value, mistakes: usize) -> Value {
    if random.chance(100) {
        return value(random, schema, mistakes);
    }
    match old {
        Value::Object(fields) => {
            let mut changed = Map::new();
            for (name, field) in fields {
                if random.chance(60) {
                    continue;
                }
                let new = match field_schema(schema, name) {
                    Some(field_schema) if random.chance(400) => change(random, field_schema, field, mistakes),
                    _ => field.clone(),
                };
                changed.insert(name.clone(), new);
            }
            if random.chance(200) {
                let name = random.pick_text(&NAMES);
                if let Some(field_schema) = field_schema(schema, name) {
                    changed.insert(name.to_owned(), value(random, field_schema, mistakes));
                }
            }
            Value::Object(changed)
        }
        Value::Array(items) => {
            let mut changed: Vec<Value> = items
                .iter()
                .map(|item| {
                    if random.chance(300) {
                        change(random, &schema["items"], item, mistakes)
                    } else {
                        item.clone()
                    }
                })
                .collect();
            if random.chance(150) {
                changed.push(value(random, &schema["items"], mistakes));
            }
            if random.chance(100) {
                changed.reverse();
            }
            Value::Array(changed)
        }
        scalar if random.chance(500) => scalar.clone(),
        _ => value(random, schema, mistakes),
    }
}

fn field_schema<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    schema["properties"].get(name).or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()))
}

/// Returns a value for a schema. Each part is a mistake with a probability of `mistakes` in a thousand. Without mistakes, the
/// keywords of the schema permit the value; rules, and `allOf` and the like, are not regarded.
pub(super) fn value(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    if random.chance(mistakes) {
        return random.pick(&odd_values()).clone();
    }
    if schema["nullable"] == json!(true) && random.chance(100) {
        return Value::Null;
    }
    if let Some(values) = schema["enum"].as_array() {
        return random.pick(values).clone();
    }
    match schema["type"].as_str() {
        Some("integer") => integer(random, schema, mistakes),
        Some("number") => number(random, schema, mistakes),
        Some("boolean") => json!(random.chance(500)),
        Some("string") => string(random, schema, mistakes),
        Some("array") => list(random, schema, mistakes),
        Some("object") => fields(random, schema, mistakes),
        _ => random.pick(&[json!(1), json!("x"), json!("50%"), json!(0)]).clone(),
    }
}

fn integer(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    if random.chance(mistakes) {
        return json!(*random.pick(&[-1_i64, 7, 99, 4_294_967_296]));
    }
    if schema.get("multipleOf").is_some() {
        return json!(*random.pick(&[0, 2, 4]));
    }
    json!(1 + random.below(3))
}

fn number(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    if random.chance(mistakes) {
        return json!(*random.pick(&[-0.25, 1e30, 7.3]));
    }
    if schema.get("maximum").is_some() {
        return json!(*random.pick(&[0.5, 2.5]));
    }
    random.pick(&[json!(1), json!(1.5), json!(2)]).clone()
}

fn string(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    let longest = schema["maxLength"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let known = [
        PATTERNS.iter().find(|(pattern, _)| schema["pattern"] == json!(pattern)),
        FORMATS.iter().find(|(format, _)| schema["format"] == json!(format)),
    ];
    if let (Some((_, text)), false) = (known.into_iter().flatten().next(), random.chance(mistakes)) {
        return json!(text);
    }
    let shortest = usize::from(schema.get("minLength").is_some());
    let fits = |text: &&&str| (shortest..=longest).contains(&text.chars().count());
    let texts: Vec<&&str> =
        if random.chance(mistakes) { TEXTS.iter().collect() } else { TEXTS.iter().filter(fits).collect() };
    json!(**random.pick(&texts))
}

fn list(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    let most = schema["maxItems"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(3);
    let least = usize::from(schema.get("minItems").is_some());
    let count =
        if random.chance(mistakes) { random.below(5) } else { least + random.below(most + 1 - least) };
    let mut items: Vec<Value> = (0..count).map(|_| value(random, &schema["items"], mistakes)).collect();
    if !random.chance(mistakes) {
        remove_repeated(schema, &mut items);
    }
    Value::Array(items)
}

fn remove_repeated(schema: &Value, items: &mut Vec<Value>) {
    let key = |item: &Value| match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => Some(item.clone()),
        Some("map") => Some(item["name"].clone()),
        _ => None,
    };
    let mut seen = Vec::new();
    items.retain(|item| match key(item) {
        Some(key) if seen.contains(&key) => false,
        Some(key) => {
            seen.push(key);
            true
        }
        None => true,
    });
}

fn fields(random: &mut Random, schema: &Value, mistakes: usize) -> Value {
    let mut fields = Map::new();
    if let Some(properties) = schema["properties"].as_object() {
        let is_required =
            |name: &String| schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        for (name, property) in properties {
            let share = if is_required(name) { 1000 - mistakes } else { 500 };
            if random.chance(share) {
                fields.insert(name.clone(), value(random, property, mistakes));
            }
        }
    }
    if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
        for _ in 0..random.below(3) {
            fields.insert(random.pick_text(&KEYS).to_owned(), value(random, values, mistakes));
        }
    }
    if schema["x-kubernetes-embedded-resource"] == json!(true) {
        embed(random, &mut fields, mistakes);
    }
    let keeps_unknown = schema.get("x-kubernetes-preserve-unknown-fields").is_some();
    if random.chance(if keeps_unknown { 500 } else { mistakes / 2 }) {
        fields.insert("z".to_owned(), random.pick(&odd_values()).clone());
    }
    Value::Object(fields)
}

fn embed(random: &mut Random, fields: &mut Map<String, Value>, mistakes: usize) {
    for (name, right, wrong) in
        [("apiVersion", json!("v1"), json!("a/b/c")), ("kind", json!("Inner"), json!("not a kind"))]
    {
        if !random.chance(mistakes) {
            let value = if random.chance(mistakes) { wrong } else { right };
            fields.insert(name.to_owned(), value);
        }
    }
    if random.chance(500) {
        let metadata = if random.chance(mistakes) {
            json!({"labels": {"not a key": "x"}})
        } else {
            json!({"name": "inner", "labels": {"k": "v"}})
        };
        fields.insert("metadata".to_owned(), metadata);
    }
}
