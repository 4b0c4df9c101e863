//! The messages of the operations `admit` and `validate-definition`. Their documents have no roles, as no case has the
//! operations.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use skewer_admission::{AdmitRequest, DefinitionRequest};
use skewer_engine::OwnedDoc;

use crate::messages::{ADMIT, VALIDATE_DEFINITION};

/// A request to admit a custom resource.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdmitMessage<D> {
    kind: Cow<'static, str>,
    seq: u64,
    operation: Cow<'static, str>,
    pub documents: AdmitDocuments<D>,
    #[serde(default)]
    pub options: AdmitOptions,
}

/// The documents of the operation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct AdmitDocuments<D> {
    pub definition: D,
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub old: Option<D>,
    pub new: D,
}

// Without a path, the attribute `default` requires `D: Default`, which a borrowed document does not implement.
fn no_document<T>() -> Option<T> {
    None
}

/// The options of the operation.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmitOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_validation: Option<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratcheting: Option<bool>,
}

impl<'a> AdmitMessage<&'a OwnedDoc> {
    /// Makes the message of a request.
    #[must_use]
    pub fn of(seq: u64, request: &AdmitRequest<'a>) -> Self {
        let field_validation = if request.strict { "Strict" } else { "Ignore" };
        AdmitMessage {
            kind: "run".into(),
            seq,
            operation: ADMIT.into(),
            documents: AdmitDocuments { definition: request.definition, old: request.old, new: request.new },
            options: AdmitOptions {
                version: None,
                field_validation: Some(field_validation.into()),
                ratcheting: Some(request.ratcheting),
            },
        }
    }
}

/// A request to validate a definition.
#[derive(Debug, Serialize, Deserialize)]
pub struct DefinitionMessage<D> {
    kind: Cow<'static, str>,
    seq: u64,
    operation: Cow<'static, str>,
    pub documents: DefinitionDocuments<D>,
}

/// The documents of the operation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
pub struct DefinitionDocuments<D> {
    #[serde(default = "no_document", skip_serializing_if = "Option::is_none")]
    pub old: Option<D>,
    pub new: D,
}

impl<'a> DefinitionMessage<&'a OwnedDoc> {
    /// Makes the message of a request.
    #[must_use]
    pub fn of(seq: u64, request: &DefinitionRequest<'a>) -> Self {
        DefinitionMessage {
            kind: "run".into(),
            seq,
            operation: VALIDATE_DEFINITION.into(),
            documents: DefinitionDocuments { old: request.old, new: request.new },
        }
    }
}

impl<D> AdmitDocuments<D> {
    /// Converts every document with `read`.
    ///
    /// # Errors
    /// Fails with the first error of `read`.
    pub fn try_map<T, E>(self, read: impl Fn(D) -> Result<T, E>) -> Result<AdmitDocuments<T>, E> {
        Ok(AdmitDocuments {
            definition: read(self.definition)?,
            old: self.old.map(&read).transpose()?,
            new: read(self.new)?,
        })
    }
}
