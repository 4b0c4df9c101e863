//! The kinds of operations, with their declarations.

use std::fmt;
use std::str::FromStr;

use super::declaration::PatchFormat::{self, JsonMergePatch, JsonPatch, StrategicMergePatch};
use super::declaration::{
    OperandDeclaration, OperationDeclaration, Performer, ResultKind, Role, declared_enum,
};
use crate::step::StepName;

const LIVE: OperandDeclaration = OperandDeclaration::optional(Role::Live, StepName::Stored);
const PATCH: OperandDeclaration = OperandDeclaration::required(Role::Patch, StepName::Request);
const PATCHES: OperandDeclaration = OperandDeclaration::required(Role::Patches, StepName::Request);
const ORIGINAL: OperandDeclaration = OperandDeclaration::optional(Role::Original, StepName::Decoded);
const MODIFIED: OperandDeclaration = OperandDeclaration::required(Role::Modified, StepName::Edited);
const CONFIGURATION: OperandDeclaration =
    OperandDeclaration::required(Role::Configuration, StepName::Request);
/// Declares the live object as an operand that a request must have.
const REQUIRED_LIVE: OperandDeclaration = OperandDeclaration::required(Role::Live, StepName::Stored);
const NEW: OperandDeclaration = OperandDeclaration::required(Role::New, StepName::Request);
const BODY: OperandDeclaration = OperandDeclaration::required(Role::Body, StepName::Request);
const LAST_APPLIED: OperandDeclaration =
    OperandDeclaration::distinctive(Role::LastApplied, StepName::LastApplied);
/// Declares the live object, as the client has decoded it, as an optional operand.
const DECODED_LIVE: OperandDeclaration = OperandDeclaration::optional(Role::Live, StepName::Decoded);

/// Declares an operation that applies a patch.
const fn apply(name: &'static str, format: PatchFormat) -> OperationDeclaration {
    OperationDeclaration {
        name,
        about: "applies a patch",
        format,
        performer: Performer::Server,
        operands: &[LIVE, PATCH],
        result: ResultKind::Object,
        takes_overwrite: false,
        takes_preconditions: false,
        takes_field_manager: false,
    }
}

/// Declares an operation that creates a patch from two documents.
const fn two_way(name: &'static str, format: PatchFormat) -> OperationDeclaration {
    OperationDeclaration {
        about: "creates a patch from two documents",
        performer: Performer::Client,
        operands: &[ORIGINAL, MODIFIED],
        result: ResultKind::Patch,
        ..apply(name, format)
    }
}

/// Declares an operation that creates a patch from three documents.
const fn three_way(name: &'static str, format: PatchFormat) -> OperationDeclaration {
    OperationDeclaration {
        about: "creates a patch from three documents",
        operands: &[LAST_APPLIED, MODIFIED, DECODED_LIVE],
        takes_preconditions: true,
        ..two_way(name, format)
    }
}

declared_enum! {
    /// A kind of operation. The case format, the plan of a cell, the protocol of targets, `skewer serve`, the
    /// differential run and the JSON Schemas are derived from this list.
    ///
    /// ```
    /// use skewer_skew::OperationKind;
    ///
    /// assert_eq!(OperationKind::TwoWay.name(), "two-way");
    /// assert_eq!("two-way".parse(), Ok(OperationKind::TwoWay));
    /// assert!("apply-twice".parse::<OperationKind>().is_err());
    /// ```
    OperationKind declared as OperationDeclaration {
        /// Applies a strategic merge patch.
        Apply = apply("apply", StrategicMergePatch),
        /// Creates a strategic merge patch from two documents.
        TwoWay = OperationDeclaration {
            takes_preconditions: true,
            ..two_way("two-way", StrategicMergePatch)
        },
        /// Creates a strategic merge patch from three documents.
        ThreeWay = OperationDeclaration {
            takes_overwrite: true,
            ..three_way("three-way", StrategicMergePatch)
        },
        /// Checks two strategic merge patches for conflicts.
        Conflicts = OperationDeclaration {
            about: "checks two patches for conflicts",
            performer: Performer::Client,
            operands: &[PATCHES.of_length(2)],
            result: ResultKind::Boolean,
            ..apply("conflicts", StrategicMergePatch)
        },
        /// Merges strategic merge patches into one.
        Merge = OperationDeclaration {
            about: "merges patches into one",
            operands: &[PATCHES],
            result: ResultKind::Patch,
            ..apply("merge", StrategicMergePatch)
        },
        /// Applies a JSON merge patch.
        JsonMergeApply = apply("json-merge-apply", JsonMergePatch),
        /// Creates a JSON merge patch from two documents.
        JsonMergeTwoWay = two_way("json-merge-two-way", JsonMergePatch),
        /// Creates a JSON merge patch from three documents.
        JsonMergeThreeWay = three_way("json-merge-three-way", JsonMergePatch),
        /// Applies a JSON patch, which is a list of changes.
        JsonPatchApply = apply("json-patch-apply", JsonPatch),
        /// Applies a configuration and records its fields as owned by the manager. See
        /// [`FieldManager::apply`](skewer_engine::server_side_apply::FieldManager::apply).
        ServerSideApply = OperationDeclaration {
            about: "applies a configuration for a field manager",
            operands: &[LIVE, CONFIGURATION],
            takes_field_manager: true,
            ..apply("server-side-apply", PatchFormat::ServerSideApply)
        },
        /// Records the owners of the fields that an update changes. See
        /// [`FieldManager::update`](skewer_engine::server_side_apply::FieldManager::update).
        ManagedUpdate = OperationDeclaration {
            about: "records the owners of the fields that an update changes",
            operands: &[LIVE, NEW],
            takes_field_manager: true,
            ..apply("managed-update", PatchFormat::ManagedUpdate)
        },
        /// Gives the fields of managers of client-side apply to a manager of server-side apply. See
        /// [`upgrade_managed_fields`](skewer_engine::server_side_apply::upgrade_managed_fields).
        UpgradeManagedFields = OperationDeclaration {
            about: "gives the fields of client-side apply to a manager of server-side apply",
            performer: Performer::Client,
            operands: &[REQUIRED_LIVE],
            takes_field_manager: true,
            ..apply("upgrade-managed-fields", PatchFormat::UpgradeManagedFields)
        },
        /// Processes a whole request as an API server does: reads the live object, merges the body into it, and returns
        /// the object to store. An object that does not exist is null.
        Request = OperationDeclaration {
            about: "processes a request as an API server does",
            operands: &[LIVE, BODY],
            takes_field_manager: true,
            ..apply("request", PatchFormat::OfRequest)
        },
    }
}

impl OperationKind {
    /// Returns true if the patches of the operation are strategic merge patches.
    #[must_use]
    pub fn is_strategic(self) -> bool {
        self.declaration().format == StrategicMergePatch
    }
}

impl FromStr for OperationKind {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> Result<Self, UnknownOperation> {
        let kind = OperationKind::ALL.iter().copied().find(|kind| kind.name() == name);
        kind.ok_or_else(|| UnknownOperation(name.to_owned()))
    }
}

/// The error for a text that is not the name of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOperation(String);

impl fmt::Display for UnknownOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = OperationKind::ALL.iter().map(|kind| kind.name()).collect();
        write!(f, "unknown operation {:?} (expected one of {})", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownOperation {}
