//! Cases, checked and resolved.

use std::sync::Arc;

use skewer_engine::patch::Precondition;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::Release;
use skewer_engine::skew::{Intent, Outcome};
use skewer_engine::union::policy::Policy;
use skewer_engine::{ErrorKind, OwnedDoc, OwnedText};

use crate::format::{Level, RequestName};
use crate::parties::Views;
use crate::types::Declaration;

/// A suite: one file.
#[derive(Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub about: String,
    /// The file, as the user knows it.
    pub file: String,
    /// Its cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// One case with its matrix.
#[derive(Clone, Debug)]
pub struct Case {
    /// The suite's name.
    pub suite: Arc<str>,
    /// The name within the suite.
    pub id: Arc<str>,
    /// What the case shows; the suite's text where it has none of its own.
    pub about: Arc<str>,
    /// How binding it is.
    pub level: Level,
    /// The document and section that it executes.
    pub source: Option<Source>,
    /// Rows of the KEP's test matrix.
    pub kep: Vec<u32>,
    /// Upstream issues.
    pub issue: Vec<String>,
    /// What is done.
    pub operands: Operands,
    /// The axes, outermost first.
    pub axes: Vec<Axis>,
    /// The promise that covers the case, if any.
    pub promise: Option<Promise>,
    /// What comes of it; for each cell the first that applies.
    pub expectations: Vec<Expectation>,
    /// The case whose cells those of this one must not do worse than, point by point.
    pub no_worse_than: Option<Box<Case>>,
    pub(crate) excluded: Vec<Condition>,
    pub(crate) base: Setting,
    pub(crate) views: Views,
}

/// What a case does.
#[derive(Clone, Debug, PartialEq)]
pub enum Operands {
    /// A client and a server at work on a stored object.
    Skew,
    /// A strategic merge patch is applied.
    Apply,
    /// A strategic merge patch is created from two documents.
    TwoWay,
    /// A strategic merge patch is created from three documents.
    ThreeWay(ThreeWayOperands),
    /// Strategic merge patches are merged.
    Merge(Vec<OwnedDoc>),
    /// Two strategic merge patches are asked for conflicts.
    Conflicts(OwnedDoc, OwnedDoc),
    /// A JSON merge patch is applied.
    JsonMergeApply,
    /// A JSON merge patch is created from two documents.
    JsonMergeTwoWay,
    /// A JSON merge patch is created from three documents.
    JsonMergeThreeWay(ThreeWayOperands),
    /// A JSON patch is applied.
    JsonPatchApply,
    /// Types are read, and refused.
    Declare(Declaration),
}

/// How a three-way patch is created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreeWayOperands {
    /// The modified document wins over changes in live.
    pub overwrite: bool,
    /// What must not change.
    pub preconditions: Vec<Precondition>,
}

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The document's name.
    pub document: Arc<str>,
    /// The section's heading.
    pub section: Arc<str>,
}

/// A line of a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

/// One axis of a matrix.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub name: String,
    pub(crate) values: Vec<(String, Setting)>,
}

impl Axis {
    /// The names of its values.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.values.iter().map(|(name, _)| name.as_str())
    }
}

/// What a point of the matrix is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setting {
    pub(crate) client: PartySpec,
    pub(crate) server: PartySpec,
    pub(crate) live: Option<OwnedDoc>,
    pub(crate) last_applied: Option<OwnedDoc>,
    pub(crate) patch: Option<OwnedDoc>,
    pub(crate) original: Option<OwnedDoc>,
    pub(crate) modified: Option<OwnedDoc>,
    pub(crate) intent: Option<Intent>,
    pub(crate) request: Option<RequestName>,
}

/// What a party is said to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartySpec {
    pub(crate) lacks: Vec<SchemaElement>,
    pub(crate) lacks_directives: Vec<OwnedText>,
    pub(crate) profile: Option<Profile>,
    pub(crate) release: Option<&'static Release>,
    pub(crate) unstructured: Option<bool>,
    pub(crate) strict: Option<bool>,
    pub(crate) policy: Option<&'static dyn Policy>,
}

/// A point of a case's matrix: for each axis the index of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point(pub(crate) Vec<usize>);

/// For some axes the values that are meant; an axis that is not named may have any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition(pub(crate) Vec<(usize, Vec<usize>)>);

impl Condition {
    pub(crate) fn holds(&self, point: &Point) -> bool {
        self.0.iter().all(|(axis, values)| values.contains(&point.0[*axis]))
    }
}

/// The cells of a case may end as they do at another point: the old client on the old server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    pub(crate) fixed: Vec<(usize, usize)>,
}

impl Promise {
    /// The point that the promise compares this one with.
    #[must_use]
    pub fn before(&self, point: &Point) -> Point {
        let mut before = point.clone();
        for (axis, value) in &self.fixed {
            before.0[*axis] = *value;
        }
        before
    }
}

/// What comes of some cells.
#[derive(Clone, Debug)]
pub struct Expectation {
    pub(crate) condition: Condition,
    /// The answers, of which each is right.
    pub answers: Vec<Answer>,
    /// The cells do worse than those of the case that they are held against, and that is known.
    pub worse: bool,
    /// Why.
    pub because: Option<Arc<str>>,
    /// Where it is written.
    pub location: Location,
}

/// A right answer. What is `None` is not asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// What becomes of the intent.
    pub outcome: Option<Outcome>,
    /// The document that results.
    pub result: Option<OwnedDoc>,
    /// The kind of error that refuses it.
    pub error: Option<ErrorKind>,
    /// The rule that refused types break.
    pub rule: Option<&'static str>,
}
