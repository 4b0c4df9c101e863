//! The report on clients that negotiate the version of types and directives with their server: the outcomes with and without
//! negotiation.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use skewer_results::vocabulary::Outcome;

use crate::blocks::{
    self, Block, Column, Inline, Line, Table, code, count, details, heading, number, own, paragraph, plain,
};
use crate::style::Style;

/// The cells of a run, each with both outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NegotiationReport {
    /// The cells in which a client sends a patch, in the order of the run.
    pub cells: Vec<NegotiatedCell>,
    /// Number of cells without an outcome: the target was not asked, or a request of another client is refused.
    pub undecided: usize,
}

/// A cell with its outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NegotiatedCell {
    /// The id of the cell.
    pub id: String,
    /// The suite of the cell.
    pub suite: String,
    /// The outcome if the client speaks its own version.
    pub own_version: Outcome,
    /// The outcome if the client negotiates.
    pub negotiated: Outcome,
    /// The effect of negotiation on the cell.
    pub effect: NegotiationEffect,
    /// Whether a compatibility promise covers the case.
    pub has_promise: bool,
}

/// The effect of negotiation on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NegotiationEffect {
    /// The outcome is the same, or another one that is as good.
    None,
    /// The outcome with negotiation is better.
    Gain,
    /// The outcome with negotiation is worse.
    Cost,
}

impl NegotiatedCell {
    /// Returns true if the outcome is none that a compatibility promise of the case permits.
    fn breaks_promise(&self, outcome: Outcome) -> bool {
        self.has_promise && !matches!(outcome, Outcome::Intended | Outcome::Rejected | Outcome::AsBefore)
    }

    /// Returns true if negotiation permits the format of the patch: without negotiation, the patch breaks the promise of the
    /// case, and with negotiation, the promise is kept.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.breaks_promise(self.own_version) && !self.breaks_promise(self.negotiated)
    }
}

impl NegotiationReport {
    /// Returns the number of cells that satisfy a condition.
    fn count(&self, condition: impl Fn(&NegotiatedCell) -> bool) -> usize {
        self.cells.iter().filter(|cell| condition(cell)).count()
    }
}

/// Renders the report for a terminal.
#[must_use]
pub fn text(report: &NegotiationReport, style: Style) -> String {
    blocks::text::document(&report_blocks(report), style)
}

/// Renders the report in Markdown.
#[must_use]
pub fn markdown(report: &NegotiationReport) -> String {
    blocks::markdown::document(&report_blocks(report), 1)
}

/// Renders the report as one HTML page.
#[must_use]
pub fn html(report: &NegotiationReport) -> String {
    blocks::html::page(&report_blocks(report))
}

const INTRODUCTION: &str = "Each cell in which a client sends a patch is run twice: with a client that speaks its own version, and \
     with one that negotiates. The latter decodes objects and creates patches with the fields, the metadata and the directives \
     that both parties know, and the server merges the patch as a server of that version. The ideal is the same. The best \
     outcome is the ideal, then that of before, then a refusal. All silent outcomes are equally bad.";

const PERMITTED: &str = "With negotiation, a new format of patches need not keep the rules for compatible formats: a new patch need \
     not be a superset of the old one, and can rely on the server for a directive. The patches of these cells break the \
     promise of their case if the client does not negotiate, and keep it if the client does.";

fn report_blocks(report: &NegotiationReport) -> Vec<Block> {
    let gains = report.count(|cell| cell.effect == NegotiationEffect::Gain);
    let costs = report.count(|cell| cell.effect == NegotiationEffect::Cost);
    let permitted: Vec<&NegotiatedCell> = report.cells.iter().filter(|cell| cell.is_permitted()).collect();
    let mut summary = format!(
        "{} cells: negotiation gains {gains}, costs {costs}, and does not matter in {}.",
        report.cells.len(),
        report.cells.len() - gains - costs
    );
    if report.undecided > 0 {
        let _ = write!(summary, " {} more cells have no outcome to compare.", report.undecided);
    }
    let mut blocks = vec![
        heading(1, plain("What negotiation gains and permits")),
        paragraph(own(INTRODUCTION)),
        paragraph(plain(summary)),
    ];
    if gains + costs > 0 {
        blocks.push(Block::Table(by_suite(report)));
    }
    for (title, effect) in [("Gains", NegotiationEffect::Gain), ("Costs", NegotiationEffect::Cost)] {
        let cells: Vec<&NegotiatedCell> = report.cells.iter().filter(|cell| cell.effect == effect).collect();
        if !cells.is_empty() {
            blocks.extend([heading(2, plain(title)), Block::Table(by_outcomes(&cells))]);
        }
    }
    if !permitted.is_empty() {
        blocks.extend([heading(2, plain("What negotiation permits")), paragraph(own(PERMITTED))]);
        blocks.push(details(
            plain(format!("{} cells", permitted.len())),
            vec![Block::Table(listed(&permitted))],
        ));
    }
    blocks
}

/// Lays out the suites in which negotiation matters.
fn by_suite(report: &NegotiationReport) -> Table {
    let mut suites: BTreeMap<&str, Vec<&NegotiatedCell>> = BTreeMap::new();
    for cell in &report.cells {
        suites.entry(&cell.suite).or_default().push(cell);
    }
    let columns = Column::texts(["suite"]).chain(Column::numbers(["cells", "gains", "costs", "permitted"]));
    let rows = suites.into_iter().filter_map(|(suite, cells)| {
        let of = |effect| cells.iter().filter(|cell| cell.effect == effect).count();
        let (gains, costs) = (of(NegotiationEffect::Gain), of(NegotiationEffect::Cost));
        let permitted = cells.iter().filter(|cell| cell.is_permitted()).count();
        let row = [code(suite), number(cells.len()), count(gains), count(costs), count(permitted)];
        (gains + costs > 0).then_some(row)
    });
    Table::new(columns).with(rows)
}

/// Lays out the pairs of outcomes, the most frequent first, each with the cell that has the shortest id.
fn by_outcomes(cells: &[&NegotiatedCell]) -> Table {
    let mut pairs: BTreeMap<(Outcome, Outcome), Vec<&str>> = BTreeMap::new();
    for cell in cells {
        pairs.entry((cell.own_version, cell.negotiated)).or_default().push(&cell.id);
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    let columns = Column::texts(["own version", "negotiated"])
        .chain(Column::numbers(["cells"]))
        .chain(Column::texts(["for example"]));
    Table::new(columns).with(pairs.into_iter().map(|((own_version, negotiated), ids)| {
        let example = ids.iter().min_by_key(|id| (id.len(), **id)).copied().unwrap_or_default();
        [Inline::Outcome(own_version), Inline::Outcome(negotiated), number(ids.len()), code(example)]
    }))
}

fn listed(cells: &[&NegotiatedCell]) -> Table {
    let rows = cells.iter().map(|cell| {
        let outcomes = [Inline::Outcome(cell.own_version), Inline::Outcome(cell.negotiated)].map(Line::from);
        let [own_version, negotiated] = outcomes;
        [Line::from(code(&cell.id)), own_version, negotiated]
    });
    Table::new(Column::texts(["cell", "own version", "negotiated"])).with(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::HOSTILE_TEXT;

    fn cell(own_version: Outcome, negotiated: Outcome, effect: NegotiationEffect) -> NegotiatedCell {
        let (id, suite) = (HOSTILE_TEXT.to_owned(), "s".to_owned());
        NegotiatedCell { id, suite, own_version, negotiated, effect, has_promise: true }
    }

    #[test]
    fn a_format_is_permitted_only_if_negotiation_keeps_a_promise_that_is_broken_without_it() {
        let is_permitted = |own, negotiated| cell(own, negotiated, NegotiationEffect::None).is_permitted();
        assert!(is_permitted(Outcome::Refused, Outcome::AsBefore));
        assert!(is_permitted(Outcome::Lost, Outcome::Intended));
        assert!(!is_permitted(Outcome::AsBefore, Outcome::Intended), "the promise is kept in both");
        assert!(!is_permitted(Outcome::Lost, Outcome::Refused), "the promise is broken in both");
        let without = NegotiatedCell {
            has_promise: false,
            ..cell(Outcome::Lost, Outcome::Intended, NegotiationEffect::Gain)
        };
        assert!(!without.is_permitted());
    }

    #[test]
    fn the_report_counts_gains_costs_and_what_is_permitted() {
        let gain = cell(Outcome::Refused, Outcome::AsBefore, NegotiationEffect::Gain);
        let cost = cell(Outcome::Intended, Outcome::Lost, NegotiationEffect::Cost);
        let same = cell(Outcome::Intended, Outcome::Intended, NegotiationEffect::None);
        let report = NegotiationReport { cells: vec![gain.clone(), gain, cost, same], undecided: 3 };
        let text = text(&report, Style::default());
        assert!(text.contains("4 cells: negotiation gains 2, costs 1, and does not matter in 1."), "{text}");
        assert!(text.contains("3 more cells have no outcome"), "{text}");
        let row: Vec<&str> =
            text.lines().find(|line| line.starts_with("s ")).unwrap().split_whitespace().collect();
        assert_eq!(row, ["s", "4", "2", "1", "2"]);
        assert!(markdown(&report).contains("| refused | as-before | 2 |"), "{}", markdown(&report));
    }

    #[test]
    fn a_report_without_a_difference_has_no_table() {
        let same = cell(Outcome::Intended, Outcome::Intended, NegotiationEffect::None);
        let report = NegotiationReport { cells: vec![same], undecided: 0 };
        assert!(!markdown(&report).contains('|'), "{}", markdown(&report));
    }
}
