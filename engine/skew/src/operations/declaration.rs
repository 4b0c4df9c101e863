//! Declarations of the properties of each operation. The case format, the plan of a cell, the protocol of targets and
//! the JSON Schemas are derived from these declarations.

use crate::step::StepName;

/// Defines an enum with a declaration for each variant, and a list of all variants.
macro_rules! declared_enum {
    (
        $(#[$docs:meta])*
        $name:ident declared as $declaration:ty {
            $($(#[$variant_docs:meta])* $variant:ident = $value:expr,)+
        }
    ) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_docs])* $variant,)+
        }

        impl $name {
            /// All variants, in the order of their declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// Returns the declaration of the variant.
            #[must_use]
            pub const fn declaration(self) -> &'static $declaration {
                match self {
                    $($name::$variant => const { &$value },)+
                }
            }

            /// Returns the name of the variant.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.declaration().name
            }
        }

        /// Displays the name of the variant.
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(super) use declared_enum;

/// The declaration of a [`Role`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoleDeclaration {
    /// The name of the role, for example `last-applied`.
    pub name: &'static str,
    /// A description of the role, for example "the stored object".
    pub about: &'static str,
    /// Whether an operand with this role is a list of documents.
    pub is_list: bool,
    /// Whether the documents are patches, so that they can contain directives.
    pub is_patch: bool,
}

declared_enum! {
    /// The role of a document in an operation.
    Role declared as RoleDeclaration {
        /// The object to patch.
        Live = RoleDeclaration {
            name: "live",
            about: "the stored object",
            is_list: false,
            is_patch: false,
        },
        /// The patch to apply.
        Patch = RoleDeclaration {
            name: "patch",
            about: "the patch to apply",
            is_list: false,
            is_patch: true,
        },
        /// Several patches.
        Patches = RoleDeclaration {
            name: "patches",
            about: "the patches",
            is_list: true,
            is_patch: true,
        },
        /// The document before a change.
        Original = RoleDeclaration {
            name: "original",
            about: "the document before the change, when a patch is created",
            is_list: false,
            is_patch: false,
        },
        /// The document after a change.
        Modified = RoleDeclaration {
            name: "modified",
            about: "the document that a patch is created for",
            is_list: false,
            is_patch: false,
        },
        /// The document that the client applied last.
        LastApplied = RoleDeclaration {
            name: "last-applied",
            about: "the document that the client applied last",
            is_list: false,
            is_patch: false,
        },
        /// The apply configuration of a server-side apply.
        Configuration = RoleDeclaration {
            name: "configuration",
            about: "the apply configuration",
            is_list: false,
            is_patch: false,
        },
        /// The object that the request writes.
        New = RoleDeclaration {
            name: "new",
            about: "the object that the request writes",
            is_list: false,
            is_patch: false,
        },
        /// The body of a whole request.
        Body = RoleDeclaration {
            name: "body",
            about: "the body of the request; a string is its text, in which keys can occur several times",
            is_list: false,
            is_patch: true,
        },
    }
}

/// The declaration of a [`PatchFormat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchFormatDeclaration {
    /// The name of the format, for example `json-patch`.
    pub name: &'static str,
    /// A description of the format, as a sentence.
    pub about: &'static str,
}

declared_enum! {
    /// The format of a patch, or of another document that a request sends to change an object.
    PatchFormat declared as PatchFormatDeclaration {
        /// A strategic merge patch.
        StrategicMergePatch = PatchFormatDeclaration {
            name: "strategic-merge-patch",
            about: "A strategic merge patch, which needs types.",
        },
        /// A JSON merge patch (RFC 7386).
        JsonMergePatch = PatchFormatDeclaration {
            name: "json-merge-patch",
            about: "A JSON merge patch (RFC 7386).",
        },
        /// A JSON patch (RFC 6902).
        JsonPatch = PatchFormatDeclaration {
            name: "json-patch",
            about: "A JSON patch (RFC 6902), a list of changes. Only a patch case has it, since no client creates one from \
                    documents.",
        },
        /// An apply configuration.
        ServerSideApply = PatchFormatDeclaration {
            name: "server-side-apply",
            about: "An apply configuration, which the server merges into the live object. Only an operation case has it.",
        },
        /// A complete object.
        ManagedUpdate = PatchFormatDeclaration {
            name: "managed-update",
            about: "The object as an update leaves it, for which the server records the owners of the changed fields. \
                    Only an operation case has it.",
        },
        /// No document: the live object alone is changed.
        UpgradeManagedFields = PatchFormatDeclaration {
            name: "upgrade-managed-fields",
            about: "The migration of an object from client-side to server-side apply, which changes its managed fields \
                    only. Only an operation case has it.",
        },
        /// The format that the type of the request says. See [`RequestType`](crate::RequestType).
        OfRequest = PatchFormatDeclaration {
            name: "of-request",
            about: "The format that the type of the request says.",
        },
    }
}

/// The party that performs an operation. The operation uses the patch context of this party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Performer {
    /// The client.
    Client,
    /// The server.
    Server,
}

/// The consequences of leaving an operand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Every request must have the operand.
    Required,
    /// A request can omit the operand. An omitted operand counts as an empty object. In a case, the operand distinguishes
    /// this operation from another operation with the same required operands.
    Distinctive,
    /// A request can omit the operand. An omitted operand counts as an empty object.
    Optional,
}

/// The declaration of an operand. A case has all operands of its operation. A request has at least the required
/// operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandDeclaration {
    /// The role of the operand.
    pub role: Role,
    /// The consequences of leaving the operand out.
    pub presence: Presence,
    /// The number of documents in a list operand, if this number is fixed.
    pub length: Option<usize>,
    /// The name of the step that shows the operand in the explanation of a cell.
    pub step: StepName,
}

impl OperandDeclaration {
    /// Declares an operand with [`Presence::Required`].
    pub(super) const fn required(role: Role, step: StepName) -> Self {
        OperandDeclaration { role, presence: Presence::Required, length: None, step }
    }

    /// Declares an operand with [`Presence::Optional`].
    pub(super) const fn optional(role: Role, step: StepName) -> Self {
        OperandDeclaration { role, presence: Presence::Optional, length: None, step }
    }

    /// Declares an operand with [`Presence::Distinctive`].
    pub(super) const fn distinctive(role: Role, step: StepName) -> Self {
        OperandDeclaration { role, presence: Presence::Distinctive, length: None, step }
    }

    /// Fixes the number of documents in this list operand.
    pub(super) const fn of_length(self, length: usize) -> Self {
        OperandDeclaration { length: Some(length), ..self }
    }

    /// Returns true if every request must have the operand.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }
}

/// The kind of document that an operation returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// An object.
    Object,
    /// A patch.
    Patch,
    /// A boolean.
    Boolean,
}

/// The declaration of an operation.
#[derive(Clone, Copy, Debug)]
pub struct OperationDeclaration {
    /// The name of the operation, for example `json-merge-apply`.
    pub name: &'static str,
    /// A description of the operation that continues the words "a case that", such as "applies a patch".
    pub about: &'static str,
    /// The format of the patch that the operation reads or creates.
    pub format: PatchFormat,
    /// The party that performs the operation.
    pub performer: Performer,
    /// The operands of the operation, in their order in a request.
    pub operands: &'static [OperandDeclaration],
    /// The kind of document that the operation returns.
    pub result: ResultKind,
    /// Whether the operation has the option [`Overwrite`](skewer_engine::patch::Overwrite).
    pub takes_overwrite: bool,
    /// Whether the operation has the option [`Precondition`](skewer_engine::patch::Precondition)s.
    pub takes_preconditions: bool,
    /// Whether the operation has [`FieldManagerOptions`](super::FieldManagerOptions).
    pub takes_field_manager: bool,
}

impl OperationDeclaration {
    /// Returns true if the operation needs types: it reads or creates documents of a format whose meaning depends on them.
    #[must_use]
    pub const fn needs_types(&self) -> bool {
        !matches!(
            self.format,
            PatchFormat::JsonMergePatch | PatchFormat::JsonPatch | PatchFormat::UpgradeManagedFields
        )
    }

    /// Returns true if the operation is a whole request, which has [`ApiRequestOptions`](super::ApiRequestOptions).
    #[must_use]
    pub const fn is_request(&self) -> bool {
        matches!(self.format, PatchFormat::OfRequest)
    }

    /// Returns true if every request of the operation needs a schema. An operation with a field manager deduces the types
    /// of an object without a schema: each party then has a context whose root has the type `any`.
    #[must_use]
    pub const fn needs_schema(&self) -> bool {
        self.needs_types() && !self.takes_field_manager
    }

    /// Returns true if the operation has the option [`force`](super::FieldManagerOptions::force). Only an apply request
    /// has it.
    #[must_use]
    pub const fn takes_force(&self) -> bool {
        matches!(self.format, PatchFormat::ServerSideApply | PatchFormat::OfRequest)
    }

    /// Returns true if the operation has the option [`csa_managers`](super::FieldManagerOptions::csa_managers).
    #[must_use]
    pub const fn takes_csa_managers(&self) -> bool {
        matches!(self.format, PatchFormat::UpgradeManagedFields)
    }

    /// Returns true if the operation has the option [`resource`](super::FieldManagerOptions::resource): the versions of
    /// the resource.
    #[must_use]
    pub const fn takes_versions(&self) -> bool {
        self.takes_field_manager && self.needs_types() && !self.is_request()
    }

    /// Returns the operand that is a list of documents. Returns `None` if each operand is a single document.
    #[must_use]
    pub fn list_operand(&self) -> Option<&'static OperandDeclaration> {
        self.operands.iter().find(|operand| operand.role.declaration().is_list)
    }

    /// Returns the roles of the operands that are single documents.
    pub fn document_roles(&self) -> impl Iterator<Item = Role> + Clone + use<> {
        self.operands.iter().map(|operand| operand.role).filter(|role| !role.declaration().is_list)
    }
}
