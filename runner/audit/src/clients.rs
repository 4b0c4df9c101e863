//! The clients that write objects, and those of them that a user declares.

use skewer_skew::{Decoding, Request};

/// The way in which a client writes objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ClientStyle {
    /// A controller that decodes objects into typed structs and updates the whole object.
    TypedUpdate,
    /// A controller that decodes objects into typed structs and sends the difference: as a strategic merge patch if the type
    /// is built in, and as a JSON merge patch if it is a custom resource.
    TypedPatch,
    /// A client whose types refuse values that they do not have, such as one in Rust or Java: an unknown value of an enum, or
    /// no value of a required field. It cannot read such an object, nor a list that contains one. Otherwise, it is as
    /// `TypedUpdate`.
    StrictUpdate,
    /// A client without types that updates the whole object, such as `kubectl replace`.
    UntypedUpdate,
    /// A client without types that sends what it changes, such as `kubectl patch`.
    UntypedPatch,
    /// `kubectl apply`.
    ClientSideApply,
    /// Server-side apply.
    ServerSideApply,
}

impl ClientStyle {
    /// All styles.
    pub const ALL: [ClientStyle; 7] = [
        ClientStyle::TypedUpdate,
        ClientStyle::TypedPatch,
        ClientStyle::StrictUpdate,
        ClientStyle::UntypedUpdate,
        ClientStyle::UntypedPatch,
        ClientStyle::ClientSideApply,
        ClientStyle::ServerSideApply,
    ];

    /// The styles that write in different ways.
    pub const WRITERS: [ClientStyle; 6] = [
        ClientStyle::TypedUpdate,
        ClientStyle::TypedPatch,
        ClientStyle::UntypedUpdate,
        ClientStyle::UntypedPatch,
        ClientStyle::ClientSideApply,
        ClientStyle::ServerSideApply,
    ];

    /// Returns the name in the file `skewer-audit.yaml` and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ClientStyle::TypedUpdate => "typed-update",
            ClientStyle::TypedPatch => "typed-patch",
            ClientStyle::StrictUpdate => "strict-update",
            ClientStyle::UntypedUpdate => "untyped-update",
            ClientStyle::UntypedPatch => "untyped-patch",
            ClientStyle::ClientSideApply => "kubectl-apply",
            ClientStyle::ServerSideApply => "server-side-apply",
        }
    }

    /// Returns what the client does, in a phrase.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            ClientStyle::TypedUpdate => {
                "a controller that decodes objects into typed structs, such as those of Go, and updates the whole object: \
                 a field that its types do not have is gone"
            }
            ClientStyle::TypedPatch => {
                "a controller that decodes objects into typed structs and sends what it changed as a merge patch"
            }
            ClientStyle::StrictUpdate => {
                "a client whose types refuse an unknown value of an enum and a missing required field, such as one in Rust \
                 or Java: it reads neither the object nor a list with it. Otherwise, it is as typed-update"
            }
            ClientStyle::UntypedUpdate => {
                "a client without types that updates the whole object, such as `kubectl replace` or `kubectl edit`"
            }
            ClientStyle::UntypedPatch => {
                "a client without types that sends what it changes, such as `kubectl patch`"
            }
            ClientStyle::ClientSideApply => {
                "`kubectl apply`, which compares its manifest with the last one and with the object"
            }
            ClientStyle::ServerSideApply => {
                "any client that applies on the server, such as `kubectl apply --server-side`"
            }
        }
    }

    /// Returns the client and what it does, for tables.
    #[must_use]
    pub const fn client_and_operation(self) -> (&'static str, &'static str) {
        match self {
            ClientStyle::TypedUpdate => ("typed", "update"),
            ClientStyle::TypedPatch => ("typed", "patch"),
            ClientStyle::StrictUpdate => ("strict", "update"),
            ClientStyle::UntypedUpdate => ("untyped", "update"),
            ClientStyle::UntypedPatch => ("untyped", "patch"),
            ClientStyle::ClientSideApply => ("kubectl", "apply"),
            ClientStyle::ServerSideApply => ("any", "server-side apply"),
        }
    }

    /// Returns true if the client decodes objects into structs, so that its types matter.
    #[must_use]
    pub const fn is_typed(self) -> bool {
        matches!(self, ClientStyle::TypedUpdate | ClientStyle::TypedPatch | ClientStyle::StrictUpdate)
    }

    pub(crate) const fn decoding(self) -> Decoding {
        if self.is_typed() { Decoding::Structured } else { Decoding::Unstructured }
    }

    pub(crate) const fn request(self, is_custom_resource: bool) -> Request {
        match self {
            // Built-in types have strategic merge patches.
            ClientStyle::TypedPatch if !is_custom_resource => Request::StrategicMergePatch,
            ClientStyle::TypedUpdate | ClientStyle::StrictUpdate | ClientStyle::UntypedUpdate => {
                Request::Update
            }
            ClientStyle::TypedPatch | ClientStyle::UntypedPatch => Request::JsonMergePatch,
            ClientStyle::ClientSideApply => Request::ClientSideApply,
            ClientStyle::ServerSideApply => Request::ServerSideApply,
        }
    }
}

/// A set of client styles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clients([bool; ClientStyle::ALL.len()]);

/// Names for several styles. Every style is a name, too.
const GROUPS: [(&str, &[ClientStyle]); 5] = [
    ("typed-controller", &[ClientStyle::TypedUpdate, ClientStyle::TypedPatch]),
    ("strict-controller", &[ClientStyle::StrictUpdate]),
    ("untyped-controller", &[ClientStyle::UntypedUpdate, ClientStyle::UntypedPatch]),
    ("kubectl", &[ClientStyle::ClientSideApply, ClientStyle::UntypedUpdate, ClientStyle::UntypedPatch]),
    ("ssa", &[ClientStyle::ServerSideApply]),
];

impl Clients {
    /// Returns all names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        GROUPS.into_iter().map(|(name, _)| name).chain(ClientStyle::ALL.into_iter().map(ClientStyle::name))
    }

    /// Returns the names for several styles, each with its styles.
    pub fn groups() -> impl Iterator<Item = (&'static str, &'static [ClientStyle])> {
        GROUPS.into_iter()
    }

    /// Adds the styles of a name. Returns false if there is no such name.
    pub fn add(&mut self, name: &str) -> bool {
        let group = GROUPS.into_iter().find(|(known, _)| *known == name).map(|(_, styles)| styles.to_vec());
        let one = || ClientStyle::ALL.into_iter().find(|style| style.name() == name).map(|style| vec![style]);
        let styles = group.or_else(one).unwrap_or_default();
        for (known, is_declared) in ClientStyle::ALL.into_iter().zip(&mut self.0) {
            *is_declared |= styles.contains(&known);
        }
        !styles.is_empty()
    }

    /// Returns true if a client of a style is declared.
    #[must_use]
    pub fn has(self, style: ClientStyle) -> bool {
        ClientStyle::ALL.into_iter().zip(self.0).any(|(known, is_declared)| known == style && is_declared)
    }
}
