//! The audit for a terminal.

use std::fmt::Write;

use super::model::{Audit, AuditFinding, Severity};
use crate::control_characters::escape_line;

/// The narrowest report. Narrower lines cannot be read.
pub(crate) const MIN_WIDTH: usize = 24;

/// The widest report. Wider lines are hard to read.
pub(crate) const MAX_WIDTH: usize = 100;

/// The width of the column of severities.
pub(crate) const INDENT: usize = 8;

/// Renders an audit in lines of at most `width` columns, but of 24 to 100 columns if `width` is smaller or larger.
#[must_use]
pub fn text(audit: &Audit, width: usize) -> String {
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let mut out = String::new();
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let not_judged = match audit.not_judged {
        0 => String::new(),
        number => format!(", {number} not judged"),
    };
    wrap(
        &format!(
            "{}  {} -> {}  {}{not_judged}, {}",
            audit.subject,
            audit.old,
            audit.new,
            count(audit.changes, "change"),
            count(audit.situations, "situation"),
        ),
        0,
        width,
        &mut out,
    );
    let mut last: Option<&AuditFinding> = None;
    for finding in &audit.findings {
        // Changes that were not judged for the same reason are a list with one reason.
        let is_listed = |last: &AuditFinding| {
            [last, finding].iter().all(|finding| finding.severity == Severity::NotJudged)
                && last.effects == finding.effects
        };
        if let Some(last) = last.filter(|last| !is_listed(last)) {
            write_sentences(last, width, &mut out);
        }
        if !last.is_some_and(is_listed) {
            out.push('\n');
        }
        write_title(finding, width, &mut out);
        last = Some(finding);
    }
    if let Some(last) = last {
        write_sentences(last, width, &mut out);
    }
    out.push('\n');
    if audit.findings.is_empty() {
        out.push_str("no findings\n");
    }
    if !audit.not_simulated.is_empty() {
        wrap(&format!("not simulated: {}", audit.not_simulated.join("; ")), 0, width, &mut out);
    }
    for finding in &audit.findings {
        for advice in &finding.advice {
            wrap(&format!("advice: {advice} ({})", finding.id), 0, width, &mut out);
        }
    }
    out
}

pub(crate) fn write_finding(finding: &AuditFinding, width: usize, out: &mut String) {
    write_title(finding, width, out);
    write_sentences(finding, width, out);
}

/// Returns the width of the column of the severity of a finding.
fn indent(finding: &AuditFinding) -> usize {
    INDENT.max(finding.severity.name().len() + 2)
}

fn write_title(finding: &AuditFinding, width: usize, out: &mut String) {
    let severity = finding.severity.name();
    let indent = indent(finding);
    let subject = if finding.path.is_empty() { String::new() } else { format!("{}  ", finding.path) };
    let title = format!("{subject}{}", finding.change);
    let place =
        [finding.place.as_str(), &finding.id].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let place = place.join("  ");
    let (title, place) = (escape_line(&title).into_owned(), escape_line(&place).into_owned());
    let used = indent + title.chars().count() + place.chars().count() + 2;
    if used <= width {
        let gap = width - used + 2;
        let _ = writeln!(out, "{severity:<indent$}{title}{}{place}", " ".repeat(gap));
    } else {
        for (index, line) in lines(&title, width - indent).into_iter().enumerate() {
            let severity = if index == 0 { severity } else { "" };
            let _ = writeln!(out, "{severity:<indent$}{line}");
        }
        for line in lines(&place, width - indent) {
            let _ = writeln!(out, "{line:>width$}");
        }
    }
}

fn write_sentences(finding: &AuditFinding, width: usize, out: &mut String) {
    for sentence in &finding.sentences() {
        wrap(sentence, indent(finding), width, out);
    }
}

/// Renders the example of a finding, step by step, in lines of `width` columns as [`text`] does. Lines of documents are
/// not wrapped, so that they can be copied.
#[must_use]
pub fn explain(finding: &AuditFinding, width: usize) -> String {
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let mut out = String::new();
    write_finding(finding, width, &mut out);
    for (index, step) in finding.example.iter().enumerate() {
        out.push('\n');
        wrap(&format!("{}. {}", index + 1, step.about), 0, width, &mut out);
        for line in step.document.lines() {
            let _ = writeln!(out, "     {}", escape_line(line));
        }
    }
    for advice in &finding.advice {
        out.push('\n');
        wrap(&format!("advice: {advice}"), 0, width, &mut out);
    }
    out
}

/// Renders the words of a severity for a summary line.
#[must_use]
pub fn summary(audit: &Audit) -> String {
    let count = |severity| audit.findings.iter().filter(|finding| finding.severity == severity).count();
    let notes = count(Severity::Note);
    let not_judged = match audit.not_judged {
        0 => String::new(),
        number => format!("{number} not judged, "),
    };
    format!(
        "{not_judged}{} silent, {} loud, {notes} note{}",
        count(Severity::Silent),
        count(Severity::Loud),
        if notes == 1 { "" } else { "s" }
    )
}

/// Writes a text in indented lines that end at a width.
pub(crate) fn wrap(text: &str, indent: usize, width: usize, out: &mut String) {
    for line in lines(&escape_line(text), width - indent) {
        let _ = writeln!(out, "{}{line}", " ".repeat(indent));
    }
}

/// Splits a text into lines of at most a width. A word that is longer, such as a path, is split.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        while line.chars().count() > width {
            let rest = line.split_off(split_position(&line, width));
            lines.push(std::mem::replace(&mut line, rest));
        }
    }
    lines.push(line);
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Returns where a word is split: after the last separator of a path that fits, or else at the width.
fn split_position(word: &str, width: usize) -> usize {
    let end = word.char_indices().nth(width).map_or(word.len(), |(index, _)| index);
    match word[..end].rfind(['.', '/', ',']) {
        Some(separator) => separator + 1,
        None => end,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::audit::test_support::{audit, finding};

    #[rstest]
    fn all_lines_end_at_the_width(#[values(24, 40, 80, 100)] width: usize) {
        let path = "spec.topology.controlPlane.machineHealthCheck.nodeStartupTimeout.and.even.longer.than.that.is.it";
        let long = AuditFinding {
            path: path.to_owned(),
            change: format!("default \"{}\" -> \"b\"", "a".repeat(130)),
            place: format!("{}/new.yaml:275", "folder/".repeat(20)),
            ..finding("A-0001", Severity::Silent)
        };
        let text = text(&Audit { findings: vec![long], ..audit() }, width);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{text}");
        let joined: String = text.split_whitespace().collect();
        assert!(
            joined.contains(path) && joined.contains(&"a".repeat(130)) && joined.contains("A-0001"),
            "{text}"
        );
    }

    #[test]
    fn a_path_is_split_after_a_separator() {
        assert_eq!(lines("spec.topology.class x", 15), ["spec.topology.", "class x"]);
        assert_eq!(lines("aaaaaa bbbb", 4), ["aaaa", "aa", "bbbb"]);
    }

    #[test]
    fn a_title_that_fits_is_one_line_with_its_place() {
        let text = text(&audit(), 80);
        let title = text.lines().find(|line| line.starts_with("LOUD")).unwrap();
        assert_eq!(title.chars().count(), 80, "{title}");
        assert!(title.starts_with("LOUD    spec.remote  union member added "), "{title}");
        assert!(title.ends_with(" new.yaml:42  A-3957"), "{title}");
    }

    #[test]
    fn changes_that_were_not_judged_are_counted_and_share_a_reason() {
        let unjudged = |path: &str, reason: &str| AuditFinding {
            path: path.to_owned(),
            effects: vec![reason.to_owned()],
            advice: Vec::new(),
            ..finding("A-0001", Severity::NotJudged)
        };
        let findings = vec![
            unjudged("spec.a", "one reason"),
            unjudged("spec.b", "one reason"),
            unjudged("spec.c", "another"),
        ];
        let audit = Audit { findings, not_judged: 3, changes: 4, not_simulated: Vec::new(), ..audit() };
        let expected = "\
Issuer certs.example.com/v1  old.yaml -> new.yaml  4 changes, 3 not judged, 55
situations

NOT JUDGED  spec.a  union member added                       new.yaml:42  A-0001
NOT JUDGED  spec.b  union member added                       new.yaml:42  A-0001
            one reason

NOT JUDGED  spec.c  union member added                       new.yaml:42  A-0001
            another

";
        assert_eq!(text(&audit, 80), expected);
        assert_eq!(summary(&audit), "3 not judged, 0 silent, 0 loud, 0 notes");
    }

    #[test]
    fn an_audit_without_findings_says_so() {
        let text = text(&Audit { findings: Vec::new(), ..audit() }, 80);
        assert!(text.lines().any(|line| line == "no findings"), "{text}");
    }
}
