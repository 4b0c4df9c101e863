//! Parses Go text into a syntax tree.
//!
//! Before parsing, a scan removes text that occurs in design documents but is not Go, such as ellipses and stray
//! backticks. Each of them causes one clear error, and the rest can still be read. The scan replaces removed text by
//! spaces, so that offsets do not change.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::errors::{GoError, GoErrorKind, Position};

/// Maximum length of a Go text, in bytes. The largest `types.go` of Kubernetes has a tenth of this length.
pub const MAX_SOURCE: usize = 4 << 20;

/// Maximum nesting of brackets and types.
pub const MAX_NESTING: usize = 64;

/// A text without the parts that the scan removed, and the errors about these parts.
pub(super) struct ScannedText {
    pub(super) text: String,
    pub(super) errors: Vec<GoError>,
    /// Whether the text can be parsed. False if its size or nesting exceeds the limits.
    pub(super) is_parseable: bool,
}

/// Scans a text before it is parsed.
pub(super) fn scan(source: &str) -> ScannedText {
    if source.len() > MAX_SOURCE {
        let message = format!("the text is longer than {MAX_SOURCE} bytes");
        let error = Position { line: 1, column: 1 }.error(GoErrorKind::TooLarge, message);
        return ScannedText { text: String::new(), errors: vec![error], is_parseable: false };
    }
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        blanked: Vec::new(),
        errors: Vec::new(),
        offset: 0,
        line: 1,
        line_start: 0,
        nesting: 0,
        too_deep: None,
    };
    scanner.run();
    let is_parseable = scanner.too_deep.is_none();
    let Scanner { blanked, errors, .. } = scanner;
    let mut text = source.as_bytes().to_vec();
    for (from, to) in blanked {
        text[from..to].fill(b' ');
    }
    // The parser misses some declarations at the end of a text without a final line break.
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    // Only whole characters are replaced by spaces, so that the text remains valid UTF-8.
    let text = String::from_utf8(text).unwrap_or_default();
    ScannedText { text, errors, is_parseable }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    /// The byte ranges that are replaced by spaces.
    blanked: Vec<(usize, usize)>,
    errors: Vec<GoError>,
    /// The offset of the next byte to scan.
    offset: usize,
    line: u32,
    line_start: usize,
    nesting: usize,
    /// The first bracket beyond [`MAX_NESTING`].
    too_deep: Option<Position>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            // Go allows a byte order mark at the beginning of a file.
            self.blanked.push((0, 3));
            self.offset = 3;
        }
        while let Some(&byte) = self.bytes.get(self.offset) {
            match byte {
                b'\n' => self.advance_line(),
                b'/' if self.is_next(b'/') => self.offset = self.line_end(),
                b'/' if self.is_next(b'*') => self.skip_block_comment(),
                b'`' => self.scan_raw_string(),
                b'"' | b'\'' => self.skip_quoted(byte),
                b'.' if self.bytes[self.offset..].starts_with(b"...") => self.scan_ellipsis(),
                // The first byte of the character `…`, which some documents use instead of three dots.
                0xE2 if self.bytes[self.offset..].starts_with("…".as_bytes()) => self.scan_ellipsis(),
                0 => {
                    self.report(GoErrorKind::Syntax, "a NUL character");
                    self.blanked.push((self.offset, self.offset + 1));
                    self.offset += 1;
                }
                b'(' | b'[' | b'{' => self.open_bracket(),
                b')' | b']' | b'}' => {
                    self.nesting = self.nesting.saturating_sub(1);
                    self.offset += 1;
                }
                _ => self.offset += 1,
            }
        }
    }

    fn position(&self, offset: usize) -> Position {
        Position { line: self.line, column: 1 }.plus_bytes(offset - self.line_start)
    }

    fn report(&mut self, kind: GoErrorKind, message: &str) {
        self.errors.push(self.position(self.offset).error(kind, message));
    }

    fn is_next(&self, byte: u8) -> bool {
        self.bytes.get(self.offset + 1) == Some(&byte)
    }

    fn line_end(&self) -> usize {
        self.find(b"\n", self.offset)
    }

    /// Returns the offset of the next occurrence of `needle`, or the length of the text if there is none.
    fn find(&self, needle: &[u8], from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.windows(needle.len()).position(|w| w == needle).map_or(self.bytes.len(), |i| from + i)
    }

    fn advance_line(&mut self) {
        self.offset += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.offset;
    }

    fn advance_to(&mut self, end: usize) {
        while self.offset < end {
            if self.bytes[self.offset] == b'\n' {
                self.advance_line();
            } else {
                self.offset += 1;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let close = self.find(b"*/", self.offset + 2);
        if close == self.bytes.len() {
            self.report(GoErrorKind::Syntax, "the comment is not closed");
            self.blanked.push((self.offset, close));
        }
        self.advance_to((close + 2).min(self.bytes.len()));
    }

    /// Skips a string or a rune. If it is not closed on its line, the parser reports it.
    fn skip_quoted(&mut self, quote: u8) {
        self.offset += 1;
        while let Some(&byte) = self.bytes.get(self.offset).filter(|&&b| b != b'\n') {
            self.offset += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' && self.bytes.get(self.offset).is_some_and(|&b| b != b'\n') {
                self.offset += 1;
            }
        }
    }

    fn scan_raw_string(&mut self) {
        let start = self.offset;
        let close = self.find(b"`", start + 1);
        let end = self.bytes[start..close].iter().position(|&b| b == b'\n').map_or(close, |i| start + i);
        if end < close && self.is_struct_tag(start) {
            let message =
                "the struct tag is not closed on its line: a backtick is missing, or one is too many";
            self.report(GoErrorKind::MalformedTag, message);
            self.blanked.push((start, end));
            self.offset = end;
            return;
        }
        if close == self.bytes.len() {
            self.report(GoErrorKind::Syntax, "the raw string is not closed: a backtick is missing");
            self.blanked.push((start, end));
            self.offset = end;
            return;
        }
        self.advance_to(close + 1);
        // The document retain-keys.md has a tag that ends with two backticks.
        let stray = self.bytes[self.offset..].iter().take_while(|&&b| b == b'`').count();
        if stray > 0 && self.is_struct_tag(start) {
            self.report(GoErrorKind::MalformedTag, "a stray backtick after the struct tag: remove it");
            self.blanked.push((self.offset, self.offset + stray));
            self.offset += stray;
        }
    }

    /// Returns true if the raw string that starts here is a struct tag. Returns false if the text before it on the same
    /// line ends with an operator, a bracket or a keyword, because the raw string is then a value.
    fn is_struct_tag(&self, start: usize) -> bool {
        let before = self.bytes[self.line_start.min(start)..start].trim_ascii_end();
        !before.is_empty() && !matches!(before.last(), Some(b'=' | b'(' | b',' | b'+' | b':' | b'{' | b'['))
    }

    fn scan_ellipsis(&mut self) {
        let from = self.offset;
        self.offset += 3;
        // Three dots are Go in `[...]T` and `f(xs...)`, but not inside a struct or between declarations.
        let before = self.bytes[..from].trim_ascii_end().last();
        let after = self.bytes[self.offset..].trim_ascii_start().first();
        if matches!((before, after), (Some(b'['), Some(b']')) | (_, Some(b')'))) {
            return;
        }
        let message = "expected fields, found an ellipsis: remove it, or write the fields";
        self.errors.push(self.position(from).error(GoErrorKind::Ellipsis, message));
        self.blanked.push((from, self.offset));
    }

    fn open_bracket(&mut self) {
        self.nesting += 1;
        if self.nesting > MAX_NESTING && self.too_deep.is_none() {
            let position = self.position(self.offset);
            self.too_deep = Some(position);
            let message = format!("brackets nest deeper than {MAX_NESTING} levels");
            self.errors.push(position.error(GoErrorKind::TooDeep, message));
        }
        self.offset += 1;
    }
}

/// Maximum number of calls of the parser's progress callback per byte of source. Ordinary Go text needs a small
/// fraction of these calls. The limit stops the parser on text that is designed to make it slow.
const PROGRESS_CALLS_PER_BYTE: usize = 4;
/// Number of calls of the progress callback that every text can use, in addition to the calls per byte.
const BASE_PROGRESS_CALLS: usize = 10_000;

/// Returns the position of a node's first byte.
pub(super) fn position_of(node: Node<'_>) -> Position {
    let start = node.start_position();
    let from_one = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    Position { line: from_one(start.row), column: from_one(start.column) }
}

/// Returns the position after the last byte of a text.
pub(super) fn end_of(text: &str) -> Position {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let breaks = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    Position { line: breaks.saturating_add(1), column: 1 }.plus_bytes(text.len() - start)
}

/// Returns the text of a node.
pub(super) fn text_of<'s>(source: &'s str, node: Node<'_>) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Returns all children of a node, including comments and punctuation. Uses a cursor, because access to the n-th child
/// takes linear time.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// Returns the first named child that is not a comment. For `(T)` and `*T`, this is the inner type `T`.
pub(super) fn inner_node(node: Node<'_>) -> Option<Node<'_>> {
    node.named_children(&mut node.walk()).find(|child| !child.is_extra())
}

/// Parses Go text. Returns `None` if the parser exceeds the limit of progress calls.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    let mut calls_left =
        BASE_PROGRESS_CALLS.saturating_add(text.len().saturating_mul(PROGRESS_CALLS_PER_BYTE));
    let mut progress = |_: &tree_sitter::ParseState| {
        calls_left = calls_left.saturating_sub(1);
        if calls_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Walks the whole tree in source order, without recursion. `enter` is called for each node, and returns true if the
/// children of the node are to be visited too.
pub(super) fn walk<'t>(root: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    loop {
        if enter(cursor.node()) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Reports the parts of a tree that are not Go: text that the parser skipped, and nodes that it inserted.
pub(super) fn report_syntax_errors(root: Node<'_>, text: &str, errors: &mut Vec<GoError>) {
    walk(root, |node| {
        if node.is_missing() {
            let message = format!("`{}` is missing here", node.kind());
            errors.push(position_of(node).error(GoErrorKind::Syntax, message));
        } else if node.is_error() {
            let broken = first_broken_child(node);
            let rest = text.get(broken.start_byte()..node.end_byte()).unwrap_or_default();
            errors.push(position_of(broken).error(GoErrorKind::Syntax, not_go_message(rest)));
            return false;
        }
        node.has_error()
    });
}

/// Returns the first child of an error node that is not a complete declaration. The parser may put complete
/// declarations into an error node that begins before the error.
fn first_broken_child(error: Node<'_>) -> Node<'_> {
    let complete = |node: &Node<'_>| {
        let whole =
            node.kind().ends_with("_declaration") || matches!(node.kind(), "package_clause" | "comment");
        (whole && !node.has_error()) || matches!(node.kind(), "\n" | ";")
    };
    children(error).into_iter().find(|node| !complete(node)).unwrap_or(error)
}

fn not_go_message(text: &str) -> String {
    const MAX_QUOTED: usize = 40;
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("this is not a Go declaration: `{}…`", &line[..end]),
        None if line.is_empty() => "the Go declaration breaks off here".to_owned(),
        None => format!("this is not a Go declaration: `{line}`"),
    }
}
