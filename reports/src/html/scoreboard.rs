//! The scoreboard as a page: one column for each implementation, and the smallest wrong cells to which its marks link.

use super::frame;
use super::markup::{Column, Markup, Tone, badge, block, code, heading, inline, link, table};
use crate::diff;
use crate::scoreboard::{
    Capability, CellResults, Document, Implementation, Mark, Question, Scoreboard, Support, WrongCell,
    mark_text, names, support_meaning,
};

const INTRODUCTION: &str = "What each implementation does with the same requests. Every result on this page comes from a \
                            run of the implementation. A cell is one request with an expected result, which is what \
                            k8s.io/apimachinery does. A capability is a group of cells.";

/// Renders the page.
#[must_use]
pub fn scoreboard_page(board: &Scoreboard) -> String {
    let title = "Implementations of Kubernetes patches";
    let mut page = Markup::from_iter([
        heading((1, 1), &[], title),
        block("p", &[], INTRODUCTION),
        contents(board),
        heading((2, 2), &[("id", "ladder")], "The ladder"),
        legend(),
        ladder(board),
    ]);
    for question in &board.questions {
        page.push(question_section(board, question));
    }
    page.push(heading((2, 2), &[("id", "runs")], "The runs"));
    page.push(runs(board));
    page.push(heading((2, 2), &[("id", "wrong")], "Wrong cells"));
    for (column, implementation) in board.implementations.iter().enumerate() {
        page.push(wrong_section(board, implementation, column));
    }
    frame::document(title, &page)
}

/// Renders a title of the ladder, whose code is between backquotes.
fn title(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 0 { Markup::from(part) } else { code(part) }).collect()
}

fn contents(board: &Scoreboard) -> Markup {
    let item = |anchor: &str, content: Markup| block("li", &[], link(anchor, content));
    let mut items = item("ladder", "Which implementation has which capability?".into());
    for question in &board.questions {
        items.push(item(&question.id, title(&question.title)));
    }
    items.push(item("runs", "The runs: versions, counts and commands".into()));
    items.push(item("wrong", "The wrong cells, with their documents".into()));
    block("ul", &[], items)
}

fn tone(support: Support) -> Tone {
    match support {
        Support::Supported => Tone::Good,
        Support::Partial => Tone::Loud,
        Support::Wrong => Tone::Bad,
        Support::Unsupported | Support::NotRun => Tone::None,
    }
}

fn legend() -> Markup {
    let samples = [
        (Support::Supported, "10"),
        (Support::Partial, "7/10"),
        (Support::Wrong, "9/10"),
        (Support::Unsupported, "-"),
    ];
    let items = samples.into_iter().map(|(support, sample)| {
        let meaning = format!(" {}: {}.", support.as_str(), support_meaning(support));
        block("li", &[], Markup::from_iter([badge(tone(support), None, sample), meaning.into()]))
    });
    block("ul", &[("class", "legend")], items.collect::<Markup>())
}

fn ladder(board: &Scoreboard) -> Markup {
    let labels = board.implementations.iter().map(|implementation| {
        let label = inline("span", &[], &implementation.label);
        inline("th", &[("scope", "col"), ("title", &implementation.name)], label)
    });
    let corner = inline("th", &[("scope", "col")], "capability");
    let head = block("tr", &[], [corner].into_iter().chain(labels).collect::<Markup>());
    let rows = board.capabilities.iter().enumerate().map(|(row, capability)| ladder_row(capability, row));
    let supported = board
        .implementations
        .iter()
        .map(|implementation| inline("td", &[], inline("strong", &[], implementation.supported.to_string())));
    let total = [inline("th", &[("scope", "row")], "supported")].into_iter().chain(supported);
    let body = rows.chain([block("tr", &[], total.collect::<Markup>())]).collect::<Markup>();
    let content = Markup::from_iter([block("thead", &[], head), block("tbody", &[], body)]);
    block("div", &[("class", "wide")], inline("table", &[("class", "plain ladder")], content))
}

fn ladder_row(capability: &Capability, row: usize) -> Markup {
    let name = inline("th", &[("scope", "row")], title(&capability.title));
    let marks = capability.marks.iter().enumerate();
    let fields = marks.map(|(column, mark)| inline("td", &[], ladder_field(mark, column, row)));
    block("tr", &[], [name].into_iter().chain(fields).collect::<Markup>())
}

fn ladder_field(mark: &Mark, column: usize, row: usize) -> Markup {
    if mark.support == Support::NotRun {
        return Markup::default();
    }
    let badge = badge(tone(mark.support), Some(mark.support.as_str()), mark_text(mark));
    if mark.support == Support::Wrong { link(&anchor(column, row), badge) } else { badge }
}

/// Returns the anchor of the wrong cells of an implementation and a capability.
fn anchor(column: usize, row: usize) -> String {
    format!("wrong-{column}-{row}")
}

fn question_section(board: &Scoreboard, question: &Question) -> Markup {
    let mut section = heading((2, 2), &[("id", &question.id)], title(&question.title));
    section.push(block("p", &[], title(&question.about)));
    if !question.merge_keys.is_empty() {
        let columns =
            ["requests", "merged by", "implementations"].map(|name| Column { name, ..Column::default() });
        let rows = question.merge_keys.iter().map(|answer| {
            vec![
                (&answer.requests).into(),
                inline("strong", &[], &answer.key),
                names(board, &answer.implementations).into(),
            ]
        });
        section.push(table(&columns, rows));
    }
    section.push(question.cells.iter().map(|cell| cell_details(board, cell)).collect::<Markup>());
    section
}

fn cell_details(board: &Scoreboard, cell: &CellResults) -> Markup {
    let mut content = block("summary", &[], code(&cell.id));
    content.push(cell.about.iter().map(|about| block("p", &[], title(about))).collect::<Markup>());
    content.push(documents(&cell.documents));
    for group in &cell.results {
        let tone = if group.is_expected { Tone::Good } else { Tone::Bad };
        let word = if group.is_expected { "as in Kubernetes" } else { "otherwise" };
        let words = format!(" {}: {}", group.result, names(board, &group.implementations));
        content.push(block("p", &[], Markup::from_iter([badge(tone, None, word), words.into()])));
        content.push(group.document.iter().map(|text| block("pre", &[], text)).collect::<Markup>());
    }
    block("details", &[], content)
}

fn documents(documents: &[Document]) -> Markup {
    let parts = documents.iter().flat_map(|document| {
        [block("p", &[], format!("{}:", document.name)), block("pre", &[], &document.text)]
    });
    parts.collect()
}

fn runs(board: &Scoreboard) -> Markup {
    const NUMBERS: [&str; 5] = ["passed", "wrong", "of them leaked", "deviations", "unsupported"];
    let texts = ["implementation", "version", "language"].map(|name| Column { name, ..Column::default() });
    let numbers = NUMBERS.map(|name| Column { name, is_number: true, ..Column::default() });
    let command = Column { name: "command", ..Column::default() };
    let columns: Vec<Column<'_>> = texts.into_iter().chain(numbers).chain([command]).collect();
    let rows = board.implementations.iter().map(|implementation| {
        let counts = &implementation.counts;
        let optional = |text: &Option<String>| Markup::from(text.as_deref().unwrap_or("-"));
        let numbers = [counts.passed, counts.wrong, counts.leaked, counts.deviations, counts.unsupported];
        let texts = [
            Markup::from(&implementation.name),
            optional(&implementation.version),
            optional(&implementation.language),
        ];
        let numbers = numbers.into_iter().map(|number| number.to_string().into());
        texts.into_iter().chain(numbers).chain([code(&implementation.command)]).collect()
    });
    table(&columns, rows)
}

fn wrong_section(board: &Scoreboard, implementation: &Implementation, column: usize) -> Markup {
    let mut section = Markup::default();
    for (row, capability) in board.capabilities.iter().enumerate() {
        let Some(mark) = capability.marks.get(column).filter(|mark| !mark.wrong_cells.is_empty()) else {
            continue;
        };
        section.push(heading((3, 4), &[("id", &anchor(column, row))], title(&capability.title)));
        section.push(mark.wrong_cells.iter().map(wrong_cell).collect::<Markup>());
    }
    if section.as_str().is_empty() {
        return section;
    }
    Markup::from_iter([heading((2, 3), &[], &implementation.label), section])
}

fn wrong_cell(cell: &WrongCell) -> Markup {
    let mut content = block("summary", &[], code(&cell.id));
    content.push(cell.about.iter().map(|about| block("p", &[], title(about))).collect::<Markup>());
    content.push(block("p", &[], format!("Expected: {}. Found: {}.", cell.expected, cell.actual)));
    content.push(cell.reason.iter().map(|reason| block("p", &[], reason)).collect::<Markup>());
    content.push(documents(&cell.documents));
    if let (Some(expected), Some(actual)) = (&cell.expected_document, &cell.actual_document) {
        content.push(block("p", &[], "difference:"));
        content.push(block("pre", &[], diff::unified(("expected", expected), ("actual", actual))));
    }
    block("details", &[], content)
}
