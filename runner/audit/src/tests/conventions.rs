//! Tests of changes of values that are not valid anywhere in Kubernetes.

use rstest::rstest;
use skewer_reports::audit::Severity;

use super::only_finding;

const CONDITION: &str = "type: {type: string}, status: {type: string}, lastTransitionTime: {type: string}";

/// Returns the severity and the last sentence of a limit that is added to the first field of an object.
fn of_limit(object: &str, fields: &str, limit: &str) -> (Severity, String) {
    let with = |limit: &str| {
        let fields = fields.replacen("string", &format!("string{limit}"), 1);
        object.replace("FIELDS", &format!("type: object, properties: {{{fields}}}"))
    };
    let (severity, _, effects) = only_finding(&with(""), &with(&format!(", {limit}")));
    (severity, effects.last().cloned().unwrap_or_default())
}

#[rstest]
#[case::name("poolRef: {FIELDS}", "name: {type: string}", "maxLength: 253", "it names an object")]
#[case::name_and_namespace(
    "pool: {FIELDS}",
    "name: {type: string}, namespace: {type: string}",
    "maxLength: 253",
    "it names an object"
)]
#[case::namespace(
    "pool: {FIELDS}",
    "namespace: {type: string}, name: {type: string}",
    "maxLength: 63",
    "the name of a namespace"
)]
#[case::key("secretRef: {FIELDS}", "key: {type: string}, name: {type: string}", "maxLength: 253", "a key of")]
#[case::api_version(
    "a: {FIELDS}",
    "apiVersion: {type: string}, kind: {type: string}",
    "maxLength: 317",
    "a group has"
)]
#[case::type_of_condition(
    "conditions: {type: array, items: {FIELDS}}",
    CONDITION,
    "maxLength: 316",
    "metav1.Condition"
)]
#[case::no_type_of_condition(
    "conditions: {type: array, items: {FIELDS}}",
    CONDITION,
    "minLength: 1",
    "metav1.Condition"
)]
fn a_value_that_is_valid_nowhere_is_a_note(
    #[case] object: &str,
    #[case] fields: &str,
    #[case] limit: &str,
    #[case] reason: &str,
) {
    let (severity, last) = of_limit(object, fields, limit);
    assert_eq!(severity, Severity::Note, "{last}");
    assert!(last.contains(reason), "{last}");
}

/// A value can be valid elsewhere, or the element is something else.
#[rstest]
#[case::shorter_name("poolRef: {FIELDS}", "name: {type: string}", "maxLength: 63")]
#[case::no_name("poolRef: {FIELDS}", "name: {type: string}", "minLength: 1")]
#[case::name_of_something("pool: {FIELDS}", "name: {type: string}", "maxLength: 253")]
#[case::short_type("conditions: {type: array, items: {FIELDS}}", CONDITION, "maxLength: 64")]
#[case::other_conditions("rules: {type: array, items: {FIELDS}}", CONDITION, "minLength: 1")]
fn a_value_that_is_valid_somewhere_is_loud(#[case] object: &str, #[case] fields: &str, #[case] limit: &str) {
    let (severity, last) = of_limit(object, fields, limit);
    assert_eq!(severity, Severity::Loud, "{last}");
}

#[rstest]
#[case::replicas("replicas", Severity::Note)]
#[case::generation("observedGeneration", Severity::Note)]
#[case::other("priority", Severity::Loud)]
fn a_negative_count_is_a_note(#[case] name: &str, #[case] expected: Severity) {
    let with = |limit: &str| format!("{name}: {{type: integer{limit}}}");
    let (severity, ..) = only_finding(&with(""), &with(", minimum: 0"));
    assert_eq!(severity, expected);
}

#[rstest]
#[case::status("status", Severity::Note)]
#[case::spec("spec", Severity::Silent)]
fn the_status_of_a_template_of_volume_claims_is_not_read(#[case] part: &str, #[case] expected: Severity) {
    let with = |lost: &str| {
        format!(
            "volumeClaimTemplate: {{type: object, properties: {{{part}: {{type: object, properties: {{a: {{type: string}}{lost}}}}}}}}}"
        )
    };
    let (severity, ..) = only_finding(&with(", lost: {type: string}"), &with(""));
    assert_eq!(severity, expected);
}

#[rstest]
#[case::same("1h0m0s", Severity::Note)]
#[case::other("1h1s", Severity::Silent)]
#[case::no_duration("one hour", Severity::Silent)]
fn a_default_of_the_same_duration_is_a_note(#[case] new: &str, #[case] expected: Severity) {
    let with = |default: &str| format!("interval: {{type: string, default: {default}}}");
    let (severity, ..) = only_finding(&with("1h"), &with(new));
    assert_eq!(severity, expected);
}
