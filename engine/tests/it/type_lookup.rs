//! The lookup of types by kind or name, in small sets of types. The module `builtin` tests it for the embedded
//! releases.

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::{Declarations, Kinds, Marker, TypeDecl};

/// Declares a type for each text. A text is a type name, optionally followed by a space and the kind of the type.
fn kinds(types: &[&str]) -> Kinds {
    let types = types.iter().map(|text| {
        let (name, kind) = text.split_once(' ').map_or((*text, None), |(name, kind)| (name, Some(kind)));
        let marker = |kind: &str| Marker::new("k8s:gvk", kind);
        kind.map(marker).into_iter().fold(TypeDecl::new_struct(name, []), TypeDecl::with_marker)
    });
    Kinds::of(&Declarations::new(types))
}

const TYPES: [&str; 7] = [
    "apps/v1.Deployment apps/v1/Deployment",
    "apps/v1beta1.Deployment apps/v1beta1/Deployment",
    "core/v1.Event v1/Event",
    "events/v1.Event events.k8s.io/v1/Event",
    "core/v1.PodSpec",
    "old/v1alpha1.Thing",
    "old/v1beta1.Thing",
];

#[rstest]
#[case::kind("apps/v1beta1/Deployment", Some("apps/v1beta1.Deployment"))]
#[case::type_name("core/v1.PodSpec", Some("core/v1.PodSpec"))]
#[case::type_in_the_form_of_a_kind("core/v1/PodSpec", Some("core/v1.PodSpec"))]
#[case::only_stable_type("Deployment", Some("apps/v1.Deployment"))]
#[case::only_type("PodSpec", Some("core/v1.PodSpec"))]
#[case::several_stable_types("Event", None)]
#[case::several_unstable_types("Thing", None)]
#[case::unknown_name("Nothing", None)]
#[case::typo("PodSpek", None)]
fn a_name_resolves_to_one_type_or_none(#[case] text: &str, #[case] expected: Option<&str>) {
    let kinds = kinds(&TYPES);
    assert_eq!(kinds.look_up(text), expected);
    assert_eq!(kinds.resolve(text, "the schema").ok(), expected);
}

#[rstest]
#[case::several_kinds(
    "Event",
    "the schema has several types `Event` (expected one of events.k8s.io/v1/Event, v1/Event)"
)]
#[case::several_types_without_kinds(
    "Thing",
    "the schema has several types `Thing` (expected one of old/v1alpha1.Thing, old/v1beta1.Thing)"
)]
#[case::typo("PodSpek", "the schema has no type `PodSpek`: did you mean `PodSpec`?")]
#[case::typo_in_another_case("podspek", "the schema has no type `podspek`: did you mean `PodSpec`?")]
#[case::typo_with_a_package(
    "core/v1.PodSpek",
    "the schema has no type `core/v1.PodSpek`: did you mean `core/v1.PodSpec`?"
)]
fn an_unresolved_name_is_refused_with_suggestions(#[case] text: &str, #[case] message: &str) {
    let error = kinds(&TYPES).resolve(text, "the schema").unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidSchema, message));
}

/// A name is suggested if at most a third of its letters differ.
#[rstest]
#[case::a_third_of_six_letters("abcdef", "abcdXX", true)]
#[case::more_than_a_third_of_six_letters("abcdef", "abcXXX", false)]
#[case::a_third_of_nine_letters("abcdefghi", "abcdefXXX", true)]
#[case::more_than_a_third_of_nine_letters("abcdefghi", "abcdeXXXX", false)]
#[case::name_of_the_maximum_length(&"abcd".repeat(32), &"abcd".repeat(31), true)]
#[case::name_above_the_maximum_length(&("abcd".repeat(32) + "e"), &"abcd".repeat(32), false)]
#[case::text_of_the_maximum_length(&"abcd".repeat(31), &"abcd".repeat(32), true)]
#[case::text_above_the_maximum_length(&"abcd".repeat(32), &("abcd".repeat(32) + "e"), false)]
fn a_similar_name_is_suggested(#[case] name: &str, #[case] text: &str, #[case] is_suggested: bool) {
    let error = kinds(&[name]).resolve(text, "the schema").unwrap_err();
    assert_eq!(error.message().contains(&format!("did you mean `{name}`?")), is_suggested, "{error}");
}

#[rstest]
#[case::longest_list(20, true)]
#[case::too_many_types(21, false)]
fn the_error_of_an_unknown_type_lists_up_to_20_types(#[case] number: usize, #[case] is_listed: bool) {
    let names: Vec<String> = (0..number).map(|index| format!("Type{index:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = kinds(&names).resolve("zzzzzz", "the schema").unwrap_err();
    let list = if is_listed { format!(" (expected one of {})", names.join(", ")) } else { String::new() };
    assert_eq!(error.message(), format!("the schema has no type `zzzzzz`{list}"));
}
