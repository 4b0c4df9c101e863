//! The message of the operation `apply-manifest`: the role of a client.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use skewer_engine::OwnedDoc;
use skewer_skew::{ManifestRequest, ServerAccess};

use crate::messages::APPLY_MANIFEST;

/// A request to apply a manifest to a server.
#[derive(Debug, Serialize, Deserialize)]
pub struct ManifestMessage<D> {
    kind: Cow<'static, str>,
    seq: u64,
    operation: Cow<'static, str>,
    pub documents: ManifestDocuments<D>,
    pub options: ManifestOptions,
}

/// The documents of the operation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct ManifestDocuments<D> {
    /// The manifest before.
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub last_applied: Option<D>,
    /// The manifest.
    pub modified: D,
}

// Without a path, the attribute `default` requires `D: Default`, which a borrowed document does not implement.
fn no_document<T>() -> Option<T> {
    None
}

/// The options of the operation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestOptions {
    /// The tool, as cases name it.
    pub tool: String,
    /// The tool that applied the manifest before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_tool: Option<String>,
    /// The path of a kubeconfig file.
    pub kubeconfig: String,
    pub namespace: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

impl<'a> ManifestMessage<&'a OwnedDoc> {
    /// Makes the message of a request.
    #[must_use]
    pub fn of(seq: u64, request: &ManifestRequest<'a>, server: ServerAccess<'_>) -> Self {
        ManifestMessage {
            kind: "run".into(),
            seq,
            operation: APPLY_MANIFEST.into(),
            documents: ManifestDocuments { last_applied: request.previous, modified: request.manifest },
            options: ManifestOptions {
                tool: request.tool.name.to_owned(),
                previous_tool: request.previous_tool.map(str::to_owned),
                kubeconfig: server.kubeconfig.to_owned(),
                namespace: server.namespace.to_owned(),
                force: request.force,
            },
        }
    }
}
