//! The scoreboard for a terminal of 80 columns.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

use super::labels::names;
use super::model::{Capability, Scoreboard, Support};
use crate::style::wrap;

/// Width of the lists of implementations.
const WIDTH: usize = 80;

/// Renders the counts of each implementation, and the implementations by capability and support.
#[must_use]
pub fn text(board: &Scoreboard) -> String {
    let mut text = implementation_table(board);
    for capability in &board.capabilities {
        push_capability(&mut text, board, capability);
    }
    for question in &board.questions {
        let _ = writeln!(text, "\n{}", escape_text(&question.title));
        for answer in &question.merge_keys {
            let line =
                format!("{}, {}: {}", answer.requests, answer.key, names(board, &answer.implementations));
            push_wrapped(&mut text, &line);
        }
        for cell in question.cells.iter().filter(|_| question.merge_keys.is_empty()) {
            if question.cells.len() > 1 {
                push_wrapped(&mut text, &cell.id);
            }
            for group in &cell.results {
                let word = if group.is_expected { "as Kubernetes" } else { "otherwise" };
                push_wrapped(&mut text, &format!("{word}: {}", names(board, &group.implementations)));
            }
        }
    }
    text
}

fn implementation_table(board: &Scoreboard) -> String {
    let labels = board.implementations.iter().map(|implementation| escape_text(&implementation.label));
    let width = labels.map(|label| label.chars().count()).max().unwrap_or_default().clamp(14, 30);
    let mut text =
        format!("{:<width$}  capabilities  passed  wrong  leaked  unsupported\n", "implementation");
    for implementation in &board.implementations {
        let counts = &implementation.counts;
        let _ = writeln!(
            text,
            "{:<width$}  {:>12}  {:>6}  {:>5}  {:>6}  {:>11}",
            escape_text(&implementation.label),
            format!("{} of {}", implementation.supported, board.capabilities.len()),
            counts.passed,
            counts.wrong,
            counts.leaked,
            counts.unsupported,
        );
    }
    text
}

fn push_capability(text: &mut String, board: &Scoreboard, capability: &Capability) {
    let _ = writeln!(text, "\n{}", escape_text(&capability.title));
    for support in [Support::Supported, Support::Partial, Support::Wrong] {
        let has_support =
            |index: &usize| capability.marks.get(*index).map(|mark| mark.support) == Some(support);
        let indices: Vec<usize> = (0..board.implementations.len()).filter(has_support).collect();
        if !indices.is_empty() {
            push_wrapped(text, &format!("{}: {}", support.as_str(), names(board, &indices)));
        }
    }
    let smallest = capability
        .marks
        .iter()
        .flat_map(|mark| &mark.wrong_cells)
        .min_by_key(|cell| cell.documents.iter().map(|document| document.text.len()).sum::<usize>());
    if let Some(cell) = smallest {
        push_wrapped(text, &format!("smallest wrong cell: {}", cell.id));
    }
}

/// Appends an indented line, broken between words.
fn push_wrapped(text: &mut String, line: &str) {
    text.push_str(&wrap(&escape_text(line), "  ", "    ", WIDTH));
}
