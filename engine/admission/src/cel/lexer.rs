//! The tokens of an expression. Upstream: cel-go, `parser/gen/CEL.g4` and `parser/unescape.go`.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, also one that is reserved.
    Name,
    /// A field name in backquotes.
    Quoted,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    /// An operator, a bracket, or a word such as `in`.
    Symbol,
    /// A text with which no token begins.
    Unknown,
    End,
}

/// A part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
}

/// The operators and brackets. A longer one stands before its beginning.
const SYMBOLS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":",
    "+", "*", "/", "%",
];

/// The words that cannot be names.
const WORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Returns the tokens of a text. The last one is its end, or a text with which no token begins.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']);
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        let (kind, length) = first(rest);
        let (text, after) = rest.split_at(length);
        tokens.push(Token { kind, text });
        if matches!(kind, Kind::Unknown | Kind::End) {
            return tokens;
        }
        rest = after;
    }
}

/// Returns the kind and the length of the first token.
fn first(text: &str) -> (Kind, usize) {
    let Some(c) = text.chars().next() else { return (Kind::End, 0) };
    let is_bytes = matches!(c, 'b' | 'B');
    let after_bytes = usize::from(is_bytes);
    let is_raw = text[after_bytes..].starts_with(['r', 'R']);
    let prefix = after_bytes + usize::from(is_raw);
    let literal = quoted_length(&text[prefix.min(text.len())..], is_raw);
    let kind = if is_bytes { Kind::Bytes } else { Kind::String };
    if let Some(Ok(length)) = literal {
        return (kind, prefix + length);
    }
    let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol));
    match (c, literal, symbol) {
        ('a'..='z' | 'A'..='Z' | '_', ..) => {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
            (if WORDS.contains(&&text[..end]) { Kind::Symbol } else { Kind::Name }, end)
        }
        ('\'' | '"', Some(Err(end)), _) => (Kind::Unknown, end),
        ('`', ..) => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | ' ');
            let end = 1 + text[1..].find(|c| !is_part(c)).unwrap_or(text.len() - 1);
            let is_closed = end > 1 && text[end..].starts_with('`');
            (if is_closed { Kind::Quoted } else { Kind::Unknown }, end + first_length(&text[end..]))
        }
        (c, ..) if c.is_ascii_digit() || c == '.' && text[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            number(text)
        }
        (_, _, Some(symbol)) => (Kind::Symbol, symbol.len()),
        // The second character decides that no operator begins here.
        ('=' | '&' | '|', ..) => (Kind::Unknown, 1 + first_length(&text[1..])),
        _ => (Kind::Unknown, c.len_utf8()),
    }
}

/// Returns the length of the first character.
fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Returns the length of a literal in quotes, or that of the text up to the character that ends it too early. `None` if
/// there is no quote.
fn quoted_length(text: &str, is_raw: bool) -> Option<Result<usize, usize>> {
    let quote = text.get(..1).filter(|quote| matches!(*quote, "'" | "\""))?;
    let triple = quote.repeat(3);
    let long = text.starts_with(&triple).then(|| literal_length(text, &triple, is_raw));
    match long {
        Some(Ok(length)) => Some(Ok(length)),
        // The first two quotes are an empty literal.
        Some(Err(_)) => Some(Ok(2)),
        None => Some(literal_length(text, quote, is_raw)),
    }
}

fn literal_length(text: &str, quotes: &str, is_raw: bool) -> Result<usize, usize> {
    let mut at = quotes.len();
    loop {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { return Err(at) };
        if rest.starts_with(quotes) {
            return Ok(at + quotes.len());
        }
        at += match c {
            '\n' | '\r' if quotes.len() == 1 => return Err(at + 1),
            '\\' if !is_raw => escape_length(rest).map_err(|length| at + length)?,
            c => c.len_utf8(),
        };
    }
}

/// Returns the length of an escape such as `\n`, or that of the text up to the character that cannot be in it.
fn escape_length(text: &str) -> Result<usize, usize> {
    let Some(kind) = text.chars().nth(1) else { return Err(text.len()) };
    let (start, digits, radix) = match kind {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => return Ok(2),
        'x' | 'X' => (2, 2, 16),
        'u' => (2, 4, 16),
        'U' => (2, 8, 16),
        '0'..='3' => (2, 2, 8),
        other => return Err(1 + other.len_utf8()),
    };
    let found = text[start..].chars().take(digits).take_while(|c| c.is_digit(radix)).count();
    if found == digits {
        return Ok(start + digits);
    }
    Err(start + found + first_length(&text[start + found..]))
}

fn number(text: &str) -> (Kind, usize) {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
    };
    let hexadecimal = text
        .strip_prefix("0x")
        .map_or(0, |rest| rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len()));
    let mut end = if hexadecimal > 0 { 2 + hexadecimal } else { digits(0) };
    let mut kind = Kind::Int;
    if hexadecimal == 0 {
        if text[end..].starts_with('.') && digits(end + 1) > 0 {
            (kind, end) = (Kind::Double, end + 1 + digits(end + 1));
        }
        let sign =
            end + 1 + usize::from(text.get(end + 1..).is_some_and(|rest| rest.starts_with(['+', '-'])));
        if text[end..].starts_with(['e', 'E']) && digits(sign) > 0 {
            (kind, end) = (Kind::Double, sign + digits(sign));
        }
    }
    if kind == Kind::Int && text[end..].starts_with(['u', 'U']) { (Kind::Uint, end + 1) } else { (kind, end) }
}

/// Returns the text of a literal, or the message of its error.
pub(super) fn unescaped_text(literal: &str) -> Result<String, &'static str> {
    let mut text = String::with_capacity(literal.len());
    for part in parts(literal) {
        text.push(match part {
            Part::Char(c) => c,
            Part::Code { code, .. } => char::from_u32(code).ok_or("invalid unicode code point")?,
        });
    }
    Ok(text)
}

/// Returns the bytes of a literal, or the message of its error.
pub(super) fn unescaped_bytes(literal: &str) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::with_capacity(literal.len());
    for part in parts(&literal[1..]) {
        match part {
            Part::Char(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Part::Code { code, is_byte: true } => bytes.extend(u8::try_from(code)),
            Part::Code { .. } => return Err("unable to unescape string"),
        }
    }
    Ok(bytes)
}

/// A character of a literal, or an escape with its number.
enum Part {
    Char(char),
    Code { code: u32, is_byte: bool },
}

/// Returns the parts of a literal that a token has.
fn parts(literal: &str) -> Vec<Part> {
    let inner = literal.trim_start_matches(['r', 'R']);
    let is_raw = inner.len() < literal.len();
    let quotes =
        if inner.len() >= 6 && (inner.starts_with("'''") || inner.starts_with("\"\"\"")) { 3 } else { 1 };
    let inner = inner[quotes..inner.len() - quotes].replace("\r\n", "\n").replace('\r', "\n");
    let mut parts = Vec::with_capacity(inner.len());
    let mut rest = inner.as_str();
    while let Some(c) = rest.chars().next() {
        let is_escape = c == '\\' && !is_raw;
        // The lexer has checked the escapes.
        let length = if is_escape { escape_length(rest).unwrap_or(1) } else { c.len_utf8() };
        let (escape, after) = rest.split_at(length);
        rest = after;
        if !is_escape {
            parts.push(Part::Char(c));
            continue;
        }
        let escape = &escape[1..];
        let code = |digits: &str, radix| u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
        parts.push(match escape.as_bytes() {
            [b'a'] => Part::Char('\u{7}'),
            [b'b'] => Part::Char('\u{8}'),
            [b'f'] => Part::Char('\u{c}'),
            [b'n'] => Part::Char('\n'),
            [b'r'] => Part::Char('\r'),
            [b't'] => Part::Char('\t'),
            [b'v'] => Part::Char('\u{b}'),
            [b'x' | b'X', ..] => Part::Code { code: code(&escape[1..], 16), is_byte: true },
            [b'u' | b'U', ..] => Part::Code { code: code(&escape[1..], 16), is_byte: false },
            [b'0'..=b'3', ..] => Part::Code { code: code(escape, 8), is_byte: true },
            // A quote, a backslash or a question mark.
            other => Part::Char(other.first().copied().map_or('\\', char::from)),
        });
    }
    parts
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::numbers(
        "1 1.5 .5 1e3 1.e 0x1Fu 2u",
        "Int 1, Double 1.5, Double .5, Double 1e3, Int 1, Symbol ., Name e, Uint 0x1Fu, Uint 2u"
    )]
    #[case::literals(
        r#"'a' br"\" r'''a'b''' '' b"#,
        r#"String 'a', Bytes br"\", String r'''a'b''', String '', Name b"#
    )]
    #[case::words(
        "in inner true `a-b` // 'x\n!= !",
        "Symbol in, Name inner, Symbol true, Quoted `a-b`, Symbol !=, Symbol !"
    )]
    #[case::no_escape(r"1 '\q' 2", r"Int 1, Unknown '\q")]
    #[case::short_escape(r"'\u12'", r"Unknown '\u12'")]
    #[case::not_closed("'abc", "Unknown 'abc")]
    #[case::three_quotes("''' a", "String '', Unknown ' a")]
    #[case::one_sign("a = 1", "Name a, Unknown = ")]
    fn a_text_has_tokens_up_to_one_that_is_unknown(#[case] text: &str, #[case] expected: &str) {
        let tokens = tokens(text).into_iter().filter(|token| token.kind != Kind::End);
        let found: Vec<String> = tokens.map(|token| format!("{:?} {}", token.kind, token.text)).collect();
        assert_eq!(found.join(", "), expected);
    }
}
