//! The plan of a differential run, and its batches.

use std::ops::Range;

use rayon::prelude::*;
use skewer_skew::{OperationKind, RequestType};
use skewer_targets::Target;

use super::generate::TrialTypeSource;

/// The trials of a differential run.
#[derive(Clone, Debug)]
pub struct DifferentialPlan {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of the first trial.
    pub first: u64,
    /// Number of trials.
    pub count: u64,
    /// Operations from which each trial picks one: some of the [`trial_operations`](super::trial_operations). If all of them are operations of a
    /// field manager, each trial is a sequence of such requests.
    pub operations: Vec<OperationKind>,
    /// Types of requests from which each trial picks one, if the operation is a whole request to an API server. A type can
    /// be repeated, so that trials pick it more often.
    pub request_types: Vec<RequestType>,
    /// Source of the types.
    pub type_source: TrialTypeSource,
}

impl DifferentialPlan {
    /// Runs the trials in batches of several groups, and stops early if the target is given up. `run_group` runs some
    /// trials of the group with a number. `finish_batch` takes the results of a batch, in the order of the trials, and
    /// the number of its trials.
    pub(super) fn run_batches<T: Send>(
        &self,
        target: &dyn Target,
        group_size: u64,
        run_group: &(dyn Fn(u64, Range<u64>) -> Result<Vec<T>, String> + Sync),
        finish_batch: &mut dyn FnMut(Vec<T>, u64),
    ) -> Result<(), String> {
        let end = self.first + self.count;
        let mut from = self.first;
        while from < end && target.permanent_failure().is_none() {
            // A batch has as many groups as a group has trials.
            let to = (from - from % group_size + group_size * group_size).min(end);
            let groups: Vec<u64> = (from / group_size..to.div_ceil(group_size)).collect();
            let run = |group: &u64| {
                let first = group * group_size;
                run_group(*group, first.max(from)..(first + group_size).min(to))
            };
            let results: Result<Vec<Vec<T>>, String> = groups.par_iter().map(run).collect();
            finish_batch(results?.into_iter().flatten().collect(), to - from);
            from = to;
        }
        Ok(())
    }
}
