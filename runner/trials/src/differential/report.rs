//! The report of a differential run.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::answer::TrialAnswer;
use super::compare::{AnswerCategories, AnswerComparison, ComparisonResult};
use super::deviation_rules::{DEVIATION_RULES, DeviationRule, MAP_ORDER};
use super::sequences::SequenceCounts;
use super::trial::TrialKind;
use super::upstream_errors::UpstreamErrorCounts;

/// The results of all trials of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Counts by operation, and by type of whole requests.
    pub counts: BTreeMap<TrialKind, OperationCounts>,
    /// Number of retries in which the target reported the operation as unsupported. Such an answer explains no
    /// difference.
    pub unsupported_retries: u64,
    /// Counts of the errors of the upstream library, if the target is based on it.
    pub upstream_errors: UpstreamErrorCounts,
    /// The reported differences: one for each operation and pair of answer categories.
    pub differences: Vec<Difference>,
    /// Number of all unexplained differences.
    pub difference_count: u64,
    /// Number of trials in which the target exited, timed out, or violated the protocol.
    pub broken_count: u64,
    /// Counts of what happened in sequences of requests to a field manager.
    pub sequences: SequenceCounts,
}

/// The results of the trials of one operation, or of one type of whole requests.
#[derive(Clone, Debug, Default)]
pub struct OperationCounts {
    /// Number of trials.
    pub trials: u64,
    /// Numbers of the target's answers by category.
    pub answers: BTreeMap<String, u64>,
    /// Number of differences that each rule explains.
    pub explained: BTreeMap<&'static str, u64>,
    /// Numbers of trials that the target does not support, by reason.
    pub unsupported: BTreeMap<String, u64>,
}

/// A rule that exceeds its cap: it explains more differences of an operation than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceededCap {
    /// Name of the rule.
    pub rule: &'static str,
    /// The operation, or the type of whole requests.
    pub kind: TrialKind,
    /// Number of differences that the rule explains.
    pub count: u64,
    /// Number of differences that the rule may explain in this run.
    pub cap: u64,
}

/// A difference, with its shrunk trial. Explained differences are reported only in sequences, where they are rare.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The operation, or the type of whole requests.
    pub kind: TrialKind,
    /// Number of the trial before shrinking.
    pub number: u64,
    /// The rule that explains the difference. `None` if it is unexplained.
    pub explained_by: Option<&'static str>,
    /// Categories of the answers.
    pub categories: AnswerCategories,
    /// Answer of the built-in engine.
    pub ours: String,
    /// Answer of the target.
    pub theirs: String,
    /// The trial as a case that expects the answer of the target, not that of the built-in engine.
    pub case: String,
}

impl Difference {
    /// Describes a difference that was `found`. The other comparison is that of the shrunk trial.
    pub(super) fn new(
        kind: TrialKind,
        number: u64,
        found: &AnswerComparison,
        shrunk: &AnswerComparison,
        case: String,
    ) -> Self {
        let explained_by = match found.result {
            ComparisonResult::Explained(rule) => Some(rule.name),
            _ => None,
        };
        let (ours, theirs) = (shrunk.ours.to_string(), shrunk.theirs.to_string());
        Difference { kind, number, explained_by, categories: found.categories(), ours, theirs, case }
    }
}

impl Report {
    pub(super) fn count(&mut self, kind: TrialKind, comparison: &AnswerComparison) {
        let counts = self.counts.entry(kind).or_default();
        counts.trials += 1;
        *counts.answers.entry(comparison.theirs.category().to_owned()).or_default() += 1;
        match &comparison.theirs {
            TrialAnswer::Refused { message, .. } => self.upstream_errors.count(message),
            TrialAnswer::Unsupported(why) => {
                // The beginning says what is unsupported, and the rest describes the document.
                let why = why.split_once(": ").map_or(why.as_str(), |(what, _)| what);
                let counted = counts.unsupported.len() < MAX_REASONS || counts.unsupported.contains_key(why);
                let reason = if counted { why } else { OTHER_REASONS };
                *counts.unsupported.entry(reason.to_owned()).or_default() += 1;
            }
            _ => {}
        }
        self.unsupported_retries += comparison.unsupported_retries;
        match comparison.result {
            ComparisonResult::Explained(rule) => *counts.explained.entry(rule.name).or_default() += 1,
            ComparisonResult::Different => self.difference_count += 1,
            ComparisonResult::Broken => self.broken_count += 1,
            ComparisonResult::Same | ComparisonResult::Unsupported => {}
        }
    }

    /// Returns the rules that exceed a cap.
    #[must_use]
    pub fn exceeded_caps(&self) -> Vec<ExceededCap> {
        let mut exceeded = Vec::new();
        for (kind, counts) in &self.counts {
            for rule in all_rules() {
                let count = counts.explained.get(rule.name).copied().unwrap_or_default();
                let cap = rule.cap(kind.operation()).in_trials(counts.trials);
                if count > cap {
                    exceeded.push(ExceededCap { rule: rule.name, kind: *kind, count, cap });
                }
            }
        }
        exceeded
    }

    /// Returns true if there is an unexplained difference, a broken answer, or a rule that exceeds its cap.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.difference_count > 0 || self.broken_count > 0 || !self.exceeded_caps().is_empty()
    }

    /// Returns the number of differences that a rule explains, in all operations.
    #[must_use]
    pub fn explained_by(&self, rule: &str) -> u64 {
        self.counts.values().filter_map(|counts| counts.explained.get(rule)).sum()
    }

    /// Returns true if another difference with these categories of answers is to be reported.
    pub(super) fn has_room_for(&self, kind: TrialKind, categories: &AnswerCategories) -> bool {
        let is_similar = |other: &&Difference| other.kind == kind && other.categories == *categories;
        let similar = self.differences.iter().filter(is_similar).count();
        similar < MAX_SIMILAR_DIFFERENCES && self.differences.len() < MAX_DIFFERENCES
    }

    /// Renders the differences, each with a case, and the rules that exceed a cap. Returns an empty text if there are none.
    #[must_use]
    pub fn differences_text(&self) -> String {
        let mut text = String::new();
        for difference in &self.differences {
            let Difference { kind, number, ours, theirs, case, explained_by, .. } = difference;
            let heading = explained_by.map_or("DIFFERENT".to_owned(), |rule| format!("EXPLAINED by {rule}"));
            let _ = write!(
                text,
                "\n{heading}: {}, trial {number}, shrunk\n  builtin: {}\n  target:  {}\n{case}",
                kind.name(),
                indented(ours),
                indented(theirs)
            );
        }
        for ExceededCap { rule, kind, count, cap } in self.exceeded_caps() {
            let _ = writeln!(
                text,
                "\nTOO MANY: {rule} explains {count} differences of {}, but its cap is {cap}: either the rule also \
                 explains other differences, or the generated documents have changed",
                kind.name()
            );
        }
        text
    }

    /// Returns the number of trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.counts.values().map(|counts| counts.trials).sum()
    }

    /// Renders the report as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Renders the report as text. The table of answers has at most `width` columns: the operations that do not fit follow
    /// in further tables.
    #[must_use]
    pub fn text_within(&self, width: usize) -> String {
        let mut text = self.table(width);
        text.push_str(&self.upstream_errors.text());
        text.push_str(&self.sequences.text());
        text.push_str(&self.unsupported_text());
        text.push_str(&self.rules_text());
        text.push_str(&self.differences_text());
        let unsupported =
            self.counts.values().filter_map(|counts| counts.answers.get("unsupported")).sum::<u64>();
        let explained = all_rules().map(|rule| self.explained_by(rule.name)).sum::<u64>();
        let _ = writeln!(
            text,
            "\n{} comparisons: {} unexplained differences, {explained} explained, {unsupported} unsupported, {} \
             broken, {} rules above their cap",
            self.trials(),
            self.difference_count,
            self.broken_count,
            self.exceeded_caps().len()
        );
        text
    }

    /// Renders the number of explained differences by rule and operation, with their share of the trials and the cap.
    fn rules_text(&self) -> String {
        let mut text = String::new();
        for rule in all_rules().filter(|rule| self.explained_by(rule.name) > 0) {
            if text.is_empty() {
                text.push_str("\nexplained differences:\n");
            }
            let _ = writeln!(text, "  {:>7}  {}: {}", self.explained_by(rule.name), rule.name, rule.because);
            for (kind, counts) in &self.counts {
                let Some(count) = counts.explained.get(rule.name) else { continue };
                let _ = writeln!(
                    text,
                    "           {:<20} {count:>7} of {} trials, {} (cap {})",
                    kind.name(),
                    counts.trials,
                    percentage(*count, counts.trials),
                    rule.cap(kind.operation())
                );
            }
        }
        if self.unsupported_retries > 0 {
            let _ = writeln!(
                text,
                "\n  {:>7}  retries were reported as unsupported and explain no difference",
                self.unsupported_retries
            );
        }
        text
    }

    /// Renders the reasons for which the target did not support whole requests, with their numbers. The other operations
    /// have too many reasons.
    fn unsupported_text(&self) -> String {
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        let requests = self.counts.iter().filter(|(kind, _)| matches!(kind, TrialKind::Request(_)));
        for (why, count) in requests.flat_map(|(_, counts)| &counts.unsupported) {
            *reasons.entry(why).or_default() += count;
        }
        let mut reasons: Vec<(&str, u64)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), *why));
        let mut text = String::new();
        if !reasons.is_empty() {
            text.push_str("\nunsupported:\n");
        }
        for (why, count) in reasons {
            let _ = writeln!(text, "  {count:>7}  {}", indented(why));
        }
        text
    }

    /// Renders tables of the target's answers by category and operation.
    fn table(&self, width: usize) -> String {
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        for (category, count) in self.counts.values().flat_map(|counts| &counts.answers) {
            *totals.entry(category).or_default() += count;
        }
        let mut categories: Vec<(&str, u64)> = totals.into_iter().collect();
        categories.sort_by_key(|(category, count)| (std::cmp::Reverse(*count), *category));
        let widest = categories.iter().map(|(category, _)| category.len()).max().unwrap_or_default();
        let widest = widest.max("answer".len());
        let mut text = String::new();
        let mut left: Vec<(&TrialKind, &OperationCounts)> = self.counts.iter().collect();
        while !left.is_empty() {
            let others = left.split_off(columns_that_fit(&left, width.saturating_sub(widest)));
            if !text.is_empty() {
                text.push('\n');
            }
            push_table(&mut text, &categories, widest, &left);
            left = others;
        }
        text
    }
}

/// Returns the width of the column of an operation, without the gap before it.
fn column_width(kind: TrialKind) -> usize {
    kind.name().len().max(7)
}

/// Returns how many columns fit into a width. The first one is always shown.
fn columns_that_fit(columns: &[(&TrialKind, &OperationCounts)], width: usize) -> usize {
    let ends = columns.iter().scan(0, |end, (kind, _)| {
        *end += 2 + column_width(**kind);
        Some(*end)
    });
    ends.take_while(|end| *end <= width).count().max(1)
}

/// Adds a table with a row for each category of answers and a column for each operation.
fn push_table(
    text: &mut String,
    categories: &[(&str, u64)],
    widest: usize,
    columns: &[(&TrialKind, &OperationCounts)],
) {
    let _ = write!(text, "{:widest$}", "answer");
    for (kind, _) in columns {
        let _ = write!(text, "  {:>7}", kind.name());
    }
    text.push('\n');
    for (category, _) in categories {
        let _ = write!(text, "{category:widest$}");
        for (kind, counts) in columns {
            let width = column_width(**kind);
            let count = counts.answers.get(*category).map_or("·".to_owned(), u64::to_string);
            let _ = write!(text, "  {count:>width$}");
        }
        text.push('\n');
    }
}

/// Maximum number of reasons of one kind of trials that are counted separately.
const MAX_REASONS: usize = 12;

/// Maximum number of reported differences. Further differences are only counted.
const MAX_DIFFERENCES: usize = 60;

/// Maximum number of reported differences of one operation with the same answer categories.
const MAX_SIMILAR_DIFFERENCES: usize = 1;

/// The reasons that are not counted separately.
const OTHER_REASONS: &str = "other reasons";

/// Returns all rules, including [`MAP_ORDER`].
fn all_rules() -> impl Iterator<Item = &'static DeviationRule> {
    DEVIATION_RULES.iter().chain([&MAP_ORDER])
}

/// Renders a share in percent with three decimals.
fn percentage(count: u64, total: u64) -> String {
    let thousandths = (count * 100_000).checked_div(total).unwrap_or_default();
    format!("{}.{:03} %", thousandths / 1000, thousandths % 1000)
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n           ")
}

#[cfg(test)]
mod tests {
    use skewer_engine::Doc;
    use skewer_skew::{OperationKind, RequestType};

    use super::*;

    #[test]
    fn a_table_that_is_too_wide_is_split_between_operations() {
        let mut report = report_of(0, 2);
        let (merge, counts) = report.counts.pop_first().unwrap();
        report.counts.extend([(OperationKind::Apply.into(), counts.clone()), (merge, counts)]);
        let table = |width| report.text_within(width).split("\n\n").map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(table(27)[0], "answer      apply    merge\na result        2        2");
        assert_eq!(
            table(25)[..2],
            ["answer      apply\na result        2", "answer      merge\na result        2"]
        );
    }

    fn report_of(explained: u64, trials: u64) -> Report {
        let mut report = Report::default();
        for number in 0..trials {
            let result = if number < explained {
                ComparisonResult::Explained(&MAP_ORDER)
            } else {
                ComparisonResult::Same
            };
            let answer = TrialAnswer::Result(Doc::Null);
            let comparison =
                AnswerComparison { ours: answer.clone(), theirs: answer, result, unsupported_retries: 0 };
            report.count(OperationKind::Merge.into(), &comparison);
        }
        report
    }

    #[test]
    fn a_rule_above_its_cap_fails_the_run() {
        let cap = MAP_ORDER.cap(OperationKind::Merge).in_trials(2000);
        let report = report_of(cap, 2000);
        assert!(!report.has_failed());
        let share = format!(
            "of 2000 trials, {} (cap {})",
            percentage(cap, 2000),
            MAP_ORDER.cap(OperationKind::Merge)
        );
        assert!(report.text().contains(&share), "{}", report.text());
        let report = report_of(cap + 1, 2000);
        assert!(report.has_failed());
        let message =
            format!("TOO MANY: map-order explains {} differences of merge, but its cap is {cap}", cap + 1);
        assert!(report.text().contains(&message), "{}", report.text());
        assert!(report.text().ends_with("0 broken, 1 rules above their cap\n"), "{}", report.text());
    }

    #[test]
    fn requests_are_counted_by_type_and_reasons_by_what_is_unsupported() {
        let mut report = Report::default();
        let mut count = |request_type, theirs: TrialAnswer| {
            let result = match &theirs {
                TrialAnswer::Unsupported(_) => ComparisonResult::Unsupported,
                _ => ComparisonResult::Same,
            };
            let comparison =
                AnswerComparison { ours: theirs.clone(), theirs, result, unsupported_retries: 0 };
            report.count(TrialKind::Request(request_type), &comparison);
        };
        count(RequestType::Update, TrialAnswer::Result(Doc::Null));
        for why in ["cannot be a stored Pod: 1 is no text", "cannot be a stored Pod: 2 is no text", "no type"]
        {
            count(RequestType::JsonPatch, TrialAnswer::Unsupported(why.to_owned()));
        }
        let text = report.text();
        assert!(text.starts_with("answer        update  json-patch\n"), "{text}");
        assert!(text.contains("unsupported        ·           3\n"), "{text}");
        let reasons = "unsupported:\n        2  cannot be a stored Pod\n        1  no type\n";
        assert!(text.contains(reasons), "{text}");
    }

    #[test]
    fn unsupported_and_broken_answers_are_counted_separately() {
        let mut report = Report::default();
        let comparison = |theirs: TrialAnswer, result| AnswerComparison {
            ours: TrialAnswer::Result(Doc::Null),
            theirs,
            result,
            unsupported_retries: 3,
        };
        let why = || "why".to_owned();
        report.count(
            OperationKind::Apply.into(),
            &comparison(TrialAnswer::Unsupported(why()), ComparisonResult::Unsupported),
        );
        assert!(!report.has_failed());
        report.count(
            OperationKind::Apply.into(),
            &comparison(TrialAnswer::Broken(why()), ComparisonResult::Broken),
        );
        assert!(report.has_failed());
        let text = report.text();
        assert!(text.contains("6  retries were reported as unsupported"), "{text}");
        let counts =
            "2 comparisons: 0 unexplained differences, 0 explained, 1 unsupported, 1 broken, 0 rules";
        assert!(text.contains(counts), "{text}");
    }
}
