//! Tallies by policy, and where policies differ.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Table;
use super::boxes::{Box, boxes, size};
use super::matrix::{Matrix, Point, Union};
use crate::words::Outcome;

/// The policy that the KEP is about.
pub(super) const KEP: &str = "kep-1027";

/// What became of some cells under one policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// The policy.
    pub policy: String,
    /// How many cells were run.
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

impl Tally {
    pub(super) fn of(policy: &str, outcomes: impl Iterator<Item = Outcome>) -> Self {
        let mut tally = Tally { policy: policy.to_owned(), ..Tally::default() };
        for outcome in outcomes {
            tally.cells += 1;
            match outcome {
                Outcome::Intended | Outcome::Match => tally.intended += 1,
                Outcome::Refused => tally.refused += 1,
                Outcome::Ignored => tally.ignored += 1,
                Outcome::Leftover => tally.leftover += 1,
                Outcome::Lost => tally.lost += 1,
                Outcome::Diverged | Outcome::AsBefore | Outcome::Mismatch => tally.diverged += 1,
            }
        }
        tally
    }

    /// Accepted, and not what was meant.
    #[must_use]
    pub fn silent(&self) -> usize {
        self.ignored + self.leftover + self.lost + self.diverged
    }

    /// The kinds of outcome that there are, with their counts.
    #[must_use]
    pub fn described(&self) -> String {
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

/// One tally for each policy, of the points that are asked for.
pub(super) fn tallies(matrix: &Matrix, of: impl Fn(&Point) -> bool) -> Vec<Tally> {
    let tally = |(column, policy): (usize, &String)| {
        let outcomes = matrix.points.iter().filter(|(point, _)| of(point)).filter_map(|(_, o)| o[column]);
        Tally::of(policy, outcomes)
    };
    matrix.policies.iter().enumerate().map(tally).collect()
}

pub(super) fn tables(matrix: &Matrix) -> Vec<Table> {
    let table = |unions: &str, of: &dyn Fn(&Point) -> bool| Table {
        unions: unions.to_owned(),
        policies: tallies(matrix, of),
    };
    let mut tables = vec![
        table("all unions", &|_| true),
        table("with a discriminator", &|point| point.union.has_discriminator()),
        table("without a discriminator", &|point| !point.union.has_discriminator()),
    ];
    for union in Union::ALL {
        tables.push(table(union.described(), &|point| point.union == union));
    }
    tables.retain(|table| table.policies.iter().any(|tally| tally.cells > 0));
    tables
}

/// `kep-1027` beside another policy, point by point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Against {
    /// The other policy.
    pub policy: String,
    /// Points at which `kep-1027` does better: as intended where the other is not, loud where the other is silent.
    pub better: usize,
    /// Points at which neither is better.
    pub same: usize,
    /// Points at which `kep-1027` does worse.
    pub worse: usize,
}

pub(super) fn against(matrix: &Matrix) -> Vec<Against> {
    let Some(kep) = matrix.column(KEP) else { return Vec::new() };
    let others = matrix.policies.iter().enumerate().filter(|(column, _)| *column != kep);
    others
        .map(|(column, policy)| {
            let mut against = Against { policy: policy.clone(), better: 0, same: 0, worse: 0 };
            for outcomes in matrix.points.values() {
                let (Some(ours), Some(theirs)) = (outcomes[kep], outcomes[column]) else { continue };
                match badness(ours).cmp(&badness(theirs)) {
                    Ordering::Less => against.better += 1,
                    Ordering::Equal => against.same += 1,
                    Ordering::Greater => against.worse += 1,
                }
            }
            against
        })
        .collect()
}

/// As intended before loud, loud before silent; which kind of silent makes no difference.
fn badness(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Intended | Outcome::Match => 0,
        Outcome::Refused => 1,
        _ => 2,
    }
}

/// An axis, and the values on it that are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The axis.
    pub axis: String,
    /// The values.
    pub values: Vec<String>,
}

/// Points at which the policies do not all do the same, brought together as far as one condition covers them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The kind of union.
    pub union: Union,
    /// The values on each axis; an axis that is not named may have any value that it has.
    pub when: Vec<Condition>,
    /// How many points.
    pub points: usize,
    /// What becomes of each of them under each policy.
    pub outcomes: Vec<Option<Outcome>>,
}

pub(super) fn differences(matrix: &Matrix) -> Vec<Difference> {
    type Group<'m> = BTreeMap<(Union, &'m [Option<Outcome>]), Vec<&'m BTreeMap<String, String>>>;
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
        for covered in boxes(&points) {
            let points = size(&covered);
            let when = conditions(matrix, union, &covered);
            found.push(Difference { union, when, points, outcomes: outcomes.to_vec() });
        }
    }
    found.sort_by_cached_key(|difference| (difference.union, order(&difference.when)));
    found
}

/// A box in words. An axis on which it has every value that such points have says nothing, and is left out, unless
/// only points of another shape have others: `request=create`.
fn conditions(matrix: &Matrix, union: Union, covered: &Box) -> Vec<Condition> {
    let points = || matrix.points.keys().filter(|point| point.union == union);
    let says_nothing = |axis: &String, values: &BTreeSet<String>| {
        let has = |point: &&Point| point.axes.get(axis).is_some_and(|value| !values.contains(value));
        let alike = points().filter(has).all(|point| !point.axes.keys().eq(covered.keys()));
        alike && (values.len() > 1 || !points().any(|point| has(&point)))
    };
    let told = covered.iter().filter(|(axis, values)| !says_nothing(axis, values));
    let mut conditions: Vec<Condition> = told
        .map(|(axis, values)| {
            let mut values: Vec<String> = values.iter().cloned().collect();
            values.sort_by_key(|value| place(axis, value));
            Condition { axis: axis.clone(), values }
        })
        .collect();
    conditions.sort_by_key(|condition| ORDER.iter().position(|(name, _)| *name == condition.axis));
    conditions
}

/// The order of the KEP's sheet, as far as its cited rows give it away: first what the client does not know, then what
/// the server does not know; in each none, modify, clear, set known, set new.
const ORDER: [(&str, &[&str]); 6] = [
    ("server", &["aware", "unaware"]),
    ("client", &["unaware", "aware"]),
    ("holding", &["structured", "unstructured"]),
    ("do", &["echo", "modify-known", "modify-new", "clear", "set-nothing", "set-known", "set-new"]),
    ("live", &["nothing", "known", "new"]),
    ("request", &["update", "json-merge-patch", "strategic-merge-patch", "apply", "create"]),
];

fn place(axis: &str, value: &str) -> usize {
    let values = ORDER.iter().find(|(name, _)| *name == axis).map_or(&[][..], |(_, values)| values);
    values.iter().position(|known| *known == value).unwrap_or(values.len())
}

/// Conditions in the order of the sheet; what is not named comes before what is.
fn order(when: &[Condition]) -> (Vec<usize>, Vec<Condition>) {
    let of = |axis: &str| {
        let found = when.iter().find(|condition| condition.axis == axis);
        found.and_then(|condition| condition.values.first()).map_or(0, |value| place(axis, value) + 1)
    };
    (ORDER.iter().map(|(axis, _)| of(axis)).collect(), when.to_vec())
}
