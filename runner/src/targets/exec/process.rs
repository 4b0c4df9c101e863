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
use super::protocol::{AdapterInfo, Answer, ReplyLine, Request, VERSION, parse_reply};
use super::stderr::Stderr;

/// Time that a process has to end after it closed its output or was told to stop.
const EXIT_GRACE_PERIOD: Duration = Duration::from_millis(500);

/// The result of a request.
#[derive(Clone, Debug)]
pub(super) enum RequestResult {
    /// An answer.
    Answered(Answer),
    /// The process ended because of this request.
    Failed(ProcessFailure),
    /// The process ended while it had several requests, or before it received this one. Only a process without other
    /// requests can tell which request is the cause.
    Lost(ProcessFailure),
}

/// The failure after which a process cannot be used any more.
#[derive(Clone, Debug)]
pub(super) struct ProcessFailure {
    /// Whether the process exceeded the time limit.
    pub(super) timed_out: bool,
    /// The reason in words, with the tail of standard error.
    pub(super) why: String,
}

/// A process that has answered `start`.
#[derive(Debug)]
pub(super) struct Process {
    shared: Arc<SharedProcess>,
    queue: Mutex<RequestQueue>,
    info: AdapterInfo,
}

#[derive(Debug)]
struct SharedProcess {
    state: Mutex<ConversationState>,
    child: Mutex<Child>,
    stderr: Arc<Stderr>,
    /// Replies without an open request: nobody had made it, or it was answered already.
    unsolicited_replies: AtomicU64,
}

#[derive(Debug)]
struct ConversationState {
    /// The waiting callers, by sequence number. The first has waited longest.
    pending: BTreeMap<u64, Sender<RequestResult>>,
    /// Time at which the first request became the first. Its time limit begins then.
    oldest_since: Instant,
    /// The failure, if nothing can be asked any more.
    failure: Option<ProcessFailure>,
    /// The channel for the reply to `start`, until it has come.
    start_reply: Option<Sender<Result<AdapterInfo, ProcessFailure>>>,
}

/// The requests to be written, in the order of the sequence numbers.
#[derive(Debug)]
struct RequestQueue {
    lines: Option<Sender<Vec<u8>>>,
    next_seq: u64,
    /// The schemas that the process has, by id.
    sent_schemas: HashSet<String>,
}

impl Process {
    /// Starts a program and waits for its reply to `start`.
    pub(super) fn start(command: &[String], timeout: Duration) -> Result<Self, ProcessFailure> {
        let failed = |why: String| ProcessFailure { timed_out: false, why };
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
        let (start_reply_sender, start_reply) = channel();
        let stderr_tail = Arc::new(Stderr::default());
        let shared = Arc::new(SharedProcess {
            state: Mutex::new(ConversationState {
                pending: BTreeMap::new(),
                oldest_since: Instant::now(),
                failure: None,
                start_reply: Some(start_reply_sender),
            }),
            child: Mutex::new(child),
            stderr: Arc::clone(&stderr_tail),
            unsolicited_replies: AtomicU64::new(0),
        });
        let (lines, queue) = channel();
        let reader = Arc::clone(&shared);
        // The threads end with the pipes. A process that is killed may leave children of its own that hold them,
        // so that nobody waits for the threads.
        std::thread::spawn(move || write_lines(stdin, &queue));
        std::thread::spawn(move || reader.read_replies(stdout));
        std::thread::spawn(move || stderr_tail.drain(stderr));
        let mut start = Request::<&OwnedDoc>::of("start");
        start.protocol = Some(VERSION);
        let _ = lines.send(message_line(&start));
        let info = shared.await_start_reply(&start_reply, timeout)?;
        Ok(Process {
            shared,
            queue: Mutex::new(RequestQueue { lines: Some(lines), next_seq: 0, sent_schemas: HashSet::new() }),
            info,
        })
    }

    /// Returns the description that the program gave of itself.
    pub(super) fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Whether the process failed, so that nothing can be asked any more.
    pub(super) fn has_failed(&self) -> bool {
        lock(&self.shared.state).failure.is_some()
    }

    /// Returns the number of replies without an open request.
    pub(super) fn unsolicited_replies(&self) -> u64 {
        self.shared.unsolicited_replies.load(Ordering::Relaxed)
    }

    /// Sends a request and waits for the answer. `line` writes the request, given its sequence number and the ids of the
    /// schemas that the process has already.
    pub(super) fn ask(
        &self,
        timeout: Duration,
        line: impl FnOnce(u64, &mut HashSet<String>) -> Vec<u8>,
    ) -> RequestResult {
        let (answer, answered) = channel();
        let seq = {
            let mut queue = lock(&self.queue);
            let seq = queue.next_seq;
            queue.next_seq += 1;
            let line = line(seq, &mut queue.sent_schemas);
            let mut state = lock(&self.shared.state);
            if let Some(failure) = &state.failure {
                return RequestResult::Lost(failure.clone());
            }
            if state.pending.is_empty() {
                state.oldest_since = Instant::now();
            }
            state.pending.insert(seq, answer);
            drop(state);
            // A writer that is gone has left a broken pipe, which the reader finds out about too.
            let _ = queue.lines.as_ref().map(|lines| lines.send(line));
            seq
        };
        loop {
            match answered.recv_timeout(self.shared.time_left(seq, timeout)) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => self.shared.fail_if_late(seq, timeout),
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the answer was lost".to_owned();
                    return RequestResult::Lost(ProcessFailure { timed_out: false, why });
                }
            }
        }
    }

    /// Sends `stop` and closes the input, without waiting for the end.
    pub(super) fn send_stop(&self) {
        if let Some(lines) = lock(&self.queue).lines.take() {
            let _ = lines.send(message_line(&Request::<&OwnedDoc>::of("stop")));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send_stop();
        self.shared.wait_or_kill(EXIT_GRACE_PERIOD);
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

/// Returns a message as a line, with its line feed.
pub(super) fn message_line<D: serde::Serialize>(request: &Request<D>) -> Vec<u8> {
    // Documents hold only finite numbers and string keys: writing them to memory cannot fail.
    let mut line = serde_json::to_vec(request).unwrap_or_default();
    line.push(b'\n');
    line
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedProcess {
    fn await_start_reply(
        &self,
        start_reply: &Receiver<Result<AdapterInfo, ProcessFailure>>,
        timeout: Duration,
    ) -> Result<AdapterInfo, ProcessFailure> {
        let Ok(started) = start_reply.recv_timeout(timeout) else {
            self.fail(true, &format!("did not answer `start` within {timeout:?}"));
            let failure = lock(&self.state).failure.clone();
            return Err(
                failure.unwrap_or_else(|| ProcessFailure { timed_out: true, why: "was too slow".to_owned() })
            );
        };
        let started = started?;
        if started.protocol != VERSION {
            let why = format!("speaks version {} of the protocol, and we speak {VERSION}", started.protocol);
            self.fail(false, &why);
            return Err(ProcessFailure { timed_out: false, why });
        }
        Ok(started)
    }

    fn time_left(&self, seq: u64, timeout: Duration) -> Duration {
        let state = lock(&self.state);
        match state.pending.first_key_value() {
            Some((first, _)) if *first == seq => timeout.saturating_sub(state.oldest_since.elapsed()),
            _ => timeout,
        }
    }

    fn fail_if_late(&self, seq: u64, timeout: Duration) {
        if self.time_left(seq, timeout).is_zero() {
            self.fail(true, &format!("did not answer within {timeout:?}"));
        }
    }

    /// Reads replies until there are no more.
    fn read_replies(&self, stdout: ChildStdout) {
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        let mut line = Vec::new();
        loop {
            line.clear();
            match read_line(&mut stdout, &mut line) {
                Ok(true) => {}
                Ok(false) => return self.fail(false, "ended"),
                Err(error) => return self.fail(false, &format!("cannot be read: {error}")),
            }
            if !line.iter().all(u8::is_ascii_whitespace) && !self.handle_reply(&line) {
                return;
            }
        }
    }

    /// Passes one reply on to its caller; returns false if the process cannot be used any more.
    fn handle_reply(&self, line: &[u8]) -> bool {
        match parse_reply(line) {
            ReplyLine::Started(started) => {
                let Some(start_reply) = lock(&self.state).start_reply.take() else {
                    self.fail(false, "answered `started` a second time");
                    return false;
                };
                let _ = start_reply.send(Ok(*started));
            }
            ReplyLine::Answer(seq, answer) => {
                let mut state = lock(&self.state);
                let was_oldest = state.pending.first_key_value().is_some_and(|(first, _)| *first == seq);
                let Some(waiting) = state.pending.remove(&seq) else {
                    // It harms nobody who waits for another answer.
                    self.unsolicited_replies.fetch_add(1, Ordering::Relaxed);
                    return true;
                };
                if was_oldest {
                    state.oldest_since = Instant::now();
                }
                drop(state);
                let _ = waiting.send(RequestResult::Answered(answer));
            }
            ReplyLine::Malformed(why) => {
                self.fail(false, &why);
                return false;
            }
        }
        true
    }

    /// Ends the process, and fails all open requests.
    fn fail(&self, timed_out: bool, why: &str) {
        let (pending, start_reply) = {
            let mut state = lock(&self.state);
            if state.failure.is_some() {
                return;
            }
            state.failure = Some(ProcessFailure { timed_out, why: why.to_owned() });
            (std::mem::take(&mut state.pending), state.start_reply.take())
        };
        let status = self.wait_or_kill(if timed_out { Duration::ZERO } else { EXIT_GRACE_PERIOD });
        let failure = ProcessFailure { timed_out, why: self.describe_failure(why, status) };
        lock(&self.state).failure = Some(failure.clone());
        if let Some(start_reply) = start_reply {
            let _ = start_reply.send(Err(failure.clone()));
        }
        let was_alone = pending.len() == 1;
        for waiting in pending.into_values() {
            let result = if was_alone {
                RequestResult::Failed(failure.clone())
            } else {
                RequestResult::Lost(failure.clone())
            };
            let _ = waiting.send(result);
        }
    }

    /// Waits for the process to end, and kills it if it does not; `None` if it was killed.
    fn wait_or_kill(&self, grace_period: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + grace_period;
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

    fn describe_failure(&self, why: &str, status: Option<ExitStatus>) -> String {
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
