//! Executes differential runs that send sequences of requests.

use std::ops::Range;
use std::sync::Arc;

use skewer_skew::OperationKind;
use skewer_targets::Target;

use super::compare::{ComparedStep, first_difference, run_sequence};
use super::generate::generate_sequence;
use super::list_mistakes::has_keys_without_default;
use super::random_resources::{random_resources, release_resources};
use super::render::render;
use super::resource::SequenceResource;
use super::sequence::Sequence;
use super::shrink::shrink;
use crate::differential::compare::{AnswerComparison, ComparisonResult};
use crate::differential::generate::TrialTypeSource;
use crate::differential::plan::DifferentialPlan;
use crate::differential::report::{Difference, Report};
use crate::differential::types::TrialTypes;
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators for types.
const TYPES_PURPOSE: u64 = 3;
/// Purpose of the [`Random`] generators for sequences.
const SEQUENCES_PURPOSE: u64 = 4;

/// Number of consecutive sequences over the same types.
const SEQUENCES_PER_TYPE_SET: u64 = 32;

/// Chance in a thousand that a built-in kind is one with a list whose keys have no default. Few kinds have such a list,
/// and only in such a list can an item lack all keys.
const KEYS_WITHOUT_DEFAULT_CHANCE: usize = 150;

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
    let run_group = |group, numbers| run_group(plan, target, group, numbers);
    plan.run_batches(target, SEQUENCES_PER_TYPE_SET, &run_group, &mut |compared, count| {
        for (sequence, steps) in compared {
            report.sequences.count(&sequence, &steps);
            for (step, compared) in sequence.steps.iter().zip(&steps) {
                report.count(step.operation.into(), &compared.comparison);
            }
            let Some(index) = first_difference(&steps) else { continue };
            let found = &steps[index].comparison;
            if report.has_room_for(sequence.steps[index].operation.into(), &found.categories()) {
                let operation = sequence.steps[index].operation;
                report.differences.extend(describe_difference(plan, target, sequence, operation, found));
            }
        }
        on_progress(count);
    })?;
    Ok(report)
}

fn resources_of(
    source: &TrialTypeSource,
    seed: u64,
    group: u64,
) -> Result<Vec<Arc<SequenceResource>>, String> {
    let mut random = Random::new(seed, TYPES_PURPOSE, group);
    match source {
        TrialTypeSource::Random => random_resources(&mut random),
        TrialTypeSource::Release(kinds) if kinds.is_empty() => Err("the release has no kinds".to_owned()),
        TrialTypeSource::Release(kinds) => {
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

fn run_group(
    plan: &DifferentialPlan,
    target: &dyn Target,
    group: u64,
    numbers: Range<u64>,
) -> Result<Vec<(Sequence, Vec<ComparedStep>)>, String> {
    let resources = resources_of(&plan.type_source, plan.seed, group)?;
    let compared = numbers.filter_map(|number| {
        let random = Random::new(plan.seed, SEQUENCES_PURPOSE, number);
        let sequence = generate_sequence(random, number, &resources);
        let steps = run_sequence(&sequence, target)?;
        Some((sequence, steps))
    });
    Ok(compared.collect())
}

/// Shrinks a sequence with a difference in a step with an operation. Returns `None` if the target is given up meanwhile.
fn describe_difference(
    plan: &DifferentialPlan,
    target: &dyn Target,
    sequence: Sequence,
    operation: OperationKind,
    found: &AnswerComparison,
) -> Option<Difference> {
    let (number, categories) = (sequence.number, found.categories());
    let is_still_different = |sequence: &Sequence| {
        let Some(steps) = run_sequence(sequence, target) else { return false };
        first_difference(&steps).is_some_and(|index| {
            let comparison = &steps[index].comparison;
            comparison.result == found.result
                && comparison.categories() == categories
                && sequence.steps[index].operation == operation
        })
    };
    // Shrinking asks the target hundreds of times. With a target that times out, that would take hours.
    let shrunk = if found.result == ComparisonResult::Broken {
        sequence
    } else {
        shrink(sequence, &is_still_different)
    };
    let steps = run_sequence(&shrunk, target)?;
    let comparison = first_difference(&steps).map_or(found, |index| &steps[index].comparison);
    let case = render(&shrunk, &steps, plan.seed);
    Some(Difference::new(operation.into(), number, found, comparison, case))
}
