//! Parts of suite files that are written by commands.

use std::fmt::Write;

use crate::yaml::{write_flow, write_flow_string};
use skewer_engine::skew::{self, Edit, Intent};
use skewer_engine::{Doc, Text};

/// Writes an intent after this margin.
pub fn write_intent(text: &mut String, intent: &Intent, margin: &str) {
    if intent.is_empty() {
        let _ = writeln!(text, "{margin}intent: {{}}");
        return;
    }
    let _ = writeln!(text, "{margin}intent:");
    let mut heading = "";
    let mut write_entry = |text: &mut String, name: &'static str, item: String| {
        if heading != name {
            let _ = writeln!(text, "{margin}  {name}:");
            heading = name;
        }
        let _ = writeln!(text, "{margin}    - {item}");
    };
    let selector = |at: &skew::Selector| write_flow_string(&at.to_string());
    for edit in &intent.0 {
        match edit {
            Edit::Set(value) => {
                let _ = writeln!(text, "{margin}  set: {}", write_flow(value));
            }
            Edit::Choose { selector: at, fields } => {
                let fields = write_flow(&Doc::Map(fields.clone()));
                write_entry(text, "choose", format!("{{at: {}, fields: {fields}}}", selector(at)));
            }
            Edit::Add { selector: at, item: added } => {
                write_entry(text, "add", format!("{{at: {}, item: {}}}", selector(at), write_flow(added)));
            }
            Edit::Select { selector: at, member, value } => {
                let member = write_flow_string(member);
                write_entry(
                    text,
                    "select",
                    format!("{{at: {}, member: {member}, value: {}}}", selector(at), write_flow(value)),
                );
            }
            Edit::Clear(at) => write_entry(text, "clear", selector(at)),
            Edit::Remove(at) => write_entry(text, "remove", selector(at)),
            Edit::Order { selector: at, order } => {
                let order = write_flow(&Doc::List(order.clone()));
                write_entry(text, "order", format!("{{at: {}, as: {order}}}", selector(at)));
            }
            Edit::Increment { selector: at, by } => {
                write_entry(text, "increment", format!("{{at: {}, by: {by}}}", selector(at)));
            }
        }
    }
}

/// Maximum width of a line of prose.
const MAX_WIDTH: usize = 112;

/// Writes a text as indented lines.
pub fn write_wrapped(text: &mut String, words: &str) {
    write_wrapped_after(text, words, " ");
}

/// Writes a text as lines with a margin, which ends one character before the text.
pub fn write_wrapped_after(text: &mut String, words: &str, margin: &str) {
    let mut line = margin.to_owned();
    for word in words.split(' ').map(Text::from) {
        if line.chars().count() + word.chars().count() >= MAX_WIDTH && line.trim() != "" {
            let _ = writeln!(text, "{line}");
            margin.clone_into(&mut line);
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{line}");
}
