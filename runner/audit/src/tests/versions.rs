//! Tests of definitions of which the use of a version changes, or that have two versions.

use skewer_engine::Doc;
use skewer_reports::audit::{Audit, Severity};

use super::{thing, two_versions};
use crate::explore::ExploreOptions;
use crate::input::DefinitionFile;
use crate::run::audit_definitions;

/// Returns the audit of one version of two definitions.
fn audit_of(old: &DefinitionFile, new: &DefinitionFile, version: &str) -> Audit {
    let audits = audit_definitions(old, new, ExploreOptions::default()).expect("valid types");
    audits.into_iter().find(|audit| audit.versions == version).expect("an audit of the version")
}

fn read(text: &str) -> DefinitionFile {
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

/// Every request in the version ends with “not found”, so that nothing else of it is lost without an error.
#[test]
fn a_version_that_is_no_longer_served_has_no_other_effects() {
    let old =
        two_versions("a: {type: string}", "a: {type: string}, lost: {type: string}, n: {type: integer}");
    let served = two_versions("a: {type: string}", "a: {type: string}, n: {type: integer, maximum: 5}");
    let mut version = served.version("v2").cloned().expect("a version");
    version.as_map_mut().expect("a map").insert("served".into(), Doc::Bool(false));
    let new = served.with_version("v2", &version).to_string();
    let audit = audit_of(&old, &read(&new), "v2");
    let found: Vec<(Severity, &str)> =
        audit.findings.iter().map(|finding| (finding.severity, finding.change.as_str())).collect();
    assert_eq!(
        found,
        [
            (Severity::Loud, "version no longer served"),
            (Severity::Note, "2 changes in a version that is not served")
        ]
    );
}

/// Both versions change: no conversion between them hides it.
#[test]
fn the_same_change_of_two_versions_is_not_hidden_by_the_conversion() {
    let with = |keywords: &str| {
        let object = format!("o: {{type: object, properties: {{a: {{type: string}}}}{keywords}}}");
        two_versions(&object, &object)
    };
    let audit = audit_of(&with(""), &with(", x-kubernetes-preserve-unknown-fields: true"), "v2");
    assert_eq!(audit.not_simulated, [""; 0]);
    let changes: Vec<&str> = audit.findings.iter().map(|finding| finding.change.as_str()).collect();
    assert_eq!(changes, ["unknown fields kept"]);
}

/// Returns a definition with these lines after its version.
fn with_status(subresources: &str, status: &str) -> DefinitionFile {
    read(&thing(&format!(
        "      subresources: {{{subresources}}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{a: {{type: string}}}}}}
            {status}
"
    )))
}

const STATUS: &str = "status: {type: object, properties: {s: {type: string}}}";

/// A controller that writes to the new subresource fails on a server with the old version.
#[test]
fn a_status_that_comes_with_its_subresource_is_one_change() {
    let audit = audit_of(&with_status("", ""), &with_status("status: {}", STATUS), "v1");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!((finding.severity, finding.path.as_str()), (Severity::Note, "status"));
    assert_eq!(finding.change, "subresource status added, field added");
    let effect = "requests to the subresource status are refused (not-found): controllers that write the status on a server \
                  with the old version";
    assert!(finding.effects.iter().any(|shown| shown == effect), "{finding:#?}");
}

/// Requests to the main resource keep the stored status, also that of clients that do not know all of it.
#[test]
fn an_old_client_does_not_drop_a_status_with_a_subresource() {
    let more = STATUS.replace("{s:", "{t: {type: string}, s:");
    let audit = audit_of(&with_status("", STATUS), &with_status("status: {}", &more), "v1");
    let of_field = audit.findings.iter().find(|finding| finding.change == "1 field added").expect("a note");
    assert_eq!(of_field.effects, ["a server that does not know a new field drops it"]);
}

/// Whether no value meant the same, only the controller knows. It sets the status next.
#[test]
fn a_default_of_a_field_that_was_there_is_silent_outside_of_the_status() {
    let default = |status: &str| status.replace("s: {type: string", "s: {type: string, default: x");
    let of_status = audit_of(&with_status("", STATUS), &with_status("", &default(STATUS)), "v1");
    assert_eq!(of_status.findings[0].severity, Severity::Note, "{:#?}", of_status.findings);
    let spec = STATUS.replace("status:", "other:");
    let of_spec = audit_of(&with_status("", &spec), &with_status("", &default(&spec)), "v1");
    let [finding] = of_spec.findings.as_slice() else { panic!("{:#?}", of_spec.findings) };
    assert_eq!(finding.severity, Severity::Silent, "{finding:#?}");
    assert_eq!(
        finding.effects,
        ["set to the default: stored objects, with every client; new objects from old manifests"]
    );
    assert!(finding.advice[0].starts_with("make sure that no value meant the same"), "{finding:#?}");
}
