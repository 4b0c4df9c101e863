//! The time of server-side apply and of managed updates grows linearly with the length of lists and of managed fields.
//!
//! The test doubles the length several times. The time for each item must not grow with the length; operations that
//! compare each item with every other would take 16 times as long for each item of the longest list.

use std::sync::Arc;
use std::time::Duration;

use rstest::rstest;
use skewer_engine::patch::PatchLibrary;
use skewer_engine::server_side_apply::{FieldManager, Resource, ResourceVersion, WriteRequest};
use skewer_engine::{ErrorKind, OwnedDoc, Result};

use crate::helpers::{json, schema_of, thread_time};

const TYPES: &str = r#"
type Root struct {
  // +listType=map
  // +listMapKey=name
  Items []Item `json:"items,omitempty"`
  // +listType=map
  // +listMapKey=port
  // +listMapKey=protocol
  Ports []Port `json:"ports,omitempty"`
  // +listType=set
  Names  []string          `json:"names,omitempty"`
  // +listType=set
  Sizes  []int             `json:"sizes,omitempty"`
  Labels map[string]string `json:"labels,omitempty"`
}
type Item struct {
  Name string `json:"name"`
  Size int    `json:"size,omitempty"`
}
type Port struct {
  Port     int    `json:"port"`
  Protocol string `json:"protocol"`
}
"#;

const SHORTEST: i64 = 20;
const DOUBLINGS: usize = 4;

/// Maximum ratio between the times for an item of the longest list and of the shortest one.
const MAX_GROWTH: f64 = 4.0;

/// A change of lists with the items `0..n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Nothing,
    Reversed,
    EveryOtherDeleted,
    AllDeletedButOne,
    AllNew,
    AllChanged,
    /// The second half of the items comes before the first half, in reverse order, and between new items.
    Shuffled,
    /// Each key occurs in two items.
    DuplicateKeys,
    /// All items have the same key.
    OneKey,
}

impl Change {
    fn has_duplicates(self) -> bool {
        matches!(self, Change::DuplicateKeys | Change::OneKey)
    }

    /// Returns the numbers of the items, in the order of the list.
    fn numbers(self, n: i64) -> Vec<i64> {
        match self {
            Change::Nothing | Change::AllChanged => (0..n).collect(),
            Change::Reversed => (0..n).rev().collect(),
            Change::EveryOtherDeleted => (0..n).step_by(2).collect(),
            Change::AllDeletedButOne => vec![n / 2],
            Change::AllNew => (n..2 * n).collect(),
            Change::Shuffled => (n / 2..n).rev().flat_map(|i| [i, i + n]).chain((0..n / 2).rev()).collect(),
            Change::DuplicateKeys => (0..n).map(|i| i / 2).collect(),
            Change::OneKey => vec![0; usize::try_from(n).unwrap()],
        }
    }

    fn object(self, n: i64) -> OwnedDoc {
        let numbers = self.numbers(n);
        let size = |i: i64| if self == Change::AllChanged { -i } else { i };
        let list = |item: &dyn Fn(i64) -> String| -> String {
            numbers.iter().map(|i| item(*i)).collect::<Vec<_>>().join(",")
        };
        let labels = if self.has_duplicates() {
            String::new()
        } else {
            list(&|i| format!(r#""label-{i}":"{}""#, size(i)))
        };
        json(&format!(
            r#"{{"apiVersion":"v1","kind":"Root","items":[{}],"ports":[{}],"names":[{}],"sizes":[{}],"labels":{{{labels}}}}}"#,
            list(&|i| format!(r#"{{"name":"item-{i}","size":{}}}"#, size(i))),
            list(&|i| format!(r#"{{"port":{i},"protocol":"TCP"}}"#)),
            list(&|i| format!(r#""name-{i}""#)),
            list(&|i| i.to_string()),
        ))
    }
}

fn resource() -> Resource {
    let schema = Arc::new(schema_of(TYPES));
    let root = schema.named("Root").unwrap();
    let version = |api_version: &str| ResourceVersion {
        api_version: api_version.into(),
        schema: Arc::clone(&schema),
        root,
        renames: Vec::new(),
        reset_fields: Vec::new(),
    };
    Resource::new(vec![version("v1"), version("v2")])
}

/// The objects of a measurement.
struct Objects {
    /// The object with its list items in their original order. The manager `a` has applied all items. The manager `b`
    /// has applied every second item, in another API version.
    live: OwnedDoc,
    /// `live` after an update with the change.
    live_changed: OwnedDoc,
    original: OwnedDoc,
    changed: OwnedDoc,
}

fn by(manager: &str, force: bool) -> WriteRequest<'_> {
    WriteRequest { manager, force, time: None }
}

impl Objects {
    fn new(manager: &FieldManager<'_>, n: i64, change: Change) -> Self {
        let (original, changed) = (Change::Nothing.object(n), change.object(n));
        let live = manager.apply(None, &original, by("a", false)).unwrap();
        // An object with duplicates cannot be converted.
        let live = if change.has_duplicates() { live } else { applied_in_other_version(manager, &live, n) };
        let live = manager.update(Some(&live), &original, by("u", false)).unwrap();
        let live_changed = manager.update(Some(&live), &changed, by("u", false)).unwrap();
        Objects { live, live_changed, original, changed }
    }
}

/// Returns the object after the manager `b` has applied every other item in version `v2`.
fn applied_in_other_version(manager: &FieldManager<'_>, live: &OwnedDoc, n: i64) -> OwnedDoc {
    let mut half = Change::EveryOtherDeleted.object(n);
    half.as_map_mut().unwrap().insert("apiVersion".into(), "v2".into());
    FieldManager { api_version: "v2", ..*manager }.apply(Some(live), &half, by("b", false)).unwrap()
}

fn time_of(
    operation: impl FnOnce() -> Result<OwnedDoc>,
    is_expected: impl Fn(&Result<OwnedDoc>) -> bool,
) -> Duration {
    let started = thread_time();
    let result = operation();
    let time = thread_time().saturating_sub(started);
    assert!(is_expected(&result), "{:?}", result.map_err(|error| error.kind()).err());
    time
}

/// Runs requests of all kinds and returns the time that they took.
fn time_of_all_requests(manager: &FieldManager<'_>, objects: &Objects, change: Change) -> Duration {
    let Objects { live, live_changed, original, changed } = objects;
    let expected = |result: &Result<OwnedDoc>| match result {
        Ok(_) => !change.has_duplicates(),
        Err(error) => change.has_duplicates() && error.kind() == ErrorKind::DuplicateListItem,
    };
    let conflict_or_expected = |result: &Result<OwnedDoc>| {
        expected(result) || result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Conflict)
    };
    // The owner of all items, a new owner, a new owner without force, and the owner after the change.
    time_of(|| manager.apply(Some(live), changed, by("a", true)), expected)
        + time_of(|| manager.apply(Some(live), changed, by("c", true)), expected)
        + time_of(|| manager.apply(Some(live), changed, by("c", false)), conflict_or_expected)
        + time_of(|| manager.apply(Some(live_changed), original, by("a", true)), Result::is_ok)
        + time_of(|| manager.apply(None, changed, by("a", true)), expected)
        + time_of(|| manager.update(Some(live), changed, by("u", false)), Result::is_ok)
        + time_of(|| manager.update(Some(live_changed), original, by("u", false)), Result::is_ok)
}

#[rstest]
fn time_for_each_item_does_not_grow(
    #[values(
        Change::Nothing,
        Change::Reversed,
        Change::EveryOtherDeleted,
        Change::AllDeletedButOne,
        Change::AllNew,
        Change::AllChanged,
        Change::Shuffled,
        Change::DuplicateKeys,
        Change::OneKey
    )]
    change: Change,
) {
    let resource = resource();
    let manager = FieldManager {
        resource: &resource,
        api_version: "v1",
        subresource: "",
        library: PatchLibrary::NEWEST,
    };
    let lengths: Vec<i64> = (0..=DOUBLINGS).map(|doubling| SHORTEST << doubling).collect();
    let objects: Vec<Objects> = lengths.iter().map(|n| Objects::new(&manager, *n, change)).collect();
    // The measurements alternate, and the shortest time counts, because other processes may disturb a measurement.
    let mut quickest = vec![Duration::MAX; lengths.len()];
    for _ in 0..2 {
        for (quickest, objects) in quickest.iter_mut().zip(&objects) {
            *quickest = (*quickest).min(time_of_all_requests(&manager, objects, change));
        }
    }
    // The kernel may update the processor time only every few milliseconds: a shorter time can be measured as zero.
    let shortest = quickest[0].max(Duration::from_millis(4)).as_secs_f64();
    for (doubling, time) in quickest.iter().enumerate() {
        let growth = time.as_secs_f64() / shortest / f64::from(1 << doubling);
        assert!(growth < MAX_GROWTH, "{lengths:?} items take {quickest:?}");
    }
}
