//! The kinds of differences of a wrong result from the expected one.

use std::collections::BTreeSet;

use skewer_engine::{Doc, OwnedDoc};
use skewer_results::DifferenceKind;

/// Returns the kinds of differences of an actual document from the expected one, each once, in the order of their
/// declaration.
pub(super) fn differences(expected: &OwnedDoc, actual: &OwnedDoc) -> Vec<DifferenceKind> {
    let mut kinds = BTreeSet::new();
    compare(expected, actual, &mut kinds);
    kinds.into_iter().collect()
}

fn compare(expected: &OwnedDoc, actual: &OwnedDoc, kinds: &mut BTreeSet<DifferenceKind>) {
    match (expected, actual) {
        (Doc::Map(expected), Doc::Map(actual)) => {
            for (key, value) in expected.iter() {
                match actual.get(key) {
                    Some(actual) => compare(value, actual, kinds),
                    None => _ = kinds.insert(DifferenceKind::MissingFields),
                }
            }
            for (_, value) in actual.iter().filter(|(key, _)| expected.get(key).is_none()) {
                let is_null = matches!(value, Doc::Null);
                kinds.insert(if is_null {
                    DifferenceKind::AdditionalNulls
                } else {
                    DifferenceKind::AdditionalFields
                });
            }
        }
        (Doc::List(expected), Doc::List(actual)) => compare_items(expected, actual, kinds),
        _ if expected != actual => _ = kinds.insert(DifferenceKind::OtherValues),
        _ => {}
    }
}

/// Compares the items of two lists. Equal items are paired first. If as many items are left in both lists, they are
/// compared in their order.
fn compare_items(expected: &[OwnedDoc], actual: &[OwnedDoc], kinds: &mut BTreeSet<DifferenceKind>) {
    if expected == actual {
        return;
    }
    let mut unpaired: Vec<&OwnedDoc> = actual.iter().collect();
    let mut missing = Vec::new();
    for item in expected {
        match unpaired.iter().position(|other| *other == item) {
            Some(index) => _ = unpaired.remove(index),
            None => missing.push(item),
        }
    }
    if missing.is_empty() && unpaired.is_empty() {
        kinds.insert(DifferenceKind::OtherOrder);
    } else if missing.len() == unpaired.len() {
        for (expected, actual) in missing.into_iter().zip(unpaired) {
            compare(expected, actual, kinds);
        }
    } else {
        kinds.extend((!missing.is_empty()).then_some(DifferenceKind::MissingItems));
        kinds.extend((!unpaired.is_empty()).then_some(DifferenceKind::AdditionalItems));
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::yaml::read_document;
    use skewer_results::difference_text;

    use super::*;

    #[rstest]
    #[case::a_field("{a: 1, b: 1}", "{a: 1}", Some("missing fields"))]
    #[case::more_fields("{a: {}}", "{a: {b: 1, c: null}}", Some("additional fields, additional nulls"))]
    #[case::order("{a: [1, 2]}", "{a: [2, 1]}", Some("another order"))]
    #[case::an_item("{a: [1, 2]}", "{a: [2]}", Some("missing items"))]
    #[case::a_repeated_item("{a: [1, 2]}", "{a: [1, 2, 2]}", Some("additional items"))]
    #[case::replaced("{a: [{k: 1}, {k: 2}]}", "{a: [{k: 3}]}", Some("missing items, additional items"))]
    #[case::inside_an_item("{a: [{k: 1, v: 1}, {k: 2}]}", "{a: [{k: 1}, {k: 2}]}", Some("missing fields"))]
    #[case::a_value("{a: 1}", "{a: '1'}", Some("other values"))]
    #[case::none("{a: 1}", "{a: 1}", None)]
    fn documents_differ_in_kinds(#[case] expected: &str, #[case] actual: &str, #[case] words: Option<&str>) {
        let [expected, actual] =
            [expected, actual].map(|text| read_document("", text.as_bytes()).unwrap_or_default());
        assert_eq!(difference_text(&differences(&expected, &actual), None).as_deref(), words);
    }
}
