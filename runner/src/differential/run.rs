use std::sync::Arc;

use rayon::prelude::*;

use super::case::case;
use super::compare::{Comparison, Verdict, compare};
use super::generate::{self, SAME_TYPES, Source};
use super::report::{Difference, Report};
use super::shrink::shrink;
use super::trial::{Kind, Trial};
use crate::targets::Target;

/// Which trials are made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The number of the first trial.
    pub first: u64,
    /// How many trials.
    pub count: u64,
    /// The operations that are tried.
    pub kinds: Vec<Kind>,
    /// Where their types come from.
    pub source: Source,
}

/// How many differences are shown in full. After that they are only counted.
const SHOWN: usize = 60;

/// How many of those may have the same sort of answers on both sides.
const SHOWN_ALIKE: usize = 1;

/// How many trials are run before their answers are counted.
const BATCH: u64 = 64 * SAME_TYPES;

/// Runs the trials. `done` is told how many more were run, now and then.
///
/// The error says that types were made that the engine cannot read, which is a mistake of the generator or of the
/// engine.
pub fn run(plan: &Plan, target: &dyn Target, done: &dyn Fn(u64)) -> Result<Report, String> {
    let mut report = Report::default();
    let end = plan.first + plan.count;
    let mut from = plan.first;
    while from < end {
        let to = (from - from % SAME_TYPES + BATCH).min(end);
        for (trial, comparison) in batch(plan, target, from..to)? {
            report.count(trial.kind, &comparison);
            if comparison.verdict == Verdict::Different {
                found(plan, target, &mut report, (trial, comparison));
            }
        }
        done(to - from);
        from = to;
    }
    Ok(report)
}

type Compared = (Trial, Comparison);

fn batch(plan: &Plan, target: &dyn Target, numbers: std::ops::Range<u64>) -> Result<Vec<Compared>, String> {
    let groups: Vec<u64> = (numbers.start / SAME_TYPES..numbers.end.div_ceil(SAME_TYPES)).collect();
    let compared: Result<Vec<Vec<Compared>>, String> = groups
        .par_iter()
        .map(|group| {
            let shared = match &plan.source {
                Source::Random => Some(generate::types(&plan.source, plan.seed, group * SAME_TYPES)?),
                Source::Release(_) => None,
            };
            let all = group * SAME_TYPES..(group + 1) * SAME_TYPES;
            let all = all.start.max(numbers.start)..all.end.min(numbers.end);
            let compared = all.filter_map(|number| {
                let types = match &shared {
                    Some(types) => Arc::clone(types),
                    None => match generate::types(&plan.source, plan.seed, number) {
                        Ok(types) => types,
                        Err(error) => return Some(Err(error)),
                    },
                };
                let trial = generate::trial(plan.seed, number, &types, &plan.kinds);
                let comparison = compare(&trial, target)?;
                Some(Ok((trial, comparison)))
            });
            compared.collect()
        })
        .collect();
    Ok(compared?.into_iter().flatten().collect())
}

/// Keeps a difference, small, if it is not one of many alike.
fn found(plan: &Plan, target: &dyn Target, report: &mut Report, (trial, comparison): Compared) {
    let sorts = |c: &Comparison| (c.ours.sort().to_owned(), c.theirs.sort().to_owned());
    let expected = sorts(&comparison);
    let alike =
        report.differences.iter().filter(|held| held.kind == trial.kind && held.sorts == expected).count();
    if alike >= SHOWN_ALIKE || report.differences.len() >= SHOWN {
        return;
    }
    let still = |trial: &Trial| {
        compare(trial, target).is_some_and(|c| c.verdict == Verdict::Different && sorts(&c) == expected)
    };
    let kind = trial.kind;
    let number = trial.number;
    let small = shrink(trial, &still);
    let Some(last) = compare(&small, target) else { return };
    report.differences.push(Difference {
        kind,
        number,
        sorts: expected,
        ours: last.ours.to_string(),
        theirs: last.theirs.to_string(),
        case: case(&small, plan.seed, &last.theirs),
    });
}
