//! Panics of the target where ours refuses with `not-a-scalar`.

use crate::differential::answer::Answer;

/// Panic of Go where `reflect.TypeOf(nil).Kind()` is called: `sliceElementType` of a list that begins with null.
const NULL_PANIC: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Whether the target panics with a message that our refusal predicts.
pub(super) fn explains(ours: &Answer, theirs: &Answer) -> bool {
    match (ours, theirs) {
        (Answer::Refused { kind: "not-a-scalar", message, .. }, Answer::Panic(panic)) => {
            predicted_panics(message).iter().any(|predicted| predicted == panic)
        }
        _ => false,
    }
}

/// Returns the messages of the panics that our refusal stands for: one for a null and for `$retainKeys`, which is only
/// hashed. Other values are compared in some functions of the target and hashed in others.
fn predicted_panics(refusal: &str) -> Vec<String> {
    if refusal.ends_with("an item of a merged list must not be null") {
        return vec![NULL_PANIC.to_owned()];
    }
    let go_type = if refusal.ends_with(" a list") {
        "[]interface {}"
    } else if refusal.ends_with(" a map") {
        "map[string]interface {}"
    } else {
        return Vec::new();
    };
    // Go has another message where the hashed value is looked up in an empty map.
    let mut panics = vec![
        format!("runtime error: hash of unhashable type {go_type}"),
        format!("hash of unhashable type: {go_type}"),
    ];
    if !refusal.contains("$retainKeys lists field names, not ") {
        panics.push(format!("runtime error: comparing uncomparable type {go_type}"));
    }
    panics
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::test_support::refused;
    use super::*;

    const COMPARED: &str = "a[0]: expected a scalar to compare list items by, found a map";

    #[rstest]
    #[case::compared(COMPARED, "runtime error: comparing uncomparable type map[string]interface {}", true)]
    #[case::hashed(COMPARED, "runtime error: hash of unhashable type map[string]interface {}", true)]
    #[case::hashed_for_an_empty_map(COMPARED, "hash of unhashable type: map[string]interface {}", true)]
    #[case::another_kind(COMPARED, "runtime error: hash of unhashable type []interface {}", false)]
    #[case::another_panic(COMPARED, "assignment to entry in nil map", false)]
    #[case::a_null(COMPARED, NULL_PANIC, false)]
    #[case::null("a: an item of a merged list must not be null", NULL_PANIC, true)]
    #[case::no_null(
        "a: an item of a merged list must not be null",
        "runtime error: hash of unhashable type []interface {}",
        false
    )]
    #[case::retain_keys(
        "$retainKeys[0]: $retainKeys lists field names, not a list",
        "runtime error: hash of unhashable type []interface {}",
        true
    )]
    #[case::retain_keys_are_hashed_only(
        "$retainKeys[0]: $retainKeys lists field names, not a list",
        "runtime error: comparing uncomparable type []interface {}",
        false
    )]
    fn the_panic_is_about_the_refused_value(
        #[case] refusal: &str,
        #[case] panic: &str,
        #[case] explained: bool,
    ) {
        let (ours, theirs) = (refused("not-a-scalar", refusal), Answer::Panic(panic.to_owned()));
        assert_eq!(explains(&ours, &theirs), explained);
    }

    #[test]
    fn a_refusal_of_another_kind_stands_for_no_panic() {
        let theirs = Answer::Panic("runtime error: hash of unhashable type []interface {}".to_owned());
        assert!(!explains(&refused("mixed-list", "a: found a list"), &theirs));
    }
}
