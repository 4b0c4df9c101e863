//! Where the nodes of a text stand, and the checks that only the text can answer.

use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::{Diagnostic, Diagnostics, Span};

/// How deep a file may nest, aliases followed. It is what `serde_yaml` reads at most; files in which documents
/// stand are nowhere near.
pub const MAX_DEPTH: usize = 128;

/// How many nodes all aliases of a file together may stand for. Written nodes cost their author what they cost
/// us, so that only those behind aliases need a limit.
pub const MAX_ALIAS_NODES: usize = 100_000;

/// The index of a [`Place`] in [`Places`].
pub(super) type PlaceId = usize;

/// Every node of a text by position.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: Vec<Place>,
    pub(super) root: Option<PlaceId>,
}

/// One node.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) span: Span,
    pub(super) shape: Shape,
}

/// What a node is, as far as positions go.
#[derive(Debug)]
pub(super) enum Shape {
    /// `true` when it stands there without quotes and signs.
    Scalar(bool),
    List(Vec<PlaceId>),
    /// Keys and values in turn.
    Map(Vec<PlaceId>),
    Alias(PlaceId),
}

impl Places {
    pub(super) fn get(&self, id: PlaceId) -> Option<&Place> {
        self.all.get(id)
    }

    /// All nodes, in the order of the text.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Place> {
        self.all.iter()
    }

    /// Reads the positions of `text`. What is wrong but leaves the shape clear goes to `diagnostics`; anything
    /// else is the error.
    pub(super) fn read(text: &str, diagnostics: &Diagnostics) -> Result<Places, Diagnostic> {
        let mut reader = Reader::new(text, diagnostics);
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            match event {
                Ok((Event::StreamEnd, _)) => break,
                Ok((event, span)) => reader.event(event, reader.span(span))?,
                Err(error) => return Err(reader.scan_error(&error)),
            }
        }
        let root = reader.root.ok_or_else(|| Diagnostic {
            help: Some("nothing but comments or space stands in it".to_owned()),
            ..Diagnostic::new(Span::default(), "the file is empty")
        })?;
        Ok(Places { all: reader.all, root: Some(root) })
    }
}

/// A list or a map that is not finished.
struct Open {
    id: PlaceId,
    children: Vec<PlaceId>,
    is_map: bool,
    anchor: usize,
    weight: Weight,
}

/// What a node holds when every alias in it is followed.
#[derive(Clone, Copy)]
struct Weight {
    nodes: usize,
    levels: usize,
}

const SCALAR: Weight = Weight { nodes: 1, levels: 0 };

struct Reader<'a> {
    offsets: Offsets<'a>,
    diagnostics: &'a Diagnostics,
    all: Vec<Place>,
    open: Vec<Open>,
    /// By the parser's number; the weight is missing while the node is open.
    anchors: HashMap<usize, (PlaceId, Option<Weight>)>,
    alias_nodes: usize,
    root: Option<PlaceId>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, diagnostics: &'a Diagnostics) -> Self {
        Reader {
            offsets: Offsets::new(text),
            diagnostics,
            all: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            alias_nodes: 0,
            root: None,
        }
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.offsets.at(span.start);
        Span::new(start, self.offsets.at(span.end).saturating_sub(start))
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
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
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), span);
                let plain = style == ScalarStyle::Plain;
                if plain && text == "<<" && self.expects_key() {
                    self.diagnostics
                        .error(span, "merge keys are data here; write it out")
                        .help("quote the key, `\"<<\"`, if it is meant as a key like any other");
                }
                let id = self.add(trimmed(self.offsets.text, span, style), Shape::Scalar(plain));
                self.remember(anchor, id, Some(SCALAR));
                self.child(id, SCALAR)
            }
            Event::SequenceStart(anchor, tag) => self.start(anchor, tag.as_deref(), span, false),
            Event::MappingStart(anchor, tag) => self.start(anchor, tag.as_deref(), span, true),
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
        }
    }

    fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_map && open.children.len().is_multiple_of(2))
    }

    fn refuse_tag(&self, tag: Option<&Tag>, span: Span) {
        if let Some(tag) = tag {
            self.diagnostics
                .error(span, format!("tags such as `{}` are not supported", written(tag)))
                .help("leave it out; to make a string of a number, quote it");
        }
    }

    fn add(&mut self, span: Span, shape: Shape) -> PlaceId {
        self.all.push(Place { span, shape });
        self.all.len() - 1
    }

    fn remember(&mut self, anchor: usize, id: PlaceId, weight: Option<Weight>) {
        // The parser numbers anchors from 1; 0 is none.
        if anchor > 0 {
            self.anchors.insert(anchor, (id, weight));
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Diagnostic> {
        let (target, weight) = match self.anchors.get(&anchor) {
            Some((target, Some(weight))) => (*target, *weight),
            Some((_, None)) => {
                return Err(Diagnostic::new(span, "an alias cannot stand inside of what it names"));
            }
            None => return Err(Diagnostic::new(span, "nothing before it has the name of this alias")),
        };
        self.alias_nodes = self.alias_nodes.saturating_add(weight.nodes);
        if self.alias_nodes > MAX_ALIAS_NODES {
            let message = format!("the aliases of this file stand for more than {MAX_ALIAS_NODES} nodes");
            return Err(Diagnostic::new(span, message));
        }
        let id = self.add(span, Shape::Alias(target));
        self.child(id, weight)
    }

    fn start(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        is_map: bool,
    ) -> Result<(), Diagnostic> {
        self.refuse_tag(tag, span);
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(span));
        }
        let id = self.add(span, Shape::Scalar(false));
        self.remember(anchor, id, None);
        let weight = Weight { nodes: 1, levels: 1 };
        self.open.push(Open { id, children: Vec::new(), is_map, anchor, weight });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Diagnostic> {
        let Some(Open { id, children, is_map, anchor, weight }) = self.open.pop() else {
            return Ok(());
        };
        let last = children.last().and_then(|child| self.all.get(*child)).map(|place| place.span);
        let closing = self.offsets.text.get(span.offset..span.end());
        if let Some(place) = self.all.get_mut(id) {
            // A block has no closing mark: it ends with its last child.
            let end = if matches!(closing, Some("]" | "}")) { Some(span) } else { last };
            place.span = end.map_or(place.span, |end| place.span.to(end));
            if !is_map {
                place.span = with_dash(self.offsets.text, place.span);
            }
            place.shape = if is_map { Shape::Map(children) } else { Shape::List(children) };
        }
        self.remember(anchor, id, Some(weight));
        self.child(id, weight)
    }

    /// Hangs a finished node into what holds it.
    fn child(&mut self, id: PlaceId, weight: Weight) -> Result<(), Diagnostic> {
        let depth = self.open.len();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(id);
            return Ok(());
        };
        open.children.push(id);
        open.weight.nodes = open.weight.nodes.saturating_add(weight.nodes);
        open.weight.levels = open.weight.levels.max(weight.levels + 1);
        // Without aliases this was checked where the list or map began.
        if depth + weight.levels > MAX_DEPTH {
            return Err(too_deep(self.all.get(id).map_or_else(Span::default, |place| place.span)));
        }
        Ok(())
    }

    fn scan_error(&self, error: &ScanError) -> Diagnostic {
        let span = Span::new(self.offsets.at(*error.marker()), 0);
        match error.info() {
            "while parsing node, found unknown anchor" => {
                Diagnostic::new(span, "nothing before it has the name of this alias")
            }
            // The parser looks ahead, and has a limit of its own.
            "recursion limit exceeded" => too_deep(span),
            info => Diagnostic::new(span, format!("not valid YAML: {info}")),
        }
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("nested too deeply: at most {MAX_DEPTH} levels are read"))
}

/// A tag as its author wrote it, more or less.
fn written(tag: &Tag) -> String {
    if tag.is_yaml_core_schema() {
        format!("!!{}", tag.suffix)
    } else {
        format!("{}{}", tag.handle, tag.suffix)
    }
}

/// The span of a scalar without what the parser counts to it: the line breaks behind a block, and the space
/// and comment behind a quoted string.
fn trimmed(text: &str, span: Span, style: ScalarStyle) -> Span {
    let Some(part) = text.get(span.offset..span.end()) else { return span };
    let quoted = match style {
        ScalarStyle::SingleQuoted => quoted_end(part, b'\'', None),
        ScalarStyle::DoubleQuoted => quoted_end(part, b'"', Some(b'\\')),
        _ => None,
    };
    Span { length: quoted.unwrap_or(part.trim_end().len()), ..span }
}

/// Where a quoted string ends; an anchor may stand before it.
fn quoted_end(part: &str, quote: u8, escape: Option<u8>) -> Option<usize> {
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

/// The span of a list with its first dash, which the parser leaves out when the list isn't indented.
fn with_dash(text: &str, span: Span) -> Span {
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

/// From the parser's positions, which count characters, to byte offsets.
struct Offsets<'a> {
    text: &'a str,
    /// The offset of every character; empty when every character is one byte.
    starts: Vec<usize>,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        let starts = if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(i, _)| i).collect() };
        Offsets { text, starts }
    }

    fn at(&self, marker: Marker) -> usize {
        if self.starts.is_empty() {
            marker.index().min(self.text.len())
        } else {
            self.starts.get(marker.index()).copied().unwrap_or(self.text.len())
        }
    }
}
