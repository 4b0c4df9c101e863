//! The processes of one adapter, shared by all threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::process::{Process, RequestResult};
use super::reply::{AdapterAnswer, AdapterInfo};
use super::schema_registry::SentSchemas;
use crate::failure::TargetFailure;
use crate::unanswered::{RequestFailure, UnansweredRequests};

/// A pool of processes that run the same program.
#[derive(Debug)]
pub(super) struct Pool {
    command: Vec<String>,
    timeout: Duration,
    /// The slots of the pool. A process is started when its slot is first used, and again after it ended.
    slots: Vec<ProcessSlot>,
    /// A process that repeats requests that another process lost when it ended. It gets one request at a time, which
    /// shows which request ends the process.
    isolated: ProcessSlot,
    /// Locked by the thread that uses `isolated`.
    isolated_turn: Mutex<()>,
    info: AdapterInfo,
    next_slot: AtomicUsize,
    /// Decides when the program is given up. A program that was given up is not started again.
    unanswered: UnansweredRequests,
    /// Number of replies that answered no open request, from processes that have ended.
    unsolicited_replies: AtomicU64,
}

type ProcessSlot = Mutex<Option<Arc<Process>>>;

/// Number of attempts to start the program again before it is given up.
const MAX_START_ATTEMPTS: u32 = 3;

impl Pool {
    /// Starts the first process, to check that the program can be started.
    ///
    /// # Errors
    /// Fails if the program cannot be started, or does not answer `start`.
    pub(super) fn open(
        command: Vec<String>,
        processes: usize,
        timeout: Duration,
    ) -> Result<Self, RequestFailure> {
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
            isolated_turn: Mutex::default(),
            info,
            next_slot: AtomicUsize::new(0),
            unanswered: UnansweredRequests::new(timeout),
            unsolicited_replies: AtomicU64::new(0),
        })
    }

    /// Returns the self-description that the program sent.
    pub(super) fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Returns the reason why the program was given up, or `None` if it was not.
    pub(super) fn permanent_failure(&self) -> Option<&str> {
        self.unanswered.reason()
    }

    /// Returns the number of replies that answered no open request, from all processes.
    pub(super) fn unsolicited_replies(&self) -> u64 {
        let of_running_processes = self
            .slots
            .iter()
            .chain([&self.isolated])
            .filter_map(|slot| lock(slot).as_ref().map(|p| p.unsolicited_replies()));
        self.unsolicited_replies.load(Ordering::Relaxed) + of_running_processes.sum::<u64>()
    }

    /// Sends a request and waits for the answer. `line` can be called several times, once per process that is tried.
    ///
    /// # Errors
    /// Fails if the process crashed or exceeded the time limit, or if the program was given up.
    pub(super) fn ask(
        &self,
        line: impl Fn(u64, &mut SentSchemas) -> Vec<u8>,
    ) -> Result<AdapterAnswer, TargetFailure> {
        let failure = match self.ask_some_process(line)? {
            Ok(answer) => {
                self.unanswered.record_answer();
                return Ok(answer);
            }
            Err(failure) => failure,
        };
        let failure = self.unanswered.record_failure(&failure);
        if self.unanswered.reason().is_some() {
            self.kill_all();
        }
        Err(failure)
    }

    /// Asks a process of the pool. If that process ends for an unknown reason, repeats the request in an isolated
    /// process.
    fn ask_some_process(
        &self,
        line: impl Fn(u64, &mut SentSchemas) -> Vec<u8>,
    ) -> Result<Result<AdapterAnswer, RequestFailure>, TargetFailure> {
        let slot =
            rayon::current_thread_index().unwrap_or_else(|| self.next_slot.fetch_add(1, Ordering::Relaxed));
        let process = self.ensure_running(&self.slots[slot % self.slots.len()])?;
        match process.ask(self.timeout, &line) {
            RequestResult::Answered(answer) => return Ok(Ok(answer)),
            RequestResult::Failed(failure) => return Ok(Err(failure)),
            RequestResult::Lost(_) => {}
        }
        let _turn = self.isolated_turn.lock().unwrap_or_else(PoisonError::into_inner);
        let process = self.ensure_running(&self.isolated)?;
        Ok(match process.ask(self.timeout, &line) {
            RequestResult::Answered(answer) => Ok(answer),
            RequestResult::Failed(failure) | RequestResult::Lost(failure) => Err(failure),
        })
    }

    /// Returns the process of a slot, and starts it if it is not running.
    fn ensure_running(&self, slot: &ProcessSlot) -> Result<Arc<Process>, TargetFailure> {
        let mut slot = lock(slot);
        self.unanswered.check()?;
        if let Some(process) = slot.as_ref().filter(|process| !process.has_failed()) {
            return Ok(Arc::clone(process));
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
                    self.unanswered.give_up(format!("cannot be started again: {}", failure.why));
                    self.unanswered.check()?;
                }
            }
        }
    }

    /// Stops all processes, and waits until each has closed its output, so that their last replies are counted.
    pub(super) fn stop(&self) {
        let slots = || self.slots.iter().chain([&self.isolated]);
        let processes: Vec<Arc<Process>> = slots().filter_map(|slot| lock(slot).clone()).collect();
        for process in &processes {
            process.send_stop();
        }
        for process in &processes {
            process.await_end_of_replies();
        }
    }

    /// Kills all processes at once. Their answers are no longer needed.
    fn kill_all(&self) {
        for slot in self.slots.iter().chain([&self.isolated]) {
            let process = lock(slot).clone();
            if let Some(process) = process {
                process.kill();
            }
        }
    }
}

impl Drop for Pool {
    /// Sends `stop` to all processes before it waits for the first one.
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
