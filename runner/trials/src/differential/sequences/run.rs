//! Executes differential runs that send sequences of requests.

use std::sync::Arc;

use rayon::prelude::*;
use skewer_execute::targets::Target;

use super::compare::{ComparedStep, first_difference, run_sequence};
use super::generate::generate_sequence;
use super::list_mistakes::has_keys_without_default;
use super::random_resources::{random_resources, release_resources};
use super::render::render;
use super::resource::SequenceResource;
use super::sequence::Sequence;
use super::shrink::shrink;
use crate::differential::compare::{Comparison, ComparisonResult};
use crate::differential::generate::TypeSource;
use crate::differential::report::{Difference, Report};
use crate::differential::run::DifferentialPlan;
use crate::differential::types::TrialTypes;
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators for types.
const TYPES_PURPOSE: u64 = 3;
/// Purpose of the [`Random`] generators for sequences.
const SEQUENCES_PURPOSE: u64 = 4;

/// Number of consecutive sequences over the same types.
const SEQUENCES_PER_TYPE_SET: u64 = 32;

/// Number of sequences that are run before they are counted.
const BATCH_SIZE: u64 = 32 * SEQUENCES_PER_TYPE_SET;

/// Chance in a thousand that a built-in kind is one with a list whose keys have no default. Few kinds have such a list,
/// and only in such a list can an item lack all keys.
const KEYS_WITHOUT_DEFAULT_CHANCE: usize = 150;

type Resources = Vec<Arc<SequenceResource>>;
type ComparedSequence = (Sequence, Vec<ComparedStep>);

/// Runs the sequences of a plan, and stops early if the target is given up. After each batch, calls `on_progress` with
/// the number of sequences in the batch.
///
/// # Errors
///
/// Returns a message if the engine cannot read generated types.
pub(crate) fn run_sequences(
    plan: &DifferentialPlan,
    target: &dyn Target,
    on_progress: &dyn Fn(u64),
) -> Result<Report, String> {
    let mut report = Report::default();
    let end = plan.first + plan.count;
    let mut from = plan.first;
    while from < end && target.permanent_failure().is_none() {
        let to = (from - from % SEQUENCES_PER_TYPE_SET + BATCH_SIZE).min(end);
        for (sequence, steps) in run_batch(plan, target, from..to)? {
            report.sequences.count(&sequence, &steps);
            for (step, compared) in sequence.steps.iter().zip(&steps) {
                report.count(step.operation.into(), &compared.comparison);
            }
            if let Some(index) = first_difference(&steps) {
                record_difference(plan, target, &mut report, (sequence, &steps[index]), index);
            }
        }
        on_progress(to - from);
        from = to;
    }
    Ok(report)
}

fn resources_of(source: &TypeSource, seed: u64, group: u64) -> Result<Resources, String> {
    let mut random = Random::new(seed, TYPES_PURPOSE, group);
    match source {
        TypeSource::Random => random_resources(&mut random),
        TypeSource::Release(kinds) if kinds.is_empty() => Err("the release has no kinds".to_owned()),
        TypeSource::Release(kinds) => {
            let mut types = Arc::clone(random.pick(kinds));
            if random.chance(KEYS_WITHOUT_DEFAULT_CHANCE) {
                let is_suitable = |types: &&Arc<TrialTypes>| has_keys_without_default(&types.structs);
                let other = (0..kinds.len()).map(|_| random.pick(kinds)).find(is_suitable);
                types = other.map_or(types, Arc::clone);
            }
            release_resources(&mut random, &types)
        }
    }
}

fn run_batch(
    plan: &DifferentialPlan,
    target: &dyn Target,
    numbers: std::ops::Range<u64>,
) -> Result<Vec<ComparedSequence>, String> {
    let first = numbers.start / SEQUENCES_PER_TYPE_SET;
    let groups: Vec<u64> = (first..numbers.end.div_ceil(SEQUENCES_PER_TYPE_SET)).collect();
    let compared: Result<Vec<Vec<ComparedSequence>>, String> = groups
        .par_iter()
        .map(|group| {
            let resources = resources_of(&plan.type_source, plan.seed, *group)?;
            let all = group * SEQUENCES_PER_TYPE_SET..(group + 1) * SEQUENCES_PER_TYPE_SET;
            let all = all.start.max(numbers.start)..all.end.min(numbers.end);
            let compared = all.filter_map(|number| {
                let random = Random::new(plan.seed, SEQUENCES_PURPOSE, number);
                let sequence = generate_sequence(random, number, &resources);
                let steps = run_sequence(&sequence, target)?;
                Some((sequence, steps))
            });
            Ok(compared.collect())
        })
        .collect();
    Ok(compared?.into_iter().flatten().collect())
}

/// Shrinks a difference and adds it to the report, unless the report already has a similar one.
fn record_difference(
    plan: &DifferentialPlan,
    target: &dyn Target,
    report: &mut Report,
    (sequence, different): (Sequence, &ComparedStep),
    index: usize,
) {
    let categories = |c: &Comparison| (c.ours.category().to_owned(), c.theirs.category().to_owned());
    let expected = categories(&different.comparison);
    let operation = sequence.steps[index].operation;
    if !report.has_room_for(operation.into(), &expected) {
        return;
    }
    let is_still_different = |sequence: &Sequence| {
        let Some(steps) = run_sequence(sequence, target) else { return false };
        first_difference(&steps).is_some_and(|index| {
            let comparison = &steps[index].comparison;
            comparison.result == different.comparison.result
                && categories(comparison) == expected
                && sequence.steps[index].operation == operation
        })
    };
    let number = sequence.number;
    // Shrinking asks the target hundreds of times. With a target that times out, that would take hours.
    let shrunk = if different.comparison.result == ComparisonResult::Broken {
        sequence
    } else {
        shrink(sequence, &is_still_different)
    };
    let Some(steps) = run_sequence(&shrunk, target) else { return };
    let comparison = first_difference(&steps).map_or(&different.comparison, |index| &steps[index].comparison);
    report.differences.push(Difference {
        kind: operation.into(),
        number,
        explained_by: match different.comparison.result {
            ComparisonResult::Explained(rule) => Some(rule.name),
            _ => None,
        },
        categories: expected,
        ours: comparison.ours.to_string(),
        theirs: comparison.theirs.to_string(),
        case: render(&shrunk, &steps, plan.seed),
    });
}
