//! Paths of values in a document: `spec.ports[1]`.

use std::fmt;
use std::str::FromStr;

use crate::text::OwnedText;

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathSegment {
    /// A key of a map.
    Key(OwnedText),
    /// The index of a list item. The first item has index 0.
    Index(usize),
}

/// A path into a document. The empty path refers to the whole document and is displayed as `.`.
///
/// ```
/// use skewer_engine::{FieldPath, PathSegment};
///
/// let mut path = FieldPath::root();
/// path.push(PathSegment::Key("ports".into()));
/// path.push(PathSegment::Index(0));
/// assert_eq!(path.to_string(), "ports[0]");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldPath(Vec<PathSegment>);

impl FieldPath {
    /// Creates the path of the whole document.
    #[must_use]
    pub fn root() -> Self {
        FieldPath(Vec::new())
    }

    /// Returns the segments, starting at the root.
    #[must_use]
    pub fn segments(&self) -> &[PathSegment] {
        &self.0
    }

    /// Appends a segment.
    pub fn push(&mut self, segment: PathSegment) {
        self.0.push(segment);
    }

    /// Removes the last segment.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Inserts a segment at the front.
    ///
    /// An error collects its path with this function while it is passed up the call stack. An operation that succeeds
    /// therefore builds no path.
    pub(crate) fn prepend(&mut self, segment: PathSegment) {
        self.0.insert(0, segment);
    }
}

/// Returns true if a key is displayed in brackets and quotes, for example the key of an annotation, which contains
/// dots.
#[must_use]
pub fn needs_quotes(key: &str) -> bool {
    key.is_empty() || key.contains(['.', '[', ']', '"'])
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                PathSegment::Key(key) if needs_quotes(key) => write!(f, "[{key:?}]")?,
                PathSegment::Key(key) if i == 0 => f.write_str(key)?,
                PathSegment::Key(key) => write!(f, ".{key}")?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The error for a text that is not a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidFieldPath {
    text: String,
}

impl fmt::Display for InvalidFieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let examples = r#"`.`, `spec.ports[0]` or `annotations["example.com/a"]`"#;
        write!(f, "`{}` is not a field path: expected a path such as {examples}", self.text)
    }
}

impl std::error::Error for InvalidFieldPath {}

/// Parses the notation in which field paths are displayed.
///
/// ```
/// use skewer_engine::FieldPath;
///
/// let path: FieldPath = r#"annotations["example.com/a"]"#.parse()?;
/// assert_eq!(path.segments().len(), 2);
/// assert!("ports[".parse::<FieldPath>().is_err());
/// # Ok::<(), skewer_engine::InvalidFieldPath>(())
/// ```
impl FromStr for FieldPath {
    type Err = InvalidFieldPath;

    fn from_str(text: &str) -> Result<Self, InvalidFieldPath> {
        parse_segments(text).map(FieldPath).ok_or_else(|| InvalidFieldPath { text: text.to_owned() })
    }
}

/// Parses the segments of a path. Returns `None` if the text is not a path.
fn parse_segments(text: &str) -> Option<Vec<PathSegment>> {
    if text == "." {
        return Some(Vec::new());
    }
    let mut segments = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || segments.is_empty() {
        if let Some(in_brackets) = rest.strip_prefix('[') {
            let mut parser = serde_json::Deserializer::from_str(in_brackets).into_iter::<serde_json::Value>();
            let segment = match parser.next()?.ok()? {
                serde_json::Value::String(key) => PathSegment::Key(key.into()),
                index => PathSegment::Index(usize::try_from(index.as_u64()?).ok()?),
            };
            segments.push(segment);
            rest = in_brackets.get(parser.byte_offset()..)?.strip_prefix(']')?;
        } else {
            let key = if segments.is_empty() { rest } else { rest.strip_prefix('.')? };
            let end = key.find(['.', '[']).unwrap_or(key.len());
            let (key, after) = key.split_at(end);
            if needs_quotes(key) {
                return None;
            }
            segments.push(PathSegment::Key(key.into()));
            rest = after;
        }
    }
    Some(segments)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn key(name: &str) -> PathSegment {
        PathSegment::Key(name.into())
    }

    #[rstest]
    #[case::whole_document(&[], ".")]
    #[case::field(&[key("spec")], "spec")]
    #[case::nested_field(&[key("spec"), key("type")], "spec.type")]
    #[case::list_item(&[key("ports"), PathSegment::Index(1), key("name")], "ports[1].name")]
    #[case::item_of_nested_lists(&[PathSegment::Index(0), PathSegment::Index(2)], "[0][2]")]
    #[case::directive(&[key("$setElementOrder/ports")], "$setElementOrder/ports")]
    #[case::dot(&[key("annotations"), key("example.com/a")], r#"annotations["example.com/a"]"#)]
    #[case::opening_bracket(&[key("a[0")], r#"["a[0"]"#)]
    #[case::closing_bracket(&[key("a]")], r#"["a]"]"#)]
    #[case::quote(&[key("a\"b")], r#"["a\"b"]"#)]
    #[case::empty_key(&[key("a"), key("")], r#"a[""]"#)]
    fn keys_with_special_characters_are_quoted(#[case] segments: &[PathSegment], #[case] expected: &str) {
        let mut path = FieldPath::root();
        for segment in segments {
            path.push(segment.clone());
        }
        assert_eq!(path.to_string(), expected);
        assert_eq!(path.segments(), segments);
        assert_eq!(expected.parse(), Ok(path));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::dot_at_the_end("a.")]
    #[case::dot_at_the_start(".a")]
    #[case::two_dots("a..b")]
    #[case::open_bracket("a[0")]
    #[case::no_index("a[x]")]
    #[case::negative_index("a[-1]")]
    #[case::text_after_a_bracket("a[0]b")]
    #[case::closing_bracket("a]")]
    fn other_texts_are_not_paths(#[case] text: &str) {
        assert!(text.parse::<FieldPath>().is_err(), "{text}");
    }

    #[test]
    fn pop_undoes_push() {
        let mut path = FieldPath::root();
        path.push(key("a"));
        let parent = path.clone();
        path.push(key("b"));
        path.pop();
        assert_eq!(path, parent);
    }

    #[test]
    fn a_prepended_segment_comes_first() {
        let mut path = FieldPath::root();
        path.push(key("b"));
        path.prepend(key("a"));
        assert_eq!(path.to_string(), "a.b");
    }
}
