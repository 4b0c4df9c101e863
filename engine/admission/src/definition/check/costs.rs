//! The estimated costs of rules. Upstream: `TotalCost`, `getCostErrorMessage` (`apis/apiextensions/validation`).

use skewer_engine::document::{Doc, OwnedMap};
use skewer_engine::field_path::FieldPath;

use super::checker::Checker;
use super::raw;
use crate::reason::ServerReason;
use crate::structural::RuleCost;

/// The highest cost of an expression. Upstream: `StaticEstimatedCostLimit`.
const LIMIT: u64 = 10_000_000;

/// The highest cost of all rules of a schema. Upstream: `StaticEstimatedCRDCostLimit`.
const TOTAL_LIMIT: u64 = 100_000_000;

/// How many rules are named if all together are too expensive.
const MOST_EXPENSIVE: usize = 4;

/// The costs of the rules of a schema, and the sum of those that were checked.
pub(super) struct Costs {
    /// The costs of rules, with the paths of the rules.
    known: Vec<RuleCost>,
    total: u64,
    /// The paths of expensive expressions, with their costs.
    most_expensive: Vec<(FieldPath, u64)>,
}

impl Costs {
    /// `at` is the path of the schema. The costs of a message are only in `with_messages`, in which rules with an invalid message
    /// are missing.
    pub(super) fn new(at: &FieldPath, rules: &[RuleCost], with_messages: &[RuleCost]) -> Self {
        let known = rules.iter().map(|rule| {
            let mut path = at.clone();
            rule.path.segments().iter().for_each(|segment| path.push(segment.clone()));
            let same = with_messages.iter().find(|other| other.path == rule.path);
            RuleCost { path, message: same.and_then(|rule| rule.message), ..rule.clone() }
        });
        Costs { known: known.collect(), total: 0, most_expensive: Vec::new() }
    }

    /// Checks the costs of the rule at the current path. `cardinality` is the largest number of values that have the rule, if the
    /// lists and maps around have limits.
    pub(super) fn check(&mut self, checker: &mut Checker, cardinality: Option<u64>) {
        let Some(known) = self.known.iter().find(|known| known.path == checker.path) else { return };
        let rule = known.rule.saturating_mul(cardinality.unwrap_or(known.max_values));
        let costs = [("rule", Some(rule)), ("messageExpression", known.message)];
        for (key, cost) in costs {
            let Some(cost) = cost else { continue };
            if cost > LIMIT && !checker.ignores_costs {
                let name =
                    if key == "rule" { "estimated rule cost" } else { "estimated messageExpression cost" };
                checker.report_at(key, ServerReason::Forbidden, too_high(name, cost, LIMIT));
            }
            self.total = self.total.saturating_add(cost);
            if cost >= TOTAL_LIMIT / 100 {
                checker.at(&[key], |checker| self.most_expensive.push((checker.path.clone(), cost)));
            }
        }
    }

    /// Checks the costs of all rules of the schema at the current path.
    pub(super) fn report_total(mut self, checker: &mut Checker) {
        if self.total <= TOTAL_LIMIT {
            return;
        }
        self.most_expensive.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        for (path, _) in self.most_expensive.into_iter().take(MOST_EXPENSIVE) {
            let at = std::mem::replace(&mut checker.path, path);
            checker.report(
                ServerReason::Forbidden,
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
            );
            checker.path = at;
        }
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        checker.report(ServerReason::Forbidden, too_high(name, self.total, TOTAL_LIMIT));
    }
}

/// Returns how many values the values of a schema have at most. `None` if there is no limit. Upstream: `extractMaxElements`.
pub(super) fn max_elements(schema: &OwnedMap) -> Option<u64> {
    let max = |key: &str| match schema.get(key) {
        Some(Doc::Int(max)) => Some(u64::try_from(*max).unwrap_or_default()),
        _ => None,
    };
    match raw::text(schema, "type") {
        "array" => max("maxItems"),
        "object" if raw::has(schema, "additionalProperties") => max("maxProperties"),
        _ => Some(1),
    }
}

#[expect(clippy::cast_precision_loss, reason = "The number is rounded for people.")]
fn too_high(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = match factor {
        _ if factor > 100.0 => "more than 100x".to_owned(),
        _ if factor < 1.5 => format!("{factor:.6}x"),
        _ => format!("{factor:.1}x"),
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}
