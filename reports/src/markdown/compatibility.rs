//! The summary of a run as a Markdown file to be checked in.
//!
//! The file contains nothing that changes from run to run or with the version of the tool. A difference in the file is
//! therefore a difference in behaviour or in the corpus.

use std::fmt::Write as _;

use super::escape::{code_span, code_span_outside_tables, escape_prose, link_target};
use crate::compatibility::{
    AreaSummary, CompatibilitySummary, Erratum, SilentRegion, SilentRegions, SuiteSummary,
};
use crate::model::Results;
use crate::pivot::ResultLabel;
use crate::summary::Counts;
use crate::vocabulary::{Outcome, Status};

/// Renders the summary: by area of the corpus and suite, by directive, by union policy, and the errata.
///
/// The results contain paths of case files, relative to some directory. `root` is the path from the Markdown file to
/// this directory: `../` if the file is in a subfolder of the directory, empty if it is in the directory itself.
#[must_use]
pub fn compatibility(results: &Results, root: &str) -> String {
    let summary = CompatibilitySummary::of(results);
    let document = Document { root };
    let mut text = String::new();
    introduction(&mut text, &summary);
    outcomes(&mut text, &summary.total);
    overview(&mut text, &summary);
    for area in &summary.areas {
        document.area(&mut text, area);
    }
    directives(&mut text, &summary);
    policies(&mut text, &summary);
    document.errata(&mut text, &summary);
    text
}

const INTRODUCTION: &str = "\
Skewer checks the result of a change to a Kubernetes object when client and server were built at different times: one of \
them does not know a field, a patch directive or a member of a union that the other one knows.

A *case* states such a situation and the expected outcome. It is expanded over its *axes*, for example `client` \
(`old`, `new`) and `server` (`old`, `new`), into *cells*: one for each combination of values. A *suite* is one YAML file \
of cases. A cell *passes* if its outcome is the expected one. A pass is not always good: the cases expect the real \
behaviour of Kubernetes or of a proposal, silent losses included.
";

const FULL_TABLES: &str = "\
This page is a summary. The outcome of every cell, with the documents at each step, is in the HTML report, a single file \
that this command writes:

```sh
skewer run --report html=report.html
```

In the tables below, *silent* is the number of cells with a silent outcome, in which the user sees no error. Each \
suite is linked to its YAML file. The lists under the tables show the values of the axes with silent outcomes: \
\"`client=new`, `server=old`: 4 lost of 36\" means that 4 of the 36 cells with these values are lost. \"no `server`\" \
means the cells of cases that do not have this axis.
";

fn introduction(text: &mut String, summary: &CompatibilitySummary<'_>) {
    let _ =
        writeln!(text, "# Compatibility of {}\n\n{INTRODUCTION}", code_span_outside_tables(summary.target));
    let suites: usize = summary.areas.iter().map(|area| area.suites.len()).sum();
    let (total, failures) = (&summary.total, summary.total.failures());
    let _ =
        write!(text, "The run has {} cells of {} cases in {suites} suites. ", total.cells(), summary.cases);
    let not_asked = total.status(Status::NotAsked);
    let others = [
        (total.status(Status::Deviation), "known deviations"),
        (not_asked, "not asked"),
        (total.not_run() - not_asked, "not run"),
    ];
    let others: Vec<String> = others
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{what}: {count}"))
        .collect();
    let _ = match (failures, others.is_empty()) {
        (0, true) => writeln!(text, "All of them pass."),
        (0, false) => writeln!(text, "None fails ({}).", others.join(", ")),
        (_, true) => writeln!(text, "**{failures} of them fail.**"),
        (_, false) => writeln!(text, "**{failures} of them fail** ({}).", others.join(", ")),
    };
    for problem in &summary.problems {
        let _ = writeln!(text, "\n**{}.**", escape_prose(problem));
    }
    if !summary.not_run.is_empty() {
        let names: Vec<String> = summary.not_run.iter().map(|name| code_span_outside_tables(name)).collect();
        let _ = writeln!(text, "\n**No cell was run** of {}.", names.join(", "));
    }
    let _ = write!(text, "\n{FULL_TABLES}");
}

fn outcomes(text: &mut String, total: &Counts) {
    text.push_str(
        "\n## Outcomes\n\nThe *ideal* is the result of the same change when client and server are both up to date. An \
         outcome is *silent* if the request was accepted although the result differs from the ideal, so that the user \
         sees no error. An `as-before` is counted separately: a compatibility promise permits it, but it is not the \
         ideal.\n\n\
         | outcome | meaning | silent | cells |\n|:--|:--|:--|--:|\n",
    );
    for outcome in Outcome::ALL.iter().filter(|outcome| total.outcome(**outcome) > 0) {
        let silent = if outcome.is_silent() { "silent" } else { "" };
        let (meaning, cells) = (escape_prose(outcome.meaning()), total.outcome(*outcome));
        let _ = writeln!(text, "| `{outcome}` | {meaning} | {silent} | {cells} |");
    }
}

fn overview(text: &mut String, summary: &CompatibilitySummary<'_>) {
    let rows = summary.areas.iter().map(|area| {
        let title = title(area);
        (format!("[{}](#{})", escape_prose(title), anchor(title)), &area.counts)
    });
    text.push_str("\n## By area\n\n");
    counts_table(text, "area", rows, Some(&summary.total));
}

/// Returns the heading of an area.
fn title<'a>(area: &AreaSummary<'a>) -> &'a str {
    area.area().map_or(area.folder, |area| area.title)
}

/// Returns the anchor of a heading on GitHub.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Lists the documents that the cases of an area cite, each with the number of sections.
fn citations(area: &AreaSummary<'_>) -> String {
    let citation = |(document, sections): &(&str, Vec<&str>)| {
        let noun = if sections.len() == 1 { "section" } else { "sections" };
        format!("{} ({} {noun})", code_span_outside_tables(document), sections.len())
    };
    area.citations.iter().map(citation).collect::<Vec<_>>().join(", ")
}

/// Returns the name of a suite without the folder of its area.
fn name_in_area<'a>(area: &AreaSummary<'_>, suite: &SuiteSummary<'a>) -> &'a str {
    suite.name.strip_prefix(area.folder).and_then(|name| name.strip_prefix('/')).unwrap_or(suite.name)
}

/// The writer of the Markdown file. It knows the repository, to which the text links.
struct Document<'a> {
    root: &'a str,
}

impl Document<'_> {
    fn area(&self, text: &mut String, area: &AreaSummary<'_>) {
        let _ = writeln!(text, "\n## {}\n", escape_prose(title(area)));
        if let Some(known) = area.area() {
            let _ = writeln!(text, "{}\n", escape_prose(known.subject));
        }
        if !area.citations.is_empty() {
            let _ = writeln!(text, "The cases cite {}.\n", citations(area));
        }
        let rows = area.suites.iter().map(|suite| {
            let name = code_span(name_in_area(area, suite));
            (self.link(&name, suite.file), &suite.counts)
        });
        counts_table(text, "suite", rows, (area.suites.len() > 1).then_some(&area.counts));
        let silent = area.suites.iter().map(|suite| (name_in_area(area, suite), &suite.silent));
        silent_lines(text, silent);
    }

    fn link(&self, name: &str, file: Option<&str>) -> String {
        match file {
            Some(file) => format!("[{name}]({}{})", self.root, link_target(file)),
            None => name.to_owned(),
        }
    }

    fn errata(&self, text: &mut String, summary: &CompatibilitySummary<'_>) {
        if summary.errata.is_empty() {
            return;
        }
        text.push_str(
            "\n## Errata\n\nThe cases that show that a document contradicts itself or the shipped behaviour, by the document \
             and the section that they cite, each with its outcomes. The HTML report explains them under *Errata*, and \
             `skewer run --level erratum` prints them.\n",
        );
        for (document, errata) in &summary.errata {
            let document = if document.is_empty() { "no document" } else { document };
            let _ = writeln!(text, "\n### Errata of {}\n", escape_prose(document));
            text.push_str("| section | errata | cases |\n|:--|--:|:--|\n");
            for errata in errata.chunk_by(|left, right| left.section == right.section) {
                let section = errata[0].section.map(escape_prose).unwrap_or_default();
                let cases: Vec<String> = errata.iter().map(|erratum| self.erratum(erratum)).collect();
                let _ = writeln!(text, "| {section} | {} | {} |", errata.len(), cases.join("<br>"));
            }
        }
    }

    fn erratum(&self, erratum: &Erratum<'_>) -> String {
        let case = self.link(&code_span(erratum.case), erratum.file);
        let outcomes: Vec<String> =
            erratum.outcomes.iter().map(|(outcome, cells)| counted(*outcome, *cells)).collect();
        format!("{case}: {}", outcomes.join(", "))
    }
}

fn counted(outcome: ResultLabel, cells: usize) -> String {
    if cells == 1 { outcome.to_string() } else { format!("{cells} {outcome}") }
}

/// Adds a line for each suite or policy that has silent outcomes: `client=new`, `server=old`: 4 lost of 36; elsewhere
/// 3.
fn silent_lines<'a>(text: &mut String, named: impl Iterator<Item = (&'a str, &'a SilentRegions<'a>)>) {
    let with_silent = named.filter(|(_, silent)| !silent.regions.is_empty());
    for (index, (name, silent)) in with_silent.enumerate() {
        if index == 0 {
            text.push_str("\nSilent outcomes:\n\n");
        }
        let mut parts: Vec<String> = silent.regions.iter().map(silent_region).collect();
        if silent.elsewhere > 0 {
            parts.push(format!("elsewhere {}", silent.elsewhere));
        }
        let _ = writeln!(text, "- {}: {}", code_span_outside_tables(name), parts.join("; "));
    }
}

fn silent_region(region: &SilentRegion<'_>) -> String {
    let on_axis = |(axis, value): &(&str, Option<&str>)| match value {
        Some(value) => code_span_outside_tables(&format!("{axis}={value}")),
        None => format!("no {}", code_span_outside_tables(axis)),
    };
    let name = match region.case {
        Some(case) => format!("case {}", code_span_outside_tables(case)),
        None => region.point.iter().map(on_axis).collect::<Vec<_>>().join(", "),
    };
    let outcomes: Vec<String> =
        region.outcomes.iter().map(|(outcome, cells)| format!("{cells} {outcome}")).collect();
    format!("{name}: {} of {}", outcomes.join(", "), region.cells)
}

fn directives(text: &mut String, summary: &CompatibilitySummary<'_>) {
    if summary.directives.is_empty() {
        return;
    }
    text.push_str(
        "\n## By directive\n\nA cell is about a directive if its suite, its case, the description, the cited section or a \
         value of the axes names the directive. A cell can be about several directives. Most cells on unions and \
         releases are about none.\n\n",
    );
    let rows = summary.directives.iter().map(|(name, counts)| (code_span(name), counts));
    counts_table(text, "directive", rows, None);
}

fn policies(text: &mut String, summary: &CompatibilitySummary<'_>) {
    if summary.policies.is_empty() {
        return;
    }
    text.push_str(
        "\n## By union policy\n\nA *union policy* is what a server does with the unions of an object that is written. \
         These are the cells of all cases that have the axis `policy`. The ideal is computed under the same policy. \
         Policies have different numbers of cells, because some cases are run under a few policies alone.\n\n",
    );
    let rows = summary.policies.iter().map(|policy| (code_span(policy.name), &policy.counts));
    counts_table(text, "policy", rows, None);
    silent_lines(text, summary.policies.iter().map(|policy| (policy.name, &policy.silent)));
}

/// Adds a table of counts: the number of cells, every status but a pass, every outcome, and the number of
/// cells with a silent outcome. A column of zeros is left out.
fn counts_table<'a>(
    text: &mut String,
    heading: &str,
    rows: impl Iterator<Item = (String, &'a Counts)>,
    total: Option<&Counts>,
) {
    let mut rows: Vec<(String, &Counts)> = rows.collect();
    rows.extend(total.map(|total| ("**total**".to_owned(), total)));
    let statuses = Status::ALL.iter().copied().filter(|status| {
        *status != Status::Pass && rows.iter().any(|(_, counts)| counts.status(*status) > 0)
    });
    let statuses: Vec<Status> = statuses.collect();
    let outcomes = Outcome::ALL.iter().copied();
    let outcomes: Vec<Outcome> =
        outcomes.filter(|outcome| rows.iter().any(|(_, counts)| counts.outcome(*outcome) > 0)).collect();
    let _ = write!(text, "| {heading} | cells |");
    for word in statuses.iter().map(|s| s.as_str()).chain(outcomes.iter().map(|o| o.as_str())) {
        let _ = write!(text, " {word} |");
    }
    let _ = writeln!(text, " silent |\n|:--|--:|{}", "--:|".repeat(statuses.len() + outcomes.len() + 1));
    for (name, counts) in rows {
        let _ = write!(text, "| {name} | {} |", counts.cells());
        let in_statuses = statuses.iter().map(|status| counts.status(*status));
        let in_outcomes = outcomes.iter().map(|outcome| counts.outcome(*outcome));
        for count in in_statuses.chain(in_outcomes).chain([counts.silent()]) {
            // Fields with 0 are empty, so that other numbers are easy to see.
            let _ = if count == 0 { write!(text, " |") } else { write!(text, " {count} |") };
        }
        text.push('\n');
    }
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
