//! What a client can say of a union that it knows in part.

use std::sync::Arc;

use rstest::rstest;

use super::*;
use crate::document::{Doc, from_json};
use crate::patch::PatchContext;
use crate::skew::{Edit, Intent};

const TYPES: &str = r#"
// +enum
type Kind string
const (
  KindA Kind = "A"
  KindB Kind = "B"
  None Kind = ""
)
type Root struct {
  // +unionDiscriminator
  // +required
  Type Kind `json:"type"`
  // +unionMember
  // +optional
  A *int `json:"a,omitempty"`
  // +unionMember
  // +optional
  B *int `json:"b,omitempty"`
}
"#;

fn knows(elements: &[&str]) -> PatchContext {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    PatchContext::of(Arc::new(schema(TYPES).without(&elements).unwrap()), "Root").unwrap()
}

fn select() -> Edit {
    Edit::Select { selector: ".".parse().unwrap(), member: "b".into(), value: Doc::Int(2) }
}

fn clear() -> Edit {
    Edit::Clear(".".parse().unwrap())
}

#[rstest]
#[case::all(&[], select(), r#"{"b":2,"type":"B"}"#)]
#[case::all_clear(&[], clear(), r#"{"type":""}"#)]
#[case::not_the_other_member(&["Root.a"], select(), r#"{"a":1,"b":2,"type":"B"}"#)]
// A client that is older than the discriminator, as every client of a migrated union is, cannot write it.
#[case::not_the_discriminator(&["Root.type"], select(), r#"{"b":2,"type":"A"}"#)]
#[case::not_the_discriminator_clear(&["Root.type"], clear(), r#"{"type":"A"}"#)]
#[case::not_the_value(&["Kind=B"], select(), r#"{"b":2,"type":"A"}"#)]
#[case::not_the_value_for_none(&["Kind="], clear(), r#"{"type":"A"}"#)]
fn a_client_says_what_it_knows(#[case] elements: &[&str], #[case] edit: Edit, #[case] expected: &str) {
    // Held as raw maps: what the client does not know is still there.
    let mut document = from_json(br#"{"a":1,"type":"A"}"#).unwrap();
    Intent(vec![edit]).edit(&mut document, &knows(elements), &knows(&[])).unwrap();
    assert_eq!(document.to_string(), expected);
}
