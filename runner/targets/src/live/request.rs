//! The requests to an API server, and its responses.

use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{LiveRequest, RequestType};

/// A request to an API server.
#[cfg_attr(not(feature = "network"), expect(dead_code, reason = "only a connection reads a request"))]
pub(super) struct ClusterRequest<'a> {
    pub(super) method: Method,
    pub(super) path: &'a str,
    pub(super) content_type: ContentType,
    pub(super) body: Option<&'a OwnedDoc>,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    #[cfg(feature = "network")]
    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }
}

/// The method and the path of a request of a scenario to an object.
pub(super) struct ObjectWrite {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) content_type: ContentType,
}

impl ObjectWrite {
    /// Returns how a request is sent. `collection` is the path of the objects, and `name` that of the object in it.
    pub(super) fn of(request: &LiveRequest<'_>, is_strict: bool, collection: &str, name: &str) -> Self {
        let (method, content_type) = match request.request_type {
            RequestType::Create => (Method::Post, ContentType::Json),
            RequestType::Update => (Method::Put, ContentType::Json),
            RequestType::JsonMergePatch => (Method::Patch, ContentType::MergePatch),
            RequestType::StrategicMergePatch => (Method::Patch, ContentType::StrategicMergePatch),
            RequestType::JsonPatch => (Method::Patch, ContentType::JsonPatch),
            RequestType::ServerSideApply => (Method::Patch, ContentType::Apply),
        };
        let mut path = collection.to_owned();
        if request.request_type != RequestType::Create {
            path.push('/');
            path.push_str(name);
        }
        if !request.subresource.is_empty() {
            path.push('/');
            path.push_str(request.subresource);
        }
        path.push_str("?fieldManager=");
        path.push_str(&query_value(request.manager));
        path.push_str(if is_strict { "&fieldValidation=Strict" } else { "&fieldValidation=Warn" });
        if request.request_type == RequestType::ServerSideApply && request.force {
            path.push_str("&force=true");
        }
        if request.is_dry_run {
            path.push_str("&dryRun=All");
        }
        ObjectWrite { method, path, content_type }
    }
}

/// Returns a text in the form in which a query has it.
pub(super) fn query_value(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let encode = |byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

/// The response of an API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The body. Null if it is no JSON.
    pub body: OwnedDoc,
}

impl Response {
    /// Returns true if the server has accepted the request.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the message of a refusal.
    #[must_use]
    pub fn message(&self) -> &str {
        self.body.as_map().and_then(|body| body.get("message")).and_then(Doc::as_str).unwrap_or("no message")
    }
}

/// The content type of the body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentType {
    Json,
    MergePatch,
    StrategicMergePatch,
    JsonPatch,
    Apply,
}

impl ContentType {
    #[cfg(feature = "network")]
    pub(super) fn name(self) -> &'static str {
        match self {
            ContentType::Json => "application/json",
            ContentType::MergePatch => "application/merge-patch+json",
            ContentType::StrategicMergePatch => "application/strategic-merge-patch+json",
            ContentType::JsonPatch => "application/json-patch+json",
            // JSON is YAML. Releases before 1.32 have no other content type.
            ContentType::Apply => "application/apply-patch+yaml",
        }
    }
}
