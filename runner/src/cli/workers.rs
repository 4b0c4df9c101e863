//! The threads that run cells.

use super::failure::{Failure, Result};

/// Maximum number of threads. With a target that waits, more threads than processors help a little; more than this
/// number only take memory.
const MAX_THREADS: usize = 256;

/// Parses the argument of `--jobs`.
pub fn parse_jobs(text: &str) -> std::result::Result<usize, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that overflows is above the maximum anyway.
    let jobs = if is_number { text.parse().unwrap_or(usize::MAX) } else { 0 };
    if jobs == 0 {
        return Err(
            "expected a number of threads of at least 1 (default: one thread per processor)".to_owned()
        );
    }
    Ok(jobs)
}

/// Returns the number of threads for some pieces of work. The default is one for each processor, and the maximum is one
/// for each piece.
#[must_use]
pub fn thread_count(jobs: Option<usize>, pieces: usize) -> usize {
    let wanted = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    wanted.min(MAX_THREADS).min(pieces).max(1)
}

/// Runs work on a thread pool.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        let hint = if threads > 1 { "; try fewer with --jobs" } else { "" };
        Failure::could_not_run(format!("cannot start {threads} threads: {error}{hint}"))
    })?;
    Ok(pool.install(work))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1", Some(1))]
    #[case("64", Some(64))]
    #[case("99999999999999999999999", Some(usize::MAX))]
    #[case("0", None)]
    #[case("", None)]
    #[case("-1", None)]
    #[case("two", None)]
    fn jobs_must_be_at_least_one(#[case] text: &str, #[case] expected: Option<usize>) {
        assert_eq!(parse_jobs(text).ok(), expected);
    }

    #[rstest]
    #[case(Some(4), 100, 4)]
    #[case(Some(4), 3, 3)]
    #[case(Some(1_000_000), 1_000_000, MAX_THREADS)]
    #[case(Some(4), 0, 1)]
    #[case(None, 1, 1)]
    fn thread_count_is_limited_by_the_pieces_of_work(
        #[case] jobs: Option<usize>,
        #[case] pieces: usize,
        #[case] expected: usize,
    ) {
        assert_eq!(thread_count(jobs, pieces), expected);
    }
}
