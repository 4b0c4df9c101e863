//! The order of outcomes by what the user sees.

use std::cmp::Ordering;

use skewer_reports::negotiation::NegotiationEffect;
use skewer_results::Outcome;

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

/// Returns what negotiation does to a cell, by its outcome without and with negotiation.
#[must_use]
pub fn negotiation_effect(own_version: Outcome, negotiated: Outcome) -> NegotiationEffect {
    match visible_severity(negotiated).cmp(&visible_severity(own_version)) {
        Ordering::Less => NegotiationEffect::Gain,
        Ordering::Equal => NegotiationEffect::None,
        Ordering::Greater => NegotiationEffect::Cost,
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

    #[test]
    fn a_loud_failure_that_becomes_silent_is_a_cost_and_another_silent_outcome_is_none() {
        let effect = |[own, negotiated]: [Outcome; 2]| negotiation_effect(own, negotiated);
        assert_eq!(effect([Outcome::Refused, Outcome::Ignored]), NegotiationEffect::Cost);
        assert_eq!(effect([Outcome::Lost, Outcome::Ignored]), NegotiationEffect::None);
        assert_eq!(effect([Outcome::Refused, Outcome::AsBefore]), NegotiationEffect::Gain);
    }
}
