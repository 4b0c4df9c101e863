//! A comparison of the policy `structured-merge-diff` with `sigs.k8s.io/structured-merge-diff` v4.3.0, on all
//! combinations of a stored and a new object of a union with three members. Needs the Go adapter.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use skewer_engine::OwnedDoc;
use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::Schema;
use skewer_engine::schema::openapi;
use skewer_engine::union::{admit, policy};

use crate::go_adapter::{self, Adapter};

/// The members and their values. One value is the name of another member's field, as upstream takes a value that it
/// does not know for the name of a field.
const MEMBERS: [(&str, &str); 3] = [("a", "A"), ("b", "B"), ("c", "a")];

/// Values of the discriminator: those of the members, names of fields, one that names nothing, and no string.
const VALUES: [&str; 9] =
    [r#""A""#, r#""B""#, r#""a""#, r#""b""#, r#""c""#, r#""Unknown""#, r#""""#, "null", "1"];

/// A union as declared: whether it has a discriminator, and the flag `deduceInvalidDiscriminator`.
#[derive(Clone, Copy, Debug)]
struct Declaration {
    has_discriminator: bool,
    deduce: Option<bool>,
}

const DECLARATIONS: [Declaration; 4] = [
    Declaration { has_discriminator: false, deduce: None },
    Declaration { has_discriminator: true, deduce: None },
    Declaration { has_discriminator: true, deduce: Some(false) },
    Declaration { has_discriminator: true, deduce: Some(true) },
];

impl Declaration {
    /// Returns the type with the union, from the list form of `x-kubernetes-unions`.
    fn context(self) -> PatchContext {
        let fields: BTreeMap<&str, &str> = MEMBERS.into_iter().collect();
        let mut union = json!({"fields-to-discriminateBy": fields});
        if self.has_discriminator {
            union["discriminator"] = json!("type");
        }
        if let Some(deduce) = self.deduce {
            union["deduceInvalidDiscriminator"] = json!(deduce);
        }
        let any = json!({"x-kubernetes-preserve-unknown-fields": true});
        let document = json!({"components": {"schemas": {"Object": {
            "type": "object", "x-kubernetes-unions": [union],
            "properties": {"a": any, "b": any, "c": any, "type": any, "other": any},
        }}}});
        let document = from_json(document.to_string().as_bytes()).unwrap();
        let declarations = openapi::read(&document).unwrap();
        PatchContext::of(Arc::new(Schema::compile(&declarations).unwrap()), "Object").unwrap()
    }

    fn request(self, old: Option<&str>, new: &str) -> Json {
        let members: Vec<Json> =
            MEMBERS.iter().map(|(field, value)| json!({"field": field, "value": value})).collect();
        let mut union = json!({"kind": "zero-or-one", "members": members});
        if self.has_discriminator {
            union["kind"] = json!("discriminated");
            union["discriminator"] = json!("type");
        }
        if let Some(deduce) = self.deduce {
            union["deduceInvalidDiscriminator"] = json!(deduce);
        }
        let parse = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        let documents = json!({"old": old.map(parse), "new": parse(new)});
        json!({"operation": "normalize-union", "union": union, "documents": documents})
    }
}

/// Returns all objects: each member missing, null or set, and the discriminator missing or with each of its values.
fn objects() -> Vec<String> {
    let mut objects = vec![Vec::new()];
    for (member, _) in MEMBERS {
        let states = [None, Some(format!(r#""{member}":null"#)), Some(format!(r#""{member}":{{"x":1}}"#))];
        objects = product(&objects, &states);
    }
    let mut states = vec![None];
    states.extend(VALUES.map(|value| Some(format!(r#""type":{value}"#))));
    objects = product(&objects, &states);
    objects.iter().map(|fields| format!("{{{}}}", fields.join(","))).collect()
}

fn product(objects: &[Vec<String>], states: &[Option<String>]) -> Vec<Vec<String>> {
    let with = |fields: &Vec<String>, state: &Option<String>| fields.iter().chain(state).cloned().collect();
    objects.iter().flat_map(|fields| states.iter().map(move |state| with(fields, state))).collect()
}

/// Returns the stored objects. Null members are left out, because a stored object has none.
fn stored_objects() -> Vec<Option<String>> {
    let stored = objects().into_iter().filter(|object| !object.contains(r#"":null"#)).map(Some);
    [None].into_iter().chain(stored).collect()
}

/// Returns the normalized object as JSON text, or the kind of the error.
fn engine_answer(context: &PatchContext, old: Option<&OwnedDoc>, new: OwnedDoc) -> Result<Json, String> {
    let policy = policy::by_name("structured-merge-diff").unwrap();
    match admit(context, policy, old, new) {
        Ok(admitted) => Ok(serde_json::from_slice(&to_json(&admitted.object)).unwrap()),
        Err(errors) => Err(errors[0].kind().id().to_owned()),
    }
}

fn upstream_answer(reply: &Json) -> Result<Json, String> {
    match reply["kind"].as_str() {
        Some("result") => Ok(reply["result"].clone()),
        Some("refused") => Err(reply["error"]["kind"].as_str().unwrap().to_owned()),
        _ => panic!("unexpected reply {reply}"),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the test prints how many cases it compared")]
fn the_policy_agrees_with_upstream_on_all_combinations() {
    let Some(program) = go_adapter::program("structured_merge_diff") else { return };
    let mut adapter = Adapter::start(&program, "normalize-union");
    let (stored, new) = (stored_objects(), objects());
    let parse = |text: &str| from_json(text.as_bytes()).unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for declaration in DECLARATIONS {
        let context = declaration.context();
        for old in &stored {
            let requests = new.iter().map(|new| declaration.request(old.as_deref(), new)).collect();
            let old_document = old.as_deref().map(parse);
            for (new, reply) in new.iter().zip(adapter.run(requests)) {
                let upstream = upstream_answer(&reply);
                let engine = engine_answer(&context, old_document.as_ref(), parse(new));
                assert_eq!(engine, upstream, "{declaration:?}\nold {old:?}\nnew {new}");
                let answer = match upstream {
                    Ok(result) if result == serde_json::from_str::<Json>(new).unwrap() => {
                        "unchanged".to_owned()
                    }
                    Ok(_) => "changed".to_owned(),
                    Err(kind) => kind,
                };
                *counts.entry(answer).or_default() += 1;
            }
        }
    }
    adapter.stop();
    eprintln!("structured-merge-diff: {} combinations agree: {counts:?}", counts.values().sum::<usize>());
    assert_eq!(counts.values().sum::<usize>(), DECLARATIONS.len() * stored.len() * new.len());
    assert_eq!(counts.len(), 4, "the combinations do not cover all answers: {counts:?}");
}
