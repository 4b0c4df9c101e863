use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedText, PathSegment};

use crate::Span;

/// A value with its source span.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub data: NodeData,
    /// The source span of the value, without an anchor. The span of an alias is that of the alias itself; nodes inside
    /// the aliased value have the spans of the anchored node. The span of a block scalar (`|`, `>`) begins at its first
    /// line, not at its indicator.
    pub span: Span,
}

/// The value of a [`Node`].
#[derive(Clone, Debug)]
pub enum NodeData {
    /// The value `null`, `~`, or an omitted value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that fits into 64 bits with a sign.
    Int(i64),
    /// A larger integer that fits into 64 bits without a sign.
    UInt(u64),
    /// Any other finite number.
    Float(f64),
    /// A string.
    String(OwnedText),
    /// A list.
    List(Box<[Node]>),
    /// A map in the order of the file. Each key occurs once.
    Map(Box<[MapEntry]>),
}

/// One entry of a map.
#[derive(Clone, Debug)]
pub struct MapEntry {
    /// The key. Its `data` is always a [`NodeData::String`].
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

    fn into_pair(self) -> (OwnedText, OwnedDoc) {
        let name = match self.key.data {
            NodeData::String(name) => name,
            _ => OwnedText::default(),
        };
        (name, self.value.into_doc())
    }
}

impl NodeData {
    /// Describes the type of the value for messages, with an article.
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
    /// Returns the text of a string. Returns `None` if the node is not a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            NodeData::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number of an integer that fits into 64 bits with a sign. Returns `None` for other nodes.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        match self.data {
            NodeData::Int(number) => Some(number),
            _ => None,
        }
    }

    /// Returns true if the node is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self.data, NodeData::List(_))
    }

    /// Returns the items of a list. Returns an empty slice if the node is not a list.
    #[must_use]
    pub fn items(&self) -> &[Node] {
        match &self.data {
            NodeData::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the entries of a map. Returns an empty slice if the node is not a map.
    #[must_use]
    pub fn entries(&self) -> &[MapEntry] {
        match &self.data {
            NodeData::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the value of a key. Returns `None` if the node is not a map or lacks the key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.name() == key).map(|entry| &entry.value)
    }

    /// Returns the span to mark in a message about a field path: the span of the value if the value is a scalar, and
    /// otherwise the span of its key. If the path does not exist, the span is that of its longest existing part.
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

    /// Converts the node to a document like [`Node::to_doc`]. The memory of the node is released during the conversion.
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
                // Sorted entries are always inserted at the end of the map, which is fast.
                entries.sort_by(|a, b| a.name().cmp(b.name()));
                Doc::Map(entries.into_iter().map(MapEntry::into_pair).collect())
            }
        }
    }

    /// Describes the value for messages, with an article and the shortened text: ``a string, `x` ``.
    #[must_use]
    pub fn describe(&self) -> String {
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

    /// The limit on the nodes of a file also limits its memory only if nodes are small.
    #[test]
    fn a_node_takes_40_bytes() {
        assert_eq!(size_of::<Node>(), 40);
    }
}
