use std::sync::Arc;

use skewer_engine::patch::Precondition;
use skewer_engine::skew::Outcome;
use skewer_engine::{ErrorKind, OwnedDoc, OwnedText};

use super::setting::Setting;
use super::views::Views;
use crate::format::Level;
use crate::types::Declaration;

/// A suite: the cases of one file.
#[derive(Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// Its subject.
    pub about: String,
    /// The name of the file, as the user knows it.
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
    /// A description of the case; that of the suite where it has none of its own.
    pub about: Arc<str>,
    /// The conformance level.
    pub level: Level,
    /// The document and section that it executes.
    pub source: Option<Citation>,
    /// Rows of the KEP's test matrix.
    pub kep: Vec<u32>,
    /// Upstream issues.
    pub issue: Vec<String>,
    /// The operation that is run.
    pub operation: CaseOperation,
    /// The axes, outermost first.
    pub axes: Vec<Axis>,
    /// The compatibility promise that covers the case, if any.
    pub promise: Option<CompatibilityPromise>,
    /// The expectations; the first that matches a cell applies to it.
    pub expectations: Vec<Expectation>,
    /// The case that `no-worse-than` names: no cell may do worse than the cell of that case at the same point.
    pub reference_case: Option<Box<Case>>,
    /// Conditions for points that have no cell.
    pub(crate) exclusions: Vec<Condition>,
    /// The contribution of the case itself, which the axes overlay.
    pub(crate) base: Setting,
    pub(crate) views: Views,
}

/// The operation that a case runs.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOperation {
    /// A client changes an object that a server stores.
    Skew,
    /// A strategic merge patch is applied.
    Apply,
    /// A strategic merge patch is created from two documents.
    TwoWay,
    /// A strategic merge patch is created from three documents.
    ThreeWay(ThreeWayOptions),
    /// Strategic merge patches are merged.
    Merge(Vec<OwnedDoc>),
    /// Two strategic merge patches are checked for conflicts.
    Conflicts(OwnedDoc, OwnedDoc),
    /// A JSON merge patch is applied.
    JsonMergeApply,
    /// A JSON merge patch is created from two documents.
    JsonMergeTwoWay,
    /// A JSON merge patch is created from three documents.
    JsonMergeThreeWay(ThreeWayOptions),
    /// A JSON patch is applied.
    JsonPatchApply,
    /// Type declarations are read, and refused.
    Declare(Declaration),
}

/// Options for creating a three-way patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThreeWayOptions {
    /// The modified document wins over changes in live.
    pub overwrite: bool,
    /// Keys that the patch must not change.
    pub preconditions: Vec<Precondition>,
}

/// A citation of a section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The document's name.
    pub document: Arc<str>,
    /// The section's heading.
    pub section: Arc<str>,
}

/// A line of a suite file.
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

/// A point of a matrix: for each axis the index of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point(pub(crate) Vec<usize>);

/// A condition on points: for some axes the indices of the allowed values; any other axis can have any value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition(pub(crate) Vec<(usize, Vec<usize>)>);

impl Condition {
    /// Returns true if the point satisfies the condition.
    pub(crate) fn matches(&self, point: &Point) -> bool {
        self.0.iter().all(|(axis, values)| values.contains(&point.0[*axis]))
    }
}

/// A compatibility promise: cells may end as they do at another point, that of the old client on the old server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatibilityPromise {
    /// The axes, by index, that have a given value at that other point, with the index of the value.
    pub(crate) before_values: Vec<(usize, usize)>,
}

impl CompatibilityPromise {
    /// Returns the point with which the promise compares this one.
    #[must_use]
    pub fn before(&self, point: &Point) -> Point {
        let mut before = point.clone();
        for (axis, value) in &self.before_values {
            before.0[*axis] = *value;
        }
        before
    }
}

/// The expected results of some cells.
#[derive(Clone, Debug)]
pub struct Expectation {
    pub(crate) condition: Condition,
    /// The expected answers, each of which is right.
    pub answers: Vec<ExpectedAnswer>,
    /// Whether the cells are known to do worse than those of the reference case.
    pub worse: bool,
    /// The reason, with the quoted sentence of the source.
    pub because: Option<Arc<str>>,
    /// Its line in the suite file.
    pub location: Location,
}

/// An expected answer. A field that is `None` can have any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedAnswer {
    /// The outcome of the intent (skew cases).
    pub outcome: Option<Outcome>,
    /// The resulting document.
    pub result: Option<OwnedDoc>,
    /// The kind of the error.
    pub error: Option<ErrorKind>,
    /// The directive that is invalid. It is compared with that of an error that names one.
    pub directive: Option<OwnedText>,
    /// The rule that the refused declarations break.
    pub rule: Option<&'static str>,
}
