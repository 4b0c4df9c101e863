use std::path::PathBuf;

use super::*;
use crate::test_support;

fn schema_text() -> String {
    serde_json::to_string_pretty(&schema()).unwrap() + "\n"
}

#[test]
fn the_checked_in_schema_is_current() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../results.schema.json");
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(&path, schema_text()).unwrap();
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(checked_in, schema_text(), "run the tests with SKEWER_UPDATE=1 to write it anew");
}

#[test]
fn a_written_file_fits_the_schema_and_a_wrong_one_does_not() {
    let schema = serde_json::to_value(schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut bytes = Vec::new();
    let problems = vec![test_support::problem("a\nb")];
    let results = Results { partial: true, problems, ..test_support::sample_results() };
    crate::json::write(&results, &mut bytes).unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());

    document["cells"][0]["status"] = "good".into();
    assert!(!validator.is_valid(&document));
}

#[test]
fn fields_without_a_value_are_left_out() {
    let json = serde_json::to_string(&Cell::new("s/c", "s", "c", Status::Skipped)).unwrap();
    assert_eq!(
        json,
        r#"{"id":"s/c","suite":"s","case":"c","axes":{},"level":"required","status":"skipped"}"#
    );
}

#[test]
fn a_selection_of_everything_is_left_out() {
    let json = serde_json::to_value(test_support::sample_results().run).unwrap();
    assert!(json.get("selection").is_none());
}
