//! A fast JSON reader for the usual case.
//!
//! Kubernetes documents are short strings in small maps. Through serde, each of them costs several calls; read
//! straight into a [`Doc`] they cost a third of that. This reader handles only the simple syntax itself. Numbers with
//! a fraction and strings with escapes go to `serde_json`, piece by piece. A text that this reader rejects is read
//! again by `serde_json`, which decides whether it is valid and words the error.

use super::depth_limit::MAX_DEPTH;
use super::escapes::escape_free_prefix_length;
use crate::document::{Doc, Map, OwnedDoc, Text};

/// Reads a document. Returns `None` if the text is not valid JSON, is too deep, or has a key twice in one object.
///
/// `make_text` turns each string without escapes, which is a slice of the input, into the text of the document.
pub(in crate::document) fn read<'a, 'd>(
    bytes: &'a [u8],
    make_text: impl Copy + Fn(&'a str) -> Text<'d>,
) -> Option<Doc<'d>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = Reader { text, bytes, position: 0, expected_lengths: [4; TRACKED_LEVELS], make_text };
    let mut document = Vec::with_capacity(1);
    reader.read_value(0, &mut document, |value| value)?;
    reader.skip_whitespace();
    if reader.position == bytes.len() { document.pop() } else { None }
}

/// Number of nesting levels with an expected length of their own; deeper levels share these.
const TRACKED_LEVELS: usize = 16;

struct Reader<'a, S> {
    text: &'a str,
    bytes: &'a [u8],
    /// Index of the next byte to read.
    position: usize,
    /// Initial capacity of the next list or map of each level: it is usually as long as the one before.
    expected_lengths: [usize; TRACKED_LEVELS],
    make_text: S,
}

impl<'a, 'd, S: Copy + Fn(&'a str) -> Text<'d>> Reader<'a, S> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.position += 1;
        }
    }

    /// Returns the next byte after white space, without consuming it.
    fn peek_token(&mut self) -> Option<u8> {
        self.skip_whitespace();
        self.peek()
    }

    fn expect_byte(&mut self, byte: u8) -> Option<()> {
        (self.peek_token()? == byte).then(|| self.position += 1)
    }

    /// Reads a value, converts it with `item`, and appends the result to `to`. The result is built in its final
    /// location, because moving a value right after it was written in pieces is slow.
    fn read_value<T>(
        &mut self,
        depth: usize,
        to: &mut Vec<T>,
        item: impl FnOnce(Doc<'d>) -> T,
    ) -> Option<()> {
        let make_text = self.make_text;
        match self.peek_token()? {
            b'"' => {
                if let Some(text) = self.read_escape_free_string() {
                    push_with(to, || item(Doc::String(make_text(text))));
                } else {
                    let text = self.read_escaped_string()?;
                    push_with(to, || item(Doc::String(text)));
                }
            }
            b'{' => {
                let map = self.read_map(depth + 1)?;
                push_with(to, || item(Doc::Map(map)));
            }
            b'[' => {
                let list = self.read_list(depth + 1)?;
                push_with(to, || item(Doc::List(list)));
            }
            _ => {
                let scalar = self.read_scalar()?;
                push_with(to, || item(scalar));
            }
        }
        Some(())
    }

    fn read_scalar(&mut self) -> Option<Doc<'d>> {
        match self.peek()? {
            b't' => self.read_literal("true", Doc::Bool(true)),
            b'f' => self.read_literal("false", Doc::Bool(false)),
            b'n' => self.read_literal("null", Doc::Null),
            _ => self.read_number(),
        }
    }

    fn read_literal(&mut self, literal: &str, value: Doc<'d>) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.position..)?;
        rest.starts_with(literal.as_bytes()).then(|| {
            self.position += literal.len();
            value
        })
    }

    /// Reads a string without escapes as a slice of the input. Returns `None` and consumes nothing if there is none.
    fn read_escape_free_string(&mut self) -> Option<&'a str> {
        let rest = self.bytes.get(self.position..)?;
        let (b'"', rest) = rest.split_first()? else { return None };
        let length = escape_free_prefix_length(rest);
        let start = self.position + 1;
        if *rest.get(length)? != b'"' {
            return None;
        }
        self.position = start + length + 1;
        self.text.get(start..start + length)
    }

    #[cold]
    fn read_escaped_string(&mut self) -> Option<Text<'d>> {
        self.expect_byte(b'"')?;
        let start = self.position;
        let rest = self.bytes.get(start..)?;
        let mut length = 0;
        loop {
            match rest.get(length)? {
                b'"' => break,
                b'\\' => length += 2,
                _ => length += 1,
            }
        }
        self.position = start + length + 1;
        serde_json::from_str::<String>(self.text.get(start - 1..self.position)?).ok().map(Text::from)
    }

    fn read_number(&mut self) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.position..)?;
        let length =
            rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = rest.get(..length)?;
        self.position += length;
        match digits {
            // No sign, no leading zero, and no way to leave 64 bits.
            [b'0'] => Some(Doc::Int(0)),
            [b'1'..=b'9', ..] if length <= 18 && digits.iter().all(u8::is_ascii_digit) => {
                Some(Doc::Int(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))))
            }
            _ => serde_json::from_slice::<OwnedDoc>(digits).ok(),
        }
    }

    /// Consumes the opening bracket of a list or a map. Returns false, and consumes the closing one too, if it is
    /// empty.
    fn open_bracket(&mut self, depth: usize, closing: u8) -> Option<bool> {
        self.position += 1;
        if depth > MAX_DEPTH {
            return None;
        }
        let is_empty = self.peek_token()? == closing;
        self.position += usize::from(is_empty);
        Some(!is_empty)
    }

    /// Consumes what follows an item: true for a comma, false for the closing bracket.
    fn read_separator(&mut self, closing: u8) -> Option<bool> {
        let byte = self.peek_token()?;
        self.position += 1;
        (byte == b',' || byte == closing).then_some(byte == b',')
    }

    /// Records the length of a list or map as the expected length of the next one at this level. The expectation
    /// falls by at most a half, so that one short list between long ones does not matter.
    fn record_length(&mut self, depth: usize, length: usize) {
        let expected = &mut self.expected_lengths[depth % TRACKED_LEVELS];
        *expected = length.max(*expected / 2);
    }

    fn read_list(&mut self, depth: usize) -> Option<Vec<Doc<'d>>> {
        if !self.open_bracket(depth, b']')? {
            return Some(Vec::new());
        }
        let mut items = Vec::with_capacity(self.expected_lengths[depth % TRACKED_LEVELS]);
        loop {
            self.read_value(depth, &mut items, |value| value)?;
            if !self.read_separator(b']')? {
                break;
            }
        }
        self.record_length(depth, items.len());
        Some(items)
    }

    fn read_map(&mut self, depth: usize) -> Option<Map<'d>> {
        if !self.open_bracket(depth, b'}')? {
            return Some(Map::new());
        }
        let mut entries = Vec::with_capacity(self.expected_lengths[depth % TRACKED_LEVELS]);
        loop {
            self.skip_whitespace();
            if let Some(key) = self.read_escape_free_string() {
                self.expect_byte(b':')?;
                let make_text = self.make_text;
                self.read_value(depth, &mut entries, |value| (make_text(key), value))?;
            } else {
                let key = self.read_escaped_string()?;
                self.expect_byte(b':')?;
                self.read_value(depth, &mut entries, |value| (key, value))?;
            }
            if !self.read_separator(b'}')? {
                break;
            }
        }
        self.record_length(depth, entries.len());
        Map::from_entries(entries).ok()
    }
}

/// Pushes an item that is built after the vector has room for it.
fn push_with<T>(items: &mut Vec<T>, item: impl FnOnce() -> T) {
    items.extend(std::iter::once_with(item));
}
