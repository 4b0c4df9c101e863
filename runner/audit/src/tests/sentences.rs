//! The sentences of findings.

use rstest::rstest;
use skewer_engine::FieldPath;
use skewer_reports::audit::{Audit, AuditFinding, FindingGroup, Severity};

use super::{ExploreOptions, audit, audit_with, two_versions};
use crate::finding::element_of;
use crate::run::{audit_definitions, audit_versions};
use crate::schema_path::SchemaPath;

#[rstest]
#[case::enumeration(
    "a: {type: string, enum: [old, kept]}",
    "a: {type: string, enum: [kept]}",
    r#""old" is refused"#
)]
#[case::removed("a: {type: integer}\nb: {type: string}", "b: {type: string}", "1 is lost")]
#[case::default("a: {type: string}", "a: {type: string, default: one}", r#""one" is set"#)]
#[case::other_default(
    "a: {type: string, default: one}",
    "a: {type: string, default: two}",
    r#""one" becomes "two""#
)]
#[case::type_of_old_clients(
    "a: {type: integer}",
    "a: {x-kubernetes-int-or-string: true}",
    r#""10%" cannot be decoded by an old strict client"#
)]
#[case::items(
    "l: {type: array, items: {type: string}}",
    "l: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
    r#"["example","example3"] becomes ["example","example1","example3"]"#
)]
#[case::missing_value(
    "o: {type: object, properties: {a: {type: string}, b: {type: string}}}",
    "o: {type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}",
    ""
)]
fn a_value_shows_the_finding(#[case] old: &str, #[case] new: &str, #[case] shown: &str) {
    let audit = audit(old, new);
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!(finding.shown, shown, "{finding:#?}");
}

#[rstest]
#[case::same("spec.l[3].a", "spec.l[].a", "spec.l[].a")]
#[case::key_of_a_map("spec.m.key-0.a", "spec.m.*", "spec.m.*.a")]
#[case::field_beside_a_map("spec.o.key-0", "spec.m.*", "spec.o.key-0")]
#[case::container("spec.l", "spec.l[].a", "spec.l")]
fn the_element_of_a_value_is_named_along_the_change(
    #[case] path: &str,
    #[case] along: &str,
    #[case] expected: &str,
) {
    let (path, along): (FieldPath, SchemaPath) = (path.parse().unwrap(), along.parse().unwrap());
    assert_eq!(element_of(&path, &along).to_string(), expected);
}

/// The same change of two fields has the same sentences, so that it is one finding.
#[test]
fn the_same_change_of_two_fields_is_one_group() {
    let fields = |keywords: &str| format!("a: {{type: string{keywords}}}\nb: {{type: string{keywords}}}");
    let audits = [audit(&fields(""), &fields(", maxLength: 5"))];
    let groups = FindingGroup::all(&audits);
    assert_eq!(groups.len(), 1, "{:#?}", audits[0].findings);
    assert_eq!(groups[0].findings().count(), 2);
}

/// All differences of two versions are there at once: an effect belongs to the innermost change that can have it.
#[test]
fn a_limit_around_a_changed_list_does_not_explain_that_its_items_are_lost() {
    let list =
        |keywords: &str, ty: &str| format!("o: {{type: object{keywords}, properties: {{l: {{{ty}}}}}}}");
    let file = two_versions(
        &list("", "type: object, additionalProperties: {type: object, properties: {b: {type: string}}}"),
        &list(", minProperties: 1", "type: array, items: {type: object, properties: {b: {type: string}}}"),
    );
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let inner = audit.findings.iter().filter(|finding| finding.path != "spec.o");
    let inner: Vec<(&str, &str)> =
        inner.map(|finding| (finding.path.as_str(), finding.change.as_str())).collect();
    assert_eq!(inner, [("spec.o.l", "type \"map\" -> \"array\"")]);
    // What the limit itself does is another finding.
    let limit = audit.findings.iter().find(|finding| finding.path == "spec.o").expect("a finding");
    assert_eq!((limit.effects.len(), limit.shown.as_str()), (1, "{} is refused"), "{limit:#?}");
}

/// An old typed client drops a new field. Whether the field then has its default makes no difference for its owner.
#[rstest]
#[case::no_default("a: {type: string}", "")]
#[case::default("a: {type: string}", ", default: false")]
fn an_added_field_is_a_note_with_a_default_and_without(#[case] old: &str, #[case] default: &str) {
    let audit = audit(old, &format!("{old}\nb: {{type: boolean{default}}}"));
    let severities: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, [Severity::Note], "{:#?}", audit.findings);
}

/// Nobody who has a map of strings loses one. Other values are refused.
#[rstest]
#[case::no_longer_kept("", "any fields -> map of string")]
#[case::still_kept(", x-kubernetes-preserve-unknown-fields: true", r#"type "object" -> "map""#)]
fn values_that_a_map_no_longer_has_are_refused_and_not_lost(#[case] keywords: &str, #[case] title: &str) {
    let audit = audit(
        "m: {type: object, x-kubernetes-preserve-unknown-fields: true}",
        &format!("m: {{type: object, additionalProperties: {{type: string}}{keywords}}}"),
    );
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!(
        (finding.severity, finding.change.as_str(), finding.shown.as_str()),
        (Severity::Loud, title, r#"{"key":"value"} is refused"#)
    );
    let pruned = "m: {type: object, properties: {a: {type: string}}}";
    assert!(has_severity(
        "m: {type: object, x-kubernetes-preserve-unknown-fields: true}",
        pruned,
        Severity::Silent
    ));
}

fn has_severity(old: &str, new: &str, severity: Severity) -> bool {
    audit(old, new).findings.iter().any(|finding| finding.severity == severity)
}

/// An object that keeps unknown fields keeps the field that was removed from it. Old typed clients drop fields that they do
/// not know, as with every new field.
#[test]
fn a_field_of_an_object_that_keeps_unknown_fields_now_is_not_lost() {
    let old = "o: {type: object, properties: {a: {type: string}}}";
    let new = "o: {type: object, x-kubernetes-preserve-unknown-fields: true}";
    assert!(!has_severity(old, new, Severity::Silent), "{:#?}", audit(old, new).findings);
    assert!(!has_severity(old, new, Severity::Loud), "{:#?}", audit(old, new).findings);
    assert!(!audit(old, new).findings.is_empty());
}

/// An empty text or list and no value mean the same to most clients.
#[rstest]
#[case::text("s: {type: string, default: ''}", "s: {type: string}", Severity::Note)]
#[case::list(
    "l: {type: array, default: [], items: {type: string}}",
    "l: {type: array, items: {type: string}}",
    Severity::Note
)]
#[case::text_with_characters("s: {type: string, default: a}", "s: {type: string}", Severity::Silent)]
fn an_empty_value_that_is_lost_is_a_note(#[case] old: &str, #[case] new: &str, #[case] severity: Severity) {
    let audit = audit(old, new);
    let severities: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, [severity], "{:#?}", audit.findings);
}

/// A new field can be dropped before the change is everywhere. After a rollback, every field that was written is lost.
#[test]
fn the_note_on_added_fields_says_what_a_rollback_loses() {
    let options = |rollback| ExploreOptions { rollback, ..ExploreOptions::default() };
    let effects = |rollback| {
        let audit =
            audit_with("a: {type: string}", "a: {type: string}\nb: {type: string}", options(rollback));
        let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
        assert_eq!(finding.severity, Severity::Note);
        finding.effects.clone()
    };
    let lost = "the new fields are lost: after a rollback, with every client".to_owned();
    assert!(!effects(false).contains(&lost) && effects(true).contains(&lost), "{:?}", effects(true));
}

/// A server compares the items of a list with the old ones only if the list is a map. A value in another list is refused if
/// anything in the list changes (upstream: `CorrelatedObject.Index` of apiserver's `cel/common`).
#[rstest]
#[case::atomic_list("", "", "changes anything in the list around the value")]
#[case::list_in_a_list(
    "type: array, items: {type: object, properties: {l: {",
    "}}}",
    "changes anything in the list outer around the value"
)]
#[case::list_in_a_map(
    "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], \
     properties: {k: {type: string}, l: {",
    "}}}",
    "changes anything in the list around the value"
)]
fn a_refused_value_in_a_list_names_what_may_not_change(
    #[case] before: &str,
    #[case] after: &str,
    #[case] what: &str,
) {
    let list = |keywords: &str| {
        let inner =
            format!("type: array, items: {{type: object, properties: {{a: {{type: string{keywords}}}}}}}");
        format!("outer: {{{before}{inner}{after}}}")
    };
    assert_refused_when_changing(&list(""), &list(", enum: [one]"), what);
}

#[rstest]
#[case::map(
    "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, \
     required: [k], properties: {k: {type: string}, a: {type: string",
    "}}}}",
    ", enum: [one]",
    "sets another such value"
)]
#[case::set(
    "l: {type: array, x-kubernetes-list-type: set, items: {type: string",
    "}}",
    ", maxLength: 3",
    "changes anything in the list around the value"
)]
#[case::required_in_an_atomic_list(
    "l: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string}}",
    "}}",
    ", required: [a]",
    "changes anything in the list around the value"
)]
#[case::required_in_an_object(
    "o: {type: object, properties: {a: {type: string}, b: {type: string}}",
    "}",
    ", required: [a]",
    "changes another field of the same object"
)]
fn a_refused_value_names_what_may_not_change(
    #[case] before: &str,
    #[case] after: &str,
    #[case] change: &str,
    #[case] what: &str,
) {
    assert_refused_when_changing(&format!("{before}{after}"), &format!("{before}{change}{after}"), what);
}

/// Asserts that stored objects are refused if a client changes something, and that the example shows it.
fn assert_refused_when_changing(old: &str, new: &str, what: &str) {
    let audit = audit(old, new);
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert!(finding.effects.iter().any(|effect| effect.contains(&format!(" {what};"))), "{finding:#?}");
    // The example is the situation that the sentence is about: another item is removed from the list.
    let [stored, sent] = [1, 2].map(|step| finding.example[step].document.matches("- ").count());
    assert_eq!(stored > sent, what.contains("list"), "{finding:#?}");
}

/// The two changes are made together. One alone would have an effect that nobody sees.
#[rstest]
#[case::the_other_refuses_the_value(
    "a: {type: string, minLength: 1}",
    "a: {type: string, pattern: '^x+$'}",
    "minLength"
)]
#[case::the_rule_reads_a_new_field(
    "o: {type: object, properties: {a: {type: string}}}",
    "o: {type: object, properties: {a: {type: string}, b: {type: string}}, x-kubernetes-validations: [{rule: '!has(self.b) || has(self.a)'}]}",
    "CEL rule"
)]
fn an_effect_that_the_whole_change_does_not_have_is_no_finding(
    #[case] old: &str,
    #[case] new: &str,
    #[case] change: &str,
) {
    let audit = audit(old, new);
    assert!(!audit.findings.is_empty());
    assert!(audit.findings.iter().all(|finding| !finding.change.contains(change)), "{:#?}", audit.findings);
}

/// Two managers keep the item that one of them gives up, once the list is a map. The limit refuses nothing then.
#[test]
fn a_silent_effect_of_another_change_is_no_refusal() {
    let lists = |of_list: &str, of_value: &str| {
        format!(
            "l: {{type: array{of_list}, items: {{type: object, required: [k], properties: {{k: {{type: string}}, list: \
             {{type: array, items: {{type: object, properties: {{a: {{type: string{of_value}}}}}}}}}}}}}}}"
        )
    };
    let map = ", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]";
    let audit = audit(&lists("", ""), &lists(map, ", minLength: 1"));
    let finding =
        audit.findings.iter().find(|finding| finding.change.contains("minLength")).expect("a finding");
    assert!(
        finding.effects.iter().any(|effect| effect.contains("changes anything in the list around the value")),
        "{finding:#?}"
    );
}

/// The old server refuses a value that only the new version permits: the change itself refuses none.
#[test]
fn a_value_that_only_the_new_version_permits_names_the_old_server() {
    let audit = audit("a: {type: string, enum: [one]}", "a: {type: string, enum: [one, two]}");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!(finding.shown, r#""two" cannot be decoded by an old strict client"#);
    let bound = self::audit("a: {type: integer, maximum: 5}", "a: {type: integer, maximum: 9}");
    assert_eq!(bound.findings[0].shown, "9 is refused by a server with the old version");
}

/// Only what is missing can have a default: a rule refuses old manifests for what they have.
/// An apply replaces the list by that of the manifest, which has no default, whatever the client edits. Other clients send what
/// they have read.
#[test]
fn clients_whose_edit_matters_have_a_clause_of_their_own() {
    let list = |item: &str| {
        format!("l: {{type: array, items: {{type: object, properties: {{a: {{type: string{item}}}}}}}}}")
    };
    let audit = audit(&list(", default: one"), &list(""));
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    let expected = "lost: stored objects, with kubectl-apply, server-side-apply; stored objects, with typed-update, typed-patch, \
                    untyped-update, untyped-patch that removes the value; new objects from old manifests";
    assert_eq!(finding.effects, [expected]);
    let request = finding.example.iter().find(|step| step.about.contains(" sends ")).expect("a request");
    assert!(request.about.contains("removes spec.l[0].a, and sends this to "), "{}", request.about);
}

#[test]
fn a_default_is_advised_for_a_missing_field_only() {
    let object =
        |keywords: &str| format!("o: {{type: object, properties: {{a: {{type: string}}}}{keywords}}}");
    let required = audit(&object(""), &object(", required: [a]"));
    assert_eq!(required.findings[0].advice, ["give the field a default, or keep it optional"]);
    let union = |values: &str, more: &str| {
        format!(
            "o: {{type: object, required: [type], properties: {{type: {{type: string, enum: [{values}]}}, a: {{type: \
             string}}{more}}}"
        )
    };
    let rule = ", x-kubernetes-validations: [{rule: '(self.type == \"B\") == has(self.b) && (!has(self.a) || size(self.a) < 3)'}]}";
    let member =
        audit(&format!("{}}}", union("A", "")), &format!("{}{rule}", union("A, B", ", b: {type: string}")));
    let [finding] = member.findings.as_slice() else { panic!("{:#?}", member.findings) };
    let is_refused = |effect: &String| effect.contains("new objects from old manifests");
    assert!(finding.effects.iter().any(is_refused), "{finding:#?}");
    // What is refused lacks no field. Clients that do not know the new member cannot read the objects.
    assert_eq!(finding.advice, ["update the clients before an object has the new member"]);
}

/// A new rule reads a new field. Old clients lose the field, not the rule.
#[test]
fn a_new_rule_does_not_explain_that_an_old_client_drops_a_new_field() {
    let audit = audit(
        "o: {type: object, required: [name], properties: {name: {type: string}}}",
        "o: {type: object, required: [name], properties: {name: {type: string}, a: {type: integer, default: 1}, b: {type: \
         string}}, x-kubernetes-validations: [{rule: '!has(self.b) || has(self.a)'}]}",
    );
    let of_rule: Vec<&AuditFinding> =
        audit.findings.iter().filter(|finding| finding.change.contains("rule")).collect();
    assert!(of_rule.iter().all(|finding| finding.severity != Severity::Silent), "{of_rule:#?}");
}

/// The version that refuses an object is named first.
#[test]
fn an_object_that_the_second_version_refuses_names_that_version() {
    let file = two_versions("a: {type: string}", "a: {type: string, maxLength: 3}");
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let effect = "refused (invalid-value): new objects from the same manifest, in v2 instead of v1";
    assert!(audit.findings[0].effects.iter().any(|shown| shown == effect), "{:#?}", audit.findings);
}

/// Between versions, all limits of an element are there at once. Each finding has a value that its own limit refuses.
#[test]
fn a_finding_between_versions_names_the_limit_that_refuses_the_value() {
    let file = two_versions(
        "a: {type: string}",
        "a: {type: string, minLength: 1, maxLength: 3, pattern: '^[a-z]*$'}",
    );
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let shown: Vec<(&str, &str)> =
        audit.findings.iter().map(|finding| (finding.change.as_str(), finding.shown.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("maxLength 3 added", "\"example\" is refused"),
            ("minLength 1 added", "\"\" is refused"),
            ("pattern \"^[a-z]*$\" added", "\"1\" is refused"),
        ]
    );
}

fn audit_of_versions(first: &str, second: &str) -> Audit {
    let file = two_versions(first, second);
    audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types")
}

/// The default of a field has a finding of its own.
#[test]
fn a_finding_between_versions_has_only_the_effects_of_its_change() {
    let with = |more: &str, default: &str| {
        format!("o: {{type: object, properties: {{{more}r: {{type: integer{default}}}}}}}")
    };
    let audit = audit_of_versions(&with("a: {type: string}, ", ""), &with("", ", default: 1"));
    let of_field = audit.findings.iter().find(|finding| finding.change.contains("field")).expect("a finding");
    assert_eq!(of_field.change, "1 field in one version only", "{:#?}", audit.findings);
}

/// As a definition that permits more than before.
#[test]
fn a_value_that_only_the_second_version_permits_is_a_note() {
    let audit = audit_of_versions("a: {type: string, maxLength: 3}", "a: {type: string, maxLength: 9}");
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    let effect = "refused (invalid-value): new objects from the same manifest, in v1 instead of v2";
    assert_eq!(
        (finding.severity, finding.effects.as_slice()),
        (Severity::Note, [effect.to_owned()].as_slice())
    );
}

/// A controller writes the status, after the object was created in the same version.
#[test]
fn a_status_that_the_second_version_refuses_names_that_version() {
    let with = |limit: &str| {
        let status = format!("status: {{type: object, properties: {{s: {{type: integer{limit}}}");
        format!("a: {{type: string}}}}}}\n            {status}")
    };
    let audit = audit_of_versions(&with(""), &with(", minimum: 1"));
    let [finding] = audit.findings.as_slice() else { panic!("{:#?}", audit.findings) };
    let effect = "refused (invalid-value): new objects from the same manifest, in v2 instead of v1";
    assert_eq!(finding.effects, [effect], "{finding:#?}");
}

/// The version in which objects are stored drops a required field, so that every change of the object is refused.
#[test]
fn what_is_refused_for_another_reason_is_no_effect_of_a_new_field() {
    let with = |more: &str| {
        let fields = format!("k: {{type: string}}, a: {{type: string}}{more}");
        two_versions(
            "o: {type: object, properties: {a: {type: string}, b: {type: string}}}",
            &format!("o: {{type: object, required: [k], properties: {{{fields}}}}}"),
        )
    };
    let options = ExploreOptions::default();
    let audits = audit_definitions(&with(""), &with(", b: {type: string}"), options).expect("valid types");
    let of_v2 = audits.iter().find(|audit| audit.versions == "v2").expect("an audit");
    assert!(of_v2.findings.iter().all(|finding| finding.severity == Severity::Note), "{:#?}", of_v2.findings);
}
