//! The rule for panics of the target where the built-in engine refuses with `not-a-scalar`.

use crate::differential::answer::TrialAnswer;

/// Message of the Go panic in `reflect.TypeOf(nil).Kind()`, which `sliceElementType` calls for a list that begins with
/// null.
const NULL_PANIC: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Returns true if the message of our refusal predicts the panic of the target.
pub(super) fn explains(ours: &TrialAnswer, theirs: &TrialAnswer) -> bool {
    match (ours, theirs) {
        (TrialAnswer::Refused { kind: "not-a-scalar", message, .. }, TrialAnswer::Panic(panic)) => {
            predicted_panics(message).iter().any(|predicted| predicted == panic)
        }
        _ => false,
    }
}

/// Returns the messages with which the Go library panics where our engine has refused a value that is not a scalar. Go
/// panics when such a value is hashed or compared. Items of `$retainKeys` are hashed. Other values are hashed by some
/// functions of the library, and compared by others.
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
    // Go has a different message if the map is empty.
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
    fn only_the_panic_for_the_refused_value_is_explained(
        #[case] refusal: &str,
        #[case] panic: &str,
        #[case] explained: bool,
    ) {
        let (ours, theirs) = (refused("not-a-scalar", refusal), TrialAnswer::Panic(panic.to_owned()));
        assert_eq!(explains(&ours, &theirs), explained);
    }

    #[test]
    fn a_refusal_with_another_error_kind_explains_no_panic() {
        let theirs = TrialAnswer::Panic("runtime error: hash of unhashable type []interface {}".to_owned());
        assert!(!explains(&refused("mixed-list", "a: found a list"), &theirs));
    }
}
