use std::sync::Arc;

use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::skew::{OperationDeclaration, OperationKind, OperationOptions, Outcome};
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
    /// An operation on patches.
    Patch(PatchOperation),
    /// A check that type declarations are refused.
    Declare(Declaration),
}

impl CaseOperation {
    /// Returns the declaration of an operation on patches; `None` for any other.
    #[must_use]
    pub fn declaration(&self) -> Option<&'static OperationDeclaration> {
        match self {
            CaseOperation::Patch(operation) => Some(operation.kind.declaration()),
            CaseOperation::Skew | CaseOperation::Declare(_) => None,
        }
    }
}

/// An operation on patches. The axes can contribute to its documents, but not to its list and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOperation {
    /// The kind of the operation.
    pub kind: OperationKind,
    /// The list of documents; empty if the operation has none.
    pub list: Vec<OwnedDoc>,
    /// The options.
    pub options: PatchOptions,
}

/// The options of an operation on patches.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOptions {
    /// Treatment of fields that were changed differently in live.
    pub overwrite: Overwrite,
    /// Keys that the patch must not change.
    pub preconditions: Vec<Precondition>,
}

impl PatchOptions {
    /// Returns the options as the engine takes them.
    #[must_use]
    pub fn as_operation_options(&self) -> OperationOptions<'_> {
        OperationOptions { overwrite: self.overwrite, preconditions: &self.preconditions }
    }
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
    /// Returns the names of its values.
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

/// A compatibility promise of a case: in these cells, the result may be that of the old client on the old server instead
/// of the ideal.
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
