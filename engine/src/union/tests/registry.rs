//! The policies as they are listed, and where they differ in what the tables of `policies` leave out.

use rstest::rstest;

use super::*;
use crate::document::{Doc, OwnedMap, from_json};
use crate::schema::union::{Cardinality, Member};
use crate::union::policy::{self, WriteKind};

/// What reports say of each.
#[rstest]
#[case::none("none", "no normalization, no validation: the feature gate is off")]
#[case::legacy(
    "legacy",
    "no normalization; the members that are set are counted, as built-in types do by hand"
)]
#[case::deduce(
    "deduce",
    "a changed discriminator clears the other members; else the newly set member is deduced to be meant"
)]
#[case::kep_1027(
    "kep-1027",
    "a modified discriminator clears every member that it does not select; the rest is refused"
)]
#[case::ratcheting(
    "kep-1027-ratcheting",
    "as kep-1027, but an error that the stored object has for the same reason is let pass"
)]
#[case::defaulting(
    "discriminator-defaulting",
    "a set discriminator clears the other members; an unset one is defaulted from the member that is set"
)]
#[case::declarative(
    "declarative",
    "no normalization; a member is set if and only if it is selected, unless nothing changed: what ships"
)]
fn a_policy_says_what_it_does(#[case] name: &str, #[case] about: &str) {
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

/// The tables of these tests have one column for each policy of the design, in the order of the design. A policy that is
/// added later has its facts in the corpus.
#[test]
fn the_policies_of_the_design_are_registered_in_its_order() {
    let registered = policy::REGISTRY.iter().map(|policy| policy.name());
    let of_the_design: Vec<&str> = registered.filter(|name| POLICIES.contains(name)).collect();
    assert_eq!(of_the_design, POLICIES);
}

fn object(text: &str) -> OwnedMap {
    from_json(text.as_bytes()).ok().as_ref().and_then(Doc::as_map).cloned().unwrap()
}

/// The kinds of what is wrong with a new object.
fn created(policy: &str, union: &Union, object_text: &str) -> Vec<&'static str> {
    let (policy, mut new) = (policy::by_name(policy).unwrap(), object(object_text));
    policy.normalize(WriteKind::Create, None, &mut new, union);
    policy
        .validate(WriteKind::Create, None, &new, union)
        .iter()
        .map(|violation| violation.kind.id())
        .collect()
}

/// Upstream: `Union` wants exactly one member, `ZeroOrOneOfUnion` lets an object have none.
#[rstest]
#[case::exactly_one(Cardinality::ExactlyOne, &["union-no-member"])]
#[case::at_most_one(Cardinality::AtMostOne, &[])]
fn declarative_asks_how_many_members_must_be_set(
    #[case] cardinality: Cardinality,
    #[case] expected: &[&str],
) {
    assert_eq!(created("declarative", &Union::legacy(["a", "b"], cardinality), "{}"), expected);
}

#[rstest]
#[case::the_value_of_none(r#"{"type":"Empty"}"#, &[])]
#[case::a_value_that_is_not_known(r#"{"type":"X"}"#, &["union-unknown-discriminator"])]
#[case::a_member_where_none_is_meant(r#"{"type":"A","a":1}"#, &[])]
fn defaulting_tells_the_value_for_none_from_one_that_is_not_known(
    #[case] object: &str,
    #[case] expected: &[&str],
) {
    let union = Union::discriminated("type", ["A", "Empty"], vec![Member::new("a", "A")]);
    assert_eq!(created("discriminator-defaulting", &union, object), expected);
}
