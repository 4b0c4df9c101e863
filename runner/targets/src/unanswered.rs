//! The rule that decides when a target is given up.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::failure::{TargetFailure, TargetFailureKind};

/// Maximum number of consecutive timeouts. A target that always hangs takes 80 seconds to reach this number with the
/// default time limit. A target that hangs only on some cells rarely reaches it.
const MAX_TIMEOUTS: u32 = 8;

/// Maximum number of consecutive failures, both crashes and timeouts. This number is larger than [`MAX_TIMEOUTS`]
/// because a restart takes little time. All cells of one case may well crash an implementation, and those cells are
/// consecutive.
const MAX_FAILURES: u32 = 64;

/// Maximum number of failures of a run. Each costs the start of a process, so that a target that fails on every third request
/// takes minutes where another one takes seconds, and says nothing new.
const MAX_FAILURES_IN_ALL: u32 = 500;

/// Counts requests that were not answered, over all processes of a target. After too many of them the
/// target is given up, and the remaining cells are not run.
#[derive(Debug)]
pub(super) struct UnansweredRequests {
    timeout: Duration,
    counts: Mutex<Counts>,
    given_up: OnceLock<String>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Timeouts since the last answer.
    timeouts: u32,
    /// Crashes and timeouts since the last answer.
    failures: u32,
    /// Crashes and timeouts of the whole run.
    failures_in_all: u32,
}

/// The failure of one request.
#[derive(Clone, Debug)]
pub(super) struct RequestFailure {
    /// Whether the process exceeded the time limit.
    pub(super) timed_out: bool,
    /// The reason. The text continues a sentence that begins with "the target".
    pub(super) why: String,
}

impl UnansweredRequests {
    /// Creates a counter at zero. `timeout` is the time limit of a request.
    pub(super) fn new(timeout: Duration) -> Self {
        UnansweredRequests { timeout, counts: Mutex::default(), given_up: OnceLock::new() }
    }

    /// Returns the reason why the target was given up, or `None` if it was not. The text continues a sentence that
    /// begins with "the target".
    pub(super) fn reason(&self) -> Option<&str> {
        self.given_up.get().map(String::as_str)
    }

    /// Checks that the target has not been given up.
    ///
    /// # Errors
    /// Fails with [`TargetFailureKind::GivenUp`] if it has.
    pub(super) fn check(&self) -> Result<(), TargetFailure> {
        self.reason().map_or(Ok(()), |why| {
            Err(TargetFailure { kind: TargetFailureKind::GivenUp, why: format!("the target {why}") })
        })
    }

    /// Counts a request that was answered.
    pub(super) fn record_answer(&self) {
        let mut counts = self.lock();
        *counts = Counts { failures_in_all: counts.failures_in_all, ..Counts::default() };
    }

    /// Counts a request that was not answered. Returns the failure for the cell of that request: that the cell was
    /// not run, if the target has been given up in the meantime.
    pub(super) fn record_failure(&self, failure: &RequestFailure) -> TargetFailure {
        let mut counts = self.lock();
        // The check holds the lock, so that the number of cells that fail does not depend on the number of threads.
        if let Err(given_up) = self.check() {
            return given_up;
        }
        counts.failures += 1;
        counts.failures_in_all += 1;
        counts.timeouts += u32::from(failure.timed_out);
        if counts.timeouts >= MAX_TIMEOUTS {
            let timeout = self.timeout;
            self.give_up(format!(
                "was given up: {MAX_TIMEOUTS} requests in a row had no answer within {timeout:?} each"
            ));
        } else if counts.failures >= MAX_FAILURES {
            let why = &failure.why;
            self.give_up(format!(
                "was given up: it failed on {MAX_FAILURES} requests in a row; the last time it {why}"
            ));
        } else if counts.failures_in_all >= MAX_FAILURES_IN_ALL {
            let why = &failure.why;
            self.give_up(format!(
                "was given up: it failed on {MAX_FAILURES_IN_ALL} requests; the last time it {why}"
            ));
        }
        let kind = if failure.timed_out { TargetFailureKind::TimeOut } else { TargetFailureKind::Crash };
        TargetFailure { kind, why: format!("the target {}", failure.why) }
    }

    /// Gives up the target for the given reason, unless it was given up before.
    pub(super) fn give_up(&self, why: String) {
        let _ = self.given_up.set(why);
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(requests: &UnansweredRequests, timed_out: bool, times: u32) -> Vec<TargetFailureKind> {
        let failure = RequestFailure { timed_out, why: "ended".to_owned() };
        (0..times).map(|_| requests.record_failure(&failure).kind).collect()
    }

    #[test]
    fn timeouts_in_a_row_give_a_target_up() {
        use TargetFailureKind::{GivenUp, TimeOut};
        let requests = UnansweredRequests::new(Duration::from_secs(1));
        assert_eq!(fail(&requests, true, MAX_TIMEOUTS - 1), [TimeOut; MAX_TIMEOUTS as usize - 1]);
        assert_eq!(requests.reason(), None);
        assert_eq!(fail(&requests, true, 2), [TimeOut, GivenUp]);
        assert!(requests.reason().unwrap().contains("no answer within 1s each"));
    }

    #[test]
    fn an_answer_starts_the_count_again() {
        let requests = UnansweredRequests::new(Duration::from_secs(1));
        for _ in 0..3 {
            fail(&requests, true, MAX_TIMEOUTS - 1);
            fail(&requests, false, MAX_FAILURES - MAX_TIMEOUTS);
            requests.record_answer();
        }
        assert_eq!(requests.reason(), None);
    }

    #[test]
    fn many_failures_between_answers_give_a_target_up() {
        let requests = UnansweredRequests::new(Duration::from_secs(1));
        for _ in 1..MAX_FAILURES_IN_ALL {
            fail(&requests, false, 1);
            requests.record_answer();
        }
        assert_eq!(requests.reason(), None);
        fail(&requests, false, 1);
        assert!(requests.reason().unwrap().contains("failed on 500 requests;"));
    }

    #[test]
    fn crashes_and_timeouts_count_together() {
        let requests = UnansweredRequests::new(Duration::from_secs(1));
        fail(&requests, true, MAX_TIMEOUTS - 1);
        fail(&requests, false, MAX_FAILURES - MAX_TIMEOUTS + 1);
        assert!(requests.reason().unwrap().ends_with("the last time it ended"));
    }
}
