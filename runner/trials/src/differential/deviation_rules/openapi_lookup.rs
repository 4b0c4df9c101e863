//! The rule for recursive types, which adapters look up in OpenAPI instead of Go types.

use skewer_engine::patch::FieldLookup;
use skewer_targets::exec;

use crate::differential::answer::TrialAnswer;
use crate::differential::trial::OperationTrial;

/// Returns true if the target's answer equals that of the built-in engine with the OpenAPI lookup.
pub(super) fn explains(trial: &OperationTrial, _ours: &TrialAnswer, theirs: &TrialAnswer) -> bool {
    trial.operation.is_strategic()
        && exec::is_recursive(&trial.types.context)
        && trial.is_answered_in_context(|context| context.lookup = FieldLookup::OpenApi, theirs)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_skew::OperationKind;

    use super::super::test_support::{ours, refused, result, trial};
    use super::*;

    const RECURSIVE: &str = "type T struct {\n\tA *T `json:\"a\"`\n\tB string `json:\"b\"`\n}";
    const FLAT: &str = "type T struct {\n\tA string `json:\"a\"`\n\tB string `json:\"b\"`\n}";

    #[rstest]
    #[case::any_field_is_a_list(RECURSIVE, r#"{"b":[]}"#, r#"{"b":[1]}"#, result(r#"{"b":[1]}"#), true)]
    #[case::another_result(RECURSIVE, r#"{"b":[]}"#, r#"{"b":[1]}"#, result("{}"), false)]
    #[case::another_refusal(RECURSIVE, r#"{"b":[]}"#, r#"{"b":[1]}"#, refused("wrong-kind", ""), false)]
    #[case::a_field_in_another_case(
        RECURSIVE,
        r#"{"A":{"b":"1"}}"#,
        r#"{"A":{"b":"2"}}"#,
        refused("unknown-field", ""),
        true
    )]
    #[case::a_field_in_its_own_case(
        RECURSIVE,
        r#"{"a":{"b":"1"}}"#,
        r#"{"a":{"b":"2"}}"#,
        refused("unknown-field", ""),
        false
    )]
    #[case::types_that_are_not_recursive(FLAT, r#"{"b":[]}"#, r#"{"b":[1]}"#, result(r#"{"b":[1]}"#), false)]
    fn only_the_answer_with_the_openapi_lookup_is_explained(
        #[case] types: &str,
        #[case] original: &str,
        #[case] modified: &str,
        #[case] theirs: TrialAnswer,
        #[case] explained: bool,
    ) {
        let trial = trial(OperationKind::TwoWay, types, &[original, modified]);
        assert_eq!(explains(&trial, &ours(&trial), &theirs), explained);
    }
}
