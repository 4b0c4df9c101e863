//! The pass before the parser: takes out what documents have and Go has not (ellipses, stray backticks), so that
//! each is one clear error and the rest can still be read. Offsets stay as they are: what is taken out becomes
//! spaces.

use super::errors::{GoError, GoErrorKind, Position};

/// The longest Go text that is read, in bytes. The largest `types.go` of Kubernetes has a tenth of it.
pub const MAX_SOURCE: usize = 4 << 20;

/// How deep brackets and types may nest.
pub const MAX_NESTING: usize = 64;

/// A text that the parser can be given, and what was wrong with it.
pub(super) struct Scanned {
    pub(super) text: String,
    pub(super) errors: Vec<GoError>,
    /// False when the text must not be parsed: its size or nesting is beyond the limits.
    pub(super) parseable: bool,
}

pub(super) fn scan(source: &str) -> Scanned {
    if source.len() > MAX_SOURCE {
        let message = format!("the text is longer than {MAX_SOURCE} bytes");
        let error = Position { line: 1, column: 1 }.error(GoErrorKind::TooLarge, message);
        return Scanned { text: String::new(), errors: vec![error], parseable: false };
    }
    let mut scanner = Scanner {
        bytes: source.as_bytes(),
        blank: Vec::new(),
        errors: Vec::new(),
        at: 0,
        line: 1,
        line_start: 0,
        nesting: 0,
        deepest: None,
    };
    scanner.run();
    let parseable = scanner.deepest.is_none();
    let Scanner { blank, errors, .. } = scanner;
    let mut text = source.as_bytes().to_vec();
    for (from, to) in blank {
        text[from..to].fill(b' ');
    }
    // The parser misses some declarations that end with the text and not with their line.
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    // Only whole characters are blanked, so the text stays UTF-8.
    let text = String::from_utf8(text).unwrap_or_default();
    Scanned { text, errors, parseable }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    blank: Vec<(usize, usize)>,
    errors: Vec<GoError>,
    at: usize,
    line: u32,
    line_start: usize,
    nesting: usize,
    deepest: Option<Position>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            // Go allows a byte order mark at the beginning of a file.
            self.blank.push((0, 3));
            self.at = 3;
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.newline(),
                b'/' if self.next_is(b'/') => self.at = self.line_end(),
                b'/' if self.next_is(b'*') => self.block_comment(),
                b'`' => self.raw_string(),
                b'"' | b'\'' => self.quoted(byte),
                b'.' if self.bytes[self.at..].starts_with(b"...") => self.ellipsis(),
                // As UTF-8: the one character that documents use instead of three dots.
                0xE2 if self.bytes[self.at..].starts_with("…".as_bytes()) => self.ellipsis(),
                0 => {
                    self.report(GoErrorKind::Syntax, "a NUL character");
                    self.blank.push((self.at, self.at + 1));
                    self.at += 1;
                }
                b'(' | b'[' | b'{' => self.open(),
                b')' | b']' | b'}' => {
                    self.nesting = self.nesting.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    fn position(&self, at: usize) -> Position {
        Position { line: self.line, column: 1 }.right(at - self.line_start)
    }

    fn report(&mut self, kind: GoErrorKind, message: &str) {
        self.errors.push(self.position(self.at).error(kind, message));
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at + 1) == Some(&byte)
    }

    fn line_end(&self) -> usize {
        self.find(b"\n", self.at)
    }

    /// Where `needle` stands next, or the end of the text.
    fn find(&self, needle: &[u8], from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.windows(needle.len()).position(|w| w == needle).map_or(self.bytes.len(), |i| from + i)
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line = self.line.saturating_add(1);
        self.line_start = self.at;
    }

    /// Moves to `end`, counting lines.
    fn move_to(&mut self, end: usize) {
        while self.at < end {
            if self.bytes[self.at] == b'\n' {
                self.newline();
            } else {
                self.at += 1;
            }
        }
    }

    fn block_comment(&mut self) {
        let close = self.find(b"*/", self.at + 2);
        if close == self.bytes.len() {
            self.report(GoErrorKind::Syntax, "the comment is not closed");
            self.blank.push((self.at, close));
        }
        self.move_to((close + 2).min(self.bytes.len()));
    }

    /// A string or a rune. One that is not closed on its line is left to the parser.
    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at).filter(|&&b| b != b'\n') {
            self.at += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' && self.bytes.get(self.at).is_some_and(|&b| b != b'\n') {
                self.at += 1;
            }
        }
    }

    fn raw_string(&mut self) {
        let start = self.at;
        let close = self.find(b"`", start + 1);
        let end = self.bytes[start..close].iter().position(|&b| b == b'\n').map_or(close, |i| start + i);
        if end < close && self.is_tag(start) {
            let message =
                "the struct tag is not closed on its line: a backtick is missing, or one is too many";
            self.report(GoErrorKind::MalformedTag, message);
            self.blank.push((start, end));
            self.at = end;
            return;
        }
        if close == self.bytes.len() {
            self.report(GoErrorKind::Syntax, "the raw string is not closed: a backtick is missing");
            self.blank.push((start, end));
            self.at = end;
            return;
        }
        self.move_to(close + 1);
        // The retainKeys document prints a tag with two backticks at its end.
        let stray = self.bytes[self.at..].iter().take_while(|&&b| b == b'`').count();
        if stray > 0 && self.is_tag(start) {
            self.report(GoErrorKind::MalformedTag, "a stray backtick after the struct tag: remove it");
            self.blank.push((self.at, self.at + stray));
            self.at += stray;
        }
    }

    /// Whether the raw string that starts here is a struct tag: a value would stand after an operator, a bracket
    /// or a keyword at the end of what precedes it on its line.
    fn is_tag(&self, start: usize) -> bool {
        let before = self.bytes[self.line_start.min(start)..start].trim_ascii_end();
        !before.is_empty() && !matches!(before.last(), Some(b'=' | b'(' | b',' | b'+' | b':' | b'{' | b'['))
    }

    fn ellipsis(&mut self) {
        let from = self.at;
        self.at += 3;
        // `[...]T` and `f(xs...)` are Go; inside a struct or between declarations three dots are not.
        let before = self.bytes[..from].trim_ascii_end().last();
        let after = self.bytes[self.at..].trim_ascii_start().first();
        if matches!((before, after), (Some(b'['), Some(b']')) | (_, Some(b')'))) {
            return;
        }
        let message =
            "an ellipsis stands for fields that the document left out: remove it, or write the fields";
        self.errors.push(self.position(from).error(GoErrorKind::Ellipsis, message));
        self.blank.push((from, self.at));
    }

    fn open(&mut self) {
        self.nesting += 1;
        if self.nesting > MAX_NESTING && self.deepest.is_none() {
            let at = self.position(self.at);
            self.deepest = Some(at);
            let message = format!("brackets nest deeper than {MAX_NESTING} levels");
            self.errors.push(at.error(GoErrorKind::TooDeep, message));
        }
        self.at += 1;
    }
}
