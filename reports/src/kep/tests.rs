//! The report on a matrix small enough to be counted by hand.

use super::*;
use crate::model::{Cell, Results, RunInfo, Target};
use crate::vocabulary::{Outcome, Status};

/// A cell of the matrix: kind of union, policy, the other axes, what became of it.
fn cell(union: UnionKind, policy: &str, axes: &[(&str, &str)], outcome: Outcome) -> Cell {
    let suite = format!("{SUITES}{}", union.as_str());
    let others: Vec<String> = axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let id = format!("{suite}/c[policy={policy},{}]", others.join(","));
    let axes = [("policy", policy)].into_iter().chain(axes.iter().copied()).collect();
    Cell { axes, outcome: Some(outcome), ..Cell::new(id, suite, "c", Status::Pass) }
}

const CLEAR: [(&str, &str); 5] = [
    ("client", "unaware"),
    ("holding", "unstructured"),
    ("server", "aware"),
    ("live", "new"),
    ("do", "clear"),
];

fn results(cells: Vec<Cell>) -> Results {
    let target = Target { name: "<b>target</b>".to_owned(), ..Target::default() };
    Results::new(RunInfo { target, ..RunInfo::default() }, cells)
}

/// The first conclusion on one point, under two policies; the KEP's gives what it is given.
fn small(kep: Outcome) -> Results {
    let mut cells = vec![
        cell(UnionKind::PlainOptional, "kep-1027", &CLEAR, Outcome::Ignored),
        cell(UnionKind::PlainOptional, "none", &CLEAR, Outcome::Ignored),
        cell(UnionKind::DiscriminatedOptional, "kep-1027", &CLEAR, kep),
        cell(UnionKind::DiscriminatedOptional, "none", &CLEAR, Outcome::Leftover),
    ];
    cells[2].kep = vec![27];
    results(cells)
}

fn report(results: &Results) -> Report {
    Report::of(results).expect("there are cells of the matrix")
}

#[test]
fn cells_are_counted_by_policy_in_the_order_of_the_design() {
    let report = report(&small(Outcome::Intended));
    assert_eq!((report.cells, report.points, report.failed, report.not_run), (4, 2, 0, 0));
    assert_eq!(report.policies, ["none", "kep-1027"]);
    let all = &report.tables[0];
    let counts: Vec<_> = all.policies.iter().map(|t| (t.cells, t.intended, t.refused, t.silent())).collect();
    assert_eq!(counts, [(2, 0, 0, 2), (2, 1, 0, 1)]);
}

#[test]
fn a_conclusion_follows_from_the_cells_and_from_nothing_else() {
    let follows = |kep| {
        let report = report(&small(kep));
        (report.conclusions[0].cited, report.conclusions[0].findings[0].status, report.follows())
    };
    // The other three have no cells here, and do not follow from nothing.
    assert_eq!(follows(Outcome::Intended), ([22, 27], ConclusionStatus::Follows, false));
    assert_eq!(follows(Outcome::Leftover), ([22, 27], ConclusionStatus::DoesNotFollow, false));
    let mut loud_without = small(Outcome::Intended);
    loud_without.cells[1].outcome = Some(Outcome::Intended);
    assert_eq!(report(&loud_without).conclusions[0].findings[0].status, ConclusionStatus::InPart);
}

#[test]
fn where_policies_differ_is_told_point_by_point() {
    let report = report(&small(Outcome::Intended));
    let [difference] = &report.differences[..] else { panic!("{:?}", report.differences) };
    assert_eq!((difference.union, difference.points), (UnionKind::DiscriminatedOptional, 1));
    assert_eq!(difference.outcomes, [Some(Outcome::Leftover), Some(Outcome::Intended)]);
    let [comparison] = &report.comparisons[..] else { panic!("{:?}", report.comparisons) };
    assert_eq!((comparison.better, comparison.same, comparison.worse), (1, 1, 0));
}

#[test]
fn a_cited_row_has_its_case_and_its_outcomes() {
    let report = report(&small(Outcome::Intended));
    let [row] = &report.rows[..] else { panic!("{:?}", report.rows) };
    assert_eq!(row.row, 27);
    assert_eq!(row.outcomes, [None, Some(Outcome::Intended)]);
}

#[test]
fn what_failed_or_was_not_run_is_said() {
    let mut results = small(Outcome::Intended);
    results.cells[0].status = Status::Fail;
    results.cells[1].status = Status::Unsupported;
    results.cells[1].outcome = None;
    let report = report(&results);
    assert_eq!((report.failed, report.not_run), (1, 1));
    let text = Format::Text.write(&report, Style::default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("1 cells do not do what the corpus expects"), "{text}");
    assert!(text.contains("1 cells were not run"), "{text}");
    // Of what was not run nothing is known: it is no difference.
    assert!(report.differences.iter().all(|difference| difference.union == UnionKind::DiscriminatedOptional));
}

#[test]
fn without_cells_of_the_matrix_there_is_no_report() {
    assert_eq!(Report::of(&results(vec![Cell::new("s/c", "s", "c", Status::Pass)])), None);
}

#[test]
fn every_format_has_a_name_and_escapes_what_is_foreign() {
    let report = report(&small(Outcome::Intended));
    for format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(*format));
        let text = format.write(&report, Style::default());
        assert!(text.ends_with('\n'), "{format}");
        assert_eq!(text.contains("<b>target</b>"), *format != Format::Html, "{format}");
    }
    assert!(Format::Markdown.write(&report, Style::default()).contains("`<b>target</b>`"));
}

#[test]
fn a_table_that_is_too_wide_becomes_a_list() {
    let narrow = Style { color: false, width: Some(40) };
    let text = Format::Text.write(&report(&small(Outcome::Intended)), narrow);
    assert!(text.contains("policy: kep-1027\n  cells: 2\n  intended: 1\n"), "{text}");
    insta::assert_snapshot!(text);
}
