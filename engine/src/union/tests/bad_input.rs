//! Invalid objects under each policy: one row for each error, one column for each policy.

use std::sync::Arc;

use rstest::rstest;

use super::*;
use crate::document::{OwnedDoc, from_json};
use crate::patch::PatchContext;
use crate::union::{admit, policy};

const TYPES: &str = r#"
// +k8s:enum
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
)
type Root struct {
  Name string `json:"name,omitempty"`
  Union *Union `json:"union,omitempty"`
  Two *Two `json:"two,omitempty"`
}
type Union struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *Member `json:"a,omitempty"`
  // +unionMember
  // +optional
  B *Member `json:"b,omitempty"`
}
type Member struct {
  X int `json:"x"`
}
// +k8s:enum
type OtherKind string
const (
  KindC OtherKind = "C"
  KindD OtherKind = "D"
)
type Two struct {
  // +unionDiscriminator
  // +required
  First Kind `json:"first"`
  // +unionMember
  // +unionDiscriminatedBy=First
  // +optional
  A *int `json:"a,omitempty"`
  // +unionMember
  // +unionDiscriminatedBy=First
  // +optional
  B *int `json:"b,omitempty"`
  // +unionDiscriminator
  // +required
  Second OtherKind `json:"second"`
  // +unionMember
  // +unionDiscriminatedBy=Second
  // +optional
  C *int `json:"c,omitempty"`
  // +unionMember
  // +unionDiscriminatedBy=Second
  // +optional
  D *int `json:"d,omitempty"`
}
"#;

/// The result for an object that is accepted unchanged.
const UNCHANGED: &str = "unchanged";

fn outcome(name: &str, old: Option<&OwnedDoc>, new: &OwnedDoc) -> String {
    let context = PatchContext::of(Arc::new(schema(TYPES)), "Root").unwrap();
    match admit(&context, policy::by_name(name).unwrap(), old, new.clone()) {
        Ok(admitted) if admitted.object == *new => UNCHANGED.to_owned(),
        Ok(admitted) => admitted.object.to_string(),
        Err(errors) => {
            for error in &errors {
                assert!(!error.path().segments().is_empty(), "the error has no path: {error}");
                assert!(error.message().len() > 20, "the error does not name a remedy: {error}");
            }
            let kinds: Vec<String> =
                errors.iter().map(|error| format!("{} {}", error.kind().id(), error.path())).collect();
            kinds.join(", ").replace("union-", "")
        }
    }
}

#[rstest]
// In the revision of 2019, a changed discriminator clears all members even if its value is unknown.
#[case::unknown_discriminator(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":"X","a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        r#"{"union":{"type":"X"}}"#,
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unselected-member-set union.a, unknown-enum-value union.type",
    ]
)]
#[case::unknown_discriminator_on_creation(
    "-",
    r#"{"union":{"type":"X"}}"#,
    [
        UNCHANGED,
        "no-member union",
        UNCHANGED,
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unknown-enum-value union.type",
    ]
)]
// A server decodes an object before it calls a policy, and decoding refuses a discriminator that is not a string. The
// first three policies therefore do not check its kind. To `declarative`, such a discriminator is empty.
#[case::discriminator_is_a_number(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":5,"a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "unselected-member-set union.a",
    ]
)]
#[case::discriminator_is_a_map(
    "-",
    r#"{"union":{"type":{},"a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "unselected-member-set union.a",
    ]
)]
// All policies treat null like a missing value.
#[case::discriminator_is_null(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":null,"a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "discriminator-missing union.type",
        "discriminator-missing union.type",
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "unselected-member-set union.a",
    ]
)]
#[case::discriminator_is_missing(
    "-",
    r#"{"union":{"a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "discriminator-missing union.type",
        "discriminator-missing union.type",
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "unselected-member-set union.a",
    ]
)]
#[case::selected_member_is_null(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":"A","a":null}}"#,
    [
        UNCHANGED,
        "no-member union",
        UNCHANGED,
        "selected-member-empty union.a",
        "selected-member-empty union.a",
        "selected-member-empty union.a",
        "selected-member-empty union.a",
    ]
)]
#[case::another_member_is_null(
    "-",
    r#"{"union":{"type":"A","a":{"x":1},"b":null}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
// The member is set. Decoding refuses its type, not the union policy.
#[case::member_is_a_string(
    "-",
    r#"{"union":{"type":"A","a":"text"}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
// Without the struct there is no union. Whether the struct is required is a property of its field.
#[case::union_is_missing(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"name":"n"}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
#[case::union_is_null(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":null}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
#[case::union_is_empty(
    "-",
    r#"{"union":{}}"#,
    [
        UNCHANGED,
        "no-member union",
        UNCHANGED,
        "discriminator-missing union.type",
        "discriminator-missing union.type",
        "no-member union",
        UNCHANGED,
    ]
)]
// Decoding refuses the list, not the union policy.
#[case::union_is_a_list(
    "-",
    r#"{"union":[1]}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
// An invalid stored object can be corrected. KEP-1027: "Retrieving newly invalid CRs should still always succeed".
#[case::stored_union_is_a_list(
    r#"{"union":[1]}"#,
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
        UNCHANGED,
    ]
)]
// A modified discriminator affects only the members of its own union.
#[case::one_of_two_discriminators_modified(
    r#"{"two":{"first":"A","a":1,"second":"C","c":1}}"#,
    r#"{"two":{"first":"B","a":1,"b":1,"second":"C","c":1}}"#,
    [
        UNCHANGED,
        "several-members two",
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        "unselected-member-set two.a",
    ]
)]
#[case::discriminator_with_a_value_of_another_discriminator(
    "-",
    r#"{"two":{"first":"A","a":1,"second":"A","c":1}}"#,
    [
        UNCHANGED,
        UNCHANGED,
        r#"{"two":{"a":1,"first":"A","second":"A"}}"#,
        "unknown-discriminator two.second",
        "unknown-discriminator two.second",
        "unknown-discriminator two.second",
        "unselected-member-set two.c, unknown-enum-value two.second",
    ]
)]
fn each_policy_has_a_defined_outcome(#[case] old: &str, #[case] new: &str, #[case] expected: [&str; 7]) {
    let old = (old != "-").then(|| from_json(old.as_bytes()).unwrap());
    let new = from_json(new.as_bytes()).unwrap();
    let outcomes: Vec<String> = POLICIES.iter().map(|name| outcome(name, old.as_ref(), &new)).collect();
    assert_eq!(outcomes, expected);
}

#[test]
fn two_discriminators_of_one_union_are_an_error_of_the_declaration() {
    let ambiguous = TYPES.replace("  // +unionDiscriminatedBy=First\n", "");
    let kinds: Vec<UnionErrorKind> = kinds(&ambiguous).into_iter().map(|(_, kind)| kind).collect();
    let ambiguous = UnionErrorKind::AmbiguousDiscriminator;
    assert_eq!(kinds, [UnionErrorKind::NoMembers, ambiguous, ambiguous]);
}
