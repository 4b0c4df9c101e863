//! Builds the nodes of a document from its values and its span tree.

use std::collections::HashMap;

use skewer_engine::{Doc, FieldPath, OwnedText, PathSegment, Text};

use crate::lines::LineIndex;
use crate::span_tree::{NodeShape, SpanNode, SpanNodeId, SpanTree};
use crate::yaml_value::YamlValue;
use crate::{Diagnostics, MapEntry, Node, NodeData, Span, manifest_scalar};

/// The rules by which plain scalars are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// YAML 1.2.
    Core,
    /// YAML 1.1, as Kubernetes reads manifests.
    Manifest,
}

/// Builds the nodes of a document. Keys that are not strings or that are duplicates, and numbers that JSON does not have,
/// are reported.
pub(super) fn build_nodes(
    value: YamlValue,
    spans: &SpanTree,
    lines: &LineIndex,
    dialect: Dialect,
    diagnostics: &Diagnostics,
) -> Node {
    let mut builder = NodeBuilder { spans, lines, dialect, diagnostics, path: FieldPath::root() };
    builder.node(value, spans.root, Span::default())
}

struct NodeBuilder<'a> {
    spans: &'a SpanTree,
    lines: &'a LineIndex,
    dialect: Dialect,
    diagnostics: &'a Diagnostics,
    /// The path of the node that is being built.
    path: FieldPath,
}

impl NodeBuilder<'_> {
    /// Builds a node. `parent_span` is the fallback for the case that the two parsers disagree.
    fn node(&mut self, value: YamlValue, id: Option<SpanNodeId>, parent_span: Span) -> Node {
        let span_node = id.and_then(|id| self.spans.get(id));
        let span = span_node.map_or(parent_span, |node| node.span);
        let shape = span_node.and_then(|node| match node.shape {
            NodeShape::Alias(target) => self.spans.get(target).map(|target| &target.shape),
            _ => Some(&node.shape),
        });
        let data = match self.resolve_in_dialect(value, id) {
            YamlValue::Null => NodeData::Null,
            YamlValue::Bool(value) => NodeData::Bool(value),
            YamlValue::Int(value) => NodeData::Int(value),
            YamlValue::UInt(value) => NodeData::UInt(value),
            YamlValue::Float(value) => self.float(value, span),
            YamlValue::String(value) => self.string(value, id, span),
            YamlValue::List(items) => self.list(items, shape, span),
            YamlValue::Map(entries) => self.map(entries, shape, span),
        };
        Node { data, span }
    }

    /// Resolves a plain scalar again by the rules of the dialect; any other value stays as it is.
    fn resolve_in_dialect(&self, value: YamlValue, id: Option<SpanNodeId>) -> YamlValue {
        if self.dialect == Dialect::Core || matches!(value, YamlValue::List(_) | YamlValue::Map(_)) {
            return value;
        }
        let Some(span) = self.plain_scalar_span(id) else { return value };
        let text = self.lines.text().get(span.offset..span.end()).unwrap_or_default();
        // The span of a scalar begins with its anchor.
        let text = match text.strip_prefix('&') {
            Some(anchored) => {
                anchored.split_once(char::is_whitespace).map_or("", |(_, text)| text.trim_start())
            }
            None => text,
        };
        manifest_scalar::resolve(text).unwrap_or(value)
    }

    /// Returns the span of a plain scalar, or of the plain scalar that an alias stands for.
    fn plain_scalar_span(&self, id: Option<SpanNodeId>) -> Option<Span> {
        let node = id.and_then(|id| self.spans.get(id))?;
        let node = match node.shape {
            NodeShape::Alias(target) => self.spans.get(target)?,
            _ => node,
        };
        match node {
            SpanNode { span, shape: NodeShape::Scalar { is_plain: true } } => Some(*span),
            _ => None,
        }
    }

    /// Converts a string. A plain scalar that is a number in form, but that no float64 holds, is reported.
    ///
    /// `serde_yaml` and upstream (`sigs.k8s.io/yaml`) make a string of it. That is not what its author meant, and the same
    /// number is an error in JSON.
    fn string(&self, value: String, id: Option<SpanNodeId>, span: Span) -> NodeData {
        if manifest_scalar::is_number_out_of_range(&value, self.dialect)
            && self.plain_scalar_span(id).is_some()
        {
            self.diagnostics
                .error(span, format!("number out of range: no float64 holds {value}"))
                .help("quote it to make a string of it")
                .path(self.path.clone());
        }
        NodeData::String(Text::from(value))
    }

    fn float(&self, value: f64, span: Span) -> NodeData {
        if value.is_finite() {
            // Kubernetes converts YAML to JSON first, and Go writes 1.0 as `1`.
            return match (self.dialect, Doc::from_go_float(value)) {
                (Dialect::Manifest, Doc::Int(integer)) => NodeData::Int(integer),
                _ => NodeData::Float(value),
            };
        }
        self.diagnostics
            .error(span, "a number that is not finite cannot be written as JSON")
            .path(self.path.clone());
        NodeData::Null
    }

    fn list(&mut self, items: Vec<YamlValue>, shape: Option<&NodeShape>, span: Span) -> NodeData {
        let ids: &[SpanNodeId] = match shape {
            Some(NodeShape::List(ids)) if ids.len() == items.len() => ids,
            _ => &[],
        };
        let mut nodes = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            self.path.push(PathSegment::Index(i));
            nodes.push(self.node(item, ids.get(i).copied(), span));
            self.path.pop();
        }
        NodeData::List(nodes)
    }

    fn map(
        &mut self,
        entries: Vec<(YamlValue, YamlValue)>,
        shape: Option<&NodeShape>,
        span: Span,
    ) -> NodeData {
        let ids: &[SpanNodeId] = match shape {
            Some(NodeShape::Map(ids)) if ids.len() == 2 * entries.len() => ids,
            _ => &[],
        };
        let mut nodes: Vec<MapEntry> = Vec::with_capacity(entries.len());
        let mut key_spans: HashMap<OwnedText, Span> = HashMap::with_capacity(entries.len());
        for (i, (key, value)) in entries.into_iter().enumerate() {
            let (key_id, value_id) = (ids.get(2 * i).copied(), ids.get(2 * i + 1).copied());
            let key_span = key_id.and_then(|id| self.spans.get(id)).map_or(span, |node| node.span);
            let key = self.resolve_in_dialect(key, key_id);
            let Some(name) = self.key(key, key_span) else { continue };
            self.path.push(PathSegment::Key(name.clone()));
            let value = self.node(value, value_id, key_span);
            self.path.pop();
            if let Some(first) = key_spans.get(&name) {
                let first = self.lines.position(first.offset);
                self.diagnostics
                    .error(key_span, format!("the key `{name}` stands twice in this map"))
                    .help(format!("it stands first at line {}, column {}", first.line, first.column))
                    .path(self.path.clone());
                continue;
            }
            key_spans.insert(name.clone(), key_span);
            nodes.push(MapEntry { key: Node { data: NodeData::String(name), span: key_span }, value });
        }
        NodeData::Map(nodes)
    }

    /// Converts a key to text; `None` after an error was reported.
    fn key(&self, key: YamlValue, span: Span) -> Option<OwnedText> {
        let description = key.describe();
        match (key, self.dialect) {
            (YamlValue::String(name), _) => return Some(Text::from(name)),
            (YamlValue::Bool(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (YamlValue::Int(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (YamlValue::UInt(key), Dialect::Manifest) => return Some(Text::from(key.to_string())),
            (key, _) => self.report_key(&key, description, span),
        }
        None
    }

    fn report_key(&self, key: &YamlValue, description: &str, span: Span) {
        let added = self.diagnostics.error(span, format!("a key must be a string, not {description}"));
        let added = added.path(self.path.clone());
        if !matches!(key, YamlValue::List(_) | YamlValue::Map(_)) {
            added.help("quote it to make a string of it");
        }
    }
}
