//! The design documents that cases cite: their sections, an index of their words, and the items of their text.
//!
//! The texts belong to other projects, so they are not in the repository. An index contains hashes of their words, which
//! suffices to check a quotation.

mod claim;
mod index;
mod items;
mod words;

pub use claim::{Claim, ClaimedEnd, HoldsIf};
pub use index::{DocumentIndex, IndexError, SectionIndex, WordPosition};
pub use items::{Item, ItemKind, items};
pub use words::{WINDOW, Window, windows, words};

/// A design document.
#[derive(Clone, Copy, Debug)]
pub struct DesignDocument {
    /// The name of the document in `source:`.
    pub name: &'static str,
    /// The title of the document.
    pub title: &'static str,
    /// The public address of the document, if it has one. The headings are anchors. A document that was moved has the
    /// address of the last commit that has it.
    pub address: Option<&'static str>,
    /// The name of the file with the text, which is not in the repository.
    pub file: &'static str,
    /// The headings of all sections, in order. Sub-headings that several sections share ("Purpose", "Syntax",
    /// "Analysis") and the questions of the KEP's questionnaire are not listed: their text counts as part of the
    /// enclosing section. Where two other headings are equal, the second one has a hint in parentheses.
    pub sections: &'static [&'static str],
}

/// The four design documents.
pub const DESIGN_DOCUMENTS: &[DesignDocument] = &[
    DesignDocument {
        name: "strategic-merge-patch",
        title: "Strategic Merge Patch",
        address: Some(
            "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md",
        ),
        file: "strategic-merge-patch.txt",
        sections: &[
            "Background",
            "Basic Patch Format",
            "replace Directive",
            "delete Directive",
            "merge Directive",
            "deleteFromPrimitiveList Directive",
            "setElementOrder Directive",
            "retainKeys Directive",
            "Changing patch format",
            "Requirements for any changes to the patch format",
            "Client version skew",
            "Strategies for introducing new patch behavior",
            "Alternatives",
        ],
    },
    DesignDocument {
        name: "retain-keys",
        title: "Add new patchStrategy to clear fields not present in the patch",
        address: Some(
            "https://github.com/kubernetes/community/blob/95a4a105cd5e626edca2f8f00eb3dff32f1f1c5c/contributors/design-proposals/api-machinery/add-new-patchStrategy-to-clear-fields-not-present-in-patch.md",
        ),
        file: "retain-keys.md",
        sections: &[
            "Add new patchStrategy to clear fields not present in the patch",
            "Use cases",
            "Examples:",
            "Proposed Changes",
            "APIs",
            "Tags",
            "When the patch doesn't have `$retainKeys` directive",
            "When the patch has fields that not present in the `$retainKeys` list",
            "When the `$retainKeys` list has fields that are not present in the patch",
            "Examples",
            "API server",
            "kubectl",
            "Strategic Merge Patch",
            "Open API",
            "Version Skew",
            "Alternatives Considered",
            "1. Use directive `$patch: retainKeys` in the patch",
            "2. Add Discriminators in All Unions/OneOf APIs",
            "Appendix",
            "List of Impacted APIs",
        ],
    },
    DesignDocument {
        name: "patch-merge-key",
        title: "Support Sending Merge Key in the Patch by Clients",
        // The proposal was discussed in a pull request, and has no page of its own.
        address: None,
        file: "patch-merge-key.md",
        sections: &[
            "Abstract",
            "Background",
            "Motivation",
            "Goal",
            "Proposed Change - Phase 1",
            "Strategic Merge Patch pkg",
            "Clients Sends Directive `$patchMergeKey`",
            "Server Respects Directive `$patchMergeKey`",
            "Relation with `setElementOrder` Directive",
            "Proposed Change - Phase 2",
            "API Change - Multi-Fields Merge Key",
            "When `$patchMergeKey` contains items that are not in the patch",
            "When no `$patchMergeKey` in the patch",
            "When `$patchMergeKey` only has part of all merge keys",
            "When `$patchMergeKey` has all of the merge keys",
            "When the user add|delete a field which is a merge key",
            "When the user changes a field which is a merge key",
            "API Change - Move Merge Key to the Correct Level",
            "When no `$patchMergeKey` in the patch (moved keys)",
            "When there is `$patchMergeKey` in the patch",
            "Open API",
            "Strategic Merge Patch pkg (creating patches)",
            "Version Skew and Backward Compatibility",
            "Impacted APIs",
            "Support Multi-Fields Merge Key",
            "Move Merge Key to the Correct Level",
            "Need auditing APIs",
        ],
    },
    DesignDocument {
        name: "kep-1027",
        title: "KEP-1027: Union types",
        address: Some(
            "https://github.com/kubernetes/enhancements/blob/master/keps/sig-api-machinery/1027-api-unions/README.md",
        ),
        file: "kep-1027-union-types.txt",
        sections: &[
            "Release Signoff Checklist",
            "Summary",
            "Motivation",
            "Goals",
            "Non-Goals",
            "Proposal",
            "User Stories",
            "Story 1",
            "Story 2",
            "Notes/Constraints/Caveats",
            "Risks and Mitigations",
            "Design Details",
            "Discriminator Field",
            "Go Markers",
            "Discriminator Values",
            "Empty Union Members",
            "Examples",
            "OpenAPI",
            "Normalization and Validation",
            "Normalization",
            "Validation",
            "Ratcheting Validation",
            "Migrating existing unions",
            "Test Plan",
            "Prerequisite testing updates",
            "Unit tests",
            "Integration tests",
            "e2e tests",
            "Graduation Criteria",
            "Upgrade / Downgrade Strategy",
            "Version Skew Strategy",
            "Production Readiness Review Questionnaire",
            "Feature Enablement and Rollback",
            "Rollout, Upgrade and Rollback Planning",
            "Monitoring Requirements",
            "Dependencies",
            "Scalability",
            "Troubleshooting",
            "Implementation History",
            "Drawbacks",
            "Alternatives",
            "Non-Discrminated",
            "\"None\" Discriminator Values",
        ],
    },
];

/// Returns the design document with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static DesignDocument> {
    DESIGN_DOCUMENTS.iter().find(|document| document.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_names_one_section() {
        for document in DESIGN_DOCUMENTS {
            for (index, heading) in document.sections.iter().enumerate() {
                assert!(!document.sections[..index].contains(heading), "{}: {heading}", document.name);
            }
        }
    }
}
