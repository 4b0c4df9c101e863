//! Colours of results.

use std::borrow::Cow;

use skewer_results::vocabulary::{Outcome, Status};
use tabled::settings::Color as TableColor;

use crate::pivot::ResultLabel;
use crate::style::Style;

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

impl Style {
    /// Colours a text, if colours are on.
    pub(super) fn paint<'a>(&self, tone: Tone, text: &'a str) -> Cow<'a, str> {
        if self.color { format!("\u{1b}[{}m{text}\u{1b}[0m", tone.ansi_code()).into() } else { text.into() }
    }
}
