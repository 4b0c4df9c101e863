//! The settings of a server on which admission depends.

/// The settings on which the admission of objects depends, apart from the version of their definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdmissionOptions {
    /// The minor version of the Kubernetes release of the server. It decides which formats are validated.
    pub minor: u32,
    /// Whether errors in values that did not change are only warnings (the feature gate `CRDValidationRatcheting`).
    pub ratcheting: bool,
    /// Whether unknown fields are kept, as in definitions that were created as `apiextensions.k8s.io/v1beta1`
    /// (`spec.preserveUnknownFields`).
    pub preserve_unknown_fields: bool,
}

impl AdmissionOptions {
    /// The options of the newest release.
    pub const NEWEST: AdmissionOptions =
        AdmissionOptions { minor: 37, ratcheting: true, preserve_unknown_fields: false };

    /// Returns the options of the Kubernetes release `1.minor`.
    #[must_use]
    pub fn of_release(minor: u32) -> AdmissionOptions {
        AdmissionOptions { minor, ratcheting: minor >= 30, ..AdmissionOptions::NEWEST }
    }

    /// Whether numbers must be in the range of their type and format, such as `int32`, and integers have integer limits.
    pub(super) fn has_number_ranges(self) -> bool {
        self.minor >= 36
    }

    /// Whether the formats of names are known. They were added in 1.34, and by default a server validates only formats that
    /// the release before it knows. Upstream: `DefaultCompatibilityVersion`.
    pub(super) fn has_name_formats(self) -> bool {
        self.minor >= 35
    }

    /// Whether errors in a status that did not change are only warnings for a request to the subresource `status`.
    pub(super) fn ratchets_status(self) -> bool {
        self.ratcheting && self.minor >= 33
    }

    /// Sets whether errors in values that did not change are only warnings.
    #[must_use]
    pub fn with_ratcheting(mut self, ratcheting: bool) -> AdmissionOptions {
        self.ratcheting = ratcheting;
        self
    }

    /// Sets whether unknown fields are kept.
    #[must_use]
    pub fn with_preserve_unknown_fields(mut self, preserve: bool) -> AdmissionOptions {
        self.preserve_unknown_fields = preserve;
        self
    }
}
