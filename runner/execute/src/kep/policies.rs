//! Counts by policy, and the points at which policies differ.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use skewer_reports::kep::{
    AxisCondition, PolicyComparison, PolicyCounts, PolicyDifference, PolicyTable, UnionKind,
};
use skewer_results::Outcome;

use super::axis_values::{AxisValues, cover_points, point_count};
use super::matrix::{Matrix, Point};
use crate::visible_severity::visible_severity;

/// The policy that the KEP is about.
pub(super) const KEP_POLICY: &str = "kep-1027";

/// Counts outcomes under a policy.
pub(super) fn count_outcomes(policy: &str, outcomes: impl Iterator<Item = Outcome>) -> PolicyCounts {
    let mut counts = PolicyCounts { policy: policy.to_owned(), ..PolicyCounts::default() };
    for outcome in outcomes {
        counts.cells += 1;
        match outcome {
            Outcome::Intended | Outcome::Match => counts.intended += 1,
            Outcome::Rejected => counts.rejected += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Ignored => counts.ignored += 1,
            Outcome::Leftover => counts.leftover += 1,
            Outcome::Lost => counts.lost += 1,
            Outcome::WronglyAccepted => counts.wrongly_accepted += 1,
            Outcome::Diverged | Outcome::AsBefore | Outcome::Mismatch | Outcome::Leaked => {
                counts.diverged += 1;
            }
        }
    }
    counts
}

/// Counts the outcomes of some points, for each policy.
pub(super) fn count_by_policy(matrix: &Matrix, is_counted: impl Fn(&Point) -> bool) -> Vec<PolicyCounts> {
    let counts = |(column, policy): (usize, &String)| {
        let outcomes =
            matrix.points.iter().filter(|(point, _)| is_counted(point)).filter_map(|(_, o)| o[column]);
        count_outcomes(policy, outcomes)
    };
    matrix.policies.iter().enumerate().map(counts).collect()
}

/// Counts the outcomes of all unions together, and of each kind of union.
pub(super) fn tables(matrix: &Matrix) -> Vec<PolicyTable> {
    let table = |unions: &str, of: &dyn Fn(&Point) -> bool| PolicyTable {
        unions: unions.to_owned(),
        policies: count_by_policy(matrix, of),
    };
    let mut tables = vec![
        table("all unions", &|_| true),
        table("with a discriminator", &|point| point.union.has_discriminator()),
        table("without a discriminator", &|point| !point.union.has_discriminator()),
    ];
    for union in UnionKind::ALL {
        tables.push(table(union.description(), &|point| point.union == union));
    }
    tables.retain(|table| table.policies.iter().any(|counts| counts.cells > 0));
    tables
}

/// Compares the policy of the KEP with each of the others, point by point.
pub(super) fn compare_kep_policy(matrix: &Matrix) -> Vec<PolicyComparison> {
    let Some(kep) = matrix.policy_column(KEP_POLICY) else { return Vec::new() };
    let others = matrix.policies.iter().enumerate().filter(|(column, _)| *column != kep);
    others
        .map(|(column, policy)| {
            let mut comparison = PolicyComparison { policy: policy.clone(), better: 0, same: 0, worse: 0 };
            for outcomes in matrix.points.values() {
                let (Some(ours), Some(theirs)) = (outcomes[kep], outcomes[column]) else { continue };
                match visible_severity(ours).cmp(&visible_severity(theirs)) {
                    Ordering::Less => comparison.better += 1,
                    Ordering::Equal => comparison.same += 1,
                    Ordering::Greater => comparison.worse += 1,
                }
            }
            comparison
        })
        .collect()
}

/// Lists the points at which the policies differ. Points with the same outcomes are described together, by a small
/// number of lists of conditions.
pub(super) fn differences(matrix: &Matrix) -> Vec<PolicyDifference> {
    type Group<'m> = BTreeMap<(UnionKind, &'m [Option<Outcome>]), Vec<&'m BTreeMap<String, String>>>;
    let mut groups: Group<'_> = BTreeMap::new();
    for (point, outcomes) in &matrix.points {
        let mut known = outcomes.iter().flatten();
        let first = known.next();
        if known.any(|outcome| Some(outcome) != first) {
            groups.entry((point.union, outcomes)).or_default().push(&point.axes);
        }
    }
    let mut found = Vec::new();
    for ((union, outcomes), points) in groups {
        for covered in cover_points(&points) {
            let points = point_count(&covered);
            let when = conditions(matrix, union, &covered);
            found.push(PolicyDifference { union, when, points, outcomes: outcomes.to_vec() });
        }
    }
    found.sort_by_cached_key(|difference| (difference.union, sheet_order(&difference.when)));
    found
}

/// Returns the conditions that describe a product of values. A condition that all points with the same axes fulfil is
/// left out, unless it has a single value that distinguishes these points from points with other axes:
/// `request=create`.
fn conditions(matrix: &Matrix, union: UnionKind, covered: &AxisValues) -> Vec<AxisCondition> {
    let points = || matrix.points.keys().filter(|point| point.union == union);
    let says_nothing = |axis: &String, values: &BTreeSet<String>| {
        let has = |point: &&Point| point.axes.get(axis).is_some_and(|value| !values.contains(value));
        let alike = points().filter(has).all(|point| !point.axes.keys().eq(covered.keys()));
        alike && (values.len() > 1 || !points().any(|point| has(&point)))
    };
    let needed = covered.iter().filter(|(axis, values)| !says_nothing(axis, values));
    let mut conditions: Vec<AxisCondition> = needed
        .map(|(axis, values)| {
            let mut values: Vec<String> = values.iter().cloned().collect();
            values.sort_by_key(|value| rank_in_sheet(axis, value));
            AxisCondition { axis: axis.clone(), values }
        })
        .collect();
    conditions.sort_by_key(|condition| SHEET_ORDER.iter().position(|(name, _)| *name == condition.axis));
    conditions
}

/// The order of the KEP's sheet, reconstructed from the cited rows: first the points at which the client lacks a
/// member, then the points at which the server lacks one. Within each part, the order is: no change, modify, clear, set
/// a known member, set a new member.
const SHEET_ORDER: [(&str, &[&str]); 7] = [
    ("server", &["aware", "unaware"]),
    ("client", &["unaware", "aware"]),
    ("decoding", &["structured", "unstructured"]),
    ("members", &["required", "optional"]),
    ("operation", &["echo", "modify-known", "modify-new", "clear", "set-known", "set-new"]),
    ("live", &["nothing", "known", "new"]),
    ("request", &["update", "json-merge-patch", "strategic-merge-patch", "client-side-apply", "create"]),
];

fn rank_in_sheet(axis: &str, value: &str) -> usize {
    let values = SHEET_ORDER.iter().find(|(name, _)| *name == axis).map_or(&[][..], |(_, values)| values);
    values.iter().position(|known| *known == value).unwrap_or(values.len())
}

/// Returns a key that sorts conditions in the order of the sheet. An axis that is not named comes first.
fn sheet_order(when: &[AxisCondition]) -> (Vec<usize>, Vec<AxisCondition>) {
    let of = |axis: &str| {
        let found = when.iter().find(|condition| condition.axis == axis);
        found.and_then(|condition| condition.values.first()).map_or(0, |value| rank_in_sheet(axis, value) + 1)
    };
    (SHEET_ORDER.iter().map(|(axis, _)| of(axis)).collect(), when.to_vec())
}
