//! The documents that the operation of a case needs, and the points of its matrix that have them.

use skewer_engine::skew::Request;

use crate::format::RequestName;
use crate::model::{Case, CaseOperation, Point, Setting};

/// A key of a case that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredKey {
    Live,
    Patch,
    Original,
    Modified,
    LastApplied,
    Intent,
    Request,
}

const ALL: [RequiredKey; 7] = [
    RequiredKey::Live,
    RequiredKey::Patch,
    RequiredKey::Original,
    RequiredKey::Modified,
    RequiredKey::LastApplied,
    RequiredKey::Intent,
    RequiredKey::Request,
];

impl RequiredKey {
    /// Returns the keys that an operation needs in any case, with a description of the operation.
    pub(super) fn of_operation(operation: &CaseOperation) -> (&'static str, &'static [RequiredKey]) {
        use RequiredKey::{Intent, LastApplied, Live, Modified, Original, Patch, Request};
        match operation {
            CaseOperation::Skew => ("a case with clients and servers", &[Intent, Request]),
            CaseOperation::Apply | CaseOperation::JsonMergeApply | CaseOperation::JsonPatchApply => {
                ("a case that applies a patch", &[Live, Patch])
            }
            CaseOperation::TwoWay | CaseOperation::JsonMergeTwoWay => {
                ("a case that makes a patch of two documents", &[Original, Modified])
            }
            CaseOperation::ThreeWay(_) | CaseOperation::JsonMergeThreeWay(_) => {
                ("a case that makes a patch of three documents", &[LastApplied, Modified, Live])
            }
            CaseOperation::Merge(_) | CaseOperation::Conflicts(..) | CaseOperation::Declare(_) => {
                ("the case", &[])
            }
        }
    }

    /// Returns the key as a case file has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            RequiredKey::Live => "live",
            RequiredKey::Patch => "patch",
            RequiredKey::Original => "original",
            RequiredKey::Modified => "modified",
            RequiredKey::LastApplied => "last-applied",
            RequiredKey::Intent => "intent",
            RequiredKey::Request => "request",
        }
    }

    /// Returns true if a setting has the key.
    pub(super) fn is_set(self, setting: &Setting) -> bool {
        match self {
            RequiredKey::Live => setting.live.is_some(),
            RequiredKey::Patch => setting.patch.is_some(),
            RequiredKey::Original => setting.original.is_some(),
            RequiredKey::Modified => setting.modified.is_some(),
            RequiredKey::LastApplied => setting.last_applied.is_some(),
            RequiredKey::Intent => setting.intent.is_some(),
            RequiredKey::Request => setting.request.is_some(),
        }
    }
}

/// The keys that a case, and each value of its axes, contribute.
pub(super) struct Presence<'a> {
    case: &'a Case,
    /// The keys that each cell needs and some cell has: a key that no cell has is reported once for the case.
    required: u8,
    base: Contribution,
    /// For each axis the contribution of each value.
    axes: Vec<Vec<Contribution>>,
}

/// The keys that are set, as bits in the order of [`ALL`], and the request.
#[derive(Clone, Copy)]
struct Contribution {
    keys: u8,
    request: Option<RequestName>,
}

impl Contribution {
    fn of(setting: &Setting) -> Self {
        let keys = ALL.iter().filter(|key| key.is_set(setting)).fold(0, |keys, key| keys | bit(*key));
        Contribution { keys, request: setting.request }
    }
}

fn bit(key: RequiredKey) -> u8 {
    1 << (key as u8)
}

impl<'a> Presence<'a> {
    pub(super) fn of(case: &'a Case) -> Self {
        let (_, required) = RequiredKey::of_operation(&case.operation);
        let of_axis = |values: &[(String, Setting)]| {
            values.iter().map(|(_, setting)| Contribution::of(setting)).collect::<Vec<_>>()
        };
        let base = Contribution::of(&case.base);
        let axes: Vec<Vec<Contribution>> = case.axes.iter().map(|axis| of_axis(&axis.values)).collect();
        let anywhere = axes.iter().flatten().fold(base.keys, |keys, contribution| keys | contribution.keys);
        let required = required.iter().fold(0, |keys, key| keys | bit(*key)) & anywhere;
        Presence { case, required, base, axes }
    }

    /// Returns the keys that the cell at a point needs and does not have. The point that the compatibility promise compares
    /// it with is run too, and needs as much.
    pub(super) fn missing_at(&self, point: &Point) -> impl Iterator<Item = RequiredKey> + use<> {
        let before = self.case.promise.as_ref().map(|promise| promise.before(point));
        let missing = self.missing(point) | before.map_or(0, |before| self.missing(&before));
        ALL.into_iter().filter(move |key| missing & bit(*key) != 0)
    }

    fn missing(&self, point: &Point) -> u8 {
        let mut at_point = self.base;
        for (values, value) in self.axes.iter().zip(&point.0) {
            let contribution = values[*value];
            at_point.keys |= contribution.keys;
            at_point.request = contribution.request.or(at_point.request);
        }
        let mut required = self.required;
        if self.case.operation == CaseOperation::Skew {
            match at_point.request.and_then(RequestName::request) {
                Some(Request::Create) | None => {}
                Some(Request::Apply) => required |= bit(RequiredKey::Live) | bit(RequiredKey::LastApplied),
                Some(_) => required |= bit(RequiredKey::Live),
            }
        }
        required & !at_point.keys
    }
}
