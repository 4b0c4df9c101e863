//! The difference of a wrong result from the expected one, in a few words that are the same for the same kind of
//! difference.

use std::collections::BTreeSet;

use skewer_cases::yaml;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::Cell;

/// A kind of difference between two documents. The order is that in descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    MissingFields,
    AdditionalFields,
    AdditionalNulls,
    MissingItems,
    AdditionalItems,
    OtherOrder,
    OtherValues,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::MissingFields => "missing fields",
            Kind::AdditionalFields => "additional fields",
            Kind::AdditionalNulls => "additional nulls",
            Kind::MissingItems => "missing items",
            Kind::AdditionalItems => "additional items",
            Kind::OtherOrder => "another order",
            Kind::OtherValues => "other values",
        }
    }
}

/// Describes how the result of a failed cell differs from the expected one: `difference: missing items, other values.`,
/// or `difference: accepted, not refused with missing-merge-key.` Returns `None` if the cell was refused, or if its
/// expectation names neither a document nor an error. The full stop separates a description from longer ones.
pub(super) fn describe_difference(cell: &Cell) -> Option<String> {
    let actual = cell.actual_document.as_deref().filter(|_| !is_refusal(cell))?;
    if let Some(kind) = cell.expected.as_deref().and_then(expected_error) {
        return Some(format!("difference: accepted, not refused with {kind}."));
    }
    let [expected, actual] =
        [cell.expected_document.as_deref()?, actual].map(|text| yaml::read_document("", text.as_bytes()));
    let mut kinds = BTreeSet::new();
    compare(&expected.ok()?, &actual.ok()?, &mut kinds);
    let words: Vec<&str> = kinds.into_iter().map(Kind::words).collect();
    (!words.is_empty()).then(|| format!("difference: {}.", words.join(", ")))
}

fn is_refusal(cell: &Cell) -> bool {
    cell.actual.as_deref().is_some_and(|actual| actual.contains("refused: ") || actual.contains("rejected: "))
}

/// Returns the error kind that the first expected answer names: `refused: missing-merge-key at spec` has
/// `missing-merge-key`.
fn expected_error(expected: &str) -> Option<&str> {
    let first = expected.split(", or ").next()?;
    let (_, rest) = first.split_once("refused: ").or_else(|| first.split_once("rejected: "))?;
    rest.split([' ', ',']).next()
}

fn compare(expected: &OwnedDoc, actual: &OwnedDoc, kinds: &mut BTreeSet<Kind>) {
    match (expected, actual) {
        (Doc::Map(expected), Doc::Map(actual)) => {
            for (key, value) in expected.iter() {
                match actual.get(key) {
                    Some(actual) => compare(value, actual, kinds),
                    None => _ = kinds.insert(Kind::MissingFields),
                }
            }
            for (_, value) in actual.iter().filter(|(key, _)| expected.get(key).is_none()) {
                let is_null = matches!(value, Doc::Null);
                kinds.insert(if is_null { Kind::AdditionalNulls } else { Kind::AdditionalFields });
            }
        }
        (Doc::List(expected), Doc::List(actual)) => compare_items(expected, actual, kinds),
        _ if expected != actual => _ = kinds.insert(Kind::OtherValues),
        _ => {}
    }
}

/// Compares the items of two lists. Equal items are paired first. If as many items are left in both lists, they are
/// compared in their order.
fn compare_items(expected: &[OwnedDoc], actual: &[OwnedDoc], kinds: &mut BTreeSet<Kind>) {
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
        kinds.insert(Kind::OtherOrder);
    } else if missing.len() == unpaired.len() {
        for (expected, actual) in missing.into_iter().zip(unpaired) {
            compare(expected, actual, kinds);
        }
    } else {
        kinds.extend((!missing.is_empty()).then_some(Kind::MissingItems));
        kinds.extend((!unpaired.is_empty()).then_some(Kind::AdditionalItems));
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_reports::Status;

    use super::*;

    fn cell(expected: &str, actual: &str) -> Cell {
        Cell {
            actual: Some("a result".to_owned()),
            expected_document: Some(expected.to_owned()),
            actual_document: Some(actual.to_owned()),
            ..Cell::new("s/c", "s", "c", Status::Fail)
        }
    }

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
    fn equal_kinds_of_difference_have_equal_words(
        #[case] expected: &str,
        #[case] actual: &str,
        #[case] words: Option<&str>,
    ) {
        let words = words.map(|words| format!("difference: {words}."));
        assert_eq!(describe_difference(&cell(expected, actual)), words);
    }

    #[rstest]
    #[case::refused("refused: missing-merge-key at a[0]", Some("missing-merge-key"))]
    #[case::of_a_directive("refused: invalid-directive of $patch at a", Some("invalid-directive"))]
    #[case::or_a_result("rejected: conflict, or this result", Some("conflict"))]
    #[case::a_result_first("this result, or refused: conflict", None)]
    fn an_accepted_request_is_a_difference(#[case] expected: &str, #[case] kind: Option<&str>) {
        let cell =
            Cell { expected: Some(expected.to_owned()), expected_document: None, ..cell("", "{a: 1}") };
        let text = kind.map(|kind| format!("difference: accepted, not refused with {kind}."));
        assert_eq!(describe_difference(&cell), text);
    }

    #[test]
    fn a_refusal_has_no_difference() {
        let cell = Cell { actual: Some("refused: conflict (x)".to_owned()), ..cell("{a: 1}", "{}") };
        assert_eq!(describe_difference(&cell), None);
    }
}
