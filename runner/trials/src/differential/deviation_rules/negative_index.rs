//! The rule for panics about a negative index in a JSON patch.
//!
//! Upstream: up to version 4.11 of `github.com/evanphx/json-patch`, `partialArray.get` and `partialArray.set` use a negative
//! index as it is, and Go panics. Releases before 1.23 have such a version. The built-in engine counts from the end, or
//! refuses an index before the start, as later versions do.

use skewer_engine::{Doc, OwnedDoc};

use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// The first release, 1.N, with version 4.12 of the library.
const CHECKS_INDICES: u32 = 23;

/// Returns true if the target is an old server that panics because of a negative index in the JSON patch.
pub(super) fn explains(trial: &Trial, theirs: &Answer) -> bool {
    let (Some(minor), Some(Doc::List(operations)), Answer::Panic(panic)) =
        (trial.types.server, trial.documents.get(1), theirs)
    else {
        return false;
    };
    let index = panic
        .strip_prefix("runtime error: index out of range [")
        .and_then(|rest| rest.strip_suffix(']'))
        .filter(|index| index.parse::<i64>().is_ok_and(|index| index < 0));
    minor < CHECKS_INDICES
        && index.is_some_and(|index| operations.iter().any(|operation| has_step(operation, index)))
}

fn has_step(operation: &OwnedDoc, step: &str) -> bool {
    let Doc::Map(operation) = operation else { return false };
    let pointers = ["path", "from"].iter().filter_map(|key| operation.get(key).and_then(Doc::as_str));
    pointers.flat_map(|pointer| pointer.split('/').skip(1)).any(|part| part == step)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rstest::rstest;
    use skewer_skew::OperationKind;

    use super::super::test_support::{result, trial};
    use super::*;
    use crate::differential::types::TrialTypes;

    const TYPES: &str = "type T struct {\n\tA []string `json:\"a\"`\n}";
    const REPLACE: &str = r#"[{"op":"replace","path":"/a/-1","value":"x"}]"#;

    fn panic(message: &str) -> Answer {
        Answer::Panic(message.to_owned())
    }

    #[rstest]
    #[case::the_index_of_the_patch(Some(20), REPLACE, panic("runtime error: index out of range [-1]"), true)]
    #[case::another_index(Some(20), REPLACE, panic("runtime error: index out of range [-2]"), false)]
    #[case::a_positive_index(
        Some(20),
        r#"[{"op":"replace","path":"/a/1","value":"x"}]"#,
        panic("runtime error: index out of range [1] with length 0"),
        false
    )]
    #[case::another_panic(Some(20), REPLACE, panic("assignment to entry in nil map"), false)]
    #[case::a_result(Some(20), REPLACE, result("{}"), false)]
    #[case::a_new_release(Some(23), REPLACE, panic("runtime error: index out of range [-1]"), false)]
    #[case::no_server(None, REPLACE, panic("runtime error: index out of range [-1]"), false)]
    fn only_the_panic_about_an_index_of_the_patch_is_explained(
        #[case] server: Option<u32>,
        #[case] patch: &str,
        #[case] theirs: Answer,
        #[case] explained: bool,
    ) {
        let mut trial = trial(OperationKind::Request, TYPES, &[r#"{"a":["b"]}"#, patch]);
        trial.types = Arc::new(TrialTypes { server, ..TrialTypes::clone(&trial.types) });
        assert_eq!(explains(&trial, &theirs), explained);
    }
}
