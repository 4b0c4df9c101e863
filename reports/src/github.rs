//! Results as workflow commands of GitHub Actions, which put failures beside the lines of the case files.
//!
//! GitHub shows a limited number of annotations for a step, so that cells that fail at one expectation, with one
//! status, share one.

use std::collections::HashMap;
use std::io;

use crate::model::{Cell, Location, Results};
use crate::summary::Summary;
use crate::text::visible;
use crate::words::{Outcome, Status};

/// The most cells that one annotation names.
const NAMED: usize = 10;

/// Writes one line for each annotation.
pub fn write(results: &Results, out: &mut dyn io::Write) -> io::Result<()> {
    for group in groups(results) {
        let cell = group[0];
        let place = cell.location.as_ref().map(place).unwrap_or_default();
        let title = property(&format!("{} in {}", cell.status, cell.suite));
        writeln!(out, "::error {place}title={title}::{}", data(&message(&group)))?;
    }
    for suite in Summary::of(results).not_run() {
        let message = format!("no cell of {} was run", visible(suite));
        writeln!(out, "::warning title=Not run::{}", data(&message))?;
    }
    if results.partial {
        writeln!(out, "::warning title=Partial run::{} cells were run before it ended", results.cells.len())?;
    }
    Ok(())
}

/// The failures that share an expectation and a status, in the order of the first of each.
fn groups(results: &Results) -> Vec<Vec<&Cell>> {
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

fn message(group: &[&Cell]) -> String {
    let mut lines = Vec::new();
    for cell in group.iter().take(NAMED) {
        let expected = cell.expected.as_ref().map(|text| format!(", expected {text}")).unwrap_or_default();
        let actual = cell.actual.as_deref().or(cell.outcome.map(Outcome::as_str));
        let actual = actual.map(|text| format!(", was {text}")).unwrap_or_default();
        lines.push(format!("{}{expected}{actual}", cell.id));
        lines.extend(cell.message.clone());
        lines.extend(cell.rerun.clone());
    }
    if group.len() > NAMED {
        lines.push(format!("and {} more cells", group.len() - NAMED));
    }
    visible(&lines.join("\n")).into_owned()
}

fn place(location: &Location) -> String {
    format!("file={},line={},", property(&location.file), location.line)
}

/// The text behind the second pair of colons, where a line feed would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end besides.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn text(results: &Results) -> String {
        let mut bytes = Vec::new();
        write(results, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn failures_stand_at_their_lines() {
        insta::assert_snapshot!(text(&samples::results()));
    }

    #[test]
    fn foreign_text_starts_no_command() {
        let lines = text(&samples::hostile());
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(lines.starts_with("::error file=</script>"), "{lines}");
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
        let lines = text(&Results::new(samples::run_info(), cells));
        assert_eq!(lines.lines().count(), 1);
        assert!(lines.ends_with("s/c9%0Aand 2 more cells\n"), "{lines}");
    }
}
