//! `skewer show`.

use std::fmt::Write;
use std::sync::Arc;

use clap::Args;
use skewer_cases::{Cell, Corpus, Plan, yaml};
use skewer_engine::patch::json_merge;
use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedMap, PathSegment};
use skewer_execute::execute::{CellSelection, ExecutionOptions, ManagedFieldsForm, StepRecording, run_cell};
use skewer_execute::owners::{conflicting_owners, split_owners};
use skewer_reports::style::wrap;
use skewer_results as results;
use skewer_results::{Outcome, Owner, owners};
use skewer_skew::{FinalState, OtherRequest, Request, Scenario, StepName};

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::selection::{no_cell_failure, parse_axis};
use crate::cli::arguments::target::TargetArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};

/// The arguments of `skewer show`.
#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// Id of a cell, or a unique part of the id.
    cell: String,
    /// Only cells with this value on this axis, if CELL matches several cells.
    #[arg(long = "axis", value_name = "AXIS=VALUE", value_parser = parse_axis)]
    axes: Vec<(String, String)>,
    /// Print managed fields as parts of the documents of the steps, instead of a list of owners after each document.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
}

pub(super) fn show(arguments: &ShowArguments) -> Result {
    let selection = CellSelection {
        patterns: vec![arguments.cell.clone()],
        axes: arguments.axes.clone(),
        ..CellSelection::default()
    };
    let corpus = arguments.corpus.load_selected(&selection)?;
    let cell = find_cell(&corpus, arguments, &selection)?;
    let options = ExecutionOptions {
        steps: StepRecording::Always,
        managed_fields: if arguments.raw { ManagedFieldsForm::Raw } else { ManagedFieldsForm::Owners },
        durations: false,
        rerun_command: arguments.corpus.rerun_command(&arguments.target),
        ..ExecutionOptions::default()
    };
    let target = arguments.target.open(1)?;
    let result = run_cell(&cell, &*target, &options);
    output::print(&describe_run(&cell, &result))?;
    Ok(if result.status.is_failure() { Exit::CellFailed } else { Exit::Ok })
}

fn find_cell<'c>(
    corpus: &'c Corpus,
    arguments: &ShowArguments,
    selection: &CellSelection,
) -> Result<Cell<'c>> {
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
            let cells: Vec<_> = corpus.cells().collect();
            Err(no_cell_failure(&cells, selection, &arguments.corpus.describe_corpus(corpus)))
        }
        many => {
            let listed: Vec<_> = many.iter().take(MAX_MATCHES).map(|(id, _)| format!("  {id}")).collect();
            let more = many.len().saturating_sub(MAX_MATCHES);
            let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
            Err(Failure::could_not_run(format!(
                "{} cell ids contain `{id_part}`; choose one:\n{}{more}",
                many.len(),
                listed.join("\n")
            )))
        }
    }
}

/// Writes prose, whose first line begins with `indent`. The other lines are below its text.
fn write_prose(text: &mut String, indent: &str, prose: &str) {
    let width = Stream::Output.style().line_width();
    let others = " ".repeat(indent.chars().count().max(2));
    text.push_str(&wrap(prose, indent, &others, width));
}

fn describe_run(cell: &Cell<'_>, result: &results::Cell) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", result.id);
    if let Some(about) = &result.about {
        text.push_str(&wrap(about, "  ", "  ", Stream::Output.style().line_width()));
    }
    if let Some(source) = &result.source {
        let section = source.section.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  source: {}, \"{section}\"", source.document);
    }
    for issue in &result.issue {
        let _ = writeln!(text, "  issue: {issue}");
    }
    for step in &result.steps {
        text.push('\n');
        write_prose(
            &mut text,
            "── ",
            &format!("{}: {}", step.name, step.note.as_deref().unwrap_or_default()),
        );
        if let Some(document) = &step.document {
            write_indented(&mut text, document);
        }
        write_owners(&mut text, "owners", &step.owners);
    }
    write_reference_states(cell, &mut text);
    write_conclusion(result, &mut text);
    text
}

fn write_indented(text: &mut String, lines: &str) {
    for line in lines.lines() {
        let _ = writeln!(text, "   {line}");
    }
}

/// Writes owners below a step, with a heading. Writes nothing if there are none.
fn write_owners(text: &mut String, heading: &str, owners: &[Owner]) {
    if !owners.is_empty() {
        let _ = writeln!(text, "   {heading}:");
        write_indented(text, &indented(&owners::text(owners)));
    }
}

/// Returns lines with an indentation of two columns.
fn indented(lines: &str) -> String {
    let indented: Vec<String> = lines.lines().map(|line| format!("  {line}\n")).collect();
    indented.concat()
}

/// Writes the final states with which the result is compared: the ideal and before.
fn write_reference_states(cell: &Cell<'_>, text: &mut String) {
    let mut suggestion = None;
    let mut write = |name: &str, about: &str, scenario: &Scenario| {
        text.push('\n');
        write_prose(text, "── ", &format!("{name}: {about}"));
        let mut result = None;
        let final_state = skewer_skew::run_built_in(scenario, &mut |step, document| {
            if step == StepName::Result {
                result = Some(document.clone());
            }
        });
        // The object in a final state has no managed fields. Those of the last step belong to it.
        let owners = result.map_or_else(Vec::new, |result| split_owners(&result).1);
        match final_state {
            Ok(FinalState::Stored(document)) => {
                write_indented(text, &yaml::write(&document));
                write_owners(text, "owners", &owners);
            }
            Ok(FinalState::Refused(error)) => {
                let conflicts = conflicting_owners(&error);
                if conflicts.is_empty() {
                    let _ = writeln!(text, "   refused: {} ({error})", error.kind().id());
                }
                let heading = format!("refused: {} with", error.kind().id());
                write_owners(text, &heading, &conflicts);
            }
            Err(failure) => {
                let _ = writeln!(text, "   could not be computed: {failure}");
            }
        }
    };
    if let Ok(Plan::Skew(plan)) = cell.plan() {
        let ideal = plan.ideal();
        write("ideal", &describe_ideal(&ideal), &ideal);
        suggestion = plan.ideal_is_request().then(|| suggested_intent(&plan));
    }
    if let Some(Ok(Plan::Skew(before))) = cell.plan_before() {
        write("before", "final state with the old client on the old server", &before);
    }
    if let Some(suggestion) = suggestion {
        text.push('\n');
        write_prose(text, "   ", &suggestion);
    }
}

/// Returns a suggestion for the intent of a case that has only a configuration: what the configuration changes in the one that
/// the manager applied before.
fn suggested_intent(plan: &Scenario) -> String {
    let is_own = |other: &&OtherRequest| {
        other.request == Request::ServerSideApply && other.options.manager == plan.options.manager
    };
    let empty = Arc::new(Doc::Map(OwnedMap::new()));
    let before = plan.history.iter().rev().filter(is_own).find_map(|other| other.document.as_ref());
    let configuration = plan.configuration.as_ref().or(plan.last_applied.as_ref()).unwrap_or(&empty);
    let changes = json_merge::two_way(before.unwrap_or(&empty), configuration).unwrap_or_default();
    let (mut set, mut removed) = (changes.clone(), Vec::new());
    collect_removed(&changes, &mut set, &FieldPath::root(), &mut removed);
    let mut parts = Vec::new();
    if set.as_map().is_some_and(|map| !map.is_empty()) {
        parts.push(format!("set: {set}"));
    }
    if !removed.is_empty() {
        parts.push(format!("remove: [{}]", removed.join(", ")));
    }
    let example =
        if parts.is_empty() { String::new() } else { format!(", for example {{{}}}", parts.join(", ")) };
    format!(
        "so the outcome cannot tell whether the request does what the user wants: write it as the intent of the case{example}, \
         if the user wants it whoever else owns the fields"
    )
}

/// Moves the nulls of a merge patch, which remove fields, from the values to set to a list of paths.
fn collect_removed(changes: &OwnedDoc, set: &mut OwnedDoc, path: &FieldPath, removed: &mut Vec<String>) {
    let (Some(changes), Some(set)) = (changes.as_map(), set.as_map_mut()) else { return };
    for (key, value) in changes.iter() {
        let mut path = path.clone();
        path.push(PathSegment::Key(key.clone()));
        if value.is_null() {
            set.remove(key);
            removed.push(path.to_string());
        } else if let Some(inner) = set.get_mut(key) {
            collect_removed(value, inner, &path, removed);
            if inner.as_map().is_some_and(OwnedMap::is_empty)
                && value.as_map().is_some_and(|map| !map.is_empty())
            {
                set.remove(key);
            }
        }
    }
}

/// Describes how the ideal is computed.
fn describe_ideal(ideal: &Scenario) -> String {
    let request = match ideal.request {
        Request::ServerSideApply => {
            "the same apply, with force: the case has a configuration and no intent, so that the ideal is the request itself"
                .to_owned()
        }
        whole => format!("the whole object ({})", whole.name()),
    };
    format!("final state with up-to-date parties; the client sends {request}")
}

fn write_conclusion(result: &results::Cell, text: &mut String) {
    let outcome = result.outcome.map_or(result.status.as_str(), |outcome| outcome.as_str());
    text.push('\n');
    write_prose(text, "", &format!("outcome: {outcome}{}", result.outcome.map_or("", explain_outcome)));
    if let Some(covers) = result.covers {
        let _ = writeln!(text, "  without the compatibility promise it would be: {}", covers.as_str());
    }
    if let Some(actual) = result.actual_text().filter(|actual| actual != outcome) {
        // The message of a conflict has several lines.
        let mut lines = actual.lines();
        write_prose(text, "  ", &format!("actual: {}", lines.next().unwrap_or_default()));
        for line in lines {
            let _ = writeln!(text, "    {line}");
        }
    }
    if !result.conflicts.is_empty() {
        let _ = write!(text, "  conflicts with:\n{}", indented(&indented(&owners::text(&result.conflicts))));
    }
    if let Some(expected) = result.expected_text() {
        let _ = writeln!(text, "  expected: {expected}");
    }
    if let Some(because) = &result.because {
        write_prose(text, "  ", &format!("because: {because}"));
    }
    if !result.paths.is_empty() {
        write_prose(text, "  ", &format!("{}: {}", result.paths_label(), result.paths.join(", ")));
    }
    if let Some(message) = result.message_text() {
        let _ = writeln!(text, "  {}", message.replace('\n', "\n  "));
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
        Outcome::Leaked => " (silent failure: the patch was accepted, and a directive was stored as data)",
        Outcome::Match | Outcome::Mismatch => "",
    }
}
