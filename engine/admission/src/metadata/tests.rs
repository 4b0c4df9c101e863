//! The expectations are the answers of `apiextensions-apiserver` 0.37.2: `objectmeta.Coerce`, `pruning.Prune`, and
//! `customResourceStrategy.Validate`.

use rstest::rstest;
use skewer_engine::document::{OwnedDoc, from_json};
use skewer_engine::error::Error;

use crate::Admission;
use crate::definition::CustomResourceDefinition;

fn document(json: &str) -> OwnedDoc {
    from_json(json.as_bytes()).expect("valid JSON").to_static()
}

fn admission(properties: &str, subresources: &str) -> Admission {
    let definition = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com",
        "names":{{"kind":"Tab"}},"versions":[{{"name":"v1","subresources":{subresources},
        "schema":{{"openAPIV3Schema":{{"type":"object","properties":{{{properties}}}}}}}}}]}}}}"#
    );
    let mut definition = CustomResourceDefinition::read(&document(&definition)).expect("a valid definition");
    Admission::new(definition.versions.remove(0))
}

const EMBEDDED: &str = r#""a":{"type":"object","x-kubernetes-embedded-resource":true,
    "properties":{"spec":{"type":"object"}}}"#;

fn texts(errors: &[Error]) -> Vec<String> {
    errors.iter().map(|error| format!("{} {}", error.kind().id(), error.path())).collect()
}

#[rstest]
#[case::zero_values_are_left_out(
    r#"{"metadata":{"name":"x","labels":{},"annotations":{"a":null},"finalizers":[],"creationTimestamp":null,"generation":0}}"#,
    r#"{"metadata":{"name":"x","annotations":{"a":""}}}"#
)]
#[case::no_metadata(r#"{"metadata":null}"#, r#"{"metadata":{}}"#)]
#[case::unknown_fields(r#"{"metadata":{"name":"x","foo":1},"foo":1}"#, r#"{"metadata":{"name":"x"}}"#)]
#[case::inside(
    r#"{"a":{"metadata":{"ownerReferences":[{"name":"x"}],"zz":1},"foo":1,"spec":{"x":1}}}"#,
    r#"{"a":{"metadata":{"ownerReferences":[{"name":"x","apiVersion":"","kind":"","uid":""}]},"spec":{}}}"#
)]
fn metadata_is_decoded_into_its_type(#[case] object: &str, #[case] expected: &str) {
    let decoded = admission(EMBEDDED, "{}").decode(&document(object), false).expect("a decoded object");
    assert_eq!(decoded, document(expected));
}

#[rstest]
#[case::root(r#"{"metadata":{"name":1}}"#, false, "undecodable metadata.name")]
#[case::time(r#"{"metadata":{"creationTimestamp":"x"}}"#, false, "undecodable metadata.creationTimestamp")]
#[case::inside(r#"{"a":{"metadata":{"name":1}}}"#, false, "invalid-value a.metadata")]
#[case::version(r#"{"a":{"apiVersion":1}}"#, false, "invalid-value a.apiVersion")]
#[case::unknown_field(r#"{"metadata":{"foo":1}}"#, true, "strict-unknown-field metadata.foo")]
#[case::unknown_field_inside(r#"{"a":{"metadata":{"foo":1}}}"#, true, "strict-unknown-field a.metadata.foo")]
fn metadata_that_cannot_be_decoded_is_refused(
    #[case] object: &str,
    #[case] strict: bool,
    #[case] expected: &str,
) {
    let error = admission(EMBEDDED, "{}").decode(&document(object), strict).expect_err("an error");
    assert_eq!(texts(&[error]), [expected]);
}

#[rstest]
#[case::nothing(r#"{"metadata":{}}"#, &["required-field-missing a.apiVersion", "required-field-missing a.kind"])]
#[case::empty(r#"{"apiVersion":"","kind":""}"#, &["invalid-value a.apiVersion", "invalid-value a.kind"])]
#[case::everything(
    r#"{"apiVersion":"v1/2/3","kind":"a_b","metadata":{"name":"a/b","labels":{"a b":"c d"},"namespace":"A",
    "generation":-1,"ownerReferences":[{"name":"x"}]}}"#,
    &[
        "invalid-value a.apiVersion",
        "invalid-value a.kind",
        "invalid-value a.metadata.name",
        "invalid-value a.metadata.namespace",
        "invalid-value a.metadata.generation",
        "invalid-value a.metadata.labels",
        "invalid-value a.metadata.labels",
        "required-field-missing a.metadata.ownerReferences[0].apiVersion",
        "required-field-missing a.metadata.ownerReferences[0].kind",
        "required-field-missing a.metadata.ownerReferences[0].uid",
    ]
)]
#[case::valid(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"a/b":"c"}}}"#, &[])]
fn objects_inside_are_validated(#[case] object: &str, #[case] expected: &[&str]) {
    let object = document(&format!(r#"{{"a":{object}}}"#));
    let reviewed = admission(EMBEDDED, "{}").review(Some(&object), object.clone());
    assert_eq!(texts(&reviewed.errors), expected, "never ratcheted");
}

#[rstest]
#[case::negative_and_too_large(
    r#"{"spec":{"n":-1},"status":{"n":3000000000,"s":1}}"#,
    &["invalid-value spec.n", "invalid-value status.n", "invalid-value status.s"]
)]
#[case::fraction_and_no_map(r#"{"spec":{"n":1.5},"status":1}"#, &["invalid-value spec.n", "invalid-value status.n", "invalid-value status.s"])]
#[case::null(r#"{"spec":{"n":null},"status":{"n":null}}"#, &["invalid-value spec.n", "invalid-value status.n"])]
#[case::missing(r#"{"spec":{"n":1},"status":null}"#, &[])]
fn the_fields_of_the_subresource_scale_are_validated(#[case] object: &str, #[case] expected: &[&str]) {
    let scale = r#"{"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n","labelSelectorPath":".status.s"}}"#;
    let properties = r#""spec":{"x-kubernetes-preserve-unknown-fields":true},"status":{"nullable":true,"x-kubernetes-preserve-unknown-fields":true}"#;
    let reviewed = admission(properties, scale).review(None, document(object));
    assert_eq!(texts(&reviewed.errors), expected);
}
