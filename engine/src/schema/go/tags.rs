//! Struct tags: `` `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"` ``.
//!
//! The form is that of `reflect.StructTag`: pairs of a key and a quoted value. Where Go stops reading at the
//! first mistake, without a word, we report it.

use super::errors::{GoError, GoErrorKind, Position};
use super::literal::unquote;
use crate::schema::PatchMeta;

/// What the tag of a field says.
#[derive(Debug, Default)]
pub(super) struct Tag {
    pub(super) json: JsonTag,
    pub(super) patch: PatchMeta,
}

/// The `json` key of a tag.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the tag, independent of the others")]
pub(super) struct JsonTag {
    /// The name, when one is given.
    pub(super) name: Option<String>,
    /// `json:"-"`: the author leaves the field out.
    pub(super) ignored: bool,
    pub(super) inline: bool,
    pub(super) omit_empty: bool,
    pub(super) omit_zero: bool,
    /// `,string`: the scalar is written as a string.
    pub(super) as_string: bool,
}

/// Reads a tag literal, quotes included, which stands at `at`.
pub(super) fn read_tag(literal: &str, at: Position, errors: &mut Vec<GoError>) -> Tag {
    let mut tag = Tag::default();
    let text = match unquote(literal) {
        Ok(text) => text,
        Err(message) => {
            errors.push(at.error(GoErrorKind::MalformedTag, message));
            return tag;
        }
    };
    // In an interpreted string escapes shift what follows; its tags are reported at their beginning.
    let raw = literal.starts_with('`') && !text.contains('\n');
    let place = |offset: usize| if raw { at.right(1 + offset) } else { at };
    for pair in split(&text, &place, errors) {
        match pair.key {
            "json" => read_json(&pair, &mut tag.json, errors),
            "patchStrategy" => tag.patch.strategies = strategies(&pair, errors),
            "patchMergeKey" => tag.patch.merge_key = merge_keys(&pair, errors),
            "recommendedPatchMergeKey" => tag.patch.recommended_merge_key = merge_keys(&pair, errors),
            _ => {}
        }
    }
    check_recommended(&tag.patch, at, errors);
    tag
}

struct Pair<'a> {
    key: &'a str,
    value: String,
    at: Position,
}

impl Pair<'_> {
    fn error(&self, kind: GoErrorKind, message: String) -> GoError {
        self.at.error(kind, message)
    }
}

/// The pairs of a tag, each key once; stops at the first that is malformed.
fn split<'a>(text: &'a str, place: &dyn Fn(usize) -> Position, errors: &mut Vec<GoError>) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let at = place(text.len() - rest.len());
        match pair(rest) {
            Ok((key, value, after)) => {
                let pair = Pair { key, value, at };
                if pairs.iter().any(|p| p.key == key) {
                    let message = format!("the tag has the key {key:?} twice, and Go reads only the first");
                    errors.push(pair.error(GoErrorKind::MalformedTag, message));
                } else {
                    pairs.push(pair);
                }
                rest = after.trim_start();
            }
            Err((kind, message)) => {
                errors.push(at.error(kind, message));
                break;
            }
        }
    }
    pairs
}

type Malformed = (GoErrorKind, String);

/// One `key:"value"` from the beginning of the text: the key, the value, and what follows.
fn pair(text: &str) -> Result<(&str, String, &str), Malformed> {
    if text.starts_with("...") || text.starts_with('…') {
        let message = "an ellipsis stands for tags that the document left out: remove it";
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
        return Err(malformed(&format!("`{found}` where a key is due")));
    }
    let Some(quoted) = rest.strip_prefix(':').filter(|r| r.starts_with('"')) else {
        return Err(malformed(&format!("the key `{key}` has no `:\"value\"`")));
    };
    let end =
        closing_quote(quoted).ok_or_else(|| malformed(&format!("the value of `{key}` is not closed")))?;
    let (literal, after) = quoted.split_at(end);
    let value = unquote(literal).map_err(|why| malformed(&format!("the value of `{key}`: {why}")))?;
    Ok((key, value, after))
}

/// Where the string literal ends that the text begins with.
fn closing_quote(text: &str) -> Option<usize> {
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

fn read_json(pair: &Pair<'_>, tag: &mut JsonTag, errors: &mut Vec<GoError>) {
    let value = pair.value.as_str();
    if value == "-" {
        tag.ignored = true;
        return;
    }
    let mut parts = value.split(',');
    let name = parts.next().unwrap_or_default();
    if !name.is_empty() {
        if let Some(bad) = name.chars().find(|&c| !allowed_in_name(c)) {
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
            // `json:"-,"` names the field `-`; encoding/json passes over empty options.
            "" => {}
            other => {
                let message = format!(
                    "the JSON option {other:?} is not known: omitempty, omitzero, inline and string are"
                );
                errors.push(pair.error(GoErrorKind::BadJsonOption, message));
            }
        }
    }
}

/// The characters that encoding/json takes in a name (`isValidTag`).
fn allowed_in_name(c: char) -> bool {
    c.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c)
}

fn strategies(pair: &Pair<'_>, errors: &mut Vec<GoError>) -> Vec<String> {
    let found: Vec<String> = pair.value.split([',', '|']).map(|s| s.trim().to_owned()).collect();
    if let Some(problem) = strategy_problem(&found) {
        errors.push(pair.error(GoErrorKind::BadStrategy, problem));
    }
    found
}

/// What is wrong with a combination of strategies. Upstream: `extractRetainKeysPatchStrategy`.
pub(in crate::schema) fn strategy_problem(strategies: &[String]) -> Option<String> {
    const KNOWN: [&str; 3] = ["merge", "replace", "retainKeys"];
    if let Some(unknown) = strategies.iter().find(|s| !KNOWN.contains(&s.as_str())) {
        return Some(format!(
            "the patch strategy {unknown:?} is not known: merge, replace and retainKeys are"
        ));
    }
    let retain_keys = strategies.iter().filter(|s| *s == "retainKeys").count();
    match (strategies.len(), retain_keys) {
        (0 | 1, _) | (2, 1) => None,
        (2, _) => Some("two patch strategies must be retainKeys and one other".to_owned()),
        (n, _) => Some(format!("{n} patch strategies: there can be two, of which one is retainKeys")),
    }
}

fn merge_keys(pair: &Pair<'_>, errors: &mut Vec<GoError>) -> Vec<String> {
    let keys = split_keys(&pair.value);
    if let Some(problem) = keys_problem(&keys) {
        errors.push(pair.error(GoErrorKind::BadMergeKey, format!("{}: {problem}", pair.key)));
    }
    keys
}

/// Merge keys are separated by commas.
pub(in crate::schema) fn split_keys(value: &str) -> Vec<String> {
    value.split(',').map(|key| key.trim().to_owned()).collect()
}

/// What is wrong with a list of merge keys.
pub(in crate::schema) fn keys_problem(keys: &[String]) -> Option<String> {
    if keys.iter().any(String::is_empty) {
        return Some("an empty key".to_owned());
    }
    let mut seen = std::collections::HashSet::new();
    keys.iter().find(|key| !seen.insert(key.as_str())).map(|twice| format!("the key {twice:?} twice"))
}

/// What is wrong between the default merge key and the recommended ones. Source: patch-merge-key.md,
/// "Requirements for the recommended merge keys to keep backward compatibility".
pub(in crate::schema) fn recommended_problem(patch: &PatchMeta) -> Option<String> {
    let (default, first) = (patch.merge_key.first()?, patch.recommended_merge_key.first()?);
    (default != first).then(|| {
        format!("the first recommended merge key must be the default merge key {default:?}, and is {first:?}")
    })
}

fn check_recommended(patch: &PatchMeta, at: Position, errors: &mut Vec<GoError>) {
    if let Some(problem) = recommended_problem(patch) {
        errors.push(at.error(GoErrorKind::RecommendedKeyMismatch, problem));
    }
}
