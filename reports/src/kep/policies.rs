//! Counts by policy, and the points at which policies differ.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::axis_values::{AxisValues, cover_points, point_count};
use super::matrix::{Matrix, Point, UnionKind};
use crate::vocabulary::Outcome;

/// The policy that the KEP is about.
pub(super) const KEP_POLICY: &str = "kep-1027";

/// The counts over the cells of some unions, by policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyTable {
    /// The unions, in words.
    pub unions: String,
    /// The counts for each policy.
    pub policies: Vec<PolicyCounts>,
}

/// Counts of cells under one policy, by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyCounts {
    /// The policy.
    pub policy: String,
    /// The number of cells that were run.
    pub cells: usize,
    /// As the intent is with everyone up to date.
    pub intended: usize,
    /// Loud: the stored object is untouched.
    pub refused: usize,
    /// Silent: accepted, and nothing changed.
    pub ignored: usize,
    /// Silent: accepted, and something that should have gone remains.
    pub leftover: usize,
    /// Silent: accepted, and something that should be there is not.
    pub lost: usize,
    /// Silent: accepted, and otherwise different.
    pub diverged: usize,
}

impl PolicyCounts {
    pub(super) fn of(policy: &str, outcomes: impl Iterator<Item = Outcome>) -> Self {
        let mut counts = PolicyCounts { policy: policy.to_owned(), ..PolicyCounts::default() };
        for outcome in outcomes {
            counts.cells += 1;
            match outcome {
                Outcome::Intended | Outcome::Match => counts.intended += 1,
                Outcome::Refused => counts.refused += 1,
                Outcome::Ignored => counts.ignored += 1,
                Outcome::Leftover => counts.leftover += 1,
                Outcome::Lost => counts.lost += 1,
                Outcome::Diverged | Outcome::AsBefore | Outcome::Mismatch => counts.diverged += 1,
            }
        }
        counts
    }

    /// Accepted, and not what was meant.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.ignored + self.leftover + self.lost + self.diverged
    }

    /// The outcomes that occur, with their counts, in words.
    #[must_use]
    pub fn description(&self) -> String {
        let kinds = [
            (self.intended, "intended"),
            (self.refused, "refused"),
            (self.ignored, "ignored"),
            (self.leftover, "leftover"),
            (self.lost, "lost"),
            (self.diverged, "diverged"),
        ];
        let found: Vec<String> =
            kinds.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if found.is_empty() { "none run".to_owned() } else { found.join(", ") }
    }
}

/// One counts for each policy, of the points that are asked for.
pub(super) fn count_by_policy(matrix: &Matrix, is_counted: impl Fn(&Point) -> bool) -> Vec<PolicyCounts> {
    let counts = |(column, policy): (usize, &String)| {
        let outcomes =
            matrix.points.iter().filter(|(point, _)| is_counted(point)).filter_map(|(_, o)| o[column]);
        PolicyCounts::of(policy, outcomes)
    };
    matrix.policies.iter().enumerate().map(counts).collect()
}

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

/// The policy of the KEP compared with another one, point by point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyComparison {
    /// The other policy.
    pub policy: String,
    /// Points at which `kep-1027` does better: as intended where the other is not, loud where the other is silent.
    pub better: usize,
    /// Points at which neither is better.
    pub same: usize,
    /// Points at which `kep-1027` does worse.
    pub worse: usize,
}

pub(super) fn compare_kep_policy(matrix: &Matrix) -> Vec<PolicyComparison> {
    let Some(kep) = matrix.policy_column(KEP_POLICY) else { return Vec::new() };
    let others = matrix.policies.iter().enumerate().filter(|(column, _)| *column != kep);
    others
        .map(|(column, policy)| {
            let mut comparison = PolicyComparison { policy: policy.clone(), better: 0, same: 0, worse: 0 };
            for outcomes in matrix.points.values() {
                let (Some(ours), Some(theirs)) = (outcomes[kep], outcomes[column]) else { continue };
                match severity(ours).cmp(&severity(theirs)) {
                    Ordering::Less => comparison.better += 1,
                    Ordering::Equal => comparison.same += 1,
                    Ordering::Greater => comparison.worse += 1,
                }
            }
            comparison
        })
        .collect()
}

/// Ranks an outcome: as intended before loud, loud before silent; which kind of silent makes no difference.
fn severity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Intended | Outcome::Match => 0,
        Outcome::Refused => 1,
        _ => 2,
    }
}

/// An axis, and the values on it that are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AxisCondition {
    /// The axis.
    pub axis: String,
    /// The values.
    pub values: Vec<String>,
}

/// Points at which the policies differ from each other, and which one list of conditions covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyDifference {
    /// The kind of union.
    pub union: UnionKind,
    /// The values on each axis; an axis that is not named may have any value that it has.
    pub when: Vec<AxisCondition>,
    /// The number of points.
    pub points: usize,
    /// The outcome of each of them under each policy.
    pub outcomes: Vec<Option<Outcome>>,
}

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

/// The conditions for a product of values. An axis on which it has every value that such points have says nothing, and is left out, unless
/// only points of another shape have others: `request=create`.
fn conditions(matrix: &Matrix, union: UnionKind, covered: &AxisValues) -> Vec<AxisCondition> {
    let points = || matrix.points.keys().filter(|point| point.union == union);
    let says_nothing = |axis: &String, values: &BTreeSet<String>| {
        let has = |point: &&Point| point.axes.get(axis).is_some_and(|value| !values.contains(value));
        let alike = points().filter(has).all(|point| !point.axes.keys().eq(covered.keys()));
        alike && (values.len() > 1 || !points().any(|point| has(&point)))
    };
    let told = covered.iter().filter(|(axis, values)| !says_nothing(axis, values));
    let mut conditions: Vec<AxisCondition> = told
        .map(|(axis, values)| {
            let mut values: Vec<String> = values.iter().cloned().collect();
            values.sort_by_key(|value| rank_in_sheet(axis, value));
            AxisCondition { axis: axis.clone(), values }
        })
        .collect();
    conditions.sort_by_key(|condition| SHEET_ORDER.iter().position(|(name, _)| *name == condition.axis));
    conditions
}

/// The order of the KEP's sheet, as far as its cited rows give it away: first what the client does not know, then what
/// the server does not know; in each none, modify, clear, set known, set new.
const SHEET_ORDER: [(&str, &[&str]); 6] = [
    ("server", &["aware", "unaware"]),
    ("client", &["unaware", "aware"]),
    ("holding", &["structured", "unstructured"]),
    ("do", &["echo", "modify-known", "modify-new", "clear", "set-nothing", "set-known", "set-new"]),
    ("live", &["nothing", "known", "new"]),
    ("request", &["update", "json-merge-patch", "strategic-merge-patch", "apply", "create"]),
];

fn rank_in_sheet(axis: &str, value: &str) -> usize {
    let values = SHEET_ORDER.iter().find(|(name, _)| *name == axis).map_or(&[][..], |(_, values)| values);
    values.iter().position(|known| *known == value).unwrap_or(values.len())
}

/// Conditions in the order of the sheet; what is not named comes before what is.
fn sheet_order(when: &[AxisCondition]) -> (Vec<usize>, Vec<AxisCondition>) {
    let of = |axis: &str| {
        let found = when.iter().find(|condition| condition.axis == axis);
        found.and_then(|condition| condition.values.first()).map_or(0, |value| rank_in_sheet(axis, value) + 1)
    };
    (SHEET_ORDER.iter().map(|(axis, _)| of(axis)).collect(), when.to_vec())
}
