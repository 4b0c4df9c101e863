//! The reader of one node, with the node's path and the state that all passes of the decoder share.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use skewer_engine::{FieldPath, PathSegment, Text};

use super::error::DecodeError;
use crate::suggest::{nearest, quote_names, shorten};
use crate::{Diagnostics, MAX_DIAGNOSTICS, MapEntry, Node, NodeData, Span};

/// The state of decoding a document. All passes share it. Nodes are identified by their addresses.
pub(super) struct DecodeState<'d> {
    diagnostics: &'d Diagnostics,
    /// Nodes with errors, which the next pass leaves out.
    skipped: RefCell<HashSet<usize>>,
    /// Missing required fields of each map. The next pass fills each of them with a value of the right kind, its
    /// placeholder, so that decoding can continue.
    placeholders: RefCell<HashMap<usize, Vec<&'static str>>>,
    /// Maps whose unknown keys were reported. Every pass would find the same unknown keys.
    checked_maps: RefCell<HashSet<usize>>,
}

impl<'d> DecodeState<'d> {
    pub(super) fn new(diagnostics: &'d Diagnostics) -> Self {
        DecodeState {
            diagnostics,
            skipped: RefCell::default(),
            placeholders: RefCell::default(),
            checked_maps: RefCell::default(),
        }
    }

    fn skip(&self, node: &Node) {
        self.skipped.borrow_mut().insert(address(node));
    }

    /// Returns true when called for this map for the first time.
    pub(super) fn is_first_check(&self, map: &Node) -> bool {
        self.checked_maps.borrow_mut().insert(address(map))
    }

    pub(super) fn is_skipped(&self, node: &Node) -> bool {
        self.skipped.borrow().contains(&address(node))
    }

    fn add_placeholder(&self, node: &Node, field: &'static str) {
        self.placeholders.borrow_mut().entry(address(node)).or_default().push(field);
    }

    /// Returns the missing required fields of a map. They are filled with placeholders, so that decoding can continue.
    pub(super) fn placeholders(&self, node: &Node) -> Vec<&'static str> {
        self.placeholders.borrow().get(&address(node)).cloned().unwrap_or_default()
    }
}

fn address(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

/// The path from the root to a node, as a linked list on the stack. It is converted to a [`FieldPath`] only for an
/// error.
#[derive(Clone, Copy)]
pub(super) enum NodePath<'t> {
    Root,
    Key(&'t NodePath<'t>, &'t str),
    Index(&'t NodePath<'t>, usize),
}

impl NodePath<'_> {
    fn to_field_path(self) -> FieldPath {
        let (mut path, segment) = match self {
            NodePath::Root => return FieldPath::root(),
            NodePath::Key(parent, key) => (parent.to_field_path(), PathSegment::Key(Text::from(key))),
            NodePath::Index(parent, index) => (parent.to_field_path(), PathSegment::Index(index)),
        };
        path.push(segment);
        path
    }
}

/// A deserializer over one node.
#[derive(Clone, Copy)]
pub(super) struct NodeReader<'de, 't> {
    pub(super) node: &'de Node,
    pub(super) path: &'t NodePath<'t>,
    pub(super) state: &'t DecodeState<'t>,
}

impl<'de, 't> NodeReader<'de, 't> {
    /// Returns a reader of a child node. `path` is the path of the child.
    pub(super) fn child<'u>(self, node: &'de Node, path: &'u NodePath<'u>) -> NodeReader<'de, 'u>
    where
        't: 'u,
    {
        NodeReader { node, path, state: self.state }
    }

    /// Reports an error at a span. Returns the [`DecodeError`] that stops the current pass.
    pub(super) fn report(&self, span: Span, message: String, help: Option<String>) -> DecodeError {
        let added = self.state.diagnostics.error(span, message).path(self.path.to_field_path());
        if let Some(help) = help {
            added.help(help);
        }
        DecodeError::Reported
    }

    /// Reports the error of a result at the span of this node, unless the error was already reported.
    pub(super) fn report_here<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|failure| match failure {
            DecodeError::Reported | DecodeError::Retry => failure,
            DecodeError::Message(_) | DecodeError::MissingField(_) => {
                self.report(self.node.span, failure.to_string(), None)
            }
        })
    }

    /// Reports an error like [`NodeReader::report_here`], and makes the next pass leave the node out.
    pub(super) fn report_and_skip<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        self.report_here(result).map_err(|failure| {
            if matches!(failure, DecodeError::Reported) {
                self.state.skip(self.node);
            }
            DecodeError::Retry
        })
    }

    /// Reports that the node is of another type than `expected`.
    pub(super) fn report_type_mismatch<T>(&self, expected: &str) -> Result<T, DecodeError> {
        let help = match (expected, &self.node.data) {
            ("a string", NodeData::Bool(_) | NodeData::Int(_) | NodeData::UInt(_) | NodeData::Float(_)) => {
                Some("quote the value to make it a string".to_owned())
            }
            ("a list", data) if !matches!(data, NodeData::Null) => {
                Some("for a list with one item, write the item in brackets, `[…]`, or after `- `".to_owned())
            }
            _ => None,
        };
        let message = format!("expected {expected}, found {}", self.node.describe());
        Err(self.report(self.node.span, message, help))
    }

    /// Reports a key that the struct does not know.
    pub(super) fn report_unknown_key(
        &self,
        entry: &MapEntry,
        entries: &[MapEntry],
        fields: &'static [&'static str],
    ) {
        if self.state.diagnostics.is_full() {
            return self.state.diagnostics.count(entry.key.span);
        }
        let name = shorten(entry.name());
        let (message, help) = match suggest_field(entry, entries, fields) {
            Some(near) => (format!("unknown key `{name}`: did you mean `{near}`?"), None),
            None if fields.is_empty() => {
                (format!("unknown key `{name}`"), Some("this map cannot have any keys".to_owned()))
            }
            None => {
                let known = quote_names(fields.iter().copied());
                (format!("unknown key `{name}`"), Some(format!("the known keys are {known}")))
            }
        };
        self.report(entry.key.span, message, help);
    }

    /// Reports a missing required field, unless a misspelling of its name or an error in its value was already
    /// reported. The next pass fills the field with a placeholder.
    pub(super) fn report_missing_field(
        &self,
        field: &'static str,
        entries: &[MapEntry],
        fields: &'static [&'static str],
    ) -> DecodeError {
        let failed = entries.iter().any(|entry| entry.name() == field);
        let misspelt = |entry: &MapEntry| suggest_field(entry, entries, fields) == Some(field);
        let unknown = entries.iter().filter(|entry| !fields.contains(&entry.name()));
        if !failed && !unknown.take(MAX_DIAGNOSTICS).any(misspelt) {
            self.report(self.node.span, format!("missing field `{field}`"), None);
        }
        self.state.add_placeholder(self.node, field);
        DecodeError::Retry
    }
}

/// Finds the field of which an unknown key is probably a misspelling. A missing field is preferred.
fn suggest_field(
    entry: &MapEntry,
    entries: &[MapEntry],
    fields: &'static [&'static str],
) -> Option<&'static str> {
    // Most unknown keys are similar to no field, and the search through the other keys is skipped for them.
    let near_any = nearest(entry.name(), fields.iter().copied())?;
    let is_absent = |field: &&str| !entries.iter().any(|entry| entry.name() == *field);
    nearest(entry.name(), fields.iter().copied().filter(is_absent)).or(Some(near_any))
}
