//! `skewer show`.

use std::fmt::Write;

use clap::Args;
use skewer_cases::yaml::nearest;
use skewer_cases::{Cell, Corpus, Plan, yaml};
use skewer_engine::skew::{self, FinalState};
use skewer_reports as reports;
use skewer_reports::Outcome;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::selection::parse_axis;
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;
use crate::execute::{Options, StepRecording, run_cell};

/// The arguments of `skewer show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// Id of a cell, or a unique part of the id.
    cell: String,
    /// Only cells with this value on this axis, if CELL matches several cells.
    #[arg(long = "axis", value_name = "AXIS=VALUE", value_parser = parse_axis)]
    axes: Vec<(String, String)>,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

/// Runs the command.
pub(super) fn show(arguments: &ShowArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let cell = find_cell(&corpus, arguments)?;
    let options = Options {
        steps: StepRecording::Always,
        durations: false,
        rerun_command: arguments.corpus.rerun_command(&arguments.target),
        stop: None,
    };
    let target = arguments.target.open(1)?;
    let result = run_cell(&cell, &*target, &options);
    output::print(&describe_run(&cell, &result))?;
    Ok(if result.status.is_failure() { Exit::CellFailed } else { Exit::Ok })
}

fn find_cell<'c>(corpus: &'c Corpus, arguments: &ShowArguments) -> Result<Cell<'c>> {
    const MAX_MATCHES: usize = 10;
    let id_part = arguments.cell.as_str();
    let mut matches: Vec<(String, Cell<'c>)> = Vec::new();
    for cell in corpus.cells() {
        let id = cell.id();
        if id == id_part {
            return Ok(cell);
        }
        let coordinates = cell.coordinates();
        let on_axes = arguments.axes.iter().all(|(axis, value)| coordinates.contains(&(axis, value)));
        if id.contains(id_part) && on_axes {
            matches.push((id, cell));
        }
    }
    match matches.as_slice() {
        [(_, cell)] => Ok(*cell),
        [] => {
            let ids: Vec<String> = corpus.cells().map(|cell| cell.id()).collect();
            let near = nearest(id_part, ids.iter().map(String::as_str));
            let hint = near.map_or_else(
                || "`skewer list` prints all ids".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let corpus_description = arguments.corpus.describe_corpus(corpus);
            Err(Failure::new(
                Exit::NothingSelected,
                format!("no cell id contains `{id_part}` in {corpus_description}: {hint}"),
            ))
        }
        many => {
            let listed: Vec<_> = many.iter().take(MAX_MATCHES).map(|(id, _)| format!("  {id}")).collect();
            let more = many.len().saturating_sub(MAX_MATCHES);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            Err(Failure::new(
                Exit::CouldNotRun,
                format!(
                    "{} cell ids contain `{id_part}`; choose one:\n{}{more}",
                    many.len(),
                    listed.join("\n")
                ),
            ))
        }
    }
}

fn describe_run(cell: &Cell<'_>, result: &reports::Cell) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", result.id);
    for line in result.about.iter().flat_map(|about| about.lines()) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(source) = &result.source {
        let section = source.section.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  source: {}, \"{section}\"", source.document);
    }
    for issue in &result.issue {
        let _ = writeln!(text, "  issue: {issue}");
    }
    for step in &result.steps {
        let _ = writeln!(text, "\n── {}: {}", step.name, step.note.as_deref().unwrap_or_default());
        for line in step.document.iter().flat_map(|document| document.lines()) {
            let _ = writeln!(text, "   {line}");
        }
    }
    write_reference_states(cell, &mut text);
    write_conclusion(result, &mut text);
    text
}

/// Writes the final states with which the result is compared: the ideal and before.
fn write_reference_states(cell: &Cell<'_>, text: &mut String) {
    let run = |scenario: &skew::Scenario<'_>| skew::run_built_in(scenario, &mut |_, _| {});
    let mut write = |name: &str, about: &str, final_state| {
        let _ = writeln!(text, "\n── {name}: {about}");
        match final_state {
            Ok(FinalState::Stored(document)) => {
                for line in yaml::write(&document).lines() {
                    let _ = writeln!(text, "   {line}");
                }
            }
            Ok(FinalState::Refused(error)) => {
                let _ = writeln!(text, "   refused: {} ({error})", error.kind().id());
            }
            Err(failure) => {
                let _ = writeln!(text, "   could not be computed: {failure}");
            }
        }
    };
    if let Ok(Plan::Skew(plan)) = cell.plan() {
        write(
            "ideal",
            "final state of the same intent when both parties are up to date",
            run(&plan.ideal(&plan.ideal_parties())),
        );
    }
    if let Some(Ok(Plan::Skew(before))) = cell.plan_before() {
        write("before", "final state with the old client on the old server", run(&before.scenario()));
    }
}

fn write_conclusion(result: &reports::Cell, text: &mut String) {
    let outcome = result.outcome.map_or(result.status.as_str(), |outcome| outcome.as_str());
    let _ = writeln!(text, "\noutcome: {outcome}{}", result.outcome.map_or("", explain_outcome));
    if let Some(covers) = result.covers {
        let _ = writeln!(text, "  without the compatibility promise it would be: {}", covers.as_str());
    }
    if let Some(actual) = result.actual.as_deref().filter(|actual| *actual != outcome) {
        let _ = writeln!(text, "  actual: {actual}");
    }
    if let Some(expected) = &result.expected {
        let _ = writeln!(text, "  expected: {expected}");
    }
    if let Some(because) = &result.because {
        let _ = writeln!(text, "  because: {because}");
    }
    if !result.paths.is_empty() {
        let _ = writeln!(text, "  differs from the ideal at: {}", result.paths.join(", "));
    }
    if let Some(message) = &result.message {
        let _ = writeln!(text, "  {message}");
    }
    if let Some(location) = &result.location {
        let _ = writeln!(text, "  expectation: {}:{}", location.file, location.line);
    }
    let _ = writeln!(text, "status: {}", result.status.as_str());
    if let Some(rerun) = &result.rerun {
        let _ = writeln!(text, "rerun: {rerun}");
    }
}

/// Explains an outcome in words that need no glossary.
fn explain_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Intended => " (the ideal was stored)",
        Outcome::Rejected => " (visible, as intended: up-to-date parties get the same error)",
        Outcome::AsBefore => " (not the ideal, but the final state of the old client on the old server)",
        Outcome::Refused => " (visible failure: the request was refused, and the stored object is unchanged)",
        Outcome::Ignored => " (silent failure: the request was accepted, but nothing changed)",
        Outcome::Leftover => " (silent failure: the request was accepted, but something was not deleted)",
        Outcome::Lost => " (silent failure: the request was accepted, but something is missing)",
        Outcome::Diverged => {
            " (silent failure: the request was accepted, but the result differs from the ideal)"
        }
        Outcome::WronglyAccepted => " (silent failure: the request was accepted, but should be refused)",
        Outcome::Match | Outcome::Mismatch => "",
    }
}
