//! Validation against the types, in addition to each policy.

use rstest::rstest;

use crate::error::Error;
use crate::test_support::{context_of, json};
use crate::union::admit_and_validate_types;
use crate::union::policy::{self, REGISTRY};

const TYPES: &str = r#"
// +enum
type Kind string
const (
  Foo Kind = "Foo"
  Bar Kind = "Bar"
)
type Object struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  Foo *Member `json:"foo,omitempty"`
  // +unionMember
  // +optional
  Bar *Member `json:"bar,omitempty"`
  Mode Kind `json:"mode,omitempty"`
  List []Member `json:"list,omitempty"`
}
type Member struct {
  // +required
  Path string `json:"path"`
}
"#;

fn refusals(policy: &str, old: Option<&str>, new: &str) -> Vec<String> {
    let old = old.map(json);
    let policy = policy::by_name(policy).unwrap();
    let refused = admit_and_validate_types(&context_of(TYPES, "Object"), policy, old.as_ref(), json(new));
    let describe = |error: &Error| format!("{} {}", error.kind().id(), error.path());
    refused.err().unwrap_or_default().iter().map(describe).collect()
}

#[test]
fn every_policy_but_none_refuses_an_unknown_enum_value_and_each_a_missing_required_field() {
    assert!(refusals("none", None, r#"{"type":"Baz"}"#).is_empty());
    for policy in REGISTRY {
        let refused = refusals(policy.name(), None, r#"{"type":"Baz"}"#);
        // The error is that of the policy if the policy validates the discriminator, otherwise that of the types.
        let is_unknown_value = |error: &String| {
            ["unknown-enum-value type", "union-unknown-discriminator type"].contains(&error.as_str())
        };
        assert_eq!(
            refused.iter().any(is_unknown_value),
            policy.name() != "none",
            "{}: {refused:?}",
            policy.name()
        );
        let refused = refusals(policy.name(), None, r#"{"type":"Foo","foo":{}}"#);
        assert_eq!(refused, ["required-field-missing foo.path"], "{}", policy.name());
        let refused = refusals(policy.name(), None, r#"{"type":"Foo","foo":{"path":"x"}}"#);
        assert!(refused.is_empty(), "{}: {refused:?}", policy.name());
    }
}

#[rstest]
#[case::enum_of_another_field(r#"{"type":"Foo","foo":{"path":"x"},"mode":"Baz"}"#, &["unknown-enum-value mode"])]
#[case::empty_enum_value_with_omitempty(r#"{"type":"Foo","foo":{"path":"x"},"mode":""}"#, &[])]
#[case::required_field_of_a_list_item(r#"{"type":"Foo","foo":{"path":"x"},"list":[{"path":"a"},{}]}"#, &["required-field-missing list[1].path"])]
#[case::null_in_a_required_field(r#"{"type":"Foo","foo":{"path":null}}"#, &["required-field-missing foo.path"])]
#[case::missing_discriminator(r#"{"foo":{"path":"x"}}"#, &["required-field-missing type"])]
#[case::wrong_kind(r#"{"type":"Foo","foo":{"path":1}}"#, &["undecodable foo.path"])]
#[case::several_errors(r#"{"type":"Baz","foo":{}}"#, &["unknown-enum-value type", "required-field-missing foo.path"])]
#[case::unknown_field(r#"{"type":"Foo","foo":{"path":"x"},"other":1}"#, &[])]
fn all_errors_are_reported_with_their_paths(#[case] new: &str, #[case] expected: &[&str]) {
    assert_eq!(refusals("legacy", None, new), expected);
    // "Requests will simply skip union validation": without unions, a discriminator is a string like any other.
    let of_fields: Vec<&str> = expected.iter().copied().filter(|error| !error.ends_with(" type")).collect();
    assert_eq!(refusals("none", None, new), of_fields);
}

#[test]
fn a_member_that_was_cleared_is_not_validated() {
    let old = r#"{"type":"Foo","foo":{"path":"x"}}"#;
    let new = r#"{"type":"Bar","foo":{},"bar":{"path":"x"}}"#;
    assert!(refusals("kep-1027", Some(old), new).is_empty());
    assert_eq!(refusals("none", Some(old), new), ["required-field-missing foo.path"]);
}

#[rstest]
fn ratcheting_tolerates_the_errors_of_the_stored_object(
    #[values("kep-1027-ratcheting", "declarative")] policy: &str,
) {
    let (old, new) =
        (r#"{"type":"Baz","mode":"Qux"}"#, r#"{"type":"Baz","mode":"Qux","list":[{"path":"x"}]}"#);
    assert!(refusals(policy, Some(old), new).is_empty());
    assert_eq!(
        refusals("kep-1027", Some(old), new),
        ["union-unknown-discriminator type", "unknown-enum-value mode"]
    );
    assert_eq!(refusals(policy, Some(old), r#"{"type":"Baz","mode":"Other"}"#), ["unknown-enum-value mode"]);
    // No server can store a value of a wrong kind.
    assert_eq!(refusals(policy, Some(r#"{"type":true}"#), r#"{"type":true}"#), ["undecodable type"]);
}
