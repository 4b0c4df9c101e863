//! The registry of policies, and differences between policies that the tables of `policies` do not cover.

use rstest::rstest;

use super::*;
use crate::document::{Doc, OwnedMap, from_json};
use crate::schema::union::{Cardinality, Member};
use crate::union::policy::{self, WriteKind};

#[rstest]
#[case::none("none", "no normalization, no validation: the feature gate is off")]
#[case::legacy(
    "legacy",
    "no normalization; the number of set members is validated, as in the hand-written code of built-in types"
)]
#[case::deduce(
    "deduce",
    "a changed discriminator clears the other members; otherwise the only newly set member is selected"
)]
#[case::structured_merge_diff(
    "structured-merge-diff",
    "a changed discriminator clears the other members if no other member is newly set, as in the code of \
     structured-merge-diff v4.3.0"
)]
#[case::kep_1027(
    "kep-1027",
    "a modified discriminator clears all members that it does not select; an unmodified one must agree with the members"
)]
#[case::ratcheting(
    "kep-1027-ratcheting",
    "like kep-1027, but an error that the stored object has for the same reason is tolerated"
)]
#[case::defaulting(
    "discriminator-defaulting",
    "a set discriminator clears the other members; an unset discriminator is defaulted from the set member"
)]
#[case::declarative(
    "declarative",
    "no normalization; a changed union is valid if exactly the selected member is set, as in Kubernetes releases"
)]
fn a_policy_has_a_name_and_a_description(#[case] name: &str, #[case] about: &str) {
    let policy = policy::by_name(name).unwrap();
    assert_eq!((policy.name(), policy.about()), (name, about));
}

/// Names are what cases and commands write, so that each must mean one policy.
#[test]
fn policies_have_names_of_their_own_and_are_found_by_them() {
    let names: Vec<&str> = policy::REGISTRY.iter().map(|policy| policy.name()).collect();
    let is_in_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    for (index, policy) in policy::REGISTRY.iter().enumerate() {
        let name = policy.name();
        assert!(!name.is_empty() && name.chars().all(is_in_name), "{name:?}");
        assert!(!names[..index].contains(&name), "two policies are called {name}");
        assert!(!policy.about().is_empty(), "{name}");
        assert_eq!(policy::by_name(name).map(policy::Policy::name), Some(name));
    }
    assert!(policy::by_name("kep").is_none());
}

/// The tables of these tests have one column for each policy of the design, in the order of the design. A policy that
/// is added later has its facts in the corpus.
#[test]
fn the_policies_of_the_design_are_registered_in_its_order() {
    let registered = policy::REGISTRY.iter().map(|policy| policy.name());
    let of_the_design: Vec<&str> = registered.filter(|name| POLICIES.contains(name)).collect();
    assert_eq!(of_the_design, POLICIES);
}

fn object(text: &str) -> OwnedMap {
    from_json(text.as_bytes()).ok().as_ref().and_then(Doc::as_map).cloned().unwrap()
}

/// Returns the kinds of the violations when an object is created.
fn violations_on_creation(policy: &str, union: &Union, object_text: &str) -> Vec<&'static str> {
    let (policy, mut new) = (policy::by_name(policy).unwrap(), object(object_text));
    policy.normalize(WriteKind::Create, None, &mut new, union);
    policy
        .validate(WriteKind::Create, None, &new, union)
        .iter()
        .map(|violation| violation.kind.id())
        .collect()
}

/// Upstream: `Union` requires exactly one member, `ZeroOrOneOfUnion` at most one.
#[rstest]
#[case::exactly_one(Cardinality::ExactlyOne, &["union-no-member"])]
#[case::at_most_one(Cardinality::AtMostOne, &[])]
fn declarative_validates_the_cardinality(#[case] cardinality: Cardinality, #[case] expected: &[&str]) {
    assert_eq!(
        violations_on_creation("declarative", &Union::legacy(["a", "b"], cardinality), "{}"),
        expected
    );
}

#[rstest]
#[case::value_without_a_member(r#"{"type":"Empty"}"#, &[])]
#[case::unknown_value(r#"{"type":"X"}"#, &["union-unknown-discriminator"])]
#[case::value_of_a_member(r#"{"type":"A","a":1}"#, &[])]
fn discriminator_defaulting_refuses_unknown_values(#[case] object: &str, #[case] expected: &[&str]) {
    let union = Union::discriminated("type", ["A", "Empty"], vec![Member::new("a", "A")]);
    assert_eq!(violations_on_creation("discriminator-defaulting", &union, object), expected);
}
