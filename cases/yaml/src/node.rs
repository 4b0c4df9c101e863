use skewer_engine::{Doc, FieldPath, Map, OwnedDoc, OwnedText, PathSegment, Text};

use crate::Span;

/// A value with its source span.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub data: NodeData,
    /// Its source span; for an alias, that of the alias. Nodes inside of an alias have the spans of the anchored node.
    /// A block scalar (`|`, `>`) begins with its first line, not with its indicator.
    pub span: Span,
}

/// The value of a [`Node`].
#[derive(Clone, Debug)]
pub enum NodeData {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of 64 signed bits.
    Int(i64),
    /// An integer above that, of 64 bits.
    UInt(u64),
    /// Any other number, finite.
    Float(f64),
    /// A string.
    String(OwnedText),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file; each key once.
    Map(Vec<MapEntry>),
}

/// One entry of a map.
#[derive(Clone, Debug)]
pub struct MapEntry {
    /// The key, which holds [`NodeData::String`].
    pub key: Node,
    /// The value.
    pub value: Node,
}

impl MapEntry {
    /// Returns the key as text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.key.as_str().unwrap_or_default()
    }
}

impl Node {
    /// Returns the string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            NodeData::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            NodeData::Map(entries) => {
                entries.iter().find(|entry| entry.name() == key).map(|entry| &entry.value)
            }
            _ => None,
        }
    }

    /// Returns the span to mark in a message about a field path: that of the value if it is a scalar, else that of its key.
    /// Of a path that leads to nothing, the longest part that leads somewhere counts.
    #[must_use]
    pub fn span_at(&self, path: &FieldPath) -> Span {
        let (mut node, mut span) = (self, self.span);
        for segment in path.segments() {
            let next = match (segment, &node.data) {
                (PathSegment::Key(key), NodeData::Map(entries)) => entries
                    .iter()
                    .find(|entry| entry.name() == key)
                    .map(|entry| (&entry.value, entry.key.span)),
                (PathSegment::Index(index), NodeData::List(items)) => {
                    items.get(*index).map(|item| (item, item.span))
                }
                _ => None,
            };
            let Some((value, key_span)) = next else { break };
            node = value;
            span = if matches!(value.data, NodeData::Map(_) | NodeData::List(_)) {
                key_span
            } else {
                value.span
            };
        }
        span
    }

    /// Finds the node with this span.
    #[must_use]
    pub fn find_by_span(&self, span: Span) -> Option<&Node> {
        if self.span == span {
            return Some(self);
        }
        match &self.data {
            NodeData::Map(entries) => entries.iter().find_map(|entry| entry.value.find_by_span(span)),
            NodeData::List(items) => items.iter().find_map(|item| item.find_by_span(span)),
            _ => None,
        }
    }

    /// Converts the node to a document without spans. An integer beyond 64 signed bits becomes a float, as in Go.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn to_doc(&self) -> OwnedDoc {
        match &self.data {
            NodeData::Null => Doc::Null,
            NodeData::Bool(value) => Doc::Bool(*value),
            NodeData::Int(value) => Doc::Int(*value),
            NodeData::UInt(value) => Doc::Float(*value as f64),
            NodeData::Float(value) => Doc::Float(*value),
            NodeData::String(value) => Doc::String(value.clone()),
            NodeData::List(items) => Doc::List(items.iter().map(Node::to_doc).collect()),
            NodeData::Map(entries) => {
                let mut entries: Vec<_> =
                    entries.iter().map(|entry| (Text::from(entry.name()), entry.value.to_doc())).collect();
                // In order, each insertion is at the end.
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Doc::Map(Map::from_iter(entries))
            }
        }
    }

    /// Describes the value for messages, with its article and its shortened text: ``a string, `x` ``.
    pub(super) fn describe(&self) -> String {
        let scalar = |kind: &str, text: &str| format!("{kind}, `{}`", crate::suggest::shorten(text));
        match &self.data {
            NodeData::Null => "null".to_owned(),
            NodeData::Bool(value) => scalar("a boolean", &value.to_string()),
            NodeData::Int(value) => scalar("an integer", &value.to_string()),
            NodeData::UInt(value) => scalar("an integer", &value.to_string()),
            NodeData::Float(value) => scalar("a float", &Doc::Float(*value).to_string()),
            NodeData::String(text) if text.is_empty() => "an empty string".to_owned(),
            NodeData::String(text) => scalar("a string", text),
            NodeData::List(_) => "a list".to_owned(),
            NodeData::Map(_) => "a map".to_owned(),
        }
    }
}

impl From<&Node> for OwnedDoc {
    fn from(node: &Node) -> Self {
        node.to_doc()
    }
}
