//! The results of a validation.

use skewer_engine::error::{Error, ErrorKind};

use crate::reason::ServerReason;

/// An error of a validation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) error: Error,
    /// Whether rules are not evaluated because of the error: one about a type, a required field, an enum, or a value that
    /// is too large. Upstream: `hasBlockingErr`.
    pub(crate) blocks: bool,
    pub(crate) reason: ServerReason,
}

impl Finding {
    /// Creates an error because of which rules are not evaluated.
    pub(crate) fn blocking(kind: ErrorKind, message: impl Into<String>) -> Self {
        Finding { error: Error::new(kind, message), blocks: true, reason: ServerReason::of(kind) }
    }

    /// Creates an error about a value that is too large.
    pub(crate) fn too_large(reason: ServerReason, message: impl Into<String>) -> Self {
        Finding { reason, ..Finding::blocking(ErrorKind::InvalidValue, message) }
    }

    /// Creates an error of the kind [`ErrorKind::InvalidValue`], which does not keep rules from being evaluated.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Finding { blocks: false, ..Finding::blocking(ErrorKind::InvalidValue, message) }
    }

    /// Changes the error, such as its path.
    pub(crate) fn map(self, change: impl FnOnce(Error) -> Error) -> Self {
        Finding { error: change(self.error), ..self }
    }
}

/// The errors and warnings of a value. Upstream: `Result` of `kube-openapi`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueReport {
    pub(crate) errors: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
    /// The number of checks that were made. Of several schemas that do not permit a value, the errors of the one with the
    /// most checks are reported. Upstream: `MatchCount`.
    pub(super) checks: usize,
}

impl ValueReport {
    pub(super) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Adds an error. The same error is reported once. Upstream: `Result.AddErrors`.
    pub(super) fn add(&mut self, finding: Finding) {
        if !self.errors.contains(&finding) {
            self.errors.push(finding);
        }
    }

    pub(super) fn add_all(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            self.add(finding);
        }
    }

    /// Adds the results of another validation of the same value.
    pub(super) fn merge(&mut self, other: ValueReport) {
        self.add_all(other.errors);
        self.warnings.extend(other.warnings);
        self.checks += other.checks;
    }

    /// Adds the results of a value inside this one.
    pub(crate) fn merge_inner(&mut self, inner: ValueReport, at: impl Fn(Error) -> Error) {
        // `allOf` and the like can have found the same error.
        self.add_all(inner.errors.into_iter().map(|finding| finding.map(&at)));
        self.warnings.extend(inner.warnings.into_iter().map(|finding| finding.map(&at)));
        self.checks += inner.checks;
    }

    /// Turns errors into warnings.
    pub(super) fn into_warnings(mut self) -> Self {
        self.warnings.splice(0..0, std::mem::take(&mut self.errors));
        self
    }
}
