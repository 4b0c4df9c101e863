//! The summary of a run as a Markdown file to be checked in.
//!
//! The file contains nothing that changes from run to run or with the version of the tool. A difference in the file is
//! therefore a difference in behaviour or in the corpus.

use skewer_results::model::Results;
use skewer_results::vocabulary::{Outcome, Status};

use crate::blocks::markdown::escape::link_target;
use crate::blocks::{
    self, Block, Column, Inline, Line, LinkTarget, Table, anchor_of, code, count, heading, link, list,
    number, own, paragraph, plain, strong,
};
use crate::compatibility::silent_regions::{SilentRegion, SilentRegions};
use crate::compatibility::{AreaSummary, CompatibilitySummary, Erratum, SuiteSummary};
use crate::pivot::ResultLabel;
use crate::summary::counts::Counts;

/// Renders the summary: by area of the corpus and suite, by directive, by union policy, and the errata.
///
/// The results contain paths of case files, relative to some directory. `root` is the path from the Markdown file to
/// this directory: `../` if the file is in a subfolder of the directory, empty if it is in the directory itself.
#[must_use]
pub fn compatibility(results: &Results, root: &str) -> String {
    let summary = CompatibilitySummary::of(results);
    let document = Document { root };
    let mut blocks = introduction(&summary);
    push_outcomes(&mut blocks, &summary.total);
    push_overview(&mut blocks, &summary);
    for area in &summary.areas {
        document.push_area(&mut blocks, area);
    }
    push_directives(&mut blocks, &summary);
    push_policies(&mut blocks, &summary);
    document.push_errata(&mut blocks, &summary);
    blocks::markdown::document(&blocks, 1)
}

fn introduction(summary: &CompatibilitySummary<'_>) -> Vec<Block> {
    let mut blocks = vec![
        heading(1, [plain("Compatibility of "), code(summary.target)]),
        paragraph(own(
            "Skewer checks the result of a change to a Kubernetes object when client and server were built at different \
             times: one of them does not know a field, a patch directive or a member of a union that the other one knows.",
        )),
        paragraph(own(
            "A *case* states such a situation and the expected outcome. It is expanded over its *axes*, for example `client` \
             (`old`, `new`) and `server` (`old`, `new`), into *cells*: one for each combination of values. A *suite* is one \
             YAML file of cases. A cell *passes* if its outcome is the expected one. A pass is not always good: the cases \
             expect the real behaviour of Kubernetes or of a proposal, silent losses included.",
        )),
        paragraph(numbers_of_cells(summary)),
    ];
    blocks.extend(summary.problems.iter().map(|problem| paragraph(strong(format!("{problem}.")))));
    if !summary.not_run.is_empty() {
        let names = Line::join(summary.not_run.iter().map(code), &plain(", "));
        let start = Line::from([strong("No cell was run"), plain(" of ")]);
        blocks.push(paragraph(start.with(names).with(plain("."))));
    }
    blocks.extend([
        paragraph(own(
            "This page is a summary. The outcome of every cell, with the documents at each step, is in the HTML report, a \
             single file that this command writes:",
        )),
        Block::Code("sh", "skewer run --report html=report.html".to_owned()),
        paragraph(own(
            "In the tables below, *silent* is the number of cells with a silent outcome, in which the user sees no error. \
             Each suite is linked to its YAML file. The lists under the tables show the values of the axes with silent \
             outcomes: \"`client=new`, `server=old`: 4 lost of 36\" means that 4 of the 36 cells with these values are lost. \
             \"no `server`\" means the cells of cases that do not have this axis.",
        )),
    ]);
    blocks
}

fn numbers_of_cells(summary: &CompatibilitySummary<'_>) -> Line {
    let suites: usize = summary.areas.iter().map(|area| area.suites.len()).sum();
    let total = &summary.total;
    let not_asked = total.status(Status::NotAsked);
    let others = [
        (total.status(Status::Deviation), "known deviations"),
        (not_asked, "not asked"),
        (total.not_run() - not_asked, "not run"),
    ];
    let others =
        others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what}: {count}"));
    let others = others.collect::<Vec<String>>().join(", ");
    let run =
        plain(format!("The run has {} cells of {} cases in {suites} suites. ", total.cells(), summary.cases));
    let failed = |end: &str| strong(format!("{} of them fail{end}", total.failures()));
    match (total.failures(), others.is_empty()) {
        (0, true) => [run, plain("All of them pass.")].into(),
        (0, false) => [run, plain(format!("None fails ({others})."))].into(),
        (_, true) => [run, failed(".")].into(),
        (_, false) => [run, failed(""), plain(format!(" ({others})."))].into(),
    }
}

fn push_outcomes(blocks: &mut Vec<Block>, total: &Counts) {
    let columns = Column::texts(["outcome", "meaning", "silent"]).chain(Column::numbers(["cells"]));
    let outcomes = Outcome::ALL.iter().filter(|outcome| total.outcome(**outcome) > 0);
    let table = Table::new(columns).with(outcomes.map(|outcome| {
        let silent = if outcome.is_silent() { "silent" } else { "" };
        [code(outcome.as_str()), plain(outcome.meaning()), plain(silent), number(total.outcome(*outcome))]
    }));
    blocks.extend([
        heading(2, plain("Outcomes")),
        paragraph(own(
            "The *ideal* is the result of the same change when client and server are both up to date. An outcome is *silent* \
             if the request was accepted although the result differs from the ideal, so that the user sees no error. An \
             `as-before` is counted separately: a compatibility promise permits it, but it is not the ideal.",
        )),
        Block::Table(table),
    ]);
}

fn push_overview(blocks: &mut Vec<Block>, summary: &CompatibilitySummary<'_>) {
    let rows = summary.areas.iter().map(|area| {
        let title = title(area);
        CountsRow { name: link(anchor_of(title), plain(title)), counts: &area.counts }
    });
    blocks.push(heading(2, plain("By area")));
    blocks.push(counts_table("area", rows, Some(&summary.total)));
}

/// Returns the heading of an area.
fn title<'a>(area: &AreaSummary<'a>) -> &'a str {
    area.area().map_or(area.folder, |area| area.title)
}

/// Returns the name of a suite without the folder of its area.
fn name_in_area<'a>(area: &AreaSummary<'_>, suite: &SuiteSummary<'a>) -> &'a str {
    suite.name.strip_prefix(area.folder).and_then(|name| name.strip_prefix('/')).unwrap_or(suite.name)
}

/// The writer of the file. It knows the repository, to which the text links.
struct Document<'a> {
    root: &'a str,
}

impl Document<'_> {
    fn push_area(&self, blocks: &mut Vec<Block>, area: &AreaSummary<'_>) {
        blocks.push(heading(2, plain(title(area))));
        blocks.extend(area.area().map(|known| paragraph(plain(known.subject))));
        if !area.citations.is_empty() {
            // The documents that the cases cite, each with the number of sections.
            let citations = area.citations.iter().map(|(document, sections)| {
                let noun = if sections.len() == 1 { "section" } else { "sections" };
                [code(*document), plain(format!(" ({} {noun})", sections.len()))]
            });
            let citations = Line::join(citations, &plain(", "));
            blocks.push(paragraph(Line::from(plain("The cases cite ")).with(citations).with(plain("."))));
        }
        let rows = area.suites.iter().map(|suite| CountsRow {
            name: self.link(name_in_area(area, suite), suite.file),
            counts: &suite.counts,
        });
        blocks.push(counts_table("suite", rows, (area.suites.len() > 1).then_some(&area.counts)));
        push_silent(
            blocks,
            area.suites.iter().filter_map(|suite| silent_line(name_in_area(area, suite), &suite.silent)),
        );
    }

    fn link(&self, name: &str, file: Option<&str>) -> Inline {
        match file {
            Some(file) => Inline::Link(
                LinkTarget::Address(format!("{}{}", self.root, link_target(file))),
                code(name).into(),
            ),
            None => code(name),
        }
    }

    fn push_errata(&self, blocks: &mut Vec<Block>, summary: &CompatibilitySummary<'_>) {
        if summary.errata.is_empty() {
            return;
        }
        blocks.push(heading(2, plain("Errata")));
        blocks.push(paragraph(own(
            "The cases that show that a document contradicts itself or the shipped behaviour, by the document and the section \
             that they cite, each with its outcomes. The HTML report explains them under *Errata*, and `skewer run --level \
             erratum` prints them.",
        )));
        for (document, errata) in &summary.errata {
            let document = if document.is_empty() { "no document" } else { document };
            let columns = [
                Column::text(plain("section")),
                Column::number(plain("errata")),
                Column::text(plain("cases")),
            ];
            let sections = errata.chunk_by(|left, right| left.section == right.section);
            let table = Table::new(columns).with(sections.map(|errata| -> [Line; 3] {
                let section = plain(errata[0].section.unwrap_or_default());
                let cases = errata.iter().map(|erratum| self.erratum(erratum));
                [section.into(), number(errata.len()).into(), Line::join(cases, &Inline::Break)]
            }));
            blocks.extend([heading(3, plain(format!("Errata of {document}"))), Block::Table(table)]);
        }
    }

    fn erratum(&self, erratum: &Erratum<'_>) -> [Inline; 2] {
        let outcomes: Vec<String> =
            erratum.outcomes.iter().map(|(outcome, cells)| counted(*outcome, *cells)).collect();
        [self.link(erratum.case, erratum.file), plain(format!(": {}", outcomes.join(", ")))]
    }
}

fn counted(outcome: ResultLabel, cells: usize) -> String {
    if cells == 1 { outcome.to_string() } else { format!("{cells} {outcome}") }
}

/// Adds the list of suites or policies that have silent outcomes, if there are any.
fn push_silent(blocks: &mut Vec<Block>, lines: impl Iterator<Item = Line>) {
    let lines: Vec<Line> = lines.collect();
    if !lines.is_empty() {
        blocks.extend([paragraph(plain("Silent outcomes:")), list(lines)]);
    }
}

/// Lays out the silent outcomes of a suite or policy, if it has any: `client=new`, `server=old`: 4 lost of 36; elsewhere
/// 3.
fn silent_line(name: &str, silent: &SilentRegions<'_>) -> Option<Line> {
    let elsewhere = (silent.elsewhere > 0).then(|| plain(format!("elsewhere {}", silent.elsewhere)).into());
    let parts: Vec<Line> = silent.regions.iter().map(silent_region).chain(elsewhere).collect();
    let is_silent = !silent.regions.is_empty();
    is_silent.then(|| Line::from([code(name), plain(": ")]).with(Line::join(parts, &plain("; "))))
}

fn silent_region(region: &SilentRegion<'_>) -> Line {
    let axes = region.point.iter().map(|(axis, value)| match value {
        Some(value) => Line::from(code(format!("{axis}={value}"))),
        None => [plain("no "), code(*axis)].into(),
    });
    let name = match region.case {
        Some(case) => [plain("case "), code(case)].into(),
        None => Line::join(axes, &plain(", ")),
    };
    let outcomes: Vec<String> =
        region.outcomes.iter().map(|(outcome, cells)| format!("{cells} {outcome}")).collect();
    name.with(plain(format!(": {} of {}", outcomes.join(", "), region.cells)))
}

fn push_directives(blocks: &mut Vec<Block>, summary: &CompatibilitySummary<'_>) {
    if summary.directives.is_empty() {
        return;
    }
    let rows = summary.directives.iter().map(|(name, counts)| CountsRow { name: code(name), counts });
    blocks.extend([
        heading(2, plain("By directive")),
        paragraph(plain(
            "A cell is about a directive if its suite, its case, the description, the cited section or a value of the axes \
             names the directive. A cell can be about several directives. Most cells on unions and releases are about none.",
        )),
        counts_table("directive", rows, None),
    ]);
}

fn push_policies(blocks: &mut Vec<Block>, summary: &CompatibilitySummary<'_>) {
    if summary.policies.is_empty() {
        return;
    }
    let rows =
        summary.policies.iter().map(|policy| CountsRow { name: code(policy.name), counts: &policy.counts });
    blocks.extend([
        heading(2, plain("By union policy")),
        paragraph(own(
            "A *union policy* is what a server does with the unions of an object that is written. These are the cells of all \
             cases that have the axis `policy`; a name that is no policy is a server that the case describes. The ideal is computed under the same policy. Policies have different numbers \
             of cells, because some cases are run under a few policies alone.",
        )),
        counts_table("policy", rows, None),
    ]);
    push_silent(
        blocks,
        summary.policies.iter().filter_map(|policy| silent_line(policy.name, &policy.silent)),
    );
}

/// A row of a table of counts.
struct CountsRow<'a> {
    name: Inline,
    counts: &'a Counts,
}

/// Makes a table of counts: the number of cells, every status but a pass, every outcome, and the number of cells with a
/// silent outcome. A column of zeros is left out.
fn counts_table<'a>(
    title: &'static str,
    rows: impl Iterator<Item = CountsRow<'a>>,
    total: Option<&'a Counts>,
) -> Block {
    let total = total.map(|counts| CountsRow { name: strong("total"), counts });
    let rows: Vec<CountsRow<'_>> = rows.chain(total).collect();
    let has = |count: &dyn Fn(&Counts) -> usize| rows.iter().any(|row| count(row.counts) > 0);
    let statuses = Status::ALL
        .iter()
        .copied()
        .filter(|status| *status != Status::Pass && has(&|counts| counts.status(*status)));
    let statuses: Vec<Status> = statuses.collect();
    let outcomes = Outcome::ALL.iter().copied().filter(|outcome| has(&|counts| counts.outcome(*outcome)));
    let outcomes: Vec<Outcome> = outcomes.collect();
    let words = statuses.iter().map(|s| s.as_str()).chain(outcomes.iter().map(|o| o.as_str()));
    let words = ["cells"].into_iter().chain(words).chain(["silent"]);
    let columns = Column::texts([title]).chain(words.map(|word| Column::number(plain(word))));
    Block::Table(Table::new(columns).with(rows.iter().map(|CountsRow { name, counts }| {
        let in_statuses = statuses.iter().map(|status| counts.status(*status));
        let in_outcomes = outcomes.iter().map(|outcome| counts.outcome(*outcome));
        let counted = in_statuses.chain(in_outcomes).chain([counts.silent()]).map(count);
        [name.clone(), number(counts.cells())].into_iter().chain(counted)
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[test]
    fn the_whole_document() {
        insta::assert_snapshot!(compatibility(&test_support::sample_results(), "../"));
    }

    #[test]
    fn the_summary_does_not_depend_on_version_and_duration() {
        let mut later = test_support::sample_results();
        later.run.tool_version = "9".into();
        later.run.corpus_hash = "sha256:9".into();
        later.run.target.version = Some("9".into());
        for cell in &mut later.cells {
            cell.duration_us = Some(9);
        }
        assert_eq!(compatibility(&later, ""), compatibility(&test_support::sample_results(), ""));
    }

    #[test]
    fn foreign_text_adds_no_html() {
        let text = compatibility(&test_support::hostile_results(), "");
        let outside_code: String = text.lines().flat_map(|line| line.split('`').step_by(2)).collect();
        assert!(!outside_code.replace("<br>", "").contains('<'), "{text}");
    }
}
