//! Selectors: the parts of an object to which an intent refers: `spec.ports[port=53,protocol=UDP].name`.

use std::fmt;
use std::str::FromStr;

use crate::document::{Doc, OwnedDoc, OwnedText, Text, from_json};
use crate::error::{Error, ErrorKind, Result};
use crate::field_path::needs_quotes;

/// A path into an object that identifies list items by their content, as users do.
///
/// ```
/// use skewer_engine::skew::Selector;
///
/// let selector: Selector = "spec.ports[port=53,protocol=UDP].name".parse()?;
/// assert_eq!(selector.to_string(), "spec.ports[port=53,protocol=UDP].name");
/// assert!("spec..ports".parse::<Selector>().is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Selector(pub(super) Vec<SelectorStep>);

impl Selector {
    /// The steps from the root.
    #[must_use]
    pub fn steps(&self) -> &[SelectorStep] {
        &self.0
    }
}

/// One step of a [`Selector`].
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorStep {
    /// `.name` or `["na.me"]`.
    Key(OwnedText),
    /// `[2]`.
    Index(usize),
    /// `[name=a]`, `[port=53,protocol=UDP]`; an empty key is the item itself: `[=b]`. A value of `null` means
    /// that the item does not have the key.
    Matching(Vec<(OwnedText, OwnedDoc)>),
}

impl SelectorStep {
    pub(super) fn matches(&self, index: usize, item: &OwnedDoc) -> bool {
        match self {
            SelectorStep::Key(_) => false,
            SelectorStep::Index(wanted) => *wanted == index,
            SelectorStep::Matching(conditions) => conditions.iter().all(|(key, wanted)| {
                let found = if key.is_empty() { Some(item) } else { item.as_map().and_then(|m| m.get(key)) };
                found.map_or(wanted.is_null(), |found| found == wanted)
            }),
        }
    }
}

impl FromStr for Selector {
    type Err = Error;

    /// [`ErrorKind::InvalidIntent`] with what was expected.
    fn from_str(text: &str) -> Result<Self> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        if rest == "." {
            return Ok(Selector(steps));
        }
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let end = end_of_brackets(inside)
                    .ok_or_else(|| syntax_error(text, "a [ has no ] that closes it"))?;
                steps.push(parse_bracket(text, &inside[..end])?);
                rest = &inside[end + 1..];
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                if end == 0 {
                    return Err(syntax_error(text, "a name is missing before a dot"));
                }
                steps.push(SelectorStep::Key(Text::from(&rest[..end])));
                rest = &rest[end..];
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err(syntax_error(text, "it ends in a dot"));
                }
                rest = after;
            }
        }
        if steps.is_empty() {
            return Err(syntax_error(text, "it is empty; the object itself is written ."));
        }
        Ok(Selector(steps))
    }
}

fn end_of_brackets(inside: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (offset, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(offset),
            _ => {}
        }
    }
    None
}

fn parse_bracket(text: &str, inside: &str) -> Result<SelectorStep> {
    if let Ok(index) = inside.parse() {
        return Ok(SelectorStep::Index(index));
    }
    if inside.starts_with('"') && !inside.contains('=') {
        return match from_json(inside.as_bytes()) {
            Ok(Doc::String(key)) => Ok(SelectorStep::Key(key)),
            _ => Err(syntax_error(text, "the quoted key in brackets is not closed")),
        };
    }
    let conditions = inside
        .split(',')
        .map(|condition| {
            let (key, value) = condition
                .split_once('=')
                .ok_or_else(|| syntax_error(text, "brackets hold an index, a quoted key, or key=value"))?;
            // As in YAML: what reads as a number or a boolean is one, everything else is text.
            let value = value.trim();
            let value = from_json(value.as_bytes()).unwrap_or_else(|_| Doc::from(value));
            Ok((Text::from(key.trim()), value))
        })
        .collect::<Result<_>>()?;
    Ok(SelectorStep::Matching(conditions))
}

fn syntax_error(text: &str, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidIntent, format!("{text:?} does not name a place: {reason}"))
}

/// Returns true if the text can be written in brackets without quotes.
fn can_be_unquoted(text: &str) -> bool {
    from_json(text.as_bytes()).is_err() && !text.contains(['"', ']'])
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (i, step) in self.0.iter().enumerate() {
            match step {
                SelectorStep::Key(key) if needs_quotes(key) => {
                    write!(f, "[{}]", Doc::String(key.clone()))?;
                }
                SelectorStep::Key(key) if i == 0 => f.write_str(key)?,
                SelectorStep::Key(key) => write!(f, ".{key}")?,
                SelectorStep::Index(index) => write!(f, "[{index}]")?,
                SelectorStep::Matching(conditions) => {
                    let conditions: Vec<_> = conditions
                        .iter()
                        .map(|(key, value)| match value.as_str() {
                            Some(text) if can_be_unquoted(text) => format!("{key}={text}"),
                            _ => format!("{key}={value}"),
                        })
                        .collect();
                    write!(f, "[{}]", conditions.join(","))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(".")]
    #[case("spec.ports[port=53,protocol=UDP].name")]
    #[case("metadata.annotations[\"a.b/c\"]")]
    #[case("finalizers[=b]")]
    #[case("items[0][1].x")]
    #[case("[\"a.b\"].c")]
    #[case("a[\"x[0]\"]")]
    #[case("a[\"x\\\"]\"]")]
    #[case("a[\"\"]")]
    #[case("[0]")]
    #[case("items[name=\"53\"]")]
    #[case("items[name=\"true\",port=null]")]
    #[case("items[name=\"]\"]")]
    fn a_selector_is_displayed_as_written(#[case] text: &str) {
        assert_eq!(text.parse::<Selector>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case::spaces_around(" spec.type ", &["spec", "type"])]
    #[case::a_dot_before_brackets_ends("a.b[0]", &["a", "b", "0"])]
    #[case::a_dot_behind_brackets("a[0].b", &["a", "0", "b"])]
    #[case::a_quoted_key("a[\"b.c\"]d", &["a", "b.c", "d"])]
    fn a_selector_is_parsed_step_by_step(#[case] text: &str, #[case] expected: &[&str]) {
        let steps = text.parse::<Selector>().unwrap().0;
        let steps: Vec<String> = steps
            .iter()
            .map(|step| match step {
                SelectorStep::Key(key) => key.to_string(),
                SelectorStep::Index(index) => index.to_string(),
                SelectorStep::Matching(_) => panic!("no condition here"),
            })
            .collect();
        assert_eq!(steps, expected);
    }

    #[rstest]
    #[case::an_index("[1]", 1, "{}", true)]
    #[case::another_index("[1]", 2, "{}", false)]
    #[case::a_value("[a=1]", 0, r#"{"a":1}"#, true)]
    #[case::another_value("[a=1]", 0, r#"{"a":"1"}"#, false)]
    #[case::text("[a=x]", 0, r#"{"a":"x"}"#, true)]
    #[case::text_that_reads_as_a_number("[a=\"1\"]", 0, r#"{"a":"1"}"#, true)]
    #[case::all_of_several("[a=1,b=x]", 0, r#"{"a":1,"b":"x"}"#, true)]
    #[case::one_of_several("[a=1,b=x]", 0, r#"{"a":1,"b":"y"}"#, false)]
    #[case::spaces("[a = 1, b = x]", 0, r#"{"a":1,"b":"x"}"#, true)]
    #[case::absent_key("[a=null]", 0, r#"{"b":1}"#, true)]
    #[case::present_key("[a=null]", 0, r#"{"a":1}"#, false)]
    #[case::the_item_itself("[=a]", 0, r#""a""#, true)]
    #[case::a_field_of_a_scalar("[a=1]", 0, "1", false)]
    #[case::no_item_has_a_name("a", 0, r#"{"a":1}"#, false)]
    fn an_item_is_found_by_what_is_in_it(
        #[case] step: &str,
        #[case] index: usize,
        #[case] item: &str,
        #[case] expected: bool,
    ) {
        let selector: Selector = step.parse().unwrap();
        assert_eq!(selector.0[0].matches(index, &from_json(item.as_bytes()).unwrap()), expected);
    }

    #[rstest]
    #[case::nothing("", "it is empty; the object itself is written .")]
    #[case::two_dots("a..b", "a name is missing before a dot")]
    #[case::a_dot_first(".a", "a name is missing before a dot")]
    #[case::a_dot_last("a.", "it ends in a dot")]
    #[case::a_dot_behind_the_last_brackets("a[0].", "it ends in a dot")]
    #[case::no_end("a[", "a [ has no ] that closes it")]
    #[case::no_end_of_quotes("a[\"b]", "a [ has no ] that closes it")]
    #[case::a_word("a[x]", "brackets hold an index, a quoted key, or key=value")]
    #[case::words_behind_quotes("a[\"b\"c]", "the quoted key in brackets is not closed")]
    fn invalid_selectors_are_refused(#[case] text: &str, #[case] reason: &str) {
        let error = text.parse::<Selector>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidIntent);
        assert_eq!(error.to_string(), format!("{text:?} does not name a place: {reason}"));
    }
}
