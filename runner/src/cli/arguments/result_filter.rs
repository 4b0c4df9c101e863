//! The arguments `--status` and `--outcome`, which choose cells by their results.

use std::fmt;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use skewer_reports::pivot::ResultLabel;
use skewer_results::{Cell, Outcome, Status};

/// The word that stands for all silent outcomes.
const SILENT: &str = "silent";

/// The argument of `--outcome`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum OutcomeArgument {
    /// One outcome.
    Outcome(Outcome),
    /// Any outcome that is wrong although the request was accepted.
    Silent,
}

/// Returns the parser of `--status`. clap suggests a word that is similar to an unknown one.
pub(in crate::cli) fn status_parser() -> impl TypedValueParser<Value = Status> {
    let words = Status::ALL.iter().map(|status| PossibleValue::new(status.as_str()));
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Status>())
}

/// Returns the parser of `--outcome`.
pub(in crate::cli) fn outcome_parser() -> impl TypedValueParser<Value = OutcomeArgument> {
    let words = Outcome::ALL.iter().map(|outcome| outcome.as_str()).chain([SILENT]);
    PossibleValuesParser::new(words.map(PossibleValue::new)).try_map(|word| match word.as_str() {
        SILENT => Ok(OutcomeArgument::Silent),
        word => word.parse().map(OutcomeArgument::Outcome),
    })
}

/// A filter for results. A cell must have one of the statuses, if there are any, and one of the outcomes, if there are
/// any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct ResultFilter {
    statuses: Vec<Status>,
    outcomes: Vec<OutcomeArgument>,
}

impl ResultFilter {
    /// Creates the filter of some arguments. Returns `None` if there are no arguments.
    pub(in crate::cli) fn new(statuses: &[Status], outcomes: &[OutcomeArgument]) -> Option<Self> {
        let filter = ResultFilter { statuses: statuses.to_vec(), outcomes: outcomes.to_vec() };
        Some(filter).filter(|filter| *filter != ResultFilter::default())
    }

    /// Returns true if the filter selects the cell.
    pub(in crate::cli) fn accepts(&self, cell: &Cell) -> bool {
        let has_outcome = |argument: &OutcomeArgument| match argument {
            OutcomeArgument::Outcome(outcome) => cell.outcome == Some(*outcome),
            OutcomeArgument::Silent => cell.is_silent(),
        };
        (self.statuses.is_empty() || self.statuses.contains(&cell.status))
            && (self.outcomes.is_empty() || self.outcomes.iter().any(has_outcome))
    }

    /// Returns the message for cells of which the filter selects none.
    pub(in crate::cli) fn describe_no_match<'c>(&self, cells: impl IntoIterator<Item = &'c Cell>) -> String {
        let mut labels: Vec<(ResultLabel, usize)> = Vec::new();
        let mut total = 0;
        for cell in cells {
            total += 1;
            let label = ResultLabel::of(cell);
            match labels.iter_mut().find(|(known, _)| *known == label) {
                Some((_, count)) => *count += 1,
                None => labels.push((label, 1)),
            }
        }
        labels.sort_unstable();
        let counts: Vec<String> = labels.iter().map(|(label, count)| format!("{count} {label}")).collect();
        let noun = if total == 1 { "cell" } else { "cells" };
        format!("`{self}` matches none of {total} {noun}: {}", counts.join(", "))
    }
}

/// Displays as arguments of the command line.
impl fmt::Display for ResultFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> =
            self.statuses.iter().map(|status| format!("--status {status}")).collect();
        words.extend(self.outcomes.iter().map(|argument| match argument {
            OutcomeArgument::Outcome(outcome) => format!("--outcome {outcome}"),
            OutcomeArgument::Silent => format!("--outcome {SILENT}"),
        }));
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&[], &[OutcomeArgument::Outcome(Outcome::Lost)], true)]
    #[case(&[], &[OutcomeArgument::Silent], true)]
    #[case(&[], &[OutcomeArgument::Outcome(Outcome::Refused)], false)]
    #[case(&[Status::Pass, Status::Fail], &[], true)]
    #[case(&[Status::Fail], &[OutcomeArgument::Silent], false)]
    fn a_cell_needs_one_of_the_statuses_and_one_of_the_outcomes(
        #[case] statuses: &[Status],
        #[case] outcomes: &[OutcomeArgument],
        #[case] expected: bool,
    ) {
        let cell = Cell { outcome: Some(Outcome::Lost), ..Cell::new("s/c", "s", "c", Status::Pass) };
        let filter = ResultFilter::new(statuses, outcomes).unwrap();
        assert_eq!(filter.accepts(&cell), expected);
        assert_eq!(ResultFilter::new(&[], &[]), None);
    }

    #[test]
    fn the_results_of_cells_without_a_match_are_counted() {
        let cells = [Status::Pass, Status::Skipped, Status::Pass].map(|s| Cell::new("s/c", "s", "c", s));
        let filter = ResultFilter::new(&[Status::Crash], &[OutcomeArgument::Silent]).unwrap();
        assert_eq!(
            filter.describe_no_match(&cells),
            "`--status crash --outcome silent` matches none of 3 cells: 2 pass, 1 skipped"
        );
    }
}
