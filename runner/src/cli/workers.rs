//! The threads that run cells.

use super::exit::Exit;
use super::failure::{Failure, Result};

/// Runs work on a pool with a number of threads; without a number, one for each processor.
pub(super) fn with_threads<T: Send>(jobs: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let pool =
        pool.map_err(|error| Failure::new(Exit::CouldNotRun, format!("cannot start threads: {error}")))?;
    Ok(pool.install(work))
}
