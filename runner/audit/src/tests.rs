//! Tests of audits on small definitions.

mod clauses;
mod conventions;
mod judged;
mod places;
mod sentences;
mod strict;
mod versions;

use rstest::rstest;
use skewer_reports::audit::{Audit, Severity};

use super::explore::ExploreOptions;
use super::input::DefinitionFile;
use super::run::{audit_definitions, audit_versions};

/// Returns a definition with one version, whose last lines these are.
fn thing(version: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.com}}
spec:
  group: example.com
  names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
{version}"
    )
}

/// Returns a definition whose `spec` has these properties. `spec` can have further keywords after them.
fn definition(spec: &str) -> DefinitionFile {
    let spec: Vec<String> = spec.lines().map(|line| format!("                {line}\n")).collect();
    let spec = spec.concat();
    let text = thing(&format!(
        "      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
{spec}            status:
              type: object
              properties:
                ready: {{type: boolean}}
"
    ));
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

fn audit(old: &str, new: &str) -> Audit {
    audit_with(old, new, ExploreOptions::default())
}

fn audit_with(old: &str, new: &str, options: ExploreOptions<'_>) -> Audit {
    let (old, new) = (definition(old), definition(new));
    let mut audits = audit_definitions(&old, &new, options).expect("valid types");
    assert_eq!(audits.len(), 1, "one version");
    audits.remove(0)
}

/// Returns the effects of the only finding, after its severity, path and change.
fn only_finding(old: &str, new: &str) -> (Severity, String, Vec<String>) {
    let mut audit = audit(old, new);
    assert_eq!(audit.findings.len(), 1, "{:#?}", audit.findings);
    let finding = audit.findings.remove(0);
    (finding.severity, format!("{}: {}", finding.path, finding.change), finding.effects)
}

const A: &str = "a: {type: string}";

#[test]
fn equal_definitions_have_no_finding() {
    let audit = audit(A, A);
    assert_eq!((audit.changes, audit.findings.len()), (0, 0));
}

#[test]
fn plain_added_fields_are_one_note() {
    let audit = audit(A, "a: {type: string}\nb: {type: string}\nc: {type: integer}");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!((finding.severity, finding.change.as_str()), (Severity::Note, "2 fields added"));
    assert_eq!(
        (finding.path.as_str(), finding.paths.as_slice()),
        ("", ["spec.b", "spec.c"].map(str::to_owned).as_slice())
    );
    assert_eq!(finding.effects.len(), 1);
}

#[test]
fn a_renamed_field_loses_stored_values() {
    let (severity, title, effects) = only_finding(A, "aa: {type: string}");
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.a: field renamed to aa? (a guess)"));
    assert!(
        effects.iter().any(|effect| effect.starts_with("lost: stored objects, with every client")),
        "{effects:?}"
    );
}

#[test]
fn a_field_whose_name_has_other_case_is_renamed_whatever_its_limits() {
    let (_, title, _) = only_finding("proxyURL: {type: string}", "proxyUrl: {type: string, pattern: ^http}");
    assert_eq!(title, "spec.proxyURL: field renamed to proxyUrl? (a guess)");
}

#[test]
fn a_narrowed_enum_refuses_stored_objects() {
    let (severity, title, effects) =
        only_finding("a: {type: string, enum: [old, kept]}", "a: {type: string, enum: [kept]}");
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.a: enum value \"old\" removed"));
    assert!(effects[0].starts_with("refused (unknown-enum-value): "), "{effects:?}");
    assert!(effects[0].contains("new objects from old manifests"), "{effects:?}");
}

/// An error in a value that did not change is only a warning.
#[test]
fn a_narrowed_enum_does_not_refuse_a_label() {
    let old = "a: {type: string, enum: [old, kept]}\nb: {type: string}";
    let new = "a: {type: string, enum: [kept]}\nb: {type: string}";
    let (_, _, effects) = only_finding(old, new);
    assert!(
        effects.iter().all(|effect| !effect.contains("stored objects, with every client;")),
        "{effects:?}"
    );
    assert!(effects.iter().all(|effect| !effect.contains("stored objects")), "{effects:?}");
}

#[test]
fn a_client_that_writes_the_status_through_the_main_resource_is_ignored() {
    let definition = |subresources: &str| {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  \
             names: {{kind: Thing, plural: things}}\n  versions:\n    - name: v1\n      served: true\n      \
             storage: true\n      {subresources}\n      schema:\n        openAPIV3Schema:\n          type: object\n          \
             properties:\n            status:\n              type: object\n              properties:\n                \
             ready: {{type: string}}\n"
        );
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let (old, new) = (definition(""), definition("subresources: {status: {}}"));
    let audits = audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types");
    let finding = &audits[0].findings[0];
    assert_eq!((finding.severity, finding.change.as_str()), (Severity::Silent, "subresource status added"));
    assert!(finding.effects[0].starts_with("left over: stored objects"), "{:?}", finding.effects);
}

#[rstest]
#[case::maximum("a: {type: integer, maximum: 100}", "a: {type: integer, maximum: 10}", "invalid-value")]
#[case::max_length("a: {type: string}", "a: {type: string, maxLength: 5}", "invalid-value")]
#[case::max_items(
    "a: {type: array, items: {type: string}}",
    "a: {type: array, maxItems: 3, items: {type: string}}",
    "invalid-value"
)]
#[case::ty("a: {type: string}", "a: {type: integer}", "undecodable")]
#[case::one_of(
    "o: {type: object, properties: {a: {type: string}, b: {type: string}}}",
    "o: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}",
    "invalid-value"
)]
fn a_tighter_limit_refuses_old_manifests(#[case] old: &str, #[case] new: &str, #[case] kind: &str) {
    let (severity, _, effects) = only_finding(old, new);
    assert_eq!(severity, Severity::Loud, "{effects:?}");
    let refusal = format!("refused ({kind}");
    let of_manifests =
        |effect: &String| effect.starts_with(&refusal) && effect.contains("new objects from old manifests");
    assert!(effects.iter().any(of_manifests), "{effects:?}");
}

#[test]
fn a_field_that_became_required_refuses_objects_without_it() {
    let (severity, title, effects) = only_finding(
        "o: {type: object, properties: {a: {type: string}, b: {type: string}}}",
        "o: {type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}",
    );
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o.b: made required"));
    assert!(effects[0].starts_with("refused (required-field-missing): stored objects"), "{effects:?}");
    assert!(effects[0].contains("new objects from old manifests"), "{effects:?}");
}

#[test]
fn another_default_is_silent() {
    let (severity, title, effects) =
        only_finding("a: {type: string, default: one}", "a: {type: string, default: two}");
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.a: default \"one\" -> \"two\""));
    assert!(effects.iter().any(|effect| effect.contains("new objects from old manifests")), "{effects:?}");
}

/// A request drops the null, but a server-side apply keeps that of its configuration: kube-apiserver 1.36.3 refuses it.
#[rstest]
#[case::of_a_field("a: TYPE", "spec.a")]
#[case::of_a_list_item("l: {type: array, items: {type: object, properties: {a: TYPE}}}", "spec.l[].a")]
#[case::of_a_map("m: {type: object, additionalProperties: TYPE}", "spec.m.*")]
fn a_null_that_is_no_longer_permitted_is_lost_and_refused_from_an_apply(
    #[case] spec: &str,
    #[case] path: &str,
) {
    let of = |ty: &str| spec.replace("TYPE", ty);
    let (severity, title, effects) =
        only_finding(&of("{type: string, nullable: true}"), &of("{type: string}"));
    assert_eq!((severity, title), (Severity::Loud, format!("{path}: null no longer permitted")));
    for beginning in ["null lost: stored objects", "refused (undecodable): stored objects"] {
        assert!(effects.iter().any(|effect| effect.starts_with(beginning)), "{effects:?}");
    }
}

#[test]
fn a_field_that_one_of_does_not_list_is_useless_alone() {
    let union = |more: &str| {
        format!(
            "o: {{type: object, oneOf: [{{required: [a]}}, {{required: [b]}}], properties: {{a: {{type: string}}, b: \
             {{type: string}}{more}}}}}"
        )
    };
    let (severity, title, effects) = only_finding(&union(""), &union(", c: {type: string}"));
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o.c: field added"));
    assert!(
        effects[0]
            .starts_with("refused (invalid-value at the object around it): new objects with this field"),
        "{effects:?}"
    );
    // A field beside others that no alternative lists can be a setting.
    let (severity, ..) =
        only_finding(&union(", d: {type: string}"), &union(", c: {type: string}, d: {type: string}"));
    assert_eq!(severity, Severity::Note);
}

#[test]
fn a_new_required_field_is_loud() {
    let old = "o: {type: object, properties: {a: {type: string}}}";
    let new = "o: {type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}";
    let (severity, title, effects) = only_finding(old, new);
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o.b: required field added"));
    assert!(effects.iter().any(|effect| effect.starts_with("refused (required-field-missing)")));
}

#[test]
fn an_item_of_a_list_that_was_atomic_cannot_be_removed() {
    let list = |keywords: &str| {
        format!(
            "l:\n  type: array\n  x-kubernetes-list-type: {keywords}\n  items:\n    type: object\n    required: [name]\n    \
             properties:\n      name: {{type: string}}\n      port: {{type: integer}}"
        )
    };
    let new = list("map\n  x-kubernetes-list-map-keys: [name]");
    let (severity, title, effects) = only_finding(&list("atomic"), &new);
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.l: list type atomic -> map[name]"));
    assert_eq!(effects[0], "changed: stored objects, with server-side-apply that removes spec.l[]");
    assert!(effects[1].starts_with("refused (duplicate-list-item at an item): "), "{effects:?}");
}

#[test]
fn a_member_of_a_union_that_an_old_client_leaves_set_is_silent() {
    let members = "ca: {type: object, properties: {name: {type: string}}}\n";
    let old = format!("type: {{type: string, enum: [CA]}}\n{members}");
    let new = format!(
        "type: {{type: string, enum: [CA, Vault]}}\n{members}vault: {{type: object, properties: {{path: {{type: string}}}}}}"
    );
    let (severity, title, effects) = only_finding(&old, &new);
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.vault: union member added"));
    let left_over = "left over: old clients, with typed-patch that chooses another member in spec";
    assert!(effects.iter().any(|effect| effect == left_over), "{effects:?}");
}

#[rstest]
#[case::made_optional(
    "o: {type: object, required: [b], properties: {b: {type: string}}}",
    "o: {type: object, properties: {b: {type: string}}}"
)]
#[case::enum_removed("a: {type: string, enum: [kept]}", A)]
fn a_change_that_permits_more_is_at_most_a_note(#[case] old: &str, #[case] new: &str) {
    let audit = audit(old, new);
    assert!(audit.findings.iter().all(|finding| finding.severity == Severity::Note), "{:#?}", audit.findings);
}

#[test]
fn a_field_of_an_item_is_a_plain_addition() {
    let list = |fields: &str| {
        format!("l: {{type: array, items: {{type: object, properties: {{name: {{type: string}}{fields}}}}}}}")
    };
    let (severity, title, _) = only_finding(&list(""), &list(", b: {type: string}"));
    assert_eq!((severity, title.as_str()), (Severity::Note, ": 1 field added"));
}

#[test]
fn a_pattern_refuses_what_old_manifests_have() {
    let (severity, title, effects) = only_finding(A, "a: {type: string, pattern: ^x}");
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.a: pattern \"^x\" added"));
    assert!(effects[0].starts_with("refused (invalid-value): "), "{effects:?}");
}

#[test]
fn a_rule_about_two_fields_refuses_an_object_with_both() {
    let fields = "least: {type: integer}, most: {type: integer}";
    let old = format!("o: {{type: object, properties: {{{fields}}}}}");
    let rule = "x-kubernetes-validations: [{rule: '!has(self.least) || !has(self.most) || self.least <= self.most'}]";
    let new = format!("o: {{type: object, properties: {{{fields}}}, {rule}}}");
    let (severity, title, effects) = only_finding(&old, &new);
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o: CEL rule added"));
    let refused = "refused (invalid-value) by the rule `!has(self.least) || !has(self.most) || self.least <= self.most`: ";
    assert!(effects[0].starts_with(refused), "{effects:?}");
}

/// An accepted note does not cover the fields of a later release.
#[test]
fn the_note_on_other_added_fields_has_another_id() {
    let id = |new: &str| {
        let findings = audit("a: {type: string}", new).findings;
        findings.into_iter().find(|finding| finding.change.ends_with(" added")).map(|finding| finding.id)
    };
    let [one, other, both] = ["b", "c", "b: {type: string}\nc"]
        .map(|field| id(&format!("a: {{type: string}}\n{field}: {{type: string}}")).expect("a note"));
    assert!(one != other && one != both && other != both, "{one} {other} {both}");
}

#[test]
fn the_id_of_a_finding_does_not_depend_on_other_changes() {
    let ids = |new: &str| -> Vec<String> {
        let findings = audit("a: {type: string, enum: [old, kept]}", new).findings;
        findings.into_iter().filter(|finding| finding.path == "spec.a").map(|finding| finding.id).collect()
    };
    let alone = ids("a: {type: string, enum: [kept]}");
    assert_eq!(alone.len(), 1);
    assert_eq!(alone, ids("b: {type: string}\na: {type: string, enum: [kept]}"));
}

#[test]
fn two_plain_fields_with_other_names_are_no_rename() {
    let audit = audit("token: {type: string}", "proxy: {type: string}");
    let changes: Vec<&str> = audit.findings.iter().map(|finding| finding.change.as_str()).collect();
    assert_eq!(changes, ["field removed", "1 field added"]);
}

#[test]
fn two_managers_of_a_map_conflict_after_it_became_atomic() {
    let map =
        |keywords: &str| format!("m: {{type: object, additionalProperties: {{type: string}}{keywords}}}");
    let (severity, title, effects) = only_finding(&map(""), &map(", x-kubernetes-map-type: atomic"));
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.m: map type granular -> atomic"));
    assert!(effects[0].starts_with("refused (conflict): stored objects"), "{effects:?}");
}

#[test]
fn unknown_fields_are_lost_when_an_object_no_longer_keeps_them() {
    let old = "o: {type: object, x-kubernetes-preserve-unknown-fields: true}";
    let new = "o: {type: object, properties: {a: {type: string}}}";
    let (severity, title, effects) = only_finding(old, new);
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.o: unknown fields no longer kept"));
    let lost = "spec.o.unknown lost: stored objects, with typed-patch";
    assert!(effects.iter().any(|effect| effect.starts_with(lost)), "{effects:?}");
}

#[test]
fn an_old_typed_client_cannot_read_another_type() {
    let (severity, title, effects) =
        only_finding("a: {type: integer}", "a: {x-kubernetes-int-or-string: true}");
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.a: type \"integer\" -> \"int-or-string\""));
    assert_eq!(
        effects[0],
        "objects with a new value cannot be read, nor lists with such an object: old clients, with typed-update, typed-patch, strict-update"
    );
}

#[test]
fn a_required_field_with_a_default_refuses_nothing() {
    let old = "o: {type: object, properties: {a: {type: string}}}";
    let new = "o: {type: object, required: [a], properties: {a: {type: string, default: one}}}";
    let (severity, title, effects) = only_finding(old, new);
    assert_eq!(
        (severity, title.as_str()),
        // Objects without a value change, as by the default alone.
        (Severity::Silent, "spec.o.a: made required, default \"one\" added")
    );
    assert!(effects[0].starts_with("set to the default: stored objects"), "{effects:?}");
}

#[test]
fn a_member_of_an_object_with_one_field_is_a_union_member() {
    let union = |members: &str| format!("u: {{type: object, maxProperties: 1, properties: {{{members}}}}}");
    let member = |name: &str| format!("{name}: {{type: object, properties: {{path: {{type: string}}}}}}");
    let (old, new) = (union(&member("a")), union(&format!("{}, {}", member("a"), member("b"))));
    let (severity, title, _) = only_finding(&old, &new);
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.u.b: union member added"));
}

fn two_versions(first: &str, second: &str) -> DefinitionFile {
    let version = |name: &str, storage: bool, spec: &str| {
        let subresources = if spec.contains("status:") { "{status: {}}" } else { "{}" };
        format!(
            "    - name: {name}
      served: true
      storage: {storage}
      subresources: {subresources}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{size: {{type: integer}}, {spec}}}}}
"
        )
    };
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.com}}
spec:
  group: example.com
  names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}
  scope: Namespaced
  versions:
{}{}",
        version("v1", true, first),
        version("v2", false, second)
    );
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

#[test]
fn a_field_of_one_version_is_lost_by_requests_in_the_other() {
    let file = two_versions("a: {type: string}", "a: {type: string}, b: {type: string}");
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let findings: Vec<_> =
        audit.findings.iter().map(|finding| (finding.severity, finding.change.as_str())).collect();
    assert_eq!(findings, [(Severity::Silent, "1 field in one version only")]);
}

#[test]
fn defaults_of_two_versions_that_disagree_are_silent() {
    let file = two_versions("a: {type: string, default: one}", "a: {type: string, default: two}");
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let findings: Vec<_> =
        audit.findings.iter().map(|finding| (finding.severity, finding.effects.clone())).collect();
    let effect = "changed: new objects from the same manifest, in v1 instead of v2";
    assert_eq!(findings, [(Severity::Silent, vec![effect.to_owned()])]);
}

/// The other version refuses each object for another reason, but no object only because of the text.
#[rstest]
#[case::required_field(
    "A: {type: object, properties: {x: {type: string}}}, a: {type: string}}, required: [A], not: {required: [none]",
    "A: {type: object, required: [m], properties: {x: {type: string}, m: {type: string}}}, a: {type: string, pattern: \
     '^x+$'}}, required: [A], not: {required: [none]",
    "spec.a"
)]
#[case::status(
    "a: {type: string}}}\n            status: {type: object, properties: {b: {type: string}",
    "a: {type: string}}}\n            status: {type: object, properties: {b: {type: string, pattern: '^x+$'}",
    "status.b"
)]
fn a_text_that_only_the_other_version_refuses_is_found(
    #[case] first: &str,
    #[case] second: &str,
    #[case] path: &str,
) {
    let file = two_versions(second, first);
    let audit = audit_versions(&file, ["v2", "v1"], ExploreOptions::default()).expect("valid types");
    let finding = audit
        .findings
        .iter()
        .find(|finding| finding.path == path)
        .unwrap_or_else(|| panic!("{:#?}", audit.findings));
    assert_eq!(finding.severity, Severity::Loud, "{finding:#?}");
}

/// Only a change of an object shows the rule, which the first version does not have.
#[rstest]
#[case::spec("a: {type: string}", "self.a == oldSelf.a", "spec")]
#[case::status(
    "z: {type: string}}}\n            status: {type: object, properties: {a: {type: string}}, required: [a]",
    "self.a == oldSelf.a",
    "status"
)]
fn a_change_that_only_the_other_version_refuses_is_found(
    #[case] fields: &str,
    #[case] rule: &str,
    #[case] path: &str,
) {
    let keywords = match path {
        "spec" => format!(
            "}}, required: [a], x-kubernetes-validations: [{{rule: {rule}}}], not: {{required: [none]"
        ),
        _ => format!(", x-kubernetes-validations: [{{rule: {rule}}}], not: {{required: [none]"),
    };
    let without = keywords.replace(rule, "'true'");
    let with = |keywords: &str| format!("{fields}{keywords}");
    let file = two_versions(&with(&keywords), &with(&without));
    let audit = audit_versions(&file, ["v2", "v1"], ExploreOptions::default()).expect("valid types");
    let found: Vec<_> =
        audit.findings.iter().map(|finding| (finding.severity, finding.path.as_str())).collect();
    assert_eq!(found, [(Severity::Loud, path)], "{:#?}", audit.findings);
}

/// Returns a definition with these versions, each with its name, whether it is served, and whether it is stored.
fn with_versions(versions: &[(&str, bool, bool)]) -> DefinitionFile {
    let versions: Vec<String> = versions
        .iter()
        .map(|(name, served, storage)| {
            format!(
                "    - name: {name}\n      served: {served}\n      storage: {storage}\n      schema: {{openAPIV3Schema: {{type: \
                 object, properties: {{spec: {{type: object, properties: {{a: {{type: string}}}}}}}}}}}}\n"
            )
        })
        .collect();
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\nspec:\n  \
         group: example.com\n  names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}\n  \
         scope: Namespaced\n  versions:\n{}",
        versions.concat()
    );
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

#[rstest]
#[case::served(true, &["owners in the removed version v1alpha1", "version no longer served", "version v1alpha1 removed"])]
#[case::unserved(false, &["owners in the removed version v1alpha1", "version v1alpha1 removed"])]
fn a_removed_version_is_remembered_by_the_server(#[case] served: bool, #[case] expected: &[&str]) {
    let old = with_versions(&[("v1alpha1", served, false), ("v1", true, true)]);
    let new = with_versions(&[("v1", true, true)]);
    let audits = audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types");
    let findings = audits.iter().flat_map(|audit| &audit.findings);
    let mut found: Vec<&str> = findings.map(|finding| finding.change.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[rstest]
#[case::with_the_subresource("subresources: {status: {}}", "old controllers that write the status")]
#[case::without_the_subresource("deprecated: false", "new objects from old manifests")]
fn a_removed_value_of_the_status_is_refused_to_those_who_write_it(
    #[case] subresource: &str,
    #[case] who: &str,
) {
    let definition = |values: &str| {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\nspec:\n  \
             group: example.com\n  names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}\n  \
             scope: Namespaced\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      {subresource}\n      \
             schema: {{openAPIV3Schema: {{type: object, properties: {{status: {{type: object, properties: \
             {{phase: {{type: string, enum: [{values}]}}}}}}}}}}}}\n"
        );
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let (old, new) = (definition("a, b"), definition("a"));
    let audits = audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types");
    let findings: Vec<_> = audits.iter().flat_map(|audit| &audit.findings).collect();
    let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
    assert_eq!(finding.severity, Severity::Loud);
    assert!(finding.effects.iter().any(|effect| effect.contains(who)), "{:?}", finding.effects);
}
