//! The effects of a step on one object.

use skewer_engine::server_side_apply::PathElement;
use skewer_engine::{Error, ErrorKind};
use skewer_reports::audit::Severity;
use skewer_reports::preflight::{RequestCase, TriedRepair};

use crate::owners::path_text;

/// The cause of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EffectCause {
    /// A field that the manifest no longer has stays, because another entry owns it, which nobody applies.
    Stuck,
    /// An item that the manifest no longer has stays, without the fields that the tool owned.
    HalfOwned,
    /// A field that the tool never set is removed.
    Removed,
    /// The value of another manager is replaced.
    TakenOver,
    /// Two items of a list get one name.
    SameName,
    /// The owners of all fields are lost.
    OwnersLost,
    /// Another manager owns a field that the manifest changes.
    Conflict,
    /// The manifest has two items with one key.
    Duplicate,
    /// A field that the types do not have.
    Undeclared,
    /// The tool cannot compare the object with the manifest, and does nothing by itself.
    NotComparable,
    /// The request is refused for another reason.
    Refused(ErrorKind),
    /// The owners of fields stay as they are, whatever changes.
    OwnersStale,
    /// A field that the manifest no longer has stays, because a manager that applies owns it, too.
    Shared,
    /// A field is changed as the manifest says.
    Changed,
    /// The manifest has another version than the object.
    OtherVersion,
}

impl EffectCause {
    /// Returns how bad the effect is.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            EffectCause::Stuck
            | EffectCause::HalfOwned
            | EffectCause::Removed
            | EffectCause::TakenOver
            | EffectCause::OwnersLost => Severity::Silent,
            EffectCause::SameName
            | EffectCause::Conflict
            | EffectCause::Duplicate
            | EffectCause::Undeclared
            | EffectCause::NotComparable
            | EffectCause::Refused(_) => Severity::Loud,
            EffectCause::OwnersStale
            | EffectCause::Shared
            | EffectCause::Changed
            | EffectCause::OtherVersion => Severity::Note,
        }
    }

    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EffectCause::Stuck => "stuck field",
            EffectCause::HalfOwned => "half-owned item",
            EffectCause::Removed => "field removed",
            EffectCause::TakenOver => "field taken over",
            EffectCause::SameName => "two items of one name",
            EffectCause::OwnersLost => "owners lost",
            EffectCause::Conflict => "conflict",
            EffectCause::Duplicate => "duplicate item",
            EffectCause::Undeclared => "undeclared field",
            EffectCause::NotComparable => "not comparable",
            EffectCause::Refused(kind) => kind.id(),
            EffectCause::OwnersStale => "owners stale",
            EffectCause::Shared => "shared field",
            EffectCause::Changed => "changed",
            EffectCause::OtherVersion => "other version",
        }
    }

    /// Returns the cause of a refusal without conflicts.
    #[must_use]
    pub fn of_refusal(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::DuplicateListItem => EffectCause::Duplicate,
            ErrorKind::FieldNotDeclared | ErrorKind::StrictUnknownField => EffectCause::Undeclared,
            kind => EffectCause::Refused(kind),
        }
    }
}

/// The path of a field in an object.
pub type OwnedPath = Vec<PathElement<'static>>;

/// An effect of a step on one object.
#[derive(Clone, Debug)]
pub struct ObjectEffect {
    /// The cause.
    pub cause: EffectCause,
    /// The path in the notation of field sets. Empty for the whole object.
    pub path: String,
    /// The path of a field of the object, if the effect is on one.
    pub field: Option<OwnedPath>,
    /// The effects, one sentence each.
    pub sentences: Vec<String>,
    /// The repair that was tried and worked.
    pub repair: Option<TriedRepair>,
    /// The case that shows the effect, if cases are written.
    pub case: Option<RequestCase>,
}

impl ObjectEffect {
    /// Creates an effect without a repair.
    #[must_use]
    pub fn new(cause: EffectCause, path: String, sentence: String) -> Self {
        ObjectEffect { cause, path, field: None, sentences: vec![sentence], repair: None, case: None }
    }

    /// Creates the effect of a refusal without conflicts.
    #[must_use]
    pub fn of_refusal(error: &Error, sentence: String) -> Self {
        let is_whole = error.path().segments().is_empty();
        let path = if is_whole { String::new() } else { error.path().to_string() };
        ObjectEffect::new(EffectCause::of_refusal(error), path, sentence)
    }

    /// Creates an effect on a field.
    #[must_use]
    pub fn on_field(cause: EffectCause, field: OwnedPath, sentence: String) -> Self {
        let path = path_text(&field);
        ObjectEffect { field: Some(field), ..ObjectEffect::new(cause, path, sentence) }
    }
}

/// The end of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectEnd {
    /// It was created.
    Created,
    /// Only managed fields have changed, if anything.
    Unchanged,
    /// Fields have changed.
    Changed,
    /// A request was refused.
    Refused,
}
