//! The audit for a terminal.

use std::fmt::Write;

use super::model::{Audit, Finding, Severity};
use crate::control_characters::escape_line;

/// The width of the report.
const WIDTH: usize = 80;

/// The width of the column of severities.
const INDENT: usize = 8;

/// Renders an audit.
#[must_use]
pub fn text(audit: &Audit) -> String {
    let mut out = String::new();
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    wrap(
        &format!(
            "{}  {} -> {}  {}, {}",
            audit.subject,
            audit.old,
            audit.new,
            count(audit.changes, "change"),
            count(audit.situations, "situation"),
        ),
        0,
        &mut out,
    );
    for finding in &audit.findings {
        out.push('\n');
        write_finding(finding, &mut out);
    }
    out.push('\n');
    if audit.findings.is_empty() {
        out.push_str("no finding\n");
    }
    if !audit.not_simulated.is_empty() {
        wrap(&format!("not simulated: {}", audit.not_simulated.join("; ")), 0, &mut out);
    }
    for finding in &audit.findings {
        for advice in &finding.advice {
            wrap(&format!("advice: {advice} ({})", finding.id), 0, &mut out);
        }
    }
    out
}

fn write_finding(finding: &Finding, out: &mut String) {
    let severity = finding.severity.name();
    let subject = if finding.path.is_empty() { String::new() } else { format!("{}  ", finding.path) };
    let title = format!("{subject}{}", finding.change);
    let place =
        [finding.place.as_str(), &finding.id].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let place = place.join("  ");
    let (title, place) = (escape_line(&title).into_owned(), escape_line(&place).into_owned());
    let used = INDENT + title.chars().count() + place.chars().count() + 2;
    if used <= WIDTH {
        let gap = WIDTH - used + 2;
        let _ = writeln!(out, "{severity:<INDENT$}{title}{}{place}", " ".repeat(gap));
    } else {
        for (index, line) in lines(&title, WIDTH - INDENT).into_iter().enumerate() {
            let severity = if index == 0 { severity } else { "" };
            let _ = writeln!(out, "{severity:<INDENT$}{line}");
        }
        let _ = writeln!(out, "{place:>WIDTH$}");
    }
    for effect in &finding.effects {
        wrap(effect, INDENT, out);
    }
}

/// Renders the example of a finding, step by step.
#[must_use]
pub fn explain(finding: &Finding) -> String {
    let mut out = String::new();
    write_finding(finding, &mut out);
    for (index, step) in finding.example.iter().enumerate() {
        out.push('\n');
        wrap(&format!("{}. {}", index + 1, step.about), 0, &mut out);
        for line in step.document.lines() {
            let _ = writeln!(out, "     {}", escape_line(line));
        }
    }
    for advice in &finding.advice {
        out.push('\n');
        wrap(&format!("advice: {advice}"), 0, &mut out);
    }
    out
}

/// Renders the words of a severity for a summary line.
#[must_use]
pub fn summary(audit: &Audit) -> String {
    let count = |severity| audit.findings.iter().filter(|finding| finding.severity == severity).count();
    format!(
        "{} silent, {} loud, {} notes",
        count(Severity::Silent),
        count(Severity::Loud),
        count(Severity::Note)
    )
}

/// Writes a text in lines of at most [`WIDTH`] columns. A word that is longer has its own line.
fn wrap(text: &str, indent: usize, out: &mut String) {
    for line in lines(&escape_line(text), WIDTH - indent) {
        let _ = writeln!(out, "{}{line}", " ".repeat(indent));
    }
}

/// Splits a text into lines of at most a width.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let is_full = lines
            .last()
            .is_some_and(|line| !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width);
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
