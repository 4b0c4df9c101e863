//! The scoreboard in Markdown, which is checked in as `IMPLEMENTATIONS.md`.

use std::fmt::Write as _;

use super::labels::{mark_text, names, support_meaning};
use super::model::{Capability, CellResults, Document, Mark, Question, Scoreboard, Support, WrongCell};
use crate::diff;
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_prose, fenced_block};

const INTRODUCTION: &str = "\
# Implementations of Kubernetes patches, side by side

What each implementation does with the same requests. Every result on this page comes from a run of the implementation: \
none is simulated, and none is taken from its documentation. A *cell* is one request with an expected result, which is \
what `k8s.io/apimachinery` does. A *capability* is a group of cells.
";

/// Renders the scoreboard. `command` makes the page again from the results of the runs.
#[must_use]
pub fn markdown(board: &Scoreboard, command: &str) -> String {
    let mut text = format!("{INTRODUCTION}\n");
    text.push_str("[The runs](#the-runs) have versions, counts and the command of each column.\n");
    push_ladder(&mut text, board);
    for question in &board.questions {
        push_question(&mut text, board, question);
    }
    push_implementations(&mut text, board);
    let _ = writeln!(text, "\nEach run wrote its results to a file. This page was made from these files:\n");
    push_block(&mut text, "console", &format!("$ {command}"));
    push_wrong_cells(&mut text, board);
    text
}

/// Escapes a title of the ladder, whose code is between backquotes.
fn title(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| match index % 2 {
            0 => spaced(part),
            _ => code_span_outside_tables(part),
        })
        .collect()
}

/// Escapes prose, and keeps the spaces at its ends.
fn spaced(text: &str) -> String {
    let space = |has: bool| if has { " " } else { "" };
    let inner = text.trim();
    format!(
        "{}{}{}",
        space(text.starts_with(' ')),
        escape_prose(inner),
        space(text.ends_with(' ') && !inner.is_empty())
    )
}

fn push_question(text: &mut String, board: &Scoreboard, question: &Question) {
    let _ = writeln!(text, "\n## {}\n\n{}", title(&question.title), title(&question.about));
    if !question.merge_keys.is_empty() {
        text.push_str("\n| requests | merged by | implementations |\n|:--|:--|:--|\n");
    }
    for answer in &question.merge_keys {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            escape_prose(&answer.requests),
            escape_prose(&answer.key),
            escape_prose(&names(board, &answer.implementations))
        );
    }
    for cell in &question.cells {
        push_cell_results(text, board, cell);
    }
}

fn push_cell_results(text: &mut String, board: &Scoreboard, cell: &CellResults) {
    let about = cell.about.as_deref().map(|about| format!(" {}", title(about))).unwrap_or_default();
    let _ =
        writeln!(text, "\n<details><summary>Cell <code>{}</code></summary>\n", crate::html::escape(&cell.id));
    let _ = writeln!(text, "{}\n", about.trim());
    push_documents(text, &cell.documents);
    for group in &cell.results {
        let mark = if group.is_expected { "As in Kubernetes" } else { "Otherwise" };
        let _ = writeln!(
            text,
            "{mark}, {}: {}.\n",
            escape_prose(&group.result),
            escape_prose(&names(board, &group.implementations))
        );
        if let Some(document) = &group.document {
            push_block(text, "yaml", document);
        }
    }
    text.push_str("</details>\n");
}

fn push_documents(text: &mut String, documents: &[Document]) {
    for document in documents {
        let _ = writeln!(text, "{}:\n", escape_prose(&document.name));
        push_block(text, "yaml", &document.text);
    }
}

fn push_block(text: &mut String, language: &str, content: &str) {
    let _ = writeln!(text, "{}\n", fenced_block(language, content).trim_end());
}

fn push_ladder(text: &mut String, board: &Scoreboard) {
    text.push_str("\n## The ladder\n\n");
    for support in [Support::Supported, Support::Partial, Support::Wrong, Support::Unsupported] {
        let sample = match support {
            Support::Supported => "`10`",
            Support::Partial => "`7/10`",
            Support::Wrong => "**9/10**",
            _ => "`-`",
        };
        let _ = writeln!(text, "- {sample} {}: {}.", support.as_str(), support_meaning(support));
    }
    let labels: Vec<String> =
        board.implementations.iter().map(|implementation| escape_prose(&implementation.label)).collect();
    let _ = writeln!(text, "\n| | {} |\n|:--|{}", labels.join(" | "), "--:|".repeat(labels.len()));
    for (row, capability) in board.capabilities.iter().enumerate() {
        let marks = capability.marks.iter().enumerate();
        let marks: Vec<String> = marks.map(|(column, mark)| ladder_field(mark, column, row)).collect();
        let _ = writeln!(text, "| {} | {} |", title(&capability.title), marks.join(" | "));
    }
    let counts = board.implementations.iter().map(|implementation| implementation.supported.to_string());
    let _ = writeln!(text, "| **supported** | {} |", counts.collect::<Vec<_>>().join(" | "));
}

fn ladder_field(mark: &Mark, column: usize, row: usize) -> String {
    match mark.support {
        Support::Wrong => format!("[**{}**](#{})", mark_text(mark), anchor(column, row)),
        _ => mark_text(mark),
    }
}

/// Returns the anchor of the wrong cells of an implementation and a capability.
fn anchor(column: usize, row: usize) -> String {
    format!("wrong-{column}-{row}")
}

fn push_implementations(text: &mut String, board: &Scoreboard) {
    text.push_str(
        "\n## The runs\n\nDeviations are wrong cells that the deviation file of the implementation explains. In leaked cells, a \
         directive is stored as data. All cells of a run are more than those of the ladder if the whole corpus was run.\n\n\
         | implementation | version | language | passed | wrong | of them leaked | deviations | unsupported | command |\n\
         |:--|:--|:--|--:|--:|--:|--:|--:|:--|\n",
    );
    for implementation in &board.implementations {
        let counts = &implementation.counts;
        let optional = |text: &Option<String>| escape_prose(text.as_deref().unwrap_or("-"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            escape_prose(&implementation.name),
            optional(&implementation.version),
            optional(&implementation.language),
            counts.passed,
            counts.wrong,
            counts.leaked,
            counts.deviations,
            counts.unsupported,
            code_span(&implementation.command),
        );
    }
}

fn push_wrong_cells(text: &mut String, board: &Scoreboard) {
    text.push_str("\n## The smallest wrong cells\n\nOf each implementation and capability, the wrong cell with the smallest documents.\n");
    for (column, implementation) in board.implementations.iter().enumerate() {
        let wrong = board.capabilities.iter().enumerate();
        let mut wrong = wrong.filter(|(_, capability)| is_wrong(capability, column)).peekable();
        if wrong.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\n### {}", escape_prose(&implementation.label));
        for (row, capability) in wrong {
            let _ =
                writeln!(text, "\n<a id=\"{}\"></a>**{}**", anchor(column, row), title(&capability.title));
            let Some((smallest, others)) = capability.marks[column].wrong_cells.split_first() else {
                continue;
            };
            push_wrong_cell(text, smallest, others.len());
        }
    }
}

fn is_wrong(capability: &Capability, column: usize) -> bool {
    capability.marks.get(column).is_some_and(|mark| mark.support == Support::Wrong)
}

fn push_wrong_cell(text: &mut String, cell: &WrongCell, others: usize) {
    let more = if others == 0 { String::new() } else { format!(" and {others} more") };
    let _ = write!(text, "{}{more}", code_span_outside_tables(&cell.id));
    let documents = cell.expected_document.as_ref().zip(cell.actual_document.as_ref());
    if documents.is_none() {
        let _ =
            write!(text, ": expected {}, found {}", escape_prose(&cell.expected), escape_prose(&cell.actual));
    }
    text.push_str(".\n");
    if let Some(reason) = &cell.reason {
        let _ = writeln!(text, "\n{}", escape_prose(reason));
    }
    if let Some((expected, actual)) = documents {
        text.push('\n');
        push_block(text, "diff", &diff::unified(("expected", expected), ("actual", actual)));
    }
}
