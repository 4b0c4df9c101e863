//! Signals that interrupt the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::exit::Exit;
use super::failure::{Failure, Result};
use crate::targets::kill_all_processes;

/// The flag by which a run hears of a signal, if there is a run that keeps what it has.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Returns a flag that the first signal sets, after which the run has to end. The second signal ends the program at
/// once, as signals do by default.
pub(super) fn watch_signals() -> Result<Arc<AtomicBool>> {
    let stop = STOP.get_or_init(Arc::default);
    end_targets_with_program()?;
    Ok(Arc::clone(stop))
}

/// Lets the signals that end the program end the processes of the target, too. These are in process groups of their own,
/// which no signal of the terminal reaches.
pub(super) fn end_targets_with_program() -> Result<()> {
    static IS_LISTENING: Mutex<bool> = Mutex::new(false);
    let mut is_listening = IS_LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_listening {
        listen().map_err(|error| {
            Failure::new(Exit::CouldNotRun, format!("cannot listen for signals: {error}"))
        })?;
        *is_listening = true;
    }
    Ok(())
}

fn listen() -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT])?;
    // Whoever starts the program with `nohup` does not want the end of the terminal to end it. The other signals are heard
    // always: a shell ignores SIGINT for what it starts in the background, and a CI system may send it all the same.
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    let work = move || signals.forever().for_each(handle);
    std::thread::Builder::new().name("signals".to_owned()).spawn(work).map(drop)
}

fn handle(signal: i32) {
    let stop = STOP.get().filter(|_| signal != SIGQUIT);
    let is_first = stop.is_some_and(|stop| !stop.swap(true, Ordering::Relaxed));
    // What a run asks at the moment is not waited for.
    kill_all_processes();
    if is_first {
        return;
    }
    if stop.is_some() {
        low_level::exit(Exit::Interrupted as i32);
    }
    let _ = low_level::emulate_default_handler(signal);
}

/// Returns true if the program was started to ignore a signal, where the system tells that.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
