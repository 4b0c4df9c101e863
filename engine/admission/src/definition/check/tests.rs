//! A comparison with the validation of API servers: see `testdata.json`.

use serde::Deserialize;
use skewer_engine::document::{OwnedDoc, from_json};
use skewer_engine::error::Error;

use crate::definition::CustomResourceDefinition;

#[derive(Deserialize)]
struct Data {
    create: Vec<Create>,
    update: Vec<Update>,
}

#[derive(Deserialize)]
struct Create {
    name: String,
    errors: Vec<String>,
    definition: serde_json::Value,
}

#[derive(Deserialize)]
struct Update {
    name: String,
    errors: Vec<String>,
    old: serde_json::Value,
    new: serde_json::Value,
}

fn data() -> Data {
    serde_json::from_str(include_str!("testdata.json")).expect("valid JSON")
}

fn read(document: &serde_json::Value) -> Result<CustomResourceDefinition, Vec<Error>> {
    let document: OwnedDoc = from_json(document.to_string().as_bytes()).expect("valid JSON").to_static();
    CustomResourceDefinition::read(&document)
}

/// Returns a description of the difference between errors and the paths that are expected. A path can be that of a part, or
/// of what surrounds it.
fn difference(name: &str, errors: &[Error], expected: &[String]) -> Option<String> {
    let found: Vec<String> = errors.iter().map(|error| error.path().to_string()).collect();
    let is_near = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
    let are_found = expected.iter().all(|path| found.iter().any(|found| is_near(found, path)));
    let are_expected = found.iter().all(|found| expected.iter().any(|path| is_near(found, path)));
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    (!are_found || !are_expected).then(|| format!("{name}: expected {expected:?}, found {texts:?}"))
}

/// Rules are not compiled without the feature `cel`.
fn is_about_rules(name: &str) -> bool {
    name.starts_with("rule_") || name == "default_rule"
}

#[test]
fn a_definition_is_refused_as_an_api_server_refuses_it() {
    let cases = data().create;
    let is_compared = |case: &&Create| cfg!(feature = "cel") || !is_about_rules(&case.name);
    let compare = |case: &Create| {
        let errors = read(&case.definition).map_or_else(|errors| errors, |definition| definition.check());
        difference(&case.name, &errors, &case.errors)
    };
    let wrong: Vec<String> = cases.iter().filter(is_compared).filter_map(compare).collect();
    assert!(cases.len() > 60 && wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_update_is_refused_as_an_api_server_refuses_it() {
    let compare = |case: &Update| {
        let (new, old) = (read(&case.new).expect("a definition"), read(&case.old).expect("a definition"));
        difference(&case.name, &new.check_update(&old), &case.errors)
    };
    let wrong: Vec<String> = data().update.iter().filter_map(compare).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Upstream: `validateStructuralCompleteness`, which looks only at the root. The error of an API server is at the field that
/// is missing outside.
#[test]
fn a_field_inside_any_of_at_the_root_is_also_outside() {
    let json = |place: &str| {
        format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"tabs.example.com"}},
            "spec":{{"group":"example.com","scope":"Cluster","names":{{"kind":"Tab","plural":"tabs"}},"versions":[{{"name":"v1",
            "served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object",{place}}}}}}}]}}}}"#
        )
    };
    let errors = |place: &str| {
        let definition =
            read(&serde_json::from_str(&json(place)).expect("valid JSON")).expect("a definition");
        definition.check().iter().map(|error| error.path().to_string()).collect::<Vec<_>>()
    };
    let any_of = r#""anyOf":[{"properties":{"z":{"minLength":1}}}]"#;
    let path = "spec.versions[0].schema.openAPIV3Schema.anyOf[0].properties.z";
    assert_eq!(errors(any_of), [path]);
    let inside = format!(r#""properties":{{"a":{{"type":"object",{any_of}}}}}"#);
    assert_eq!(errors(&inside), [""; 0]);
}
