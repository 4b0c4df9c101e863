use rstest::rstest;
use skewer_reports::ComparisonFormat;
use skewer_results::{Answer, AnswerError, Outcome, Problem, ProblemKind, RunInfo, RunTarget, Status, Step};

use super::*;

use Outcome::{AsBefore, Diverged, Ignored, Intended, Leaked, Leftover, Lost, Match, Mismatch, Refused};
use Status::{Crash, Deviation, Error, Fail, Pass, Skipped, Timeout, UnexpectedPass, Unsupported};

fn cell(id: &str, status: Status, outcome: Option<Outcome>) -> Cell {
    let (suite, case) = id.rsplit_once('/').unwrap();
    Cell { outcome, ..Cell::new(id, suite, case, status) }
}

fn run(cells: Vec<Cell>) -> Results {
    let target = RunTarget { name: "builtin".into(), version: Some("0.1.0".into()), ..RunTarget::default() };
    Results::new(RunInfo { target, ..RunInfo::default() }, cells)
}

/// Compares two runs. No cell may be gone.
fn compared<'a>(old: &'a Results, new: &'a Results) -> Comparison<'a> {
    compare(old, new, |_| false)
}

fn trend(old: (Status, Option<Outcome>), new: (Status, Option<Outcome>)) -> Option<Trend> {
    let [old, new] = [old, new].map(|(status, outcome)| ResultSeverity::of(&cell("s/c", status, outcome)));
    Some(new?.compared_with(old?))
}

#[test]
fn outcomes_get_worse_from_intended_to_leaked_and_loud_before_silent() {
    let order = [Intended, AsBefore, Refused, Mismatch, Ignored, Leftover, Lost, Diverged, Leaked];
    for pair in order.windows(2) {
        let [better, worse] = [pair[0], pair[1]].map(|outcome| (Fail, Some(outcome)));
        assert_eq!(trend(better, worse), Some(Trend::Worse), "{pair:?}");
        assert_eq!(trend(worse, better), Some(Trend::Better), "{pair:?}");
    }
    assert_eq!(trend((Pass, Some(Intended)), (Pass, Some(Match))), Some(Trend::Neutral));
    for outcome in [Refused, Mismatch] {
        assert!(!outcome.is_silent());
    }
}

#[test]
fn statuses_get_worse_from_pass_to_crash() {
    let order = [Pass, Deviation, Unsupported, Fail, Error, Timeout, Crash];
    for pair in order.windows(2) {
        assert_eq!(trend((pair[0], None), (pair[1], None)), Some(Trend::Worse), "{pair:?}");
    }
}

#[rstest]
#[case::status_before_outcome((Fail, Some(Intended)), (Pass, Some(Lost)), Some(Trend::Better))]
#[case::a_new_silent_loss_that_is_expected((Pass, Some(Intended)), (Pass, Some(Lost)), Some(Trend::Worse))]
#[case::an_unexpected_pass_is_good((Deviation, Some(Lost)), (UnexpectedPass, Some(Intended)), Some(Trend::Better))]
#[case::an_unexpected_pass_is_a_pass((Pass, Some(Intended)), (UnexpectedPass, Some(Intended)), Some(Trend::Neutral))]
#[case::no_outcome((Fail, None), (Fail, Some(Lost)), Some(Trend::Neutral))]
#[case::skipped((Pass, Some(Intended)), (Skipped, None), None)]
fn status_counts_before_outcome_and_skipped_cells_have_no_trend(
    #[case] old: (Status, Option<Outcome>),
    #[case] new: (Status, Option<Outcome>),
    #[case] expected: Option<Trend>,
) {
    assert_eq!(trend(old, new), expected);
}

#[test]
fn as_before_is_as_bad_as_the_outcome_that_it_covers() {
    let covering = |covers| Cell { covers, ..cell("s/c", Pass, Some(AsBefore)) };
    let old = run(vec![covering(Some(Refused))]);
    let new = run(vec![covering(Some(Lost))]);
    assert!(compared(&old, &new).is_worse());
    assert!(!compared(&new, &old).is_worse());
}

#[test]
fn every_cell_is_in_one_list() {
    let old = run(vec![
        cell("s/same", Pass, Some(Match)),
        cell("s/worse", Pass, Some(Match)),
        cell("s/better", Fail, Some(Mismatch)),
        cell("s/gone", Pass, Some(Match)),
        cell("s/skipped", Pass, Some(Match)),
        cell("s/other", Fail, Some(Mismatch)),
    ]);
    let new = run(vec![
        cell("s/other", Fail, Some(Mismatch)).tap(|cell| cell.actual_document = Some("x: 1\n".into())),
        cell("s/same", Pass, Some(Match)).tap(|cell| cell.duration_us = Some(7)),
        cell("s/worse", Fail, Some(Mismatch)),
        cell("s/better", Pass, Some(Match)),
        cell("s/new", Fail, Some(Mismatch)),
        cell("s/skipped", Skipped, None),
    ]);
    let comparison = compared(&old, &new);
    let ids =
        |changes: &[CellChange<'_>]| changes.iter().map(|change| change.new.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&comparison.worse), ["s/worse", "s/skipped"]);
    assert_eq!(ids(&comparison.better), ["s/better"]);
    assert_eq!(ids(&comparison.changed), ["s/other"]);
    assert_eq!(comparison.changed[0].differing_fields, ["actual_document"]);
    assert_eq!(comparison.new.iter().map(|cell| &cell.id).collect::<Vec<_>>(), ["s/new"]);
    assert_eq!(comparison.gone.iter().map(|cell| &cell.id).collect::<Vec<_>>(), ["s/gone"]);
    assert_eq!(comparison.same, 1);
    assert!(comparison.is_worse());
}

#[test]
fn a_run_compared_with_itself_is_the_same() {
    let results = run(vec![
        cell("s/pass", Pass, Some(Match)),
        cell("s/fail", Fail, Some(Mismatch)),
        cell("s/skipped", Skipped, None),
    ]);
    let comparison = compared(&results, &results);
    assert_eq!(comparison.same, results.cells.len());
    assert!(!comparison.is_worse() && comparison.caveats.is_empty());
}

#[test]
fn a_cell_that_is_not_run_any_more_is_worse_for_any_old_result() {
    for old_status in [Pass, Fail, Deviation, Crash] {
        for new_status in [Unsupported, Skipped, Status::NotAsked, Status::NotRun] {
            let (old, mut new) =
                (run(vec![cell("s/c", old_status, None)]), run(vec![cell("s/c", new_status, None)]));
            let comparison = compared(&old, &new);
            assert_eq!(comparison.worse.len(), 1, "{old_status} to {new_status}");
            assert!(!compared(&new, &old).headline().contains("gone"));
            new.run.target.name = "other".into();
            let is_of_target = matches!(new_status, Unsupported | Status::NotAsked);
            assert_eq!(compared(&old, &new).is_worse(), !is_of_target, "{new_status} on another target");
        }
    }
}

/// A new run is worse if it lacks cells of the old run, because these cells cannot be compared.
#[test]
fn a_new_run_that_lacks_cells_is_worse() {
    let old = run(vec![
        cell("a/one", Pass, Some(Match)),
        cell("b/one", Pass, Some(Match)),
        cell("b/two", Pass, Some(Match)),
    ]);
    let without = |count: usize| run(old.cells[..count].to_vec());
    let partial = Results { partial: true, ..without(1) };
    let mut narrower = without(1);
    narrower.run.selection.patterns = vec!["a/".into()];
    let mut skipping = without(1);
    skipping.run.selection.skip = vec!["b/".into()];
    let problem = Results {
        problems: vec![Problem {
            kind: ProblemKind::Deviations,
            message: "go.yaml:3:1: the entry excuses no cell\n  help: take it out".into(),
            suite: None,
        }],
        ..old.clone()
    };
    let cases = [
        (
            partial,
            "the new run ended early",
            "the new run ended early, after 1 cells, so that 2 of the old run cannot be compared: let the new run finish",
        ),
        (
            narrower,
            "the new run selected fewer cells",
            "the old run selected everything and the new one 'a/', which leaves 2 cells of the old run out: select \
             the same for both",
        ),
        (
            skipping,
            "the new run selected fewer cells",
            "the old run selected everything and the new one --skip 'b/', which leaves 2 cells of the old run out: \
             select the same for both",
        ),
        (
            without(1),
            "cells are gone",
            "2 cells of the old run are gone, with all of b; if they were taken out on purpose, accept that with \
             --allow-gone",
        ),
        (
            without(2),
            "cells are gone",
            "1 cell of the old run is gone; if it was taken out on purpose, accept that with --allow-gone",
        ),
        (
            problem,
            "the new run has a problem",
            "the new run has a problem: go.yaml:3:1: the entry excuses no cell",
        ),
    ];
    for (new, headline, sentence) in cases {
        let comparison = compared(&old, &new);
        assert_eq!(comparison.headline(), headline);
        assert_eq!(comparison.regressions.iter().map(ToString::to_string).collect::<Vec<_>>(), [sentence]);
        let allowing = compare(&old, &new, |_| true);
        assert_eq!(allowing.is_worse(), headline != "cells are gone", "{headline}");
    }
}

#[test]
fn cells_can_be_allowed_to_be_gone_by_their_ids() {
    let old = run(vec![cell("a/one", Pass, None), cell("b/one", Pass, None), cell("b/two", Pass, None)]);
    let new = run(vec![cell("a/one", Pass, None)]);
    let comparison = compare(&old, &new, |id| id == "b/one");
    assert_eq!(comparison.regressions, [Regression::Gone { cells: 1, suites: vec!["b".into()] }]);
    let comparison = compare(&old, &new, |id| id.starts_with("b/"));
    assert!(!comparison.is_worse());
    assert_eq!(comparison.gone.len(), 2, "cells that may be gone are listed, too");
    let mut json = Vec::new();
    ComparisonFormat::Json.write(&comparison, &mut json).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&json).unwrap()["state"], "ok");
}

fn about(id: &str, about: &str, status: Status) -> Cell {
    Cell { about: Some(about.into()), ..cell(id, status, None) }
}

#[rstest]
#[case::another_suite(about("a/c", "x", Pass), about("b/c", "x", Pass))]
#[case::another_case(about("a/c", "x", Pass), about("a/d", "x", Pass))]
#[case::both(about("a/c", "x", Pass), about("b/d", "x", Pass))]
#[case::another_suite_and_nothing_said(cell("a/c", Pass, None), cell("b/c", Pass, None))]
#[case::broken_and_with_documents(
    about("a/c", "x", Pass),
    about("b/d", "x", Fail).tap(|cell| cell.expected_document = Some("x: 1\n".into()))
)]
fn a_moved_cell_is_found_again(#[case] old: Cell, #[case] new: Cell) {
    let (worse, old, new) = (new.status == Fail, run(vec![old]), run(vec![new]));
    let comparison = compared(&old, &new);
    assert_eq!(comparison.renamed.len(), 1);
    assert!(comparison.new.is_empty() && comparison.gone.is_empty());
    assert_eq!(comparison.is_worse(), worse);
}

#[rstest]
#[case::another_text(vec![about("a/c", "x", Pass)], vec![about("b/c", "y", Pass)])]
#[case::nothing_said(vec![cell("a/c", Pass, None)], vec![cell("a/d", Pass, None)])]
#[case::two_that_fit(vec![about("a/c", "x", Pass)], vec![about("b/d", "x", Pass), about("b/e", "x", Pass)])]
fn a_doubtful_cell_is_not_taken_for_a_moved_one(#[case] old: Vec<Cell>, #[case] new: Vec<Cell>) {
    let (old, new) = (run(old), run(new));
    assert_eq!(compared(&old, &new).renamed.len(), 0);
}

#[test]
fn documents_distinguish_cells_with_the_same_description() {
    let with = |id: &str, document: &str| {
        about(id, "x", Pass).tap(|cell| {
            cell.steps = vec![Step {
                name: "stored".into(),
                note: None,
                document: Some(document.into()),
                owners: Vec::new(),
            }];
        })
    };
    let old = run(vec![with("a/one", "x: 1"), with("a/two", "x: 2")]);
    let new = run(vec![with("b/second", "x: 2"), with("b/first", "x: 1")]);
    let comparison = compared(&old, &new);
    let pairs: Vec<_> =
        comparison.renamed.iter().map(|change| (change.old.id.as_str(), change.new.id.as_str())).collect();
    assert_eq!(pairs, [("a/one", "b/first"), ("a/two", "b/second")]);
}

#[test]
fn differences_between_the_runs_are_noted() {
    let old = Results { partial: true, ..run(vec![]) };
    let mut new = run(vec![]);
    new.run.target.version = Some("0.2.0".into());
    new.run.corpus_hash = "sha256:0".into();
    new.run.selection.patterns = vec!["a".into()];
    let caveats: Vec<String> = compared(&old, &new).caveats.iter().map(ToString::to_string).collect();
    assert_eq!(
        caveats,
        [
            "the target was builtin 0.1.0 and is builtin 0.2.0",
            "the case files differ between the runs",
            "the old run selected everything and the new one 'a'",
            "the old run ended early, so that cells may seem new",
        ]
    );
}

/// Changes a value within a chain of method calls.
trait Tap: Sized {
    fn tap(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Tap for Cell {}

#[test]
fn a_cell_that_another_target_does_not_support_is_not_worse() {
    let old = run(vec![cell("s/c", Pass, Some(Match)), cell("s/d", Pass, Some(Match))]);
    let mut new = run(vec![cell("s/c", Unsupported, None), cell("s/d", Fail, Some(Mismatch))]);
    assert_eq!(
        compared(&old, &new).worse.len(),
        2,
        "a cell that the same target does not run any more is worse"
    );
    new.run.target.name = "other".into();
    let comparison = compared(&old, &new);
    assert_eq!((comparison.worse.len(), comparison.changed.len()), (1, 1));
}

#[test]
fn a_refusal_is_its_kind_and_not_its_message() {
    let refused = |target: &str, kind: &str, message: &str| {
        let error = AnswerError { message: Some(message.into()), ..AnswerError::of_kind(kind) };
        let actual = Some(Answer::of_error(error));
        let mut results = run(vec![Cell { actual, ..cell("s/c", Pass, Some(Refused)) }]);
        results.run.target.name = target.into();
        results
    };
    let ours = refused("builtin", "conflict", "a: both set it");
    for (target, kind, message, changed) in [
        // Another wording of a message changes no comparison.
        ("builtin", "conflict", "a: both of them set it", 0),
        ("builtin", "wrong-kind", "a: both of them set it", 1),
        ("go", "conflict", "map: map[a:1]", 0),
        ("go", "wrong-kind", "map: map[a:1]", 1),
    ] {
        let theirs = refused(target, kind, message);
        let comparison = compared(&ours, &theirs);
        assert_eq!(comparison.changed.len(), changed, "{kind}: {message}");
        let headline =
            if target == "go" { "nothing does worse on go than on builtin" } else { "nothing got worse" };
        assert_eq!(comparison.headline(), headline);
    }
}
