//! Programs that run in a process group of their own, and end together with the programs that they start.

use std::collections::HashSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program in a process group of its own.
///
/// When the program ends, or is killed, so are the programs that it started, as long as they stay in its group. A
/// signal of the terminal (`^C`) does not reach them: [`kill_all`] is for that.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    /// The program; its process id is the id of the group.
    leader: Pid,
    end: Mutex<End>,
    ended: Condvar,
}

/// The end of the program.
#[derive(Debug, Default)]
struct End {
    has_ended: bool,
    /// The exit status; `None` while the program runs, and if the system did not report it.
    status: Option<ExitStatus>,
}

/// The standard streams of a program that was started.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// The groups of which the leader was not reaped, so that their ids are not used for anything else.
///
/// Groups are started, killed and reaped under this lock: no signal goes to a group that is gone.
static RUNNING: LazyLock<Mutex<Running>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Running {
    leaders: HashSet<Pid>,
    /// Whether new programs are refused.
    is_closed: bool,
}

/// Longest wait for a program that was killed. The system may take some time to end it.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Kills all programs that run, with the programs that they started, and lets no other program start: for the time when
/// this process is about to end.
pub(crate) fn kill_all() {
    let mut running = lock(&RUNNING);
    running.is_closed = true;
    for leader in &running.leaders {
        // The group is there until its leader is reaped. A group that nobody may signal cannot be ended.
        let _ = kill_process_group(*leader, Signal::KILL);
    }
}

impl ProcessGroup {
    /// Starts a program with pipes for its standard streams.
    ///
    /// # Errors
    /// Fails if the system cannot start the program, and after [`kill_all`].
    pub(super) fn start(command: &mut Command) -> io::Result<(Arc<Self>, Pipes)> {
        let mut running = lock(&RUNNING);
        if running.is_closed {
            return Err(io::Error::other("interrupted"));
        }
        let command = command.process_group(0);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let leader = Pid::from_child(&child);
        let group = Arc::new(ProcessGroup { leader, end: Mutex::default(), ended: Condvar::new() });
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("it was started without its pipes"));
        };
        running.leaders.insert(leader);
        let reaped = Arc::clone(&group);
        if let Err(error) = spawn_thread(move || reaped.reap(child)) {
            // The thread would have owned the child, which is therefore not reaped.
            let _ = kill_process_group(leader, Signal::KILL);
            running.leaders.remove(&leader);
            return Err(error);
        }
        Ok((group, Pipes { stdin, stdout, stderr }))
    }

    /// Waits for the end of the program, and kills the programs that it started and that still run.
    fn reap(&self, mut child: Child) {
        // A program that has ended keeps its process id until it is reaped.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.leader), options), Err(Errno::INTR)) {}
        let mut running = lock(&RUNNING);
        let _ = kill_process_group(self.leader, Signal::KILL);
        let status = child.wait().ok();
        running.leaders.remove(&self.leader);
        drop(running);
        *lock(&self.end) = End { has_ended: true, status };
        self.ended.notify_all();
    }

    /// Kills the program and the programs that it started.
    pub(super) fn kill(&self) {
        let running = lock(&RUNNING);
        if running.leaders.contains(&self.leader) {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }

    /// Returns true if the program has ended.
    pub(super) fn has_ended(&self) -> bool {
        lock(&self.end).has_ended
    }

    /// Waits for the program to end by itself, and kills it if it does not; `None` if it was killed.
    pub(super) fn wait_or_kill(&self, patience: Duration) -> Option<ExitStatus> {
        let end = self.wait(patience);
        if end.has_ended {
            return end.status;
        }
        drop(end);
        self.kill();
        drop(self.wait(KILL_PATIENCE));
        None
    }

    fn wait(&self, patience: Duration) -> MutexGuard<'_, End> {
        let waited = self.ended.wait_timeout_while(lock(&self.end), patience, |end| !end.has_ended);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Starts a thread that nobody waits for.
///
/// # Errors
/// Fails if the system refuses it, because there are too many threads.
pub(super) fn spawn_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn start(script: &str) -> (Arc<ProcessGroup>, Pipes) {
        ProcessGroup::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    /// The pipe is closed when no process holds it any more.
    fn read_to_end(mut stdout: ChildStdout) -> String {
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_children_of_a_program_end_with_it() {
        let started = Instant::now();
        let (group, pipes) = start("sleep 30 & echo started; exit 3");
        assert_eq!(read_to_end(pipes.stdout), "started\n");
        assert_eq!(group.wait_or_kill(LONG).and_then(|status| status.code()), Some(3));
        assert!(started.elapsed() < LONG);
    }

    #[test]
    fn a_program_is_killed_with_its_children() {
        let started = Instant::now();
        let (group, pipes) = start("sleep 30 & echo started; wait");
        assert_eq!(group.wait_or_kill(Duration::from_millis(200)), None);
        assert!(group.has_ended());
        assert_eq!(read_to_end(pipes.stdout), "started\n");
        assert!(started.elapsed() < LONG);
    }

    #[test]
    fn a_program_that_ended_is_not_killed_again() {
        let (group, _pipes) = start("exit 0");
        assert_eq!(group.wait_or_kill(LONG).map(|status| status.success()), Some(true));
        group.kill();
        assert_eq!(group.wait_or_kill(LONG).map(|status| status.success()), Some(true));
    }
}
