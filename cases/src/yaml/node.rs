use skewer_engine::{Doc, FieldPath, Map, OwnedDoc, OwnedText, PathSegment, Text};

use super::Span;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub data: Data,
    /// Where it stands; for an alias, where the alias stands. What is inside of an alias stands where it was
    /// written. A block of text (`|`, `>`) begins with its first line, not with its sign.
    pub span: Span,
}

/// What a [`Node`] holds.
#[derive(Clone, Debug)]
pub enum Data {
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
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, which holds [`Data::String`].
    pub key: Node,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// The key as text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.key.as_str().unwrap_or_default()
    }
}

impl Node {
    /// The string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(entries) => entries.iter().find(|entry| entry.name() == key).map(|entry| &entry.value),
            _ => None,
        }
    }

    /// Where a path leads, to say what is wrong there: to the value where it is on one line, else to its key.
    /// Of a path that leads to nothing, as far as it goes.
    #[must_use]
    pub fn span_at(&self, path: &FieldPath) -> Span {
        let (mut node, mut span) = (self, self.span);
        for segment in path.segments() {
            let next = match (segment, &node.data) {
                (PathSegment::Key(key), Data::Map(entries)) => entries
                    .iter()
                    .find(|entry| entry.name() == key)
                    .map(|entry| (&entry.value, entry.key.span)),
                (PathSegment::Index(index), Data::List(items)) => {
                    items.get(*index).map(|item| (item, item.span))
                }
                _ => None,
            };
            let Some((value, place)) = next else { break };
            node = value;
            span = if matches!(value.data, Data::Map(_) | Data::List(_)) { place } else { value.span };
        }
        span
    }

    /// The node that stands in this stretch of the source.
    pub(crate) fn find(&self, span: Span) -> Option<&Node> {
        if self.span == span {
            return Some(self);
        }
        match &self.data {
            Data::Map(entries) => entries.iter().find_map(|entry| entry.value.find(span)),
            Data::List(items) => items.iter().find_map(|item| item.find(span)),
            _ => None,
        }
    }

    /// The same without places. An integer beyond 64 signed bits becomes a float, as in Go.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn to_value(&self) -> OwnedDoc {
        match &self.data {
            Data::Null => Doc::Null,
            Data::Bool(value) => Doc::Bool(*value),
            Data::Int(value) => Doc::Int(*value),
            Data::UInt(value) => Doc::Float(*value as f64),
            Data::Float(value) => Doc::Float(*value),
            Data::String(value) => Doc::String(value.clone()),
            Data::List(items) => Doc::List(items.iter().map(Node::to_value).collect()),
            Data::Map(entries) => {
                let mut entries: Vec<_> =
                    entries.iter().map(|entry| (Text::from(entry.name()), entry.value.to_value())).collect();
                // In order, each insertion is at the end.
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Doc::Map(Map::from_iter(entries))
            }
        }
    }

    /// What it is, with its article, and its text where that is short: ``a string, `x` ``.
    pub(super) fn described(&self) -> String {
        let scalar = |kind: &str, text: &str| format!("{kind}, `{}`", super::suggest::shortened(text));
        match &self.data {
            Data::Null => "null".to_owned(),
            Data::Bool(value) => scalar("a boolean", &value.to_string()),
            Data::Int(value) => scalar("an integer", &value.to_string()),
            Data::UInt(value) => scalar("an integer", &value.to_string()),
            Data::Float(value) => scalar("a float", &Doc::Float(*value).to_string()),
            Data::String(text) if text.is_empty() => "an empty string".to_owned(),
            Data::String(text) => scalar("a string", text),
            Data::List(_) => "a list".to_owned(),
            Data::Map(_) => "a map".to_owned(),
        }
    }
}

impl From<&Node> for OwnedDoc {
    fn from(node: &Node) -> Self {
        node.to_value()
    }
}
