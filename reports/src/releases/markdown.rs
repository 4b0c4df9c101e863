//! The report in Markdown, which is checked in as `RELEASES.md`.

use std::fmt::Write as _;

use super::model::{CaseStates, PointStates, Report};
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_prose};

const INTRODUCTION: &str = "\
# API servers of Kubernetes releases

What the request handlers of old and new Kubernetes releases store, and whether Skewer's simulation of each release stores \
the same. The handlers are those of `k8s.io/apiserver`, with the types of `k8s.io/api`, one program for each release \
([how](../runner/adapters/apiserver/README.md)). They were *run*: nothing on this page is simulated. There is no admission, \
defaulting or validation in them.

A *cell* is one point of the matrix of a case. A release is asked about the cells whose types are built in, and whose server \
is of this release or has no release of its own. The clients of a cell are Skewer's. A cell *agrees* if the server and the \
simulation of its release store the same object with the same owners, or refuse the request for the same reason. A *random \
request* is a random change of a random object of any kind. Its result is compared exactly, zero values included. A \
difference is *explained* if a rule predicts the exact answer of the server.
";

/// The largest number of points for which the states of a case are listed. The points of other cases are counted.
const MAX_LISTED_POINTS: usize = 2;

/// Renders the report. `date` is the day of the runs, and `command` makes the report again.
#[must_use]
pub fn markdown(report: &Report, date: &str, command: &str) -> String {
    let mut text = format!("{INTRODUCTION}\nRun on {date} with {}.\n", code_span_outside_tables(command));
    push_counts(&mut text, report);
    push_cells_of_other_releases(&mut text, report);
    push_unlike_cells(&mut text, report);
    push_differing_states(&mut text, report);
    push_reasons(&mut text, report);
    push_cells_not_asked(&mut text, report);
    text
}

fn push_counts(text: &mut String, report: &Report) {
    text.push_str("\n## Agreement\n\n");
    text.push_str(
        "| release | handlers | cells asked | agreed | as the case expects | random requests | same | explained | \
         not supported | unexplained |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for run in &report.releases {
        let expected = run.agreed - run.of_other_releases.len();
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {expected} |",
            run.release, run.version, run.asked, run.agreed
        );
        match &run.random {
            Some(random) => {
                let explained: u64 = random.explained.values().sum();
                let failed = random.unexplained + random.broken;
                let same = random.requests - explained - random.unsupported - failed;
                let _ = writeln!(
                    text,
                    " {} | {same} | {explained} | {} | {failed} |",
                    random.requests, random.unsupported
                );
            }
            None => text.push_str(" - | - | - | - | - |\n"),
        }
    }
    if !report.not_installed.is_empty() {
        let _ = writeln!(text, "\nNot installed, and not run: {}.", report.not_installed.join(", "));
    }
}

fn push_cells_of_other_releases(text: &mut String, report: &Report) {
    if report.releases.iter().all(|run| run.of_other_releases.is_empty()) {
        return;
    }
    text.push_str(
        "\n### Cells that expect another release\n\nThe server of these cells is up to date. An older server ended in \
         another state, as its simulation predicts.\n\n",
    );
    for run in report.releases.iter().filter(|run| !run.of_other_releases.is_empty()) {
        let ids: Vec<String> = run.of_other_releases.iter().map(|id| code_span_outside_tables(id)).collect();
        let _ = writeln!(text, "- {}: {}", run.release, ids.join(", "));
    }
}

fn push_unlike_cells(text: &mut String, report: &Report) {
    if report.releases.iter().all(|run| run.unlike.is_empty()) {
        return;
    }
    text.push_str(
        "\n### Cells without agreement\n\n| release | cell | simulation | server |\n|:--|:--|:--|:--|\n",
    );
    for run in &report.releases {
        for cell in &run.unlike {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                run.release,
                code_span(&cell.id),
                escape_prose(&cell.expected),
                escape_prose(&cell.actual)
            );
        }
    }
}

fn push_differing_states(text: &mut String, report: &Report) {
    text.push_str(
        "\n## What differs by release\n\nThe same request, sent to several releases. Each row is what the releases stored, \
         without the zero values of fields that are not set (except where the case is about them).\n",
    );
    let differing = |case: &CaseStates| case.points.iter().filter(|point| point.differs()).count();
    for case in
        report.cases.iter().filter(|case| differing(case) > 0 && case.points.len() <= MAX_LISTED_POINTS)
    {
        let _ = writeln!(
            text,
            "\n### {}\n\n{}\n",
            code_span_outside_tables(&case.name),
            escape_prose(&case.about)
        );
        for point in case.points.iter().filter(|point| point.differs()) {
            push_point(text, point);
        }
    }
    let counted: Vec<&CaseStates> =
        report.cases.iter().filter(|case| case.points.len() > MAX_LISTED_POINTS).collect();
    if counted.is_empty() {
        return;
    }
    text.push_str(
        "\n### Cases with many points\n\n| case | points sent to several releases | that differ |\n|:--|--:|--:|\n",
    );
    for case in counted {
        let _ = writeln!(text, "| {} | {} | {} |", code_span(&case.name), case.points.len(), differing(case));
    }
}

fn push_point(text: &mut String, point: &PointStates) {
    if !point.coordinates.is_empty() {
        let _ = writeln!(text, "With {}:\n", code_span_outside_tables(&point.coordinates));
    }
    text.push_str("| releases | stored |\n|:--|:--|\n");
    for (releases, state) in point.by_state() {
        let _ = writeln!(text, "| {} | {} |", releases.join(", "), code_span(state));
    }
}

fn push_reasons(text: &mut String, report: &Report) {
    if report.reasons.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## Explained differences in random requests\n\nThe seed is {}.\n", report.seed);
    let names: Vec<&str> = report.releases.iter().map(|run| run.release.as_str()).collect();
    let _ = writeln!(text, "| rule | {} |\n|:--|{}", names.join(" | "), "--:|".repeat(names.len()));
    for reason in &report.reasons {
        let counts = report.releases.iter().map(|run| {
            let count = run.random.as_ref().and_then(|random| random.explained.get(&reason.rule));
            count.copied().unwrap_or_default().to_string()
        });
        let counts: Vec<String> = counts.collect();
        let _ = writeln!(text, "| {} | {} |", code_span(&reason.rule), counts.join(" | "));
    }
    text.push('\n');
    for reason in &report.reasons {
        let _ =
            writeln!(text, "- {}: {}", code_span_outside_tables(&reason.rule), escape_prose(&reason.because));
    }
}

fn push_cells_not_asked(text: &mut String, report: &Report) {
    let mut reasons: Vec<&String> = report.releases.iter().flat_map(|run| run.not_asked.keys()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() {
        return;
    }
    text.push_str("\n## Cells that were not asked\n\n");
    let names: Vec<&str> = report.releases.iter().map(|run| run.release.as_str()).collect();
    let _ = writeln!(text, "| reason | {} |\n|:--|{}", names.join(" | "), "--:|".repeat(names.len()));
    for reason in reasons {
        let counts = report.releases.iter();
        let counts: Vec<String> =
            counts.map(|run| run.not_asked.get(reason).copied().unwrap_or_default().to_string()).collect();
        let _ = writeln!(text, "| {} | {} |", escape_prose(reason), counts.join(" | "));
    }
}
