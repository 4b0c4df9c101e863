//! Handling of the signals that interrupt the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use skewer_targets::kill_all_processes;

use super::exit::Exit;
use super::failure::{Failure, Result};

/// The flag that asks the current run to stop. It is unset in commands that have no partial results to keep.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Returns a flag that the first signal sets to ask the run to stop. The second signal ends the program at once.
pub(super) fn watch_signals() -> Result<Arc<AtomicBool>> {
    let stop = STOP.get_or_init(Arc::default);
    end_targets_with_program()?;
    Ok(Arc::clone(stop))
}

/// Makes the signals that end the program also kill the processes of the target. The terminal does not signal these
/// processes, because they run in separate process groups.
pub(super) fn end_targets_with_program() -> Result<()> {
    static IS_LISTENING: Mutex<bool> = Mutex::new(false);
    let mut is_listening = IS_LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_listening {
        listen().map_err(|error| Failure::could_not_run(format!("cannot listen for signals: {error}")))?;
        *is_listening = true;
    }
    Ok(())
}

fn listen() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT])?;
    // `nohup` ignores SIGHUP so that the program outlives its terminal; that is respected. The other signals are always
    // handled: a shell ignores SIGINT for background jobs, but a CI system may still send it to stop the run.
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    let work = move || signals.forever().for_each(handle);
    std::thread::Builder::new().name("signals".to_owned()).spawn(work).map(drop)
}

fn handle(signal: i32) {
    let stop = STOP.get().filter(|_| signal != SIGQUIT);
    let is_first = stop.is_some_and(|stop| !stop.swap(true, Ordering::Relaxed));
    // The run must not wait for pending answers.
    kill_all_processes();
    if is_first {
        return;
    }
    if stop.is_some() {
        low_level::exit(Exit::Interrupted as i32);
    }
    let _ = low_level::emulate_default_handler(signal);
}

/// Returns true if the parent process set a signal to be ignored. Returns false on a system without
/// `/proc`.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
