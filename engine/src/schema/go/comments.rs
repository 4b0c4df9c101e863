//! Which comments belong to which declaration, and the markers in them.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::errors::{GoError, GoErrorKind, Position};
use super::parse::{position, text_of};
use crate::schema::Marker;

/// A marker with its whole position.
#[derive(Clone, Debug)]
pub(super) struct MarkerAt {
    pub(super) marker: Marker,
    pub(super) at: Position,
}

/// The markers of a text that no declaration has claimed yet, by the first byte of their comment. What is left
/// in the end stands nowhere, and is reported.
#[derive(Default)]
pub(super) struct Unclaimed {
    markers: BTreeMap<usize, Vec<MarkerAt>>,
    /// All comments in source order.
    comments: Vec<Comment>,
}

struct Comment {
    start: usize,
    first_row: usize,
    last_row: usize,
    /// Holds a field that was commented out.
    tombstone: bool,
}

impl Unclaimed {
    /// Notes the markers of a comment.
    pub(super) fn add(&mut self, comment: Node<'_>, text: &str) {
        let content = text_of(text, comment);
        let found = markers_in(content, position(comment));
        if !found.is_empty() {
            self.markers.insert(comment.start_byte(), found);
        }
        self.comments.push(Comment {
            start: comment.start_byte(),
            first_row: comment.start_position().row,
            last_row: comment.end_position().row,
            tombstone: content.contains("`json:"),
        });
    }

    /// The markers of these comments, which belong to a declaration.
    pub(super) fn claim(&mut self, comments: &[Node<'_>]) -> Vec<MarkerAt> {
        comments.iter().filter_map(|comment| self.markers.remove(&comment.start_byte())).flatten().collect()
    }

    /// Takes out markers that are not reported: those of a file, and those within what was not understood.
    pub(super) fn discard(&mut self, from: usize, to: usize) {
        let inside: Vec<usize> = self.markers.range(from..to).map(|(&at, _)| at).collect();
        for at in inside {
            self.markers.remove(&at);
        }
    }

    /// Takes out the markers of fields that were commented out below them.
    fn discard_tombstones(&mut self) {
        let mut below: Option<(usize, bool)> = None;
        for comment in self.comments.iter().rev() {
            let adjacent = below.is_some_and(|(row, tombstone)| tombstone && row == comment.last_row + 1);
            let tombstone = comment.tombstone || adjacent;
            if tombstone {
                self.markers.remove(&comment.start);
            }
            below = Some((comment.first_row, tombstone));
        }
    }

    /// Markers that stand above no type, field or constant.
    pub(super) fn errors(mut self) -> impl Iterator<Item = GoError> {
        self.discard_tombstones();
        // `+k8s:deprecated=name` marks a field that was removed: it stands alone on purpose.
        let left = self.markers.into_values().flatten().filter(|found| found.marker.name != "k8s:deprecated");
        left.map(|found| {
            let message = format!(
                "the marker +{} stands above no type, field or constant: put it on the lines directly above one",
                found.marker.name
            );
            found.at.error(GoErrorKind::MisplacedMarker, message)
        })
    }
}

/// Comments on their way to the declaration below them.
#[derive(Default)]
pub(super) struct Pending<'t>(Vec<Node<'t>>);

impl<'t> Pending<'t> {
    /// The next comment. One that begins on `previous_row`, where another declaration ends, belongs to neither.
    pub(super) fn push(&mut self, comment: Node<'t>, previous_row: Option<usize>) {
        if previous_row != Some(comment.start_position().row) {
            self.0.push(comment);
        }
    }

    /// The comments above `node`, and forgets them. A field or a constant takes those without a blank line in
    /// between; a type (`across_blank_lines`) also those above, as upstream's generators read `+genclient`.
    pub(super) fn above(&mut self, node: Node<'_>, across_blank_lines: bool) -> Vec<Node<'t>> {
        let comments = std::mem::take(&mut self.0);
        let mut below = node.start_position().row;
        let mut first = comments.len();
        for (i, comment) in comments.iter().enumerate().rev() {
            let gap = below.saturating_sub(comment.end_position().row);
            if gap > 1 && !across_blank_lines {
                break;
            }
            first = i;
            below = comment.start_position().row;
        }
        comments[first..].to_vec()
    }
}

/// The markers in the text of one comment, `//` or `/* */` included.
fn markers_in(comment: &str, at: Position) -> Vec<MarkerAt> {
    let mut found = Vec::new();
    for (row, line) in comment.lines().enumerate() {
        let start = if row == 0 {
            at
        } else {
            let line = at.line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX));
            Position { line, column: 1 }
        };
        let body = line.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '*');
        if let Some((name, value)) = marker(body.trim_end_matches("*/").trim_end()) {
            let at = start.right(line.len() - body.len());
            let marker = Marker { name: name.to_owned(), value: value.to_owned(), line: at.line };
            found.push(MarkerAt { marker, at });
        }
    }
    found
}

/// Name and value of `+name…`. A plus that no letter follows is prose.
pub(super) fn marker(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('+')?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let end = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
    // A colon or a full stop ends prose and not a name: `+optional.`
    let name = rest[..end].trim_end_matches([':', '.', '/']);
    Some((name, rest[name.len()..].trim()))
}
