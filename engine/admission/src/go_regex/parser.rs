//! The reader of the syntax of Go, which writes the syntax of the crate `regex`. Upstream: `regexp/syntax`, `parse`.

use std::mem;

use super::limits::{Counts, MAX_COPIES, Part, PartKind};
use super::not_compiled::{
    INVALID_CAPTURE, INVALID_COUNT, INVALID_ESCAPE, INVALID_GROUP, INVALID_REPETITION, MISSING_PARENTHESIS,
    NOTHING_TO_REPEAT, NotCompiled, Parsed, TRAILING_BACKSLASH, UNEXPECTED_PARENTHESIS,
};

const FOLD_CASE: u8 = 1;
const MULTI_LINE: u8 = 2;
const DOT_MATCHES_NEWLINE: u8 = 4;
const NOT_GREEDY: u8 = 8;

/// The whole expression, or a group that is open.
#[derive(Default)]
struct Group {
    flags_behind: u8,
    is_capturing: bool,
    /// The position of the group in the translation.
    start: usize,
    /// The parts of the alternative that is read.
    parts: Vec<Part>,
    alternatives: Vec<Part>,
}

pub(super) struct Parser<'t> {
    whole: &'t str,
    pub(super) rest: &'t str,
    /// The flags that hold up to the end of the group.
    flags: u8,
    group: Group,
    outer: Vec<Group>,
    translated: String,
    has_surrogate: bool,
}

/// Translates a regular expression of Go to one of the crate `regex`. Flags and names are not in the translation: each part of
/// it has the meaning that the flags give it.
pub(super) fn translate(text: &str) -> Parsed<String> {
    let mut parser = Parser {
        whole: text,
        rest: text,
        flags: 0,
        group: Group::default(),
        outer: Vec::new(),
        translated: String::with_capacity(text.len()),
        has_surrogate: false,
    };
    parser.read()?;
    if parser.has_surrogate {
        // Upstream, it matches nothing or U+FFFD, which depends on the kind of automaton.
        return Err(NotCompiled::NotSimulated("a text has no half of a surrogate pair"));
    }
    Ok(parser.translated)
}

impl<'t> Parser<'t> {
    fn read(&mut self) -> Parsed<()> {
        let mut repetition = None;
        while let Some(c) = self.rest.chars().next() {
            let at = self.rest;
            self.read_part(c, repetition)?;
            // A brace that is no repetition is a literal.
            let is_repeated = self.group.parts.last().is_some_and(|part| part.kind == PartKind::Repetition);
            repetition = (matches!(c, '*' | '+' | '?' | '{') && is_repeated).then_some(at);
        }
        if !self.outer.is_empty() {
            return Err(NotCompiled::invalid(MISSING_PARENTHESIS, self.whole));
        }
        self.end_alternative()?;
        Part::join(&self.group.alternatives, PartKind::Alternation, 0).check(self.whole)
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Reads a part. `repetition` is the rest of the text from a repetition that is just before.
    fn read_part(&mut self, c: char, repetition: Option<&'t str>) -> Parsed<()> {
        let at = self.rest;
        match c {
            '\\' => return self.read_escaped(),
            '[' => return self.read_class(),
            '(' if at.starts_with("(?") => return self.read_group(),
            '{' => {
                if let Some((text, counts)) = repetition_counts(at) {
                    self.rest = &at[text.len()..];
                    let counts = counts.ok_or_else(|| NotCompiled::invalid(INVALID_COUNT, text))?;
                    return self.repeat(at, repetition, counts);
                }
            }
            _ => {}
        }
        self.take();
        match c {
            '(' => self.open(true),
            ')' => return self.close(),
            '|' => {
                self.end_alternative()?;
                self.translated.push('|');
            }
            '^' | '$' if self.has(MULTI_LINE) => return self.push(&format!("(?m:{c})")),
            '.' if self.has(DOT_MATCHES_NEWLINE) => return self.push("(?s:.)"),
            '^' | '$' | '.' => return self.push(c.encode_utf8(&mut [0; 4])),
            '*' => return self.repeat(at, repetition, Counts { least: 0, most: None }),
            '+' => return self.repeat(at, repetition, Counts { least: 1, most: None }),
            '?' => return self.repeat(at, repetition, Counts { least: 0, most: Some(1) }),
            literal => return self.push_literal(literal),
        }
        Ok(())
    }

    pub(super) fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let taken = chars.next();
        self.rest = chars.as_str();
        taken
    }

    /// Returns an error about the text from a position up to the rest.
    pub(super) fn error(&self, problem: &'static str, from: &str) -> NotCompiled {
        NotCompiled::invalid(problem, &from[..from.len() - self.rest.len()])
    }

    /// Adds the translation of a part of which the case can matter.
    pub(super) fn push_folded(&mut self, text: &str) -> Parsed<()> {
        if self.has(FOLD_CASE) { self.push(&format!("(?i:{text})")) } else { self.push(text) }
    }

    fn push(&mut self, text: &str) -> Parsed<()> {
        self.push_part(Part::new(PartKind::Other, self.translated.len()), text)
    }

    fn push_literal(&mut self, literal: char) -> Parsed<()> {
        let is_folded = self.has(FOLD_CASE);
        let kind = if is_folded { PartKind::FoldedLiteral } else { PartKind::Literal };
        let part = Part::new(kind, self.translated.len());
        let text = escaped(literal);
        if is_folded && (literal.is_ascii_alphabetic() || !literal.is_ascii()) {
            self.push_part(part, &format!("(?i:{text})"))
        } else {
            self.push_part(part, &text)
        }
    }

    fn push_part(&mut self, part: Part, text: &str) -> Parsed<()> {
        self.translated.push_str(text);
        self.group.parts.push(part);
        part.check(self.whole)
    }

    /// Repeats the last part. `operator` is the rest of the text from the repetition.
    fn repeat(&mut self, operator: &'t str, previous: Option<&'t str>, counts: Counts) -> Parsed<()> {
        let text = &operator[..operator.len() - self.rest.len()];
        let has_mark = self.rest.starts_with('?');
        if has_mark {
            self.take();
        }
        if let Some(previous) = previous {
            return Err(self.error(INVALID_REPETITION, previous));
        }
        let Some(part) = self.group.parts.last_mut() else {
            return Err(self.error(NOTHING_TO_REPEAT, operator));
        };
        // It is another one: flags without an effect, such as `(?i)`, are between the two.
        if part.kind == PartKind::Repetition {
            self.translated.insert_str(part.start, "(?:");
            self.translated.push(')');
        }
        *part = part.repeated(counts);
        let part = *part;
        part.check(self.whole)?;
        if text.starts_with('{') && counts.most.unwrap_or(counts.least) >= 2 && part.copies > MAX_COPIES {
            return Err(self.error(INVALID_COUNT, operator));
        }
        self.translated.push_str(text);
        if has_mark != self.has(NOT_GREEDY) {
            self.translated.push('?');
        }
        Ok(())
    }

    fn open(&mut self, is_capturing: bool) {
        let (flags_behind, start) = (self.flags, self.translated.len());
        let group = Group { flags_behind, is_capturing, start, ..Group::default() };
        self.outer.push(mem::replace(&mut self.group, group));
        self.translated.push_str("(?:");
    }

    fn close(&mut self) -> Parsed<()> {
        self.end_alternative()?;
        let outer =
            self.outer.pop().ok_or_else(|| NotCompiled::invalid(UNEXPECTED_PARENTHESIS, self.whole))?;
        let group = mem::replace(&mut self.group, outer);
        self.flags = group.flags_behind;
        let part = Part::join(&group.alternatives, PartKind::Alternation, group.start);
        part.check(self.whole)?;
        self.push_part(if group.is_capturing { part.captured() } else { part }, ")")
    }

    fn end_alternative(&mut self) -> Parsed<()> {
        let parts = mem::take(&mut self.group.parts);
        let alternative = Part::join(&parts, PartKind::Concatenation, self.translated.len());
        self.group.alternatives.push(alternative);
        alternative.check(self.whole)
    }

    /// Reads the flags after `(?`, or the beginning of a group. Upstream: `parsePerlFlags`.
    fn read_group(&mut self) -> Parsed<()> {
        let at = self.rest;
        let named = ["(?P<", "(?<"].into_iter().find_map(|start| at.strip_prefix(start));
        if let Some(named) = named.filter(|named| !named.is_empty()) {
            let (name, rest) =
                named.split_once('>').ok_or_else(|| NotCompiled::invalid(INVALID_CAPTURE, at))?;
            self.rest = rest;
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return Err(self.error(INVALID_CAPTURE, at));
            }
            self.open(true);
            return Ok(());
        }
        self.rest = &at[2..];
        let mut flags = self.flags;
        let (mut is_off, mut needs_flag) = (false, false);
        loop {
            let flag = match self.take() {
                Some('i') => FOLD_CASE,
                Some('m') => MULTI_LINE,
                Some('s') => DOT_MATCHES_NEWLINE,
                Some('U') => NOT_GREEDY,
                Some('-') if !is_off => {
                    (is_off, needs_flag) = (true, true);
                    continue;
                }
                Some(end @ (':' | ')')) if !needs_flag => {
                    if end == ':' {
                        self.open(false);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => return Err(self.error(INVALID_GROUP, at)),
            };
            flags = if is_off { flags & !flag } else { flags | flag };
            needs_flag = false;
        }
    }

    fn read_escaped(&mut self) -> Parsed<()> {
        let at = self.rest;
        let assertion = match at.as_bytes().get(1) {
            Some(b'A') => r"\A",
            Some(b'z') => r"\z",
            Some(b'b') => r"(?-u:\b)",
            Some(b'B') => r"(?-u:\B)",
            Some(b'Q') => {
                let (quoted, rest) = at[2..].split_once(r"\E").unwrap_or((&at[2..], ""));
                self.rest = rest;
                return quoted.chars().try_for_each(|literal| self.push_literal(literal));
            }
            _ => {
                return match self.read_named_set()? {
                    Some(set) => self.push_folded(&set),
                    None => self.read_escape().and_then(|literal| self.push_literal(literal)),
                };
            }
        };
        self.rest = &at[2..];
        self.push(assertion)
    }

    /// Reads the escape of one character. Upstream: `parseEscape`.
    pub(super) fn read_escape(&mut self) -> Parsed<char> {
        let at = self.rest;
        self.take();
        let Some(c) = self.take() else {
            return Err(NotCompiled::invalid(TRAILING_BACKSLASH, ""));
        };
        let is_octal = |text: &str| text.starts_with(|c| matches!(c, '0'..='7'));
        let number = match c {
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            'x' => self.read_hexadecimal(),
            // One digit that is not zero is a reference to a group in other languages.
            '0' => Some(self.read_octal(0)),
            '1'..='7' if is_octal(self.rest) => Some(self.read_octal(u32::from(c) - u32::from('0'))),
            c => (c.is_ascii() && !c.is_ascii_alphanumeric()).then_some(u32::from(c)),
        };
        let number = number.ok_or_else(|| self.error(INVALID_ESCAPE, at))?;
        let character = char::from_u32(number);
        self.has_surrogate |= character.is_none();
        Ok(character.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Reads at most two more octal digits.
    fn read_octal(&mut self, first: u32) -> u32 {
        let mut number = first;
        for _ in 0..2 {
            let Some(digit) = self.rest.chars().next().and_then(|c| c.to_digit(8)) else { break };
            number = number * 8 + digit;
            self.take();
        }
        number
    }

    /// Reads two hexadecimal digits, or any number of them in braces.
    fn read_hexadecimal(&mut self) -> Option<u32> {
        let first = self.take()?;
        if first != '{' {
            let second = self.take()?;
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut number = None;
        loop {
            match self.take()? {
                '}' => return number,
                digit => {
                    let next = number.unwrap_or(0) * 16 + digit.to_digit(16)?;
                    number = (next <= u32::from(char::MAX)).then_some(next);
                    number?;
                }
            }
        }
    }
}

/// Returns a character as it is written outside and inside of classes.
pub(super) fn escaped(character: char) -> String {
    regex::escape(character.encode_utf8(&mut [0; 4]))
}

/// Reads a repetition such as `{2,5}`, and its numbers, which are `None` if they are too large. Upstream: `parseRepeat`.
fn repetition_counts(text: &str) -> Option<(&str, Option<Counts>)> {
    let end = 1 + text[1..].find(|c: char| !c.is_ascii_digit() && c != ',')?;
    let inner = text[1..].strip_suffix(&text[end..]).filter(|_| text[end..].starts_with('}'))?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
    let is_number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit())
            && (text == "0" || !text.starts_with('0'))
            && !text.is_empty()
    };
    if !is_number(least) || !(most.is_empty() || is_number(most)) {
        return None;
    }
    let small = |text: &str| text.parse().ok().filter(|count| *count <= MAX_COPIES);
    let counts = match (small(least), small(most)) {
        (Some(least), None) if most.is_empty() => Some(Counts { least, most: None }),
        (Some(least), Some(most)) if least <= most => Some(Counts { least, most: Some(most) }),
        _ => None,
    };
    Some((&text[..=end], counts))
}
