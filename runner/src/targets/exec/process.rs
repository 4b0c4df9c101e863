//! One process that answers requests, several at a time.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use skewer_engine::OwnedDoc;

use super::lines::read_line;
use super::protocol::{Answer, Line, Request, Started, VERSION, read_reply};
use super::stderr::Stderr;

/// How long a process that closed its output, or was told to stop, may take to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// What came of a request.
#[derive(Clone, Debug)]
pub(super) enum Reached {
    /// An answer.
    Answer(Answer),
    /// The process ended over this very request.
    Ended(Ended),
    /// The process ended while it had this request among others, or before it had it. Whose fault that was
    /// only a process with nothing else to do can tell.
    Lost(Ended),
}

/// Why a process is of no use any more.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    /// It was too slow, as opposed to all else.
    pub(super) timed_out: bool,
    /// In words, with its standard error.
    pub(super) why: String,
}

/// A process, started and greeted.
#[derive(Debug)]
pub(super) struct Process {
    shared: Arc<Shared>,
    outbox: Mutex<Outbox>,
    started: Started,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    child: Mutex<Child>,
    stderr: Arc<Stderr>,
    /// Replies to requests that nobody had made, or that were answered already.
    unasked: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// Who waits for which answer. The first has waited longest.
    pending: BTreeMap<u64, Sender<Reached>>,
    /// Since when the first has been the first: from then on its time runs, not while others were before it.
    first_since: Instant,
    /// Why nothing can be asked any more.
    over: Option<Ended>,
    /// Where the reply to `start` goes.
    greeting: Option<Sender<Result<Started, Ended>>>,
}

/// What is to be written, in the order of the sequence numbers.
#[derive(Debug)]
struct Outbox {
    lines: Option<Sender<Vec<u8>>>,
    next: u64,
    /// The schemas that the process has, by id.
    schemas: HashSet<String>,
}

impl Process {
    /// Starts a program and waits for its greeting.
    pub(super) fn start(command: &[String], limit: Duration) -> Result<Self, Ended> {
        let failed = |why: String| Ended { timed_out: false, why };
        let [program, arguments @ ..] = command else { return Err(failed("no program is named".to_owned())) };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("cannot start {program}: {error}")))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(failed(format!("{program} was started without its pipes")));
        };
        let (greet, greeting) = channel();
        let log = Arc::new(Stderr::default());
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                pending: BTreeMap::new(),
                first_since: Instant::now(),
                over: None,
                greeting: Some(greet),
            }),
            child: Mutex::new(child),
            stderr: Arc::clone(&log),
            unasked: AtomicU64::new(0),
        });
        let (lines, queue) = channel();
        let reader = Arc::clone(&shared);
        // The threads end with the pipes. A process that is killed may leave children of its own that hold them,
        // so that nobody waits for the threads.
        std::thread::spawn(move || write_lines(stdin, &queue));
        std::thread::spawn(move || reader.read(stdout));
        std::thread::spawn(move || log.drain(stderr));
        let mut start = Request::<&OwnedDoc>::of("start");
        start.protocol = Some(VERSION);
        let _ = lines.send(line_of(&start));
        let started = shared.greeted(&greeting, limit)?;
        Ok(Process {
            shared,
            outbox: Mutex::new(Outbox { lines: Some(lines), next: 0, schemas: HashSet::new() }),
            started,
        })
    }

    /// What it said of itself.
    pub(super) fn started(&self) -> &Started {
        &self.started
    }

    /// Can nothing be asked any more?
    pub(super) fn is_over(&self) -> bool {
        lock(&self.shared.state).over.is_some()
    }

    /// How many replies came that nobody had asked for.
    pub(super) fn unasked(&self) -> u64 {
        self.shared.unasked.load(Ordering::Relaxed)
    }

    /// Asks for one thing and waits for the answer. `line` writes the request, knowing its number and the ids
    /// of the schemas that the process has already.
    pub(super) fn ask(
        &self,
        limit: Duration,
        line: impl FnOnce(u64, &mut HashSet<String>) -> Vec<u8>,
    ) -> Reached {
        let (answer, answered) = channel();
        let seq = {
            let mut outbox = lock(&self.outbox);
            let seq = outbox.next;
            outbox.next += 1;
            let line = line(seq, &mut outbox.schemas);
            let mut state = lock(&self.shared.state);
            if let Some(ended) = &state.over {
                return Reached::Lost(ended.clone());
            }
            if state.pending.is_empty() {
                state.first_since = Instant::now();
            }
            state.pending.insert(seq, answer);
            drop(state);
            // A writer that is gone has left a broken pipe, which the reader finds out about too.
            let _ = outbox.lines.as_ref().map(|lines| lines.send(line));
            seq
        };
        loop {
            match answered.recv_timeout(self.shared.time_left(seq, limit)) {
                Ok(reached) => return reached,
                Err(RecvTimeoutError::Timeout) => self.shared.end_if_late(seq, limit),
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the answer was lost".to_owned();
                    return Reached::Lost(Ended { timed_out: false, why });
                }
            }
        }
    }

    /// Says `stop` and closes the input, without waiting for the end.
    pub(super) fn say_stop(&self) {
        if let Some(lines) = lock(&self.outbox).lines.take() {
            let _ = lines.send(line_of(&Request::<&OwnedDoc>::of("stop")));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.say_stop();
        self.shared.wait(PATIENCE);
    }
}

fn write_lines(mut stdin: ChildStdin, queue: &Receiver<Vec<u8>>) {
    while let Ok(mut lines) = queue.recv() {
        for more in queue.try_iter() {
            lines.extend(more);
        }
        if stdin.write_all(&lines).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// A message with its line feed.
pub(super) fn line_of<D: serde::Serialize>(request: &Request<D>) -> Vec<u8> {
    // Documents hold only finite numbers and string keys: writing them to memory cannot fail.
    let mut line = serde_json::to_vec(request).unwrap_or_default();
    line.push(b'\n');
    line
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn greeted(
        &self,
        greeting: &Receiver<Result<Started, Ended>>,
        limit: Duration,
    ) -> Result<Started, Ended> {
        let Ok(started) = greeting.recv_timeout(limit) else {
            self.end(true, &format!("did not answer `start` within {limit:?}"));
            let over = lock(&self.state).over.clone();
            return Err(over.unwrap_or_else(|| Ended { timed_out: true, why: "was too slow".to_owned() }));
        };
        let started = started?;
        if started.protocol != VERSION {
            let why = format!("speaks version {} of the protocol, and we speak {VERSION}", started.protocol);
            self.end(false, &why);
            return Err(Ended { timed_out: false, why });
        }
        Ok(started)
    }

    fn time_left(&self, seq: u64, limit: Duration) -> Duration {
        let state = lock(&self.state);
        match state.pending.first_key_value() {
            Some((first, _)) if *first == seq => limit.saturating_sub(state.first_since.elapsed()),
            _ => limit,
        }
    }

    fn end_if_late(&self, seq: u64, limit: Duration) {
        if self.time_left(seq, limit).is_zero() {
            self.end(true, &format!("did not answer within {limit:?}"));
        }
    }

    /// Reads replies until there are no more.
    fn read(&self, stdout: ChildStdout) {
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        let mut line = Vec::new();
        loop {
            line.clear();
            match read_line(&mut stdout, &mut line) {
                Ok(true) => {}
                Ok(false) => return self.end(false, "ended"),
                Err(error) => return self.end(false, &format!("cannot be read: {error}")),
            }
            if !line.iter().all(u8::is_ascii_whitespace) && !self.take(&line) {
                return;
            }
        }
    }

    /// Hands one reply on; false when the process is of no use after it.
    fn take(&self, line: &[u8]) -> bool {
        match read_reply(line) {
            Line::Started(started) => {
                let Some(greeting) = lock(&self.state).greeting.take() else {
                    self.end(false, "answered `started` a second time");
                    return false;
                };
                let _ = greeting.send(Ok(*started));
            }
            Line::Answer(seq, answer) => {
                let mut state = lock(&self.state);
                let was_first = state.pending.first_key_value().is_some_and(|(first, _)| *first == seq);
                let Some(waiting) = state.pending.remove(&seq) else {
                    // It harms nobody who waits for another answer.
                    self.unasked.fetch_add(1, Ordering::Relaxed);
                    return true;
                };
                if was_first {
                    state.first_since = Instant::now();
                }
                drop(state);
                let _ = waiting.send(Reached::Answer(answer));
            }
            Line::Nonsense(why) => {
                self.end(false, &why);
                return false;
            }
        }
        true
    }

    /// Puts an end to the process, and tells everybody who waits for it.
    fn end(&self, timed_out: bool, why: &str) {
        let (pending, greeting) = {
            let mut state = lock(&self.state);
            if state.over.is_some() {
                return;
            }
            state.over = Some(Ended { timed_out, why: why.to_owned() });
            (std::mem::take(&mut state.pending), state.greeting.take())
        };
        let status = self.wait(if timed_out { Duration::ZERO } else { PATIENCE });
        let ended = Ended { timed_out, why: self.describe(why, status) };
        lock(&self.state).over = Some(ended.clone());
        if let Some(greeting) = greeting {
            let _ = greeting.send(Err(ended.clone()));
        }
        let alone = pending.len() == 1;
        for waiting in pending.into_values() {
            let reached = if alone { Reached::Ended(ended.clone()) } else { Reached::Lost(ended.clone()) };
            let _ = waiting.send(reached);
        }
    }

    /// Waits for the process to end, and kills it when it does not. `None`: it had to be killed.
    fn wait(&self, patience: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + patience;
        let mut pause = Duration::from_millis(1);
        let mut child = lock(&self.child);
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn describe(&self, why: &str, status: Option<ExitStatus>) -> String {
        let mut text = match (why, status) {
            ("ended", Some(status)) => format!("ended with {status}"),
            ("ended", None) => "closed its output".to_owned(),
            (why, _) => why.to_owned(),
        };
        let stderr = self.stderr.text(Duration::from_millis(200));
        if !stderr.is_empty() {
            text.push_str("\nits standard error ends with:\n");
            text.push_str(&stderr);
        }
        text
    }
}
