use std::collections::BTreeMap;
use std::fmt::Write;

use super::compare::{Answer, Comparison, Verdict};
use super::rules::{MAP_ORDER, RULES};
use super::trial::Kind;
use super::upstream::UpstreamCounts;

/// What came of all trials.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By operation.
    pub counts: BTreeMap<Kind, Counts>,
    /// How many differences each rule explains.
    pub explained: BTreeMap<&'static str, u64>,
    /// The errors of upstream's library, where the target is one that has them.
    pub upstream: UpstreamCounts,
    /// Differences that nothing explains: the first ones of each sort.
    pub differences: Vec<Difference>,
    /// How many there are in all.
    pub different: u64,
}

/// What came of the trials of one operation.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many there were.
    pub trials: u64,
    /// The target's answers, by their sort.
    pub answers: BTreeMap<String, u64>,
}

/// A difference that nothing explains, made small.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The operation.
    pub kind: Kind,
    /// Which trial it was found by.
    pub number: u64,
    /// The sorts of both answers, ours first.
    pub sorts: (String, String),
    /// Our answer.
    pub ours: String,
    /// The target's.
    pub theirs: String,
    /// A case that expects what the target says.
    pub case: String,
}

impl Report {
    pub(super) fn count(&mut self, kind: Kind, comparison: &Comparison) {
        let counts = self.counts.entry(kind).or_default();
        counts.trials += 1;
        *counts.answers.entry(comparison.theirs.sort().to_owned()).or_default() += 1;
        if let Answer::Refused { message, .. } = &comparison.theirs {
            self.upstream.count(message);
        }
        match comparison.verdict {
            Verdict::Explained(rule) => *self.explained.entry(rule.name).or_default() += 1,
            Verdict::Different => self.different += 1,
            Verdict::Same | Verdict::Unsupported => {}
        }
    }

    /// How many trials were compared.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.counts.values().map(|counts| counts.trials).sum()
    }

    /// The report as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.table();
        text.push_str(&self.upstream.text());
        if !self.explained.is_empty() {
            text.push_str("\nexplained differences:\n");
        }
        for (name, count) in &self.explained {
            let rule = RULES.iter().chain([&MAP_ORDER]).find(|rule| rule.name == *name);
            let because = rule.map_or("", |rule| rule.because);
            let _ = writeln!(text, "  {count:>7}  {name}: {because}");
        }
        for difference in &self.differences {
            let Difference { kind, number, ours, theirs, case, .. } = difference;
            let _ = write!(
                text,
                "\nDIFFERENT: {}, found by trial {number}\n  ours:   {}\n  target: {}\n{case}",
                kind.name(),
                indented(ours),
                indented(theirs)
            );
        }
        let _ = writeln!(text, "\n{} comparisons, {} unexplained differences", self.trials(), self.different);
        text
    }

    /// The target's answers by sort and operation.
    fn table(&self) -> String {
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        for (sort, count) in self.counts.values().flat_map(|counts| &counts.answers) {
            *totals.entry(sort).or_default() += count;
        }
        let mut sorts: Vec<(&str, u64)> = totals.into_iter().collect();
        sorts.sort_by_key(|(sort, count)| (std::cmp::Reverse(*count), *sort));
        let widest = sorts.iter().map(|(sort, _)| sort.len()).max().unwrap_or_default().max("answer".len());
        let mut text = format!("{:widest$}", "answer");
        for kind in self.counts.keys() {
            let _ = write!(text, "  {:>7}", kind.name());
        }
        text.push('\n');
        for (sort, _) in sorts {
            let _ = write!(text, "{sort:widest$}");
            for (kind, counts) in &self.counts {
                let width = kind.name().len().max(7);
                let count = counts.answers.get(sort).map_or("·".to_owned(), u64::to_string);
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
