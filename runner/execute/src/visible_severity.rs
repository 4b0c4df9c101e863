//! The order of outcomes by what the user sees.

use skewer_reports::Outcome;

/// Ranks an outcome from good to bad: intended or rejected, as before, refused, silent. All silent outcomes are equally bad.
///
/// KEP-1027 distinguishes only whether the user sees an error. This order therefore has fewer steps than
/// [`ResultSeverity`](crate::compare::ResultSeverity).
#[must_use]
pub fn visible_severity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Intended | Outcome::Rejected | Outcome::Match => 0,
        Outcome::AsBefore => 1,
        Outcome::Refused => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_better_than_each_silent_outcome_and_worse_than_the_outcome_of_before() {
        let refused = visible_severity(Outcome::Refused);
        assert!(visible_severity(Outcome::Intended) < visible_severity(Outcome::AsBefore));
        assert!(visible_severity(Outcome::AsBefore) < refused);
        let silent: Vec<Outcome> =
            Outcome::ALL.iter().copied().filter(|outcome| outcome.is_silent()).collect();
        assert!(silent.iter().all(|outcome| visible_severity(*outcome) > refused), "{silent:?}");
    }
}
