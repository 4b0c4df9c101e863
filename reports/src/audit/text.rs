//! The audit for a terminal.

use std::collections::BTreeMap;
use std::fmt::Write;

use skewer_results::control_characters::escape_line;

use super::group::{FindingGroup, Section, counts};
use super::model::{Audit, AuditFinding, SHOWN_PATHS, Severity};

/// The narrowest report. Narrower lines cannot be read.
pub(crate) const MIN_WIDTH: usize = 24;

/// The widest report. Wider lines are hard to read.
pub(crate) const MAX_WIDTH: usize = 100;

/// The width of the column of severities.
pub(crate) const INDENT: usize = 8;

/// How much of an audit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// All findings, with all paths.
    Nothing,
    /// The worst findings on each kind, with some of their paths. The rest is counted.
    Long,
}

/// The most findings on one kind that are shown if the rest is folded.
const SHOWN_FINDINGS: usize = 15;

/// Renders audits in lines of at most `width` columns, but of 24 to 100 columns if `width` is smaller or larger.
#[must_use]
pub fn text(audits: &[Audit], width: usize, fold: Fold) -> String {
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let sections = Section::all(audits);
    let mut places: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for (at, section) in sections.iter().enumerate() {
        let of_kind = places.entry(&section.audits[0].definition).or_default();
        of_kind.extend(section.groups.iter().enumerate().map(|(index, group)| Place::of(group, at, index)));
    }
    if fold == Fold::Long {
        for of_kind in places.values_mut() {
            of_kind.sort_unstable();
            of_kind.truncate(SHOWN_FINDINGS);
        }
    }
    let mut out = String::new();
    for (at, section) in sections.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let of_kind = &places[section.audits[0].definition.as_str()];
        let (shown, hidden): (Vec<_>, Vec<_>) = section
            .groups
            .iter()
            .enumerate()
            .partition(|(index, group)| of_kind.contains(&Place::of(group, at, *index)));
        SectionWriter { section, width, fold, out: &mut out }.write(
            shown.into_iter().map(|(_, group)| group),
            hidden.into_iter().map(|(_, group)| group).collect(),
        );
    }
    out
}

/// The place of a finding: the worst are the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    rank: usize,
    section: usize,
    index: usize,
}

impl Place {
    fn of(group: &FindingGroup<'_>, section: usize, index: usize) -> Self {
        Place { rank: group.first().severity.rank(), section, index }
    }
}

/// Returns a number with its noun, such as `2 objects`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

struct SectionWriter<'a> {
    section: &'a Section<'a>,
    width: usize,
    fold: Fold,
    out: &'a mut String,
}

impl SectionWriter<'_> {
    fn write<'g>(
        mut self,
        shown: impl Iterator<Item = &'g FindingGroup<'g>>,
        hidden: Vec<&'g FindingGroup<'g>>,
    ) {
        self.write_heading();
        for group in shown {
            self.out.push('\n');
            self.write_group(group);
        }
        let mut lines = Vec::new();
        if self.section.groups.is_empty() {
            lines.push("no findings".to_owned());
        }
        if !hidden.is_empty() {
            let more = counted(hidden.len(), "more finding");
            lines.push(format!("{more}: {} (--all shows all findings and paths)", counts(hidden)));
        }
        let not_simulated = self.section.not_simulated();
        if !not_simulated.is_empty() {
            lines.push(format!("left out: {}", not_simulated.join("; ")));
        }
        if !lines.is_empty() {
            self.out.push('\n');
        }
        for line in lines {
            wrap(&line, 0, self.width, self.out);
        }
    }

    fn write_heading(&mut self) {
        let audits = &self.section.audits;
        let sum = |count: fn(&Audit) -> usize| audits.iter().map(|audit| count(audit)).sum::<usize>();
        let not_judged = match sum(|audit| audit.not_judged) {
            0 => String::new(),
            number => format!(", {number} not judged"),
        };
        let (changes, situations) = (sum(|audit| audit.changes), sum(|audit| audit.situations));
        let (changes, situations) = (counted(changes, "change"), counted(situations, "situation"));
        let files = format!("{} -> {}", audits[0].old, audits[0].new);
        let line = format!("{}  {files}  {changes}{not_judged}, {situations}", self.section.title());
        wrap(&line, 0, self.width, self.out);
        let groups = &self.section.groups;
        if !groups.is_empty() {
            let line = format!("{}: {}", counted(groups.len(), "finding"), counts(groups));
            wrap(&line, 0, self.width, self.out);
        }
    }

    fn write_group(&mut self, group: &FindingGroup<'_>) {
        let first = group.first();
        match group.members.as_slice() {
            [one] => {
                let path = if first.path.is_empty() { String::new() } else { format!("{}  ", first.path) };
                let title = format!("{path}{}", self.change_and_value(first));
                self.write_line(
                    first.severity,
                    &title,
                    &format!("{}  {}", self.section.places(one), first.id),
                );
            }
            members => {
                self.write_line(first.severity, &group.title(), &group.id());
                let shown = match self.fold {
                    Fold::Long if members.len() > SHOWN_PATHS + 1 => SHOWN_PATHS,
                    _ => members.len(),
                };
                for member in &members[..shown] {
                    let change = if group.has_one_change() {
                        String::new()
                    } else {
                        format!("  {}", member.finding.change)
                    };
                    let title = format!("{}{change}", member.finding.path);
                    let place = format!("{}  {}", self.section.places(member), member.finding.id);
                    write_title(
                        "",
                        &title,
                        &place,
                        Columns { indent: indent(first), width: self.width },
                        self.out,
                    );
                }
                if shown < members.len() {
                    let more = format!("and {} more (--all)", members.len() - shown);
                    wrap(&more, indent(first), self.width, self.out);
                }
            }
        }
        for sentence in &first.sentences() {
            wrap(sentence, indent(first), self.width, self.out);
        }
        for advice in &first.advice {
            wrap(&format!("advice: {advice}"), indent(first), self.width, self.out);
        }
    }

    /// Returns what was changed, and the value that shows it, or the paths.
    fn change_and_value(&self, finding: &AuditFinding) -> String {
        match finding.change_and_first_paths() {
            Some(short) if self.fold == Fold::Long => format!("{short} (--all)"),
            _ => finding.change_and_value(),
        }
    }

    fn write_line(&mut self, severity: Severity, title: &str, place: &str) {
        let columns = Columns { indent: INDENT.max(severity.name().len() + 2), width: self.width };
        write_title(severity.name(), title, place, columns, self.out);
    }
}

#[derive(Clone, Copy)]
struct Columns {
    indent: usize,
    width: usize,
}

/// Returns the width of the column of the severity of a finding.
fn indent(finding: &AuditFinding) -> usize {
    INDENT.max(finding.severity.name().len() + 2)
}

/// Writes a title, and a place at the end of the line or in the next one.
fn write_title(
    severity: &str,
    title: &str,
    place: &str,
    Columns { indent, width }: Columns,
    out: &mut String,
) {
    let (title, place) = (escape_line(title).into_owned(), escape_line(place.trim_start()).into_owned());
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

/// Writes a finding without its example and its advice.
pub(crate) fn write_finding(finding: &AuditFinding, width: usize, out: &mut String) {
    let path = if finding.path.is_empty() { String::new() } else { format!("{}  ", finding.path) };
    let title = format!("{path}{}", finding.change_and_value());
    let place = format!("{}  {}", finding.place, finding.id);
    let columns = Columns { indent: indent(finding), width };
    write_title(finding.severity.name(), &title, &place, columns, out);
    for sentence in &finding.sentences() {
        wrap(sentence, columns.indent, width, out);
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
        let text = text(&[Audit { findings: vec![long], ..audit() }], width, Fold::Long);
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
        let text = text(&[audit()], 80, Fold::Long);
        let title = text.lines().find(|line| line.starts_with("LOUD")).unwrap();
        assert_eq!(title.chars().count(), 80, "{title}");
        assert!(title.starts_with("LOUD    spec.remote  union member added "), "{title}");
        assert!(title.ends_with(" line 42  A-3957"), "{title}");
    }

    #[test]
    fn changes_that_were_not_judged_are_counted_and_share_a_reason() {
        let unjudged = |path: &str, change: &str, reason: &str| AuditFinding {
            path: path.to_owned(),
            change: change.to_owned(),
            effects: vec![reason.to_owned()],
            advice: Vec::new(),
            ..finding("A-0001", Severity::NotJudged)
        };
        let findings = vec![
            unjudged("spec.a", "field removed", "one reason"),
            unjudged("spec.b", "made required", "one reason"),
            unjudged("spec.c", "field removed", "another"),
        ];
        let audit = Audit { findings, not_judged: 3, changes: 4, not_simulated: Vec::new(), ..audit() };
        let expected = "\
Issuer certs.example.com/v1  old.yaml -> new.yaml  4 changes, 3 not judged, 55
situations
2 findings: 2 not judged

NOT JUDGED  2 changes                                                     G-b99d
            spec.a  field removed                                line 42  A-0001
            spec.b  made required                                line 42  A-0001
            one reason

NOT JUDGED  spec.c  field removed                                line 42  A-0001
            another
";
        assert_eq!(text(&[audit], 80, Fold::Long), expected);
    }

    #[test]
    fn long_audits_are_folded() {
        let of = |severity: Severity, count: usize| {
            (0..count).map(move |index| AuditFinding {
                change: format!("change {index:02}"),
                ..finding(&format!("A-{index:04}"), severity)
            })
        };
        let same = (0..9).map(|index| AuditFinding {
            path: format!("spec.f{index}"),
            ..finding(&format!("A-9{index:03}"), Severity::Silent)
        });
        let findings: Vec<AuditFinding> =
            of(Severity::Note, 3).chain(of(Severity::Loud, 14)).chain(same).collect();
        let audits = [Audit { findings, ..audit() }];
        let folded = text(&audits, 80, Fold::Long);
        assert_eq!(folded.matches("line 42  A-9").count(), 5, "{folded}");
        assert!(folded.contains("\n        and 4 more (--all)\n"), "{folded}");
        assert!(
            folded.contains("\n3 more findings: 3 notes (--all shows all findings and paths)\n"),
            "{folded}"
        );
        assert_eq!(folded.matches("\nLOUD ").count(), 14, "{folded}");
        let all = text(&audits, 80, Fold::Nothing);
        assert_eq!(all.matches("line 42  A-").count(), 9 + 14 + 3, "{all}");
        assert!(!all.contains("--all"), "{all}");
    }

    #[test]
    fn an_audit_without_findings_says_so() {
        let text = text(&[Audit { findings: Vec::new(), ..audit() }], 80, Fold::Long);
        assert!(text.lines().any(|line| line == "no findings"), "{text}");
    }
}
