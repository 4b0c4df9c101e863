//! The JSON reader.
//!
//! Kubernetes documents consist mostly of short strings in small maps. Reading them directly into a [`Doc`] takes a
//! third of the time that serde needs, because serde makes several calls per value.
//!
//! The reader agrees with `encoding/json` as Kubernetes uses it. For example, `-0` is the integer 0, and a lone
//! surrogate becomes U+FFFD. It deliberately refuses three things that Go accepts: duplicate keys (except in
//! [`from_json_with_duplicate_keys`](super::from_json_with_duplicate_keys)), invalid UTF-8, and nesting beyond [`MAX_DEPTH`].

use super::error::{JsonError, JsonProblem, MAX_DEPTH, max_nodes};
use super::scalars::{escape_free_prefix_length, is_json_integer, shorten_number};
use crate::document::arena::{PushWith, all_borrowed};
use crate::document::map::{Entry, sort_entries};
use crate::document::{Arena, Doc, Map, Text};

/// The treatment of a key that occurs several times in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DuplicateKeys {
    #[default]
    Refuse,
    LastCounts,
}

#[derive(Clone, Copy, Default)]
pub(super) struct ReaderOptions<'d> {
    pub(super) duplicate_keys: DuplicateKeys,
    /// The arena for maps and strings that own no memory. Without an arena, every map owns its entries.
    pub(super) arena: Option<&'d Arena>,
}

/// Reads a document. `make_text` borrows or copies each string that has no escapes.
pub(super) fn read<'a, 'd>(
    bytes: &'a [u8],
    make_text: impl Copy + Fn(&'a str) -> Text<'d>,
    options: ReaderOptions<'d>,
) -> Result<Doc<'d>, JsonError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonError::new(JsonProblem::InvalidUtf8, bytes, error.valid_up_to(), 1))?;
    let mut reader = Reader::new(text, make_text, options);
    let mut document = Vec::with_capacity(1);
    let read = reader.read_value(0, &mut document, |value| value);
    reader.skip_whitespace();
    match document.pop() {
        Some(document) if read.is_some() && reader.position == bytes.len() => Ok(document),
        _ => Err(match reader.failure {
            Some(failure) => JsonError::new(failure.problem, bytes, failure.offset, failure.length),
            None => JsonError::of_syntax(bytes, reader.position),
        }),
    }
}

/// Number of nesting levels with separate expected lengths. Level n shares its expected length with level n + 16.
const TRACKED_LEVELS: usize = 16;

/// Number of expected lengths of lists. Lists that share one differ in their level or the first byte of their key.
const TRACKED_LISTS: usize = 32;

struct Reader<'a, 'd, S> {
    text: &'a str,
    bytes: &'a [u8],
    /// Index of the next byte to read.
    position: usize,
    /// Initial capacity of the next map on each level. A map is usually as long as the previous one.
    expected_map_lengths: [usize; TRACKED_LEVELS],
    /// Initial capacity of the next list, by [`Reader::list_slot`]. A list is usually as long as the previous one with
    /// the same key.
    expected_list_lengths: [usize; TRACKED_LISTS],
    /// The index of the last key that was read.
    key_position: usize,
    /// Number of values that may still be read.
    nodes_left: usize,
    make_text: S,
    options: ReaderOptions<'d>,
    /// Memory for the string that is being read, if it has escapes.
    unescaped: String,
    /// The reason for which a method returned `None`, unless the text is not JSON at all.
    failure: Option<Failure>,
}

/// An error in text that is syntactically valid JSON, with its range.
struct Failure {
    problem: JsonProblem,
    offset: usize,
    length: usize,
}

impl<'a, 'd, S: Copy + Fn(&'a str) -> Text<'d>> Reader<'a, 'd, S> {
    fn new(text: &'a str, make_text: S, options: ReaderOptions<'d>) -> Self {
        Reader {
            text,
            bytes: text.as_bytes(),
            position: 0,
            expected_map_lengths: [4; TRACKED_LEVELS],
            expected_list_lengths: [4; TRACKED_LISTS],
            key_position: 0,
            nodes_left: max_nodes(text.len()),
            make_text,
            options,
            unescaped: String::new(),
            failure: None,
        }
    }

    /// Records an error in text that is syntactically valid JSON. Always returns `None`.
    #[cold]
    fn fail<T>(&mut self, problem: JsonProblem, offset: usize, length: usize) -> Option<T> {
        self.failure = Some(Failure { problem, offset, length });
        None
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.position += 1;
        }
    }

    /// Skips white space and returns the next byte without consuming it.
    fn peek_token(&mut self) -> Option<u8> {
        self.skip_whitespace();
        self.peek()
    }

    fn expect_byte(&mut self, byte: u8) -> Option<()> {
        (self.peek_token()? == byte).then(|| self.position += 1)
    }

    /// Reads a value, converts it with `item`, and appends the result to `to`.
    ///
    /// The result is constructed directly in the vector. Copying a value right after its fields were written one by one
    /// would cause store-forwarding stalls in the processor.
    fn read_value<T>(
        &mut self,
        depth: usize,
        to: &mut impl PushWith<T>,
        item: impl FnOnce(Doc<'d>) -> T,
    ) -> Option<()> {
        let make_text = self.make_text;
        let first = self.peek_token()?;
        if self.nodes_left == 0 {
            return self.fail(JsonProblem::TooManyNodes(max_nodes(self.text.len())), self.position, 0);
        }
        self.nodes_left -= 1;
        match first {
            b'"' => {
                if let Some(text) = self.read_escape_free_string() {
                    to.push_with(|| item(Doc::String(make_text(text))));
                } else {
                    let text = self.read_escaped_string()?;
                    to.push_with(|| item(Doc::String(text)));
                }
            }
            b'{' => self.read_map(depth + 1, to, item)?,
            b'[' => {
                let list = self.read_list(depth + 1)?;
                to.push_with(|| item(Doc::List(list)));
            }
            _ => {
                let scalar = self.read_scalar()?;
                to.push_with(|| item(scalar));
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

    /// Reads a string without escapes as a slice of the input. If the next token is no such string, returns `None` and
    /// consumes nothing.
    // Most of a document are short strings, for which a call takes longer than the search.
    #[allow(clippy::inline_always)]
    #[inline(always)]
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
        self.unescaped.clear();
        loop {
            let rest = self.bytes.get(self.position..)?;
            let end = self.position + escape_free_prefix_length(rest);
            self.unescaped.push_str(self.text.get(self.position..end)?);
            self.position = end + 1;
            match self.bytes.get(end)? {
                b'"' => {
                    let text = &self.unescaped;
                    let arena = self.options.arena;
                    return Some(arena.map_or_else(|| Text::from(text), |arena| arena.copy_text(text)));
                }
                b'\\' => {
                    let character = self.read_escape()?;
                    self.unescaped.push(character);
                }
                _ => return None,
            }
        }
    }

    /// Reads the rest of an escape sequence, after the backslash.
    fn read_escape(&mut self) -> Option<char> {
        let escape = self.peek()?;
        self.position += 1;
        Some(match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.read_code_unit_escape()?,
            _ => return None,
        })
    }

    /// Reads the four digits of a `\u` escape. A high surrogate is combined with the low surrogate that follows it. A
    /// lone surrogate becomes U+FFFD, as in Go.
    fn read_code_unit_escape(&mut self) -> Option<char> {
        let first = self.code_unit_at(self.position)?;
        self.position += 4;
        if let Some(character) = char::from_u32(first.into()) {
            return Some(character);
        }
        let has_second = self.bytes.get(self.position..).is_some_and(|rest| rest.starts_with(b"\\u"));
        let second = if has_second { self.code_unit_at(self.position + 2) } else { None };
        let pair = char::decode_utf16([first, second.unwrap_or_default()]).next();
        Some(match pair {
            Some(Ok(character)) => {
                self.position += 6;
                character
            }
            _ => char::REPLACEMENT_CHARACTER,
        })
    }

    /// Parses the four hexadecimal digits at this offset.
    fn code_unit_at(&self, offset: usize) -> Option<u16> {
        let digits = self.bytes.get(offset..offset + 4)?;
        digits.iter().try_fold(0, |number, digit| {
            let digit = char::from(*digit).to_digit(16).and_then(|digit| u16::try_from(digit).ok())?;
            Some(number << 4 | digit)
        })
    }

    fn read_number(&mut self) -> Option<Doc<'d>> {
        let rest = self.bytes.get(self.position..)?;
        let length =
            rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let digits = rest.get(..length)?;
        match digits {
            // Fast path: at most 18 digits fit into 64 bits, and there is no sign and no leading zero.
            [b'0'] => {
                self.position += 1;
                Some(Doc::Int(0))
            }
            [b'1'..=b'9', ..] if length <= 18 && digits.iter().all(u8::is_ascii_digit) => {
                self.position += length;
                Some(Doc::Int(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))))
            }
            _ => self.read_other_number(length),
        }
    }

    /// Reads a number of `length` bytes as Go does: as an integer if it is written as one and fits into 64 bits (`-0`
    /// is an integer), otherwise as a float.
    fn read_other_number(&mut self, length: usize) -> Option<Doc<'d>> {
        let start = self.position;
        let number = self.text.get(start..start + length)?;
        let is_integer = is_json_integer(number.as_bytes())?;
        if let Some(integer) = is_integer.then(|| number.parse().ok()).flatten() {
            self.position += length;
            return Some(Doc::Int(integer));
        }
        let float: f64 = number.parse().ok()?;
        if float.is_infinite() {
            return self.fail(JsonProblem::NumberOutOfRange(shorten_number(number)), start, length);
        }
        self.position += length;
        Some(Doc::Float(float))
    }

    /// Consumes the opening bracket of a list or a map. If the list or map is empty, also consumes the closing bracket
    /// and returns false.
    fn open_bracket(&mut self, depth: usize, closing: u8) -> Option<bool> {
        self.position += 1;
        if depth > MAX_DEPTH {
            return self.fail(JsonProblem::TooDeep, self.position - 1, 1);
        }
        let is_empty = self.peek_token()? == closing;
        self.position += usize::from(is_empty);
        Some(!is_empty)
    }

    /// Consumes the token after an item. Returns true for a comma, false for the closing bracket.
    fn read_separator(&mut self, closing: u8) -> Option<bool> {
        let byte = self.peek_token()?;
        self.position += 1;
        (byte == b',' || byte == closing).then_some(byte == b',')
    }

    /// Returns the index of the expected length of the next list. If the list is an item of another list, its key is any
    /// key before it.
    fn list_slot(&self, depth: usize) -> usize {
        let first_byte = self.bytes.get(self.key_position + 1).copied().unwrap_or_default();
        (depth + usize::from(first_byte)) % TRACKED_LISTS
    }

    fn read_list(&mut self, depth: usize) -> Option<Vec<Doc<'d>>> {
        let slot = self.list_slot(depth);
        if !self.open_bracket(depth, b']')? {
            return Some(Vec::new());
        }
        let mut items = Vec::with_capacity(self.expected_list_lengths[slot]);
        loop {
            self.read_value(depth, &mut items, |value| value)?;
            if !self.read_separator(b']')? {
                break;
            }
        }
        record_length(&mut self.expected_list_lengths[slot], items.len());
        Some(items)
    }

    /// Reads a map, and appends it as [`Reader::read_value`] does.
    fn read_map<T>(
        &mut self,
        depth: usize,
        to: &mut impl PushWith<T>,
        item: impl FnOnce(Doc<'d>) -> T,
    ) -> Option<()> {
        let start = self.position;
        if !self.open_bracket(depth, b'}')? {
            to.push_with(|| item(Doc::Map(Map::new())));
            return Some(());
        }
        let expected_length = self.expected_map_lengths[depth % TRACKED_LEVELS];
        let Some(arena) = self.options.arena else {
            let map = self.read_owned_map(depth, start, expected_length)?;
            to.push_with(|| item(Doc::Map(map)));
            return Some(());
        };
        let mut entries = arena.entries(expected_length);
        self.read_entries(depth, &mut entries)?;
        record_length(&mut self.expected_map_lengths[depth % TRACKED_LEVELS], entries.len());
        if let Err(key) = sort_entries(&mut entries) {
            return self.fail_with_duplicate_key(&key, start, depth);
        }
        // The arena does not free what its contents own.
        if all_borrowed(&entries) {
            let entries = entries.into_bump_slice();
            to.push_with(|| item(Doc::Map(Map::in_arena(entries))));
        } else {
            let entries = entries.into_iter().collect();
            to.push_with(|| item(Doc::Map(Map::from_sorted(entries))));
        }
        Some(())
    }

    /// Reads a map that owns its entries and is not empty, after its opening bracket.
    fn read_owned_map(&mut self, depth: usize, start: usize, expected_length: usize) -> Option<Map<'d>> {
        let mut entries = Vec::with_capacity(expected_length);
        self.read_entries(depth, &mut entries)?;
        record_length(&mut self.expected_map_lengths[depth % TRACKED_LEVELS], entries.len());
        if self.options.duplicate_keys == DuplicateKeys::LastCounts {
            return Some(entries.into_iter().collect());
        }
        match Map::from_entries(entries) {
            Ok(map) => Some(map),
            Err(key) => self.fail_with_duplicate_key(&key, start, depth),
        }
    }

    /// Reads the entries of a map that is not empty, and the closing bracket.
    fn read_entries(&mut self, depth: usize, entries: &mut impl PushWith<Entry<'d>>) -> Option<()> {
        loop {
            self.skip_whitespace();
            self.key_position = self.position;
            if let Some(key) = self.read_escape_free_string() {
                self.expect_byte(b':')?;
                let make_text = self.make_text;
                self.read_value(depth, entries, |value| (make_text(key), value))?;
            } else {
                let key = self.read_escaped_string()?;
                self.expect_byte(b':')?;
                self.read_value(depth, entries, |value| (key, value))?;
            }
            if !self.read_separator(b'}')? {
                return Some(());
            }
        }
    }

    /// Records the error that a key occurs twice in the map at `start`. Reads the map again to find the two positions.
    #[cold]
    fn fail_with_duplicate_key<T>(&mut self, key: &str, start: usize, depth: usize) -> Option<T> {
        let mut reader = Reader::new(self.text, self.make_text, ReaderOptions::default());
        reader.position = start + 1;
        let mut first = None;
        loop {
            reader.peek_token()?;
            let offset = reader.position;
            let is_key = reader.read_escaped_string()? == key;
            let length = reader.position - offset;
            match first {
                Some(first) if is_key => {
                    let problem = JsonProblem::DuplicateKey { key: Text::from(key), first };
                    return self.fail(problem, offset, length);
                }
                None if is_key => first = Some(offset),
                _ => {}
            }
            reader.expect_byte(b':')?;
            reader.read_value(depth, &mut Vec::with_capacity(1), |value| value)?;
            reader.read_separator(b'}')?;
        }
    }
}

/// Records the length of a list or map as the expected length of the next one. The expected length never falls below half
/// of its previous value, so that one short list between long ones has little effect.
fn record_length(expected: &mut usize, length: usize) {
    *expected = length.max(*expected / 2);
}
