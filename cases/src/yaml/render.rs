use std::fmt;
use std::sync::Arc;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};
use unicode_width::UnicodeWidthChar;

use super::lines::floor_char;
use super::{Diagnostic, LineIndex, Span};

/// Everything that is wrong with one file.
///
/// Displayed as plain, stable text without colour: `file:line:column: message`, the source line, and a line of
/// carets under the place.
#[derive(Clone, Debug)]
pub struct CaseFileErrors {
    name: String,
    lines: LineIndex,
    diagnostics: Vec<Diagnostic>,
}

impl CaseFileErrors {
    /// The errors of the file `name` with the text `source`.
    #[must_use]
    pub fn new(name: impl Into<String>, source: Arc<str>, diagnostics: Vec<Diagnostic>) -> Self {
        CaseFileErrors { name: name.into(), lines: LineIndex::new(source), diagnostics }
    }

    /// The name of the file, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the file.
    #[must_use]
    pub fn source_text(&self) -> &str {
        self.lines.text()
    }

    /// What is wrong, in the order of the file.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The lines of the file.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Graphical text for a terminal that is `width` cells wide.
    #[must_use]
    pub fn graphical(&self, color: bool, width: usize) -> String {
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(width);
        let source: Arc<str> = self.source_text().chars().map(harmless).collect::<String>().into();
        let mut text = String::new();
        for diagnostic in &self.diagnostics {
            let shown = Shown {
                source: NamedSource::new(visible(&self.name), Arc::clone(&source)),
                diagnostic: Diagnostic {
                    message: visible(&diagnostic.message),
                    span: clamped(&source, diagnostic.span),
                    label: diagnostic.label.as_deref().map(visible),
                    help: diagnostic.help.as_deref().map(visible),
                    path: diagnostic.path.clone(),
                },
            };
            // Writing to a string cannot fail; a handler that fails still has the plain form below it.
            if handler.render_report(&mut text, &shown).is_err() {
                let _ = self.plain(&mut text, diagnostic);
            }
        }
        text
    }

    fn plain(&self, out: &mut impl fmt::Write, diagnostic: &Diagnostic) -> fmt::Result {
        let span = clamped(self.source_text(), diagnostic.span);
        let start = self.lines.position(span.offset);
        writeln!(out, "{}:{start}: {}", visible(&self.name), visible(&diagnostic.message))?;
        let line = self.lines.line(start.line);
        let marked = self.source_text().get(span.offset..span.end()).unwrap_or("");
        let marked = marked.lines().next().unwrap_or("").trim_end().chars().count();
        let (shown, before, carets) = window(line, start.column - 1, marked.max(1));
        let number = start.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(out, "{}", format_args!("{number} | {shown}").to_string().trim_end())?;
        write!(out, "{margin} | {}{}", " ".repeat(before), "^".repeat(carets))?;
        if let Some(label) = &diagnostic.label {
            write!(out, " {}", visible(label))?;
        }
        out.write_char('\n')?;
        if !diagnostic.path.segments().is_empty() {
            writeln!(out, "{margin} = in {}", visible(&diagnostic.path.to_string()))?;
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "{margin} = help: {}", visible(help))?;
        }
        Ok(())
    }
}

impl fmt::Display for CaseFileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|diagnostic| self.plain(f, diagnostic))
    }
}

impl std::error::Error for CaseFileErrors {}

/// The span within the text, on character boundaries.
fn clamped(text: &str, span: Span) -> Span {
    let offset = floor_char(text, span.offset);
    Span { offset, length: floor_char(text, span.end()).saturating_sub(offset) }
}

/// How many characters of a source line are shown, and how many of them at most stand before the place.
const SHOWN: usize = 160;
const SHOWN_BEFORE: usize = 80;

/// The part of a line around a place, with the cells before the place and the cells to mark.
///
/// `column` and `marked` count characters. A tab is shown as one space, and a character that a terminal would
/// obey as `�`, so that the carets stand where they should.
fn window(line: &str, column: usize, marked: usize) -> (String, usize, usize) {
    let skip = if line.chars().count() > SHOWN { column.saturating_sub(SHOWN_BEFORE) } else { 0 };
    let mut shown = String::new();
    let (mut before, mut carets) = (0, 0);
    if skip > 0 {
        shown.push('…');
        before = 1;
    }
    for (i, c) in line.chars().enumerate().skip(skip).take(SHOWN) {
        let c = visible_char(c);
        shown.push(c);
        let cells = c.width().unwrap_or(1);
        if i < column {
            before += cells;
        } else if i < column.saturating_add(marked) {
            carets += cells;
        }
    }
    if line.chars().count() > skip + SHOWN {
        shown.push('…');
    }
    (shown, before, carets.max(1))
}

/// Marks that turn the direction of text could show another line than the one that is read.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

fn visible_char(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() || is_invisible(c) => '\u{FFFD}',
        c => c,
    }
}

/// A text on one line, without characters that a terminal would obey.
fn visible(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

/// The same for a source text, where line breaks stay, and every character keeps its length in bytes so that
/// spans still fit.
fn harmless(c: char) -> char {
    match (c, c.len_utf8()) {
        ('\t' | '\n' | '\r', _) => c,
        (c, 1) if c.is_control() => '?',
        (c, 2) if c.is_control() => '\u{BF}',
        (c, 3) if is_invisible(c) => '\u{FFFD}',
        _ => c,
    }
}

/// One diagnostic as miette wants it.
#[derive(Debug)]
struct Shown {
    source: NamedSource<Arc<str>>,
    diagnostic: Diagnostic,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Shown {}

impl miette::Diagnostic for Shown {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.diagnostic.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Diagnostic { span, label, path, .. } = &self.diagnostic;
        let label =
            label.clone().or_else(|| (!path.segments().is_empty()).then(|| visible(&path.to_string())));
        Some(Box::new(std::iter::once(LabeledSpan::new(label, span.offset, span.length))))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("a: b", 3, 1, ("a: b", 3, 1))]
    #[case::tab_is_one_space("\ta", 1, 1, (" a", 1, 1))]
    #[case::wide_characters_take_two_cells("日本: x", 4, 1, ("日本: x", 6, 1))]
    #[case::wide_characters_are_marked_whole("日本", 0, 2, ("日本", 0, 4))]
    #[case::escapes_do_not_reach_the_terminal("\u{1b}[31m", 5, 1, ("\u{FFFD}[31m", 5, 1))]
    #[case::place_behind_the_line("a", 1, 1, ("a", 1, 1))]
    fn carets_stand_under_what_they_mean(
        #[case] line: &str,
        #[case] column: usize,
        #[case] marked: usize,
        #[case] expected: (&str, usize, usize),
    ) {
        let (shown, before, carets) = window(line, column, marked);
        assert_eq!((shown.as_str(), before, carets), expected);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line = format!("{}here{}", "x".repeat(1000), "y".repeat(1000));
        let (shown, before, carets) = window(&line, 1000, 4);
        assert_eq!(shown.chars().count(), SHOWN + 2);
        let under: String = shown.chars().skip(before).take(carets).collect();
        assert_eq!(under, "here");
    }
}
