use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedText, PathSegment};

use crate::Span;

/// A value with its source span.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub data: NodeData,
    /// Its source span, without its anchor; for an alias, that of the alias. Nodes inside of an alias have the spans of
    /// the anchored node. A block scalar (`|`, `>`) begins with its first line, not with its indicator.
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
    List(Box<[Node]>),
    /// A map, in the order of the file; each key once.
    Map(Box<[MapEntry]>),
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

    /// Converts the entry to that of a document.
    fn into_pair(self) -> (OwnedText, OwnedDoc) {
        let name = match self.key.data {
            NodeData::String(name) => name,
            _ => OwnedText::default(),
        };
        (name, self.value.into_doc())
    }
}

impl NodeData {
    /// Describes the type of the value for messages, with its article.
    pub(super) fn describe_type(&self) -> &'static str {
        match self {
            NodeData::Null => "null",
            NodeData::Bool(_) => "a boolean",
            NodeData::Int(_) | NodeData::UInt(_) => "an integer",
            NodeData::Float(_) => "a float",
            NodeData::String(_) => "a string",
            NodeData::List(_) => "a list",
            NodeData::Map(_) => "a map",
        }
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

    /// Returns the items of a list; none if this is no list.
    #[must_use]
    pub fn items(&self) -> &[Node] {
        match &self.data {
            NodeData::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the entries of a map; none if this is no map.
    #[must_use]
    pub fn entries(&self) -> &[MapEntry] {
        match &self.data {
            NodeData::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the value of a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.name() == key).map(|entry| &entry.value)
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
        let mut children = self.items().iter().chain(self.entries().iter().map(|entry| &entry.value));
        children.find_map(|child| child.find_by_span(span))
    }

    /// Converts the node to a document without spans. An integer beyond 64 signed bits becomes a float, as in Go.
    #[must_use]
    pub fn to_doc(&self) -> OwnedDoc {
        self.clone().into_doc()
    }

    /// Converts the node to a document like [`Node::to_doc`], and gives back its memory on the way.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // The nearest float is meant.
    pub fn into_doc(self) -> OwnedDoc {
        match self.data {
            NodeData::Null => Doc::Null,
            NodeData::Bool(value) => Doc::Bool(value),
            NodeData::Int(value) => Doc::Int(value),
            NodeData::UInt(value) => Doc::Float(value as f64),
            NodeData::Float(value) => Doc::Float(value),
            NodeData::String(value) => Doc::String(value),
            NodeData::List(items) => Doc::List(items.into_iter().map(Node::into_doc).collect()),
            NodeData::Map(mut entries) => {
                // In order, each insertion is at the end.
                entries.sort_by(|a, b| a.name().cmp(b.name()));
                Doc::Map(entries.into_iter().map(MapEntry::into_pair).collect())
            }
        }
    }

    /// Describes the value for messages, with its article and its shortened text: ``a string, `x` ``.
    pub(super) fn describe(&self) -> String {
        let text = match &self.data {
            NodeData::Null | NodeData::List(_) | NodeData::Map(_) => {
                return self.data.describe_type().to_owned();
            }
            NodeData::String(text) if text.is_empty() => return "an empty string".to_owned(),
            NodeData::String(text) => text.to_string(),
            NodeData::Float(value) => Doc::Float(*value).to_string(),
            NodeData::Bool(value) => value.to_string(),
            NodeData::Int(value) => value.to_string(),
            NodeData::UInt(value) => value.to_string(),
        };
        format!("{}, `{}`", self.data.describe_type(), crate::suggest::shorten(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit on the nodes of a file bounds its memory only as long as a node is small.
    #[test]
    fn a_node_takes_40_bytes() {
        assert_eq!(size_of::<Node>(), 40);
    }
}
