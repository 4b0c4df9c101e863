use rstest::rstest;
use skewer_results::vocabulary::Outcome;

use super::*;
use crate::format::Format;
use crate::test_support;

fn cell(suite: &str, status: Status) -> Cell {
    Cell::new(format!("{suite}/c"), suite, "c", status)
}

#[rstest]
#[case::nothing(&[], OverallState::NotRun)]
#[case::all_pass(&[Status::Pass, Status::Pass], OverallState::Green)]
#[case::a_known_deviation_is_green(&[Status::Deviation], OverallState::Green)]
#[case::a_skip_beside_a_pass_is_green(&[Status::Pass, Status::Skipped], OverallState::Green)]
#[case::none_run_is_not_green(&[Status::Skipped, Status::Unsupported], OverallState::NotRun)]
#[case::none_asked_is_not_green(&[Status::NotAsked, Status::Unsupported], OverallState::NotRun)]
#[case::a_cell_that_was_not_asked_beside_a_pass(&[Status::Pass, Status::NotAsked], OverallState::Green)]
#[case::given_up_on_the_way(&[Status::Pass, Status::NotRun], OverallState::Incomplete)]
#[case::one_failure(&[Status::Pass, Status::Fail], OverallState::Red)]
#[case::an_unexpected_pass_fails(&[Status::UnexpectedPass], OverallState::Red)]
#[case::an_error_fails(&[Status::Pass, Status::Error], OverallState::Red)]
#[case::a_crash_fails(&[Status::Pass, Status::Crash], OverallState::Red)]
#[case::a_timeout_fails(&[Status::Skipped, Status::Timeout], OverallState::Red)]
fn the_state_follows_from_the_counts(#[case] statuses: &[Status], #[case] state: OverallState) {
    let cells: Vec<Cell> = statuses.iter().map(|status| cell("s", *status)).collect();
    assert_eq!(cells.iter().collect::<Counts>().state(), state);
}

#[rstest]
#[case(Outcome::Intended, false)]
#[case(Outcome::Rejected, false)]
#[case(Outcome::Refused, false)]
#[case(Outcome::Match, false)]
#[case(Outcome::Mismatch, false)]
#[case(Outcome::AsBefore, false)]
#[case(Outcome::Ignored, true)]
#[case(Outcome::Leftover, true)]
#[case(Outcome::Lost, true)]
#[case(Outcome::Diverged, true)]
#[case(Outcome::WronglyAccepted, true)]
#[case(Outcome::Leaked, true)]
fn silent_cells_are_counted_even_when_they_pass(#[case] outcome: Outcome, #[case] silent: bool) {
    let cell = Cell { outcome: Some(outcome), ..cell("s", Status::Pass) };
    assert_eq!([cell].iter().collect::<Counts>().silent(), usize::from(silent));
}

#[test]
fn a_cell_counts_in_each_of_its_groups_and_once_in_the_total() {
    let mut summary = Summary::new(GroupKey::Issue);
    let both = vec!["1".to_owned(), "2".to_owned()];
    summary.add(&Cell { issue: both, ..cell("s", Status::Pass) });
    summary.add(&Cell { issue: vec!["2".to_owned()], ..cell("s", Status::Fail) });
    summary.add(&cell("s", Status::Pass));
    let groups: Vec<_> = summary.groups().map(|(name, counts)| (name, counts.cells())).collect();
    assert_eq!(groups, [("1", 1), ("2", 2)]);
    assert_eq!(summary.total().cells(), 3);
}

#[test]
fn groups_without_a_run_are_named() {
    let mut summary = Summary::default();
    summary.add(&cell("b", Status::Skipped));
    summary.add(&cell("a", Status::Pass));
    assert_eq!(summary.not_run().collect::<Vec<_>>(), ["b"]);
}

/// Returns a run with one cell for each status. The first cell is in one suite, and the others are in another one.
fn run(statuses: &[Status], partial: bool, problems: Vec<Problem>) -> Results {
    let cells = statuses.iter().enumerate().map(|(index, status)| {
        let suite = if index == 0 { "a" } else { "b" };
        Cell::new(format!("{suite}/c{index}"), suite, format!("c{index}"), *status)
    });
    Results { partial, problems, ..Results::new(test_support::run_info(), cells.collect()) }
}

/// No format makes a run look better than its state.
#[rstest]
#[case::green(run(&[Status::Pass], false, vec![]), OverallState::Green)]
#[case::deviation(run(&[Status::Deviation, Status::Pass], false, vec![]), OverallState::Green)]
#[case::partial(run(&[Status::Pass], true, vec![]), OverallState::Incomplete)]
#[case::given_up(run(&[Status::Pass, Status::Pass, Status::NotRun], false, vec![]), OverallState::Incomplete)]
#[case::a_suite_not_run(run(&[Status::Pass, Status::Unsupported], false, vec![]), OverallState::Incomplete)]
#[case::a_suite_not_asked(run(&[Status::Pass, Status::NotAsked], false, vec![]), OverallState::Incomplete)]
#[case::nothing_asked(run(&[Status::NotAsked, Status::Unsupported], false, vec![]), OverallState::NotRun)]
#[case::no_cells(run(&[], false, vec![]), OverallState::NotRun)]
#[case::failure(run(&[Status::Pass, Status::Fail], false, vec![]), OverallState::Red)]
#[case::crash(run(&[Status::Pass, Status::Crash], true, vec![]), OverallState::Red)]
#[case::problem(run(&[Status::Pass], false, vec![test_support::problem()]), OverallState::Red)]
#[case::problem_and_nothing_run(run(&[Status::Skipped], false, vec![test_support::problem()]), OverallState::Red)]
fn every_format_agrees_on_the_state(#[case] results: Results, #[case] state: OverallState) {
    let is_green = state == OverallState::Green;
    for key in [GroupKey::Suite, GroupKey::Level, GroupKey::Issue] {
        assert_eq!(Summary::by(key, &results).state(), state);
    }
    let text = |format: Format| {
        let mut bytes = Vec::new();
        format.write(&test_support::run_report(&results), &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    for format in Format::ALL {
        let text = text(*format);
        let signs_of_good = match format {
            Format::Json => {
                let read = skewer_results::json::parse(text.as_bytes()).unwrap();
                vec![Summary::of(&read).state() == OverallState::Green]
            }
            Format::Text => {
                let total = text.lines().find_map(|line| line.strip_prefix("total ")).unwrap();
                assert!(total.trim_start().starts_with(state.as_str()), "{text}");
                vec![
                    !text.contains("PROBLEM")
                        && !text.contains("FAIL")
                        && total.trim_start().starts_with("ok"),
                ]
            }
            Format::Markdown => {
                let total = text.lines().find(|line| line.starts_with("| **total** |")).unwrap();
                vec![
                    total.contains('✅'),
                    text.starts_with("## Skewer: 1 cells ok\n")
                        || text.starts_with("## Skewer: 1 cells ok, 1 known deviation\n"),
                ]
            }
            Format::Compatibility => {
                vec![
                    text.contains("All of them pass.\n\nThis page")
                        || text.contains("None fails (known deviations: 1).\n\nThis page"),
                ]
            }
            Format::Html => vec![text.contains(r#""state":"ok","problems":[],"#)],
            Format::Junit => vec![!text.contains("<failure") && !text.contains("<error")],
            Format::Badge => vec![text.contains("brightgreen")],
            Format::Github => vec![text.is_empty()],
        };
        for is_good in signs_of_good {
            assert_eq!(is_good, is_green, "{format}: {text:.3000}");
        }
    }
}
