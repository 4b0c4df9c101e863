//! The events of the YAML parser, with source spans in bytes.

use std::borrow::Cow;

use granit_parser::{
    ErrorKind, Event, Marker, Options, Parser, ScalarStyle, ScanError, StrInput, StructureStyle,
};

use crate::{Diagnostic, Span};

/// Parts of messages of the parser about keys and items in the wrong column.
const STRUCTURE_MESSAGES: [&str; 3] =
    ["mapping values are not allowed", "did not find expected key", "did not find expected '-' indicator"];

/// The advice for such messages, which are in the terms of the YAML specification.
const STRUCTURE_HELP: &str =
    "check the indentation here and above: keys of one map, and items of one list, begin in the same column";

/// A parser event with its source spans.
pub(super) struct SpannedEvent<'t> {
    pub(super) event: Event<'t>,
    /// The span of the event's token: a scalar, an alias, an anchor or a bracket. Block collections have no brackets:
    /// their start event has an empty span at the first item, and their end event has an empty span, too.
    pub(super) span: Span,
    /// The span of the tag, if there is one.
    pub(super) tag_span: Option<Span>,
}

/// An iterator over the events of a text, which stops at the first syntax error.
pub(super) struct Events<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
    /// The largest end offset of the events so far.
    end: usize,
}

impl<'t> Events<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Events::with_options(text, false)
    }

    /// Returns the events of a text with those of its comments.
    pub(super) fn with_comments(text: &'t str) -> Self {
        Events::with_options(text, true)
    }

    fn with_options(text: &'t str, emit_comments: bool) -> Self {
        let mut options = Options::default();
        // The parser needs no depth limit, because it is not recursive. `NodeBuilder` limits the depth, including that
        // of aliases.
        options.flow_nesting_limit = usize::MAX;
        options.block_nesting_limit = usize::MAX;
        options.emit_anchor_events = true;
        options.emit_unresolved_aliases = true;
        options.set_emit_comments(emit_comments);
        options.max_buffered_comment_events = usize::MAX;
        Events { text, parser: Parser::new_from_str_with_options(text, options), end: 0 }
    }

    fn syntax_error(&self, error: &ScanError) -> Diagnostic {
        let offset = offset(*error.marker());
        // The parser reports an unclosed quoted scalar only on the next line, so the error is moved to the opening
        // quote.
        let opening_quote = match error.kind() {
            ErrorKind::InvalidQuotedScalarIndent => self.opening_quote(offset),
            _ => None,
        };
        let message = format!("not valid YAML: {}", error.kind());
        // The parser reports a tab where the scalar before it begins.
        let tab = self.text.get(offset..).and_then(|rest| rest.find('\t')).map(|tab| offset + tab);
        let tab = tab.filter(|_| message.contains("found a tab"));
        let span = Span::new(opening_quote.or(tab).unwrap_or(offset), 0);
        let is_about_structure = STRUCTURE_MESSAGES.iter().any(|part| message.contains(part));
        // In a flow collection, a bracket within a plain scalar is a bracket.
        let is_bracket =
            self.text.get(..offset).is_some_and(|before| before.ends_with(|c: char| !c.is_whitespace()))
                && self.text.get(offset..).is_some_and(|rest| rest.starts_with('['));
        let line = self.text.get(..offset).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let help = if is_bracket {
            Some("quote a path with brackets: \"ports[0].name\"".to_owned())
        } else if tab.is_some() {
            Some("indent with spaces: YAML allows no tabs there".to_owned())
        } else if is_about_structure && line.trim_start_matches(['-', ' ']).contains(": ") {
            Some("quote a text that contains a colon and a space: `key: \"a: b\"`".to_owned())
        } else {
            is_about_structure.then(|| STRUCTURE_HELP.to_owned())
        };
        Diagnostic { help, ..Diagnostic::new(span, message) }
    }

    /// Finds the first quote after the last event. Only indicators, tags, anchors and comments can be between the two.
    fn opening_quote(&self, error_offset: usize) -> Option<usize> {
        let mut is_in_comment = false;
        let between = self.text.get(self.end..error_offset)?;
        let quote = between.bytes().position(|byte| {
            is_in_comment = byte != b'\n' && (is_in_comment || byte == b'#');
            !is_in_comment && matches!(byte, b'\'' | b'"')
        });
        quote.map(|quote| self.end + quote)
    }

    /// Corrects the end of a block scalar's span and value.
    ///
    /// The corrected span does not include the line breaks after the scalar. If the text ends without a line break, the
    /// parser adds one to the value. It is removed here, as in libyaml and in Kubernetes.
    fn correct_block_scalar(&self, value: &mut Cow<'t, str>, span: &mut Span, indentation: Option<usize>) {
        let source = self.text.get(span.offset..span.end()).unwrap_or_default();
        let last_line = self.text.rsplit(['\n', '\r']).next().unwrap_or_default();
        let is_last_line_content = match indentation {
            _ if span.end() < self.text.len() => false,
            Some(indentation) => last_line.len() > indentation,
            // In a blank scalar, every line break of the value comes from the text.
            None => value.matches('\n').count() >= source.matches('\n').count() && !last_line.is_empty(),
        };
        span.length = source.trim_ascii_end().len();
        if is_last_line_content && value.ends_with('\n') {
            value.to_mut().pop();
        }
    }

    /// Extends the span of a block list to include its first dash. The parser omits this dash if the list is not
    /// indented.
    fn include_first_dash(&self, span: &mut Span) {
        let (Some(before), Some(after)) = (self.text.get(..span.offset), self.text.get(span.offset..)) else {
            return;
        };
        let is_dash = after
            .strip_prefix('-')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()));
        if let (false, Some(before)) = (is_dash, before.trim_ascii_end().strip_suffix('-')) {
            *span = Span::new(before.len(), span.end() - before.len());
        }
    }
}

impl<'t> Iterator for Events<'t> {
    type Item = Result<SpannedEvent<'t>, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut event, source) = match self.parser.next_event()? {
            Ok(event) => event,
            Err(error) => return Some(Err(self.syntax_error(&error))),
        };
        let mut span = byte_span(source);
        self.end = self.end.max(span.end());
        match &mut event {
            Event::Scalar(value, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                self.correct_block_scalar(value, &mut span, source.indent);
            }
            Event::SequenceStart(StructureStyle::Block, ..) => self.include_first_dash(&mut span),
            _ => {}
        }
        Some(Ok(SpannedEvent { event, span, tag_span: source.tag_span().map(byte_span) }))
    }
}

fn byte_span(span: granit_parser::Span) -> Span {
    let start = offset(span.start);
    Span::new(start, offset(span.end).saturating_sub(start))
}

/// Returns the byte offset of a marker. A parser of a `str` sets the byte offset in every marker.
fn offset(marker: Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}
