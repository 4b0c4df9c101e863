//! The events of the YAML parser, with spans in bytes.

use granit_parser::{Event, Marker, Options, Parser, StrInput};

use crate::{Diagnostic, Span};

/// An event of the parser with its source spans.
pub(super) struct SpannedEvent<'t> {
    pub(super) event: Event<'t>,
    /// The span of a scalar, an alias, or a bracket. For the start of a block, an empty span at its first item.
    pub(super) span: Span,
    /// The span of the tag, if there is one.
    pub(super) tag_span: Option<Span>,
    /// The indentation of a block scalar that is not blank.
    pub(super) indentation: Option<usize>,
}

/// The events of one text, up to its end or its first syntax error.
pub(super) struct Events<'t> {
    parser: Parser<'t, StrInput<'t>>,
}

impl<'t> Events<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut options = Options::default();
        // The reader of the events limits depth: it knows the depth of aliases, too. The parser does not recurse.
        options.flow_nesting_limit = usize::MAX;
        options.block_nesting_limit = usize::MAX;
        options.emit_anchor_events = true;
        options.emit_unresolved_aliases = true;
        options.set_emit_comments(false);
        Events { parser: Parser::new_from_str_with_options(text, options) }
    }
}

impl<'t> Iterator for Events<'t> {
    type Item = Result<SpannedEvent<'t>, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let (event, span) = match self.parser.next_event()? {
            Ok(event) => event,
            Err(error) => {
                let span = Span::new(offset(*error.marker()), 0);
                return Some(Err(Diagnostic::new(span, format!("not valid YAML: {}", error.kind()))));
            }
        };
        let (tag_span, indentation) = (span.tag_span().map(byte_span), span.indent);
        Some(Ok(SpannedEvent { event, span: byte_span(span), tag_span, indentation }))
    }
}

fn byte_span(span: granit_parser::Span) -> Span {
    let start = offset(span.start);
    Span::new(start, offset(span.end).saturating_sub(start))
}

/// Returns the offset of a marker in bytes. The parser of a `str` knows it for every marker.
fn offset(marker: Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}
