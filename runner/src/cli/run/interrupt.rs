//! Signals that interrupt a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};

/// Returns a flag that the first signal sets. The second signal ends the program at once, as signals do by default.
pub(super) fn watch_signals() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The order matters: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| {
                Failure::new(Exit::CouldNotRun, format!("cannot listen for signals: {error}"))
            })?;
    }
    Ok(stop)
}
