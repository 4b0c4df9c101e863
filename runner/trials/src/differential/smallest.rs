//! The smallest disagreements of a comparison of whole documents.

use std::cell::Cell;
use std::collections::BTreeMap;

use skewer_engine::OwnedDoc;
use skewer_targets::Target;

use crate::random_testing::document_edits::remove_nth_value;
use crate::random_testing::shrink::{self, Candidate};

/// Maximum number of disagreements that are reported.
const MAX_DISAGREEMENTS: usize = 12;

/// Maximum number of requests for the reduction of one disagreement.
const MAX_REQUESTS: usize = 3000;

/// The kinds of the errors of both sides, which are the same in similar disagreements.
pub(super) type Kinds = [Vec<String>; 2];

/// The answers of both sides, if they differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answers {
    /// The answer of the engine.
    pub(super) ours: String,
    /// The answer of the target.
    pub(super) theirs: String,
    pub(super) kinds: Kinds,
}

/// A request that both sides answer.
pub(super) trait Trial: Clone {
    /// Returns the documents, in the order in which parts of them are removed.
    fn documents(&self) -> Vec<&OwnedDoc>;

    fn documents_mut(&mut self) -> Vec<&mut OwnedDoc>;

    /// Returns false if the documents lack what is compared nowhere here.
    fn is_complete(&self) -> bool;

    /// Sends the request to both sides. Returns `None` if they agree, or if one has no answer.
    fn disagreement(&self, target: &dyn Target) -> Option<Answers>;

    /// Returns the request as text.
    fn describe(&self) -> String;
}

/// A trial on which the two sides disagree.
pub(super) struct Different<T> {
    pub(super) number: u64,
    pub(super) trial: T,
    pub(super) kinds: Kinds,
}

/// A request on which the two sides disagree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The number of the trial.
    pub number: u64,
    /// The number of disagreements with errors of the same kinds.
    pub count: usize,
    /// The request, as text.
    pub request: String,
    /// The answer of the engine.
    pub ours: String,
    /// The answer of the target.
    pub theirs: String,
}

/// Returns the smallest disagreement of each combination of kinds, the most frequent first.
pub(super) fn smallest_of_each<T: Trial>(
    different: Vec<Different<T>>,
    target: &dyn Target,
) -> Vec<Disagreement> {
    let mut groups: BTreeMap<Kinds, Vec<Different<T>>> = BTreeMap::new();
    for trial in different {
        groups.entry(trial.kinds.clone()).or_default().push(trial);
    }
    let mut groups: Vec<Vec<Different<T>>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups.truncate(MAX_DISAGREEMENTS);
    let smallest = |group: Vec<Different<T>>| {
        let count = group.len();
        let size =
            |trial: &T| trial.documents().iter().map(|document| document.to_string().len()).sum::<usize>();
        let smallest = group.into_iter().min_by_key(|different| size(&different.trial))?;
        Some(describe(smallest, count, target))
    };
    groups.into_iter().filter_map(smallest).collect()
}

fn describe<T: Trial>(different: Different<T>, count: usize, target: &dyn Target) -> Disagreement {
    let trial = shrink(different.trial, target);
    let answers = trial.disagreement(target);
    let (ours, theirs) = answers.map(|answers| (answers.ours, answers.theirs)).unwrap_or_default();
    Disagreement { number: different.number, count, request: trial.describe(), ours, theirs }
}

/// Removes parts of the documents as long as the two sides disagree with errors of the same kinds.
fn shrink<T: Trial>(trial: T, target: &dyn Target) -> T {
    let kinds_of = |trial: &T| trial.disagreement(target).map(|answers| answers.kinds);
    let Some(expected) = kinds_of(&trial) else { return trial };
    let requests = Cell::new(0);
    shrink::shrink(trial, &[&without_value], &|smaller| {
        requests.set(requests.get() + 1);
        requests.get() <= MAX_REQUESTS
            && smaller.is_complete()
            && kinds_of(smaller).as_ref() == Some(&expected)
    })
}

fn without_value<T: Trial>(trial: &T, index: usize) -> Candidate<T> {
    let mut smaller = trial.clone();
    remove_nth_value(smaller.documents_mut(), index).then_some(smaller).into()
}
