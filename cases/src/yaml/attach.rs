//! Joins values and places into nodes.

use std::collections::HashMap;

use skewer_engine::{FieldPath, OwnedText, PathSegment, Text};

use super::lines::LineIndex;
use super::places::{Place, PlaceId, Places, Shape};
use super::raw::Raw;
use super::{Data, Diagnostics, Entry, Node, Span, manifest};

/// How plain scalars are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// YAML 1.2.
    Core,
    /// As Kubernetes does.
    Manifest,
}

/// Builds the nodes of a document; keys that are no strings or stand twice, and numbers that JSON does not
/// have, are reported.
pub(super) fn attach(
    raw: Raw,
    places: &Places,
    lines: &LineIndex,
    dialect: Dialect,
    diagnostics: &Diagnostics,
) -> Node {
    let mut joiner = Joiner { places, lines, dialect, diagnostics, path: FieldPath::root() };
    joiner.node(raw, places.root, Span::default())
}

struct Joiner<'a> {
    places: &'a Places,
    lines: &'a LineIndex,
    dialect: Dialect,
    diagnostics: &'a Diagnostics,
    path: FieldPath,
}

impl Joiner<'_> {
    /// `near` is the place of what holds the node, for the case that the two parsers disagree.
    fn node(&mut self, raw: Raw, place: Option<PlaceId>, near: Span) -> Node {
        let found = place.and_then(|id| self.places.get(id));
        let span = found.map_or(near, |place| place.span);
        let shape = found.and_then(|place| match place.shape {
            Shape::Alias(target) => self.places.get(target).map(|target| &target.shape),
            _ => Some(&place.shape),
        });
        let data = match self.read_again(raw, place) {
            Raw::Null => Data::Null,
            Raw::Bool(value) => Data::Bool(value),
            Raw::Int(value) => Data::Int(value),
            Raw::UInt(value) => Data::UInt(value),
            Raw::Float(value) => self.float(value, span),
            Raw::String(value) => Data::String(Text::from(value)),
            Raw::List(items) => self.list(items, shape, span),
            Raw::Map(entries) => self.map(entries, shape, span),
        };
        Node { data, span }
    }

    /// The value of a scalar in the dialect of the file.
    fn read_again(&self, raw: Raw, place: Option<PlaceId>) -> Raw {
        if self.dialect == Dialect::Core || matches!(raw, Raw::List(_) | Raw::Map(_)) {
            return raw;
        }
        let found = place.and_then(|id| self.places.get(id)).and_then(|place| match place.shape {
            Shape::Alias(target) => self.places.get(target),
            _ => Some(place),
        });
        let Some(Place { span, shape: Shape::Scalar(true) }) = found else { return raw };
        let text = self.lines.text().get(span.offset..span.end()).unwrap_or_default();
        // The span of a scalar begins with its anchor.
        let text = match text.strip_prefix('&') {
            Some(anchored) => {
                anchored.split_once(char::is_whitespace).map_or("", |(_, text)| text.trim_start())
            }
            None => text,
        };
        manifest::resolve(text).unwrap_or(raw)
    }

    fn float(&self, value: f64, span: Span) -> Data {
        if value.is_finite() {
            return Data::Float(value);
        }
        self.diagnostics
            .error(span, "a number that is not finite cannot be written as JSON")
            .path(self.path.clone());
        Data::Null
    }

    fn list(&mut self, items: Vec<Raw>, shape: Option<&Shape>, span: Span) -> Data {
        let places: &[PlaceId] = match shape {
            Some(Shape::List(places)) if places.len() == items.len() => places,
            _ => &[],
        };
        let mut nodes = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            self.path.push(PathSegment::Index(i));
            nodes.push(self.node(item, places.get(i).copied(), span));
            self.path.pop();
        }
        Data::List(nodes)
    }

    fn map(&mut self, entries: Vec<(Raw, Raw)>, shape: Option<&Shape>, span: Span) -> Data {
        let places: &[PlaceId] = match shape {
            Some(Shape::Map(places)) if places.len() == 2 * entries.len() => places,
            _ => &[],
        };
        let mut nodes: Vec<Entry> = Vec::with_capacity(entries.len());
        let mut seen: HashMap<OwnedText, Span> = HashMap::with_capacity(entries.len());
        for (i, (key, value)) in entries.into_iter().enumerate() {
            let (key_place, value_place) = (places.get(2 * i).copied(), places.get(2 * i + 1).copied());
            let key_span = key_place.and_then(|id| self.places.get(id)).map_or(span, |place| place.span);
            let key = self.read_again(key, key_place);
            let Some(name) = self.key(key, key_span) else { continue };
            self.path.push(PathSegment::Key(name.clone()));
            let value = self.node(value, value_place, key_span);
            self.path.pop();
            if let Some(first) = seen.get(&name) {
                let first = self.lines.position(first.offset);
                self.diagnostics
                    .error(key_span, format!("the key `{name}` stands twice in this map"))
                    .help(format!("it stands first at line {}, column {}", first.line, first.column))
                    .path(self.path.clone());
                continue;
            }
            seen.insert(name.clone(), key_span);
            nodes.push(Entry { key: Node { data: Data::String(name), span: key_span }, value });
        }
        Data::Map(nodes)
    }

    fn key(&self, key: Raw, span: Span) -> Option<OwnedText> {
        let described = key.described();
        match (key, self.dialect) {
            (Raw::String(name), _) => return Some(Text::from(name)),
            (Raw::Bool(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (Raw::Int(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (Raw::UInt(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (key, _) => self.refuse_key(&key, described, span),
        }
        None
    }

    fn refuse_key(&self, key: &Raw, described: &str, span: Span) {
        let pending = self.diagnostics.error(span, format!("a key must be a string, not {described}"));
        let pending = pending.path(self.path.clone());
        if !matches!(key, Raw::List(_) | Raw::Map(_)) {
            pending.help("quote it to make a string of it");
        }
    }
}
