use std::sync::Arc;

use skewer_engine::directive::{Directive, DirectiveSet};
use skewer_engine::patch::{Overwrite, Precondition};
use skewer_engine::server_side_apply::Resource;
use skewer_engine::{ErrorKind, FieldPath, OwnedDoc, OwnedText};
use skewer_skew::{
    FieldManagerOptions, OperationDeclaration, OperationKind, OperationOptions, Outcome, Request,
};

use super::final_state::PinnedFinalState;
use crate::format::{Level, RequestName};
use crate::managed_fields::FieldOwner;
use crate::setting::{OtherRequestSetting, Setting, Views};
use crate::types::Declaration;

/// A suite: the cases of one file.
#[derive(Debug)]
pub struct Suite {
    /// The name of the suite.
    pub name: String,
    /// The subject of the suite.
    pub about: String,
    /// The directives that the suite declares, because the engine does not have them.
    pub declared_directives: Vec<&'static dyn Directive>,
    /// The name of the suite file in messages.
    pub file: String,
    /// Hints about parts of the file, each with its position: the old name of a request, or a rule of a definition that is not
    /// simulated.
    pub hints: Vec<String>,
    /// The cases of the suite, in the order of the file.
    pub cases: Vec<Case>,
}

/// One case with its matrix.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the suite that contains the case.
    pub suite: Arc<str>,
    /// The name of the case within its suite.
    pub id: Arc<str>,
    /// The description of the case, or that of the suite if the case has no description.
    pub about: Arc<str>,
    /// The conformance level of the case.
    pub level: Level,
    /// The section of a document that the case tests.
    pub source: Option<Citation>,
    /// The rows of the KEP's test matrix that every cell of the case covers.
    pub kep: Vec<u32>,
    /// The rows of the KEP's test matrix that some points of the case cover.
    pub(crate) kep_rows: Vec<KepRow>,
    /// The upstream issues that the case is about.
    pub issue: Vec<String>,
    /// The resource with the versions that the case declares, if any.
    pub resource: Option<Arc<Resource>>,
    /// The operation that the case runs.
    pub operation: CaseOperation,
    /// The axes of the matrix, outermost first.
    pub axes: Vec<Axis>,
    /// The compatibility promise that covers the case, if any.
    pub promise: Option<CompatibilityPromise>,
    /// The ideals that are written by hand. The first one that matches a cell applies to it.
    pub ideals: Vec<ConditionalFinalState>,
    /// The expectations. The first expectation that matches a cell applies to that cell.
    pub expectations: Vec<Expectation>,
    /// The case that `no-worse-than` names. No cell may do worse than the cell of the reference case at the same point.
    pub reference_case: Option<Box<Case>>,
    /// The conditions that exclude points of the matrix.
    pub(crate) exclusions: Vec<Condition>,
    /// Contributions to some points of the matrix. They overlay the axes, in this order.
    pub(crate) overlays: Vec<Overlay>,
    /// The setting that the case itself contributes. The axes overlay it.
    pub(crate) base: Setting,
    pub(crate) views: Views,
    /// Whether the client negotiates at every point, whatever the setting of the point says.
    pub(crate) client_negotiates: bool,
}

impl Case {
    /// Returns true if the client of a skew case, or another client, can send a server-side apply.
    pub(crate) fn has_server_side_apply(&self) -> bool {
        self.operation == CaseOperation::Skew && self.settings().any(Setting::has_server_side_apply)
    }

    /// Returns true if one of the requests of other clients satisfies a condition.
    pub(crate) fn has_other_request(&self, is_wanted: impl Fn(&OtherRequestSetting) -> bool) -> bool {
        self.settings().flat_map(Setting::other_requests).any(is_wanted)
    }

    /// Returns true if a client of the case, or its webhook, keeps objects as raw maps.
    pub(crate) fn has_unstructured_client(&self) -> bool {
        self.settings().any(|setting| {
            let webhook = setting.webhook.as_ref().map(|webhook| &webhook.party);
            let others = setting.other_requests().map(|other| &other.client);
            let mut parties = others.chain([&setting.client]).chain(webhook);
            parties.any(|party| party.unstructured == Some(true))
        })
    }

    /// Returns true if the operation is a whole request to a server, which creates the object at some points.
    pub(crate) fn is_request_that_can_create(&self) -> bool {
        let creates = |setting: &Setting| {
            setting.request.and_then(RequestName::request).is_some_and(Request::can_create)
        };
        self.operation.declaration().is_some_and(OperationDeclaration::is_request)
            && self.settings().any(creates)
    }

    /// Returns the directives of the engine, and those that the suite declares.
    #[must_use]
    pub fn directives(&self) -> &DirectiveSet {
        self.views.all_directives()
    }

    /// Iterates over the settings of the case itself, of its axis values and of its overlays.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        let of_axes = self.axes.iter().flat_map(|axis| axis.values.iter().map(|(_, setting)| setting));
        let of_overlays = self.overlays.iter().map(|overlay| &overlay.setting);
        std::iter::once(&self.base).chain(of_axes).chain(of_overlays)
    }

    /// Returns the numbers of the rows of the KEP's test matrix that points of the case cover and that the KEP cites. The
    /// other rows are reconstructed.
    pub fn cited_kep_rows(&self) -> impl Iterator<Item = u32> {
        self.kep_rows.iter().filter(|row| row.is_cited).map(|row| row.number)
    }
}

/// The operation that a case runs.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOperation {
    /// A client changes an object that a server stores.
    Skew,
    /// An operation on patches.
    Patch(PatchOperation),
    /// Type declarations are read, and the case passes if they are refused as expected.
    Declare(Declaration),
}

impl CaseOperation {
    /// Returns the declaration of an operation on patches. Returns `None` if the case runs no such operation.
    #[must_use]
    pub fn declaration(&self) -> Option<&'static OperationDeclaration> {
        match self {
            CaseOperation::Patch(operation) => Some(operation.kind.declaration()),
            CaseOperation::Skew | CaseOperation::Declare(_) => None,
        }
    }
}

/// An operation on patches. The axes can contribute to its documents, but not to its list of documents or its options.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOperation {
    /// The kind of the operation.
    pub kind: OperationKind,
    /// The list of documents. It is empty if the operation takes no list.
    pub list: Vec<OwnedDoc>,
    /// The options of the operation.
    pub options: PatchOptions,
}

/// The options of an operation on patches.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchOptions {
    /// Whether the patch overwrites fields that were changed differently in the live object.
    pub overwrite: Overwrite,
    /// Keys that the patch must not change.
    pub preconditions: Vec<Precondition>,
    /// The name of the field manager. It is empty if the operation has none.
    pub manager: String,
    /// Whether the field manager takes fields from other managers.
    pub force: bool,
    /// The managers of client-side apply whose fields the manager takes over. Only the migration of managed fields has
    /// them.
    pub csa_managers: Vec<String>,
}

impl PatchOptions {
    /// Converts the options to those of the engine.
    #[must_use]
    pub fn as_operation_options(&self) -> OperationOptions<'_> {
        OperationOptions {
            overwrite: self.overwrite,
            preconditions: &self.preconditions,
            field_manager: FieldManagerOptions {
                manager: &self.manager,
                force: self.force,
                csa_managers: &self.csa_managers,
                ..FieldManagerOptions::default()
            },
            ..OperationOptions::default()
        }
    }
}

/// A citation of a section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The name of the document.
    pub document: Arc<str>,
    /// The heading of the section.
    pub section: Arc<str>,
}

/// A line of a suite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteLine {
    /// The name of the suite file.
    pub file: Arc<str>,
    /// The line number, counted from 1.
    pub line: usize,
}

/// One axis of a matrix.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The name of the axis.
    pub name: String,
    pub(crate) values: Vec<(String, Setting)>,
}

impl Axis {
    /// Returns the names of the axis values.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.values.iter().map(|(name, _)| name.as_str())
    }
}

/// A point of a matrix: for each axis, the index of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point(pub(crate) Vec<usize>);

impl Point {
    /// Returns the number that the point has in its matrix if each value is replaced by another one. `replacements` has the
    /// new index of each value of each axis. As in `Case::point`, the last axis varies fastest.
    pub(crate) fn number_with(&self, replacements: &[Vec<usize>]) -> usize {
        let values = self.0.iter().zip(replacements);
        values.fold(0, |number, (value, of_axis)| number * of_axis.len() + of_axis[*value])
    }
}

/// A condition on points. It lists axes with their allowed values; an axis that is not listed can have any value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition(pub(crate) Vec<AllowedValues>);

/// The values of an axis that a condition allows.
#[derive(Clone, Debug)]
pub(crate) struct AllowedValues {
    /// The index of the axis.
    pub(crate) axis: usize,
    /// For each value of the axis, whether it is allowed. Every cell is compared with many conditions, so that a list of
    /// the allowed values would be searched too often.
    is_allowed: Vec<bool>,
}

impl AllowedValues {
    pub(crate) fn new(axis: usize, values: usize, allowed: impl Iterator<Item = usize>) -> Self {
        let mut is_allowed = vec![false; values];
        for value in allowed {
            is_allowed[value] = true;
        }
        AllowedValues { axis, is_allowed }
    }

    pub(crate) fn allows(&self, value: usize) -> bool {
        self.is_allowed[value]
    }

    /// Returns the first allowed value. Returns `None` if the suite names only unknown values.
    pub(crate) fn first_allowed(&self) -> Option<usize> {
        self.is_allowed.iter().position(|is_allowed| *is_allowed)
    }
}

impl Condition {
    /// Returns true if the point satisfies the condition.
    pub(crate) fn matches(&self, point: &Point) -> bool {
        self.0.iter().all(|condition| condition.allows(point.0[condition.axis]))
    }
}

/// A pinned final state, with the condition on the cells to which it applies.
#[derive(Clone, Debug)]
pub struct ConditionalFinalState {
    /// The line of the suite file that pins the state.
    pub location: SuiteLine,
    pub(crate) condition: Condition,
    /// The final state.
    pub state: PinnedFinalState,
}

/// A row of the KEP's test matrix: the points that satisfy a condition.
#[derive(Clone, Debug)]
pub(crate) struct KepRow {
    pub(crate) number: u32,
    /// Whether the KEP cites the row. Otherwise, it is reconstructed.
    pub(crate) is_cited: bool,
    pub(crate) condition: Condition,
}

/// A contribution to the points that satisfy a condition.
#[derive(Clone, Debug)]
pub(crate) struct Overlay {
    pub(crate) condition: Condition,
    pub(crate) setting: Setting,
}

/// A compatibility promise of a case: a cell may have the result of the old client on the old server instead of the
/// ideal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatibilityPromise {
    /// The axes that have a fixed value at the point of the old client and the old server: the index of each axis, with
    /// the index of the value.
    pub(crate) before_values: Vec<(usize, usize)>,
}

impl CompatibilityPromise {
    /// Returns the point of the old client and the old server with which the promise compares the given point.
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
    /// The expected answers. A cell passes if it has any one of them.
    pub answers: Vec<ExpectedAnswer>,
    /// The final states of the cells. The first one that matches a cell applies to it.
    pub final_states: Vec<ConditionalFinalState>,
    /// Whether the cells are known to do worse than those of the reference case.
    pub worse: bool,
    /// The reason for the expectation, with the quoted sentence of the source.
    pub because: Option<Arc<str>>,
    /// The line of the expectation in the suite file.
    pub location: SuiteLine,
}

impl Expectation {
    /// Returns true if nobody has given a reason for the final states yet. `skewer run --accept` writes such
    /// expectations.
    #[must_use]
    pub fn is_unreviewed(&self) -> bool {
        !self.final_states.is_empty() && self.because.is_none()
    }
}

/// An expected answer. A field that is `None` matches any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedAnswer {
    /// The outcome of the intent. Only expectations of skew cases have one.
    pub outcome: Option<Outcome>,
    /// The resulting document.
    pub result: Option<OwnedDoc>,
    /// Whether the stored object must equal the result exactly, also in the values that only say that a field is not set.
    /// Only a whole request has it.
    pub is_exact: bool,
    /// The kind of the error.
    pub error: Option<ErrorKind>,
    /// The field path of the error.
    pub path: Option<FieldPath>,
    /// The directive that is invalid. It is compared only if the actual error names a directive.
    pub directive: Option<OwnedText>,
    /// The id of the rule that the declarations violate.
    pub rule: Option<&'static str>,
    /// The conflicts with other field managers, sorted.
    pub conflicts: Option<Vec<ExpectedConflict>>,
    /// All owners of fields after the request, sorted.
    pub owners: Option<Vec<FieldOwner>>,
}

/// An expected conflict with another field manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExpectedConflict {
    /// The name of the other manager.
    pub manager: String,
    /// The path of the field in the notation of field sets.
    pub path: String,
}
