use rstest::rstest;

use crate::definition::CustomResourceDefinition;
#[cfg(feature = "cel")]
use crate::structural::ValidationRule;
use crate::{Admission, Reviewed};
use skewer_engine::document::{OwnedDoc, from_json};
use skewer_engine::error::Error;

fn document(json: &str) -> OwnedDoc {
    from_json(json.as_bytes()).expect("valid JSON").to_static()
}

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
    "duplicate-value a[1]"
)]
#[case::map(r#""a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"string"}}}}"#, r#"{"a":[{"k":"b"},{"k":"b","v":"c"}]}"#, "duplicate-value a[1]")]
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

/// The errors of an object whose only rule does not hold. The rule is not evaluated after an error that blocks rules. The
/// expectations are the answers of `customResourceStrategy` of `apiextensions-apiserver` 0.37.2.
#[cfg(feature = "cel")]
#[rstest]
#[case::too_long(r#"{"type":"string","maxLength":1}"#, r#""xx""#, &["invalid-value a"])]
#[case::too_short(r#"{"type":"string","minLength":3}"#, r#""xx""#, &["invalid-value a", "rule"])]
#[case::too_many_items(r#"{"type":"array","maxItems":1,"items":{"type":"integer"}}"#, "[1,2]", &["invalid-value a"])]
#[case::too_few_items(r#"{"type":"array","minItems":3,"items":{"type":"integer"}}"#, "[1,2]", &["invalid-value a", "rule"])]
#[case::too_many_fields(r#"{"type":"object","maxProperties":1,"additionalProperties":{"type":"integer"}}"#, r#"{"x":1,"y":2}"#, &["invalid-value a"])]
#[case::too_few_fields(r#"{"type":"object","minProperties":3,"additionalProperties":{"type":"integer"}}"#, r#"{"x":1,"y":2}"#, &["invalid-value a", "rule"])]
#[case::a_field_where_there_is_none(r#"{"type":"object","additionalProperties":false}"#, r#"{"x":1}"#, &["invalid-value a", "rule"])]
#[case::other_field(r#"{"type":"object","additionalProperties":false,"x-kubernetes-preserve-unknown-fields":true}"#, r#"{"x":1}"#, &["invalid-value a", "rule"])]
#[case::maximum(r#"{"type":"integer","maximum":1}"#, "2", &["invalid-value a", "rule"])]
#[case::pattern(r#"{"type":"string","pattern":"^x$"}"#, r#""y""#, &["invalid-value a", "rule"])]
#[case::format(r#"{"type":"string","format":"ipv4"}"#, r#""y""#, &["undecodable a"])]
#[case::unknown_format(r#"{"type":"string","format":"color"}"#, r#""y""#, &["rule"])]
#[case::enumeration(r#"{"type":"string","enum":["x"]}"#, r#""y""#, &["unknown-enum-value a"])]
#[case::required(r#"{"type":"object","required":["b"],"properties":{"b":{"type":"string"}}}"#, "{}", &["required-field-missing a.b"])]
#[case::ty(r#"{"type":"string"}"#, "1", &["undecodable a"])]
#[case::only_the_second_of_equal_items(r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}"#, r#"["x","x","x"]"#, &["duplicate-value a[1]", "rule"])]
#[case::one_of_none(r#"{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"oneOf":[{"required":["b"]},{"required":["c"]}]}"#, "{}", &["invalid-value a", "required-field-missing a.b"])]
#[case::one_of_both(r#"{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"oneOf":[{"required":["b"]},{"required":["c"]}]}"#, r#"{"b":"","c":""}"#, &["invalid-value a", "rule"])]
#[case::the_schema_with_most_checks(r#"{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"anyOf":[{"required":["b"]},{"properties":{"c":{"minLength":3}}}]}"#, r#"{"c":"xx"}"#, &["invalid-value a", "invalid-value a.c", "rule"])]
#[case::all_of(r#"{"type":"string","allOf":[{"maxLength":1},{"minLength":4}]}"#, r#""xx""#, &["invalid-value a", "invalid-value a", "invalid-value a"])]
#[case::not(r#"{"type":"string","not":{"enum":["x"]}}"#, r#""x""#, &["invalid-value a", "rule"])]
#[case::first_error_of_a_text_and_format(r#"{"type":"string","maxLength":1,"pattern":"^x","format":"ipv4"}"#, r#""yy""#, &["invalid-value a", "undecodable a"])]
#[case::null_is_in_no_enum(r#"{"type":"string","nullable":true,"enum":["x"]}"#, "null", &["unknown-enum-value a"])]
#[case::fractions_are_cut_off_in_enums(r#"{"type":"number","enum":[1]}"#, "1.5", &["rule"])]
#[case::limit_of_an_integer_with_a_fraction(r#"{"type":"integer","maximum":3.5}"#, "2", &["invalid-value a", "rule"])]
#[case::limit_of_a_number_loses_its_fraction(r#"{"type":"number","exclusiveMaximum":true,"maximum":3.5}"#, "3", &["invalid-value a", "rule"])]
#[case::factor_of_an_integer(r#"{"type":"number","multipleOf":0.5}"#, "3", &["invalid-value a", "rule"])]
#[case::factor_of_a_float(r#"{"type":"number","multipleOf":0.1}"#, "0.3", &["rule"])]
#[case::int32(r#"{"type":"integer","format":"int32"}"#, "2147483648", &["invalid-value a", "rule"])]
#[case::large_integer(r#"{"type":"integer"}"#, "1e20", &["undecodable a", "invalid-value a"])]
#[case::float(r#"{"type":"number","format":"float"}"#, "1e39", &["invalid-value a", "rule"])]
#[case::list_with_a_format(r#"{"type":"string","format":"date"}"#, r#"["x"]"#, &["rule"])]
#[case::format_without_a_type(r#"{"x-kubernetes-preserve-unknown-fields":true,"format":"date"}"#, "1", &["undecodable a"])]
fn rules_are_not_evaluated_after_some_errors(
    #[case] schema: &str,
    #[case] value: &str,
    #[case] expected: &[&str],
) {
    let mut version = admission(&format!(r#""a":{schema}"#)).version;
    version.schema.rules.push(ValidationRule { rule: "false".to_owned(), ..ValidationRule::default() });
    let reviewed = Admission::new(version).review(None, document(&format!(r#"{{"a":{value}}}"#)));
    let mut found = texts(&reviewed.errors);
    if reviewed.errors.last().is_some_and(|error| error.message() == "failed rule: false") {
        *found.last_mut().expect("an error") = "rule".to_owned();
    }
    assert_eq!(found, expected);
}

/// Answers of `customResourceStrategy` of `apiextensions-apiserver` 0.37.2.
#[rstest]
#[case::item_without_a_key(r#""a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"string","maxLength":1}}}}"#, r#"{"a":[{"v":"xx"}]}"#, "invalid-value a[0].v")]
#[case::object_with_an_unknown_field(r#""a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"k":{"type":"string"}},"required":["z"]}"#, r#"{"a":{"q":1}}"#, "required-field-missing a.z")]
fn a_value_that_has_no_old_value_is_not_ratcheted(
    #[case] properties: &str,
    #[case] object: &str,
    #[case] expected: &str,
) {
    let (admission, object) = (admission(properties), document(object));
    assert_eq!(texts(&validate(&admission, &object, Some(&object)).errors), [expected]);
}

#[test]
fn a_field_in_all_of_is_not_ratcheted_by_itself() {
    let admission = admission(
        r#""a":{"type":"string","allOf":[{"pattern":"^x"}]},"b":{"type":"object","properties":{"a":{"type":"string"},
        "c":{"type":"string"}},"allOf":[{"properties":{"a":{"pattern":"^x"}}}]}"#,
    );
    let old = document(r#"{"a":"y","b":{"a":"y"}}"#);
    let new = document(r#"{"a":"y","b":{"a":"y","c":"1"}}"#);
    let reviewed = validate(&admission, &new, Some(&old));
    assert_eq!(texts(&reviewed.errors), ["invalid-value b.a", "invalid-value b"]);
    assert_eq!(texts(&reviewed.warnings), ["invalid-value a", "invalid-value a"]);
}

#[cfg(feature = "cel")]
#[rstest]
#[case::unchanged(r#"{"a":{"b":"y"},"c":"1"}"#, &[], &["invalid-value a"])]
#[case::changed(r#"{"a":{"b":"z"}}"#, &["invalid-value a"], &[])]
fn rules_are_ratcheted(#[case] new: &str, #[case] errors: &[&str], #[case] warnings: &[&str]) {
    let admission = admission(
        r#""a":{"type":"object","x-kubernetes-validations":[{"rule":"self.b == 'x'"}],
        "properties":{"b":{"type":"string"}}},"c":{"type":"string"}"#,
    );
    let old = document(r#"{"a":{"b":"y"}}"#);
    let reviewed = validate(&admission, &document(new), Some(&old));
    assert_eq!((texts(&reviewed.errors), texts(&reviewed.warnings)), (owned(errors), owned(warnings)));
}

#[cfg(feature = "cel")]
fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// The feature gate `CRDValidationRatcheting` is on by default since 1.30. `numberValidator` has types and formats since the
/// version of `kube-openapi` that 1.36 uses.
#[rstest]
#[case::ratcheting_off(29, r#"{"type":"string","maxLength":1}"#, r#""xx""#, &["invalid-value a"])]
#[case::ratcheting_on(30, r#"{"type":"string","maxLength":1}"#, r#""xx""#, &[])]
#[case::list_types_without_ratcheting(29, r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}"#, r#"["x","x"]"#, &[])]
fn a_release_ratchets_since_1_30(
    #[case] minor: u32,
    #[case] schema: &str,
    #[case] value: &str,
    #[case] expected: &[&str],
) {
    let version = admission(&format!(r#""a":{schema}"#)).version;
    let object = document(&format!(r#"{{"a":{value}}}"#));
    let reviewed = Admission::of_release(version, minor).review(Some(&object), object.clone());
    assert_eq!(texts(&reviewed.errors), expected);
}

#[rstest]
#[case::range(35, r#"{"type":"integer","format":"int32"}"#, "2147483648", &[])]
#[case::range_since_1_36(36, r#"{"type":"integer","format":"int32"}"#, "2147483648", &["invalid-value a"])]
#[case::name(34, r#"{"type":"string","format":"k8s-short-name"}"#, r#""A""#, &[])]
#[case::name_since_1_35(35, r#"{"type":"string","format":"k8s-short-name"}"#, r#""A""#, &["undecodable a"])]
fn formats_depend_on_the_release(
    #[case] minor: u32,
    #[case] schema: &str,
    #[case] value: &str,
    #[case] expected: &[&str],
) {
    let version = admission(&format!(r#""a":{schema}"#)).version;
    let object = document(&format!(r#"{{"a":{value}}}"#));
    let reviewed = Admission::of_release(version, minor).review(None, object);
    assert_eq!(texts(&reviewed.errors), expected);
}

/// The expectations are the answers of `k8s.io/apiextensions-apiserver` 0.37.2.
#[test]
fn an_error_that_two_schemas_find_is_reported_once() {
    let admission = admission(
        r#""a":{"type":"object","oneOf":[{"properties":{"b":{"enum":["x"]}}}],"properties":{"b":{"type":"string",
        "enum":["x"]}}}"#,
    );
    let reviewed = validate(&admission, &document(r#"{"a":{"b":"y"}}"#), None);
    assert_eq!(texts(&reviewed.errors), ["invalid-value a", "unknown-enum-value a.b"]);
}

/// The value has the wrong type, which is ratcheted, so that the rule is evaluated. The expectations are the answers of
/// `k8s.io/apiextensions-apiserver` 0.37.2.
#[cfg(feature = "cel")]
#[rstest]
#[case::object("object", "[]")]
#[case::boolean("boolean", "-1")]
fn has_is_an_error_for_a_field_that_does_not_fit_its_schema(#[case] ty: &str, #[case] value: &str) {
    let admission = admission(&format!(
        r#""a":{{"type":"object","properties":{{"b":{{"type":"{ty}"}},"c":{{"type":"string"}}}},
        "x-kubernetes-validations":[{{"rule":"has(self.b) || !has(self.b)"}}]}}"#
    ));
    let old = document(&format!(r#"{{"a":{{"b":{value}}}}}"#));
    let new = document(&format!(r#"{{"a":{{"b":{value},"c":"x"}}}}"#));
    assert_eq!(texts(&validate(&admission, &new, Some(&old)).errors), ["invalid-value a"]);
}

/// As above, for a key of a map.
#[cfg(feature = "cel")]
#[test]
fn in_is_an_error_for_a_value_that_does_not_fit_its_schema() {
    let admission = admission(
        r#""a":{"type":"object","additionalProperties":{"type":"object"},
        "x-kubernetes-validations":[{"rule":"!('k' in oldSelf) || 'k' in self"}]}"#,
    );
    let object = document(r#"{"a":{"k":[]}}"#);
    assert_eq!(texts(&validate(&admission, &object, Some(&object)).errors), ["invalid-value a"]);
}
