//! The source spans of all nodes of a YAML text, from the events of the parser, and the checks that need the text:
//! tags, merge keys, depth, aliases.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use crate::{Diagnostic, Diagnostics, Span};

/// Maximum nesting depth of a file, with aliases expanded. It is the limit of `serde_yaml`; files with Kubernetes
/// documents are nowhere near it.
pub const MAX_DEPTH: usize = 128;

/// Maximum number of nodes that all aliases of a file expand to. Nodes that are written out cost their author as much as
/// they cost the reader, so only those behind aliases need a limit.
pub const MAX_ALIAS_NODES: usize = 100_000;

/// Maximum number of nodes that a file has: values and the keys of maps, aliases counted once. Each takes some 200 bytes
/// until the document is read, so that this is what bounds the memory: the largest file of values of one digit would
/// otherwise take more than a hundred times its length. The text itself is read up to a length that its reader knows.
pub const MAX_NODES: usize = 250_000;

/// The index of a [`SpanNode`] in [`SpanTree`].
pub(super) type SpanNodeId = usize;

/// The nodes of a text with their spans, without values.
#[derive(Debug, Default)]
pub(super) struct SpanTree {
    nodes: Vec<SpanNode>,
    pub(super) root: Option<SpanNodeId>,
}

/// A node of the [`SpanTree`].
#[derive(Debug)]
pub(super) struct SpanNode {
    pub(super) span: Span,
    pub(super) shape: NodeShape,
}

/// The shape of a node: the part of it that spans depend on.
#[derive(Debug)]
pub(super) enum NodeShape {
    /// A scalar; a plain one has no quotes and no block indicator.
    Scalar {
        is_plain: bool,
    },
    List(Vec<SpanNodeId>),
    /// A map as a flat list: key, value, key, value.
    Map(Vec<SpanNodeId>),
    Alias(SpanNodeId),
}

impl SpanTree {
    pub(super) fn get(&self, id: SpanNodeId) -> Option<&SpanNode> {
        self.nodes.get(id)
    }

    /// Iterates over all nodes in the order of the text.
    pub(super) fn in_source_order(&self) -> impl Iterator<Item = &SpanNode> {
        self.nodes.iter()
    }

    /// Builds the tree of `text`. An error that leaves the shape of the document clear goes to `diagnostics`; any other
    /// is returned.
    pub(super) fn read(text: &str, diagnostics: &Diagnostics) -> Result<SpanTree, Diagnostic> {
        let mut builder = SpanTreeBuilder::new(text, diagnostics);
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            match event {
                Ok((Event::StreamEnd, _)) => break,
                Ok((event, span)) => builder.handle_event(event, builder.span(span))?,
                Err(error) => return Err(builder.scan_error(&error)),
            }
        }
        let root = builder.root.ok_or_else(|| Diagnostic {
            help: Some("nothing but comments or space stands in it".to_owned()),
            ..Diagnostic::new(Span::default(), "the file is empty")
        })?;
        Ok(SpanTree { nodes: builder.nodes, root: Some(root) })
    }
}

/// A list or a map whose end was not reached yet.
struct OpenCollection {
    id: SpanNodeId,
    children: Vec<SpanNodeId>,
    is_map: bool,
    anchor: usize,
    size: ExpandedSize,
}

/// The size of a node with every alias in it expanded.
#[derive(Clone, Copy)]
struct ExpandedSize {
    nodes: usize,
    levels: usize,
}

const SCALAR_SIZE: ExpandedSize = ExpandedSize { nodes: 1, levels: 0 };

/// Builds a [`SpanTree`] from the events of the parser.
struct SpanTreeBuilder<'a> {
    offsets: ByteOffsets<'a>,
    diagnostics: &'a Diagnostics,
    nodes: Vec<SpanNode>,
    open: Vec<OpenCollection>,
    /// Anchored nodes by the number that the parser gives the anchor; the size is missing while the node is open.
    anchors: HashMap<usize, (SpanNodeId, Option<ExpandedSize>)>,
    alias_nodes: usize,
    root: Option<SpanNodeId>,
}

impl<'a> SpanTreeBuilder<'a> {
    fn new(text: &'a str, diagnostics: &'a Diagnostics) -> Self {
        SpanTreeBuilder {
            offsets: ByteOffsets::new(text),
            diagnostics,
            nodes: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            alias_nodes: 0,
            root: None,
        }
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.offsets.byte_offset(span.start);
        Span::new(start, self.offsets.byte_offset(span.end).saturating_sub(start))
    }

    fn handle_event(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err(Diagnostic {
                help: Some("put each document into a file of its own".to_owned()),
                ..Diagnostic::new(span, "a second document begins here; a file holds one")
            }),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
            Event::Alias(anchor) => self.add_alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.report_tag(tag.as_deref(), span);
                let is_plain = style == ScalarStyle::Plain;
                if is_plain && text == "<<" && self.is_at_key() {
                    self.diagnostics
                        .error(span, "merge keys are data here; write it out")
                        .help("quote the key, `\"<<\"`, if it is meant as a key like any other");
                }
                let id = self.add_node(
                    trim_scalar_span(self.offsets.text, span, style),
                    NodeShape::Scalar { is_plain },
                )?;
                self.register_anchor(anchor, id, Some(SCALAR_SIZE));
                self.attach_to_parent(id, SCALAR_SIZE)
            }
            Event::SequenceStart(anchor, tag) => self.start_collection(anchor, tag.as_deref(), span, false),
            Event::MappingStart(anchor, tag) => self.start_collection(anchor, tag.as_deref(), span, true),
            Event::SequenceEnd | Event::MappingEnd => self.end_collection(span),
        }
    }

    fn is_at_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map && open.children.len() % 2 == 0)
    }

    fn report_tag(&self, tag: Option<&Tag>, span: Span) {
        if let Some(tag) = tag {
            self.diagnostics
                .error(span, format!("tags such as `{}` are not supported", tag_text(tag)))
                .help("leave it out; to make a string of a number, quote it");
        }
    }

    fn add_node(&mut self, span: Span, shape: NodeShape) -> Result<SpanNodeId, Diagnostic> {
        if self.nodes.len() >= MAX_NODES {
            let message = format!("the file has more than {MAX_NODES} keys and values in YAML");
            let help = "split it, or write it as JSON, which takes less memory to read";
            return Err(Diagnostic { help: Some(help.to_owned()), ..Diagnostic::new(span, message) });
        }
        self.nodes.push(SpanNode { span, shape });
        Ok(self.nodes.len() - 1)
    }

    fn register_anchor(&mut self, anchor: usize, id: SpanNodeId, size: Option<ExpandedSize>) {
        // The parser numbers anchors from 1; 0 is none.
        if anchor > 0 {
            self.anchors.insert(anchor, (id, size));
        }
    }

    fn add_alias(&mut self, anchor: usize, span: Span) -> Result<(), Diagnostic> {
        let (target, size) = match self.anchors.get(&anchor) {
            Some((target, Some(size))) => (*target, *size),
            Some((_, None)) => {
                return Err(Diagnostic::new(span, "an alias cannot stand inside of what it names"));
            }
            None => return Err(Diagnostic::new(span, "nothing before it has the name of this alias")),
        };
        self.alias_nodes = self.alias_nodes.saturating_add(size.nodes);
        if self.alias_nodes > MAX_ALIAS_NODES {
            let message = format!("the aliases of this file stand for more than {MAX_ALIAS_NODES} nodes");
            return Err(Diagnostic::new(span, message));
        }
        let id = self.add_node(span, NodeShape::Alias(target))?;
        self.attach_to_parent(id, size)
    }

    fn start_collection(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        is_map: bool,
    ) -> Result<(), Diagnostic> {
        self.report_tag(tag, span);
        if self.open.len() >= MAX_DEPTH {
            return Err(nested_too_deeply(span));
        }
        let id = self.add_node(span, NodeShape::Scalar { is_plain: false })?;
        self.register_anchor(anchor, id, None);
        let size = ExpandedSize { nodes: 1, levels: 1 };
        self.open.push(OpenCollection { id, children: Vec::new(), is_map, anchor, size });
        Ok(())
    }

    fn end_collection(&mut self, span: Span) -> Result<(), Diagnostic> {
        let Some(OpenCollection { id, children, is_map, anchor, size }) = self.open.pop() else {
            return Ok(());
        };
        let last_child = children.last().and_then(|child| self.nodes.get(*child)).map(|node| node.span);
        let closing = self.offsets.text.get(span.offset..span.end());
        if let Some(node) = self.nodes.get_mut(id) {
            // A block has no closing mark: it ends with its last child.
            let end = if matches!(closing, Some("]" | "}")) { Some(span) } else { last_child };
            node.span = end.map_or(node.span, |end| node.span.to(end));
            if !is_map {
                node.span = include_first_dash(self.offsets.text, node.span);
            }
            node.shape = if is_map { NodeShape::Map(children) } else { NodeShape::List(children) };
        }
        self.register_anchor(anchor, id, Some(size));
        self.attach_to_parent(id, size)
    }

    /// Adds a finished node to the list or map that is open.
    fn attach_to_parent(&mut self, id: SpanNodeId, size: ExpandedSize) -> Result<(), Diagnostic> {
        let depth = self.open.len();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(id);
            return Ok(());
        };
        open.children.push(id);
        open.size.nodes = open.size.nodes.saturating_add(size.nodes);
        open.size.levels = open.size.levels.max(size.levels + 1);
        // Without aliases this was checked where the list or map began.
        if depth + size.levels > MAX_DEPTH {
            return Err(nested_too_deeply(self.nodes.get(id).map_or_else(Span::default, |node| node.span)));
        }
        Ok(())
    }

    fn scan_error(&self, error: &ScanError) -> Diagnostic {
        let span = Span::new(self.offsets.byte_offset(*error.marker()), 0);
        match error.info() {
            "while parsing node, found unknown anchor" => {
                Diagnostic::new(span, "nothing before it has the name of this alias")
            }
            // The parser looks ahead, and has a limit of its own.
            "recursion limit exceeded" => nested_too_deeply(span),
            info => Diagnostic::new(span, format!("not valid YAML: {info}")),
        }
    }
}

fn nested_too_deeply(span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("nested too deeply: at most {MAX_DEPTH} levels are read"))
}

/// Formats a tag about as its author wrote it.
fn tag_text(tag: &Tag) -> String {
    if tag.is_yaml_core_schema() {
        format!("!!{}", tag.suffix)
    } else {
        format!("{}{}", tag.handle, tag.suffix)
    }
}

/// Trims the span of a scalar: the parser includes the line breaks after a block, and the space and comment after a
/// quoted string.
fn trim_scalar_span(text: &str, span: Span, style: ScalarStyle) -> Span {
    let Some(part) = text.get(span.offset..span.end()) else { return span };
    let quoted = match style {
        ScalarStyle::SingleQuoted => end_of_quoted(part, b'\'', None),
        ScalarStyle::DoubleQuoted => end_of_quoted(part, b'"', Some(b'\\')),
        _ => None,
    };
    Span { length: quoted.unwrap_or(part.trim_end().len()), ..span }
}

/// Finds the end of a quoted string, which an anchor may precede.
fn end_of_quoted(part: &str, quote: u8, escape: Option<u8>) -> Option<usize> {
    let bytes = part.as_bytes();
    let mut i = bytes.iter().position(|byte| *byte == quote)? + 1;
    while let Some(byte) = bytes.get(i) {
        let doubled = escape.is_none() && bytes.get(i + 1) == Some(&quote);
        if Some(*byte) == escape || (*byte == quote && doubled) {
            i += 1;
        } else if *byte == quote {
            return Some(i + 1);
        }
        i += 1;
    }
    None
}

/// Extends the span of a list to its first dash, which the parser leaves out when the list is not indented.
fn include_first_dash(text: &str, span: Span) -> Span {
    let (Some(before), Some(after)) = (text.get(..span.offset), text.get(span.offset..)) else { return span };
    let is_dash =
        after.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    if is_dash || after.starts_with(['[', '&', '!']) {
        return span;
    }
    match before.trim_end().strip_suffix('-') {
        Some(before) => Span::new(before.len(), span.end() - before.len()),
        None => span,
    }
}

/// Converts the positions of the parser, which count characters, to byte offsets.
struct ByteOffsets<'a> {
    text: &'a str,
    /// The offset of every character; empty when every character is one byte.
    starts: Vec<usize>,
}

impl<'a> ByteOffsets<'a> {
    fn new(text: &'a str) -> Self {
        let starts = if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(i, _)| i).collect() };
        ByteOffsets { text, starts }
    }

    fn byte_offset(&self, marker: Marker) -> usize {
        if self.starts.is_empty() {
            marker.index().min(self.text.len())
        } else {
            self.starts.get(marker.index()).copied().unwrap_or(self.text.len())
        }
    }
}
