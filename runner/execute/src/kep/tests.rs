//! The analysis of a matrix small enough to be counted by hand.

use skewer_reports::kep::{PolicyCounts, RowTypes, UnionKind};
use skewer_results::{Cell, Outcome, RunInfo, Status};

use super::*;

fn cell(union: UnionKind, policy: &str, axes: &[(&str, &str)], outcome: Outcome) -> Cell {
    let (union, optionality) = union.as_str().split_once('-').expect("two words");
    let of_union = [("policy", policy), ("union", union), ("optionality", optionality)];
    let all: Vec<(&str, &str)> = of_union.into_iter().chain(axes.iter().copied()).collect();
    let values: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let id = format!("{SUITE}/c[{}]", values.join(","));
    Cell {
        axes: all.into_iter().collect(),
        outcome: Some(outcome),
        ..Cell::new(id, SUITE, "c", Status::Pass)
    }
}

const CLEAR: [(&str, &str); 6] = [
    ("members", "required"),
    ("client", "unaware"),
    ("decoding", "unstructured"),
    ("server", "aware"),
    ("live", "new"),
    ("operation", "clear"),
];

fn results(cells: Vec<Cell>) -> Results {
    Results::new(RunInfo::default(), cells)
}

/// Returns a run of one point, to which the first conclusion applies, under two policies. `kep` is the outcome under
/// the policy of the KEP.
fn small(kep: Outcome) -> Results {
    let mut cells = vec![
        cell(UnionKind::PlainOptional, "kep-1027", &CLEAR, Outcome::Ignored),
        cell(UnionKind::PlainOptional, "none", &CLEAR, Outcome::Ignored),
        cell(UnionKind::DiscriminatedOptional, "kep-1027", &CLEAR, kep),
        cell(UnionKind::DiscriminatedOptional, "none", &CLEAR, Outcome::Leftover),
    ];
    cells[2].kep = vec![27];
    let row =
        Cell { kep: vec![27], axes: [("policy", "kep-1027")].into_iter().collect(), ..cells[2].clone() };
    cells.push(Cell { id: "s/row-27".into(), suite: "s".into(), case: "row-27".into(), ..row });
    results(cells)
}

fn report(results: &Results) -> KepReport {
    analyze(results).expect("there are cells of the matrix")
}

#[test]
fn cells_are_counted_by_policy_in_the_order_of_the_design() {
    let report = report(&small(Outcome::Intended));
    assert_eq!((report.cells, report.points, report.failed, report.not_run), (4, 2, 0, 0));
    // At one point both policies do the same.
    assert_eq!(report.behaviours, 3);
    assert_eq!(report.policies, ["none", "kep-1027"]);
    let all = &report.tables[0];
    let counts: Vec<_> = all.policies.iter().map(|t| (t.cells, t.intended, t.refused, t.silent())).collect();
    assert_eq!(counts, [(2, 0, 0, 2), (2, 1, 0, 1)]);
}

#[test]
fn a_conclusion_follows_only_from_cells() {
    let first = |kep| {
        let report = report(&small(kep));
        let conclusion = &report.conclusions[0];
        (conclusion.cited, conclusion.findings[0].status, follows(conclusion), is_confirmed(&report))
    };
    // The other three conclusions have no cells here, so that they do not follow.
    assert_eq!(first(Outcome::Intended), ([22, 27], ConclusionStatus::Follows, true, false));
    assert_eq!(first(Outcome::Leftover), ([22, 27], ConclusionStatus::DoesNotFollow, false, false));
    let mut loud_without = small(Outcome::Intended);
    loud_without.cells[1].outcome = Some(Outcome::Intended);
    assert_eq!(report(&loud_without).conclusions[0].findings[0].status, ConclusionStatus::InPart);
}

#[test]
fn a_server_side_apply_is_counted_apart() {
    let mut results = small(Outcome::Intended);
    let applied = |cell: &Cell| {
        let mut cell = cell.clone();
        cell.id.push('2');
        cell.axes.set("request", "server-side-apply");
        if cell.outcome == Some(Outcome::Intended) {
            cell.outcome = Some(Outcome::Refused);
        }
        cell
    };
    let applied: Vec<Cell> = results.cells[..4].iter().map(applied).collect();
    results.cells.extend(applied);
    let report = report(&results);
    let conclusion = &report.conclusions[0];
    assert_eq!(conclusion.findings[0].status, ConclusionStatus::Follows);
    let [optional] = &conclusion.server_side_apply[..] else { panic!("{:?}", conclusion.server_side_apply) };
    assert_eq!(optional.status, ConclusionStatus::DoesNotFollow);
    let why = "Without a discriminator 0 of 1 cells are as intended under every policy. With one 0 of 1 cells are as \
               intended under kep-1027 (1 refused).";
    assert_eq!(optional.why, why);
}

#[test]
fn points_at_which_policies_differ_are_listed() {
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
    assert_eq!((row.row, row.case.as_str()), (27, "row-27"));
    assert_eq!(row.outcomes, [None, Some(Outcome::Intended)]);
}

#[test]
fn a_row_of_the_sheet_has_the_counts_of_its_points() {
    let mut results = small(Outcome::Intended);
    results.cells[0].kep = vec![22, 40];
    let report = report(&results);
    let rows: Vec<_> = report.sheet.iter().map(|row| (row.row, row.is_cited, row.points)).collect();
    assert_eq!(rows, [(22, true, 1), (27, true, 1), (40, false, 1)]);
    let counts: Vec<String> = report.sheet[1].policies.iter().map(PolicyCounts::description).collect();
    assert_eq!(counts, ["1 leftover", "1 intended"]);
}

/// The first of the points is refused with a custom resource and loses a member with a built-in type, and the other is the same.
#[test]
fn outcomes_that_differ_by_the_types_are_listed_with_the_release_of_the_server() {
    let of_types = |types: &str, release: &str, policy: &str, outcome: Outcome| {
        let axes =
            [("types", types), ("release", release), ("union", "discriminated"), ("operation", "set-new")];
        let all: Vec<(&str, &str)> = axes.into_iter().chain([("policy", policy)]).collect();
        let values: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Cell {
            axes: all.into_iter().collect(),
            outcome: Some(outcome),
            kep: if types == "custom-resource" { vec![39] } else { Vec::new() },
            ..Cell::new(
                format!("unions/kep-types/c[{}]", values.join(",")),
                "unions/kep-types",
                "c",
                Status::Pass,
            )
        }
    };
    let mut results = small(Outcome::Intended);
    results.cells.extend([
        of_types("built-in", "newest", "none", Outcome::Lost),
        of_types("built-in", "newest", "kep-1027", Outcome::Refused),
        of_types("custom-resource", "1.29", "none", Outcome::Refused),
        of_types("custom-resource", "newest", "none", Outcome::Refused),
        of_types("custom-resource", "newest", "kep-1027", Outcome::Refused),
        of_types("custom-resource", "newest", "unlike", Outcome::Refused),
    ]);
    let report = report(&results);
    assert_eq!(report.types.points, 3, "{:?}", report.types);
    let [difference] = &report.types.differences[..] else { panic!("{:?}", report.types) };
    assert_eq!((difference.policy.as_str(), difference.points), ("none", 2));
    assert_eq!(difference.releases, ["1.29", "newest"]);
    assert_eq!((difference.built_in, difference.custom_resource), (Outcome::Lost, Outcome::Refused));
    let row = report.sheet.last().unwrap();
    let counts: Vec<String> = row.policies.iter().map(PolicyCounts::description).collect();
    assert_eq!((row.row, row.types, row.points), (39, RowTypes::CustomResource, 2));
    assert_eq!(counts, ["2 refused", "1 refused"]);
}

#[test]
fn cells_that_failed_or_were_not_run_are_counted() {
    let mut results = small(Outcome::Intended);
    results.cells[0].status = Status::Fail;
    results.cells[1].status = Status::Unsupported;
    results.cells[1].outcome = None;
    let report = report(&results);
    assert_eq!((report.failed, report.not_run), (1, 1));
    // A cell that was not run is not a difference, because its outcome is not known.
    assert!(report.differences.iter().all(|difference| difference.union == UnionKind::DiscriminatedOptional));
}

#[test]
fn without_cells_of_the_matrix_there_is_no_report() {
    assert_eq!(analyze(&results(vec![Cell::new("s/c", "s", "c", Status::Pass)])), None);
}
