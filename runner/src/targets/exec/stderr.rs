//! What an adapter says to people: kept up to a bound, and shown when something goes wrong.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much of it is kept. An adapter that floods it costs no more than this.
const KEPT: usize = 8 * 1024;

/// The standard error of one process.
#[derive(Debug, Default)]
pub(super) struct Stderr {
    log: Mutex<Log>,
    closed: Condvar,
}

#[derive(Debug, Default)]
struct Log {
    last: VecDeque<u8>,
    dropped: bool,
    closed: bool,
}

impl Stderr {
    /// Reads until the process closes it. What comes is taken at once, so that no process waits for us.
    pub(super) fn drain(self: Arc<Self>, mut from: impl Read) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            self.lock().push(&buffer[..read]);
        }
        self.lock().closed = true;
        self.closed.notify_all();
    }

    /// Its end as text, waiting a moment for what a process wrote just before it ended.
    pub(super) fn text(&self, patience: Duration) -> String {
        let (log, _) = self
            .closed
            .wait_timeout_while(self.lock(), patience, |log| !log.closed)
            .unwrap_or_else(PoisonError::into_inner);
        log.text()
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn push(&mut self, bytes: &[u8]) {
        self.last.extend(bytes);
        if self.last.len() > KEPT {
            self.dropped = true;
            self.last.drain(..self.last.len() - KEPT);
        }
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.last.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The first line is a part of one when something was dropped before it.
        let text = if self.dropped { text.split_once('\n').map_or(&*text, |(_, rest)| rest) } else { &text };
        // It goes to terminals and into reports: whatever would steer a terminal is shown, not obeyed.
        let visible = |c: char| if c.is_control() && c != '\n' && c != '\t' { '\u{FFFD}' } else { c };
        let text: String = text.trim().chars().map(visible).collect();
        if self.dropped { format!("[…]\n{text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: &[u8]) -> String {
        let stderr = Arc::new(Stderr::default());
        Arc::clone(&stderr).drain(bytes);
        stderr.text(Duration::ZERO)
    }

    #[test]
    fn the_end_is_kept() {
        let text = kept(format!("{}last\n", "line\n".repeat(1_000_000)).as_bytes());
        assert!(text.len() <= KEPT + 8, "{}", text.len());
        assert!(text.starts_with("[…]\nline\n") && text.ends_with("line\nlast"), "{text}");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(kept(b"\x1b[31mred\x07\tx\n\n"), "\u{FFFD}[31mred\u{FFFD}\tx");
        assert_eq!(kept(b"\xff"), "\u{FFFD}");
    }
}
