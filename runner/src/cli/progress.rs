//! Progress of work that takes more than a second, on standard error.
//!
//! Progress is drawn only if standard error is a terminal, and is removed before a command prints its result.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time after which the progress of a command is shown.
const DELAY: Duration = Duration::from_secs(1);

/// The interval at which the spinner of an activity moves.
const TICK: Duration = Duration::from_millis(120);

/// The bar that is on the terminal, if there is one.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes text while no progress is on the terminal.
pub(super) fn suspended<T>(write: impl FnOnce() -> T) -> T {
    let shown = shown().clone();
    match shown {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The progress of a command. It is removed from the terminal when the value is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// The thread that shows the progress, and the channel that ends this thread.
    display: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts to show the progress of work on `total` units, such as `cells`.
    #[must_use]
    pub fn of(total: u64, units: &str) -> Self {
        let template = format!("{{wide_bar}} {{human_pos}}/{{human_len}} {units}, {{eta}} left");
        Progress::start(Some(total), &template)
    }

    /// Starts to show that an activity goes on, such as `reading the results`, whose length is not known.
    #[must_use]
    pub fn of_activity(activity: &str) -> Self {
        Progress::start(None, &format!("{{spinner}} {activity} ({{elapsed}})"))
    }

    fn start(total: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let can_show =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let display = can_show.then(|| show_after_delay(bar.clone())).flatten();
        Progress { bar, display }
    }

    /// Adds a number of finished units.
    pub fn add(&self, units: u64) {
        self.bar.inc(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // The thread must have ended, so that it does not draw again after the progress was removed.
        if let Some((end, display)) = self.display.take() {
            drop(end);
            let _ = display.join();
        }
        self.bar.finish_and_clear();
        *shown() = None;
    }
}

/// Starts a thread that shows a bar after [`DELAY`]. Returns `None` if the system cannot start a thread.
fn show_after_delay(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (end, ended) = channel();
    let show = move || {
        if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
            *shown() = Some(bar);
        }
    };
    thread::Builder::new().spawn(show).ok().map(|display| (end, display))
}
