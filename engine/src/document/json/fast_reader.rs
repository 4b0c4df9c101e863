//! The quick way to read and write documents.
//!
//! Kubernetes documents are short strings in small maps. Through serde each of them costs several calls; read
//! straight into a [`OwnedDoc`] they cost a third of that. This reader takes on only what it is sure of: numbers with
//! a fraction and strings with escapes it leaves to `serde_json`, piece by piece, and a text that it cannot
//! read is read again by `serde_json`, which has the last word and the message.

use super::reader::MAX_DEPTH;
use crate::document::{Doc, Map, OwnedDoc, Text};

/// The document; `None` when it is none, is too deep, or has a key twice.
///
/// Its strings are made from where they stand in the bytes, those without escapes.
pub(in crate::document) fn read<'a, 'd>(
    bytes: &'a [u8],
    string: impl Copy + Fn(&'a str) -> Text<'d>,
) -> Option<Doc<'d>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = Reader { text, bytes, at: 0, lengths: [4; LEVELS], string };
    let mut document = Vec::with_capacity(1);
    reader.value(0, &mut document, |value| value)?;
    reader.space();
    if reader.at == bytes.len() { document.pop() } else { None }
}

/// So many levels have a length of their own; those below share them.
const LEVELS: usize = 16;

struct Reader<'a, S> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// For how much the next list or map of each level gets memory: mostly one is as long as the last.
    lengths: [usize; LEVELS],
    string: S,
}

impl<'a, 'd, S: Copy + Fn(&'a str) -> Text<'d>> Reader<'a, S> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// The next byte that is no white space, without taking it.
    fn next(&mut self) -> Option<u8> {
        self.space();
        self.peek()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    /// Reads a value and appends what is made of it. It is made where it stays: what was just written in pieces is
    /// slow to move.
    fn value<T>(&mut self, depth: usize, to: &mut Vec<T>, item: impl FnOnce(Doc<'d>) -> T) -> Option<()> {
        let string = self.string;
        match self.next()? {
            b'"' => {
                if let Some(text) = self.plain() {
                    append(to, || item(Doc::String(string(text))));
                } else {
                    let text = self.escaped()?;
                    append(to, || item(Doc::String(text)));
                }
            }
            b'{' => {
                let map = self.map(depth + 1)?;
                append(to, || item(Doc::Map(map)));
            }
            b'[' => {
                let list = self.list(depth + 1)?;
                append(to, || item(Doc::List(list)));
            }
            _ => {
                let scalar = self.scalar()?;
                append(to, || item(scalar));
            }
        }
        Some(())
    }

    fn scalar(&mut self) -> Option<Doc<'d>> {
        match self.peek()? {
            b't' => self.word("true", Doc::Bool(true)),
            b'f' => self.word("false", Doc::Bool(false)),
            b'n' => self.word("null", Doc::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Doc<'d>) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.at..)?;
        rest.starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    /// A string without escapes, where it stands; `None`, and nothing taken, when it is none.
    fn plain(&mut self) -> Option<&'a str> {
        let rest = self.bytes.get(self.at..)?;
        let (b'"', rest) = rest.split_first()? else { return None };
        let length = plain_length(rest);
        let start = self.at + 1;
        if *rest.get(length)? != b'"' {
            return None;
        }
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    #[cold]
    fn escaped(&mut self) -> Option<Text<'d>> {
        self.take(b'"')?;
        let start = self.at;
        let rest = self.bytes.get(start..)?;
        let mut length = 0;
        loop {
            match rest.get(length)? {
                b'"' => break,
                b'\\' => length += 2,
                _ => length += 1,
            }
        }
        self.at = start + length + 1;
        serde_json::from_str::<String>(self.text.get(start - 1..self.at)?).ok().map(Text::from)
    }

    fn number(&mut self) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.at..)?;
        let length =
            rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = rest.get(..length)?;
        self.at += length;
        match digits {
            // No sign, no leading zero, and no way to leave 64 bits.
            [b'0'] => Some(Doc::Int(0)),
            [b'1'..=b'9', ..] if length <= 18 && digits.iter().all(u8::is_ascii_digit) => {
                Some(Doc::Int(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))))
            }
            _ => serde_json::from_slice::<OwnedDoc>(digits).ok(),
        }
    }

    /// Takes the bracket that begins a list or a map; false when the next one ends it.
    fn begin(&mut self, depth: usize, end: u8) -> Option<bool> {
        self.at += 1;
        if depth > MAX_DEPTH {
            return None;
        }
        let is_empty = self.next()? == end;
        self.at += usize::from(is_empty);
        Some(!is_empty)
    }

    /// Takes what follows an item; false when that is the end.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let byte = self.next()?;
        self.at += 1;
        (byte == b',' || byte == end).then_some(byte == b',')
    }

    /// Notes the length of a list or map. A short one between long ones is forgotten; after a long one no more memory
    /// than twice its own is given out for nothing.
    fn expect(&mut self, depth: usize, length: usize) {
        let expected = &mut self.lengths[depth % LEVELS];
        *expected = length.max(*expected / 2);
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Doc<'d>>> {
        if !self.begin(depth, b']')? {
            return Some(Vec::new());
        }
        let mut items = Vec::with_capacity(self.lengths[depth % LEVELS]);
        loop {
            self.value(depth, &mut items, |value| value)?;
            if !self.goes_on(b']')? {
                break;
            }
        }
        self.expect(depth, items.len());
        Some(items)
    }

    fn map(&mut self, depth: usize) -> Option<Map<'d>> {
        if !self.begin(depth, b'}')? {
            return Some(Map::new());
        }
        let mut entries = Vec::with_capacity(self.lengths[depth % LEVELS]);
        loop {
            self.space();
            if let Some(key) = self.plain() {
                self.take(b':')?;
                let string = self.string;
                self.value(depth, &mut entries, |value| (string(key), value))?;
            } else {
                let key = self.escaped()?;
                self.take(b':')?;
                self.value(depth, &mut entries, |value| (key, value))?;
            }
            if !self.goes_on(b'}')? {
                break;
            }
        }
        self.expect(depth, entries.len());
        Map::from_entries(entries).ok()
    }
}

/// [`Vec::push`] of what is made only when there is room for it.
fn append<T>(items: &mut Vec<T>, item: impl FnOnce() -> T) {
    items.extend(std::iter::once_with(item));
}

/// How many bytes stand before the first that ends a string, begins an escape or is a control character.
fn plain_length(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks();
    for (index, chunk) in chunks.iter().enumerate() {
        let found = special(u64::from_le_bytes(*chunk));
        if found != 0 {
            return 8 * index + found.trailing_zeros() as usize / 8;
        }
    }
    let in_rest = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f));
    bytes.len() - rest.len() + in_rest.unwrap_or(rest.len())
}

/// Eight bytes at once: the high bit of each that ends a plain string is set, at least up to the first of them.
fn special(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (is_zero(word ^ (ONES * 0x22)) | is_zero(word ^ (ONES * 0x5c)) | control) & HIGH
}

/// Writes a document as compact JSON.
pub(super) fn write(value: &Doc<'_>, out: &mut Vec<u8>) {
    match value {
        Doc::Null => out.extend_from_slice(b"null"),
        Doc::Bool(true) => out.extend_from_slice(b"true"),
        Doc::Bool(false) => out.extend_from_slice(b"false"),
        Doc::String(text) => write_string(text, out),
        Doc::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Doc::Map(map) => {
            out.push(b'{');
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(key, out);
                out.push(b':');
                write(value, out);
            }
            out.push(b'}');
        }
        Doc::Int(_) | Doc::Float(_) => by_serde(value, out),
    }
}

fn write_string(text: &Text<'_>, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    if text.is_plain() || plain_length(bytes) == bytes.len() {
        out.reserve(bytes.len() + 2);
        out.push(b'"');
        out.extend_from_slice(bytes);
        out.push(b'"');
    } else {
        by_serde(text, out);
    }
}

fn by_serde<T: serde::Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Finite numbers and strings are written to memory, which cannot fail.
    let _ = serde_json::to_writer(out, value);
}
