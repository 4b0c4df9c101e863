//! Selectors: paths by which an intent refers to parts of an object, such as `spec.ports[port=53,protocol=UDP].name`.

use std::fmt;
use std::str::FromStr;

use skewer_engine::document::{Doc, OwnedDoc, OwnedText, Text, from_json};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::field_path::needs_quotes;

/// A path into an object that can identify list items by their contents.
///
/// A [`FieldPath`](skewer_engine::FieldPath) has only the indexes of list items, which differ between the parties' documents.
///
/// ```
/// use skewer_skew::Selector;
///
/// let selector: Selector = "spec.ports[port=53,protocol=UDP].name".parse()?;
/// assert_eq!(selector.to_string(), "spec.ports[port=53,protocol=UDP].name");
/// assert!("spec..ports".parse::<Selector>().is_err());
/// # Ok::<(), skewer_engine::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Selector(pub(super) Vec<SelectorStep>);

impl Selector {
    /// Returns the steps, starting at the root of the object.
    #[must_use]
    pub fn steps(&self) -> &[SelectorStep] {
        &self.0
    }
}

/// One step of a [`Selector`].
#[derive(Clone, Debug, PartialEq)]
pub enum SelectorStep {
    /// A key of a map: `.name` or `["na.me"]`.
    Key(OwnedText),
    /// The index of a list item: `[2]`.
    Index(usize),
    /// The list items that satisfy all conditions: `[name=a]` or `[port=53,protocol=UDP]`.
    ///
    /// The key is empty in a condition on the item itself: `[=b]`. The value `null` requires that the item lacks the
    /// key.
    Matching(Vec<(OwnedText, OwnedDoc)>),
}

impl SelectorStep {
    /// Returns true if the step selects this item of a list.
    pub(super) fn matches(&self, index: usize, item: &OwnedDoc) -> bool {
        match self {
            SelectorStep::Key(_) => false,
            SelectorStep::Index(selected) => *selected == index,
            SelectorStep::Matching(conditions) => conditions.iter().all(|(key, expected)| {
                let value = if key.is_empty() { Some(item) } else { item.as_map().and_then(|m| m.get(key)) };
                value.map_or(expected.is_null(), |value| value == expected)
            }),
        }
    }
}

impl FromStr for Selector {
    type Err = Error;

    /// Parses a selector.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidIntent`] if the text is not a selector.
    fn from_str(text: &str) -> Result<Self> {
        let mut steps = Vec::new();
        let mut rest = text.trim();
        if rest == "." {
            return Ok(Selector(steps));
        }
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let end = closing_bracket_offset(inside)
                    .ok_or_else(|| syntax_error(text, "a bracket is not closed"))?;
                steps.push(parse_bracket(text, &inside[..end])?);
                rest = &inside[end + 1..];
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                if end == 0 {
                    return Err(syntax_error(text, "expected a field name, found a dot"));
                }
                steps.push(SelectorStep::Key(Text::from(&rest[..end])));
                rest = &rest[end..];
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err(syntax_error(text, "expected a field name after the last dot"));
                }
                rest = after;
            }
        }
        if steps.is_empty() {
            return Err(syntax_error(text, "expected a path; a single dot selects the whole object"));
        }
        Ok(Selector(steps))
    }
}

/// Returns the offset of the closing bracket in a text that begins after the opening one. Brackets in quotes are
/// skipped.
fn closing_bracket_offset(inside: &str) -> Option<usize> {
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

/// Parses the text between two brackets. `text` is the whole selector, for messages.
fn parse_bracket(text: &str, inside: &str) -> Result<SelectorStep> {
    if let Ok(index) = inside.parse() {
        return Ok(SelectorStep::Index(index));
    }
    if inside.starts_with('"') && !inside.contains('=') {
        return match from_json(inside.as_bytes()) {
            Ok(Doc::String(key)) => Ok(SelectorStep::Key(key)),
            _ => Err(syntax_error(text, "expected one quoted key in the brackets")),
        };
    }
    let conditions = inside
        .split(',')
        .map(|condition| {
            let (key, value) = condition.split_once('=').ok_or_else(|| {
                syntax_error(text, "expected an index, a quoted key, or key=value in the brackets")
            })?;
            // As in YAML: a value that is valid JSON is read as JSON, any other value is a string.
            let value = value.trim();
            let value = from_json(value.as_bytes()).unwrap_or_else(|_| Doc::from(value));
            Ok((Text::from(key.trim()), value))
        })
        .collect::<Result<_>>()?;
    Ok(SelectorStep::Matching(conditions))
}

fn syntax_error(text: &str, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidIntent, format!("invalid selector {text:?}: {reason}"))
}

/// Returns true if a string value can be displayed in brackets without quotes.
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
    #[case::dot_before_brackets("a.b[0]", &["a", "b", "0"])]
    #[case::dot_after_brackets("a[0].b", &["a", "0", "b"])]
    #[case::quoted_key("a[\"b.c\"]d", &["a", "b.c", "d"])]
    fn parsing_yields_the_steps_of_the_selector(#[case] text: &str, #[case] expected: &[&str]) {
        let steps = text.parse::<Selector>().unwrap().0;
        let steps: Vec<String> = steps
            .iter()
            .map(|step| match step {
                SelectorStep::Key(key) => key.to_string(),
                SelectorStep::Index(index) => index.to_string(),
                SelectorStep::Matching(_) => panic!("the selectors of this test have no conditions"),
            })
            .collect();
        assert_eq!(steps, expected);
    }

    #[rstest]
    #[case::equal_index("[1]", 1, "{}", true)]
    #[case::different_index("[1]", 2, "{}", false)]
    #[case::equal_number("[a=1]", 0, r#"{"a":1}"#, true)]
    #[case::string_is_not_a_number("[a=1]", 0, r#"{"a":"1"}"#, false)]
    #[case::equal_string("[a=x]", 0, r#"{"a":"x"}"#, true)]
    #[case::quoted_string_of_digits("[a=\"1\"]", 0, r#"{"a":"1"}"#, true)]
    #[case::all_conditions_satisfied("[a=1,b=x]", 0, r#"{"a":1,"b":"x"}"#, true)]
    #[case::one_condition_satisfied("[a=1,b=x]", 0, r#"{"a":1,"b":"y"}"#, false)]
    #[case::spaces("[a = 1, b = x]", 0, r#"{"a":1,"b":"x"}"#, true)]
    #[case::null_with_absent_key("[a=null]", 0, r#"{"b":1}"#, true)]
    #[case::null_with_present_key("[a=null]", 0, r#"{"a":1}"#, false)]
    #[case::scalar_item("[=a]", 0, r#""a""#, true)]
    #[case::scalar_item_has_no_keys("[a=1]", 0, "1", false)]
    #[case::map_key_selects_no_item("a", 0, r#"{"a":1}"#, false)]
    fn a_step_matches_list_items_by_index_or_conditions(
        #[case] step: &str,
        #[case] index: usize,
        #[case] item: &str,
        #[case] expected: bool,
    ) {
        let selector: Selector = step.parse().unwrap();
        assert_eq!(selector.0[0].matches(index, &from_json(item.as_bytes()).unwrap()), expected);
    }

    #[rstest]
    #[case::empty_text("", "expected a path; a single dot selects the whole object")]
    #[case::two_dots("a..b", "expected a field name, found a dot")]
    #[case::leading_dot(".a", "expected a field name, found a dot")]
    #[case::trailing_dot("a.", "expected a field name after the last dot")]
    #[case::trailing_dot_after_brackets("a[0].", "expected a field name after the last dot")]
    #[case::unclosed_bracket("a[", "a bracket is not closed")]
    #[case::unclosed_quotes("a[\"b]", "a bracket is not closed")]
    #[case::unquoted_key("a[x]", "expected an index, a quoted key, or key=value in the brackets")]
    #[case::text_after_quoted_key("a[\"b\"c]", "expected one quoted key in the brackets")]
    fn invalid_selectors_are_refused(#[case] text: &str, #[case] reason: &str) {
        let error = text.parse::<Selector>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidIntent);
        assert_eq!(error.to_string(), format!("invalid selector {text:?}: {reason}"));
    }
}
