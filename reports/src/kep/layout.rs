//! The report as headings, paragraphs and tables.

use skewer_results::vocabulary::Outcome;

use super::model::{
    AxisCondition, Conclusion, ConclusionFinding, KepReport, PolicyCounts, PolicyDifference, PolicyTable,
    SHEET_DIMENSIONS, TypeComparison, TypeDifference,
};
use crate::blocks::{
    self, Block, Column, Inline, Line, Table, code, heading as line_heading, list, number as plain_number,
    paragraph, plain, strong,
};
use crate::style::Style;
/// Renders the report for a terminal. A table that is too wide becomes a list.
#[must_use]
pub fn text(report: &KepReport, style: Style) -> String {
    blocks::text::document(&report_blocks(report), style)
}

/// Renders the report in Markdown, to be checked in or for a pull request.
#[must_use]
pub fn markdown(report: &KepReport) -> String {
    blocks::markdown::document(&report_blocks(report), 1)
}

/// Renders the report as a page.
#[must_use]
pub fn html(report: &KepReport) -> String {
    blocks::html::page(&report_blocks(report))
}

fn number(n: usize) -> Inline {
    if n == 0 { plain("·") } else { plain_number(n) }
}

fn prose(text: &str) -> Block {
    paragraph(plain(text))
}

/// Makes a heading, which contains no foreign text. Without the escapes of Markdown, a row number such as `#12` stays
/// readable.
fn heading(level: u8, text: impl Into<String>) -> Block {
    line_heading(level, Inline::Own(text.into()))
}

/// Lays out the report.
pub(crate) fn report_blocks(report: &KepReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    introduction(&mut blocks, report);
    tables(&mut blocks, report);
    conclusions(&mut blocks, report);
    sheet(&mut blocks, report);
    cited_rows(&mut blocks, report);
    types(&mut blocks, report);
    kep_policy_comparisons(&mut blocks, report);
    differences(&mut blocks, report);
    blocks
}

fn introduction(blocks: &mut Vec<Block>, report: &KepReport) {
    blocks.push(heading(1, "KEP-1027, Union types: the test matrix, by policy"));
    blocks.push(prose(
        "The KEP argues from a test matrix that is not published. This report runs such a matrix. A point of the matrix \
         is an operation on a union. The client knows all members of the union or not, and holds objects in types or \
         in raw maps. The server knows all members or not. There are points for each kind of request, and for unions \
         with and without a discriminator, optional and required, and with members that are or are not marked as \
         optional. Each point is run under every policy that a server can have. The stored object is compared with the \
         ideal: the result of the same intent if everyone is up to date. All numbers are counts of cells of the run, and \
         hold for built-in types, if they do not say otherwise. A part of the matrix is also run with custom resources.",
    ));
    blocks.push(prose(
        "Intended: the ideal was stored. Rejected: the ideal is a refusal, and the request was refused for the same \
         reason. Refused: the user sees an error, although the ideal is a stored object or another error. All other \
         outcomes are silent: the request was accepted, but nothing changed (ignored), something remains that should \
         be gone (leftover), something is missing (lost), the result is different in another way (diverged), or the \
         ideal is a refusal (wrongly accepted). The ideal is computed under the policy of the cell.",
    ));
    let policies = report.policies.len();
    let mut run = vec![
        plain(format!("{} points under {policies} policies, {} cells, on ", report.points, report.cells)),
        code(&report.target),
        plain(format!(
            ". {} distinct behaviours: a point at which all policies have the same outcome is one behaviour.",
            report.behaviours
        )),
    ];
    match report.failed {
        0 => {}
        1 => run.push(strong(" 1 cell does not do what the corpus expects.")),
        failed => run.push(strong(format!(" {failed} cells do not do what the corpus expects."))),
    }
    match report.not_run {
        0 => {}
        1 => run.push(strong(" 1 cell was not run, and is counted nowhere.")),
        not_run => run.push(strong(format!(" {not_run} cells were not run, and are counted nowhere."))),
    }
    blocks.push(paragraph(run));
}

fn tables(blocks: &mut Vec<Block>, report: &KepReport) {
    blocks.push(heading(2, "Outcomes by policy"));
    for table in &report.tables {
        blocks.push(heading(3, capitalized(&table.unions)));
        blocks.push(Block::Table(policy_table(table)));
    }
}

fn policy_table(table: &PolicyTable) -> Table {
    let columns = Column::texts(["policy"]).chain(Column::numbers([
        "cells",
        "intended",
        "rejected",
        "refused",
        "ignored",
        "leftover",
        "lost",
        "diverged",
        "wrongly accepted",
        "silent",
    ]));
    let row = |counts: &PolicyCounts| {
        let numbers = [
            counts.cells,
            counts.intended,
            counts.rejected,
            counts.refused,
            counts.ignored,
            counts.leftover,
            counts.lost,
            counts.diverged,
            counts.wrongly_accepted,
            counts.silent(),
        ];
        [code(&counts.policy)].into_iter().chain(numbers.map(number))
    };
    Table::new(columns).with(table.policies.iter().map(row))
}

fn conclusions(blocks: &mut Vec<Block>, report: &KepReport) {
    blocks.push(heading(2, "The four conclusions of the KEP"));
    blocks.push(prose(
        "Each conclusion is shown with the points of the matrix to which it applies, their outcomes, and whether it \
         follows. A claim on unions without a discriminator must be true under every policy, a claim on unions with a \
         discriminator under kep-1027.",
    ));
    blocks.push(prose(
        "The KEP argues about clients that send an object or a patch. A server-side apply can be refused before any policy \
         compares members and discriminator: because another field manager owns a value that it changes, or because the \
         server does not know a field. Its cells are therefore counted apart, and do not decide whether a conclusion \
         follows.",
    ));
    blocks.push(Block::Table(overview_table(&report.conclusions)));
    for conclusion in &report.conclusions {
        let [without, with] = conclusion.cited;
        let about = capitalized(&conclusion.about);
        blocks.push(heading(3, format!("Cases #{without} and #{with}: {about}")));
        blocks.push(Block::Quote(plain(&conclusion.says).into()));
        let when: Vec<String> =
            conclusion.when.iter().map(|[axis, value]| format!("{axis}={value}")).collect();
        blocks.push(paragraph([plain("Points: "), code(when.join(", "))]));
        blocks.push(Block::Table(conclusion_table(conclusion)));
        for finding in &conclusion.findings {
            blocks.push(paragraph(finding_text(finding, "unions")));
        }
        blocks.extend(conclusion.note.as_deref().map(prose));
        for finding in &conclusion.server_side_apply {
            blocks.push(paragraph(finding_text(finding, "unions by server-side apply")));
        }
        if !conclusion.types.is_empty() {
            blocks.push(prose("The counts hold for built-in types. With custom resources, the rows differ:"));
            blocks.push(list(
                conclusion.types.iter().map(|dependence| plain(format!("{}.", dependence.text()))),
            ));
        }
    }
}

fn conclusion_table(conclusion: &Conclusion) -> Table {
    let columns = conclusion.findings.iter().flat_map(|finding| {
        ["no discriminator", "discriminator"].map(|kind| format!("{}, {kind}", finding.unions))
    });
    let policies = conclusion.findings.first().map(|finding| finding.without.as_slice()).unwrap_or_default();
    let row = |(index, counts): (usize, &PolicyCounts)| {
        let findings = conclusion.findings.iter().flat_map(|finding| [&finding.without, &finding.with]);
        let fields = findings
            .map(move |counts| plain(counts.get(index).map(PolicyCounts::description).unwrap_or_default()));
        [code(&counts.policy)].into_iter().chain(fields)
    };
    text_table(["policy"], columns).with(policies.iter().enumerate().map(row))
}

/// Makes the table of all conclusions.
fn overview_table(conclusions: &[Conclusion]) -> Table {
    let findings = conclusions.iter().take(1).flat_map(|first| &first.findings);
    let columns = findings.map(|finding| format!("{} unions", finding.unions));
    let row = |conclusion: &Conclusion| {
        let [without, with] = conclusion.cited;
        let mut row = vec![plain(format!("#{without}, #{with}")), plain(&conclusion.about)];
        row.extend(conclusion.findings.iter().map(|finding| plain(finding.status.as_str())));
        row
    };
    text_table(["cases", "conclusion"], columns).with(conclusions.iter().map(row))
}

fn finding_text(finding: &ConclusionFinding, what: &str) -> Line {
    let head = format!("{} {what}: {}.", capitalized(&finding.unions), finding.status.as_str());
    [strong(head), plain(format!(" {}", finding.why))].into()
}

/// Adds the table of all rows of the KEP's sheet.
fn sheet(blocks: &mut Vec<Block>, report: &KepReport) {
    if report.sheet.is_empty() {
        return;
    }
    blocks.push(heading(2, "The rows of the sheet"));
    blocks.push(prose(
        "The KEP cites eight rows of its sheet. The other rows are reconstructed from these: rows 2 to 11 have parties \
         that know all members, rows 12 to 19 a structured client that does not know the new member, rows 20 to 29 a \
         client that does not know it and keeps raw maps, and rows 30 to 39 a server that does not know it. Each part \
         has rows without and with a discriminator, for the operations none, modify, clear, set a known member and set \
         the new member. Row 1 is the creation of the object. The option --row selects a row.",
    ));
    let mut table = policy_columns(["row", "types", "basis", "points"], report);
    for row in &report.sheet {
        let basis = if row.is_cited { strong("cited") } else { plain("reconstructed") };
        let counts = row.policies.iter().map(|counts| plain(counts.description()));
        let described = [plain_number(row.row), plain(row.types.words()), basis, number(row.points)];
        table.push(described.into_iter().chain(counts));
    }
    blocks.push(Block::Table(table));
}

/// Renders the rows of the sheet as CSV (RFC 4180), with the columns of the table: a line for each row of the sheet with
/// built-in types, one for each cited row with custom resources, and a column for each policy.
#[must_use]
pub fn csv(report: &KepReport) -> String {
    let field = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |fields: Vec<String>| format!("{}\r\n", fields.join(","));
    let policies = report.policies.iter().map(|policy| field(policy));
    let described = ["row", "types", "basis"].into_iter().chain(SHEET_DIMENSIONS).chain(["points"]);
    let mut text = line(described.map(str::to_owned).chain(policies).collect());
    for row in &report.sheet {
        let basis = if row.is_cited { "cited" } else { "reconstructed" };
        let counts = row.policies.iter().map(|counts| field(&counts.description()));
        let types = row.types.words().to_owned();
        let described = [row.row.to_string(), types, basis.to_owned()].into_iter();
        let described = described.chain(row.dimensions.iter().map(|values| field(values)));
        text.push_str(&line(described.chain([row.points.to_string()]).chain(counts).collect()));
    }
    text
}

fn cited_rows(blocks: &mut Vec<Block>, report: &KepReport) {
    if report.rows.is_empty() {
        return;
    }
    blocks.push(heading(2, "The cases about rows that the KEP cites"));
    blocks.push(prose(
        "The KEP cites eight rows of its sheet, and describes each in a sentence. The conclusion from row 16 reads as if the member were kept. By the rules of the KEP the request is refused, so \
         that the client cannot update other parts of the object either.",
    ));
    blocks.push(prose(
        "The cases with custom resources have a definition that a server of any release reads. The schema of the definition \
         is checked under every policy, also while the gate of the KEP is off: the enum and the presence of the \
         discriminator, and the number of members of a union without one.",
    ));
    let mut table = policy_columns(["row", "types", "case"], report);
    for row in &report.rows {
        let outcomes = row.outcomes.iter().map(|outcome| outcome_text(*outcome));
        table.push(
            [plain_number(row.row), plain(row.types.words()), code(&row.case)].into_iter().chain(outcomes),
        );
    }
    blocks.push(Block::Table(table));
}

/// Adds the points at which built-in types and custom resources have different outcomes.
fn types(blocks: &mut Vec<Block>, report: &KepReport) {
    let TypeComparison { points, differences } = &report.types;
    if *points == 0 {
        return;
    }
    let differing: usize = differences.iter().map(|difference| difference.points).sum();
    blocks.push(heading(2, "Built-in types and custom resources"));
    blocks.push(prose(&format!(
        "The alpha of the KEP is about custom resources, and the matrix has built-in types. {points} points were run with \
         both, on servers with and without ratcheting of the validation of custom resources. The outcomes differ at \
         {differing} of them; all others are the same. A point has a policy, a request and a release.",
    )));
    let names =
        ["union", "client", "server", "operation", "policy", "releases", "built-in", "custom resource"];
    let columns = Column::texts(names).chain(Column::numbers(["points"]));
    let row = |difference: &TypeDifference| {
        let axes = [&difference.union, &difference.client, &difference.server, &difference.operation];
        let outcomes = [difference.built_in, difference.custom_resource].map(Inline::Outcome);
        let fields = axes.map(plain).into_iter().chain([code(&difference.policy)]);
        let fields = fields.chain([plain(difference.releases.join(", "))]).chain(outcomes);
        fields.chain([number(difference.points)]).collect::<Vec<_>>()
    };
    blocks.push(Block::Table(Table::new(columns).with(differences.iter().map(row))));
}

fn kep_policy_comparisons(blocks: &mut Vec<Block>, report: &KepReport) {
    if report.comparisons.is_empty() {
        return;
    }
    blocks.push(heading(2, "kep-1027 against the others"));
    blocks.push(prose(
        "Number of points at which kep-1027 does better, the same, or worse. Intended is better than refused, and refused \
         is better than silent. All silent outcomes are equally bad.",
    ));
    let mut table =
        Table::new(Column::texts(["kep-1027 against"]).chain(Column::numbers(["better", "same", "worse"])));
    for comparison in &report.comparisons {
        let numbers = [comparison.better, comparison.same, comparison.worse];
        table.push([code(&comparison.policy)].into_iter().chain(numbers.map(number)));
    }
    blocks.push(Block::Table(table));
}

fn differences(blocks: &mut Vec<Block>, report: &KepReport) {
    blocks.push(heading(2, "Differences between the policies"));
    let differing: usize = report.differences.iter().map(|difference| difference.points).sum();
    blocks.push(prose(&format!(
        "The policies differ at {differing} of {} points. Each row of the tables is true for all points that fulfil its \
         conditions. An axis that is not named can have any value. At all other points, all policies have the same \
         outcome.",
        report.points
    )));
    for of_union in report.differences.chunk_by(|left, right| left.union == right.union) {
        blocks.push(heading(3, capitalized(of_union[0].union.description())));
        let table = policy_columns(["conditions", "points"], report);
        blocks.push(Block::Table(table.with(of_union.iter().map(difference_row))));
    }
}

/// Makes a table of texts, with some columns before one column for each policy.
fn policy_columns<const N: usize>(first: [&'static str; N], report: &KepReport) -> Table {
    text_table(first, report.policies.iter().cloned())
}

fn text_table<const N: usize>(first: [&'static str; N], others: impl Iterator<Item = String>) -> Table {
    Table::new(Column::texts(first).chain(others.map(|name| Column::text(plain(name)))))
}

fn difference_row(difference: &PolicyDifference) -> Vec<Inline> {
    let condition = |on: &AxisCondition| format!("{}={}", on.axis, on.values.join(" or "));
    let when: Vec<String> = difference.when.iter().map(condition).collect();
    let outcomes = difference.outcomes.iter().map(|outcome| outcome_text(*outcome));
    [code(when.join(", ")), number(difference.points)].into_iter().chain(outcomes).collect()
}

/// Returns the field of an outcome in a table.
fn outcome_text(outcome: Option<Outcome>) -> Inline {
    outcome.map_or_else(|| plain("not run"), Inline::Outcome)
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
