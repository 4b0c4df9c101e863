//! The parts of CEL, and the fields of rules, that servers of a release have.

use crate::structural::ValidationRule;

/// The release of the server that a definition with rules is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleRelease {
    /// The minor version of the release.
    minor: u32,
}

impl RuleRelease {
    pub(crate) const fn of_minor(minor: u32) -> RuleRelease {
        RuleRelease { minor }
    }

    /// Whether the rules of a new definition can use what a release introduced. They can use only what the release before
    /// that of the server has, so that the server can be set back to it. Upstream: `DefaultCompatibilityVersion`.
    pub(super) const fn can_use(self, introduced: u32) -> bool {
        self.minor > introduced
    }

    /// Whether optional values can be used, such as `self.?a`. Upstream: `cel.OptionalTypes`.
    pub(super) const fn has_optionals(self) -> bool {
        self.can_use(28)
    }

    /// Whether numbers of different types can be compared. Upstream: `cel.CrossTypeNumericComparisons`.
    pub(super) const fn compares_number_types(self) -> bool {
        self.can_use(28)
    }

    /// Whether a field whose name is reserved can be named without the escape. Upstream: `SetRecognizeKeywordAsFieldName`.
    pub(super) const fn has_reserved_names(self) -> bool {
        self.can_use(31)
    }

    /// Whether a field name can be in backquotes. Upstream: `enableIdentEscapeSyntax` (cel-go 0.29).
    pub(super) const fn has_quoted_names(self) -> bool {
        self.minor >= 37
    }

    /// Whether lists of objects are compared and added by their values in CEL, and not by those of the JSON document. Upstream:
    /// `unstructuredList.Add`, `setElementKey`.
    pub(super) const fn compares_values(self) -> bool {
        self.minor >= 37
    }

    /// Returns the rule as a server of the release reads it, which drops the fields that it does not know. `None` if it knows
    /// no rules. Upstream: `ValidationRule` of the releases, and the feature gates `CustomResourceValidationExpressions` and
    /// `CRDValidationRatcheting`.
    pub(super) fn read(self, rule: &ValidationRule) -> Option<ValidationRule> {
        let mut read = (self.minor >= 25).then(|| rule.clone())?;
        if self.minor < 27 {
            read.message_expression = None;
        }
        if self.minor < 28 {
            read.reason = None;
            read.field_path = None;
        }
        read.optional_old_self &= self.minor >= 30;
        Some(read)
    }
}
