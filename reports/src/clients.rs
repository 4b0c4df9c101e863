//! The clients of today, side by side (`skewer scoreboard --clients`): what each tool does with the same manifests.

use std::collections::BTreeSet;

use skewer_results::Results;
use skewer_results::model::Cell;
use skewer_results::vocabulary::{Outcome, Status};

use crate::blocks::{
    self, Block, Column, Inline, Line, Table, Tone, TonedWord, code, heading, own, paragraph, plain, strong,
};

/// The results of a client, and the name of its column.
#[derive(Clone, Copy, Debug)]
pub struct ClientRun<'r> {
    /// The name, such as that of the target.
    pub name: &'r str,
    /// The results.
    pub results: &'r Results,
}

/// The axis whose values are the tools.
const TOOL: &str = "tool";

/// Renders the page in Markdown. `command` makes the page again from the results of the runs.
#[must_use]
pub fn markdown(runs: &[ClientRun<'_>], command: &str) -> String {
    blocks::markdown::document(&page(runs, command), 1)
}

/// A tool of a client.
struct ToolColumn<'r> {
    tool: &'r str,
    run: ClientRun<'r>,
}

impl<'r> ToolColumn<'r> {
    /// Returns the columns of a run: the tools about which the client was asked.
    fn of_run(run: ClientRun<'r>) -> impl Iterator<Item = Self> {
        let asked = run.results.cells.iter().filter(|cell| is_answered(cell));
        let tools: BTreeSet<&str> = asked.filter_map(|cell| cell.axes.get(TOOL)).collect();
        tools.into_iter().map(move |tool| ToolColumn { tool, run })
    }

    fn cells(&self) -> impl Iterator<Item = &'r Cell> {
        let (run, tool) = (self.run, self.tool);
        run.results.cells.iter().filter(move |cell| is_answered(cell) && cell.axes.get(TOOL) == Some(tool))
    }

    fn cell(&self, row: &Question<'_>) -> Option<&'r Cell> {
        self.cells().find(|cell| Question::of(cell) == *row)
    }
}

/// The cells of all tools that are about the same.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Question<'r> {
    suite: &'r str,
    case: &'r str,
    /// The values of the other axes.
    point: Vec<(&'r str, &'r str)>,
}

impl<'r> Question<'r> {
    fn of(cell: &'r Cell) -> Self {
        let point = cell.axes.iter().filter(|(axis, _)| *axis != TOOL).collect();
        Question { suite: &cell.suite, case: &cell.case, point }
    }

    fn name(&self) -> String {
        let point: Vec<String> = self.point.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        if point.is_empty() { self.case.to_owned() } else { format!("{}[{}]", self.case, point.join(",")) }
    }
}

fn is_answered(cell: &Cell) -> bool {
    cell.outcome.is_some() && !matches!(cell.status, Status::Unsupported | Status::NotAsked)
}

const INTRODUCTION: &str = "\
What tools do when they apply a manifest to an object that others also write. Each result on this page comes from the real \
code of the tool, against a real API server. A row is a question, and asks what a user of any tool wants: the outcome is \
*intended* if the object is then as the user wants it. Clients and versions of a tool have one column where their outcomes are the \
same. `skewer show CELL` shows a cell step by step, with the requests that the \
tool sent.";

/// The clients that the page lacks, and why.
const NOT_HERE: [(&str, &str); 3] = [
    (
        "kapp",
        "The proxy of Go modules on the machine of these runs served it under none of its names: `carvel.dev/kapp`, \
         `github.com/carvel-dev/kapp`, `github.com/vmware-tanzu/carvel-kapp` and `github.com/k14s/kapp`.",
    ),
    (
        "Terraform `kubernetes_manifest`",
        "The proxy served only release 1.13.4 of the provider, which does not have the resource.",
    ),
    ("Pulumi", "The proxy served only one commit of the provider, and a comparison needs two versions."),
];

fn page(runs: &[ClientRun<'_>], command: &str) -> Vec<Block> {
    let columns: Vec<ToolColumn<'_>> = runs.iter().flat_map(|run| ToolColumn::of_run(*run)).collect();
    let questions: BTreeSet<Question<'_>> =
        columns.iter().flat_map(ToolColumn::cells).map(Question::of).collect();
    let suites: BTreeSet<&str> = questions.iter().map(|question| question.suite).collect();
    let mut page = vec![
        heading(1, plain("Tools that apply manifests, side by side")),
        paragraph(own(INTRODUCTION)),
        heading(2, plain("The tools")),
        Block::Table(tools(&columns)),
    ];
    for suite in suites {
        page.push(heading(2, code(suite)));
        let of_suite = questions.iter().filter(|question| question.suite == suite);
        page.push(Block::Table(answers(&columns, of_suite)));
    }
    page.push(heading(2, plain("What changed between versions")));
    page.push(Block::Table(changes(&columns, &questions)));
    page.push(heading(2, plain("Reasons")));
    page.push(Block::Table(reasons(&columns, &questions)));
    page.push(heading(2, plain("Clients that are not here")));
    page.push(Block::Table(
        Table::new(Column::texts(["client", "reason"]))
            .with(NOT_HERE.map(|(client, reason)| [own(client), own(reason)])),
    ));
    page.push(paragraph(plain("This page was made from the results of the runs:")));
    page.push(Block::Code("console", format!("$ {command}")));
    page
}

/// Counts the answers of each tool. A cell that passed ended as the model of the tool predicts.
fn tools(columns: &[ToolColumn<'_>]) -> Table {
    let names = Column::texts(["tool", "client", "versions (client to server)"]);
    let numbers = Column::numbers(["questions", "intended", "as the model"]);
    let command = Column::texts(["command"]);
    Table::new(names.chain(numbers).chain(command)).with(columns.iter().map(|column| {
        let target = &column.run.results.run.target;
        let intended = column.cells().filter(|cell| cell.outcome == Some(Outcome::Intended)).count();
        let modelled = column.cells().filter(|cell| cell.status == Status::Pass).count();
        let options = target.options.as_deref().unwrap_or_default();
        [
            strong(column.tool).into(),
            plain(column.run.name).into(),
            plain(target.version.as_deref().unwrap_or("unknown")).into(),
            plain(column.cells().count().to_string()).into(),
            plain(intended.to_string()).into(),
            plain(modelled.to_string()).into(),
            Line::from(code(format!("skewer run{options} clients/ --axis {TOOL}={}", column.tool))),
        ]
    }))
}

/// Lists the answers of the tools to the questions of a suite.
fn answers<'q>(columns: &[ToolColumn<'_>], questions: impl Iterator<Item = &'q Question<'q>>) -> Table {
    let questions: Vec<&Question<'_>> = questions.collect();
    let groups = agreeing(columns, &questions);
    let heads = groups.iter().map(|group| {
        let clients: Vec<&str> = group.iter().map(|column| column.run.name).collect();
        let tool = group[0].tool;
        let is_alone = groups.iter().filter(|other| other[0].tool == tool).count() == 1;
        let name = format!("{tool} ({})", clients.join(", "));
        Column {
            title: Some(name.clone()),
            ..Column::text(plain(if is_alone { tool.to_owned() } else { name }))
        }
    });
    let mut table = Table::new(Column::texts([""]).chain(heads));
    table.has_narrow_columns = true;
    for question in questions {
        let fields = groups.iter().map(|group| group[0].cell(question).map_or_else(Line::default, answer));
        table.push([Line::from(code(question.name()))].into_iter().chain(fields));
    }
    table
}

/// Groups the columns of a tool that have the same outcomes.
fn agreeing<'c, 'r>(
    columns: &'c [ToolColumn<'r>],
    questions: &[&Question<'_>],
) -> Vec<Vec<&'c ToolColumn<'r>>> {
    let outcomes = |column: &ToolColumn<'_>| -> Vec<Option<Outcome>> {
        questions.iter().map(|question| column.cell(question).and_then(|cell| cell.outcome)).collect()
    };
    let mut groups: Vec<Vec<&ToolColumn<'_>>> = Vec::new();
    for column in columns {
        let same = groups
            .iter_mut()
            .find(|group| group[0].tool == column.tool && outcomes(group[0]) == outcomes(column));
        match same {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    groups
}

fn answer(cell: &Cell) -> Line {
    let Some(outcome) = cell.outcome else { return Line::default() };
    let text = outcome.as_str().to_owned();
    Inline::Badge(TonedWord { tone: Tone::of(outcome), text, title: None }).into()
}

/// Lists the questions to which two versions of a client have other outcomes. A tool that the older version does not have is
/// compared with each tool that it has.
fn changes(columns: &[ToolColumn<'_>], questions: &BTreeSet<Question<'_>>) -> Table {
    let mut table = Table::new(Column::texts(["from", "to", "other outcomes"]));
    for (index, new) in columns.iter().enumerate() {
        let is_older = |old: &&ToolColumn<'_>| {
            old.run.name != new.run.name && old.run.results.run.target.name == new.run.results.run.target.name
        };
        let Some(before) = columns[..index].iter().rfind(is_older).map(|old| old.run.name) else { continue };
        let older = columns[..index].iter().filter(|old| old.run.name == before);
        let has_tool = older.clone().any(|old| old.tool == new.tool);
        for old in older.filter(|old| !has_tool || old.tool == new.tool) {
            let name = |column: &ToolColumn<'_>| format!("{} ({})", column.tool, column.run.name);
            table.push([
                plain(name(old)).into(),
                plain(name(new)).into(),
                other_outcomes(old, new, questions),
            ]);
        }
    }
    table
}

fn other_outcomes(old: &ToolColumn<'_>, new: &ToolColumn<'_>, questions: &BTreeSet<Question<'_>>) -> Line {
    let mut words = Vec::new();
    for question in questions {
        let outcome = |column: &ToolColumn<'_>| column.cell(question).and_then(|cell| cell.outcome);
        let (Some(before), Some(after)) = (outcome(old), outcome(new)) else { continue };
        if before != after {
            let separator = if words.is_empty() { "" } else { "; " };
            words.push(plain(format!("{separator}{before} to {after}: ")));
            words.push(code(format!("{}/{}", question.suite, question.name())));
        }
    }
    if words.is_empty() { plain("none").into() } else { Line(words) }
}

/// Lists why tools do something else than what a user wants.
fn reasons(columns: &[ToolColumn<'_>], questions: &BTreeSet<Question<'_>>) -> Table {
    let mut table = Table::new(Column::texts(["question", "outcome", "tools", "reason"]));
    for question in questions {
        let cells = columns.iter().filter_map(|column| Some((column, column.cell(question)?)));
        let mut groups: Vec<(&Cell, Vec<&str>)> = Vec::new();
        for (column, cell) in cells.filter(|(_, cell)| cell.outcome != Some(Outcome::Intended)) {
            match groups
                .iter_mut()
                .find(|(other, _)| other.because == cell.because && other.outcome == cell.outcome)
            {
                Some((_, tools)) if !tools.contains(&column.tool) => tools.push(column.tool),
                Some(_) => {}
                None => groups.push((cell, vec![column.tool])),
            }
        }
        for (cell, tools) in groups {
            table.push([
                Line::from(code(format!("{}/{}", question.suite, question.name()))),
                answer(cell),
                plain(tools.join(", ")).into(),
                own(cell.because.as_deref().unwrap_or_default()),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::sample_results;

    #[test]
    fn a_column_has_the_cells_of_its_tool_and_no_cell_that_was_not_asked() {
        let mut results = sample_results();
        let sample = results.cells[0].clone();
        let of = |case: &str, tool: &str, status, outcome| {
            let mut cell = Cell { case: case.into(), status, outcome, ..sample.clone() };
            cell.axes.set(TOOL, tool);
            cell
        };
        results.cells = vec![
            of("settles", "a", Status::Pass, Some(Outcome::Intended)),
            of("settles", "b", Status::Unsupported, None),
            of("drifts", "a", Status::Fail, Some(Outcome::Lost)),
        ];
        let text =
            markdown(&[ClientRun { name: "a-1", results: &results }], "skewer scoreboard --clients a-1");
        assert!(text.contains("| **a** | a-1 | "), "{text}");
        assert!(text.contains(" | 2 | 1 | 1 | "), "{text}");
        assert!(!text.contains("**b**"), "{text}");
    }

    #[test]
    fn versions_of_a_client_are_compared_tool_by_tool() {
        let run = |tools: &[(&str, Outcome)]| {
            let mut results = sample_results();
            let sample = results.cells[0].clone();
            let of_tool = tools.iter().map(|(tool, outcome)| {
                let mut cell = Cell { case: "drifts".into(), outcome: Some(*outcome), ..sample.clone() };
                cell.status = Status::Pass;
                cell.axes.set(TOOL, *tool);
                cell
            });
            results.cells = of_tool.collect();
            results
        };
        let old = run(&[("a", Outcome::Lost)]);
        let same = run(&[("a", Outcome::Lost)]);
        let new = run(&[("a-ssa", Outcome::Refused)]);
        let runs = [("a-1", &old), ("a-2", &same), ("a-3", &new)];
        let text = markdown(&runs.map(|(name, results)| ClientRun { name, results }), "skewer scoreboard");
        assert!(text.contains("| a (a-1) | a (a-2) | none |"), "{text}");
        assert!(text.contains("| a (a-2) | a-ssa (a-3) | lost to refused: `"), "{text}");
        assert!(!text.contains("| a (a-1) | a-ssa (a-3) |"), "{text}");
        assert!(text.contains("| | a | a-ssa |"), "{text}");
        let other = run(&[("a", Outcome::Intended)]);
        let runs = [("a-1", &old), ("a-2", &same), ("a-3", &other)];
        let text = markdown(&runs.map(|(name, results)| ClientRun { name, results }), "skewer scoreboard");
        assert!(text.contains("| | a (a-1, a-2) | a (a-3) |"), "{text}");
    }
}
