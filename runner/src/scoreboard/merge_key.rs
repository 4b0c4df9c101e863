//! Finds out by which key an implementation merges a list.
//!
//! Each candidate key predicts the items that a request leaves in the list. The implementation merges by the candidate
//! that predicts the results of all cells. The order of the items is not compared, because implementations differ in it.

use skewer_cases::yaml;
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::scoreboard::MergeKey;
use skewer_results::{Cell, Results};
use skewer_skew::StepName;

use super::ladder::{MergeKeySpec, QuestionSpec};

/// Answers the question for the implementations of some runs: the implementations by kind of request and key.
pub(super) fn merge_keys(question: &QuestionSpec, spec: &MergeKeySpec, runs: &[Results]) -> Vec<MergeKey> {
    let mut answers: Vec<MergeKey> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let cells = question.cells.iter().filter_map(|id| run.cells.iter().find(|cell| cell.id == *id));
        for (requests, observations) in by_request(cells, &spec.list) {
            let key = describe(spec, &observations);
            match answers.iter_mut().find(|answer| answer.requests == requests && answer.key == key) {
                Some(answer) => answer.implementations.push(index),
                None => answers.push(MergeKey { requests, key, implementations: vec![index] }),
            }
        }
    }
    answers.sort_by(|a, b| b.requests.cmp(&a.requests));
    answers
}

/// The items of a list before a request, in the request, and after it.
struct Observation {
    live: Vec<OwnedDoc>,
    request: Vec<OwnedDoc>,
    result: Vec<OwnedDoc>,
}

/// Collects what was observed, by kind of request.
fn by_request<'a>(cells: impl Iterator<Item = &'a Cell>, list: &str) -> Vec<(String, Vec<Observation>)> {
    let mut kinds: Vec<(String, Vec<Observation>)> = Vec::new();
    for cell in cells {
        let Some(observation) = observe(cell, list) else { continue };
        let requests = if has_configuration(cell) { "server-side apply" } else { "strategic merge patch" };
        match kinds.iter_mut().find(|(known, _)| known == requests) {
            Some((_, observations)) => observations.push(observation),
            None => kinds.push((requests.to_owned(), vec![observation])),
        }
    }
    kinds
}

/// Returns true if the request of a cell is an apply configuration, which names its type. A patch does not.
fn has_configuration(cell: &Cell) -> bool {
    let document = step_document(cell, StepName::Request);
    document.is_some_and(|document| document.as_map().is_some_and(|map| map.contains_key("apiVersion")))
}

/// Returns what a cell shows of a list, unless the implementation gave no result.
fn observe(cell: &Cell, list: &str) -> Option<Observation> {
    let items = |step| Some(items_at(&step_document(cell, step)?, list));
    Some(Observation {
        live: items(StepName::Stored)?,
        request: items(StepName::Request)?,
        result: items(StepName::Result)?,
    })
}

fn step_document(cell: &Cell, name: StepName) -> Option<OwnedDoc> {
    let step = cell.steps.iter().find(|step| step.name == name.name())?;
    yaml::read("step", step.document.as_deref()?.as_bytes()).ok()
}

/// Returns the items of the list at a path. A list that is not there has none.
fn items_at(document: &OwnedDoc, path: &str) -> Vec<OwnedDoc> {
    let value = path.split('.').try_fold(document, |value, field| value.as_map()?.get(field));
    value.and_then(Doc::as_list).unwrap_or_default().to_vec()
}

/// Names the key that predicts all observations.
fn describe(spec: &MergeKeySpec, observations: &[Observation]) -> String {
    let explains = |predict: &dyn Fn(&Observation) -> Vec<OwnedDoc>| {
        observations.iter().all(|observation| same_items(predict(observation), observation.result.clone()))
    };
    let keys = spec.candidates.iter().filter(|key| explains(&|observation| merged(observation, key)));
    let mut words: Vec<String> = keys.map(|key| key.join(" + ")).collect();
    if explains(&|observation| observation.request.clone()) {
        words.push("no key (the list is replaced)".to_owned());
    }
    if words.is_empty() { "none of the candidates".to_owned() } else { words.join(", or ") }
}

/// Predicts the items of a list that is merged by a key: an item of the request changes the first live item with the
/// same values of the key, or is added.
fn merged(observation: &Observation, key: &[String]) -> Vec<OwnedDoc> {
    let mut items = observation.live.clone();
    for change in &observation.request {
        let is_match =
            |item: &OwnedDoc| key.iter().all(|field| field_of(item, field) == field_of(change, field));
        match (items.iter_mut().find(|item| is_match(item)), change.as_map()) {
            (Some(Doc::Map(item)), Some(change)) => {
                for (field, value) in change.iter() {
                    item.insert(field.clone(), value.clone());
                }
            }
            _ => items.push(change.clone()),
        }
    }
    items
}

fn field_of<'a>(item: &'a OwnedDoc, field: &str) -> Option<&'a OwnedDoc> {
    item.as_map()?.get(field)
}

/// Returns true if two lists have the same items, in any order.
fn same_items(mut left: Vec<OwnedDoc>, mut right: Vec<OwnedDoc>) -> bool {
    for items in [&mut left, &mut right] {
        items.sort_by_cached_key(ToString::to_string);
    }
    left == right
}
