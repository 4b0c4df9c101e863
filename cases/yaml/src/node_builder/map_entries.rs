//! The entries of a map: repeated keys, and merge keys.

use std::collections::{HashMap, HashSet};

use skewer_engine::{PathSegment, Text};

use super::NodeBuilder;
use crate::scalar;
use crate::{Diagnostic, MapEntry, Node, NodeData, Span};

impl NodeBuilder<'_> {
    /// Reports keys that occur several times in a map, and keeps only the first entry of each key.
    pub(super) fn without_duplicates(&self, mut entries: Vec<MapEntry>) -> Vec<MapEntry> {
        let mut first_spans: HashMap<&str, Span> = HashMap::with_capacity(entries.len());
        let mut duplicates: HashSet<Span> = HashSet::new();
        for entry in &entries {
            let span = entry.key.span;
            let first = *first_spans.entry(entry.name()).or_insert(span);
            if first != span {
                self.report_duplicate(entry.name(), span, first);
                duplicates.insert(span);
            }
        }
        if !duplicates.is_empty() {
            entries.retain(|entry| !duplicates.contains(&entry.key.span));
        }
        entries
    }

    /// Keeps the last value of each key, and warns of keys that are written several times. Upstream: `d.mapping`
    /// (sigs.k8s.io/yaml, goyaml.v2), with which the last value wins if decoding is not strict.
    pub(super) fn with_last_values(
        &mut self,
        entries: Vec<MapEntry>,
        merged: &HashSet<Span>,
    ) -> Vec<MapEntry> {
        let mut places: HashMap<String, usize> = HashMap::with_capacity(entries.len());
        let mut kept: Vec<MapEntry> = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(place) = places.get(entry.name()) else {
                places.insert(entry.name().to_owned(), kept.len());
                kept.push(entry);
                continue;
            };
            let earlier = std::mem::replace(&mut kept[*place], entry);
            let written = &kept[*place].key;
            if self.kind_of_key(written.span) != self.kind_of_key(earlier.key.span) {
                // Upstream takes one of them at random.
                self.report_duplicate(earlier.name(), written.span, earlier.key.span);
            } else if !merged.contains(&written.span) && !merged.contains(&earlier.key.span) {
                let first = self.lines.position(earlier.key.span.offset);
                self.warnings.push(Diagnostic::duplicate_key(kept[*place].name(), written.span, first));
            }
        }
        kept
    }

    /// Returns the type of a key as it is written: `"1"` is a text, and `1` a number.
    fn kind_of_key(&self, span: Span) -> Option<std::mem::Discriminant<NodeData>> {
        let text = self.lines.text().get(span.offset..span.end()).unwrap_or_default();
        scalar::resolve(text, self.dialect).as_ref().map(std::mem::discriminant)
    }

    /// Returns the entries of the value of a merge key. The first of several maps wins. Upstream: `d.merge`.
    pub(super) fn merged_entries(&self, value: Node) -> Vec<MapEntry> {
        let span = value.span;
        let maps: Vec<Node> = match value.data {
            NodeData::List(items) => items.into_vec().into_iter().rev().collect(),
            _ => vec![value],
        };
        let mut entries = Vec::new();
        for map in maps {
            match map.data {
                NodeData::Map(of_map) => entries.extend(of_map.into_vec()),
                other => {
                    let found = other.describe_type();
                    let message = format!("the merge key `<<` needs a map or a list of maps, not {found}");
                    self.diagnostics.error(span, message).path(self.path());
                }
            }
        }
        entries
    }

    fn report_duplicate(&self, name: &str, span: Span, first: Span) {
        // Finding the positions of very many keys in one long line would take too long.
        if self.diagnostics.is_full() {
            return self.diagnostics.count(span);
        }
        let (first, mut path) = (self.lines.position(first.offset), self.path());
        path.push(PathSegment::Key(Text::from(name)));
        self.diagnostics.push(Diagnostic { path, ..Diagnostic::duplicate_key(name, span, first) });
    }
}
