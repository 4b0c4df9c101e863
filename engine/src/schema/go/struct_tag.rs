//! Struct tags: `` `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"` ``.
//!
//! A struct tag consists of pairs of a key and a quoted value, as `reflect.StructTag` describes. Go silently stops
//! reading at the first mistake. This parser reports the mistake.

use super::errors::{GoError, GoErrorKind, Position};
use super::string_literal::unquote;
use crate::schema::patch_meta::split_strategies;
use crate::schema::{MetadataTags, PatchMeta, TagForm};

/// The keys of a struct tag that matter to documents.
#[derive(Debug, Default)]
pub(super) struct StructTag {
    pub(super) json: JsonTag,
    pub(super) patch: PatchMeta,
}

/// The `json` key of a tag.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the tag, independent of the others")]
pub(super) struct JsonTag {
    /// The JSON name of the field, if the tag has one.
    pub(super) name: Option<String>,
    /// Whether the tag is `json:"-"`, which leaves the field out of documents.
    pub(super) is_ignored: bool,
    pub(super) inline: bool,
    pub(super) omit_empty: bool,
    pub(super) omit_zero: bool,
    /// Whether the tag has `,string`, so that the scalar is written as a string.
    pub(super) as_string: bool,
}

/// Parses the literal of a struct tag, which includes the quotes.
pub(super) fn parse_tag(
    literal: &str,
    position: Position,
    tags: &MetadataTags,
    errors: &mut Vec<GoError>,
) -> StructTag {
    let mut tag = StructTag::default();
    let text = match unquote(literal) {
        Ok(text) => text,
        Err(message) => {
            errors.push(position.error(GoErrorKind::MalformedTag, message));
            return tag;
        }
    };
    // In an interpreted string, escapes change the columns of the text after them. Errors are therefore reported at the
    // beginning of such a string.
    let is_raw = literal.starts_with('`') && !text.contains('\n');
    let position_at = |offset: usize| if is_raw { position.plus_bytes(1 + offset) } else { position };
    for pair in split_pairs(&text, &position_at, errors) {
        match pair.key {
            "json" => parse_json_key(&pair, &mut tag.json, errors),
            "patchStrategy" => tag.patch.strategies = parse_strategies(&pair, tags, errors),
            "patchMergeKey" => tag.patch.merge_key = parse_merge_keys(&pair, errors),
            key if tags.by_name(key).is_some_and(|declared| declared.form == TagForm::MergeKeys) => {
                tag.patch.set_tag(key, parse_merge_keys(&pair, errors));
            }
            _ => {}
        }
    }
    for (_, check, message) in tags.contradictions(&tag.patch) {
        errors.push(position.error(GoErrorKind::Tag(check.rule), message));
    }
    tag
}

/// A `key:"value"` of a struct tag.
struct TagPair<'a> {
    key: &'a str,
    value: String,
    position: Position,
}

impl TagPair<'_> {
    fn error(&self, kind: GoErrorKind, message: String) -> GoError {
        self.position.error(kind, message)
    }
}

/// Splits a tag into its pairs. Leaves out pairs whose key occurred before, and stops at the first malformed pair.
fn split_pairs<'a>(
    text: &'a str,
    position_at: &dyn Fn(usize) -> Position,
    errors: &mut Vec<GoError>,
) -> Vec<TagPair<'a>> {
    let mut pairs: Vec<TagPair<'a>> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let position = position_at(text.len() - rest.len());
        match parse_pair(rest) {
            Ok((key, value, after)) => {
                let pair = TagPair { key, value, position };
                if pairs.iter().any(|p| p.key == key) {
                    let message = format!("the tag has the key {key:?} twice, and Go reads only the first");
                    errors.push(pair.error(GoErrorKind::MalformedTag, message));
                } else {
                    pairs.push(pair);
                }
                rest = after.trim_start();
            }
            Err((kind, message)) => {
                errors.push(position.error(kind, message));
                break;
            }
        }
    }
    pairs
}

/// The kind and the message of an error. The caller adds the position.
type TagSyntaxError = (GoErrorKind, String);

/// Parses one pair `key:"value"` at the beginning of the text. Returns the key, the value and the rest of the text.
fn parse_pair(text: &str) -> Result<(&str, String, &str), TagSyntaxError> {
    if text.starts_with("...") || text.starts_with('…') {
        let message = "expected struct tags, found an ellipsis: remove it";
        return Err((GoErrorKind::Ellipsis, message.to_owned()));
    }
    let malformed = |what: &str| {
        let message = format!("{what}: a struct tag is a row of key:\"value\" pairs, separated by spaces");
        (GoErrorKind::MalformedTag, message)
    };
    let in_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let end = text.find(|c: char| !in_key(c)).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    if key.is_empty() {
        let found = text.chars().next().unwrap_or_default();
        return Err(malformed(&format!("expected a key, found `{found}`")));
    }
    let Some(quoted) = rest.strip_prefix(':').filter(|r| r.starts_with('"')) else {
        return Err(malformed(&format!("the key `{key}` has no `:\"value\"`")));
    };
    let end =
        end_of_literal(quoted).ok_or_else(|| malformed(&format!("the value of `{key}` is not closed")))?;
    let (literal, after) = quoted.split_at(end);
    let value = unquote(literal).map_err(|why| malformed(&format!("the value of `{key}`: {why}")))?;
    Ok((key, value, after))
}

/// Returns the offset after the string literal at the beginning of the text.
fn end_of_literal(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

fn parse_json_key(pair: &TagPair<'_>, tag: &mut JsonTag, errors: &mut Vec<GoError>) {
    let value = pair.value.as_str();
    if value == "-" {
        tag.is_ignored = true;
        return;
    }
    let mut parts = value.split(',');
    let name = parts.next().unwrap_or_default();
    if !name.is_empty() {
        if let Some(bad) = name.chars().find(|&c| !is_allowed_in_name(c)) {
            let message = format!("{bad:?} in the JSON name {name:?}: encoding/json would ignore the name");
            errors.push(pair.error(GoErrorKind::MalformedTag, message));
        }
        tag.name = Some(name.to_owned());
    }
    for option in parts {
        match option {
            "omitempty" => tag.omit_empty = true,
            "omitzero" => tag.omit_zero = true,
            "inline" => tag.inline = true,
            "string" => tag.as_string = true,
            // encoding/json ignores empty options. The tag `json:"-,"` uses this to name a field `-`.
            "" => {}
            other => {
                let message =
                    format!("unknown JSON option {other:?}: expected omitempty, omitzero, inline or string");
                errors.push(pair.error(GoErrorKind::BadJsonOption, message));
            }
        }
    }
}

/// Returns true for the characters that encoding/json accepts in a name (`isValidTag`).
fn is_allowed_in_name(c: char) -> bool {
    c.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c)
}

fn parse_strategies(pair: &TagPair<'_>, tags: &MetadataTags, errors: &mut Vec<GoError>) -> Vec<String> {
    let strategies = split_strategies(&pair.value);
    if let Some(message) = tags.strategies_error(&strategies) {
        errors.push(pair.error(GoErrorKind::BadStrategy, message));
    }
    strategies
}

fn parse_merge_keys(pair: &TagPair<'_>, errors: &mut Vec<GoError>) -> Vec<String> {
    let (names, error) = MetadataTags::split_values(&pair.value);
    if let Some(message) = error {
        errors.push(pair.error(GoErrorKind::BadMergeKey, format!("{}: {message}", pair.key)));
    }
    names
}
