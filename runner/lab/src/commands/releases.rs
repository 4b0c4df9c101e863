//! `skewer-lab releases`.

use clap::{Args, ValueEnum};
use skewer_reports::releases::{self as reports, ReleaseRun, ReleasesReport};
use skewer_targets::TargetSpec;
use skewer_targets::apiserver::{ServerProgram, ServerRelease};
use skewer_targets::installed::{Cache, InstallState, Installable};

use crate::releases::{self, StatesByCase};
use skewer::cli::arguments::corpus::CorpusArguments;
use skewer::cli::arguments::target::TargetProcessOptions;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output;
use skewer::cli::progress::Progress;
use skewer::cli::workers::{thread_count, with_threads};
use skewer::exit::Exit;

/// The arguments of `skewer-lab releases`.
#[derive(Debug, Args)]
pub(super) struct ReleasesArguments {
    /// Run only these releases: `1.28`, for example. Default: all installed releases.
    #[arg(value_name = "RELEASE")]
    releases: Vec<ServerRelease>,
    /// Number of random requests to each release. 0 sends none.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    count: u64,
    /// Seed of the random requests.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// Day of the runs, for the Markdown report.
    #[arg(long, value_name = "YYYY-MM-DD", required_if_eq("format", "markdown"))]
    date: Option<String>,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    options: TargetProcessOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// For a terminal.
    Text,
    /// For a file that is checked in.
    Markdown,
}

/// Runs the command.
pub(super) fn releases(arguments: &ReleasesArguments) -> Result {
    let (installed, not_installed) = arguments.find_releases()?;
    if installed.is_empty() {
        let message = "no release is installed: run `skewer target install all`, or name some releases";
        return Err(Failure::new(Exit::TargetFailed, message));
    }
    let corpus = arguments.corpus.load()?;
    let mut states = StatesByCase::default();
    let mut runs = Vec::new();
    for release in installed {
        let _progress = Progress::of_activity(&format!("running on {}", release.target()));
        runs.push(
            arguments.run_release(release, |target, name| {
                releases::run_cells(&corpus, target, name, &mut states)
            })?,
        );
    }
    let report = ReleasesReport {
        reasons: releases::reasons(&runs),
        releases: runs,
        not_installed: not_installed.iter().map(ServerRelease::to_string).collect(),
        cases: states.into_cases(),
        seed: arguments.seed,
    };
    match arguments.format {
        FormatArgument::Text => output::print(&reports::text(&report))?,
        FormatArgument::Markdown => {
            let date = arguments.date.as_deref().unwrap_or_default();
            let command =
                format!("skewer-lab releases --count {} --seed {}", arguments.count, arguments.seed);
            output::print_document(&reports::markdown(&report, date, &command))?;
        }
    }
    let has_failed = report.releases.iter().any(ReleaseRun::has_failed);
    Ok(if has_failed { Exit::CellFailed } else { Exit::Ok })
}

impl ReleasesArguments {
    /// Returns the releases to run, and those that are not installed. A release that the user names must be installed.
    fn find_releases(&self) -> Result<(Vec<ServerRelease>, Vec<ServerRelease>)> {
        let cache = Cache::locate().map_err(|why| Failure::new(Exit::CouldNotRun, why))?;
        let is_installed = |release: &ServerRelease| {
            let state = cache.state(Installable::Server(*release));
            state.is_ok_and(|state| matches!(state, InstallState::Installed { .. }))
        };
        if self.releases.is_empty() {
            return Ok(ServerProgram::Handlers.releases().iter().partition(|release| is_installed(release)));
        }
        // A missing one fails when it is opened, with advice.
        let mut named = self.releases.clone();
        named.sort_unstable_by_key(|release| release.minor());
        named.dedup();
        Ok((named, Vec::new()))
    }

    /// Runs cells with `run_cells`, and then random requests, on the API server of a release.
    fn run_release(
        &self,
        release: ServerRelease,
        mut run_cells: impl FnMut(&dyn skewer_targets::Target, &str) -> ReleaseRun + Send,
    ) -> Result<ReleaseRun> {
        let threads = thread_count(None, usize::MAX);
        let target = self.options.open(&TargetSpec::ApiServer(release), threads)?;
        let target = &*target;
        let run = with_threads(threads, || {
            let mut run = run_cells(target, &release.to_string());
            if self.count > 0 {
                run.random = Some(releases::run_random_requests(target, self.seed, self.count)?);
            }
            Ok::<ReleaseRun, String>(run)
        })?;
        target.stop();
        match (run, target.permanent_failure()) {
            (_, Some(why)) => {
                Err(Failure::new(Exit::TargetFailed, format!("{}: the target {why}", release.target())))
            }
            (Ok(run), None) => Ok(run),
            (Err(why), None) => Err(Failure::new(Exit::CouldNotRun, why)),
        }
    }
}
