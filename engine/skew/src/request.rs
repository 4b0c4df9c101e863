//! Requests: the forms in which a client sends a change, and the types of requests that a server gets.

use std::sync::{Arc, LazyLock};

use skewer_engine::document::OwnedText;

use super::apply_tool::ApplyTool;

/// The kind of request by which the client sends the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Request {
    /// A create request with the whole object. The server has no stored object to compare it with.
    Create,
    /// An update request with the whole object.
    Update,
    /// A JSON merge patch (RFC 7386), created from the object as the client read it and as the client edited it.
    JsonMergePatch,
    /// A strategic merge patch, created from the same two objects with the client's patch metadata and directives.
    StrategicMergePatch,
    /// The patch that `kubectl apply` sends, created from last-applied, modified and live: a strategic merge patch, or
    /// a JSON merge patch for custom resources.
    ClientSideApply,
    /// The complete apply configuration of the client, as `kubectl apply --server-side` sends it.
    ServerSideApply,
    /// The requests of a tool that applies a manifest.
    ApplyManifest,
}

impl Request {
    /// All kinds of request.
    pub const ALL: [Request; 7] = [
        Request::Create,
        Request::Update,
        Request::JsonMergePatch,
        Request::StrategicMergePatch,
        Request::ClientSideApply,
        Request::ServerSideApply,
        Request::ApplyManifest,
    ];

    /// Returns true if the request contains the whole object instead of a patch.
    #[must_use]
    pub fn is_whole_object(self) -> bool {
        matches!(self, Request::Create | Request::Update)
    }

    /// Returns true if the request creates an object that does not exist.
    #[must_use]
    pub fn can_create(self) -> bool {
        matches!(self, Request::Create | Request::ServerSideApply | Request::ApplyManifest)
    }

    /// Returns true if the request can take fields from other managers.
    #[must_use]
    pub fn takes_fields(self) -> bool {
        matches!(self, Request::ServerSideApply | Request::ApplyManifest)
    }

    /// Returns the type of the request that the server receives. The types of a client decide whether it sends a JSON
    /// merge patch for a custom resource: `is_for_custom_resource` is true if they are those of one.
    #[must_use]
    pub fn request_type(self, is_for_custom_resource: bool) -> RequestType {
        match self {
            Request::Create => RequestType::Create,
            Request::Update => RequestType::Update,
            Request::JsonMergePatch => RequestType::JsonMergePatch,
            Request::ClientSideApply if is_for_custom_resource => RequestType::JsonMergePatch,
            Request::ClientSideApply | Request::StrategicMergePatch => RequestType::StrategicMergePatch,
            // The tool chooses the requests.
            Request::ServerSideApply | Request::ApplyManifest => RequestType::ServerSideApply,
        }
    }

    /// Returns the request that the client of the ideal sends. See [`Scenario::ideal`](crate::Scenario::ideal).
    #[must_use]
    pub fn of_ideal(self, is_apply_without_intent: bool) -> Request {
        match self {
            Request::Create => Request::Create,
            Request::ServerSideApply | Request::ApplyManifest if is_apply_without_intent => {
                Request::ServerSideApply
            }
            _ => Request::Update,
        }
    }

    /// Returns true if the body is a patch that the client creates from the objects that it read and edited.
    #[must_use]
    pub fn is_patch(self) -> bool {
        matches!(self, Request::JsonMergePatch | Request::StrategicMergePatch | Request::ClientSideApply)
    }

    /// Returns the name that cases and reports use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Request::Create => "create",
            Request::Update => "update",
            Request::JsonMergePatch => "json-merge-patch",
            Request::StrategicMergePatch => "strategic-merge-patch",
            Request::ClientSideApply => "client-side-apply",
            Request::ServerSideApply => "server-side-apply",
            Request::ApplyManifest => "apply-manifest",
        }
    }

    /// Returns a description, as a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Request::Create => {
                "The whole object, which is new. The client makes it from `live`, or else from an empty object; the server has no object."
            }
            Request::Update => "The whole object.",
            Request::JsonMergePatch => {
                "A JSON merge patch: the difference between the object read and the object edited."
            }
            Request::StrategicMergePatch => {
                "A strategic merge patch: the same difference, with the client's metadata and directives."
            }
            Request::ClientSideApply => {
                "A strategic merge patch of last-applied, modified and live, as kubectl apply sends it; a JSON merge patch \
                 for custom resources."
            }
            Request::ServerSideApply => {
                "The complete apply configuration: `configuration`, or else `last-applied`, after the edits of the \
                 intent. Without both, the configuration starts empty, and gives up what an earlier request of `history` applied."
            }
            Request::ApplyManifest => {
                "The requests with which the client's `tool` applies a manifest: `configuration`, or else the manifest that a \
                 tool applied last, after the edits of the intent."
            }
        }
    }
}

/// The type of a request that writes an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestType {
    /// A new object (`POST`).
    Create,
    /// A whole object that replaces the stored one (`PUT`).
    #[default]
    Update,
    /// A strategic merge patch.
    StrategicMergePatch,
    /// A JSON merge patch (RFC 7386).
    JsonMergePatch,
    /// A JSON patch (RFC 6902).
    JsonPatch,
    /// An apply configuration.
    ServerSideApply,
}

impl RequestType {
    /// All types of requests.
    pub const ALL: [RequestType; 6] = [
        RequestType::Create,
        RequestType::Update,
        RequestType::StrategicMergePatch,
        RequestType::JsonMergePatch,
        RequestType::JsonPatch,
        RequestType::ServerSideApply,
    ];

    /// Returns the name that cases and the protocol of targets use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RequestType::Create => "create",
            RequestType::Update => "update",
            RequestType::StrategicMergePatch => "strategic-merge-patch",
            RequestType::JsonMergePatch => "json-merge-patch",
            RequestType::JsonPatch => "json-patch",
            RequestType::ServerSideApply => "server-side-apply",
        }
    }

    /// Returns the type of request with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        RequestType::ALL.into_iter().find(|request_type| request_type.name() == name)
    }

    /// Returns true if the body is the whole object, with its managed fields. (An apply configuration has none.)
    #[must_use]
    pub const fn is_whole_object(self) -> bool {
        matches!(self, RequestType::Create | RequestType::Update)
    }
}

/// The options of a request that writes an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestOptions {
    /// The name of the field manager.
    pub manager: OwnedText,
    /// Whether a server-side apply takes fields from other managers.
    pub force: bool,
    /// Whether the request has the resource version of the object that the client read. The server then refuses the
    /// request if the object has changed since. `None` stands for the default: only an update has it.
    pub resource_version: Option<bool>,
    /// The subresource to which the request is sent, such as `status`. Empty for the main resource.
    pub subresource: OwnedText,
    /// The tool that applies the manifest. Only [`Request::ApplyManifest`] has one.
    pub tool: Option<Arc<ApplyTool>>,
}

impl Default for RequestOptions {
    fn default() -> Self {
        RequestOptions {
            manager: OwnedText::from_static("client"),
            force: false,
            resource_version: None,
            subresource: OwnedText::default(),
            tool: None,
        }
    }
}

impl RequestOptions {
    /// Returns the default options.
    #[must_use]
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<RequestOptions> = LazyLock::new(RequestOptions::default);
        &STANDARD
    }

    /// Returns true if the request has the resource version of the object that the client read.
    #[must_use]
    pub fn sends_resource_version(&self, request: Request) -> bool {
        self.resource_version.unwrap_or(request == Request::Update)
    }
}
