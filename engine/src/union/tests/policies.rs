//! One table per policy.
//!
//! A row has the stored struct (`-` if the object is created), the new struct, and the result: the normalized struct,
//! or the kinds of the violations with their fields.

use rstest::rstest;

use super::*;
use crate::document::{Doc, OwnedMap, from_json};
use crate::schema::union::{Cardinality, DeclarationForm, Member};
use crate::union::policy::{self, ChangeKind, Policy, WriteKind};

fn policy(name: &str) -> &'static dyn Policy {
    policy::by_name(name).unwrap_or_else(|| panic!("no policy {name}"))
}

fn object(text: &str) -> OwnedMap {
    match from_json(text.as_bytes()).unwrap() {
        Doc::Map(map) => map,
        other => panic!("{other} is not a map"),
    }
}

/// Returns a union with the members `a`, `b` and `c`. The member `b` can be selected without being set. The values
/// `Empty` and the empty string select no member.
fn discriminated() -> Union {
    let members = vec![Member::new("a", "A"), Member::new("b", "B").optional(), Member::new("c", "C")];
    Union::discriminated("type", ["A", "B", "C", "Empty", ""], members)
}

/// Returns a union with the members `a` and `c`. One of them must be set, because each value of the discriminator
/// selects a member.
fn required() -> Union {
    Union::discriminated("type", ["A", "C"], vec![Member::new("a", "A"), Member::new("c", "C")])
}

fn legacy(cardinality: Cardinality) -> Union {
    Union::legacy(["a", "b", "c"], cardinality)
}

#[track_caller]
fn check(name: &str, union: &Union, (old, new): (&str, &str), expected: &str) {
    let old = (old != "-").then(|| object(old));
    let write = if old.is_some() { WriteKind::Update } else { WriteKind::Create };
    let mut new = object(new);
    policy(name).normalize(write, old.as_ref(), &mut new, union);
    let violations = policy(name).validate(write, old.as_ref(), &new, union);
    let kinds: Vec<String> = violations
        .iter()
        .map(|v| {
            let id = v.kind.id();
            format!("{} {}", id.strip_prefix("union-").unwrap_or(id), v.field.as_deref().unwrap_or("."))
        })
        .collect();
    let result = if kinds.is_empty() { Doc::Map(new).to_string() } else { kinds.join(", ") };
    assert_eq!(result, expected);
}

#[rstest]
#[case::several_members(r#"{"a":1}"#, r#"{"a":1,"b":1,"type":"X"}"#)]
#[case::wrong_kind("-", r#"{"type":5}"#)]
fn none_accepts_every_object_unchanged(#[case] old: &str, #[case] new: &str) {
    check("none", &required(), (old, new), new);
    check("none", &legacy(Cardinality::ExactlyOne), (old, new), new);
}

#[rstest]
#[case::one_member("-", r#"{"a":1}"#, r#"{"a":1}"#)]
#[case::several_members("-", r#"{"a":1,"c":1}"#, "several-members .")]
#[case::several_unchanged_members(r#"{"a":1,"c":1}"#, r#"{"a":1,"c":1}"#, "several-members .")]
#[case::null_is_not_set("-", r#"{"a":1,"c":null}"#, r#"{"a":1,"c":null}"#)]
#[case::no_member(r#"{"a":1}"#, "{}", "no-member .")]
fn legacy_counts_members(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    check("legacy", &legacy(Cardinality::ExactlyOne), (old, new), expected);
    let at_most = if expected == "no-member ." { new } else { expected };
    check("legacy", &legacy(Cardinality::AtMostOne), (old, new), at_most);
}

#[test]
fn legacy_ignores_the_discriminator_except_for_the_cardinality() {
    check("legacy", &required(), ("-", r#"{"a":1,"type":"C"}"#), r#"{"a":1,"type":"C"}"#);
    check("legacy", &required(), ("-", r#"{"type":"C"}"#), "no-member .");
    check("legacy", &discriminated(), ("-", r#"{"type":"C"}"#), r#"{"type":"C"}"#);
}

/// All rows of "Normalizing on updates", and the cases that the tests of the code of that time covered.
#[rstest]
#[case::changed_discriminator_keeps_its_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"C"}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::changed_to_a_value_without_a_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"Empty"}"#,
    r#"{"type":"Empty"}"#
)]
#[case::changed_to_an_unknown_value(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"random"}"#,
    r#"{"type":"random"}"#
)]
#[case::changed_discriminator_wins_over_a_new_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"c":1,"type":"B"}"#,
    r#"{"type":"B"}"#
)]
#[case::one_member_sets_the_discriminator(r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":1,"type":"A"}"#)]
#[case::one_member_replaced_by_another(
    r#"{"a":1,"type":"A"}"#,
    r#"{"c":1,"type":"A"}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::one_member_removed_of_two(
    r#"{"a":1,"c":1,"type":"C"}"#,
    r#"{"a":1,"type":"C"}"#,
    r#"{"a":1,"type":"A"}"#
)]
#[case::removed_discriminator_is_restored(r#"{"a":1,"type":"A"}"#, r#"{"a":1}"#, r#"{"a":1,"type":"A"}"#)]
#[case::emptied_discriminator_is_restored(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":""}"#,
    r#"{"a":1,"type":"A"}"#
)]
#[case::newly_set_member_is_selected(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::newly_set_member_of_an_invalid_union(
    r#"{"a":1,"b":1}"#,
    r#"{"a":1,"b":1,"c":1}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::two_newly_set_members("{}", r#"{"a":1,"c":1}"#, "several-members .")]
#[case::several_members_with_a_new_value(r#"{"a":1,"c":1}"#, r#"{"a":2,"c":1}"#, "several-members .")]
#[case::union_removed(r#"{"a":1,"type":"A"}"#, "{}", "{}")]
#[case::member_removed(r#"{"a":1,"type":"A"}"#, r#"{"type":"A"}"#, r#"{"type":"A"}"#)]
#[case::creation_with_one_member("-", r#"{"a":1}"#, r#"{"a":1,"type":"A"}"#)]
#[case::creation_with_a_discriminator("-", r#"{"a":1,"c":1,"type":"C"}"#, r#"{"c":1,"type":"C"}"#)]
#[case::creation_with_two_members("-", r#"{"a":1,"c":1}"#, "several-members .")]
#[case::discriminator_is_a_number(r#"{"a":1}"#, r#"{"a":1,"type":5}"#, r#"{"a":1,"type":5}"#)]
fn deduce_follows_the_revision_of_2019(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    check("deduce", &discriminated(), (old, new), expected);
}

#[rstest]
#[case::newly_set_member(r#"{"a":1}"#, r#"{"a":1,"b":1}"#, r#"{"b":1}"#)]
#[case::one_member_replaced_by_another(r#"{"a":1}"#, r#"{"b":1}"#, r#"{"b":1}"#)]
#[case::two_newly_set_members(r#"{"a":1}"#, r#"{"a":1,"b":1,"c":1}"#, "several-members .")]
#[case::all_members_removed(r#"{"a":1}"#, "{}", "{}")]
fn deduce_works_without_a_discriminator(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    check("deduce", &legacy(Cardinality::ExactlyOne), (old, new), expected);
}

#[test]
fn deduce_does_not_write_the_discriminator_if_the_extension_forbids_it() {
    let mut union = discriminated();
    union.form = DeclarationForm::List { deduce: Some(false) };
    check("deduce", &union, (r#"{"a":1}"#, r#"{"a":1,"b":1}"#), r#"{"b":1}"#);
    union.form = DeclarationForm::List { deduce: Some(true) };
    check("deduce", &union, (r#"{"a":1}"#, r#"{"a":1,"b":1}"#), r#"{"b":1,"type":"B"}"#);
}

#[rstest]
#[case::modified_discriminator_clears_other_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"b":1,"c":1,"type":"C"}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::emptied_discriminator_clears_all_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":""}"#,
    r#"{"type":""}"#
)]
#[case::removed_discriminator_clears_all_members(r#"{"a":1,"type":"A"}"#, r#"{"a":1}"#, "{}")]
#[case::modified_to_a_value_without_a_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"Empty"}"#,
    r#"{"type":"Empty"}"#
)]
#[case::modified_and_selected_member_not_set(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"C"}"#,
    "selected-member-empty c"
)]
#[case::modified_and_selected_optional_member_not_set(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"B"}"#,
    r#"{"type":"B"}"#
)]
#[case::modified_from_missing("{}", r#"{"a":1,"c":1,"type":"C"}"#, r#"{"c":1,"type":"C"}"#)]
#[case::modified_from_a_number(r#"{"type":5}"#, r#"{"a":1,"c":1,"type":"C"}"#, r#"{"c":1,"type":"C"}"#)]
#[case::unmodified_with_a_second_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    "several-members ., unselected-member-set c"
)]
#[case::unmodified_with_two_other_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"b":1,"c":1,"type":"A"}"#,
    "several-members ., unselected-member-set b, unselected-member-set c, selected-member-empty a"
)]
#[case::unmodified_with_another_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"c":1,"type":"A"}"#,
    "unselected-member-set c, selected-member-empty a"
)]
#[case::unmodified_and_member_removed(r#"{"a":1,"type":"A"}"#, r#"{"type":"A"}"#, "selected-member-empty a")]
#[case::unmodified_and_optional_member_removed(r#"{"b":1,"type":"B"}"#, r#"{"type":"B"}"#, r#"{"type":"B"}"#)]
#[case::unmodified_missing_with_a_member("{}", r#"{"a":1}"#, "unselected-member-set a")]
#[case::unmodified_and_valid(r#"{"a":1,"type":"A"}"#, r#"{"a":2,"type":"A"}"#, r#"{"a":2,"type":"A"}"#)]
#[case::invalid_and_unchanged(
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    "several-members ., unselected-member-set c"
)]
#[case::unknown_value(r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":"X"}"#, "unknown-discriminator type")]
#[case::not_a_string(r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":5}"#, "discriminator-not-a-string type")]
#[case::null_members_are_not_set(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":null,"type":"A"}"#,
    r#"{"a":1,"c":null,"type":"A"}"#
)]
#[case::null_discriminator_clears_all_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":null}"#,
    r#"{"type":null}"#
)]
#[case::creation_with_a_second_member("-", r#"{"a":1,"c":1,"type":"A"}"#, "unselected-member-set c")]
#[case::creation_with_another_member(
    "-",
    r#"{"c":1,"type":"A"}"#,
    "unselected-member-set c, selected-member-empty a"
)]
#[case::creation_with_the_selected_member("-", r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":"A"}"#)]
#[case::creation_of_an_empty_struct("-", "{}", "{}")]
fn kep_1027_follows_the_discriminator(#[case] old: &str, #[case] new: &str, #[case] expected: &str) {
    check("kep-1027", &discriminated(), (old, new), expected);
    // Ratcheting makes no difference if the stored object is valid.
    if !matches!(old, r#"{"a":1,"c":1,"type":"A"}"#) {
        check("kep-1027-ratcheting", &discriminated(), (old, new), expected);
    }
}

#[rstest]
#[case::missing("-", "{}", "discriminator-missing type")]
#[case::empty("-", r#"{"a":1,"type":""}"#, "discriminator-missing type")]
#[case::removed(r#"{"a":1,"type":"A"}"#, r#"{"a":1}"#, "discriminator-missing type")]
fn kep_1027_requires_the_discriminator_if_no_value_selects_none(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("kep-1027", &required(), (old, new), expected);
}

#[rstest]
#[case::missing_is_the_default(r#"{"a":1,"type":"A"}"#, r#"{"a":1}"#, r#"{"a":1}"#)]
#[case::empty_is_the_default("-", r#"{"a":1,"type":""}"#, r#"{"a":1,"type":""}"#)]
#[case::removed_is_modified_to_the_default(r#"{"c":1,"type":"C"}"#, r#"{"a":1,"c":1}"#, r#"{"a":1}"#)]
#[case::explicit_default_is_no_modification(
    r#"{"a":1}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    "several-members ., unselected-member-set c"
)]
fn kep_1027_reads_a_missing_discriminator_as_its_default(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    let mut union = required();
    union.discriminator.as_mut().unwrap().default = Some("A".into());
    check("kep-1027", &union, (old, new), expected);
}

#[test]
fn an_empty_string_is_not_defaulted_if_it_is_a_valid_value() {
    let mut union = discriminated();
    union.discriminator.as_mut().unwrap().default = Some("A".into());
    check("kep-1027", &union, (r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":""}"#), r#"{"type":""}"#);
    check("kep-1027", &union, (r#"{"a":1,"type":"A"}"#, r#"{"a":1}"#), r#"{"a":1}"#);
}

#[test]
fn kep_1027_validates_a_union_without_a_discriminator_like_legacy() {
    let union = legacy(Cardinality::ExactlyOne);
    check("kep-1027", &union, (r#"{"a":1}"#, r#"{"a":1,"c":1}"#), "several-members .");
    check("kep-1027", &union, (r#"{"a":1}"#, r#"{"c":1}"#), r#"{"c":1}"#);
    check("kep-1027", &union, (r#"{"a":1}"#, "{}"), "no-member .");
}

#[test]
fn kep_1027_accepts_any_value_if_the_schema_lists_no_values() {
    let mut union = discriminated();
    union.discriminator.as_mut().unwrap().values = None;
    check("kep-1027", &union, (r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":"X"}"#), r#"{"type":"X"}"#);
    check("kep-1027", &union, (r#"{"a":1,"type":"A"}"#, "{}"), "{}");
}

#[rstest]
#[case::same_members_set(
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":2,"c":1,"type":"A"}"#,
    r#"{"a":2,"c":1,"type":"A"}"#
)]
#[case::one_of_several_members_removed(
    r#"{"a":1,"b":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#
)]
#[case::one_of_several_members_replaced(
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"b":1,"type":"A"}"#,
    "several-members ., unselected-member-set b"
)]
#[case::one_member_added(
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"b":1,"c":1,"type":"A"}"#,
    "several-members ., unselected-member-set b"
)]
#[case::selected_member_still_empty(r#"{"type":"A"}"#, r#"{"type":"A"}"#, r#"{"type":"A"}"#)]
#[case::another_selected_member_empty(r#"{"type":"A"}"#, r#"{"type":"C"}"#, "selected-member-empty c")]
#[case::unselected_member_still_set(r#"{"c":1,"type":""}"#, r#"{"c":2,"type":""}"#, r#"{"c":2,"type":""}"#)]
#[case::another_unselected_member_set(
    r#"{"c":1,"type":""}"#,
    r#"{"a":1,"type":""}"#,
    "unselected-member-set a"
)]
#[case::both_violations_stored(r#"{"c":1,"type":"A"}"#, r#"{"c":2,"type":"A"}"#, r#"{"c":2,"type":"A"}"#)]
#[case::one_of_two_violations_stored(r#"{"type":"A"}"#, r#"{"c":2,"type":"A"}"#, "unselected-member-set c")]
#[case::same_unknown_value(r#"{"type":"X"}"#, r#"{"type":"X"}"#, r#"{"type":"X"}"#)]
#[case::another_unknown_value(r#"{"type":"X"}"#, r#"{"type":"Y"}"#, "unknown-discriminator type")]
#[case::same_wrong_kind(r#"{"type":5}"#, r#"{"type":6}"#, r#"{"type":6}"#)]
#[case::another_wrong_kind(r#"{"type":5}"#, r#"{"type":true}"#, "discriminator-not-a-string type")]
#[case::corrected(r#"{"a":1,"c":1,"type":"A"}"#, r#"{"a":1,"c":1,"type":"C"}"#, r#"{"c":1,"type":"C"}"#)]
fn ratcheting_tolerates_stored_errors_of_the_same_reason(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("kep-1027-ratcheting", &discriminated(), (old, new), expected);
}

#[test]
fn ratcheting_needs_a_stored_object() {
    check("kep-1027-ratcheting", &discriminated(), ("-", r#"{"type":"A"}"#), "selected-member-empty a");
    let union = legacy(Cardinality::AtMostOne);
    let both = r#"{"a":1,"b":1}"#;
    check("kep-1027-ratcheting", &union, (both, both), both);
    // The stored error is another one: several members instead of none.
    check("kep-1027-ratcheting", &legacy(Cardinality::ExactlyOne), (both, "{}"), "no-member .");
}

#[rstest]
#[case::set_discriminator_clears_other_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"type":"A"}"#
)]
#[case::client_without_the_discriminator_sets_another_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"c":1,"type":"A"}"#,
    "selected-member-empty a"
)]
#[case::changed_discriminator_clears_other_members(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"c":1,"type":"C"}"#,
    r#"{"c":1,"type":"C"}"#
)]
#[case::unset_discriminator_is_defaulted(r#"{"a":1}"#, r#"{"c":1}"#, r#"{"c":1,"type":"C"}"#)]
#[case::unset_discriminator_is_defaulted_on_creation("-", r#"{"a":1}"#, r#"{"a":1,"type":"A"}"#)]
#[case::unset_discriminator_with_several_members("-", r#"{"a":1,"c":1}"#, "several-members .")]
#[case::selected_member_not_set("-", r#"{"type":"A"}"#, "selected-member-empty a")]
#[case::unknown_value("-", r#"{"a":1,"type":"X"}"#, "unknown-discriminator type")]
#[case::not_a_string("-", r#"{"a":1,"type":5}"#, "discriminator-not-a-string type")]
fn discriminator_defaulting_follows_alternative_2(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("discriminator-defaulting", &required(), (old, new), expected);
}

#[rstest]
#[case::empty_struct_is_valid("-", "{}", "{}")]
#[case::value_without_a_member_clears_all_members("-", r#"{"a":1,"type":"Empty"}"#, r#"{"type":"Empty"}"#)]
#[case::emptied_discriminator_is_defaulted_again(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":""}"#,
    r#"{"a":1,"type":"A"}"#
)]
#[case::selected_optional_member_not_set("-", r#"{"type":"B"}"#, r#"{"type":"B"}"#)]
fn discriminator_defaulting_of_a_union_that_may_be_empty(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("discriminator-defaulting", &discriminated(), (old, new), expected);
}

#[rstest]
#[case::several_new_members_instead_of_the_selected_one(
    r#"{"a":1,"type":"A"}"#,
    r#"{"b":1,"c":1,"type":"A"}"#,
    "unselected-member-set b, unselected-member-set c, selected-member-empty a"
)]
#[case::several_stored_members_instead_of_the_selected_one(
    r#"{"a":1,"b":1,"c":1,"type":"A"}"#,
    r#"{"b":1,"c":1,"type":"A"}"#,
    "unselected-member-set b, unselected-member-set c, selected-member-empty a"
)]
#[case::several_new_members_beside_the_selected_one(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"b":1,"c":1,"type":"A"}"#,
    r#"{"a":1,"type":"A"}"#
)]
fn discriminator_following_cannot_follow_several_members(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("discriminator-following", &discriminated(), (old, new), expected);
}

#[test]
fn discriminator_defaulting_refuses_unselected_members_without_normalization() {
    let new = object(r#"{"a":1,"c":1,"type":"A"}"#);
    let violations = policy("discriminator-defaulting").validate(WriteKind::Create, None, &new, &required());
    assert_eq!(violations.iter().map(|v| v.field.as_deref()).collect::<Vec<_>>(), [Some("c")]);
}

#[test]
fn discriminator_defaulting_requires_a_member_if_no_discriminator_is_set() {
    check("discriminator-defaulting", &legacy(Cardinality::ExactlyOne), ("-", "{}"), "no-member .");
    check("discriminator-defaulting", &required(), ("-", "{}"), "no-member .");
}

#[rstest]
#[case::selected_member_set("-", r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":"A"}"#)]
#[case::unselected_member_set("-", r#"{"a":1,"c":1,"type":"A"}"#, "unselected-member-set c")]
#[case::selected_member_empty("-", r#"{"type":"B"}"#, "selected-member-empty b")]
#[case::unknown_value_is_valid_without_an_enum("-", r#"{"type":"X"}"#, r#"{"type":"X"}"#)]
#[case::missing_discriminator_counts_as_empty("-", r#"{"a":1}"#, "unselected-member-set a")]
#[case::unchanged_union_is_not_validated(
    r#"{"c":1,"type":"A"}"#,
    r#"{"c":2,"type":"A"}"#,
    r#"{"c":2,"type":"A"}"#
)]
#[case::discriminator_changed(
    r#"{"c":1,"type":"A"}"#,
    r#"{"c":1,"type":"B"}"#,
    "selected-member-empty b, unselected-member-set c"
)]
#[case::set_of_members_changed(r#"{"c":1,"type":"A"}"#, r#"{"type":"A"}"#, "selected-member-empty a")]
#[case::number_counts_as_empty("-", r#"{"type":5}"#, r#"{"type":5}"#)]
fn declarative_follows_the_validation_of_kubernetes_releases(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("declarative", &discriminated(), (old, new), expected);
}

#[rstest]
#[case::several_members("-", r#"{"a":1,"b":1}"#, "several-members .")]
#[case::several_members_as_stored(r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":2,"b":1}"#)]
#[case::no_member("-", "{}", "no-member .")]
#[case::no_member_as_stored("{}", "{}", "{}")]
fn declarative_counts_members_if_there_is_no_discriminator(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    check("declarative", &legacy(Cardinality::ExactlyOne), (old, new), expected);
}

/// An unknown value of the discriminator is refused, unless an update leaves the value unchanged. Upstream:
/// `validate.Enum` in the generated function of the discriminator's type ("don't revalidate unchanged data").
#[rstest]
#[case::known_value("-", r#"{"a":1,"type":"A"}"#, r#"{"a":1,"type":"A"}"#)]
#[case::unknown_value("-", r#"{"type":"X"}"#, "unknown-enum-value type")]
#[case::changed_unknown_value(r#"{"type":"X"}"#, r#"{"type":"Y"}"#, "unknown-enum-value type")]
#[case::unchanged_unknown_value(r#"{"type":"X"}"#, r#"{"type":"X"}"#, r#"{"type":"X"}"#)]
#[case::unchanged_unknown_value_with_changed_members(
    r#"{"a":1,"type":"X"}"#,
    r#"{"a":1,"c":1,"type":"X"}"#,
    "unselected-member-set a, unselected-member-set c"
)]
#[case::unknown_value_and_unselected_member(
    r#"{"a":1,"type":"A"}"#,
    r#"{"a":1,"type":"X"}"#,
    "unselected-member-set a, unknown-enum-value type"
)]
#[case::missing_value_is_not_validated("-", "{}", "{}")]
#[case::empty_value_is_not_validated("-", r#"{"type":""}"#, r#"{"type":""}"#)]
#[case::number_is_left_to_the_decoder("-", r#"{"type":5}"#, r#"{"type":5}"#)]
fn declarative_validates_the_enum_independently_of_the_union(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    let mut union = required();
    union.discriminator.as_mut().unwrap().enum_type = Some("UnionType".into());
    check("declarative", &union, (old, new), expected);
    // A discriminator that is a string and not an enum may have any value.
    union.discriminator.as_mut().unwrap().enum_type = None;
    let open = match expected {
        "unknown-enum-value type" => new,
        expected => expected.trim_end_matches(", unknown-enum-value type"),
    };
    check("declarative", &union, (old, new), open);
}

#[test]
fn declarative_validates_an_update_that_adds_the_struct() {
    let new = object(r#"{"a":1,"c":1,"type":"A"}"#);
    assert_eq!(policy("declarative").validate(WriteKind::Update, None, &new, &discriminated()).len(), 1);
}

#[test]
fn legacy_and_declarative_treat_go_zero_values_as_not_set() {
    let mut union = legacy(Cardinality::ExactlyOne);
    union.members.iter_mut().for_each(|member| member.zero_is_unset = true);
    for zero in ["0", "0.0", "false", "\"\"", "[]", "{}", "null"] {
        let new = format!(r#"{{"a":{zero}}}"#);
        check("legacy", &union, ("-", &new), "no-member .");
        check("declarative", &union, ("-", &new), "no-member .");
        check("declarative", &union, (r#"{"a":1}"#, &new), "no-member .");
    }
    check("legacy", &union, ("-", r#"{"a":0,"b":1}"#), r#"{"a":0,"b":1}"#);
    // The policies of the KEP work on documents, in which a zero value is set.
    check("deduce", &union, (r#"{"a":1}"#, r#"{"a":1,"b":0}"#), r#"{"b":0}"#);
}

#[test]
fn changes_have_the_values_before() {
    let mut new = object(r#"{"a":1,"c":[2],"type":"C"}"#);
    let old = object(r#"{"a":1,"type":"A"}"#);
    let changes = policy("kep-1027").normalize(WriteKind::Update, Some(&old), &mut new, &discriminated());
    assert_eq!(
        (changes[0].to_string().as_str(), &changes[0].kind),
        ("cleared a", &ChangeKind::Cleared(Doc::Int(1)))
    );
    let mut new = object(r#"{"c":1,"type":"A"}"#);
    let changes = policy("deduce").normalize(WriteKind::Update, Some(&old), &mut new, &discriminated());
    assert_eq!(changes[0].to_string(), "set type to \"C\"");
    assert_eq!(changes[0].kind, ChangeKind::Selected("C".into(), Some(Doc::from("A"))));
}

#[rstest]
#[case::several_members(
    r#"{"a":1,"c":1,"type":"A"}"#,
    "several members of one union are set: a, c; the discriminator type is still \"A\": change the discriminator when \
     you change members of the union"
)]
#[case::unselected_member(
    r#"{"c":1,"type":"Empty"}"#,
    "may only be set when type is \"C\", and it is \"Empty\": change the discriminator, or leave the member out"
)]
#[case::selected_member_empty(
    r#"{"type":"A"}"#,
    "must be set when type is \"A\": set it, or change the discriminator"
)]
#[case::unknown_value(
    r#"{"type":"X"}"#,
    "unknown value \"X\" of the discriminator (expected \"A\", \"B\", \"C\", \"Empty\", \"\")"
)]
#[case::not_a_string(r#"{"type":5}"#, "the discriminator of a union must be a string, found an integer")]
fn messages_name_the_remedy(#[case] new: &str, #[case] message: &str) {
    let new = object(new);
    let violations = policy("kep-1027").validate(WriteKind::Update, Some(&new), &new, &discriminated());
    assert_eq!(violations[0].message, message);
}
