//! The report of a differential run.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::answer::Answer;
use super::compare::{Comparison, ComparisonResult};
use super::deviation_rules::{DEVIATION_RULES, MAP_ORDER};
use super::trial::TrialOperation;
use super::upstream_errors::UpstreamErrorCounts;

/// The results of all trials of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Counts by operation.
    pub counts: BTreeMap<TrialOperation, OperationCounts>,
    /// Number of differences that each rule explains.
    pub explained: BTreeMap<&'static str, u64>,
    /// Counts of the errors of upstream's library, if the target has them.
    pub upstream_errors: UpstreamErrorCounts,
    /// Unexplained differences: the first ones of each pair of categories.
    pub differences: Vec<Difference>,
    /// Number of all unexplained differences.
    pub difference_count: u64,
}

/// The results of the trials of one operation.
#[derive(Clone, Debug, Default)]
pub struct OperationCounts {
    /// Number of trials.
    pub trials: u64,
    /// Numbers of the target's answers by category.
    pub answers: BTreeMap<String, u64>,
}

/// An unexplained difference, shrunk.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The operation.
    pub operation: TrialOperation,
    /// Number of the trial that found it.
    pub number: u64,
    /// Categories of both answers, ours first.
    pub categories: (String, String),
    /// Answer of the built-in engine.
    pub ours: String,
    /// Answer of the target.
    pub theirs: String,
    /// Case that expects the target's answer.
    pub case: String,
}

impl Report {
    pub(super) fn count(&mut self, operation: TrialOperation, comparison: &Comparison) {
        let counts = self.counts.entry(operation).or_default();
        counts.trials += 1;
        *counts.answers.entry(comparison.theirs.category().to_owned()).or_default() += 1;
        if let Answer::Refused { message, .. } = &comparison.theirs {
            self.upstream_errors.count(message);
        }
        match comparison.result {
            ComparisonResult::Explained(rule) => *self.explained.entry(rule.name).or_default() += 1,
            ComparisonResult::Different => self.difference_count += 1,
            ComparisonResult::Same | ComparisonResult::Unsupported => {}
        }
    }

    /// Returns the number of trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.counts.values().map(|counts| counts.trials).sum()
    }

    /// Renders the report as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.table();
        text.push_str(&self.upstream_errors.text());
        if !self.explained.is_empty() {
            text.push_str("\nexplained differences:\n");
        }
        for (name, count) in &self.explained {
            let rule = DEVIATION_RULES.iter().chain([&MAP_ORDER]).find(|rule| rule.name == *name);
            let because = rule.map_or("", |rule| rule.because);
            let _ = writeln!(text, "  {count:>7}  {name}: {because}");
        }
        for difference in &self.differences {
            let Difference { operation, number, ours, theirs, case, .. } = difference;
            let _ = write!(
                text,
                "\nDIFFERENT: {}, found by trial {number}\n  ours:   {}\n  target: {}\n{case}",
                operation.name(),
                indented(ours),
                indented(theirs)
            );
        }
        let _ = writeln!(
            text,
            "\n{} comparisons, {} unexplained differences",
            self.trials(),
            self.difference_count
        );
        text
    }

    /// Renders the numbers of the target's answers by category and operation.
    fn table(&self) -> String {
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        for (category, count) in self.counts.values().flat_map(|counts| &counts.answers) {
            *totals.entry(category).or_default() += count;
        }
        let mut categories: Vec<(&str, u64)> = totals.into_iter().collect();
        categories.sort_by_key(|(category, count)| (std::cmp::Reverse(*count), *category));
        let widest = categories
            .iter()
            .map(|(category, _)| category.len())
            .max()
            .unwrap_or_default()
            .max("answer".len());
        let mut text = format!("{:widest$}", "answer");
        for operation in self.counts.keys() {
            let _ = write!(text, "  {:>7}", operation.name());
        }
        text.push('\n');
        for (category, _) in categories {
            let _ = write!(text, "{category:widest$}");
            for (operation, counts) in &self.counts {
                let width = operation.name().len().max(7);
                let count = counts.answers.get(category).map_or("·".to_owned(), u64::to_string);
                let _ = write!(text, "  {count:>width$}");
            }
            text.push('\n');
        }
        text
    }
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n          ")
}
