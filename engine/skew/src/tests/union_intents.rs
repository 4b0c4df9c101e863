//! Intents on a union by clients that know only a part of it.

use std::sync::Arc;

use rstest::rstest;
use skewer_engine::document::{Doc, from_json};
use skewer_engine::patch::PatchContext;

use super::*;
use crate::{Edit, Intent};

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

fn context_without(elements: &[&str]) -> PatchContext {
    let elements: Vec<_> = elements.iter().map(|element| element.parse().unwrap()).collect();
    PatchContext::of(Arc::new(schema_of(TYPES).without(&elements).unwrap()), "Root").unwrap()
}

fn select() -> Edit {
    Edit::Select { selector: ".".parse().unwrap(), member: "b".into(), value: Doc::Int(2) }
}

fn clear() -> Edit {
    Edit::Clear(".".parse().unwrap())
}

#[rstest]
#[case::select_with_all_known(&[], select(), r#"{"b":2,"type":"B"}"#)]
#[case::clear_with_all_known(&[], clear(), r#"{"type":""}"#)]
#[case::select_with_unknown_other_member(&["Root.a"], select(), r#"{"a":1,"b":2,"type":"B"}"#)]
// When a union is migrated, its existing clients do not know the new discriminator.
#[case::select_with_unknown_discriminator(&["Root.type"], select(), r#"{"b":2,"type":"A"}"#)]
#[case::clear_with_unknown_discriminator(&["Root.type"], clear(), r#"{"type":"A"}"#)]
#[case::select_with_unknown_value(&["Kind=B"], select(), r#"{"b":2,"type":"A"}"#)]
#[case::clear_with_unknown_value(&["Kind="], clear(), r#"{"type":"A"}"#)]
fn a_client_changes_only_the_fields_and_values_that_it_knows(
    #[case] elements: &[&str],
    #[case] edit: Edit,
    #[case] expected: &str,
) {
    // The client is unstructured: the document still has the fields that the client does not know.
    let mut document = from_json(br#"{"a":1,"type":"A"}"#).unwrap();
    Intent(vec![edit]).edit(&mut document, &context_without(elements), &context_without(&[])).unwrap();
    assert_eq!(document.to_string(), expected);
}
