//! One adapter process, which can have several open requests at a time.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use skewer_engine::OwnedDoc;
use skewer_protocol::lines::{LineRead, read_line};
use skewer_protocol::messages::{MAX_REPLY_BYTES, RequestMessage, VERSION};

use super::reply::{AdapterAnswer, AdapterInfo, ReplyLine, check_info, parse_reply};
use super::schema_registry::SentSchemas;
use super::stderr::Stderr;
use crate::process_group::{ProcessGroup, describe_start_error, spawn_thread};
use crate::unanswered::RequestFailure;

/// Time that a process has to exit after it closed its output or received `stop`.
const EXIT_GRACE_PERIOD: Duration = Duration::from_millis(500);

/// The time that a process has to write its last replies after `stop`.
const LAST_REPLIES_PERIOD: Duration = Duration::from_secs(2);

/// Interval at which an idle process is checked: whether it still runs, and whether it still holds its standard input
/// open.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of replies from one process that answer no open request.
const MAX_UNSOLICITED_REPLIES: u64 = 1000;

/// The failure of a process that exited or closed its output. Both count as the same failure.
const ENDED: &str = "ended";

/// The result of a request.
#[derive(Clone, Debug)]
pub(super) enum RequestResult {
    /// The process answered.
    Answered(AdapterAnswer),
    /// The process ended because of this request.
    Failed(RequestFailure),
    /// The process ended, but the cause is not known: it had several open requests, or it ended before it received
    /// this one.
    Lost(RequestFailure),
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
    /// Notified when the process fails.
    failed: Condvar,
    group: Arc<ProcessGroup>,
    stderr: Arc<Stderr>,
    /// Number of replies that answer no open request: their request was never made, or was answered before.
    unsolicited_replies: AtomicU64,
    /// Whether a request is being written. Writing takes long if the process does not read its standard input.
    is_writing: AtomicBool,
}

#[derive(Debug)]
struct ConversationState {
    /// The callers that wait for a reply, by sequence number. The first entry has waited longest.
    pending: BTreeMap<u64, Sender<RequestResult>>,
    /// Time at which the request that is now the oldest open one became the oldest. Its time limit counts from then.
    oldest_since: Instant,
    /// The failure after which the process answers no more requests, if it has failed.
    failure: Option<RequestFailure>,
    /// The channel for the reply to `start`, until that reply arrives.
    start_reply: Option<Sender<Result<AdapterInfo, RequestFailure>>>,
}

/// The requests that wait to be written, in the order of their sequence numbers.
#[derive(Debug)]
struct RequestQueue {
    lines: Option<Sender<Vec<u8>>>,
    next_seq: u64,
    /// The schemas that the process has received.
    sent_schemas: SentSchemas,
}

impl Process {
    /// Starts a program and waits for its reply to `start`.
    ///
    /// # Errors
    /// Fails if the program cannot be started, does not reply in time, or violates the protocol in its reply.
    pub(super) fn start(command: &[String], timeout: Duration) -> Result<Self, RequestFailure> {
        let failed = |why: String| RequestFailure { timed_out: false, why };
        let [program, arguments @ ..] = command else {
            return Err(failed("the command is empty".to_owned()));
        };
        let cannot_start = |error| failed(describe_start_error(program, &error));
        let (group, pipes) =
            ProcessGroup::start(Command::new(program).args(arguments)).map_err(cannot_start)?;
        let (start_reply_sender, start_reply) = channel();
        let stderr_tail = Arc::new(Stderr::default());
        let shared = Arc::new(SharedProcess {
            state: Mutex::new(ConversationState {
                pending: BTreeMap::new(),
                oldest_since: Instant::now(),
                failure: None,
                start_reply: Some(start_reply_sender),
            }),
            failed: Condvar::new(),
            group,
            stderr: Arc::clone(&stderr_tail),
            unsolicited_replies: AtomicU64::new(0),
            is_writing: AtomicBool::new(false),
        });
        let (lines, queue) = channel();
        let (writer, reader) = (Arc::clone(&shared), Arc::clone(&shared));
        // Each thread ends when its pipe closes. A child that left the process group can keep a pipe open, so nothing
        // joins these threads.
        spawn_thread(move || writer.write_requests(pipes.stdin, &queue))
            .and_then(|()| spawn_thread(move || reader.read_replies(pipes.stdout)))
            .and_then(|()| spawn_thread(move || stderr_tail.drain(pipes.stderr)))
            .map_err(|error| {
                shared.group.kill();
                cannot_start(error)
            })?;
        let mut start = RequestMessage::<&OwnedDoc>::of("start");
        start.protocol = Some(VERSION);
        let _ = lines.send(message_line(&start));
        let info = shared.await_start_reply(&start_reply, timeout)?;
        Ok(Process {
            shared,
            queue: Mutex::new(RequestQueue {
                lines: Some(lines),
                next_seq: 0,
                sent_schemas: SentSchemas::new(),
            }),
            info,
        })
    }

    /// Returns the self-description that the program sent.
    pub(super) fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Returns true if the process has failed and answers no more requests.
    pub(super) fn has_failed(&self) -> bool {
        lock(&self.shared.state).failure.is_some()
    }

    /// Returns the number of replies that answered no open request.
    pub(super) fn unsolicited_replies(&self) -> u64 {
        self.shared.unsolicited_replies.load(Ordering::Relaxed)
    }

    /// Sends a request and waits for the answer. `line` formats the request, given its sequence number and the
    /// schemas that the process has received.
    pub(super) fn ask(
        &self,
        timeout: Duration,
        line: impl FnOnce(u64, &mut SentSchemas) -> Vec<u8>,
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
            // If the writer thread has ended, then it has already reported the failure.
            let _ = queue.lines.as_ref().map(|lines| lines.send(line));
            seq
        };
        loop {
            match answered.recv_timeout(self.shared.time_left(seq, timeout)) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => self.shared.fail_if_late(seq, timeout),
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the answer was lost".to_owned();
                    return RequestResult::Lost(RequestFailure { timed_out: false, why });
                }
            }
        }
    }

    /// Kills the process because the target was given up.
    pub(super) fn kill(&self) {
        self.shared.fail(true, "was given up");
    }

    /// Waits until the process has closed its output, or for [`LAST_REPLIES_PERIOD`].
    pub(super) fn await_end_of_replies(&self) {
        let state = lock(&self.shared.state);
        let _ = self
            .shared
            .failed
            .wait_timeout_while(state, LAST_REPLIES_PERIOD, |state| state.failure.is_none());
    }

    /// Sends `stop` and closes the input, but does not wait for the process to exit.
    pub(super) fn send_stop(&self) {
        if let Some(lines) = lock(&self.queue).lines.take() {
            let _ = lines.send(message_line(&RequestMessage::<&OwnedDoc>::of("stop")));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.send_stop();
        self.shared.group.wait_or_kill(EXIT_GRACE_PERIOD);
    }
}

/// Returns true if the reader of a pipe has closed it.
fn is_closed_by_reader(stdin: &ChildStdin) -> bool {
    let mut fds = [PollFd::new(stdin, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec::default()));
    polled.is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

/// Formats a message as a line that ends with a line feed.
pub(super) fn message_line(request: &impl serde::Serialize) -> Vec<u8> {
    // Serialization cannot fail: documents hold only finite numbers and string keys.
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
        start_reply: &Receiver<Result<AdapterInfo, RequestFailure>>,
        timeout: Duration,
    ) -> Result<AdapterInfo, RequestFailure> {
        let Ok(started) = start_reply.recv_timeout(timeout) else {
            self.fail(true, &format!("did not answer `start` within {timeout:?}"));
            let failure = lock(&self.state).failure.clone();
            return Err(
                failure.unwrap_or_else(|| RequestFailure { timed_out: true, why: "was too slow".to_owned() })
            );
        };
        let started = started?;
        if let Err(why) = check_info(&started) {
            self.fail(false, &why);
            return Err(RequestFailure { timed_out: false, why });
        }
        if started.protocol != VERSION {
            let why = format!(
                "speaks version {} of the protocol, and the runner speaks {VERSION}",
                started.protocol
            );
            self.fail(false, &why);
            return Err(RequestFailure { timed_out: false, why });
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
            let unread = if self.is_writing.load(Ordering::Relaxed) {
                ": it does not read its standard input"
            } else {
                ""
            };
            self.fail(true, &format!("did not answer within {timeout:?}{unread}"));
        }
    }

    /// Writes requests until the queue is closed. Meanwhile, watches whether the process exits or closes its input:
    /// its output alone does not show that, because a child of the process can keep the output open.
    fn write_requests(&self, mut stdin: ChildStdin, queue: &Receiver<Vec<u8>>) {
        loop {
            match queue.recv_timeout(WATCH_INTERVAL) {
                Ok(mut lines) => {
                    for more in queue.try_iter() {
                        lines.extend(more);
                    }
                    self.is_writing.store(true, Ordering::Relaxed);
                    let written = stdin.write_all(&lines).and_then(|()| stdin.flush());
                    self.is_writing.store(false, Ordering::Relaxed);
                    if written.is_err() {
                        return self.fail_unless_reported();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.group.has_ended() || is_closed_by_reader(&stdin) {
                        return self.fail_unless_reported();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Reports that the process exited or closed its input, unless the thread that reads its replies reports another
    /// failure first. That thread first reads the replies that the process wrote before.
    fn fail_unless_reported(&self) {
        let is_reported = self
            .failed
            .wait_timeout_while(lock(&self.state), EXIT_GRACE_PERIOD, |state| state.failure.is_none())
            .is_ok_and(|(state, _)| state.failure.is_some());
        if !is_reported {
            self.fail(false, if self.group.has_ended() { ENDED } else { "closed its standard input" });
        }
    }

    /// Reads replies until the process closes its output.
    fn read_replies(&self, stdout: ChildStdout) {
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        let mut line = Vec::new();
        loop {
            match read_line(&mut stdout, &mut line, MAX_REPLY_BYTES) {
                Ok(LineRead::Line) => {}
                Ok(LineRead::End) => return self.fail(false, ENDED),
                Ok(LineRead::TooLong) => {
                    let limit = MAX_REPLY_BYTES >> 20;
                    return self.fail(false, &format!("wrote a line of more than {limit} MiB"));
                }
                Err(error) => return self.fail(false, &format!("cannot be read: {error}")),
            }
            if !line.iter().all(u8::is_ascii_whitespace) && !self.handle_reply(&line) {
                return;
            }
        }
    }

    /// Passes one reply to the caller that waits for it. Returns false if the process must not be used any more.
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
                    let has_failed = state.failure.is_some();
                    drop(state);
                    return !has_failed && self.count_unsolicited_reply();
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

    /// Counts a reply that answers no open request. Returns false if there are too many: a few such replies do not
    /// affect other requests.
    fn count_unsolicited_reply(&self) -> bool {
        let count = self.unsolicited_replies.fetch_add(1, Ordering::Relaxed) + 1;
        if count > MAX_UNSOLICITED_REPLIES {
            self.fail(
                false,
                &format!("sent more than {MAX_UNSOLICITED_REPLIES} replies that answer no open request"),
            );
        }
        count <= MAX_UNSOLICITED_REPLIES
    }

    /// Ends the process, and fails all its open requests.
    fn fail(&self, timed_out: bool, why: &str) {
        let (pending, start_reply) = {
            let mut state = lock(&self.state);
            if state.failure.is_some() {
                return;
            }
            state.failure = Some(RequestFailure { timed_out, why: why.to_owned() });
            (std::mem::take(&mut state.pending), state.start_reply.take())
        };
        self.failed.notify_all();
        let status = self.group.wait_or_kill(if timed_out { Duration::ZERO } else { EXIT_GRACE_PERIOD });
        let failure = RequestFailure { timed_out, why: self.describe_failure(why, status) };
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

    fn describe_failure(&self, why: &str, status: Option<ExitStatus>) -> String {
        let mut text = match (why, status) {
            (ENDED, Some(status)) => format!("{ENDED} with {status}"),
            (ENDED, None) => "closed its output".to_owned(),
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
