//! Exemptions from coverage, each with its reason. An exemption of something that a case covers, or that does not exist,
//! is a fault.

use skewer_engine::ErrorKind;

/// A section without anything that can be executed.
#[derive(Clone, Copy, Debug)]
pub struct ExemptSection {
    /// The document's name.
    pub document: &'static str,
    /// The section's heading.
    pub section: &'static str,
    /// Why nothing can be executed.
    pub because: &'static str,
}

const fn section(document: &'static str, section: &'static str, because: &'static str) -> ExemptSection {
    ExemptSection { document, section, because }
}

const SMP: &str = "strategic-merge-patch";
const RETAIN_KEYS: &str = "retain-keys";
const MERGE_KEY: &str = "patch-merge-key";
const KEP: &str = "kep-1027";

const ONLY_A_HEADING: &str = "a heading over other sections, with no text of its own";
const PROCESS: &str = "about the process of enhancements, not about behaviour";
const NOT_APPLICABLE: &str = "every question in it is answered with N/A or No";

/// The sections that no case has to cite.
pub const SECTIONS: &[ExemptSection] = &[
    section(SMP, "Alternatives", "says why patch versions are not negotiated: a design that was not chosen"),
    section(RETAIN_KEYS, "Proposed Changes", ONLY_A_HEADING),
    section(RETAIN_KEYS, "Alternatives Considered", ONLY_A_HEADING),
    section(RETAIN_KEYS, "Appendix", ONLY_A_HEADING),
    section(MERGE_KEY, "Abstract", "one sentence that names the proposal; its sections say what it means"),
    section(
        MERGE_KEY,
        "Proposed Change - Phase 1",
        "says that there are no API changes in this phase; the sections below it say what there is",
    ),
    section(MERGE_KEY, "Proposed Change - Phase 2", "lists the two sections below it"),
    section(MERGE_KEY, "Impacted APIs", ONLY_A_HEADING),
    section(KEP, "Release Signoff Checklist", PROCESS),
    section(KEP, "Non-Goals", "says what is left to another KEP"),
    section(KEP, "Proposal", ONLY_A_HEADING),
    section(KEP, "User Stories", ONLY_A_HEADING),
    section(KEP, "Notes/Constraints/Caveats", ONLY_A_HEADING),
    section(KEP, "Design Details", ONLY_A_HEADING),
    section(KEP, "Normalization and Validation", ONLY_A_HEADING),
    section(KEP, "Test Plan", PROCESS),
    section(KEP, "Prerequisite testing updates", ONLY_A_HEADING),
    section(KEP, "Unit tests", "names the packages whose code is to be unit tested"),
    section(KEP, "e2e tests", "says that kubectl tests are being considered"),
    section(KEP, "Production Readiness Review Questionnaire", ONLY_A_HEADING),
    section(
        KEP,
        "Rollout, Upgrade and Rollback Planning",
        "names a metric of the API server to watch; every other question is answered with N/A",
    ),
    section(KEP, "Dependencies", NOT_APPLICABLE),
    section(
        KEP,
        "Scalability",
        "about API calls and resource use: the answers are No, and that benchmarks will tell",
    ),
    section(KEP, "Troubleshooting", NOT_APPLICABLE),
    section(KEP, "Implementation History", "says that unions were implemented in a library, and disabled"),
    section(KEP, "Alternatives", ONLY_A_HEADING),
];

/// The kinds of errors that no case has to cause.
pub const ERRORS: &[(ErrorKind, &str)] = &[
    (
        ErrorKind::Unclassified,
        "stands for what another implementation says in words that nobody knows; the engine has no such error",
    ),
    (
        ErrorKind::BadStrategy,
        "what other implementations say when they meet the field; here such types are refused when they are read \
         (invalid-schema, rule bad-strategy)",
    ),
    (
        ErrorKind::UnionDiscriminatorNotAString,
        "a discriminator is declared as a string, and servers decode before they look at unions (undecodable): only a \
         caller of a policy, on a document that nobody decoded, meets it",
    ),
    (
        ErrorKind::RequiredFieldMissing,
        "only `skewer union validate` checks required fields; the simulated server leaves them to the union policy",
    ),
    (
        ErrorKind::InvalidIntent,
        "an intent that cannot be made is a mistake of the case (the cell is an error), and no behaviour to expect",
    ),
];
