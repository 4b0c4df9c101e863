//! Comparison of documents with results of targets that write `1.0` as `1`.

use skewer_engine::{Doc, OwnedDoc};

/// Whether two documents are equal if an integer of the second can stand for the float of the same value.
///
/// Some implementations write their results themselves, and Go's `encoding/json` writes the float `1.0` as `1`.
#[must_use]
#[allow(clippy::cast_precision_loss, clippy::float_cmp)] // such an integer was written from a float, which therefore represents it exactly
pub fn is_equal_up_to_lossy_floats(expected: &OwnedDoc, lossy: &OwnedDoc) -> bool {
    match (expected, lossy) {
        (Doc::Float(f), Doc::Int(i)) => *f == *i as f64,
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
    #[case("[1.0,2]", "[1]", false)]
    #[case(r#"{"a":1.0}"#, r#"{"b":1}"#, false)]
    fn integers_may_stand_for_floats(#[case] expected: &str, #[case] lossy: &str, #[case] equal: bool) {
        let parse = |text: &str| from_json(text.as_bytes()).unwrap();
        assert_eq!(is_equal_up_to_lossy_floats(&parse(expected), &parse(lossy)), equal);
    }
}
