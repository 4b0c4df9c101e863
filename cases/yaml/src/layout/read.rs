//! Reading the layout of a file.

use std::mem;

use granit_parser::{Event, ScalarStyle, StructureStyle};

use super::text::TextStyle;
use super::{Content, Entry, Layout};
use crate::Span;
use crate::events::{Events, SpannedEvent};

/// The layout of a file.
pub(super) struct FileLayout {
    root: Layout,
    /// The comments at the end of the file.
    below: Vec<String>,
}

impl FileLayout {
    pub(super) fn print(&self) -> String {
        self.below.iter().fold(self.root.print(), |text, line| text + line + "\n")
    }
}

/// Reads the layout of a text that is valid YAML. Returns `None` if the text has no value.
pub(super) fn read_layout(text: &str) -> Option<FileLayout> {
    let mut reader = LayoutReader { text, open: Vec::new(), above: Vec::new(), end: 0, root: None };
    for event in Events::with_comments(text) {
        reader.handle_event(event.ok()?);
    }
    let root = reader.root?;
    Some(FileLayout { root, below: reader.above })
}

/// A collection whose end has not been reached.
struct OpenLayout {
    layout: Layout,
    /// The key for which a map expects the value.
    key: Option<Layout>,
}

struct LayoutReader<'t> {
    text: &'t str,
    open: Vec<OpenLayout>,
    /// The comments and blank lines above the next value.
    above: Vec<String>,
    /// The end of the last token.
    end: usize,
    root: Option<Layout>,
}

impl LayoutReader<'_> {
    fn handle_event(&mut self, SpannedEvent { event, span, .. }: SpannedEvent<'_>) {
        let source = self.text.get(span.offset..span.end()).unwrap_or_default();
        match event {
            Event::Comment(..) => self.add_comment(source.trim_end(), span),
            Event::Anchor(_, name) => {
                self.set_anchor(name.into_owned());
            }
            Event::Alias(_) => self.add_leaf(Content::Token(source.to_owned()), span),
            Event::Scalar(value, style, ..) => {
                let content = match style {
                    ScalarStyle::Literal => Content::Text(value.into_owned(), TextStyle::Literal),
                    ScalarStyle::Folded => Content::Text(value.into_owned(), TextStyle::Folded),
                    _ if source.contains(['\n', '\r']) => {
                        Content::Text(value.into_owned(), TextStyle::Folded)
                    }
                    _ => Content::Token(source.to_owned()),
                };
                self.add_leaf(content, span);
            }
            Event::SequenceStart(style, ..) => self.start(Content::List(Vec::new()), style, span),
            Event::MappingStart(style, ..) => self.start(Content::Map(Vec::new()), style, span),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenLayout { layout, .. }) = self.open.pop() else { return };
                if !layout.is_block {
                    self.end = span.end();
                }
                self.attach(layout);
            }
            _ => {}
        }
    }

    /// Gives the node that was read last an anchor.
    fn set_anchor(&mut self, name: String) {
        let node = match self.open.last_mut() {
            Some(OpenLayout { key: Some(key), .. }) => Some(key),
            Some(OpenLayout { layout, key: None }) if layout.is_empty() => Some(layout),
            Some(OpenLayout { layout, .. }) => layout.last_child_mut(),
            None => self.root.as_mut(),
        };
        if let Some(node) = node {
            node.anchor = Some(name);
        }
    }

    fn add_comment(&mut self, comment: &str, span: Span) {
        // The comment of a block scalar comes after the event of the scalar.
        let is_same_line =
            self.end > 0 && self.between(span).is_none_or(|between| !between.contains(['\n', '\r']));
        if !is_same_line || !self.add_beside(comment) {
            self.add_blank_line(span);
            self.above.push(comment.to_owned());
        }
        self.end = self.end.max(span.end());
    }

    fn add_leaf(&mut self, content: Content, span: Span) {
        let layout = Layout { above: self.take_above(span), ..Layout::from(content) };
        self.end = self.end.max(span.end());
        self.attach(layout);
    }

    fn start(&mut self, content: Content, style: StructureStyle, span: Span) {
        let is_block = style == StructureStyle::Block;
        let layout = Layout { above: self.take_above(span), is_block, ..Layout::from(content) };
        if !is_block {
            self.end = span.end();
        }
        self.open.push(OpenLayout { layout, key: None });
    }

    /// Returns the text between the last token and a span.
    fn between(&self, span: Span) -> Option<&str> {
        self.text.get(self.end..span.offset)
    }

    fn add_blank_line(&mut self, span: Span) {
        let between = self.between(span).unwrap_or_default().replace("\r\n", "\n");
        let mut lines = between.split(['\n', '\r']).skip(1).peekable();
        let mut has_blank_line = false;
        while let Some(line) = lines.next() {
            has_blank_line |= lines.peek().is_some() && line.trim().is_empty();
        }
        if has_blank_line && self.above.last().is_none_or(|line| !line.is_empty()) {
            self.above.push(String::new());
        }
    }

    fn take_above(&mut self, span: Span) -> Vec<String> {
        self.add_blank_line(span);
        mem::take(&mut self.above)
    }

    fn attach(&mut self, mut layout: Layout) {
        let Some(OpenLayout { layout: parent, key }) = self.open.last_mut() else {
            layout.pass_comments_on();
            self.root = Some(layout);
            return;
        };
        match &mut parent.content {
            Content::List(items) => {
                layout.take_comments_of_first();
                items.push(layout);
            }
            Content::Map(entries) => match key.take() {
                None => *key = Some(layout),
                Some(key) => entries.push(Entry::joined(key, layout)),
            },
            Content::Token(_) | Content::Text(..) => {}
        }
    }

    /// Adds a comment at the end of the line of the last token. Returns false if this is not possible.
    fn add_beside(&mut self, comment: &str) -> bool {
        match self.open.last_mut() {
            Some(OpenLayout { key: Some(key), .. }) => key.add_beside(comment),
            Some(OpenLayout { layout, .. }) => {
                layout.last_child_mut().is_some_and(|child| child.add_beside(comment))
            }
            None => self.root.as_mut().is_some_and(|root| root.add_beside(comment)),
        }
    }
}

impl Layout {
    fn last_child_mut(&mut self) -> Option<&mut Layout> {
        match &mut self.content {
            Content::List(items) => items.last_mut(),
            Content::Map(entries) => entries.last_mut().map(|entry| &mut entry.value),
            Content::Token(_) | Content::Text(..) => None,
        }
    }

    fn first_child_mut(&mut self) -> Option<&mut Layout> {
        match &mut self.content {
            Content::List(items) => items.first_mut(),
            Content::Map(entries) => entries.first_mut().map(|entry| &mut entry.key),
            Content::Token(_) | Content::Text(..) => None,
        }
    }

    fn add_beside(&mut self, comment: &str) -> bool {
        if let (true, Some(child)) = (self.is_block, self.last_child_mut()) {
            return child.add_beside(comment);
        }
        if self.beside.is_some() {
            return false;
        }
        self.beside = Some(comment.to_owned());
        true
    }

    /// Moves the comments above this collection above its first key or item.
    fn pass_comments_on(&mut self) {
        let mut above = mem::take(&mut self.above);
        match self.first_child_mut() {
            Some(child) => {
                above.append(&mut child.above);
                child.above = above;
            }
            None => self.above = above,
        }
    }

    /// Moves the comments above the first key or item of this item of a list above the item.
    fn take_comments_of_first(&mut self) {
        if let (true, Some(child)) = (self.is_block, self.first_child_mut()) {
            let mut above = mem::take(&mut child.above);
            self.above.append(&mut above);
        }
    }
}

impl Entry {
    /// Joins a key and its value. The comments of a scalar are written above the key, or at the end of its line.
    fn joined(mut key: Layout, mut value: Layout) -> Self {
        value.above.retain(|line| !line.is_empty());
        if value.is_block {
            value.pass_comments_on();
        } else {
            key.above.append(&mut value.above);
            match value.beside.take() {
                Some(comment) if key.beside.is_none() => key.beside = Some(comment),
                Some(comment) => key.above.push(comment),
                None => {}
            }
        }
        Entry { key, value }
    }
}
