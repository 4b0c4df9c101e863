//! Strings and their escapes.

use super::Reader;
use crate::document::Text;
use crate::document::json::escapes::escape_free_prefix_length;

impl<'a, 'd, S: Copy + Fn(&'a str) -> Text<'d>> Reader<'a, 'd, S> {
    /// Reads a string without escapes as a slice of the input. If the next token is no such string, returns `None` and
    /// consumes nothing.
    // Most of a document are short strings, for which a call takes longer than the search.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn read_escape_free_string(&mut self) -> Option<&'a str> {
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
    pub(super) fn read_escaped_string(&mut self) -> Option<Text<'d>> {
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
}
