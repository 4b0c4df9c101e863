//! Names in the order in which people expect them: `1.9` before `1.10`.

use std::cmp::Ordering;

/// Compares two names, with runs of digits compared as numbers. Only equal names compare as equal.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let (mut rest_left, mut rest_right) = (left, right);
    loop {
        let (Some(a), Some(b)) = (rest_left.chars().next(), rest_right.chars().next()) else {
            return rest_left.len().cmp(&rest_right.len()).then_with(|| left.cmp(right));
        };
        let order = if a.is_ascii_digit() && b.is_ascii_digit() {
            let (number_left, number_right) = (digits(&mut rest_left), digits(&mut rest_right));
            number_left.len().cmp(&number_right.len()).then_with(|| number_left.cmp(number_right))
        } else {
            rest_left = &rest_left[a.len_utf8()..];
            rest_right = &rest_right[b.len_utf8()..];
            a.cmp(&b)
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Removes the digits at the beginning of `rest`, and returns them without leading zeros. Of two such numbers, the
/// longer one is greater.
fn digits<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    *rest = after;
    number.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1.9", "1.10", Ordering::Less)]
    #[case("a", "b", Ordering::Less)]
    #[case("a", "a1", Ordering::Less)]
    #[case("a01", "a1", Ordering::Less)]
    #[case("12", "12", Ordering::Equal)]
    #[case("ä9", "ä10", Ordering::Less)]
    #[case("99999999999999999999999", "100000000000000000000000", Ordering::Less)]
    fn numbers_compare_as_numbers(#[case] left: &str, #[case] right: &str, #[case] order: Ordering) {
        assert_eq!(compare(left, right), order);
        assert_eq!(compare(right, left), order.reverse());
    }
}
