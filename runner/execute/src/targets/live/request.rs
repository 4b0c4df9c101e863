//! The requests to an API server, and its responses.

use skewer_engine::{Doc, OwnedDoc};

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
