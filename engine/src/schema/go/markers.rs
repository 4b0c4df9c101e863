//! Marker comments such as `// +optional`. This module finds the declaration to which a marker belongs, and applies the
//! markers of a field to its declaration.

use std::collections::{BTreeMap, HashSet};

use tree_sitter::Node;

use super::errors::{GoError, GoErrorKind, Position};
use super::syntax_tree::{position_of, text_of};
use crate::schema::patch_meta::{split_merge_keys, split_strategies, unknown_list_type, unknown_map_type};
use crate::schema::{FieldDecl, ListType, MapType, Marker};

/// A marker with its line and column.
#[derive(Clone, Debug)]
pub(super) struct PositionedMarker {
    pub(super) marker: Marker,
    pub(super) position: Position,
}

/// The markers of a text that belong to no declaration that was read so far, by the first byte of their comment. The
/// markers that remain after all declarations are read are reported as misplaced.
#[derive(Default)]
pub(super) struct UnclaimedMarkers {
    by_comment: BTreeMap<usize, Vec<PositionedMarker>>,
    /// All comments with markers, in the order of the source.
    comments: Vec<Comment>,
}

struct Comment {
    start: usize,
    first_row: usize,
    last_row: usize,
    /// Whether the comment contains a field that was commented out.
    is_tombstone: bool,
}

impl UnclaimedMarkers {
    /// Adds the markers of a comment.
    pub(super) fn add(&mut self, comment: Node<'_>, text: &str) {
        let content = text_of(text, comment);
        let markers = markers_in(content, position_of(comment));
        if !markers.is_empty() {
            self.by_comment.insert(comment.start_byte(), markers);
        }
        self.comments.push(Comment {
            start: comment.start_byte(),
            first_row: comment.start_position().row,
            last_row: comment.end_position().row,
            is_tombstone: content.contains("`json:"),
        });
    }

    /// Removes and returns the markers of these comments, which belong to a declaration.
    pub(super) fn claim(&mut self, comments: &[Node<'_>]) -> Vec<PositionedMarker> {
        comments
            .iter()
            .filter_map(|comment| self.by_comment.remove(&comment.start_byte()))
            .flatten()
            .collect()
    }

    /// Removes the markers in a byte range, so that they are not reported. This concerns the markers of a whole file
    /// and the markers inside syntax errors.
    pub(super) fn discard(&mut self, from: usize, to: usize) {
        let inside: Vec<usize> = self.by_comment.range(from..to).map(|(&start, _)| start).collect();
        for start in inside {
            self.by_comment.remove(&start);
        }
    }

    /// Removes the markers of fields that were commented out below them.
    fn discard_tombstones(&mut self) {
        // The first row of the next comment, and whether that comment contains a field that was commented out.
        let mut next: Option<(usize, bool)> = None;
        for comment in self.comments.iter().rev() {
            let is_above_tombstone =
                next.is_some_and(|(row, is_tombstone)| is_tombstone && row == comment.last_row + 1);
            let is_tombstone = comment.is_tombstone || is_above_tombstone;
            if is_tombstone {
                self.by_comment.remove(&comment.start);
            }
            next = Some((comment.first_row, is_tombstone));
        }
    }

    /// Returns an error for each marker that is not above a type, a field or a constant.
    pub(super) fn into_errors(mut self) -> impl Iterator<Item = GoError> {
        self.discard_tombstones();
        // `+k8s:deprecated=name` documents a field that was removed. It is not misplaced.
        let misplaced =
            self.by_comment.into_values().flatten().filter(|found| found.marker.name != "k8s:deprecated");
        misplaced.map(|found| {
            let message =
                format!("the marker +{} is not directly above a type, field or constant", found.marker.name);
            found.position.error(GoErrorKind::MisplacedMarker, message)
        })
    }
}

/// The node of a type, a constant or a field, with the comments above it.
pub(super) struct CommentedNode<'t> {
    pub(super) node: Node<'t>,
    pub(super) comments: Vec<Node<'t>>,
}

/// The comments since the last declaration, which may belong to the next one.
#[derive(Default)]
pub(super) struct PendingComments<'t>(Vec<Node<'t>>);

impl<'t> PendingComments<'t> {
    /// Adds the next comment. A comment that begins on `previous_row`, the last line of the previous declaration, is
    /// ignored.
    pub(super) fn push(&mut self, comment: Node<'t>, previous_row: Option<usize>) {
        if previous_row != Some(comment.start_position().row) {
            self.0.push(comment);
        }
    }

    /// Removes all comments and returns those that belong to `node`. A field or a constant has the comments above it up
    /// to the first blank line. A type (`across_blank_lines`) also has the comments above blank lines, because
    /// upstream's generators read `+genclient` in this way.
    pub(super) fn take_for(&mut self, node: Node<'_>, across_blank_lines: bool) -> Vec<Node<'t>> {
        let comments = std::mem::take(&mut self.0);
        let mut next_row = node.start_position().row;
        let mut first = comments.len();
        for (i, comment) in comments.iter().enumerate().rev() {
            let gap = next_row.saturating_sub(comment.end_position().row);
            if gap > 1 && !across_blank_lines {
                break;
            }
            first = i;
            next_row = comment.start_position().row;
        }
        comments[first..].to_vec()
    }
}

/// Reads the markers in the text of one comment, including its `//` or `/* */`.
fn markers_in(comment: &str, position: Position) -> Vec<PositionedMarker> {
    let mut markers = Vec::new();
    for (row, line) in comment.lines().enumerate() {
        let start = if row == 0 {
            position
        } else {
            let line = position.line.saturating_add(u32::try_from(row).unwrap_or(u32::MAX));
            Position { line, column: 1 }
        };
        let body = line.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '*');
        if let Some((name, value)) = parse_marker(body.trim_end_matches("*/").trim_end()) {
            let position = start.plus_bytes(line.len() - body.len());
            let marker = Marker { name: name.to_owned(), value: value.to_owned(), line: position.line };
            markers.push(PositionedMarker { marker, position });
        }
    }
    markers
}

/// Splits a marker `+name…` into its name and its value. A plus that is not followed by a letter is prose.
fn parse_marker(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('+')?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let end = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
    // A final colon or full stop belongs to the prose and not to the name, as in `+optional.`
    let name = rest[..end].trim_end_matches([':', '.', '/']);
    Some((name, rest[name.len()..].trim()))
}

/// The value of a `+default` marker as text. The text is parsed when the type of the field is known.
pub(super) struct DefaultText {
    pub(super) text: String,
    pub(super) position: Position,
}

/// Returns true if this marker on a string type makes it a closed enum.
pub(super) fn closes_enum(marker: &Marker) -> bool {
    matches!(marker.name.as_str(), "enum" | "k8s:enum")
}

/// Applies the markers of a field to its declaration. The declaration also keeps a list of the markers.
pub(super) fn apply_field_markers(
    markers: Vec<PositionedMarker>,
    field: &mut FieldDecl,
    errors: &mut Vec<GoError>,
) -> Option<DefaultText> {
    let mut reader =
        FieldMarkerReader { field, errors, default: None, map_type: None, map_keys: ListMapKeys::default() };
    for marker in &markers {
        reader.read(marker);
    }
    let FieldMarkerReader { default, map_keys, .. } = reader;
    // Some types of Kubernetes have one of these markers and a `+optional` that contradicts it. These markers are
    // therefore used only if there is no `+optional` or `+required`.
    let has = |name: &str| markers.iter().any(|m| m.marker.name == name);
    field.required = field.required.or_else(|| has("kubebuilder:validation:Required").then_some(true));
    field.required = field.required.or_else(|| has("kubebuilder:validation:Optional").then_some(false));
    // `listMapKey` and `k8s:listMapKey` are two forms of one marker; each form alone lists all keys.
    let ListMapKeys { plain, declarative } = map_keys;
    field.patch.list_map_keys = if plain.listed.is_empty() { declarative.listed } else { plain.listed };
    field.markers = markers.into_iter().map(|m| m.marker).collect();
    default
}

/// The keys of a list of type `map`, separately for each form of the marker.
#[derive(Default)]
struct ListMapKeys {
    /// The keys from the markers `+listMapKey`.
    plain: Keys,
    /// The keys from the tags `+k8s:listMapKey` of declarative validation.
    declarative: Keys,
}

/// Keys without duplicates, in the order of the markers.
#[derive(Default)]
struct Keys {
    listed: Vec<String>,
    seen: HashSet<String>,
}

/// The state of reading the markers of one field.
struct FieldMarkerReader<'a> {
    field: &'a mut FieldDecl,
    errors: &'a mut Vec<GoError>,
    default: Option<DefaultText>,
    map_type: Option<MapType>,
    map_keys: ListMapKeys,
}

impl FieldMarkerReader<'_> {
    fn read(&mut self, marker: &PositionedMarker) {
        let value = argument(&marker.marker.value);
        match marker.marker.name.as_str() {
            "required" | "k8s:required" => self.read_required(marker, true),
            "optional" | "k8s:optional" => self.read_required(marker, false),
            "default" | "k8s:default" => self.read_default(marker, value),
            "mapType" | "structType" | "k8s:mapType" | "k8s:structType" => self.read_map_type(marker, value),
            "listType" | "k8s:listType" => self.read_list_type(marker, value),
            "listMapKey" => read_map_key(marker, value, &mut self.map_keys.plain, self.errors),
            "k8s:listMapKey" => read_map_key(marker, value, &mut self.map_keys.declarative, self.errors),
            "patchStrategy" => {
                let agrees = split_strategies(value) == self.field.patch.strategies;
                self.check_agreement(marker, agrees, GoErrorKind::BadStrategy);
            }
            "patchMergeKey" => {
                let agrees = split_merge_keys(value) == self.field.patch.merge_key;
                self.check_agreement(marker, agrees, GoErrorKind::BadMergeKey);
            }
            _ => {}
        }
    }

    fn report_bad_marker(&mut self, marker: &PositionedMarker, message: String) {
        self.errors.push(marker.position.error(GoErrorKind::BadMarker, message));
    }

    fn read_required(&mut self, marker: &PositionedMarker, required: bool) {
        let value = &marker.marker.value;
        if value.starts_with('=') && value != "=true" {
            self.report_bad_marker(
                marker,
                format!("+{} takes no value, found {value:?}", marker.marker.name),
            );
        }
        if self.field.required == Some(!required) {
            self.report_bad_marker(marker, "the field is marked both required and optional".to_owned());
        }
        self.field.required = Some(required);
    }

    fn read_default(&mut self, marker: &PositionedMarker, value: &str) {
        if !marker.marker.value.starts_with('=') {
            let name = &marker.marker.name;
            self.report_bad_marker(marker, format!("+{name} has no value: write +{name}=…"));
        } else if self.default.as_ref().is_some_and(|default| default.text != value) {
            self.report_bad_marker(marker, "the field has two defaults".to_owned());
        } else {
            self.default = Some(DefaultText { text: value.to_owned(), position: marker.position });
        }
    }

    /// Checks the map type of the field. The compiler reads it from the markers.
    fn read_map_type(&mut self, marker: &PositionedMarker, value: &str) {
        let Some(map_type) = MapType::from_name(value) else {
            self.report_bad_marker(marker, unknown_map_type(value));
            return;
        };
        if self.map_type.is_some_and(|previous| previous != map_type) {
            self.report_bad_marker(marker, "the field has two map types".to_owned());
        }
        self.map_type = Some(map_type);
    }

    fn read_list_type(&mut self, marker: &PositionedMarker, value: &str) {
        let Some(list_type) = ListType::from_name(value) else {
            self.report_bad_marker(marker, unknown_list_type(value));
            return;
        };
        if self.field.patch.list_type.is_some_and(|previous| previous != list_type) {
            self.report_bad_marker(marker, "the field has two list types".to_owned());
        }
        self.field.patch.list_type = Some(list_type);
    }

    /// Reports the markers `+patchStrategy` and `+patchMergeKey` if they differ from the struct tag. Upstream's
    /// `OpenAPI` generator reads the markers, but the API server reads the struct tag. If the two differed, clients and
    /// servers would patch differently.
    fn check_agreement(&mut self, marker: &PositionedMarker, agrees: bool, kind: GoErrorKind) {
        if !agrees {
            let Marker { name, value, .. } = &marker.marker;
            let message = format!(
                "the marker +{name}{value} and the struct tag {name} differ: the server reads the tag"
            );
            self.errors.push(marker.position.error(kind, message));
        }
    }
}

fn read_map_key(marker: &PositionedMarker, value: &str, keys: &mut Keys, errors: &mut Vec<GoError>) {
    let name = &marker.marker.name;
    if value.is_empty() {
        errors.push(
            marker.position.error(GoErrorKind::BadMarker, format!("+{name} has no value: write +{name}=…")),
        );
    } else if keys.seen.insert(value.to_owned()) {
        keys.listed.push(value.to_owned());
    } else {
        errors.push(marker.position.error(GoErrorKind::BadMarker, format!("+{name}={value} twice")));
    }
}

/// Returns the part of a marker's value after the `=`.
fn argument(value: &str) -> &str {
    value.strip_prefix('=').unwrap_or_default().trim()
}
