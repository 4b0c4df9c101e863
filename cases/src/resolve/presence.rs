//! The keys that the operation of a case needs, and the points of the matrix at which they are present.

use std::borrow::Cow;

use skewer_skew::{OperationDeclaration, Request, Role};

use crate::format::RequestName;
use crate::model::{Case, CaseOperation, Condition, Overlay, Point};
use crate::setting::{OtherRequestSetting, Setting};

/// A key of a case file that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequiredKey {
    Document(Role),
    Intent,
    Request,
    /// The tool of the client.
    Tool,
}

/// Returns all keys, in the order in which messages list them.
fn all_keys() -> impl Iterator<Item = RequiredKey> {
    let documents = Role::ALL.iter().copied().map(RequiredKey::Document);
    documents.chain([RequiredKey::Intent, RequiredKey::Request, RequiredKey::Tool])
}

impl RequiredKey {
    /// Returns a description of the operation, and the keys that the operation needs. A skew case that only applies a
    /// configuration needs no intent.
    pub(super) fn of_operation(operation: &CaseOperation) -> (Cow<'static, str>, Vec<RequiredKey>) {
        match operation {
            CaseOperation::Skew => {
                ("a case with clients and servers".into(), vec![RequiredKey::Intent, RequiredKey::Request])
            }
            CaseOperation::Patch(operation) => {
                let declaration = operation.kind.declaration();
                let description = format!("a case that {}", declaration.about);
                let documents = declaration.document_roles().map(RequiredKey::Document);
                (
                    description.into(),
                    documents.chain(declaration.is_request().then_some(RequiredKey::Request)).collect(),
                )
            }
            CaseOperation::Declare(_) => ("the case".into(), Vec::new()),
        }
    }

    /// Returns the name of the key in a case file.
    pub(super) fn name(self) -> &'static str {
        match self {
            RequiredKey::Document(role) => role.name(),
            RequiredKey::Intent => "intent",
            RequiredKey::Request => "request",
            RequiredKey::Tool => "tool",
        }
    }

    /// Returns true if a setting has the key.
    pub(super) fn is_set(self, setting: &Setting) -> bool {
        match self {
            RequiredKey::Document(role) => setting.documents.contains_key(&role),
            RequiredKey::Intent => setting.intent.is_some(),
            RequiredKey::Request => setting.request.is_some(),
            RequiredKey::Tool => setting.client.tool.is_some(),
        }
    }

    /// Returns the bit that represents the key in [`Contribution::keys`].
    const fn bit(self) -> u32 {
        match self {
            RequiredKey::Document(role) => 1 << role as u32,
            RequiredKey::Intent => 1 << Role::ALL.len(),
            RequiredKey::Request => 2 << Role::ALL.len(),
            RequiredKey::Tool => 4 << Role::ALL.len(),
        }
    }
}

/// Returns true if a case with these keys is complete without an intent, as far as it applies its configuration.
fn needs_no_intent(keys: u32) -> bool {
    keys & RequiredKey::Document(Role::Configuration).bit() != 0
}

/// The keys that a case, each of its axis values and each of its overlays set.
pub(super) struct Presence<'a> {
    case: &'a Case,
    /// Whether the operation is a whole request to a server. Then a request that can create the object needs no `live`.
    is_request: bool,
    /// The keys that every cell needs and that at least one cell has. A key that no cell has is reported for the case
    /// as a whole.
    required: u32,
    base: Contribution,
    /// For each axis, the contributions of its values.
    axes: Vec<Vec<Contribution>>,
    overlays: Vec<(&'a Condition, Contribution)>,
}

/// The keys that a case, an axis value or an overlay sets, as bits, its request, and what its history has.
#[derive(Clone, Copy)]
struct Contribution {
    keys: u32,
    request: Option<RequestName>,
    /// Whether the first request of the history can create the object. `None` if there is no history.
    creates_object: Option<bool>,
    /// Whether a request of the history applies a manifest, which a later `apply-manifest` can edit.
    applies_manifest: bool,
}

impl Contribution {
    fn of(setting: &Setting) -> Self {
        let keys = all_keys().filter(|key| key.is_set(setting)).fold(0, |keys, key| keys | key.bit());
        let creates_object = setting.history.first().map(|other| other.request.can_create());
        let is_manifest =
            |other: &OtherRequestSetting| other.request == Request::ApplyManifest && other.document.is_some();
        let applies_manifest = setting.history.iter().any(|other| is_manifest(other));
        Contribution { keys, request: setting.request, creates_object, applies_manifest }
    }
}

impl<'a> Presence<'a> {
    pub(super) fn of(case: &'a Case) -> Self {
        let (_, required) = RequiredKey::of_operation(&case.operation);
        let of_axis = |values: &[(String, Setting)]| {
            values.iter().map(|(_, setting)| Contribution::of(setting)).collect::<Vec<_>>()
        };
        let base = Contribution::of(&case.base);
        let axes: Vec<Vec<Contribution>> = case.axes.iter().map(|axis| of_axis(&axis.values)).collect();
        let of_overlay = |overlay: &'a Overlay| (&overlay.condition, Contribution::of(&overlay.setting));
        let overlays: Vec<_> = case.overlays.iter().map(of_overlay).collect();
        let contributions =
            axes.iter().flatten().chain(overlays.iter().map(|(_, contribution)| contribution));
        let anywhere = contributions.fold(base.keys, |keys, contribution| keys | contribution.keys);
        let mut required = required.iter().fold(0, |keys, key| keys | key.bit()) & anywhere;
        if case.operation == CaseOperation::Skew && needs_no_intent(anywhere) {
            required |= RequiredKey::Intent.bit();
        }
        let is_request = case.operation.declaration().is_some_and(OperationDeclaration::is_request);
        Presence { case, is_request, required, base, axes, overlays }
    }

    /// Returns the keys that the cell at a point needs and lacks. If a compatibility promise compares the cell with
    /// another point, that point is run as well, so the keys that it lacks are included.
    pub(super) fn missing_at(&self, point: &Point) -> impl Iterator<Item = RequiredKey> + use<> {
        let before = self.case.promise.as_ref().map(|promise| promise.before(point));
        let missing = self.missing(point) | before.map_or(0, |before| self.missing(&before));
        all_keys().filter(move |key| missing & key.bit() != 0)
    }

    fn missing(&self, point: &Point) -> u32 {
        let mut at_point = self.base;
        let of_axes = self.axes.iter().zip(&point.0).map(|(values, value)| values[*value]);
        let overlays = self.overlays.iter().filter(|(condition, _)| condition.matches(point));
        for contribution in of_axes.chain(overlays.map(|(_, contribution)| *contribution)) {
            at_point.keys |= contribution.keys;
            at_point.request = contribution.request.or(at_point.request);
            at_point.creates_object = at_point.creates_object.or(contribution.creates_object);
            at_point.applies_manifest |= contribution.applies_manifest;
        }
        let mut required = self.required;
        if self.is_request {
            let creates = at_point.request.and_then(RequestName::request).is_some_and(Request::can_create);
            let live = RequiredKey::Document(Role::Live).bit();
            required &= if creates { !live } else { u32::MAX };
        }
        if self.case.operation == CaseOperation::Skew {
            let bit = |role| RequiredKey::Document(role).bit();
            let live = if at_point.creates_object == Some(true) { 0 } else { bit(Role::Live) };
            if at_point.request.and_then(RequestName::request) == Some(Request::ApplyManifest) {
                let manifest = if at_point.applies_manifest { 0 } else { bit(Role::Configuration) };
                required |= RequiredKey::Tool.bit() | manifest;
            }
            match at_point.request.and_then(RequestName::request) {
                Some(Request::ServerSideApply | Request::ApplyManifest) if needs_no_intent(at_point.keys) => {
                    required &= !RequiredKey::Intent.bit();
                }
                Some(Request::ClientSideApply) => required |= live | bit(Role::LastApplied),
                Some(request) if !request.can_create() => required |= live,
                Some(_) | None => {}
            }
        }
        required & !at_point.keys
    }
}
