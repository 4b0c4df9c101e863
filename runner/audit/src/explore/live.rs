//! Live objects that users give: samples.

use skewer_engine::OwnedDoc;
use skewer_skew::FinalState;

use super::instance::concrete;
use crate::cause::Cause;
use crate::effect::compare;
use crate::revision::{Revisions, Side};
use crate::schema_path::SchemaPath;
use crate::situation::SkewSituation;

/// Maximum number of samples with which the situations of a cause are run.
const MAX_LIVE: usize = 4;

/// A sample in one of the two versions that are explored.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiveObject {
    /// The version in whose form the object is.
    pub created: Side,
    /// The object.
    pub object: OwnedDoc,
    /// The file and the line of the sample.
    pub place: String,
    /// The number of bytes, for the order of samples.
    size: usize,
}

impl LiveObject {
    /// Creates an object.
    #[must_use]
    pub fn new(created: Side, object: OwnedDoc, place: String) -> Self {
        let size = object.to_string().len();
        LiveObject { created, object, place, size }
    }
}

/// Returns the samples with which the situations of a cause are run: at most [`MAX_LIVE`]. Those that the two versions
/// admit differently come first, then those that contain the changed element, and among these the smallest. A sample
/// that does not contain the object of the changed element is left out.
///
/// If the versions have other differences than those of the cause, the first rule does not apply. `is_isolated` says
/// that they have none.
///
/// Each sample is created once for each cause to find this out, so that the time grows with the number of samples times
/// the number of causes, and the number of situations does not grow with the number of samples.
pub(super) fn smallest_relevant<'s>(
    revisions: &Revisions,
    cause: &Cause,
    samples: &'s [LiveObject],
    is_isolated: bool,
) -> Vec<&'s LiveObject> {
    let is_near = |live: &LiveObject| {
        let path = match live.created {
            Side::Old => Some(&cause.path),
            Side::New => cause.renamed.first().map(|rename| &rename.to).or(Some(&cause.path)),
        };
        let parent = path.and_then(SchemaPath::parent);
        parent.is_none_or(|parent| concrete(&live.object, parent.steps()).is_some())
    };
    let contains_element = |live: &LiveObject| {
        let of_renames = cause.renamed.iter().flat_map(|rename| [&rename.from, &rename.to]);
        std::iter::once(&cause.path)
            .chain(of_renames)
            .any(|path| concrete(&live.object, path.steps()).is_some())
    };
    let mut near: Vec<(bool, bool, usize, &LiveObject)> = samples
        .iter()
        .filter(|live| is_near(live))
        .map(|live| (!(is_isolated && differs(revisions, live)), !contains_element(live), live.size, live))
        .collect();
    near.sort_by(|a, b| (a.0, a.1, a.2, &a.3.place).cmp(&(b.0, b.1, b.2, &b.3.place)));
    near.into_iter().take(MAX_LIVE).map(|(.., live)| live).collect()
}

/// Returns true if the other version refuses an object, or stores another one.
fn differs(revisions: &Revisions, live: &LiveObject) -> bool {
    let create = |side: Side| {
        let situation = SkewSituation::creation(live.object.clone(), side);
        situation.run(revisions).ok().map(|happened| happened.final_state)
    };
    match (create(live.created), create(live.created.other())) {
        (Some(expected @ FinalState::Stored(_)), Some(actual)) => {
            compare(&revisions.new.context, &actual, &expected).is_some()
        }
        _ => false,
    }
}
