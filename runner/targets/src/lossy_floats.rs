//! Comparison of documents with results from targets that write `1.0` as `1`.

use skewer_engine::{Doc, OwnedDoc};

/// Returns true if two documents are equal, where an integer in the second also equals the float that Go writes as
/// this integer.
///
/// Some implementations serialize their results with Go's `encoding/json`, which writes the float `1.0` as `1`. That
/// package uses the fewest digits that identify the float, and an exponent from 1e21 on. An integer in the first
/// document never equals a float in the second, because no other value changes.
#[must_use]
pub fn is_equal_up_to_lossy_floats(expected: &OwnedDoc, lossy: &OwnedDoc) -> bool {
    match (expected, lossy) {
        (Doc::Float(float), Doc::Int(integer)) => Doc::from_go_float(*float) == Doc::Int(*integer),
        (Doc::List(a), Doc::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal_up_to_lossy_floats(a, b))
        }
        (Doc::Map(a), Doc::Map(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && is_equal_up_to_lossy_floats(a, b))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_engine::document::from_json;

    use super::*;

    #[rstest]
    #[case("[1.0]", "[1]", true)]
    #[case("[1]", "[1.0]", false)]
    #[case(r#"{"a":{"b":2.0},"c":1}"#, r#"{"a":{"b":2},"c":1}"#, true)]
    #[case("1.5", "1", false)]
    #[case("-0.0", "0", true)]
    #[case("1", "2", false)]
    // Go writes the fewest digits that identify the nearest float.
    #[case("9007199254740992.0", "9007199254740992", true)]
    #[case("9007199254740992.0", "9007199254740993", false)]
    #[case("4611686018427387904.0", "4611686018427388000", true)]
    #[case("4611686018427387904.0", "4611686018427387904", false)]
    #[case("1e21", "1e21", true)]
    #[case("1", "1.0", false)]
    #[case("[1.0,2]", "[1]", false)]
    #[case(r#"{"a":1.0}"#, r#"{"b":1}"#, false)]
    fn integers_may_stand_for_floats(#[case] expected: &str, #[case] lossy: &str, #[case] equal: bool) {
        let parse = |text: &str| from_json(text.as_bytes()).unwrap();
        assert_eq!(is_equal_up_to_lossy_floats(&parse(expected), &parse(lossy)), equal);
    }
}
