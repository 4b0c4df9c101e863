//! Results as `JUnit` XML, which CI systems show beside a build.
//!
//! There is one test suite for each suite, and one test case for each cell, named by its id. A known deviation is
//! skipped, with its reason, its link and the failure: the cell did not pass, and the build does not fail. A cell that
//! was not run is skipped, with the reason. Errors, crashes and time-outs are errors. The problems of the run that belong
//! to no cell are failing test cases in a test suite of their own, so that the build is not green.

use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use skewer_results::control_characters::{escape_line, escape_text};
use skewer_results::model::{Cell, Results};
use skewer_results::vocabulary::Status;

use crate::group;
use crate::summary::Summary;
use crate::summary::run_problem::RunProblem;
use crate::terminal::{self, Style};

/// Writes the report.
///
/// # Errors
///
/// Errors of writing.
pub fn write(results: &Results, out: &mut dyn io::Write) -> io::Result<()> {
    let mut report = Report::new("skewer");
    for (name, cells) in group::by_suite(&results.cells) {
        report.add_test_suite(suite(results, name, &cells));
    }
    let summary = Summary::of(results);
    let problems = summary.problems();
    if !problems.is_empty() {
        let mut suite = TestSuite::new(RUN_SUITE);
        suite.add_test_cases(problems.iter().map(problem_case));
        report.add_test_suite(suite);
    }
    report.serialize(out).map_err(io::Error::other)
}

/// Name of the test suite with the problems of the run. The parentheses separate it from the suites of cells.
const RUN_SUITE: &str = "(run)";

fn problem_case(problem: &RunProblem<'_>) -> TestCase {
    let kind = if problem.is_failure() { NonSuccessKind::Error } else { NonSuccessKind::Failure };
    let line = escape_line(&problem.line()).into_owned();
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(problem.kind());
    status.set_message(line.as_str());
    status.set_description(&*escape_text(&problem.to_string()));
    let mut case = TestCase::new(format!("{}: {line}", problem.kind()), status);
    case.set_classname(RUN_SUITE);
    case
}

fn suite(results: &Results, name: &str, cells: &[&Cell]) -> TestSuite {
    let mut suite = TestSuite::new(&*escape_line(name));
    suite.add_property(Property::new("target", &*escape_line(&results.run.target.to_string())));
    suite.add_property(Property::new("corpus", &*escape_line(&results.run.corpus_hash)));
    if results.partial {
        suite.add_property(Property::new("partial", "true"));
    }
    if let Some(time) = cells.iter().filter_map(|cell| cell.duration_us).reduce(u64::saturating_add) {
        suite.set_time(Duration::from_micros(time));
    }
    suite.add_test_cases(cells.iter().map(|cell| test_case(cell)));
    suite
}

fn test_case(cell: &Cell) -> TestCase {
    let mut case = TestCase::new(&*escape_line(&cell.id), status(cell));
    case.set_classname(&*escape_line(&cell.suite));
    case.add_property(Property::new("level", cell.level.as_str()));
    if let Some(outcome) = cell.outcome {
        case.add_property(Property::new("outcome", outcome.as_str()));
    }
    if let Some(time) = cell.duration_us {
        case.set_time(Duration::from_micros(time));
    }
    if let (Status::Deviation, Some(link)) = (cell.status, link_of(cell)) {
        case.add_property(Property::new("deviation-link", &*escape_line(link)));
    }
    case
}

fn status(cell: &Cell) -> TestCaseStatus {
    let mut status = match cell.status {
        Status::Pass => return TestCaseStatus::success(),
        Status::Deviation | Status::Unsupported | Status::Skipped | Status::NotAsked | Status::NotRun => {
            TestCaseStatus::skipped()
        }
        Status::Fail | Status::UnexpectedPass => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Error | Status::Crash | Status::Timeout => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_type(cell.status.as_str());
    status.set_message(&*escape_text(&message(cell)));
    if cell.status.is_failure() || cell.status == Status::Deviation {
        status.set_description(terminal::failure(cell, Style::default()));
    }
    status
}

fn link_of(cell: &Cell) -> Option<&str> {
    cell.deviation.as_ref().and_then(|deviation| deviation.link.as_deref())
}

/// Returns the message of a test case: one line, which CI systems show in lists of failures and of skipped tests.
fn message(cell: &Cell) -> String {
    if let (Status::Deviation, Some(deviation)) = (cell.status, &cell.deviation) {
        let reason = deviation.reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let link = link_of(cell).map(|link| format!(" ({link})")).unwrap_or_default();
        return format!("known deviation: {reason}{link}");
    }
    match (cell.message_text(), cell.expected_text(), cell.actual_or_outcome()) {
        (Some(message), ..) => message.lines().next().unwrap_or_default().to_owned(),
        (None, ..) if cell.status == Status::UnexpectedPass => {
            "passed, though the deviation file says that it does not".to_owned()
        }
        (None, Some(expected), Some(actual)) => format!("expected {expected}, was {actual}"),
        (None, _, Some(actual)) => actual,
        (None, ..) => cell.status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    fn text(results: &Results) -> String {
        let mut bytes = Vec::new();
        write(results, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_whole_report() {
        insta::assert_snapshot!(text(&test_support::sample_results()));
    }

    /// A known deviation is skipped, so that a reader does not count it as a pass. CI systems show the message of a
    /// skipped test, and some show its properties.
    #[test]
    fn a_deviation_is_skipped_with_its_reason_and_its_link() {
        let results = test_support::sample_results();
        let cells = results.cells.iter().filter(|cell| cell.status == Status::Deviation).cloned().collect();
        let xml = text(&Results::new(results.run.clone(), cells));
        let link = "https://github.com/kubernetes/kubernetes/issues/39188";
        let skipped = format!(
            r#"<skipped message="known deviation: merges ports by port alone ({link})" type="deviation">"#
        );
        assert!(xml.contains(&skipped), "{xml}");
        assert!(xml.contains(&format!(r#"<property name="deviation-link" value="{link}"/>"#)), "{xml}");
        assert!(xml.contains(r#"tests="1" skipped="1" failures="0" errors="0""#), "{xml}");
    }

    #[test]
    fn foreign_text_stays_text() {
        let xml = text(&test_support::hostile_results());
        assert!(!xml.contains("<script") && !xml.contains("<!--") && !xml.contains('\u{1b}'), "{xml}");
        // Upstream: `Char` of XML 1.0.
        let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(xml.chars().all(is_allowed), "{xml}");
        assert!(xml.contains("\\u{fffe}\\u{ffff}"), "{xml}");
        assert_eq!(xml.matches("<testcase ").count(), 1);
    }
}
