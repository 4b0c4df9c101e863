//! The design documents and their sections: what a case can cite.

/// A design document.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    /// The name in cases.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The headings of the sections that make claims, in order. Sub-headings that several sections share
    /// ("Purpose", "Syntax", "Example") are part of the section around them.
    pub sections: &'static [&'static str],
}

/// The four documents.
pub const DOCUMENTS: &[Document] = &[
    Document {
        name: "strategic-merge-patch",
        title: "Strategic Merge Patch",
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
    Document {
        name: "retain-keys",
        title: "Add new patchStrategy to clear fields not present in the patch",
        sections: &[
            "Add new patchStrategy to clear fields not present in the patch",
            "Use cases",
            "Examples:",
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
            "1. Use directive `$patch: retainKeys` in the patch",
            "2. Add Discriminators in All Unions/OneOf APIs",
            "List of Impacted APIs",
        ],
    },
    Document {
        name: "patch-merge-key",
        title: "Support Sending Merge Key in the Patch by Clients",
        sections: &[
            "Background",
            "Motivation",
            "Strategic Merge Patch pkg",
            "Clients Sends Directive `$patchMergeKey`",
            "Server Respects Directive `$patchMergeKey`",
            "Relation with `setElementOrder` Directive",
            "API Change - Multi-Fields Merge Key",
            "When `$patchMergeKey` contains items that are not in the patch",
            "When no `$patchMergeKey` in the patch",
            "When `$patchMergeKey` only has part of all merge keys",
            "When `$patchMergeKey` has all of the merge keys",
            "When the user add|delete a field which is a merge key",
            "When the user changes a field which is a merge key",
            "API Change - Move Merge Key to the Correct Level",
            "When there is `$patchMergeKey` in the patch",
            "Open API",
            "Version Skew and Backward Compatibility",
            "Support Multi-Fields Merge Key",
            "Move Merge Key to the Correct Level",
            "Need auditing APIs",
        ],
    },
    Document {
        name: "kep-1027",
        title: "KEP-1027: Union types",
        sections: &[
            "Summary",
            "Motivation",
            "Goals",
            "User Stories",
            "Risks and Mitigations",
            "Discriminator Field",
            "Go Markers",
            "Discriminator Values",
            "Empty Union Members",
            "Examples",
            "OpenAPI",
            "Normalization",
            "Validation",
            "Ratcheting Validation",
            "Migrating existing unions",
            "Integration tests",
            "Graduation Criteria",
            "Upgrade / Downgrade Strategy",
            "Version Skew Strategy",
            "Feature Enablement and Rollback",
            "Monitoring Requirements",
            "Drawbacks",
            "Non-Discrminated",
            "\"None\" Discriminator Values",
        ],
    },
];

/// The document with this name.
#[must_use]
pub fn document(name: &str) -> Option<&'static Document> {
    DOCUMENTS.iter().find(|document| document.name == name)
}
