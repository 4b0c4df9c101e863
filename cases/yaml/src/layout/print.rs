//! Printing of layouts.

use super::text::{self, TextForm};
use super::{Content, Entry, Layout, MAX_COLUMNS};

impl Layout {
    /// Prints the value as a file.
    #[must_use]
    pub fn print(&self) -> String {
        self.lines(0).iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Prints the lines of the keys of a map, or of the items of a list, after this number of columns.
    #[must_use]
    pub fn lines(&self, indent: usize) -> Vec<String> {
        indented(self.child_lines(MAX_COLUMNS.saturating_sub(indent)), indent)
    }

    /// Prints the value on one line in flow style.
    #[must_use]
    pub fn flow(&self) -> String {
        self.flow_with(text::flow_string)
    }

    /// Prints the value on one line in flow style. `string` writes its strings.
    pub(crate) fn flow_with(&self, string: fn(&str) -> String) -> String {
        let text = match &self.content {
            Content::Token(token) if token.is_empty() => "null".to_owned(),
            Content::Token(token) => token.clone(),
            Content::Text(text, _) => string(text),
            Content::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.flow_with(string)).collect();
                format!("[{}]", items.join(", "))
            }
            Content::Map(entries) => {
                let entry = |Entry { key, value }: &Entry| {
                    format!("{}: {}", key.flow_with(string), value.flow_with(string))
                };
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        };
        self.after_anchor(&text)
    }

    /// Prints the value on one line, if nothing in it needs lines of its own.
    pub(super) fn inline(&self) -> Option<String> {
        (!self.needs_lines()).then(|| self.flow())
    }

    fn needs_lines(&self) -> bool {
        let has_comment =
            |layout: &Layout| layout.beside.is_some() || layout.above.iter().any(|line| !line.is_empty());
        match &self.content {
            Content::Text(text, style) => text::needs_lines(text, *style),
            Content::List(items) if !items.is_empty() => {
                self.is_block || items.iter().any(|item| has_comment(item) || item.needs_lines())
            }
            Content::Map(entries) if !entries.is_empty() => {
                self.is_block
                    || entries.iter().any(|Entry { key, value }| {
                        has_comment(key) || has_comment(value) || value.needs_lines()
                    })
            }
            Content::Token(_) | Content::List(_) | Content::Map(_) => false,
        }
    }

    fn after_anchor(&self, text: &str) -> String {
        match &self.anchor {
            Some(anchor) => format!("&{anchor} {text}").trim_end().to_owned(),
            None => text.to_owned(),
        }
    }

    fn child_lines(&self, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        match &self.content {
            Content::List(items) if !items.is_empty() => {
                for item in items {
                    let item_lines = item.item_lines(width);
                    add_with_comments(&mut lines, &item.above, item_lines);
                }
            }
            Content::Map(entries) if !entries.is_empty() => {
                for Entry { key, value } in entries {
                    let value_lines =
                        value.lines_after(&format!("{}:", key.flow()), key.beside.as_deref(), width);
                    add_with_comments(&mut lines, &key.above, value_lines);
                }
            }
            _ => lines = self.lines_after("", None, width),
        }
        lines
    }

    fn item_lines(&self, width: usize) -> Vec<String> {
        let is_collection = matches!(self.content, Content::List(_) | Content::Map(_));
        let is_broken =
            is_collection && self.anchor.is_none() && self.inline().is_none_or(|line| !fits(&line, 2, width));
        if !is_broken {
            return self.lines_after("-", None, width);
        }
        let mut lines = indented(self.child_lines(width.saturating_sub(2)), 2);
        if let Some(first) = lines.first_mut() {
            first.replace_range(..1, "-");
        }
        // Beside the first key, the comment would belong to that key.
        self.beside.iter().cloned().chain(lines).collect()
    }

    /// Prints the value after a key or a dash.
    fn lines_after(&self, head: &str, beside_head: Option<&str>, width: usize) -> Vec<String> {
        let column = head.chars().count() + 1;
        let beside = beside_head.or(self.beside.as_deref());
        let with_comment = |line: String| match beside {
            Some(comment) => format!("{} {comment}", line.trim()),
            None => line.trim().to_owned(),
        };
        let after_head = |text: &str| with_comment(format!("{head} {}", self.after_anchor(text)));
        match &self.content {
            Content::Text(text, style) => {
                match text::form(text, *style, width.saturating_sub(column), width.saturating_sub(2)) {
                    TextForm::Inline(line) => vec![after_head(&line)],
                    TextForm::Lines { indicator, lines } => {
                        [after_head(indicator)].into_iter().chain(indented(lines, 2)).collect()
                    }
                }
            }
            Content::Token(token) => vec![after_head(token)],
            Content::List(_) | Content::Map(_) => match self.inline() {
                Some(line) if fits(&line, column, width) || self.is_empty() => {
                    vec![with_comment(format!("{head} {line}"))]
                }
                _ => {
                    let children = indented(self.child_lines(width.saturating_sub(2)), 2);
                    [after_head("")].into_iter().chain(children).collect()
                }
            },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.content {
            Content::List(items) => items.is_empty(),
            Content::Map(entries) => entries.is_empty(),
            Content::Token(_) | Content::Text(..) => false,
        }
    }
}

fn fits(line: &str, column: usize, width: usize) -> bool {
    column + line.chars().count() <= width
}

/// Adds lines with the comments above them. A collection does not begin with a blank line.
fn add_with_comments(lines: &mut Vec<String>, above: &[String], new: Vec<String>) {
    let is_first = lines.is_empty();
    lines.extend(above.iter().skip_while(|line| is_first && line.is_empty()).cloned());
    lines.extend(new);
}

fn indented(mut lines: Vec<String>, columns: usize) -> Vec<String> {
    for line in lines.iter_mut().filter(|line| !line.is_empty()) {
        line.insert_str(0, &" ".repeat(columns));
    }
    lines
}
