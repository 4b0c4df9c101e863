//! Tests of changes at places that a change can be overlooked at: the status, keys of lists, parts with owners of their own,
//! versions that are not served or that are converted.

use rstest::rstest;
use skewer_reports::audit::{Audit, Severity};

use super::judged::{object, rule};
use super::{audit, only_finding};
use crate::explore::ExploreOptions;
use crate::input::DefinitionFile;
use crate::run::audit_definitions;

/// Returns a definition with a version for each of these schemas of `spec`. Objects are stored in the last one, and `other`
/// are further keywords of the first one.
fn with_versions(specs: &[&str], [served, other]: [&str; 2], conversion: &str) -> DefinitionFile {
    let version = |(index, spec): (usize, &&str)| {
        let is_last = index + 1 == specs.len();
        let (served, other) = if index == 0 { (served, other) } else { ("true", "subresources: {}") };
        format!(
            "    - name: v{}\n      served: {served}\n      storage: {is_last}\n      {other}\n      schema:\n        \
             openAPIV3Schema:\n          type: object\n          properties:\n            spec: {{type: object, \
             properties: {{{spec}}}}}\n",
            index + 1
        )
    };
    let versions: String = specs.iter().enumerate().map(version).collect();
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Thing, plural: things, singular: thing, listKind: ThingList}}\n  \
         scope: Namespaced\n{conversion}  versions:\n{versions}"
    );
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

const SERVED: [&str; 2] = ["true", "subresources: {}"];

/// Returns the severities and the changes of all findings.
fn findings(audits: &[Audit]) -> Vec<(Severity, String)> {
    let all = audits.iter().flat_map(|audit| &audit.findings);
    all.map(|finding| (finding.severity, format!("{}: {}", finding.path, finding.change))).collect()
}

fn audits(old: &DefinitionFile, new: &DefinitionFile) -> Vec<Audit> {
    audit_definitions(old, new, ExploreOptions::default()).expect("valid types")
}

/// Returns the audit of a status with a subresource, which has a list of conditions.
fn audit_of_conditions(old: [&str; 2], new: [&str; 2]) -> Vec<Audit> {
    let read = |[list, items]: [&str; 2]| {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
             spec:\n  group: example.com\n  names: {{kind: Thing, plural: things}}\n  scope: Namespaced\n  versions:\n    \
             - name: v1\n      served: true\n      storage: true\n      subresources: {{status: {{}}}}\n      schema:\n        \
             openAPIV3Schema:\n          type: object\n          properties:\n            status:\n              type: \
             object\n              properties:\n                conditions:\n                  type: array\n                  \
             {list}\n                  items:\n                    type: object\n                    required: [type, \
             status]\n                    {items}\n                    properties:\n                      type: {{type: \
             string}}\n                      status: {{type: string}}\n                      time: {{type: string, format: \
             date-time}}\n                      message: {{type: string}}\n                      reason: {{type: string}}\n"
        );
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    audits(&read(old), &read(new))
}

const MAP: &str = "x-kubernetes-list-type: map\n                  x-kubernetes-list-map-keys: [type]";
const PLAIN: &str = "nullable: false";

#[rstest]
#[case::two_managers_of_a_condition([MAP, PLAIN], [MAP, "x-kubernetes-map-type: atomic"], Severity::Loud)]
#[case::a_part_of_an_atomic_condition([MAP, "x-kubernetes-map-type: atomic"], [MAP, PLAIN], Severity::Silent)]
#[case::two_managers_of_the_list([MAP, PLAIN], ["x-kubernetes-list-type: atomic", PLAIN], Severity::Loud)]
#[case::items_of_an_atomic_list(["x-kubernetes-list-type: atomic", PLAIN], [MAP, PLAIN], Severity::Silent)]
fn owners_in_the_status_are_seen(#[case] old: [&str; 2], #[case] new: [&str; 2], #[case] severity: Severity) {
    let found = findings(&audit_of_conditions(old, new));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, severity, "{found:?}");
}

/// With one more key, two conditions of the same type are valid.
#[test]
fn a_key_that_is_added_is_seen_if_it_is_a_time() {
    let with_time = "x-kubernetes-list-type: map\n                  x-kubernetes-list-map-keys: [type, time]";
    let default = "default: {type: a, status: b, time: '2026-01-01T00:00:00Z'}";
    let required = |keys: &'static str| [keys, default];
    let audits = audit_of_conditions(required(MAP), required(with_time));
    let found = findings(&audits);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, "status.conditions: list type map[type] -> map[type,time]");
}

/// Nobody owns an item of the inner list. More items are valid after the change.
#[test]
fn items_that_only_the_new_list_permits_are_seen() {
    let with = |list: &str| {
        format!(
            "o: {{type: array, items: {{type: object, properties: {{l: {{type: array, {list}, items: {{type: object, \
             required: [name], properties: {{name: {{type: string}}}}}}}}}}}}}}"
        )
    };
    let map = "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]";
    let (severity, _, effects) = only_finding(&with(map), &with("x-kubernetes-list-type: atomic"));
    assert_eq!(severity, Severity::Note, "{effects:?}");
    assert!(effects[0].starts_with("refused (duplicate-"), "{effects:?}");
}

/// A rule asks for the optional field, so that no manager can own it alone.
#[test]
fn owners_that_no_object_shows_are_not_judged() {
    let with = |ty: &str| {
        let keywords = rule("has(self.b)") + ", required: [a], x-kubernetes-map-type: " + ty;
        object("a: {type: string}, b: {type: string}", &keywords)
    };
    let audit = audit(&with("granular"), &with("atomic"));
    assert_eq!(audit.not_judged, 1, "{:#?}", audit.findings);
    let reason = &audit.findings[0].effects[0];
    assert_eq!(reason, "no valid object was found of which two managers can own a part each of spec.o");
}

/// Each object can do without its optional fields, so that another manager can own one of them alone.
#[rstest]
#[case::beside_a_required_field("a: {type: string}, b: {type: string}", "required: [a], ")]
#[case::the_only_field("a: {type: string}", "")]
#[case::beside_a_union(
    "a: {type: string}, b: {type: string}, c: {type: string}",
    "x-kubernetes-validations: [{rule: \"has(self.a) != has(self.b)\"}], "
)]
#[case::beside_an_immutable_field(
    "a: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}, b: {type: string}",
    "required: [a], "
)]
fn a_field_of_another_manager_is_seen(#[case] fields: &str, #[case] keywords: &str) {
    let with = |ty: &str| {
        format!("o: {{type: object, {keywords}x-kubernetes-map-type: {ty}, properties: {{{fields}}}}}")
    };
    let (severity, title, _) = only_finding(&with("granular"), &with("atomic"));
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o: map type granular -> atomic"));
}

#[rstest]
#[case::of_a_required_field(
    "o: {type: object, required: [a], properties: {a: {type: string}}}",
    "o: {type: object, required: [a], properties: {a: {type: string, default: x}}}"
)]
#[case::of_items(
    "l: {type: array, items: {type: string}}",
    "l: {type: array, items: {type: string, default: x}}"
)]
fn an_old_server_refuses_what_a_new_default_permits(#[case] old: &str, #[case] new: &str) {
    let (severity, _, effects) = only_finding(old, new);
    assert_eq!(severity, Severity::Note, "{effects:?}");
    assert!(effects[0].starts_with("refused ("), "{effects:?}");
}

/// A server drops a null in a map, and sets the default since the change.
#[test]
fn a_default_replaces_a_null_in_a_map() {
    let with = |value: &str| format!("m: {{type: object, additionalProperties: {{type: string{value}}}}}");
    let (_, _, effects) = only_finding(&with(""), &with(", default: x"));
    assert_eq!(effects, ["set to the default: new objects from old manifests"]);
}

#[test]
fn a_version_that_is_not_served_has_one_note() {
    let unserved = ["false", "subresources: {}"];
    let with = |fields: &str| with_versions(&[fields, "a: {type: string}"], unserved, "");
    let found = findings(&audits(
        &with("a: {type: string}, b: {type: string}, c: {type: string}"),
        &with("a: {type: string}"),
    ));
    assert_eq!(found, [(Severity::Note, ": 2 changes in a version that is not served".to_owned())]);
}

const WEBHOOK: &str = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: \"https://a.example/convert\"}}}\n";

/// The stored version has other fields. A webhook converts them; without one, a server drops what it does not know.
#[rstest]
#[case::a_webhook(WEBHOOK, "conversion webhook (crd.yaml:8): not run, as if it lost nothing")]
#[case::no_webhook(
    "",
    "conversion: it hides changes, because it drops fields; these changes were tried as if a webhook lost nothing"
)]
fn a_conversion_hides_no_change(#[case] conversion: &str, #[case] expected: &str) {
    let with = |fields: &str| with_versions(&[fields, "elsewhere: {type: string}"], SERVED, conversion);
    let audits = audits(&with("a: {type: string}"), &with("a: {type: string, default: x}"));
    let found = findings(&audits);
    assert_eq!(found[0].1, "spec.a: default \"x\" added", "{found:?}");
    assert!(audits[0].not_simulated.iter().any(|it| it == expected), "{:?}", audits[0].not_simulated);
}

/// The removed field is kept as an unknown one.
#[test]
fn an_effect_that_another_change_prevents_is_not_reported() {
    let old = object("a: {type: string}, lost: {type: string}", "");
    let audit = audit(&old, &object("a: {type: string}", ", x-kubernetes-preserve-unknown-fields: true"));
    let found = findings(&[audit]);
    assert!(found.iter().all(|(_, title)| !title.contains("removed")), "{found:?}");
}

/// The value that the enum loses is valid only with another field.
#[test]
fn a_value_that_needs_another_field_is_found() {
    let with = |values: &str| {
        let keywords =
            rule("self.mode == 'B' ? has(self.b) && !has(self.a) : has(self.a)") + ", required: [mode]";
        object(
            &format!("mode: {{type: string, enum: [{values}]}}, a: {{type: string}}, b: {{type: string}}"),
            &keywords,
        )
    };
    let (severity, title, _) = only_finding(&with("A, B"), &with("A"));
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o.mode: enum value \"B\" removed"));
}
