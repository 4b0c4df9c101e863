//! Builds the nodes of a document from the events of the parser.

mod map_entries;

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, ScalarStyle, StructureStyle, Tag};
use skewer_engine::document::max_nodes;
use skewer_engine::{Doc, FieldPath, OwnedText, PathSegment, Text};

use crate::events::{Events, SpannedEvent};
use crate::lines::LineIndex;
use crate::scalar::{self, Dialect};
use crate::{Diagnostic, Diagnostics, MapEntry, Node, NodeData, Span};

/// Maximum nesting depth of a file, including the nesting inside aliases. Kubernetes documents have far fewer levels.
pub const MAX_DEPTH: usize = 128;

/// Maximum number of nodes in the expansion of all aliases of a file. Only aliases need this separate limit: other
/// nodes must be written out, so a large number of them requires a large file.
pub const MAX_ALIAS_NODES: usize = 100_000;

/// Builds the nodes of the single document of a text. An error in spite of which building can continue is added to
/// `diagnostics`. Any other error is returned.
pub(super) fn build_nodes(
    lines: &LineIndex,
    dialect: Dialect,
    diagnostics: &Diagnostics,
) -> Result<BuiltNodes, Diagnostic> {
    let text = lines.text();
    let mut builder = NodeBuilder {
        lines,
        dialect,
        diagnostics,
        open: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        max_nodes: max_nodes(text.len()),
        alias_nodes: 0,
        root: None,
        warnings: Vec::new(),
    };
    for event in Events::new(text) {
        builder.handle_event(event?)?;
    }
    let root = builder.root.ok_or_else(|| Diagnostic {
        help: Some("the file contains only comments or white space".to_owned()),
        ..Diagnostic::new(Span::default(), "the file is empty")
    })?;
    Ok(BuiltNodes { root, warnings: builder.warnings })
}

/// The nodes of a document.
pub(super) struct BuiltNodes {
    pub(super) root: Node,
    pub(super) warnings: Vec<Diagnostic>,
}

/// A list or a map whose end has not been reached yet.
struct OpenCollection {
    span: Span,
    is_flow: bool,
    anchor: usize,
    size: ExpandedSize,
    children: Children,
}

enum Children {
    List(Vec<Node>),
    Map {
        entries: Vec<MapEntry>,
        key: PendingKey,
        /// The spans of the keys that a merge key brought.
        merged: HashSet<Span>,
    },
}

/// The key for which a map expects the next node as value.
enum PendingKey {
    /// The next node is a key.
    None,
    Name(OwnedText, Span),
    /// The key had an error. The next node is its value, and is left out.
    Refused,
    /// The key is `<<`. The entries of the next node belong to the map.
    Merge,
}

/// The size of a node, with all aliases in it expanded.
#[derive(Clone, Copy)]
struct ExpandedSize {
    nodes: usize,
    levels: usize,
}

const SCALAR_SIZE: ExpandedSize = ExpandedSize { nodes: 1, levels: 0 };

/// A copy of a node with an anchor. Aliases of the anchor are replaced by copies of this node.
struct AnchoredNode {
    node: Node,
    size: ExpandedSize,
}

struct NodeBuilder<'a> {
    lines: &'a LineIndex,
    dialect: Dialect,
    diagnostics: &'a Diagnostics,
    open: Vec<OpenCollection>,
    /// Anchored nodes by the number that the parser assigns to the anchor. The value is `None` until the end of the
    /// node.
    anchors: HashMap<usize, Option<AnchoredNode>>,
    /// The number of nodes in memory. It includes the copies of anchored nodes, but not the expansion of aliases.
    nodes: usize,
    max_nodes: usize,
    alias_nodes: usize,
    root: Option<Node>,
    /// Warnings about values that Kubernetes reads otherwise than the author may mean.
    warnings: Vec<Diagnostic>,
}

impl NodeBuilder<'_> {
    fn handle_event(&mut self, spanned: SpannedEvent<'_>) -> Result<(), Diagnostic> {
        let SpannedEvent { event, span, tag_span } = spanned;
        match event {
            Event::DocumentStart(..) if self.root.is_some() => Err(Diagnostic {
                help: Some("put each document into a separate file".to_owned()),
                ..Diagnostic::new(span, "a second document begins here: expected one document per file")
            }),
            Event::Anchor(_, name) => {
                self.check_anchor(&name, span);
                Ok(())
            }
            Event::Alias(anchor) => self.add_alias(anchor, span),
            Event::UnresolvedAlias(_) => {
                Err(Diagnostic::new(span, "no anchor before this alias has its name"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.report_tag(tag.as_deref(), tag_span);
                self.count_nodes(1, span)?;
                if self.is_merge_key(&text, style) {
                    self.set_key(PendingKey::Merge);
                    return Ok(());
                }
                let data = self.scalar(&text, style, tag.as_deref(), span);
                self.attach_to_parent(Node { data, span }, anchor, SCALAR_SIZE)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.report_tag(tag.as_deref(), tag_span);
                self.start_collection(Children::List(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.report_tag(tag.as_deref(), tag_span);
                let children =
                    Children::Map { entries: Vec::new(), key: PendingKey::None, merged: HashSet::new() };
                self.start_collection(children, style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(span),
            // Events of the stream and the document have no nodes. The other kinds of events are turned off.
            _ => Ok(()),
        }
    }

    fn report_tag(&self, tag: Option<&Tag>, span: Option<Span>) {
        if let (Some(tag), Some(span)) = (tag, span) {
            self.diagnostics
                .error(span, format!("tags such as `{}` are not supported", tag.original()))
                .help("remove the tag; quote a number to make it a string");
        }
    }

    fn is_at_key(&self) -> bool {
        let children = self.open.last().map(|open| &open.children);
        matches!(children, Some(Children::Map { key: PendingKey::None, .. }))
    }

    /// Returns true for the key `<<` of a manifest.
    fn is_merge_key(&self, text: &str, style: ScalarStyle) -> bool {
        self.dialect == Dialect::Manifest && style == ScalarStyle::Plain && text == "<<" && self.is_at_key()
    }

    fn set_key(&mut self, next: PendingKey) {
        if let Some(OpenCollection { children: Children::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = next;
        }
    }

    /// Returns the value of a scalar. Reports numbers and characters that are not allowed.
    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> NodeData {
        if style == ScalarStyle::Plain && span.length > 0 {
            self.check_plain_in_flow(text, span);
        }
        let is_quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if !is_quoted && text.contains('\u{FEFF}') {
            self.diagnostics
                .error(span, "a byte order mark must be at the beginning of the file")
                .help("remove the byte order mark, or write it as \"\\uFEFF\"")
                .path(self.path());
        }
        // A tag such as `!!str` determines the type, although the tag itself is reported as an error.
        let is_plain = match tag.and_then(Tag::core_suffix) {
            None => style == ScalarStyle::Plain,
            Some(suffix) => suffix != "str",
        };
        let is_key = self.is_at_key();
        if is_plain && is_key && text == "<<" && self.dialect == Dialect::Core {
            self.diagnostics
                .error(span, "the YAML merge key `<<` is not supported: write the keys out")
                .help("quote the key, `\"<<\"`, if it is meant as a key like any other");
        }
        let resolved = if is_plain { scalar::resolve(text, self.dialect) } else { None };
        if let Some(NodeData::Bool(value)) = resolved
            && is_key
            && scalar::resolve(text, Dialect::Core).is_none()
        {
            let message =
                format!("the key `{text}` is the boolean {value} in YAML 1.1, which Kubernetes reads");
            let help = Some(format!("quote the key, `\"{text}\"`, to make it a string"));
            self.warnings.push(Diagnostic { help, ..Diagnostic::new(span, message) });
        }
        match resolved {
            Some(NodeData::Float(value)) if !is_key => self.float(value, span),
            Some(data) => data,
            None => {
                if is_plain && !is_key && scalar::is_number_out_of_range(text, self.dialect) {
                    self.diagnostics
                        .error(span, format!("number out of range: no float64 holds {text}"))
                        .help("quote the number to make it a string")
                        .path(self.path());
                }
                NodeData::String(Text::from(text))
            }
        }
    }

    /// Reports an anchor name with a character that belongs to the name in YAML 1.2, but ends it in YAML 1.1, which
    /// Kubernetes reads.
    fn check_anchor(&self, name: &str, span: Span) {
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
            self.diagnostics.error(
                span,
                format!("the name of the anchor `&{name}` must consist of letters, digits, `-` and `_`"),
            );
        }
    }

    /// Reports a plain scalar in flow style that Kubernetes would read differently: `[?a]`, `[:a]` and `[a:]` have
    /// another meaning in YAML 1.1 than in YAML 1.2.
    fn check_plain_in_flow(&self, scalar: &str, span: Span) {
        if !self.open.last().is_some_and(|open| open.is_flow) {
            return;
        }
        let following = self.lines.text().get(span.end()..).unwrap_or_default().as_bytes();
        let ends_as_key = matches!(following, [b':', b',' | b'[' | b']' | b'{' | b'}', ..]);
        if scalar.starts_with(['?', ':']) || ends_as_key {
            self.diagnostics
                .error(span, "YAML 1.1 and YAML 1.2 differ in how they read `?` and `:` here")
                .help("quote the text, or put spaces around the `?` or `:`")
                .path(self.path());
        }
    }

    fn float(&self, value: f64, span: Span) -> NodeData {
        if value.is_finite() {
            // Kubernetes converts YAML to JSON first, and Go writes 1.0 as `1` in JSON.
            return match (self.dialect, Doc::from_go_float(value)) {
                (Dialect::Manifest, Doc::Int(integer)) => NodeData::Int(integer),
                _ => NodeData::Float(value),
            };
        }
        self.diagnostics
            .error(span, "a number that is not finite cannot be written as JSON")
            .path(self.path());
        NodeData::Null
    }

    fn add_alias(&mut self, anchor: usize, span: Span) -> Result<(), Diagnostic> {
        let Some(Some(AnchoredNode { node, size })) = self.anchors.get(&anchor) else {
            return Err(Diagnostic::new(span, "an alias cannot be inside the node to which it refers"));
        };
        self.alias_nodes = self.alias_nodes.saturating_add(size.nodes);
        if self.alias_nodes > MAX_ALIAS_NODES {
            let message = format!("the aliases of this file expand to more than {MAX_ALIAS_NODES} nodes");
            return Err(Diagnostic::new(span, message));
        }
        if self.open.len() + size.levels > MAX_DEPTH {
            return Err(nested_too_deeply(span));
        }
        let (node, size) = (Node { span, data: node.data.clone() }, *size);
        self.attach_to_parent(node, 0, size)
    }

    fn start_collection(
        &mut self,
        children: Children,
        style: StructureStyle,
        anchor: usize,
        span: Span,
    ) -> Result<(), Diagnostic> {
        if self.open.len() >= MAX_DEPTH {
            return Err(nested_too_deeply(span));
        }
        self.count_nodes(1, span)?;
        if anchor > 0 {
            self.anchors.insert(anchor, None);
        }
        let is_flow = style == StructureStyle::Flow;
        let size = ExpandedSize { nodes: 1, levels: 1 };
        self.open.push(OpenCollection { span, is_flow, anchor, size, children });
        Ok(())
    }

    fn end_collection(&mut self, span: Span) -> Result<(), Diagnostic> {
        let Some(OpenCollection { span: start, anchor, size, children, .. }) = self.open.pop() else {
            return Ok(());
        };
        let (data, last_child) = match children {
            Children::List(items) => {
                let last = items.last().map(|item| item.span);
                (NodeData::List(items.into_boxed_slice()), last)
            }
            Children::Map { entries, merged, .. } => {
                let last = entries.last().map(|entry| entry.value.span);
                let entries = match self.dialect {
                    Dialect::Core => self.without_duplicates(entries),
                    Dialect::Manifest => self.with_last_values(entries, &merged),
                };
                (NodeData::Map(entries.into_boxed_slice()), last)
            }
        };
        // A block collection has no closing bracket, so its span ends with its last child.
        let end = if span.length > 0 { Some(span) } else { last_child };
        let span = end.map_or(start, |end| start.to(end));
        self.attach_to_parent(Node { data, span }, anchor, size)
    }

    /// Adds a finished node to the innermost open list or map.
    fn attach_to_parent(&mut self, node: Node, anchor: usize, size: ExpandedSize) -> Result<(), Diagnostic> {
        // The parser numbers anchors from 1, and 0 means that there is no anchor.
        if anchor > 0 {
            self.count_nodes(size.nodes, node.span)?;
            self.anchors.insert(anchor, Some(AnchoredNode { node: node.clone(), size }));
        }
        let at_key = self.is_at_key().then(|| self.key(&node));
        if matches!(
            self.open.last(),
            Some(OpenCollection { children: Children::Map { key: PendingKey::Merge, .. }, .. })
        ) {
            let brought = self.merged_entries(node);
            if let Some(OpenCollection {
                children: Children::Map { entries, key, merged }, size: open, ..
            }) = self.open.last_mut()
            {
                *key = PendingKey::None;
                merged.extend(brought.iter().map(|entry| entry.key.span));
                entries.extend(brought);
                open.nodes = open.nodes.saturating_add(size.nodes);
                open.levels = open.levels.max(size.levels);
            }
            return Ok(());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size.nodes = open.size.nodes.saturating_add(size.nodes);
        open.size.levels = open.size.levels.max(size.levels + 1);
        match (&mut open.children, at_key) {
            (Children::List(items), _) => items.push(node),
            (Children::Map { key, .. }, Some(next)) => *key = next,
            (Children::Map { entries, key, .. }, None) => {
                if let PendingKey::Name(name, span) = std::mem::replace(key, PendingKey::None) {
                    let key = Node { data: NodeData::String(name), span };
                    entries.push(MapEntry { key, value: node });
                }
            }
        }
        Ok(())
    }

    /// Converts the node of a key to text. Reports an error if the node is not a valid key.
    fn key(&self, node: &Node) -> PendingKey {
        let name = match (&node.data, self.dialect) {
            (NodeData::String(name), _) => name.clone(),
            (NodeData::Bool(key), Dialect::Manifest) => Text::from(key.to_string()),
            (NodeData::Int(key), Dialect::Manifest) => Text::from(key.to_string()),
            (NodeData::UInt(key), Dialect::Manifest) => Text::from(key.to_string()),
            (key, _) => {
                let message = format!("a key must be a string, not {}", key.describe_type());
                let added = self.diagnostics.error(node.span, message).path(self.path());
                if !matches!(key, NodeData::List(_) | NodeData::Map(_)) {
                    added.help("quote the key to make it a string");
                }
                return PendingKey::Refused;
            }
        };
        PendingKey::Name(name, node.span)
    }

    /// Counts nodes before they are added. Returns an error if the file has too many nodes.
    fn count_nodes(&mut self, count: usize, span: Span) -> Result<(), Diagnostic> {
        self.nodes = self.nodes.saturating_add(count);
        if self.nodes <= self.max_nodes {
            return Ok(());
        }
        let message =
            format!("the file has more than {} keys and values, the maximum for YAML", self.max_nodes);
        let help = "split the file, or write it as JSON, which takes less memory to read";
        Err(Diagnostic { help: Some(help.to_owned()), ..Diagnostic::new(span, message) })
    }

    /// Returns the path of the node that is being read.
    fn path(&self) -> FieldPath {
        let mut path = FieldPath::root();
        for open in &self.open {
            match &open.children {
                Children::List(items) => path.push(PathSegment::Index(items.len())),
                Children::Map { key: PendingKey::Name(name, _), .. } => {
                    path.push(PathSegment::Key(name.clone()));
                }
                Children::Map { .. } => {}
            }
        }
        path
    }
}

fn nested_too_deeply(span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("nested too deeply: at most {MAX_DEPTH} levels are read"))
}
