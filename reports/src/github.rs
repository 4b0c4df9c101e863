//! Results as workflow commands of GitHub Actions, which show failures at the lines of the case files.
//!
//! GitHub shows a limited number of annotations for a step. Cells that fail at the same expectation with the same
//! status therefore share an annotation.

use std::collections::HashMap;
use std::io;

use skewer_results::control_characters::{escape_line, escape_text};
use skewer_results::model::{Cell, Location, Results};
use skewer_results::vocabulary::Status;

use crate::summary::Summary;
use crate::summary::run_problem::RunProblem;

/// Maximum number of cells that one annotation names.
const MAX_CELLS_NAMED: usize = 10;

/// Writes one line for each annotation.
///
/// # Errors
///
/// Errors of writing.
pub fn write(results: &Results, out: &mut dyn io::Write) -> io::Result<()> {
    for group in group_failures(results) {
        let cell = group[0];
        let location = cell.location.as_ref().map(location_properties).unwrap_or_default();
        let title = escape_property(&format!("{} in {}", cell.status, cell.suite));
        writeln!(out, "::error {location}title={title}::{}", escape_data(&annotation_message(&group)))?;
    }
    let summary = Summary::of(results);
    for problem in summary.problems() {
        let title = match problem {
            RunProblem::Recorded(recorded) => format!("Problem ({})", recorded.kind),
            RunProblem::Partial { .. } => "Partial run".to_owned(),
            RunProblem::GivenUp { .. } | RunProblem::SuitesNotRun { .. } | RunProblem::NoCells => {
                "Not run".to_owned()
            }
        };
        let message = escape_data(&escape_text(&problem.to_string()));
        writeln!(out, "::error title={}::{message}", escape_property(&title))?;
    }
    Ok(())
}

/// Groups the failures by expectation and status, in the order of the first failure of each group.
fn group_failures(results: &Results) -> Vec<Vec<&Cell>> {
    let mut positions: HashMap<(&Location, Status), usize> = HashMap::new();
    let mut groups: Vec<Vec<&Cell>> = Vec::new();
    for cell in results.failures() {
        let next = groups.len();
        let position = match &cell.location {
            Some(location) => *positions.entry((location, cell.status)).or_insert(next),
            None => next,
        };
        match groups.get_mut(position) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups
}

fn annotation_message(group: &[&Cell]) -> String {
    let mut lines = Vec::new();
    for cell in group.iter().take(MAX_CELLS_NAMED) {
        let expected = cell.expected_text().map(|text| format!(", expected {text}")).unwrap_or_default();
        let actual = cell.actual_or_outcome().map(|text| format!(", was {text}")).unwrap_or_default();
        lines.push(format!("{}{expected}{actual}", cell.id));
        lines.extend(cell.message_text());
        lines.extend(cell.rerun.clone());
    }
    if group.len() > MAX_CELLS_NAMED {
        lines.push(format!("and {} more cells", group.len() - MAX_CELLS_NAMED));
    }
    escape_text(&lines.join("\n")).into_owned()
}

fn location_properties(location: &Location) -> String {
    format!("file={},line={},", escape_property(&location.file), location.line)
}

/// Escapes the text after the second pair of colons. A line feed would end the command.
pub(crate) fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property. A line break, a comma or a colon would end the value.
pub(crate) fn escape_property(text: &str) -> String {
    escape_data(&escape_line(text)).replace(':', "%3A").replace(',', "%2C")
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
    fn failures_are_annotated_at_their_lines() {
        insta::assert_snapshot!(text(&test_support::sample_results()));
    }

    #[test]
    fn foreign_text_starts_no_command() {
        let lines = text(&test_support::hostile_results());
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(lines.starts_with("::error file=</script>"), "{lines}");
        let (_, message) = lines.split_once("title=").unwrap();
        let (title, message) = message.split_once("::").unwrap();
        assert!(!title.contains([':', ',', '\n']), "{title}");
        assert!(!message.trim_end().contains(['\r', '\n']), "{message}");
    }

    #[test]
    fn cells_at_one_expectation_share_an_annotation() {
        let location = Some(Location { file: "a.yaml".into(), line: 3 });
        let cells = (0..12)
            .map(|n| Cell {
                location: location.clone(),
                ..Cell::new(format!("s/c{n}"), "s", "c", Status::Fail)
            })
            .collect();
        let lines = text(&Results::new(test_support::run_info(), cells));
        assert_eq!(lines.lines().count(), 1);
        assert!(lines.ends_with("s/c9%0Aand 2 more cells\n"), "{lines}");
    }
}
