//! The report for a terminal of 80 columns.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

use super::model::{RandomRequests, ReleaseRun, ReleasesReport};

/// Maximum number of cells of one release that are described.
const MAX_CELLS: usize = 5;

/// Renders the counts of each release, and the cells in which a server did something else than its simulation.
#[must_use]
pub fn text(report: &ReleasesReport) -> String {
    let mut text = String::from(
        "                  cells                          random requests\n\
         release  version    asked agreed  differ   sent  unsupp  explained  unexplained\n",
    );
    for run in &report.releases {
        push_counts(&mut text, run);
    }
    for release in &report.not_installed {
        let _ = writeln!(
            text,
            "{release:<7}  skipped, not installed: `skewer target install apiserver:{release}`"
        );
    }
    for run in &report.releases {
        for cell in run.unlike.iter().take(MAX_CELLS) {
            let _ = writeln!(
                text,
                "\nDIFFERENT on {}: {}\n  simulation: {}\n  server:     {}",
                run.release,
                escape_text(&cell.id),
                escape_text(&cell.expected),
                escape_text(&cell.actual)
            );
        }
        if run.unlike.len() > MAX_CELLS {
            let (more, release) = (run.unlike.len() - MAX_CELLS, &run.release);
            let _ =
                writeln!(text, "\nand {more} more on {release}: `skewer run --target apiserver:{release}`");
        }
        let differences = run.random.as_ref().map_or("", |random| &random.differences);
        if !differences.is_empty() {
            let _ = write!(text, "\nRandom requests on {}:\n{}", run.release, escape_text(differences));
        }
    }
    text
}

fn push_counts(text: &mut String, run: &ReleaseRun) {
    let _ = write!(
        text,
        "{:<7}  {:<9} {:>6} {:>6}  {:>6}",
        escape_text(&run.release),
        escape_text(&run.version),
        run.asked,
        run.agreed,
        run.unlike.len()
    );
    if let Some(RandomRequests { requests, unsupported, explained, unexplained, broken, .. }) = &run.random {
        let explained: u64 = explained.values().sum();
        let _ = write!(text, " {requests:>6}  {unsupported:>6}  {explained:>9}  {unexplained:>11}");
        if *broken > 0 {
            let _ = write!(text, "\n         {broken} random requests had no valid answer");
        }
    }
    text.push('\n');
}
