//! The time for a long list grows with its length, not with the square of it, whatever changes in the list.
//!
//! The test compares two times and expects no absolute one: a list ten times as long may take a few tens of times as long, and would take
//! a hundred times as long if every item were compared with every other.

use std::time::Duration;

use rstest::rstest;
use skewer_engine::OwnedDoc;
use skewer_engine::patch::{self, Overwrite, PatchContext, ThreeWay};

use crate::helpers::{context_of, json, now};

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

/// A change of the items `0..n`.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Reversed,
    EveryOtherDeleted,
    AllNew,
    AllChanged,
    /// Each item twice.
    Doubled,
    /// Keys that are integers for one half, and strings for the other.
    Mixed,
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
        Change::Doubled => (0..n).map(|i| named(i / 2, i)).collect(),
        Change::Mixed => (0..n)
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

/// The time that everything takes that looks at lists.
fn all_operations(context: &PatchContext, (original, modified): &(OwnedDoc, OwnedDoc)) -> Duration {
    let started = now();
    let created = patch::two_way(context, original, modified).unwrap();
    let back = patch::two_way(context, modified, original).unwrap();
    patch::apply(context, original, &created).unwrap();
    patch::apply(context, modified, &back).unwrap();
    patch::apply(context, original, modified).unwrap();
    patch::apply(context, modified, original).unwrap();
    patch::combine(context, &[original.clone(), modified.clone()]).unwrap();
    let documents = ThreeWay { last_applied: original, modified, live: original };
    patch::three_way(context, documents, Overwrite::Yes, &[]).unwrap();
    let documents = ThreeWay { last_applied: modified, modified: original, live: modified };
    // What both sides changed is in conflict; what is asked here is how long it takes to say so.
    let _ = patch::three_way(context, documents, Overwrite::No, &[]);
    patch::have_conflicts(context, original, modified).unwrap();
    now().saturating_sub(started)
}

#[rstest]
fn time_grows_much_slower_than_the_square_of_the_length(
    #[values(
        Change::Nothing,
        Change::Reversed,
        Change::EveryOtherDeleted,
        Change::AllNew,
        Change::AllChanged,
        Change::Doubled,
        Change::Mixed
    )]
    change: Change,
) {
    const N: i64 = 200;
    let context = context();
    let (few, many) = (documents(N, change), documents(10 * N, change));
    // The quickest of several, by turns: something else may run on the machine.
    let mut quickest = [Duration::MAX; 2];
    for _ in 0..5 {
        for (quickest, documents) in quickest.iter_mut().zip([&few, &many]) {
            *quickest = (*quickest).min(all_operations(&context, documents));
        }
    }
    // The system counts in ticks of four milliseconds or so: what an optimised build does in less reads as nothing.
    let ratio = quickest[1].as_secs_f64() / quickest[0].max(Duration::from_millis(4)).as_secs_f64();
    assert!(ratio < 40.0, "{N} items take {:?}, ten times as many {:?}", quickest[0], quickest[1]);
}
