//! The layout of YAML files: one style for the files that programs write and for those that people write.
//!
//! A [`Layout`] is a tree of collections and scalars with comments and blank lines. [`Layout::of`] makes it from a value,
//! and [`format`](crate::format) from the text of a file. Printing puts a collection on one line if it fits there. A
//! collection that does not fit, and one that is written in block style on purpose, has a line for each key or item.

pub(crate) mod formatting;
mod print;
mod read;
mod text;

use serde::Serialize;
use serde_yaml::{Number, Value};
use skewer_engine::Doc;

use self::text::TextStyle;
use crate::scalar::write_flow_string;

/// Maximum number of columns of a line that can be broken.
pub const MAX_COLUMNS: usize = 120;

/// A YAML value with its style, before it is printed on lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    content: Content,
    /// Whether a collection has a line for each key or item, although it might fit on one line.
    is_block: bool,
    anchor: Option<String>,
    /// The comments on the lines above a key or an item. An empty text is a blank line.
    above: Vec<String>,
    /// The comment at the end of the line.
    beside: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// A scalar as it is written, or an alias.
    Token(String),
    /// A string, for which printing chooses the form.
    Text(String, TextStyle),
    List(Vec<Layout>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: Layout,
    value: Layout,
}

impl From<Content> for Layout {
    fn from(content: Content) -> Self {
        Layout { content, is_block: false, anchor: None, above: Vec::new(), beside: None }
    }
}

impl From<Value> for Layout {
    fn from(value: Value) -> Self {
        Layout::from(match value {
            Value::Null => Content::Token("null".to_owned()),
            Value::Bool(value) => Content::Token(value.to_string()),
            Value::Number(number) => Content::Token(number_token(&number)),
            Value::String(text) => Content::Text(text, TextStyle::Any),
            Value::Sequence(items) => Content::List(items.into_iter().map(Layout::from).collect()),
            Value::Mapping(entries) => Content::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| Entry { key: Layout::key(&key), value: Layout::from(value) })
                    .collect(),
            ),
            Value::Tagged(tagged) => Layout::from(tagged.value).content,
        })
    }
}

fn number_token(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => Doc::Float(value).to_string(),
        _ => number.to_string(),
    }
}

impl Layout {
    /// Returns the layout of a value. Every collection is put on one line if it fits there.
    ///
    /// # Panics
    ///
    /// Panics if the value cannot be serialized.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Layout::from(serde_yaml::to_value(value).expect("a value of the case format can be serialized"))
    }

    fn key(key: &Value) -> Self {
        Layout::from(Content::Token(write_flow_string(key.as_str().unwrap_or_default())))
    }

    /// Gives each key or item of this collection a line.
    pub fn set_block(&mut self) {
        self.is_block = true;
    }

    /// Gives this list, and each collection in it, a line for each item or key.
    pub fn set_block_items(&mut self) {
        self.set_block();
        self.items_mut().for_each(Layout::set_block);
    }

    /// Returns the value of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Layout> {
        let is_key = |entry: &&mut Entry| matches!(&entry.key.content, Content::Token(token) if token == key);
        self.entries_mut().iter_mut().find(is_key).map(|entry| &mut entry.value)
    }

    /// Returns the items of a list, or the values of a map.
    pub fn items_mut(&mut self) -> impl Iterator<Item = &mut Layout> {
        let (items, entries): (&mut [Layout], &mut [Entry]) = match &mut self.content {
            Content::List(items) => (items, &mut []),
            Content::Map(entries) => (&mut [], entries),
            Content::Token(_) | Content::Text(..) => (&mut [], &mut []),
        };
        items.iter_mut().chain(entries.iter_mut().map(|entry| &mut entry.value))
    }

    fn entries_mut(&mut self) -> &mut [Entry] {
        match &mut self.content {
            Content::Map(entries) => entries,
            _ => &mut [],
        }
    }

    /// Gives values that occur several times and need more than one line an anchor, and replaces all but the first by
    /// aliases. The names of the anchors begin with `prefix`.
    pub fn share<'l>(values: impl Iterator<Item = &'l mut Layout>, prefix: &str) {
        let values: Vec<&mut Layout> =
            values.filter(|value| value.inline().is_none_or(|line| is_too_long(&line))).collect();
        let originals: Vec<Layout> = values.iter().map(|value| (**value).clone()).collect();
        let mut anchored: Vec<&Layout> = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            let original = &originals[index];
            let known = anchored.iter().position(|other| *other == original);
            match known {
                Some(number) => *value = Layout::from(Content::Token(format!("*{prefix}-{number}"))),
                None if originals[index + 1..].contains(original) => {
                    value.anchor = Some(format!("{prefix}-{}", anchored.len()));
                    anchored.push(original);
                }
                None => {}
            }
        }
    }
}

fn is_too_long(line: &str) -> bool {
    line.chars().count() > MAX_COLUMNS
}
