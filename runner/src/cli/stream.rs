//! Standard output and standard error: whether they have colours, and their width.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

use clap::ValueEnum;
use console::Term;
use rustix::fs::{FileType, fstat};
use skewer_reports::terminal::Style;

/// When text for people is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[repr(u8)]
pub enum ColorChoice {
    /// As the environment and the terminal say.
    #[default]
    Auto,
    /// Always, also in a pipe or a file.
    Always,
    /// Never.
    Never,
}

/// The choice of the user (`--color`).
static COLOR_CHOICE: AtomicU8 = AtomicU8::new(ColorChoice::Auto as u8);

/// Sets when text for people is coloured, for the rest of the program.
pub(super) fn set_color_choice(choice: ColorChoice) {
    COLOR_CHOICE.store(choice as u8, Ordering::Relaxed);
}

/// Returns whether the user wants colours or none, or `None` if the terminal decides. The option `--color` precedes the
/// environment, in which `NO_COLOR` precedes `CLICOLOR_FORCE`, and that precedes `CARGO_TERM_COLOR`.
fn wanted_color(option: u8, variable: impl Fn(&str) -> Option<String>) -> Option<bool> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is_forced = || variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    match option {
        option if option == ColorChoice::Always as u8 => Some(true),
        option if option == ColorChoice::Never as u8 => Some(false),
        _ if is_set("NO_COLOR") => Some(false),
        _ if is_forced() => Some(true),
        _ => match variable("CARGO_TERM_COLOR").as_deref() {
            Some("always") => Some(true),
            Some("never") => Some(false),
            _ => None,
        },
    }
}

/// Returns the width that `COLUMNS` sets. 0 stands for no limit.
fn columns_variable() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Returns the width of the terminal that shows the output of a pipe, such as a pager: that of standard error, or else of
/// the terminal that controls the process.
fn width_behind_pipe() -> Option<usize> {
    let columns = |term: &Term| term.size_checked().map(|(_, columns)| usize::from(columns));
    let of_error = || columns(&Term::stderr()).filter(|_| io::stderr().is_terminal());
    let controlling = || {
        let terminal = std::fs::File::open("/dev/tty").ok()?;
        columns(&Term::read_write_pair(terminal.try_clone().ok()?, terminal))
    };
    of_error().or_else(controlling)
}

/// The stream for text that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    /// Returns the style of the stream.
    #[must_use]
    pub fn style(self) -> Style {
        Style { color: self.has_color(), width: self.width() }
    }

    /// Returns the width in columns: `COLUMNS`, or else the width of the terminal, also of that behind a pipe. It is unknown
    /// in a file, and if there is no terminal.
    fn width(self) -> Option<usize> {
        if let Some(columns) = columns_variable() {
            return Some(if columns == 0 { usize::MAX } else { columns });
        }
        if self.is_terminal() {
            return self.term().size_checked().map(|(_, columns)| columns.into());
        }
        if self.is_pipe() { width_behind_pipe() } else { None }
    }

    fn is_pipe(self) -> bool {
        let status = match self {
            Stream::Output => fstat(io::stdout()),
            Stream::Error => fstat(io::stderr()),
        };
        status.is_ok_and(|status| {
            matches!(FileType::from_raw_mode(status.st_mode), FileType::Fifo | FileType::Socket)
        })
    }

    /// Returns true if text is coloured: as the user wants, or else on a terminal that is not `dumb`.
    pub(super) fn has_color(self) -> bool {
        wanted_color(COLOR_CHOICE.load(Ordering::Relaxed), |name| std::env::var(name).ok()).unwrap_or_else(
            || self.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        )
    }

    pub(super) fn is_terminal(self) -> bool {
        match self {
            Stream::Output => io::stdout().is_terminal(),
            Stream::Error => io::stderr().is_terminal(),
        }
    }

    fn term(self) -> Term {
        match self {
            Stream::Output => Term::stdout(),
            Stream::Error => Term::stderr(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing(ColorChoice::Auto, &[], None)]
    #[case::option_always(ColorChoice::Always, &[("NO_COLOR", "1")], Some(true))]
    #[case::option_never(ColorChoice::Never, &[("CLICOLOR_FORCE", "1")], Some(false))]
    #[case::no_color(ColorChoice::Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], Some(false))]
    #[case::empty_no_color(ColorChoice::Auto, &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")], Some(true))]
    #[case::forced(ColorChoice::Auto, &[("CLICOLOR_FORCE", "1"), ("CARGO_TERM_COLOR", "never")], Some(true))]
    #[case::not_forced(ColorChoice::Auto, &[("CLICOLOR_FORCE", "0"), ("CARGO_TERM_COLOR", "never")], Some(false))]
    #[case::as_cargo(ColorChoice::Auto, &[("CARGO_TERM_COLOR", "always")], Some(true))]
    #[case::cargo_auto(ColorChoice::Auto, &[("CARGO_TERM_COLOR", "auto")], None)]
    fn the_option_precedes_the_environment(
        #[case] option: ColorChoice,
        #[case] variables: &[(&str, &str)],
        #[case] expected: Option<bool>,
    ) {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(wanted_color(option as u8, variable), expected);
    }
}
