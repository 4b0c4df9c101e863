//! Programs that run in a process group of their own, and that end together with their child programs.

use std::collections::HashSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program in a process group of its own.
///
/// When the program exits or is killed, its child programs are killed too, unless they left the group. Signals from
/// the terminal (`^C`) do not reach the group; use [`kill_all`] instead.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    /// The program. Its process id is the id of the group.
    leader: Pid,
    end: Mutex<End>,
    ended: Condvar,
}

/// The exit of a program.
#[derive(Debug, Default)]
struct End {
    has_ended: bool,
    /// The exit status. `None` while the program runs, or if the system reported no status.
    status: Option<ExitStatus>,
}

/// The standard streams of a started program.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// The groups whose leader has not been reaped. Until then, the system does not reuse the id of the group.
///
/// This lock is held while a group is started, killed or reaped, so that no signal is sent to a group that has ended.
static RUNNING: LazyLock<Mutex<Running>> = LazyLock::new(Mutex::default);

#[derive(Debug, Default)]
struct Running {
    leaders: HashSet<Pid>,
    /// Whether starting new programs fails.
    is_closed: bool,
}

/// Maximum time to wait for a killed program to exit. The system may need some time to end it.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Kills all running programs and their child programs, and lets no other program start. Called when this process is
/// about to exit.
pub fn kill_all() {
    let mut running = lock(&RUNNING);
    running.is_closed = true;
    for leader in &running.leaders {
        // The group exists until its leader is reaped. An error is ignored: a group that may not be signalled cannot
        // be ended.
        let _ = kill_process_group(*leader, Signal::KILL);
    }
}

impl ProcessGroup {
    /// Starts a program with pipes for its standard streams.
    ///
    /// # Errors
    /// Fails if the system cannot start the program, or if [`kill_all`] was called.
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
            // There is no thread to reap the program, which therefore stays unreaped.
            let _ = kill_process_group(leader, Signal::KILL);
            running.leaders.remove(&leader);
            return Err(error);
        }
        Ok((group, Pipes { stdin, stdout, stderr }))
    }

    /// Waits for the program to exit, and then kills its child programs that still run.
    fn reap(&self, mut child: Child) {
        // Waits without reaping, so that the program keeps its process id and the group can still be killed.
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

    /// Kills the program and its child programs.
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

    /// Waits for the program to exit, and kills it after `patience`. Returns `None` if the program was killed.
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

/// Describes why the system cannot start a program. The text continues a sentence that begins with the target or its
/// command.
pub(super) fn describe_start_error(program: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound if !program.contains('/') => {
            format!("is not found: no folder of PATH has the program {program}")
        }
        io::ErrorKind::NotFound if !Path::new(program).exists() => {
            format!("is not found: there is no file {program}")
        }
        io::ErrorKind::NotFound => format!("does not run: the interpreter that {program} names is not found"),
        _ => format!("does not run: {error}"),
    }
}

/// Starts a detached thread.
///
/// # Errors
/// Fails if the system cannot start another thread.
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

    /// Reads until no process holds the pipe open.
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
