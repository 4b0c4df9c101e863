//! Colours and width of the terminal.

use std::borrow::Cow;

use tabled::settings::Color as TableColor;

use crate::pivot::ResultLabel;
use crate::vocabulary::{Outcome, Status};

/// The abilities of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether the terminal shows colours.
    pub color: bool,
    /// Width in columns. `None` if the width is unknown or unlimited.
    pub width: Option<usize>,
}

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
    Doubtful,
    /// The outcome `as-before`, which a compatibility promise permits.
    Promised,
    Quiet,
    Strong,
}

impl Tone {
    fn ansi_code(self) -> &'static str {
        match self {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Doubtful => "33",
            Tone::Promised => "36",
            Tone::Quiet => "2",
            Tone::Strong => "1",
        }
    }

    pub(super) fn table_color(self) -> TableColor {
        TableColor::new(format!("\u{1b}[{}m", self.ansi_code()), "\u{1b}[0m")
    }

    pub(super) fn of(label: ResultLabel) -> Tone {
        match label.status {
            status if status.is_failure() => Tone::Bad,
            Status::Pass if label.outcome.is_some_and(Outcome::is_silent) => Tone::Doubtful,
            Status::Pass if label.outcome == Some(Outcome::AsBefore) => Tone::Promised,
            Status::Pass => Tone::Good,
            Status::Deviation => Tone::Doubtful,
            _ => Tone::Quiet,
        }
    }
}

/// Maximum width of prose, and its width if that of the terminal is unknown.
const MAX_TEXT_WIDTH: usize = 100;

impl Style {
    /// Returns the width of prose: that of the terminal, at most 100 columns.
    #[must_use]
    pub fn text_width(&self) -> usize {
        self.width.map_or(MAX_TEXT_WIDTH, |width| width.min(MAX_TEXT_WIDTH))
    }

    /// Returns the width of lines that a program may read, too: that of the terminal, or no limit.
    #[must_use]
    pub fn line_width(&self) -> usize {
        self.width.unwrap_or(usize::MAX)
    }

    /// Colours a text, if colours are on.
    pub(super) fn paint<'a>(&self, tone: Tone, text: &'a str) -> Cow<'a, str> {
        if self.color { format!("\u{1b}[{}m{text}\u{1b}[0m", tone.ansi_code()).into() } else { text.into() }
    }

    /// Returns true if a text of this width fits on one line of the terminal.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        self.width.is_none_or(|width| columns <= width)
    }
}
