//! What every policy makes of objects that are wrong: one table, a row for each mistake, a column for each policy.

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

/// Accepted as it is.
const AS_IS: &str = "as it is";

fn outcome(name: &str, old: Option<&OwnedDoc>, new: &OwnedDoc) -> String {
    let context = PatchContext::of(Arc::new(schema(TYPES)), "Root").unwrap();
    match admit(&context, policy::by_name(name).unwrap(), old, new.clone()) {
        Ok(admitted) if admitted.object == *new => AS_IS.to_owned(),
        Ok(admitted) => admitted.object.to_string(),
        Err(errors) => {
            for error in &errors {
                assert!(!error.path().segments().is_empty(), "{error} says where");
                assert!(error.message().len() > 20, "{error} says what to do");
            }
            let kinds: Vec<String> =
                errors.iter().map(|error| format!("{} {}", error.kind().id(), error.path())).collect();
            kinds.join(", ").replace("union-", "")
        }
    }
}

#[rstest]
// A changed value that names no member clears all others in the revision of 2019.
#[case::unknown_discriminator(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":"X","a":{"x":1}}}"#,
    [
        AS_IS,
        AS_IS,
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
        AS_IS,
        "no-member union",
        AS_IS,
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unknown-discriminator union.type",
        "unknown-enum-value union.type",
    ]
)]
// What is not looked at is left to the decoder, which comes before. For `declarative` it counts as empty.
#[case::discriminator_of_a_wrong_type(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":5,"a":{"x":1}}}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
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
        AS_IS,
        AS_IS,
        AS_IS,
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "discriminator-not-a-string union.type",
        "unselected-member-set union.a",
    ]
)]
// Null is as good as nothing, everywhere.
#[case::discriminator_is_null(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":{"type":null,"a":{"x":1}}}"#,
    [
        AS_IS,
        AS_IS,
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "discriminator-missing union.type",
        "discriminator-missing union.type",
        r#"{"union":{"a":{"x":1},"type":"A"}}"#,
        "unselected-member-set union.a",
    ]
)]
#[case::discriminator_is_left_out(
    "-",
    r#"{"union":{"a":{"x":1}}}"#,
    [
        AS_IS,
        AS_IS,
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
        AS_IS,
        "no-member union",
        AS_IS,
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
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
// The member is there. Of what type it is, is not the business of the union.
#[case::member_of_a_wrong_type(
    "-",
    r#"{"union":{"type":"A","a":"text"}}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
// Without the struct there is no union to look at; whether it may be missing is said of the field that holds it.
#[case::union_is_missing(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"name":"n"}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
#[case::union_is_null(
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    r#"{"union":null}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
#[case::union_is_empty(
    "-",
    r#"{"union":{}}"#,
    [
        AS_IS,
        "no-member union",
        AS_IS,
        "discriminator-missing union.type",
        "discriminator-missing union.type",
        "no-member union",
        AS_IS,
    ]
)]
// Left to the decoder.
#[case::union_of_a_wrong_type(
    "-",
    r#"{"union":[1]}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
// "Retrieving newly invalid CRs should still always succeed": then they can be corrected, too.
#[case::stored_union_of_a_wrong_type(
    r#"{"union":[1]}"#,
    r#"{"union":{"type":"A","a":{"x":1}}}"#,
    [
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
        AS_IS,
    ]
)]
// Each union has its own members; the other one is untouched.
#[case::two_discriminators_of_which_one_is_modified(
    r#"{"two":{"first":"A","a":1,"second":"C","c":1}}"#,
    r#"{"two":{"first":"B","a":1,"b":1,"second":"C","c":1}}"#,
    [
        AS_IS,
        "several-members two",
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        r#"{"two":{"b":1,"c":1,"first":"B","second":"C"}}"#,
        "unselected-member-set two.a",
    ]
)]
#[case::two_discriminators_of_which_one_has_a_value_of_the_other(
    "-",
    r#"{"two":{"first":"A","a":1,"second":"A","c":1}}"#,
    [
        AS_IS,
        AS_IS,
        r#"{"two":{"a":1,"first":"A","second":"A"}}"#,
        "unknown-discriminator two.second",
        "unknown-discriminator two.second",
        "unknown-discriminator two.second",
        "unselected-member-set two.c, unknown-enum-value two.second",
    ]
)]
fn every_policy_has_an_answer(#[case] old: &str, #[case] new: &str, #[case] expected: [&str; 7]) {
    let old = (old != "-").then(|| from_json(old.as_bytes()).unwrap());
    let new = from_json(new.as_bytes()).unwrap();
    let answers: Vec<String> = POLICIES.iter().map(|name| outcome(name, old.as_ref(), &new)).collect();
    assert_eq!(answers, expected);
}

/// Two fields marked as discriminators of the same members are refused where they are declared.
#[test]
fn two_discriminators_of_one_union_are_a_mistake_of_the_declaration() {
    let ambiguous = TYPES.replace("  // +unionDiscriminatedBy=First\n", "");
    let found = kinds(&ambiguous);
    let kinds: Vec<UnionErrorKind> = found.into_iter().map(|(_, kind)| kind).collect();
    let ambiguous = UnionErrorKind::AmbiguousDiscriminator;
    assert_eq!(kinds, [UnionErrorKind::NoMembers, ambiguous, ambiguous]);
}
