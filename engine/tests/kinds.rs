//! Types by what people call them, in small sets. The embedded releases have tests of their own.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use rstest::rstest;
use skewer_engine::ErrorKind;
use skewer_engine::schema::{Declarations, Kinds, Marker, Shape, TypeDecl};

/// Types of these names, which are kinds if something stands behind a space.
fn kinds(types: &[&str]) -> Kinds {
    let types = types.iter().map(|text| {
        let (name, kind) = text.split_once(' ').map_or((*text, None), |(name, kind)| (name, Some(kind)));
        let marker = |kind: &str| Marker { name: "k8s:gvk".to_owned(), value: kind.to_owned(), line: 0 };
        let markers = kind.map(marker).into_iter().collect();
        TypeDecl { name: name.to_owned(), shape: Shape::Struct(Vec::new()), markers, line: 0 }
    });
    Kinds::of(&Declarations { types: types.collect() })
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
#[case::a_kind("apps/v1beta1/Deployment", Some("apps/v1beta1.Deployment"))]
#[case::a_type("core/v1.PodSpec", Some("core/v1.PodSpec"))]
#[case::a_type_written_as_a_kind("core/v1/PodSpec", Some("core/v1.PodSpec"))]
#[case::the_only_stable_one("Deployment", Some("apps/v1.Deployment"))]
#[case::the_only_one("PodSpec", Some("core/v1.PodSpec"))]
#[case::several_stable_ones("Event", None)]
#[case::several_and_none_stable("Thing", None)]
#[case::none("Nothing", None)]
#[case::a_slip("PodSpek", None)]
fn a_name_means_one_type_or_none(#[case] text: &str, #[case] expected: Option<&str>) {
    let kinds = kinds(&TYPES);
    assert_eq!(kinds.look_up(text), expected);
    assert_eq!(kinds.resolve(text, "the schema").ok(), expected);
}

#[rstest]
#[case::several(
    "Event",
    "the schema has several types `Event`: say which of events.k8s.io/v1/Event, v1/Event"
)]
#[case::several_that_are_no_kinds(
    "Thing",
    "the schema has several types `Thing`: say which of old/v1alpha1.Thing, old/v1beta1.Thing"
)]
#[case::a_slip("PodSpek", "the schema has no type `PodSpek`: did you mean `PodSpec`?")]
#[case::a_slip_in_another_case("podspek", "the schema has no type `podspek`: did you mean `PodSpec`?")]
#[case::a_slip_with_a_package(
    "core/v1.PodSpek",
    "the schema has no type `core/v1.PodSpek`: did you mean `core/v1.PodSpec`?"
)]
fn what_means_no_type_is_refused(#[case] text: &str, #[case] message: &str) {
    let error = kinds(&TYPES).resolve(text, "the schema").unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidSchema, message));
}

/// A third of a name may be wrong.
#[rstest]
#[case::a_third("abcdef", "abcdXX", true)]
#[case::more("abcdef", "abcXXX", false)]
#[case::a_third_of_more("abcdefghi", "abcdefXXX", true)]
#[case::more_of_more("abcdefghi", "abcdeXXXX", false)]
#[case::in_a_name_that_is_as_long_as_is_looked_at(&"abcd".repeat(32), &"abcd".repeat(31), true)]
#[case::in_a_longer_one(&("abcd".repeat(32) + "e"), &"abcd".repeat(32), false)]
#[case::of_what_is_as_long_as_is_looked_at(&"abcd".repeat(31), &"abcd".repeat(32), true)]
#[case::of_what_is_longer(&"abcd".repeat(32), &("abcd".repeat(32) + "e"), false)]
fn what_is_near_is_proposed(#[case] name: &str, #[case] text: &str, #[case] is_near: bool) {
    let error = kinds(&[name]).resolve(text, "the schema").unwrap_err();
    assert_eq!(error.message().contains(&format!("did you mean `{name}`?")), is_near, "{error}");
}

#[rstest]
#[case::few(20, true)]
#[case::many(21, false)]
fn where_nothing_is_near_a_few_names_are_listed(#[case] number: usize, #[case] is_listed: bool) {
    let names: Vec<String> = (0..number).map(|at| format!("Type{at:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let error = kinds(&names).resolve("zzzzzz", "the schema").unwrap_err();
    let list = if is_listed { format!("; it has {}", names.join(", ")) } else { String::new() };
    assert_eq!(error.message(), format!("the schema has no type `zzzzzz`{list}"));
}
