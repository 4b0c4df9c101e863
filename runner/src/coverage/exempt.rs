//! Exemptions from coverage, each with its reason. An exemption is a fault if a case covers its subject.

use skewer_engine::ErrorKind;

/// A section of a design document that describes no testable behaviour.
#[derive(Clone, Copy, Debug)]
pub struct ExemptSection {
    /// The document's name.
    pub document: &'static str,
    /// The section's heading.
    pub section: &'static str,
    /// The reason why no case can cite the section.
    pub because: &'static str,
}

const fn section(document: &'static str, section: &'static str, because: &'static str) -> ExemptSection {
    ExemptSection { document, section, because }
}

const SMP: &str = "strategic-merge-patch";
const RETAIN_KEYS: &str = "retain-keys";
const MERGE_KEY: &str = "patch-merge-key";
const KEP: &str = "kep-1027";

const ONLY_A_HEADING: &str = "a heading over other sections, without text";
const PROCESS: &str = "describes the enhancement process, not behaviour";
const NOT_APPLICABLE: &str = "every question in it is answered with N/A or No";

/// The sections that no case has to cite.
pub const SECTIONS: &[ExemptSection] = &[
    section(SMP, "Alternatives", "explains why patch versions are not negotiated: a rejected design"),
    section(RETAIN_KEYS, "Proposed Changes", ONLY_A_HEADING),
    section(RETAIN_KEYS, "Alternatives Considered", ONLY_A_HEADING),
    section(RETAIN_KEYS, "Appendix", ONLY_A_HEADING),
    section(
        MERGE_KEY,
        "Abstract",
        "one sentence that names the proposal; the later sections describe the behaviour",
    ),
    section(
        MERGE_KEY,
        "Proposed Change - Phase 1",
        "states that this phase has no API changes; its subsections describe the behaviour",
    ),
    section(MERGE_KEY, "Proposed Change - Phase 2", "lists its two subsections"),
    section(MERGE_KEY, "Impacted APIs", ONLY_A_HEADING),
    section(KEP, "Release Signoff Checklist", PROCESS),
    section(KEP, "Non-Goals", "lists what is left to another KEP"),
    section(KEP, "Proposal", ONLY_A_HEADING),
    section(KEP, "User Stories", ONLY_A_HEADING),
    section(KEP, "Notes/Constraints/Caveats", ONLY_A_HEADING),
    section(KEP, "Design Details", ONLY_A_HEADING),
    section(KEP, "Normalization and Validation", ONLY_A_HEADING),
    section(KEP, "Test Plan", PROCESS),
    section(KEP, "Prerequisite testing updates", ONLY_A_HEADING),
    section(KEP, "Unit tests", "lists the packages that need unit tests"),
    section(KEP, "e2e tests", "says that kubectl tests are being considered"),
    section(KEP, "Production Readiness Review Questionnaire", ONLY_A_HEADING),
    section(
        KEP,
        "Rollout, Upgrade and Rollback Planning",
        "names a metric of the API server to watch; every other question is answered with N/A",
    ),
    section(KEP, "Dependencies", NOT_APPLICABLE),
    section(KEP, "Troubleshooting", NOT_APPLICABLE),
    section(KEP, "Implementation History", "states that unions were implemented in a library and disabled"),
    section(KEP, "Alternatives", ONLY_A_HEADING),
];

/// The error kinds that no case has to expect.
pub const ERRORS: &[(ErrorKind, &str)] = &[
    (
        ErrorKind::Unclassified,
        "stands for an unrecognized error message of another implementation; the engine never returns it",
    ),
    (
        ErrorKind::BadStrategy,
        "other implementations return it when they reach the field; the engine refuses such types when it reads them \
         (invalid-schema, rule bad-strategy)",
    ),
    (
        ErrorKind::UnionDiscriminatorNotAString,
        "a discriminator is declared as a string, and a server decodes an object before it checks unions \
         (undecodable): only a direct call of a union policy with a document that was not decoded returns it",
    ),
    (
        ErrorKind::InvalidIntent,
        "an intent that cannot be applied is a mistake in the case (the status of the cell is error), not a behaviour",
    ),
];
