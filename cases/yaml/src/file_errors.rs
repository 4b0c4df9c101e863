use std::fmt;
use std::sync::Arc;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use unicode_width::UnicodeWidthChar;

use crate::lines::floor_char_boundary;
use crate::{Diagnostic, Diagnostics, LineIndex, MAX_DIAGNOSTICS, Position, Span};

/// All errors of one file.
///
/// Displayed as plain text without colour, which does not change between runs: `file:line:column: message`, the source
/// line, and a line of carets under the span.
#[derive(Clone, Debug)]
pub struct FileErrors {
    name: String,
    lines: LineIndex,
    diagnostics: Vec<Diagnostic>,
    /// The number of errors that were counted but not kept.
    omitted: usize,
}

impl FileErrors {
    /// Creates the errors of the file `name` with the text `source`.
    #[must_use]
    pub fn new(name: impl Into<String>, source: Arc<str>, diagnostics: Vec<Diagnostic>) -> Self {
        let collected = Diagnostics::new();
        collected.extend(diagnostics);
        FileErrors::of(name, LineIndex::new(source), collected)
    }

    /// Creates the errors of the file `name` from an existing index of its lines.
    pub(super) fn of(name: impl Into<String>, lines: LineIndex, diagnostics: Diagnostics) -> Self {
        let omitted = diagnostics.omitted();
        FileErrors { name: name.into(), lines, diagnostics: diagnostics.into_vec(), omitted }
    }

    /// Writes the number of errors that were counted but not kept.
    fn write_omitted(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self.omitted {
            0 if self.diagnostics.len() < MAX_DIAGNOSTICS => Ok(()),
            0 => writeln!(
                out,
                "{}: these are the first {MAX_DIAGNOSTICS} errors; what comes after them was not checked",
                printable(&self.name)
            ),
            1 => writeln!(out, "{}: and 1 more error", printable(&self.name)),
            omitted => writeln!(out, "{}: and {omitted} more errors", printable(&self.name)),
        }
    }

    /// The name of the file, as passed to the parser.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the file.
    #[must_use]
    pub fn source_text(&self) -> &str {
        self.lines.text()
    }

    /// The errors of the file, sorted by position.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The lines of the file.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Renders the errors for a terminal that is `width` cells wide.
    #[must_use]
    pub fn graphical(&self, color: bool, width: usize) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(width);
        let source: Arc<str> =
            self.source_text().chars().map(printable_source_char).collect::<String>().into();
        let lines = LineIndex::new(Arc::clone(&source));
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            let report = MietteReport {
                source: SourceLines { name: printable(&self.name), lines: lines.clone() },
                diagnostic: Diagnostic {
                    message: printable(&diagnostic.message),
                    span: clamp_span(&source, diagnostic.span),
                    label: diagnostic.label.as_deref().map(printable),
                    help: diagnostic.help.as_deref().map(printable),
                    path: diagnostic.path.clone(),
                },
            };
            // miette does not shorten lines, so an error in a long line is written in the plain form.
            if self.has_long_line(diagnostic.span) {
                let _ = self.write_plain(&mut text, diagnostic);
                continue;
            }
            // Writing to a string cannot fail. If the handler itself fails, the plain form is written instead.
            if handler.render_report(&mut text, &report).is_err() {
                let _ = self.write_plain(&mut text, diagnostic);
            }
        }
        let _ = self.write_omitted(&mut text);
        text
    }

    fn has_long_line(&self, span: Span) -> bool {
        let line = self.lines.position(span.offset).line;
        (line.saturating_sub(1)..=line + 1).any(|line| self.lines.line(line).len() > MAX_GRAPHICAL_LINE)
    }

    fn write_plain(&self, out: &mut impl fmt::Write, diagnostic: &Diagnostic) -> fmt::Result {
        let span = clamp_span(self.source_text(), diagnostic.span);
        let start = self.lines.position(span.offset);
        writeln!(out, "{}:{start}: {}", printable(&self.name), printable(&diagnostic.message))?;
        let line = self.lines.line(start.line);
        let marked = self.source_text().get(span.offset..span.end()).unwrap_or("");
        let marked = marked.lines().next().unwrap_or("").trim_end().chars().count();
        let (excerpt, before, carets) = line_excerpt(line, start.column - 1, marked.max(1));
        let number = start.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(out, "{}", format_args!("{number} | {excerpt}").to_string().trim_end())?;
        write!(out, "{margin} | {}{}", " ".repeat(before), "^".repeat(carets))?;
        if let Some(label) = &diagnostic.label {
            write!(out, " {}", printable(label))?;
        }
        out.write_char('\n')?;
        if !diagnostic.path.segments().is_empty() {
            writeln!(out, "{margin} = in {}", printable(&diagnostic.path.to_string()))?;
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "{margin} = help: {}", printable(help))?;
        }
        Ok(())
    }
}

impl fmt::Display for FileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|diagnostic| self.write_plain(f, diagnostic))?;
        self.write_omitted(f)
    }
}

impl std::error::Error for FileErrors {}

/// Clamps a span to the text and to character boundaries.
fn clamp_span(text: &str, span: Span) -> Span {
    let offset = floor_char_boundary(text, span.offset);
    Span { offset, length: floor_char_boundary(text, span.end()).saturating_sub(offset) }
}

/// Maximum length in bytes of a source line that is shown in a frame. miette would print a longer line in full, so an
/// error in such a line is written without a frame.
const MAX_GRAPHICAL_LINE: usize = 2_000;
/// Maximum number of characters of a source line in a message.
const MAX_LINE_CHARS: usize = 160;
/// Maximum number of characters before the span in a shortened source line.
const MAX_CHARS_BEFORE_SPAN: usize = 80;

/// Cuts an excerpt of a line around a span. Returns the excerpt, the number of terminal cells before the span, and the
/// number of terminal cells of the span.
///
/// `column` and `marked` count characters. A tab becomes one space, and a control character becomes `�`, so that the
/// carets are below the span.
fn line_excerpt(line: &str, column: usize, marked: usize) -> (String, usize, usize) {
    let skip =
        if line.chars().count() > MAX_LINE_CHARS { column.saturating_sub(MAX_CHARS_BEFORE_SPAN) } else { 0 };
    let mut excerpt = String::new();
    let (mut before, mut carets) = (0, 0);
    if skip > 0 {
        excerpt.push('…');
        before = 1;
    }
    for (i, c) in line.chars().enumerate().skip(skip).take(MAX_LINE_CHARS) {
        let c = printable_char(c);
        excerpt.push(c);
        let cells = c.width().unwrap_or(1);
        if i < column {
            before += cells;
        } else if i < column.saturating_add(marked) {
            carets += cells;
        }
    }
    if line.chars().count() > skip + MAX_LINE_CHARS {
        excerpt.push('…');
    }
    (excerpt, before, carets.max(1))
}

/// Returns true for a character that changes the direction of text. Such a character could make a terminal show another
/// line than the one that was parsed.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

fn printable_char(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() || is_direction_mark(c) => '\u{FFFD}',
        c => c,
    }
}

/// Puts a text on one line and replaces its control characters.
fn printable(text: &str) -> String {
    text.chars().map(printable_char).collect()
}

/// Replaces a control character of a source text. Line breaks are kept, and every replacement has the same length in
/// bytes, so that spans stay valid.
fn printable_source_char(c: char) -> char {
    match (c, c.len_utf8()) {
        ('\t' | '\n' | '\r', _) => c,
        (c, 1) if c.is_control() => '?',
        (c, 2) if c.is_control() => '\u{BF}',
        (c, 3) if is_direction_mark(c) => '\u{FFFD}',
        _ => c,
    }
}

/// A source text for miette with indexed lines. The source types of miette search for each line from the beginning of
/// the text.
#[derive(Debug)]
struct SourceLines {
    name: String,
    lines: LineIndex,
}

impl SourceCode for SourceLines {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let line_of = |offset| self.lines.position(offset).line;
        let first = line_of(span.offset()).saturating_sub(lines_before).max(1);
        let last = (line_of(span.offset() + span.len()) + lines_after).min(self.lines.len());
        let start = self.lines.offset(Position { line: first, column: 1 });
        let end = self.lines.offset(Position { line: last + 1, column: 1 });
        let data = self.lines.text().get(start..end).ok_or(MietteError::OutOfBounds)?;
        let span = SourceSpan::new(start.into(), data.len());
        let contents = MietteSpanContents::new_named(
            self.name.clone(),
            data.as_bytes(),
            span,
            first - 1,
            0,
            last + 1 - first,
        );
        Ok(Box::new(contents))
    }
}

/// A diagnostic with its source, for miette to render.
#[derive(Debug)]
struct MietteReport {
    source: SourceLines,
    diagnostic: Diagnostic,
}

impl fmt::Display for MietteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for MietteReport {}

impl miette::Diagnostic for MietteReport {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Diagnostic { span, label, path, .. } = &self.diagnostic;
        let label =
            label.clone().or_else(|| (!path.segments().is_empty()).then(|| printable(&path.to_string())));
        Some(Box::new(std::iter::once(LabeledSpan::new(label, span.offset, span.length))))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::write_plain("a: b", 3, 1, ("a: b", 3, 1))]
    #[case::tab_is_one_space("\ta", 1, 1, (" a", 1, 1))]
    #[case::wide_characters_take_two_cells("日本: x", 4, 1, ("日本: x", 6, 1))]
    #[case::wide_characters_are_marked_whole("日本", 0, 2, ("日本", 0, 4))]
    #[case::escapes_do_not_reach_the_terminal("\u{1b}[31m", 5, 1, ("\u{FFFD}[31m", 5, 1))]
    #[case::span_behind_the_line("a", 1, 1, ("a", 1, 1))]
    fn carets_are_below_the_span(
        #[case] line: &str,
        #[case] column: usize,
        #[case] marked: usize,
        #[case] expected: (&str, usize, usize),
    ) {
        let (excerpt, before, carets) = line_excerpt(line, column, marked);
        assert_eq!((excerpt.as_str(), before, carets), expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let line = format!("{}here{}", "x".repeat(1000), "y".repeat(1000));
        let (excerpt, before, carets) = line_excerpt(&line, 1000, 4);
        assert_eq!(excerpt.chars().count(), MAX_LINE_CHARS + 2);
        let marked: String = excerpt.chars().skip(before).take(carets).collect();
        assert_eq!(marked, "here");
    }
}
