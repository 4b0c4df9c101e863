//! The report as blocks.

use super::model::{CaseStates, PointStates, ReleaseRun, ReleasesReport};
use crate::blocks::{
    self, Block, Column, Inline, Line, Table, code, heading, list, number, own, paragraph, plain,
};

/// Renders the report in Markdown, which is checked in as `RELEASES.md`. `date` is the day of the runs, and `command`
/// makes the report again.
#[must_use]
pub fn markdown(report: &ReleasesReport, date: &str, command: &str) -> String {
    blocks::markdown::document(&report_blocks(report, date, command), 1)
}

const INTRODUCTION: [&str; 2] = [
    "What the request handlers of old and new Kubernetes releases store, and whether Skewer's simulation of each release \
     stores the same. The handlers are those of `k8s.io/apiserver`, with the types of `k8s.io/api`, one program for each \
     release ([how](../runner/adapters/apiserver/README.md)). They were *run*: nothing on this page is simulated. There is \
     no admission, defaulting or validation in them.",
    "A *cell* is one point of the matrix of a case. A release is asked about the cells whose types are built in, and whose \
     server is of this release or has no release of its own. The clients of a cell are Skewer's. A cell *agrees* if the \
     server and the simulation of its release store the same object with the same owners, or refuse the request for the \
     same reason. A *random request* is a random change of a random object of any kind. Its result is compared exactly, \
     zero values included. A difference is *explained* if a rule predicts the exact answer of the server.",
];

/// The largest number of points for which the states of a case are listed. The points of other cases are counted.
const MAX_LISTED_POINTS: usize = 2;

/// Lays out the report. `date` is the day of the runs, and `command` makes the report again.
pub(super) fn report_blocks(report: &ReleasesReport, date: &str, command: &str) -> Vec<Block> {
    let mut blocks = vec![heading(1, plain("API servers of Kubernetes releases"))];
    blocks.extend(INTRODUCTION.map(|text| paragraph(own(text))));
    blocks.push(paragraph([plain(format!("Run on {date} with ")), code(command), plain(".")]));
    blocks.extend([heading(2, plain("Agreement")), Block::Table(counts(report))]);
    if !report.not_installed.is_empty() {
        let names = report.not_installed.join(", ");
        blocks.push(paragraph(plain(format!("Not installed, and not run: {names}."))));
    }
    push_cells_of_other_releases(&mut blocks, report);
    push_unlike_cells(&mut blocks, report);
    push_differing_states(&mut blocks, report);
    push_reasons(&mut blocks, report);
    push_cells_not_asked(&mut blocks, report);
    blocks
}

fn counts(report: &ReleasesReport) -> Table {
    let columns = Column::texts(["release"]).chain(Column::numbers([
        "handlers",
        "cells asked",
        "agreed",
        "as the case expects",
        "random requests",
        "same",
        "explained",
        "not supported",
        "unexplained",
    ]));
    Table::new(columns).with(report.releases.iter().map(|run| {
        let numbers = [run.asked, run.agreed, run.agreed - run.of_other_releases.len()].map(number);
        let random = run.random.as_ref().map(|random| {
            let explained: u64 = random.explained.values().sum();
            let failed = random.unexplained + random.broken;
            let same = random.requests - explained - random.unsupported - failed;
            [random.requests, same, explained, random.unsupported, failed].map(number)
        });
        let random = random.unwrap_or_else(|| [(); 5].map(|()| plain("-")));
        [plain(&run.release), plain(&run.version)].into_iter().chain(numbers).chain(random)
    }))
}

fn push_cells_of_other_releases(blocks: &mut Vec<Block>, report: &ReleasesReport) {
    let runs = report.releases.iter().filter(|run| !run.of_other_releases.is_empty());
    let items: Vec<Line> = runs
        .map(|run| {
            let ids = Line::join(run.of_other_releases.iter().map(code), &plain(", "));
            Line::from(plain(format!("{}: ", run.release))).with(ids)
        })
        .collect();
    if !items.is_empty() {
        blocks.extend([
            heading(3, plain("Cells that expect another release")),
            paragraph(plain(
                "The server of these cells is up to date. An older server ended in another state, as its simulation \
                 predicts.",
            )),
            list(items),
        ]);
    }
}

fn push_unlike_cells(blocks: &mut Vec<Block>, report: &ReleasesReport) {
    let mut table = Table::new(Column::texts(["release", "cell", "simulation", "server"]));
    for run in &report.releases {
        for cell in &run.unlike {
            table.push([plain(&run.release), code(&cell.id), plain(&cell.expected), plain(&cell.actual)]);
        }
    }
    if !table.rows.is_empty() {
        blocks.extend([heading(3, plain("Cells without agreement")), Block::Table(table)]);
    }
}

fn push_differing_states(blocks: &mut Vec<Block>, report: &ReleasesReport) {
    blocks.push(heading(2, plain("What differs by release")));
    blocks.push(paragraph(plain(
        "The same request, sent to several releases. Each row is what the releases stored, without the zero values of fields \
         that are not set (except where the case is about them).",
    )));
    let differing = |case: &CaseStates| case.points.iter().filter(|point| point.differs()).count();
    let is_listed = |case: &&CaseStates| case.points.len() <= MAX_LISTED_POINTS;
    for case in report.cases.iter().filter(is_listed).filter(|case| differing(case) > 0) {
        blocks.extend([heading(3, code(&case.name)), paragraph(plain(&case.about))]);
        for point in case.points.iter().filter(|point| point.differs()) {
            push_point(blocks, point);
        }
    }
    let columns =
        Column::texts(["case"]).chain(Column::numbers(["points sent to several releases", "that differ"]));
    let counted = report.cases.iter().filter(|case| !is_listed(case));
    let table = Table::new(columns)
        .with(counted.map(|case| [code(&case.name), number(case.points.len()), number(differing(case))]));
    if !table.rows.is_empty() {
        blocks.extend([heading(3, plain("Cells with many points")), Block::Table(table)]);
    }
}

fn push_point(blocks: &mut Vec<Block>, point: &PointStates) {
    if !point.coordinates.is_empty() {
        blocks.push(paragraph([plain("With "), code(&point.coordinates), plain(":")]));
    }
    let rows =
        point.by_state().into_iter().map(|(releases, state)| [plain(releases.join(", ")), code(state)]);
    blocks.push(Block::Table(Table::new(Column::texts(["releases", "stored"])).with(rows)));
}

fn push_reasons(blocks: &mut Vec<Block>, report: &ReleasesReport) {
    if report.reasons.is_empty() {
        return;
    }
    let explained = |run: &ReleaseRun, rule: &str| {
        run.random.as_ref().and_then(|random| random.explained.get(rule)).copied().unwrap_or_default()
    };
    let table = by_release("rule", report).with(report.reasons.iter().map(|reason| {
        let counts = report.releases.iter().map(|run| number(explained(run, &reason.rule)));
        [code(&reason.rule)].into_iter().chain(counts)
    }));
    let reasons =
        report.reasons.iter().map(|reason| [code(&reason.rule), plain(format!(": {}", reason.because))]);
    blocks.extend([
        heading(2, plain("Explained differences in random requests")),
        paragraph(plain(format!("The seed is {}.", report.seed))),
        Block::Table(table),
        list(reasons),
    ]);
}

fn push_cells_not_asked(blocks: &mut Vec<Block>, report: &ReleasesReport) {
    let mut reasons: Vec<&String> = report.releases.iter().flat_map(|run| run.not_asked.keys()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() {
        return;
    }
    let table = by_release("reason", report).with(reasons.into_iter().map(|reason| -> Vec<Inline> {
        let counts =
            report.releases.iter().map(|run| number(run.not_asked.get(reason).copied().unwrap_or_default()));
        [plain(reason)].into_iter().chain(counts).collect()
    }));
    blocks.extend([heading(2, plain("Cells that were not asked")), Block::Table(table)]);
}

/// Makes a table with a column of numbers for each release.
fn by_release(first: &'static str, report: &ReleasesReport) -> Table {
    let releases = report.releases.iter().map(|run| Column::number(plain(&run.release)));
    Table::new(Column::texts([first]).chain(releases))
}
