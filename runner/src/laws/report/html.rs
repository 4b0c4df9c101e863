//! One page by itself: the table, and an example behind each verdict that has one.

use std::fmt::Write;

use super::super::law::Law;
use super::super::verdict::Word;
use super::{Entry, Report, Row, STAR, Shown};

const STYLE: &str = include_str!("page.css");

/// The report as a page that needs nothing else. Everything that comes from a directive or a case is escaped.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>The laws of patch evolution</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>The laws of patch evolution</h1>\n"
    );
    let _ = writeln!(page, "<p>{}. {}.</p>", escaped(&report.tried.sentence()), STAR.replace('`', ""));
    table(&mut page, report);
    for (number, row) in report.rows.iter().enumerate() {
        section(&mut page, row, number);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn table(page: &mut String, report: &Report) {
    page.push_str("<table>\n<thead><tr><th scope=\"col\">directive</th>");
    for law in Law::ALL {
        let (name, about) = (law.name(), escaped(law.about()));
        let _ = write!(page, "<th scope=\"col\" title=\"{about}\">{name}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in report.rows.iter().enumerate() {
        let _ = write!(page, "<tr><th scope=\"row\"><code>{}</code></th>", escaped(row.directive));
        for entry in &row.verdicts {
            let class = match entry.verdict {
                Word::Kept => "kept",
                Word::NotShown => "not-shown",
                Word::Broken => "broken",
            };
            let word = escaped(&entry.cell());
            let word = if entry.examples.is_empty() {
                word
            } else {
                format!("<a href=\"#{}\">{word}</a>", anchor(number, entry))
            };
            let _ = write!(page, "<td class=\"{class}\">{word}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n<dl>\n");
    for law in Law::ALL {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", law.name(), escaped(law.about()));
    }
    page.push_str("</dl>\n");
}

fn anchor(row: usize, entry: &Entry) -> String {
    format!("{row}-{}", entry.law.name())
}

fn section(page: &mut String, row: &Row, number: usize) {
    if row.verdicts.iter().all(|entry| entry.examples.is_empty()) {
        return;
    }
    let _ = writeln!(page, "<section>\n<h2><code>{}</code></h2>", escaped(row.directive));
    if !row.about.is_empty() {
        let _ = writeln!(page, "<p>{}.</p>", escaped(row.about));
    }
    for entry in row.verdicts.iter().filter(|entry| !entry.examples.is_empty()) {
        let _ = writeln!(page, "<h3 id=\"{}\">{}</h3>", anchor(number, entry), entry.law.name());
        if let Some(because) = &entry.because {
            let _ = writeln!(page, "<p>{}</p>", escaped(because));
        }
        entry.examples.iter().for_each(|example| shown(page, entry, example));
    }
    page.push_str("</section>\n");
}

fn shown(page: &mut String, entry: &Entry, example: &Shown) {
    let _ = writeln!(page, "<details>\n<summary>{}</summary>", escaped(&entry.heading(example)));
    for (era, patch) in [("old", &example.old_patch), ("new", &example.new_patch)] {
        if let Some(patch) = patch {
            let _ = writeln!(page, "<p>The {era} patch: <code>{}</code></p>", escaped(patch));
        }
    }
    if let Some(directive) = example.needs {
        let _ =
            writeln!(page, "<p>To run it, put <code>{}</code> into the registry.</p>", escaped(directive));
    }
    let _ = writeln!(page, "<pre>{}</pre>\n</details>", escaped(&example.case));
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}
