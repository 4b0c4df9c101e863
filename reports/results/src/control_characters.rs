//! Text from cases, targets and files, made safe to show on a terminal, in a log or in a report.
//!
//! Three kinds of text are dangerous to show. Control characters control a terminal. Characters without a glyph, such
//! as bidirectional marks, make a text look like another one. Workflow commands (`::error file=…::…`, `##[error]…`,
//! `##vso[…]…`) are executed by CI systems that read the log. [`escape_text`] makes all of them visible, as `\u{1b}`,
//! `\u{202e}` and `\u{3a}:error`. It does so whether or not the program runs in CI, so that a text has the same form
//! everywhere.
//!
//! Text that a program reads back is not changed: [`escape_json`] writes the same characters as escapes of JSON.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Escapes everything that is not safe to show in a text of several lines. Line feeds and tabs are kept.
///
/// ```
/// use skewer_results::control_characters::escape_text;
///
/// assert_eq!(escape_text("a\u{1b}[31mb\u{202e}\n"), "a\\u{1b}[31mb\\u{202e}\n");
/// assert_eq!(escape_text(" ::error::no"), " \\u{3a}:error::no");
/// assert_eq!(escape_text("##[error]no"), "\\u{23}#[error]no");
/// ```
#[must_use]
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape_lines(text, false)
}

/// Escapes everything that is not safe to show, except for the sequences that set colours (SGR). Use this function for
/// a text that is put together from escaped pieces and colours.
#[must_use]
pub fn escape_except_colors(text: &str) -> Cow<'_, str> {
    escape_lines(text, true)
}

/// Escapes everything that is not safe to show in a text that must stay on one line, such as a name. Line feeds and
/// tabs are escaped, too.
#[must_use]
pub fn escape_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\t']) {
        return escape_text(text);
    }
    escape_text(&text.replace('\n', "\\n").replace('\t', "\\t")).into_owned().into()
}

/// Escapes everything in a JSON text that is not safe to show. The escaped text represents the same JSON value.
///
/// ```
/// use skewer_results::control_characters::escape_json;
///
/// assert_eq!(escape_json("{\"a\": \"\u{202e}##[b]\"}"), r#"{"a": "\u202e\u0023#[b]"}"#);
/// ```
#[must_use]
pub fn escape_json(json: &str) -> Cow<'_, str> {
    if !may_need_json_escape(json) {
        return json.into();
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for (index, c) in json.char_indices() {
        // Line feeds, tabs and carriage returns occur between values only: in a string they are escapes already.
        let is_unsafe = is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
        if is_unsafe || starts_bracket_command(&json[index..]) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped.into()
}

/// A formatter for `serde_json` whose output is safe to show, as that of [`escape_json`].
#[derive(Clone, Debug)]
pub struct SafeJsonFormatter<F>(F);

impl SafeJsonFormatter<CompactFormatter> {
    /// Makes a formatter that writes no white space.
    #[must_use]
    pub fn compact() -> Self {
        SafeJsonFormatter(CompactFormatter)
    }
}

impl SafeJsonFormatter<PrettyFormatter<'_>> {
    /// Makes a formatter that writes each field on a line of its own.
    #[must_use]
    pub fn pretty() -> Self {
        SafeJsonFormatter(PrettyFormatter::new())
    }
}

/// Implements methods of [`Formatter`] by calling the same methods of the inner formatter.
macro_rules! delegate {
    ($($method:ident($($argument:ident: $type:ty)?),)+) => {
        $(fn $method<W: ?Sized + io::Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.0.$method(out $(, $argument)?)
        })+
    };
}

impl<F: Formatter> Formatter for SafeJsonFormatter<F> {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.0.write_string_fragment(out, &escape_json(fragment))
    }

    delegate! {
        begin_array(),
        end_array(),
        begin_array_value(first: bool),
        end_array_value(),
        begin_object(),
        end_object(),
        begin_object_key(first: bool),
        end_object_key(),
        begin_object_value(),
        end_object_value(),
    }
}

/// Returns true if a character controls a terminal, has no glyph of its own, or is not a character at all.
///
/// These are control characters, the characters with the Unicode property `Default_Ignorable_Code_Point` (version 16),
/// the separators of lines and paragraphs, the marks of interlinear annotations, and noncharacters, which are invalid
/// in XML 1.0.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let is_noncharacter = u32::from(c) & 0xFFFE == 0xFFFE;
    is_noncharacter
        || matches!(c,
            '\u{80}'..='\u{9F}'
            | '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FDD0}'..='\u{FDEF}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

/// Writes the visible form of a character: `\u{1b}`, `\r`.
pub fn push_visible(escaped: &mut String, c: char) {
    escaped.extend(c.escape_default());
}

fn escape_lines(text: &str, with_colors: bool) -> Cow<'_, str> {
    if !may_need_escape(text) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            escaped.push('\n');
        }
        escape_one_line(&mut escaped, line, with_colors);
    }
    escaped.into()
}

fn escape_one_line(escaped: &mut String, line: &str, with_colors: bool) {
    let command = colon_command(line);
    let mut shown = 0;
    for (index, c) in line.char_indices().filter(|(_, c)| *c != '\t') {
        if index < shown {
            continue;
        }
        let rest = &line[index..];
        if with_colors && color_sequence(rest) > 0 {
            escaped.push_str(&line[shown..index + color_sequence(rest)]);
            shown = index + color_sequence(rest);
        } else if is_hidden(c) {
            escaped.push_str(&line[shown..index]);
            push_visible(escaped, c);
            shown = index + c.len_utf8();
        } else if command == Some(index) || starts_bracket_command(rest) {
            escaped.push_str(&line[shown..index]);
            // The character is visible, so that `escape_default` would not change it.
            let _ = write!(escaped, "{}", c.escape_unicode());
            shown = index + c.len_utf8();
        }
    }
    escaped.push_str(&line[shown..]);
}

/// Returns the position of the workflow command in a line: `::name …::…` after white space. Upstream:
/// `ActionCommand.TryParseV2` of the GitHub Actions runner.
fn colon_command(line: &str) -> Option<usize> {
    let command = line.trim_start();
    let is_command = command.strip_prefix("::").is_some_and(|rest| rest.contains("::"));
    is_command.then_some(line.len() - command.len())
}

/// Returns true if a text begins with `##[name]` (GitHub Actions), `##vso[…]` (Azure Pipelines) or `##teamcity[…]`.
/// These are commands anywhere in a line.
fn starts_bracket_command(text: &str) -> bool {
    text.strip_prefix("##")
        .is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with('['))
}

/// Returns the length of the sequence that sets colours (SGR) at the beginning of a text. Returns 0 if there is none.
fn color_sequence(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let length = parameters.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(parameters.len());
    if parameters[length..].starts_with('m') { "\u{1b}[".len() + length + "m".len() } else { 0 }
}

/// Returns true if a text may need an escape. Most texts need no escape, and this fast check is enough for them.
fn may_need_escape(text: &str) -> bool {
    let is_special = |byte: u8| byte >= 0x7F || (byte < b' ' && byte != b'\n' && byte != b'\t');
    text.bytes().any(is_special) || text.contains("::") || text.contains("##")
}

/// Returns true if a JSON text may need an escape. The check has no branches, because it must be fast: it is called for
/// each string of a results file.
fn may_need_json_escape(json: &str) -> bool {
    json.bytes().fold(0, |found, byte| found | u8::from(byte >= 0x7F) | u8::from(byte == b'#')) != 0
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::Serialize;
    use serde_json::Serializer;

    use super::*;

    #[rstest]
    #[case::escape_sequence("a\u{1b}[31mb", "a\\u{1b}[31mb")]
    #[case::carriage_return("total ok\rtotal no", "total ok\\rtotal no")]
    #[case::delete("a\u{7f}", "a\\u{7f}")]
    #[case::c1("a\u{9b}31m\u{85}", "a\\u{9b}31m\\u{85}")]
    #[case::bidirectional("\u{202e}\u{2066}\u{200e}\u{61c}", "\\u{202e}\\u{2066}\\u{200e}\\u{61c}")]
    #[case::separators("\u{2028}\u{2029}", "\\u{2028}\\u{2029}")]
    #[case::zero_width("a\u{200b}b\u{200d}c\u{feff}", "a\\u{200b}b\\u{200d}c\\u{feff}")]
    #[case::tags("a\u{e0001}\u{e007f}", "a\\u{e0001}\\u{e007f}")]
    #[case::variation("a\u{fe0f}\u{e0100}", "a\\u{fe0f}\\u{e0100}")]
    #[case::noncharacters("\u{fffe}\u{ffff}\u{10ffff}", "\\u{fffe}\\u{ffff}\\u{10ffff}")]
    #[case::command("::error file=a::x", "\\u{3a}:error file=a::x")]
    #[case::command_behind_white_space("a\n \u{a0}\t::add-mask::x", "a\n \u{a0}\t\\u{3a}:add-mask::x")]
    #[case::no_command("::1 is an address", "::1 is an address")]
    #[case::no_command_either("a::error::x", "a::error::x")]
    #[case::old_command("a ##[command]b", "a \\u{23}#[command]b")]
    #[case::azure("###vso[task.x]b", "#\\u{23}#vso[task.x]b")]
    #[case::heading("## [a](b) #39188", "## [a](b) #39188")]
    #[case::plain("plain\ttext ä 日本 🦀\n", "plain\ttext ä 日本 🦀\n")]
    fn hidden_characters_and_commands_are_escaped(#[case] text: &str, #[case] escaped: &str) {
        assert_eq!(escape_text(text), escaped);
        assert_eq!(escape_text(escaped), escaped, "an escaped text is safe");
        assert_eq!(escape_except_colors(escaped), escaped);
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(escape_text("plain\ttext\n"), Cow::Borrowed(_)));
        assert!(matches!(escape_json("{\"plain\": \"text\"}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_name_takes_one_line() {
        assert_eq!(escape_line("a\n::error::x\t"), "a\\n::error::x\\t");
    }

    #[rstest]
    #[case::colors(
        "\u{1b}[31mred\u{1b}[0m \u{1b}[38;2;1;2;3mrgb",
        "\u{1b}[31mred\u{1b}[0m \u{1b}[38;2;1;2;3mrgb"
    )]
    #[case::others("\u{1b}[2J\u{1b}]0;title\u{7}", "\\u{1b}[2J\\u{1b}]0;title\\u{7}")]
    #[case::unfinished("\u{1b}[31", "\\u{1b}[31")]
    #[case::mixed("\u{1b}[1m\u{202e}\u{1b}[0m", "\u{1b}[1m\\u{202e}\u{1b}[0m")]
    fn colors_alone_can_be_kept(#[case] text: &str, #[case] escaped: &str) {
        assert_eq!(escape_except_colors(text), escaped);
    }

    #[rstest]
    #[case("a\u{202e}b\u{7f}")]
    #[case("\u{e0001}\u{fffe}\u{10ffff}")]
    #[case("##[error]x ###vso[y")]
    #[case("\"\\\n\r\t\u{1b} ä 🦀")]
    fn json_keeps_its_value(#[case] text: &str) {
        let pretty = serde_json::to_string_pretty(&[text]).unwrap();
        let mut compact = Vec::new();
        text.serialize(&mut Serializer::with_formatter(&mut compact, SafeJsonFormatter::compact())).unwrap();
        let compact = String::from_utf8(compact).unwrap();
        assert_eq!(serde_json::from_str::<[String; 1]>(&escape_json(&pretty)).unwrap(), [text]);
        assert_eq!(serde_json::from_str::<String>(&compact).unwrap(), text);
        for json in [escape_json(&pretty), compact.into()] {
            assert_eq!(escape_text(&json), json);
        }
    }
}
