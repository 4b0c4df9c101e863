//! What an item of a design document claims, and which cells decide whether the claim holds.

use serde::Deserialize;
use skewer_engine::ErrorKind;
use skewer_skew::Outcome;
use skewer_yaml::{Diagnostics, Span, Spanned};

use crate::format::{OneOrMore, OrderedMap, OutcomeName};

/// What an item claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A claim that holds in each cell that satisfies its condition. The first condition that applies to a cell counts. A
    /// cell without a condition decides nothing.
    HoldsIf(Vec<HoldsIf>),
    /// A claim that no cell can decide, with the reason.
    Undecided(String),
    /// No claim, with the reason.
    NoClaim(String),
}

/// A condition on the ends of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldsIf {
    /// The names of the cases and suites to which the condition applies. Without names, these are all that show the item.
    pub cells: Vec<String>,
    /// The values of axes to which the condition applies.
    pub when: Vec<(String, Vec<String>)>,
    /// How a cell has to end.
    pub end: ClaimedEnd,
    /// Whether one such cell is enough: the item says that something can happen.
    pub some: bool,
}

/// How a cell has to end, so that the claim holds in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimedEnd {
    /// As the case expects.
    Expected,
    /// In another way than the case expects, because the expectation contradicts the claim.
    NotExpected,
    /// With one of these outcomes. Only a skew case has an outcome.
    Outcome(Vec<Outcome>),
    /// With an error of one of these kinds.
    Error(Vec<ErrorKind>),
    /// As all cells that differ only in the value of this axis: the same document is stored, or all are refused.
    SameFor(String),
    /// As the cell of this case at the same point.
    SameAs(String),
}

/// What the expectation of a case does to a claim.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Expected {
    Supports,
    Contradicts,
}

/// A condition as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct HoldsIfSpec {
    #[serde(default)]
    cells: Option<OneOrMore>,
    #[serde(default)]
    when: OrderedMap<OneOrMore>,
    #[serde(default)]
    expected: Option<Expected>,
    #[serde(default)]
    outcome: Option<Vec<OutcomeName>>,
    #[serde(default)]
    error: Option<OneOrMore>,
    #[serde(default)]
    same_for: Option<String>,
    #[serde(default)]
    same_as: Option<String>,
    #[serde(default)]
    some: bool,
}

impl HoldsIfSpec {
    /// Checks the condition. `span` is that of the item.
    pub(super) fn into_condition(self, span: Span, diagnostics: &Diagnostics) -> Option<HoldsIf> {
        let names = |names: OneOrMore| names.0.into_iter().map(|name| name.value).collect::<Vec<_>>();
        let expected = self.expected.map(|expected| match expected {
            Expected::Supports => ClaimedEnd::Expected,
            Expected::Contradicts => ClaimedEnd::NotExpected,
        });
        let outcome = self.outcome.map(|names| names.into_iter().map(Outcome::from).collect());
        let error = self.error.map(|kinds| error_kinds(&kinds.0, diagnostics));
        let mut ends = [
            expected,
            outcome.map(ClaimedEnd::Outcome),
            error.map(ClaimedEnd::Error),
            self.same_for.map(ClaimedEnd::SameFor),
            self.same_as.map(ClaimedEnd::SameAs),
        ]
        .into_iter()
        .flatten();
        let (Some(end), None) = (ends.next(), ends.next()) else {
            let message = "a condition needs one of expected, outcome, error, same-for and same-as";
            diagnostics.error(span, message.to_owned());
            return None;
        };
        let when = self.when.0.into_iter().map(|(axis, values)| (axis.value, names(values)));
        let cells = self.cells.map(names).unwrap_or_default();
        Some(HoldsIf { cells, when: when.collect(), end, some: self.some })
    }
}

fn error_kinds(names: &[Spanned<String>], diagnostics: &Diagnostics) -> Vec<ErrorKind> {
    let kind = |name: &Spanned<String>| {
        let kind = ErrorKind::from_id(name);
        if kind.is_none() {
            let message = format!("no error kind `{}`; `skewer explain` lists the kinds", name.value);
            diagnostics.error(name.span, message);
        }
        kind
    };
    names.iter().filter_map(kind).collect()
}
