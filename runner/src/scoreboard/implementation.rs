//! An implementation: its names, the command of its run, and its counts.

use skewer_reports::scoreboard::{Implementation, ScoreboardCounts};
use skewer_results::{Cell, Outcome, Results, Status};

use super::ladder::Ladder;

/// Describes the implementation of a run. `supported` is the number of its capabilities.
pub(super) fn implementation(ladder: &Ladder, run: &Results, supported: usize) -> Implementation {
    let target = &run.run.target;
    let label = ladder.labels.get(&target.name).unwrap_or(&target.name);
    let version = target.version.as_deref().map(|version| version.trim_start_matches('v'));
    let of_ladder = run.cells.iter().filter(|cell| ladder.has_suite(&cell.suite));
    Implementation {
        label: version.map_or_else(|| label.clone(), |version| format!("{label} {version}")),
        name: target.name.clone(),
        version: target.version.clone(),
        language: target.language.clone(),
        command: command(run),
        counts: count(of_ladder),
        all_cells: count(run.cells.iter()),
        supported,
    }
}

/// Returns the command that repeats the run.
fn command(run: &Results) -> String {
    let options = run.run.target.options.as_deref().unwrap_or_default();
    let selection =
        if run.run.selection.is_everything() { String::new() } else { format!(" {}", run.run.selection) };
    format!("skewer run{options}{selection}")
}

/// Counts cells.
pub(super) fn count<'a>(cells: impl Iterator<Item = &'a Cell>) -> ScoreboardCounts {
    let mut counts = ScoreboardCounts::default();
    for cell in cells {
        match cell.status {
            Status::Pass => counts.passed += 1,
            Status::Unsupported | Status::NotAsked => counts.unsupported += 1,
            Status::Skipped | Status::NotRun | Status::Error => counts.not_run += 1,
            _ if !is_wrong(cell) => counts.passed += 1,
            status => {
                counts.wrong += 1;
                counts.leaked += usize::from(cell.outcome == Some(Outcome::Leaked));
                counts.deviations += usize::from(status == Status::Deviation);
            }
        }
    }
    counts
}

/// Returns true if the implementation answered, and not as expected. A deviation is wrong, too: its file explains the
/// difference, and does not remove it. An unexpected pass is right.
pub(super) fn is_wrong(cell: &Cell) -> bool {
    matches!(cell.status, Status::Fail | Status::Deviation | Status::Crash | Status::Timeout)
}
