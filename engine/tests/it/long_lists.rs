//! The time of patch operations on a list grows linearly with the length of the list.
//!
//! The test compares the times of two lists of which one is ten times as long as the other. Linear operations take
//! about ten times as long; operations that compare each item with every other would take a hundred times as long.

use std::time::Duration;

use rstest::rstest;
use skewer_engine::OwnedDoc;
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};

use crate::helpers::{context_of, json, thread_time};

const TYPES: &str = r#"
type Root struct {
  Items []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Names []string `json:"names,omitempty" patchStrategy:"merge"`
}
type Item struct {
  Name string `json:"name"`
  Size int    `json:"size,omitempty"`
}
"#;

fn context() -> PatchContext {
    context_of(TYPES, "Root")
}

/// A change of a list with the items `0..n`.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Reversed,
    EveryOtherDeleted,
    AllNew,
    AllChanged,
    /// Each key occurs in two items.
    DuplicateKeys,
    /// Half of the keys are integers, the other half strings.
    MixedKeys,
}

fn items(n: i64, change: Change) -> Vec<String> {
    let item = |name: String, size: i64| format!(r#"{{"name":{name},"size":{size}}}"#);
    let named = |i: i64, size: i64| item(format!("\"item-{i}\""), size);
    match change {
        Change::Nothing => (0..n).map(|i| named(i, i)).collect(),
        Change::Reversed => (0..n).rev().map(|i| named(i, i)).collect(),
        Change::EveryOtherDeleted => (0..n).step_by(2).map(|i| named(i, i)).collect(),
        Change::AllNew => (0..n).map(|i| named(n + i, i)).collect(),
        Change::AllChanged => (0..n).map(|i| named(i, -i)).collect(),
        Change::DuplicateKeys => (0..n).map(|i| named(i / 2, i)).collect(),
        Change::MixedKeys => (0..n)
            .map(|i| item(if i % 2 == 0 { i.to_string() } else { format!("\"item-{i}\"") }, i))
            .collect(),
    }
}

fn documents(n: i64, change: Change) -> (OwnedDoc, OwnedDoc) {
    let document = |change| {
        let names = items(n, change).iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(",");
        let text = format!(r#"{{"items":[{}],"names":[{names}]}}"#, items(n, change).join(","));
        json(&text)
    };
    (document(Change::Nothing), document(change))
}

/// Runs all patch operations that process lists and returns the time that they took.
fn time_of_all_operations(context: &PatchContext, (original, modified): &(OwnedDoc, OwnedDoc)) -> Duration {
    let started = thread_time();
    let created = patch::two_way(context, original, modified).unwrap();
    let reverse = patch::two_way(context, modified, original).unwrap();
    patch::apply(context, original, &created).unwrap();
    patch::apply(context, modified, &reverse).unwrap();
    patch::apply(context, original, modified).unwrap();
    patch::apply(context, modified, original).unwrap();
    patch::combine(context, &[original.clone(), modified.clone()]).unwrap();
    let documents = ThreeWay { last_applied: original, modified, live: original };
    patch::three_way(context, documents, Overwrite::Yes, &[]).unwrap();
    let documents = ThreeWay { last_applied: modified, modified: original, live: modified };
    // The result can be a conflict. Only the time matters here.
    let _ = patch::three_way(context, documents, Overwrite::No, &[]);
    patch::have_conflicts(context, original, modified).unwrap();
    thread_time().saturating_sub(started)
}

#[rstest]
fn time_grows_linearly_with_the_length_of_a_list(
    #[values(
        Change::Nothing,
        Change::Reversed,
        Change::EveryOtherDeleted,
        Change::AllNew,
        Change::AllChanged,
        Change::DuplicateKeys,
        Change::MixedKeys
    )]
    change: Change,
) {
    const N: i64 = 200;
    let context = context();
    let (few, many) = (documents(N, change), documents(10 * N, change));
    // The measurements alternate, and the shortest time counts, because other processes may disturb a measurement.
    let mut quickest = [Duration::MAX; 2];
    for _ in 0..5 {
        for (quickest, documents) in quickest.iter_mut().zip([&few, &many]) {
            *quickest = (*quickest).min(time_of_all_operations(&context, documents));
        }
    }
    // The kernel may update the processor time only every few milliseconds: a shorter time can be measured as zero.
    let ratio = quickest[1].as_secs_f64() / quickest[0].max(Duration::from_millis(4)).as_secs_f64();
    assert!(ratio < 40.0, "{N} items take {:?}, ten times as many items take {:?}", quickest[0], quickest[1]);
}
