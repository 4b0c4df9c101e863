//! The standard error of an adapter. Its last bytes are kept, and shown when the adapter fails.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::visible_text::visible_text;

/// Maximum number of bytes that are kept of an adapter's standard error.
const MAX_TAIL_BYTES: usize = 8 * 1024;

/// The standard error of one process.
#[derive(Debug, Default)]
pub(super) struct Stderr {
    tail: Mutex<Tail>,
    closed: Condvar,
}

#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    is_truncated: bool,
    is_closed: bool,
}

impl Stderr {
    /// Reads until the process closes its standard error. Reading never pauses, so that the process does not block on
    /// a full pipe.
    pub(super) fn drain(self: Arc<Self>, mut from: impl Read) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            self.lock().push(&buffer[..read]);
        }
        self.lock().is_closed = true;
        self.closed.notify_all();
    }

    /// Returns the kept bytes as text, after waiting up to `patience` for the last output of the process.
    pub(super) fn text(&self, patience: Duration) -> String {
        let (tail, _) = self
            .closed
            .wait_timeout_while(self.lock(), patience, |tail| !tail.is_closed)
            .unwrap_or_else(PoisonError::into_inner);
        tail.text()
    }

    fn lock(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        if self.bytes.len() > MAX_TAIL_BYTES {
            self.is_truncated = true;
            self.bytes.drain(..self.bytes.len() - MAX_TAIL_BYTES);
        }
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        // The first line is incomplete if bytes were dropped before it.
        let text =
            if self.is_truncated { text.split_once('\n').map_or(&*text, |(_, rest)| rest) } else { &text };
        // Control characters are escaped, because the text is printed on terminals.
        let text = visible_text(text.trim(), MAX_TAIL_BYTES);
        if self.is_truncated { format!("[…]\n{text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(bytes: &[u8]) -> String {
        let stderr = Arc::new(Stderr::default());
        Arc::clone(&stderr).drain(bytes);
        stderr.text(Duration::ZERO)
    }

    #[test]
    fn only_the_tail_is_kept() {
        let text = tail_of(format!("{}last\n", "line\n".repeat(1_000_000)).as_bytes());
        assert!(text.len() <= MAX_TAIL_BYTES + 8, "{}", text.len());
        assert!(text.starts_with("[…]\nline\n") && text.ends_with("line\nlast"), "{text}");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(tail_of(b"\x1b[31mred\x07\tx\n\n"), "\\u{1b}[31mred\\u{7}\tx");
        assert_eq!(tail_of(b"\xff"), "\u{FFFD}");
    }
}
