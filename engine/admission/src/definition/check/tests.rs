//! A comparison with the validation of API servers: see `testdata.json`.

use std::collections::BTreeSet;

use serde::Deserialize;
use skewer_engine::document::{OwnedDoc, from_json};

use super::DefinitionRequest;
use crate::definition::CustomResourceDefinition;

#[derive(Deserialize)]
struct Data {
    create: Vec<Create>,
    update: Vec<Update>,
}

#[derive(Deserialize)]
struct Create {
    name: String,
    errors: BTreeSet<String>,
    definition: serde_json::Value,
}

#[derive(Deserialize)]
struct Update {
    name: String,
    errors: BTreeSet<String>,
    old: serde_json::Value,
    new: serde_json::Value,
}

fn data() -> Data {
    serde_json::from_str(include_str!("testdata.json")).expect("valid JSON")
}

fn document(document: &serde_json::Value) -> OwnedDoc {
    from_json(document.to_string().as_bytes()).expect("valid JSON").to_static()
}

/// Returns the reason and the path of each error of the answer.
fn errors(new: &serde_json::Value, old: Option<&serde_json::Value>) -> BTreeSet<String> {
    let (new, old) = (document(new), old.map(document));
    let answer = match (DefinitionRequest { new: &new, old: old.as_ref() }).answer() {
        Ok(answer) => answer,
        Err(error) => return BTreeSet::from([error.kind().id().to_owned()]),
    };
    let errors = answer.as_map().and_then(|answer| answer.get("errors")?.as_list()).expect("errors");
    let text = |error: &OwnedDoc, key: &str| {
        error.as_map().and_then(|error| error.get(key)?.as_str()).expect("a text").to_owned()
    };
    errors.iter().map(|error| format!("{} {}", text(error, "reason"), text(error, "path"))).collect()
}

fn difference(name: &str, found: &BTreeSet<String>, expected: &BTreeSet<String>) -> Option<String> {
    (found != expected).then(|| format!("{name}: expected {expected:#?}, found {found:#?}"))
}

/// Rules are not compiled without the feature `cel`.
fn has_rules_that_are_not_compiled(definition: &serde_json::Value) -> bool {
    cfg!(not(feature = "cel")) && definition.to_string().contains("x-kubernetes-validations")
}

#[test]
fn a_definition_is_refused_as_an_api_server_refuses_it() {
    let cases = data().create;
    let compare = |case: &Create| difference(&case.name, &errors(&case.definition, None), &case.errors);
    let is_compared = |case: &&Create| !has_rules_that_are_not_compiled(&case.definition);
    let wrong: Vec<String> = cases.iter().filter(is_compared).filter_map(compare).collect();
    assert!(cases.len() > 140 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_update_is_refused_as_an_api_server_refuses_it() {
    let cases = data().update;
    let compare = |case: &Update| difference(&case.name, &errors(&case.new, Some(&case.old)), &case.errors);
    let is_compared = |case: &&Update| !has_rules_that_are_not_compiled(&case.new);
    let wrong: Vec<String> = cases.iter().filter(is_compared).filter_map(compare).collect();
    assert!(cases.len() > 25 && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The reasons are in front of the messages, also of a definition that cannot be read.
#[test]
fn the_message_of_an_error_begins_with_the_reason_of_the_server() {
    let data = data();
    let messages = |name: &str| -> Vec<String> {
        let case = data.create.iter().find(|case| case.name == name).expect("a case");
        let errors = CustomResourceDefinition::read_accepted(&document(&case.definition)).unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    };
    let path = "spec.versions[0].schema.openAPIV3Schema.properties.a";
    assert_eq!(
        messages("array_without_items"),
        [format!("{path}.items: Required value: missing: a list has a schema for its items")]
    );
    assert_eq!(messages("scope"), ["spec.scope: Unsupported value: expected Namespaced or Cluster"]);
    let description = format!("{path}.description: expected a string, found an integer");
    assert_eq!(messages("undecodable_description"), [description]);
}
