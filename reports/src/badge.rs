//! Results as a badge: the JSON that shields.io reads from an endpoint.

use std::io;

use serde::Serialize;
use skewer_results::control_characters::escape_line;
use skewer_results::model::Results;
use skewer_results::vocabulary::Status;

use crate::summary::Summary;
use crate::summary::counts::Counts;
use crate::summary::overall_state::OverallState;

/// A badge in the format that shields.io reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Badge {
    /// Version of the shields.io format: 1.
    pub schema_version: u32,
    /// Text on the left.
    pub label: String,
    /// Text on the right.
    pub message: String,
    /// Colour of the right side.
    pub color: &'static str,
}

impl Badge {
    /// Makes the badge of a run. The label names the target, unless the target is the built-in engine.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let summary = Summary::of(results);
        let counts = summary.total();
        let label = match results.run.target.name.as_str() {
            "builtin" => "skewer".to_owned(),
            target => format!("skewer: {}", escape_line(target)),
        };
        let (message, color) = match summary.state() {
            OverallState::Red if counts.failures() == 0 => {
                let problems = summary.problems().iter().filter(|problem| problem.is_failure()).count();
                let noun = if problems == 1 { "problem" } else { "problems" };
                (format!("{problems} {noun}, {}", passed_message(counts)), "red")
            }
            OverallState::Red => (format!("{} of {} failed", counts.failures(), counts.run()), "red"),
            OverallState::NotRun => ("not run".to_owned(), "lightgrey"),
            OverallState::Incomplete if results.partial => {
                (format!("partial, {}", passed_message(counts)), "yellow")
            }
            OverallState::Incomplete => (passed_message(counts), "yellow"),
            OverallState::Green => (passed_message(counts), "brightgreen"),
        };
        Badge { schema_version: 1, label, message, color }
    }
}

fn passed_message(counts: &Counts) -> String {
    let mut message = format!("{} passed", counts.status(Status::Pass));
    let not_asked = counts.status(Status::NotAsked);
    let deviations = counts.status(Status::Deviation);
    for (count, what) in [
        (deviations, if deviations == 1 { "known deviation" } else { "known deviations" }),
        (not_asked, "not asked"),
        (counts.not_run() - not_asked, "not run"),
    ] {
        if count > 0 {
            message = format!("{message}, {count} {what}");
        }
    }
    message
}

/// Writes the badge of a run.
///
/// # Errors
///
/// Errors of writing.
pub fn write(results: &Results, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Badge::of(results))?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_results::model::Cell;

    use super::*;
    use crate::test_support;

    #[rstest]
    #[case::nothing(&[], "not run", "lightgrey")]
    #[case::passed_message(&[Status::Pass, Status::Pass], "2 passed", "brightgreen")]
    #[case::known(
        &[Status::Pass, Status::Deviation, Status::Unsupported],
        "1 passed, 1 known deviation, 1 not run",
        "brightgreen"
    )]
    #[case::bad(&[Status::Pass, Status::Crash, Status::Skipped], "1 of 2 failed", "red")]
    #[case::none_run(&[Status::Skipped], "not run", "lightgrey")]
    #[case::none_asked(&[Status::NotAsked, Status::Unsupported], "not run", "lightgrey")]
    #[case::some_asked(&[Status::Pass, Status::NotAsked, Status::Skipped], "1 passed, 1 not asked, 1 not run", "brightgreen")]
    #[case::given_up(&[Status::Pass, Status::NotRun], "1 passed, 1 not run", "yellow")]
    fn a_badge_shows_counts_and_state(
        #[case] statuses: &[Status],
        #[case] message: &str,
        #[case] color: &str,
    ) {
        let cells = statuses.iter().map(|status| Cell::new("s/c", "s", "c", *status)).collect();
        let badge = Badge::of(&Results::new(test_support::run_info(), cells));
        assert_eq!((badge.message.as_str(), badge.color), (message, color));
    }

    #[test]
    fn the_json_has_the_format_of_the_endpoint() {
        let mut bytes = Vec::new();
        write(&test_support::sample_results(), &mut bytes).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"schemaVersion\":1,\"label\":\"skewer\",\"message\":\"5 of 10 failed\",\"color\":\"red\"}\n"
        );
    }

    #[test]
    fn a_partial_run_is_not_bright_green() {
        let cells = vec![Cell::new("s/c", "s", "c", Status::Pass)];
        let results = Results { partial: true, ..Results::new(test_support::run_info(), cells) };
        assert_eq!(Badge::of(&results).color, "yellow");
    }
}
