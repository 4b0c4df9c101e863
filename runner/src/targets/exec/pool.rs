//! Processes of one program, shared by all threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::process::{Ended, Process, Reached};
use super::protocol::{Answer, Started};

/// A program, and the processes that run it.
#[derive(Debug)]
pub(super) struct Pool {
    command: Vec<String>,
    limit: Duration,
    /// Each is started when it is first needed, and again after it ended.
    slots: Vec<Slot>,
    /// Runs what another process ended over while it had several requests: one request at a time, so that the
    /// one to blame is known.
    ward: Slot,
    started: Started,
    next: AtomicUsize,
    /// Why the program cannot be started again; then nothing more is tried.
    broken: OnceLock<String>,
    /// How often a process was started again.
    restarts: AtomicU64,
    /// Replies that nobody had asked for, of processes that are gone.
    unasked: AtomicU64,
}

type Slot = Mutex<Option<Arc<Process>>>;

/// How often starting again is tried before the program is given up.
const STARTS: u32 = 3;

impl Pool {
    /// Starts the first process, to see that the program can be started.
    pub(super) fn open(command: Vec<String>, processes: usize, limit: Duration) -> Result<Self, Ended> {
        let first = Process::start(&command, limit)?;
        let started = first.started().clone();
        let mut slots: Vec<Slot> = Vec::new();
        slots.resize_with(processes.max(1), Slot::default);
        slots[0] = Mutex::new(Some(Arc::new(first)));
        Ok(Pool {
            command,
            limit,
            slots,
            ward: Slot::default(),
            started,
            next: AtomicUsize::new(0),
            broken: OnceLock::new(),
            restarts: AtomicU64::new(0),
            unasked: AtomicU64::new(0),
        })
    }

    /// What the program says of itself.
    pub(super) fn started(&self) -> &Started {
        &self.started
    }

    /// Why the program was given up, if it was.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.get().map(String::as_str)
    }

    /// How often a process was started again.
    pub(super) fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// How many replies came that nobody had asked for.
    pub(super) fn unasked(&self) -> u64 {
        let running =
            self.slots.iter().chain([&self.ward]).filter_map(|slot| lock(slot).as_ref().map(|p| p.unasked()));
        self.unasked.load(Ordering::Relaxed) + running.sum::<u64>()
    }

    /// Asks for one thing. `line` may be called again, for another process.
    pub(super) fn ask(
        &self,
        line: impl Fn(u64, &mut std::collections::HashSet<String>) -> Vec<u8>,
    ) -> Result<Answer, Ended> {
        let at = rayon::current_thread_index().unwrap_or_else(|| self.next.fetch_add(1, Ordering::Relaxed));
        let process = self.process(&self.slots[at % self.slots.len()])?;
        match process.ask(self.limit, &line) {
            Reached::Answer(answer) => return Ok(answer),
            Reached::Ended(ended) => return Err(ended),
            Reached::Lost(_) => {}
        }
        let mut ward = lock(&self.ward);
        let process = self.running(&mut ward)?;
        match process.ask(self.limit, &line) {
            Reached::Answer(answer) => Ok(answer),
            Reached::Ended(ended) | Reached::Lost(ended) => Err(ended),
        }
    }

    fn process(&self, slot: &Slot) -> Result<Arc<Process>, Ended> {
        self.running(&mut lock(slot))
    }

    /// The process of a slot, started if it is not running.
    fn running(&self, slot: &mut Option<Arc<Process>>) -> Result<Arc<Process>, Ended> {
        if let Some(process) = slot.as_ref().filter(|process| !process.is_over()) {
            return Ok(Arc::clone(process));
        }
        if let Some(why) = self.broken.get() {
            return Err(Ended { timed_out: false, why: why.clone() });
        }
        if let Some(gone) = slot.take() {
            self.unasked.fetch_add(gone.unasked(), Ordering::Relaxed);
            self.restarts.fetch_add(1, Ordering::Relaxed);
        }
        let mut tried = 1;
        loop {
            match Process::start(&self.command, self.limit) {
                Ok(process) => return Ok(Arc::clone(slot.insert(Arc::new(process)))),
                Err(_) if tried < STARTS => tried += 1,
                Err(ended) => {
                    let why = format!("cannot be started again: {}", ended.why);
                    return Err(Ended { timed_out: false, why: self.broken.get_or_init(|| why).clone() });
                }
            }
        }
    }
}

impl Drop for Pool {
    /// All are told to stop before any is waited for.
    fn drop(&mut self) {
        for slot in self.slots.iter().chain([&self.ward]) {
            if let Some(process) = lock(slot).as_ref() {
                process.say_stop();
            }
        }
    }
}

fn lock(slot: &Slot) -> MutexGuard<'_, Option<Arc<Process>>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
