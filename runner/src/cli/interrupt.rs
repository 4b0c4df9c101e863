//! Being told to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::{Failure, Result};
use crate::exit::Exit;

/// A flag that the first signal to stop sets. The second ends the program at once, as signals do without us.
pub(super) fn watch() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal finds the flag unset, sets it and goes on.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| {
                Failure::new(Exit::CouldNotRun, format!("cannot listen for signals: {error}"))
            })?;
    }
    Ok(stop)
}
