//! The scoreboard as blocks: one column for each implementation, and the wrong cells to which its marks link.

use super::labels::{mark_text, names, support_meaning};
use super::model::{
    Capability, CellResults, Document, Implementation, Mark, Question, Scoreboard, Support, WrongCell,
};
use crate::blocks::{
    self, Block, Column, Inline, Line, Table, Tone, TonedWord, anchor_of, anchored_heading, code, details,
    heading, link, list, number, own, paragraph, plain, strong, titled_with_code,
};
use crate::diff;

/// Renders the scoreboard in Markdown, which is checked in as `IMPLEMENTATIONS.md`. `command` makes the page again from
/// the results of the runs.
#[must_use]
pub fn markdown(board: &Scoreboard, command: &str) -> String {
    blocks::markdown::document(&board_blocks(board, command, ShownCells::Smallest), 1)
}

/// Renders the scoreboard as a page, with all wrong cells. `command` makes the page again.
#[must_use]
pub fn html(board: &Scoreboard, command: &str) -> String {
    blocks::html::page(&board_blocks(board, command, ShownCells::All))
}

const INTRODUCTION: &str = "\
What each implementation does with the same requests. Every result on this page comes from a run of the implementation: \
none is simulated, and none is taken from its documentation. A *cell* is one request with an expected result, which is \
what `k8s.io/apimachinery` does. A *capability* is a group of cells.";

const RUNS: &str = "\
Deviations are wrong cells that the deviation file of the implementation explains. In leaked cells, a directive is stored \
as data. All cells of a run are more than those of the ladder if the whole corpus was run.";

/// The wrong cells that a page shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownCells {
    /// All of them, with their documents.
    All,
    /// Of each implementation and capability, the cell with the smallest documents.
    Smallest,
}

impl ShownCells {
    fn title(self) -> &'static str {
        match self {
            ShownCells::All => "Wrong cells",
            ShownCells::Smallest => "The smallest wrong cells",
        }
    }
}

/// Lays out the scoreboard. `command` makes the page again from the results of the runs.
pub(super) fn board_blocks(board: &Scoreboard, command: &str, shown: ShownCells) -> Vec<Block> {
    let mut blocks = vec![
        heading(1, plain("Implementations of Kubernetes patches, side by side")),
        paragraph(own(INTRODUCTION)),
        contents(board, shown),
        titled_heading("The ladder"),
        legend(),
        Block::Table(ladder(board)),
    ];
    for question in &board.questions {
        push_question(&mut blocks, board, question);
    }
    blocks.extend([
        titled_heading("The runs"),
        paragraph(plain(RUNS)),
        Block::Table(runs(board)),
        paragraph(plain("Each run wrote its results to a file. This page was made from these files:")),
        Block::Code("console", format!("$ {command}")),
        titled_heading(shown.title()),
    ]);
    if shown == ShownCells::Smallest {
        blocks.push(paragraph(plain(
            "Of each implementation and capability, the wrong cell with the smallest documents.",
        )));
    }
    for (column, implementation) in board.implementations.iter().enumerate() {
        push_wrong_cells(&mut blocks, board, WrongCells { implementation, column, shown });
    }
    blocks
}

/// Makes a heading to which links refer.
fn titled_heading(title: &str) -> Block {
    anchored_heading(2, anchor_of(title), plain(title))
}

fn contents(board: &Scoreboard, shown: ShownCells) -> Block {
    let item = |title: &str, about: Line| link(anchor_of(title), about);
    let questions =
        board.questions.iter().map(|question| item(&question.title, titled_with_code(&question.title)));
    let ladder = item("The ladder", plain("Which implementation has which capability?").into());
    let runs = item("The runs", plain("The runs: versions, counts and commands").into());
    let wrong = item(shown.title(), plain("The wrong cells, with their documents").into());
    list([ladder].into_iter().chain(questions).chain([runs, wrong]))
}

fn support_badge(support: Support, text: &str) -> TonedWord {
    let tone = match support {
        Support::Supported => Tone::Good,
        Support::Partial => Tone::Loud,
        Support::Wrong => Tone::Bad,
        Support::Unsupported | Support::NotRun => Tone::Neutral,
    };
    TonedWord { tone, text: text.to_owned(), title: Some(support.as_str().to_owned()) }
}

fn legend() -> Block {
    let samples = [
        (Support::Supported, "10"),
        (Support::Partial, "7/10"),
        (Support::Wrong, "9/10"),
        (Support::Unsupported, "-"),
    ];
    list(samples.map(|(support, sample)| {
        let badge = Inline::Badge(support_badge(support, sample));
        let meaning = format!("): {}.", support_meaning(support));
        [plain(format!("{} (", support.as_str())), badge, plain(meaning)]
    }))
}

fn ladder(board: &Scoreboard) -> Table {
    let labels = board
        .implementations
        .iter()
        .map(|known| Column { title: Some(known.name.clone()), ..Column::number(plain(&known.label)) });
    let mut table = Table::new(Column::texts([""]).chain(labels));
    table.has_narrow_columns = true;
    for (row, capability) in board.capabilities.iter().enumerate() {
        let marks =
            capability.marks.iter().enumerate().map(|(column, mark)| mark_field(mark, &anchor(column, row)));
        table.push([titled_with_code(&capability.title)].into_iter().chain(marks));
    }
    let supported = board.implementations.iter().map(|implementation| number(implementation.supported));
    table.push([strong("supported")].into_iter().chain(supported));
    table
}

fn mark_field(mark: &Mark, anchor: &str) -> Line {
    let badge = support_badge(mark.support, &mark_text(mark));
    match mark.support {
        Support::NotRun => Line::default(),
        Support::Wrong => link(anchor.to_owned(), badge).into(),
        Support::Supported | Support::Partial | Support::Unsupported => badge.into(),
    }
}

/// Returns the anchor of the wrong cells of an implementation and a capability.
fn anchor(column: usize, row: usize) -> String {
    format!("wrong-{column}-{row}")
}

fn push_question(blocks: &mut Vec<Block>, board: &Scoreboard, question: &Question) {
    let title = titled_with_code(&question.title);
    blocks.push(anchored_heading(2, anchor_of(&question.title), title));
    blocks.push(paragraph(titled_with_code(&question.about)));
    if !question.merge_keys.is_empty() {
        let rows = question.merge_keys.iter().map(|answer| {
            [plain(&answer.requests), plain(&answer.key), plain(names(board, &answer.implementations))]
        });
        blocks.push(Block::Table(
            Table::new(Column::texts(["requests", "merged by", "implementations"])).with(rows),
        ));
    }
    blocks.extend(question.cells.iter().map(|cell| cell_results(board, cell)));
}

fn cell_results(board: &Scoreboard, cell: &CellResults) -> Block {
    let mut content: Vec<Block> = cell.about.iter().map(|about| paragraph(titled_with_code(about))).collect();
    push_documents(&mut content, &cell.documents);
    for group in &cell.results {
        let (tone, text) =
            if group.is_expected { (Tone::Good, "As in Kubernetes") } else { (Tone::Doubtful, "Otherwise") };
        let badge = TonedWord { tone, text: text.to_owned(), title: None };
        let results = format!(", {}: {}.", group.result, names(board, &group.implementations));
        content.push(paragraph(Line::from(badge).with(plain(results))));
        content.extend(group.document.iter().map(|document| Block::Code("yaml", document.clone())));
    }
    details([plain("Cell "), code(&cell.id)], content)
}

fn push_documents(content: &mut Vec<Block>, documents: &[Document]) {
    for document in documents {
        content.push(paragraph(plain(format!("{}:", document.name))));
        content.push(Block::Code("yaml", document.text.clone()));
    }
}

fn runs(board: &Scoreboard) -> Table {
    let columns = Column::texts(["implementation", "version", "language"])
        .chain(Column::numbers(["passed", "wrong", "of them leaked", "deviations", "unsupported"]))
        .chain(Column::texts(["command"]));
    Table::new(columns).with(board.implementations.iter().map(|implementation| {
        let counts = &implementation.counts;
        let optional = |text: &Option<String>| plain(text.as_deref().unwrap_or("-"));
        let texts = [
            plain(&implementation.name),
            optional(&implementation.version),
            optional(&implementation.language),
        ];
        let numbers = [counts.passed, counts.wrong, counts.leaked, counts.deviations, counts.unsupported];
        texts.into_iter().chain(numbers.map(number)).chain([code(&implementation.command)])
    }))
}

#[derive(Clone, Copy)]
struct WrongCells<'a> {
    implementation: &'a Implementation,
    column: usize,
    shown: ShownCells,
}

fn push_wrong_cells(blocks: &mut Vec<Block>, board: &Scoreboard, wrong: WrongCells<'_>) {
    let mark_of = |capability: &'_ Capability| capability.marks.get(wrong.column).cloned();
    let mut is_first = true;
    for (row, capability) in board.capabilities.iter().enumerate() {
        let Some(mark) = mark_of(capability).filter(|mark| mark.support == Support::Wrong) else { continue };
        if std::mem::take(&mut is_first) {
            blocks.push(heading(3, plain(&wrong.implementation.label)));
        }
        let title = titled_with_code(&capability.title);
        blocks.push(anchored_heading(4, anchor(wrong.column, row), title));
        match (wrong.shown, mark.wrong_cells.split_first()) {
            (ShownCells::All, _) => blocks.extend(mark.wrong_cells.iter().map(wrong_cell_details)),
            (ShownCells::Smallest, Some((smallest, others))) => {
                push_smallest_cell(blocks, smallest, others.len());
            }
            (ShownCells::Smallest, None) => {}
        }
    }
}

fn wrong_cell_details(cell: &WrongCell) -> Block {
    let mut content: Vec<Block> = cell.about.iter().map(|about| paragraph(titled_with_code(about))).collect();
    content.push(paragraph(plain(format!("Expected: {}. Found: {}.", cell.expected, cell.actual))));
    content.extend(cell.reason.iter().map(|reason| paragraph(plain(reason))));
    push_documents(&mut content, &cell.documents);
    content.extend(difference(cell));
    details(code(&cell.id), content)
}

fn push_smallest_cell(blocks: &mut Vec<Block>, cell: &WrongCell, others: usize) {
    let difference = difference(cell);
    let more = if others == 0 { String::new() } else { format!(" and {others} more") };
    let results = match difference {
        Some(_) => format!("{more}."),
        None => format!("{more}: expected {}, found {}.", cell.expected, cell.actual),
    };
    blocks.push(paragraph([code(&cell.id), plain(results)]));
    blocks.extend(cell.reason.iter().map(|reason| paragraph(plain(reason))));
    blocks.extend(difference);
}

/// Returns the difference between the expected and the actual document, if the cell has both.
fn difference(cell: &WrongCell) -> Option<Block> {
    let (expected, actual) = cell.expected_document.as_ref().zip(cell.actual_document.as_ref())?;
    Some(Block::Code(
        "diff",
        diff::unified(
            diff::NamedText { name: "expected", text: expected },
            diff::NamedText { name: "actual", text: actual },
        ),
    ))
}
