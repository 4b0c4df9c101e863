//! The check of results of a client that somebody else publishes: whether they are complete, of the released corpus, and
//! consistent.

use std::collections::{BTreeMap, BTreeSet};

use skewer_results::{Answer, Cell, Outcome, Results, Status};

/// The suites about which a client is asked.
pub const CLIENT_SUITES: &str = "clients/";

/// The axis whose values are the tools.
pub const TOOL_AXIS: &str = "tool";

/// The suites about clients, as this program has them.
#[derive(Clone, Debug)]
pub struct AskedClients {
    /// Version of this program.
    pub tool_version: String,
    /// Hash of the built-in corpus.
    pub corpus_hash: String,
    /// All tools of the corpus.
    pub tools: BTreeSet<String>,
    /// The results of the built-in engine on the cells of the tools that the file is about. Their questions and expectations
    /// are those of the corpus.
    pub cells: Vec<Cell>,
}

/// A reason why results cannot be published.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmissionFault {
    /// Another version of Skewer made the file.
    #[error("the run is of Skewer {found} (expected {expected}): run the client with Skewer {expected}")]
    Version {
        /// The version of the file.
        found: String,
        /// The version of this program.
        expected: String,
    },
    /// The case files are not those of this program.
    #[error("the corpus_hash is {found} (expected {expected}): run the client without `--corpus`")]
    Corpus {
        /// The hash of the file.
        found: String,
        /// The hash of the built-in corpus.
        expected: String,
    },
    /// The run ended early, or has problems that belong to no cell.
    #[error("the run is not complete: run the client again")]
    Incomplete,
    /// The built-in models answered.
    #[error(
        "the built-in engine answered (expected a client): run with `--client-target` and `--server-target`"
    )]
    BuiltIn,
    /// No cell has an answer.
    #[error(
        "no cell of the suites `clients/` has an answer: run `skewer run --client-target CLIENT clients/`"
    )]
    NoAnswer,
    /// A tool of the file is not in the corpus.
    #[error("{cell} has the unknown tool `{tool}` (expected {known})")]
    UnknownTool {
        /// The first cell of the tool.
        cell: String,
        /// The tool.
        tool: String,
        /// The tools of the corpus.
        known: String,
    },
    /// A cell of the file is not in the corpus.
    #[error("{0} is not a cell of the corpus")]
    UnknownCell(String),
    /// Cells of a tool have no answer.
    #[error(
        "the tool `{tool}` has no answer to {missing} of {cells} cells, such as {example}: run all of `clients/`"
    )]
    Unanswered {
        /// The tool.
        tool: String,
        /// The number of cells without an answer.
        missing: usize,
        /// The number of cells of the tool in the corpus.
        cells: usize,
        /// The first cell without an answer.
        example: String,
    },
    /// A cell does not have the question and the expectation of the corpus.
    #[error("{0} is not as in the corpus: its description or its expectation was edited")]
    Edited(String),
    /// The status and the outcome of a cell do not follow from its answer.
    #[error("{cell} has the status {status} and the outcome {outcome}, which do not follow from its answer")]
    Inconsistent {
        /// The cell.
        cell: String,
        /// The status of the cell.
        status: Status,
        /// The outcome of the cell.
        outcome: Outcome,
    },
}

/// Returns the tools that have an answer in a file.
pub fn answered_tools(results: &Results) -> impl Iterator<Item = &str> {
    results.cells.iter().filter(|cell| is_answer(cell)).filter_map(tool)
}

fn is_answer(cell: &Cell) -> bool {
    cell.suite.starts_with(CLIENT_SUITES) && cell.outcome.is_some()
}

/// Returns the faults of the results of a client.
#[must_use]
pub fn submission_faults(results: &Results, asked: &AskedClients) -> Vec<SubmissionFault> {
    let mut faults = run_faults(results, asked);
    let known: BTreeMap<&str, &Cell> = asked.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
    let answered: Vec<&Cell> = results.cells.iter().filter(|cell| is_answer(cell)).collect();
    if answered.is_empty() {
        faults.push(SubmissionFault::NoAnswer);
    }
    let mut by_tool: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
    for cell in answered {
        by_tool.entry(tool(cell).unwrap_or_default()).or_default().push(cell);
    }
    for (tool_name, cells) in by_tool {
        if !asked.tools.contains(tool_name) {
            faults.push(SubmissionFault::UnknownTool {
                cell: cells[0].id.clone(),
                tool: tool_name.to_owned(),
                known: asked.tools.iter().cloned().collect::<Vec<_>>().join(", "),
            });
            continue;
        }
        faults.extend(cells.iter().filter_map(|cell| cell_fault(cell, known.get(cell.id.as_str()).copied())));
        let ids: BTreeSet<&str> = cells.iter().map(|cell| cell.id.as_str()).collect();
        let of_tool: Vec<&Cell> = asked.cells.iter().filter(|cell| tool(cell) == Some(tool_name)).collect();
        let missing: Vec<&&Cell> = of_tool.iter().filter(|cell| !ids.contains(cell.id.as_str())).collect();
        if let Some(first) = missing.first() {
            faults.push(SubmissionFault::Unanswered {
                tool: tool_name.to_owned(),
                missing: missing.len(),
                cells: of_tool.len(),
                example: first.id.clone(),
            });
        }
    }
    faults
}

fn tool(cell: &Cell) -> Option<&str> {
    cell.axes.get(TOOL_AXIS)
}

fn run_faults(results: &Results, expected: &AskedClients) -> Vec<SubmissionFault> {
    let found = &results.run;
    let version = (found.tool_version != expected.tool_version).then(|| SubmissionFault::Version {
        found: found.tool_version.clone(),
        expected: expected.tool_version.clone(),
    });
    let corpus = (found.corpus_hash != expected.corpus_hash).then(|| SubmissionFault::Corpus {
        found: found.corpus_hash.clone(),
        expected: expected.corpus_hash.clone(),
    });
    let incomplete = (results.partial || !results.problems.is_empty()).then_some(SubmissionFault::Incomplete);
    // Only the built-in engine has no options of the command line.
    let built_in = found.target.options.is_none().then_some(SubmissionFault::BuiltIn);
    [version, corpus, incomplete, built_in].into_iter().flatten().collect()
}

fn cell_fault(cell: &Cell, asked: Option<&Cell>) -> Option<SubmissionFault> {
    let id = || cell.id.clone();
    let Some(asked) = asked else { return Some(SubmissionFault::UnknownCell(id())) };
    // A program that edits JSON can change the order of the axes.
    let question = |cell: &Cell| {
        let axes = cell.axes.iter().map(|(axis, value)| (axis.to_owned(), value.to_owned()));
        let place = (cell.suite.clone(), cell.case.clone(), axes.collect::<BTreeMap<_, _>>(), cell.level);
        (place, cell.about.clone(), cell.because.clone(), cell.source.clone())
    };
    // A cell that differs from its simulation has the answer of the simulation in place of the expectation.
    let is_expectation = cell.reference.is_none();
    if question(cell) != question(asked) || (is_expectation && cell.expected != asked.expected) {
        return Some(SubmissionFault::Edited(id()));
    }
    let outcome = cell.outcome?;
    let actual = cell.actual.as_ref()?;
    let is_expected = || cell.expected.iter().any(|expected| has_answer(actual, expected));
    let is_consistent = (outcome_of(actual) == Some(outcome) || outcome == Outcome::Leaked)
        && (cell.status != Status::Pass || (is_expectation && is_expected()));
    (!is_consistent).then(|| SubmissionFault::Inconsistent { cell: id(), status: cell.status, outcome })
}

/// Returns the outcome of an answer. A refusal is left out beside its error.
fn outcome_of(answer: &Answer) -> Option<Outcome> {
    answer.outcome.or(answer.error.as_ref().map(|_| Outcome::Refused))
}

fn has_answer(actual: &Answer, expected: &Answer) -> bool {
    let kind = |answer: &Answer| answer.error.as_ref().map(|error| error.kind.clone());
    outcome_of(actual) == outcome_of(expected) && (expected.error.is_none() || kind(actual) == kind(expected))
}
