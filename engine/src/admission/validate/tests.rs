use rstest::rstest;

use crate::admission::definition::CustomResourceDefinition;
use crate::admission::{Admission, Reviewed};
use crate::document::{OwnedDoc, from_json};
use crate::error::Error;

fn document(json: &str) -> OwnedDoc {
    from_json(json.as_bytes()).expect("valid JSON").to_static()
}

/// Returns the admission of objects with these properties.
fn admission(properties: &str) -> Admission {
    let definition = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com",
        "names":{{"kind":"Tab"}},"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object",
        "properties":{{{properties}}}}}}}}}]}}}}"#
    );
    let mut definition = CustomResourceDefinition::read(&document(&definition)).expect("a valid definition");
    Admission::new(definition.versions.remove(0))
}

fn validate(admission: &Admission, new: &OwnedDoc, old: Option<&OwnedDoc>) -> Reviewed {
    admission.review(old, new.clone())
}

fn texts(errors: &[Error]) -> Vec<String> {
    errors.iter().map(|error| format!("{} {}", error.kind().id(), error.path())).collect()
}

#[rstest]
#[case::ty(r#""a":{"type":"string"}"#, r#"{"a":1}"#, "undecodable a")]
#[case::null(r#""a":{"type":"string"}"#, r#"{"a":null}"#, "undecodable a")]
#[case::int_or_string(r#""a":{"x-kubernetes-int-or-string":true}"#, r#"{"a":true}"#, "undecodable a")]
#[case::required(
    r#""a":{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}"#,
    r#"{"a":{}}"#,
    "required-field-missing a.b"
)]
#[case::enumeration(r#""a":{"type":"string","enum":["x"]}"#, r#"{"a":"z"}"#, "unknown-enum-value a")]
#[case::maximum(r#""a":{"type":"integer","maximum":3}"#, r#"{"a":4}"#, "invalid-value a")]
#[case::exclusive_minimum(
    r#""a":{"type":"integer","minimum":3,"exclusiveMinimum":true}"#,
    r#"{"a":3}"#,
    "invalid-value a"
)]
#[case::multiple(r#""a":{"type":"integer","multipleOf":3}"#, r#"{"a":4}"#, "invalid-value a")]
#[case::length(r#""a":{"type":"string","maxLength":1}"#, r#"{"a":"éé"}"#, "invalid-value a")]
#[case::items(
    r#""a":{"type":"array","minItems":1,"items":{"type":"string"}}"#,
    r#"{"a":[]}"#,
    "invalid-value a"
)]
#[case::item(r#""a":{"type":"array","items":{"type":"string"}}"#, r#"{"a":["b",1]}"#, "undecodable a[1]")]
#[case::value_of_a_map(
    r#""a":{"type":"object","additionalProperties":{"type":"string"}}"#,
    r#"{"a":{"k":1}}"#,
    "undecodable a.k"
)]
#[case::one_of(r#""a":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"oneOf":[{"required":["b"]},{"required":["c"]}]}"#, r#"{"a":{"b":"","c":""}}"#, "invalid-value a")]
#[case::not(
    r#""a":{"type":"object","properties":{"b":{"type":"string"}},"not":{"required":["b"]}}"#,
    r#"{"a":{"b":""}}"#,
    "invalid-value a"
)]
#[case::set(
    r#""a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}"#,
    r#"{"a":["b","b"]}"#,
    "duplicate-list-item a[1]"
)]
#[case::map(r#""a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string"}}}}"#, r#"{"a":[{"k":"b"},{"k":"b","v":"c"}]}"#, "duplicate-list-item a[1]")]
fn an_invalid_value_is_refused_and_ratcheted_if_it_did_not_change(
    #[case] properties: &str,
    #[case] object: &str,
    #[case] expected: &str,
) {
    let (admission, object) = (admission(properties), document(object));
    let created = validate(&admission, &object, None);
    assert_eq!(texts(&created.errors), [expected], "created");
    assert_eq!(created.warnings, []);
    let updated = validate(&admission, &object, Some(&object));
    assert_eq!(updated.errors, [], "updated without a change");
}

/// An error is ratcheted in the smallest value that did not change. Upstream: `ratchetingValueValidator`.
#[rstest]
#[case::another_field_of_the_object(r#"{"o":{"a":"old","b":"2"}}"#, &[], &["unknown-enum-value o.a"])]
#[case::the_value_itself(r#"{"o":{"a":"new","b":"1"}}"#, &["unknown-enum-value o.a"], &[])]
#[case::missing_in_an_unchanged_object(r#"{"o":{"a":"old","b":"1"},"p":"x"}"#, &[], &["unknown-enum-value o.a"])]
fn ratcheting_depends_on_what_changed(#[case] new: &str, #[case] errors: &[&str], #[case] warnings: &[&str]) {
    let admission = admission(
        r#""o":{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"string"}}},"p":{"type":"string"}"#,
    );
    let old = document(r#"{"o":{"a":"old","b":"1"}}"#);
    let validation = validate(&admission, &document(new), Some(&old));
    assert_eq!(
        (texts(&validation.errors).as_slice(), texts(&validation.warnings).as_slice()),
        (
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(),
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(),
        )
    );
}

#[rstest]
#[case::list_of_type_map("map", &[])]
#[case::atomic_list("atomic", &["unknown-enum-value l[0].v"])]
fn items_are_ratcheted_one_by_one_only_in_lists_of_type_map(
    #[case] list_type: &str,
    #[case] errors: &[&str],
) {
    let keys = if list_type == "map" { r#""x-kubernetes-list-map-keys":["k"],"# } else { "" };
    let admission = admission(&format!(
        r#""l":{{"type":"array","x-kubernetes-list-type":"{list_type}",{keys}"items":{{"type":"object","required":["k"],
        "properties":{{"k":{{"type":"string"}},"v":{{"type":"string","enum":["x"]}}}}}}}}"#
    ));
    let old = document(r#"{"l":[{"k":"a","v":"old"}]}"#);
    let new = document(r#"{"l":[{"k":"a","v":"old"},{"k":"b"}]}"#);
    assert_eq!(texts(&validate(&admission, &new, Some(&old)).errors), errors);
}
