//! The report as one HTML page: the table, and the examples that its verdicts link to.

use std::fmt::Write;

use super::model::{ChangeRow, RenderedExample, Report, STAR_LEGEND, VerdictSummary};
use crate::laws::law::Law;
use crate::laws::verdict::VerdictKind;

const STYLE: &str = include_str!("page.css");

/// Renders the report as a self-contained page. Text from directives and cases is escaped.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>The laws of patch evolution</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>The laws of patch evolution</h1>\n"
    );
    let _ = writeln!(
        page,
        "<p>{}. {}.</p>",
        escape_html(&report.situation_counts.sentence()),
        STAR_LEGEND.replace('`', "")
    );
    write_table(&mut page, report);
    for (number, row) in report.rows.iter().enumerate() {
        write_section(&mut page, row, number);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn write_table(page: &mut String, report: &Report) {
    page.push_str("<table>\n<thead><tr><th scope=\"col\">directive</th>");
    for law in Law::ALL {
        let (name, about) = (law.name(), escape_html(law.statement()));
        let _ = write!(page, "<th scope=\"col\" title=\"{about}\">{name}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in report.rows.iter().enumerate() {
        let _ = write!(page, "<tr><th scope=\"row\"><code>{}</code></th>", escape_html(row.directive));
        for summary in &row.verdicts {
            let class = match summary.verdict {
                VerdictKind::Kept => "kept",
                VerdictKind::NotShown => "not-shown",
                VerdictKind::Broken => "broken",
            };
            let word = escape_html(&summary.table_text());
            let word = if summary.examples.is_empty() {
                word
            } else {
                format!("<a href=\"#{}\">{word}</a>", anchor(number, summary))
            };
            let _ = write!(page, "<td class=\"{class}\">{word}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n<dl>\n");
    for law in Law::ALL {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", law.name(), escape_html(law.statement()));
    }
    page.push_str("</dl>\n");
}

fn anchor(row: usize, summary: &VerdictSummary) -> String {
    format!("{row}-{}", summary.law.name())
}

fn write_section(page: &mut String, row: &ChangeRow, number: usize) {
    if row.verdicts.iter().all(|summary| summary.examples.is_empty()) {
        return;
    }
    let _ = writeln!(page, "<section>\n<h2><code>{}</code></h2>", escape_html(row.directive));
    if !row.about.is_empty() {
        let _ = writeln!(page, "<p>{}.</p>", escape_html(row.about));
    }
    for summary in row.verdicts.iter().filter(|summary| !summary.examples.is_empty()) {
        let _ = writeln!(page, "<h3 id=\"{}\">{}</h3>", anchor(number, summary), summary.law.name());
        if let Some(because) = &summary.because {
            let _ = writeln!(page, "<p>{}</p>", escape_html(because));
        }
        summary.examples.iter().for_each(|example| write_example(page, summary, example));
    }
    page.push_str("</section>\n");
}

fn write_example(page: &mut String, summary: &VerdictSummary, example: &RenderedExample) {
    let _ = writeln!(page, "<details>\n<summary>{}</summary>", escape_html(&summary.heading(example)));
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(page, "<p>The {era} patch: <code>{}</code></p>", escape_html(patch));
        }
    }
    if let Some(directive) = example.required_directive {
        let _ = writeln!(
            page,
            "<p>To run it, put <code>{}</code> into the registry.</p>",
            escape_html(directive)
        );
    }
    let _ = writeln!(page, "<pre>{}</pre>\n</details>", escape_html(&example.case));
}

fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
