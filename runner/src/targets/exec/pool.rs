//! Processes of one program, shared by all threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::process::{Process, ProcessFailure, RequestResult};
use super::protocol::{AdapterInfo, Answer};

/// A pool of processes of one program.
#[derive(Debug)]
pub(super) struct Pool {
    command: Vec<String>,
    timeout: Duration,
    /// Each process is started when it is first needed, and again after it ended.
    slots: Vec<ProcessSlot>,
    /// A process that repeats the requests that another process lost when it ended: one at a time, so that the request
    /// that ends a process is known.
    isolated: ProcessSlot,
    info: AdapterInfo,
    next_slot: AtomicUsize,
    /// Why the program cannot be started again; it is not tried any more then.
    permanent_failure: OnceLock<String>,
    /// Replies without an open request, from processes that ended.
    unsolicited_replies: AtomicU64,
}

type ProcessSlot = Mutex<Option<Arc<Process>>>;

/// Number of attempts to start the program again before it is given up.
const MAX_START_ATTEMPTS: u32 = 3;

impl Pool {
    /// Starts the first process, to check that the program can be started.
    pub(super) fn open(
        command: Vec<String>,
        processes: usize,
        timeout: Duration,
    ) -> Result<Self, ProcessFailure> {
        let first = Process::start(&command, timeout)?;
        let info = first.info().clone();
        let mut slots: Vec<ProcessSlot> = Vec::new();
        slots.resize_with(processes.max(1), ProcessSlot::default);
        slots[0] = Mutex::new(Some(Arc::new(first)));
        Ok(Pool {
            command,
            timeout,
            slots,
            isolated: ProcessSlot::default(),
            info,
            next_slot: AtomicUsize::new(0),
            permanent_failure: OnceLock::new(),
            unsolicited_replies: AtomicU64::new(0),
        })
    }

    /// Returns the description that the program gave of itself.
    pub(super) fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Returns the reason if the program was given up.
    pub(super) fn permanent_failure(&self) -> Option<&str> {
        self.permanent_failure.get().map(String::as_str)
    }

    /// Returns the number of replies without an open request.
    pub(super) fn unsolicited_replies(&self) -> u64 {
        let of_running_processes = self
            .slots
            .iter()
            .chain([&self.isolated])
            .filter_map(|slot| lock(slot).as_ref().map(|p| p.unsolicited_replies()));
        self.unsolicited_replies.load(Ordering::Relaxed) + of_running_processes.sum::<u64>()
    }

    /// Sends a request and waits for the answer. `line` can be called again, for another process.
    pub(super) fn ask(
        &self,
        line: impl Fn(u64, &mut std::collections::HashSet<String>) -> Vec<u8>,
    ) -> Result<Answer, ProcessFailure> {
        let slot =
            rayon::current_thread_index().unwrap_or_else(|| self.next_slot.fetch_add(1, Ordering::Relaxed));
        let process = self.process(&self.slots[slot % self.slots.len()])?;
        match process.ask(self.timeout, &line) {
            RequestResult::Answered(answer) => return Ok(answer),
            RequestResult::Failed(failure) => return Err(failure),
            RequestResult::Lost(_) => {}
        }
        let mut isolated = lock(&self.isolated);
        let process = self.ensure_running(&mut isolated)?;
        match process.ask(self.timeout, &line) {
            RequestResult::Answered(answer) => Ok(answer),
            RequestResult::Failed(failure) | RequestResult::Lost(failure) => Err(failure),
        }
    }

    fn process(&self, slot: &ProcessSlot) -> Result<Arc<Process>, ProcessFailure> {
        self.ensure_running(&mut lock(slot))
    }

    /// Returns the process of a slot, and starts it if it is not running.
    fn ensure_running(&self, slot: &mut Option<Arc<Process>>) -> Result<Arc<Process>, ProcessFailure> {
        if let Some(process) = slot.as_ref().filter(|process| !process.has_failed()) {
            return Ok(Arc::clone(process));
        }
        if let Some(why) = self.permanent_failure.get() {
            return Err(ProcessFailure { timed_out: false, why: why.clone() });
        }
        if let Some(ended_process) = slot.take() {
            self.unsolicited_replies.fetch_add(ended_process.unsolicited_replies(), Ordering::Relaxed);
        }
        let mut attempts = 1;
        loop {
            match Process::start(&self.command, self.timeout) {
                Ok(process) => return Ok(Arc::clone(slot.insert(Arc::new(process)))),
                Err(_) if attempts < MAX_START_ATTEMPTS => attempts += 1,
                Err(failure) => {
                    let why = format!("cannot be started again: {}", failure.why);
                    return Err(ProcessFailure {
                        timed_out: false,
                        why: self.permanent_failure.get_or_init(|| why).clone(),
                    });
                }
            }
        }
    }
}

impl Drop for Pool {
    /// Tells all processes to stop before it waits for any.
    fn drop(&mut self) {
        for slot in self.slots.iter().chain([&self.isolated]) {
            if let Some(process) = lock(slot).as_ref() {
                process.send_stop();
            }
        }
    }
}

fn lock(slot: &ProcessSlot) -> MutexGuard<'_, Option<Arc<Process>>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
