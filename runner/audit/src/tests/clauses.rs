//! Tests of single clauses of findings: whether each is true of the change.

use rstest::rstest;
use skewer_reports::audit::{AuditFinding, Severity};

use super::judged::{definition_of_root, object, only_not_judged, rule};
use super::versions::stored_in;
use super::{audit, only_finding, two_versions};
use crate::explore::ExploreOptions;
use crate::run::{audit_definitions, audit_versions};

/// A server-side apply stores a field below an object that keeps unknown fields, and the next request reads the object without
/// it.
#[test]
fn what_a_server_stores_and_no_longer_shows_is_lost() {
    let with = |field: &str| {
        let inner = format!("r: {{type: object, properties: {{a: {{type: string}}{field}}}}}");
        object(&inner, ", x-kubernetes-preserve-unknown-fields: true")
    };
    let (severity, _, effects) = only_finding(&with(", lost: {type: string}"), &with(""));
    assert_eq!(severity, Severity::Silent);
    assert_eq!(effects, ["lost: stored objects, with every client; new objects from old manifests"]);
}

/// Typed clients write no empty list, so that such a list does not show that they lose what contains it.
#[test]
fn an_object_that_is_lost_has_a_value_that_all_clients_write() {
    let old =
        "o: {type: object, properties: {modes: {type: array, items: {type: string}}}}\na: {type: string}";
    let (_, _, effects) = only_finding(old, "a: {type: string}");
    assert!(effects[0].starts_with("lost: stored objects, with every client, but not server"), "{effects:?}");
}

/// A field that comes with another type of the value is no added field.
#[test]
fn the_fields_of_a_new_type_belong_to_the_type() {
    let with = |items: &str| format!("l: {{type: array, items: {{{items}}}}}");
    let (_, title, _) = only_finding(
        &with("type: string"),
        &with("type: object, required: [name], properties: {name: {type: string}}"),
    );
    assert_eq!(title, "spec.l[]: type \"string\" -> \"object\"");
}

/// Between versions, a limit of the length refuses a long list, and the type of the list refuses equal items.
#[test]
fn a_list_that_refuses_equal_items_between_versions_shows_them() {
    let with = |keywords: &str| {
        format!(
            "l: {{type: array{keywords}, items: {{type: object, required: [name], properties: {{name: {{type: string}}, v: {{type: \
             string}}}}}}}}"
        )
    };
    let limited = ", maxItems: 8, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]";
    let file = two_versions(&with(""), &with(limited));
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    let of_type: Vec<&AuditFinding> =
        audit.findings.iter().filter(|finding| finding.change.starts_with("list type")).collect();
    let [of_type] = of_type.as_slice() else { panic!("{:#?}", audit.findings) };
    assert_eq!(
        of_type.effects,
        ["refused (duplicate-value at an item): new objects from the same manifest, in v2 instead of v1"]
    );
}

/// A field that only one version has was lost before, and not because the object around it is optional now.
#[test]
fn a_known_difference_explains_its_effect_beside_a_new_one() {
    let with = |required: &str, more: &str| {
        format!(
            "t: {{type: object, properties: {{a: {{type: string}}{more}}}}}, p: {{type: object{required}, properties: {{a: {{type: string}}}}}}"
        )
    };
    let of = |required: &str, keywords: &str| {
        let first = format!("o: {{type: object, required: [t], properties: {{{}}}}}", with("", ""));
        let second = format!(
            "o: {{type: object{required}, properties: {{{}}}}}",
            with(keywords, ", d: {type: string, default: Retain}")
        );
        stored_in("v1", &[("v1beta1", &first), ("v1", &second)], "")
    };
    let options = ExploreOptions::default();
    let audits = audit_definitions(&of(", required: [t]", ""), &of("", ""), options).expect("valid types");
    let between = audits.iter().filter(|audit| audit.versions == "v1beta1 and v1");
    let effects: Vec<&String> =
        between.flat_map(|audit| &audit.findings).flat_map(|it| &it.effects).collect();
    assert!(effects.iter().all(|effect| !effect.contains("spec.o.t.d")), "{audits:#?}");
}

/// Some objects of the old definition keep the new fields.
#[test]
fn the_note_on_added_fields_names_those_that_an_old_server_keeps() {
    let with = |open: &str, plain: &str| {
        format!(
            "{}\n{plain}",
            object(&format!("a: {{type: string}}{open}"), ", x-kubernetes-preserve-unknown-fields: true")
        )
    };
    let new = with(", b: {type: string}", "c: {type: string}\nd: {type: string}");
    let (severity, _, effects) = only_finding(&with("", "c: {type: string}"), &new);
    assert_eq!(severity, Severity::Note);
    assert_eq!(
        effects.last().map(String::as_str),
        Some("an old server keeps spec.o.b: the objects around keep unknown fields there"),
        "{effects:#?}"
    );
}

/// The objects are stored in a version with other fields, which a webhook converts.
#[test]
fn what_a_webhook_makes_of_stored_objects_is_not_known() {
    const WEBHOOK: &str = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: \
                           \"https://a.example/convert\"}}}\n";
    let with = |fields: &str| {
        stored_in("v1", &[("v1beta1", fields), ("v1", "a: {type: string}, b: {type: string}")], WEBHOOK)
    };
    let (old, new) = (with("a: {type: string}, b: {type: string}"), with("a: {type: string}"));
    let audits = audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types");
    let finding = &audits[0].findings[0];
    assert_eq!(finding.effects[0], "lost: new objects from old manifests", "{finding:#?}");
    assert_eq!(
        finding.advice,
        ["keep the field in the schema, and mark it as deprecated, until no client sends it"]
    );
}

/// The version in which objects are stored does not have the field: no stored object has the value.
#[test]
fn a_value_that_no_stored_object_has_is_looked_for_in_manifests() {
    let with = |limit: &str| {
        let field = format!(
            "a: {{type: string}}, o: {{type: object, properties: {{s: {{type: string{limit}}}, t: {{type: string}}}}}}"
        );
        stored_in("v1", &[("v1beta1", field.as_str()), ("v1", "a: {type: string}")], "")
    };
    let options = ExploreOptions::default();
    let audits = audit_definitions(&with(""), &with(", minLength: 1"), options).expect("valid types");
    let finding = &audits[0].findings[0];
    assert_eq!(finding.advice, ["look for such values in manifests and charts before the change"]);
}

/// A new rule reads the name, which no update changes.
#[test]
fn a_rule_on_the_name_is_broken_by_new_objects() {
    let with = |keywords: &str| {
        let pool = "pool: {type: object, default: {name: example}, required: [name], properties: {name: {type: string}}}";
        definition_of_root(pool, &format!("required: [spec]\n          {keywords}"))
    };
    let new = with(
        "x-kubernetes-validations: [{rule: 'self.metadata.name == self.spec.pool.name || \
         oldSelf.hasValue() && oldSelf.spec.pool.name.value() == self.spec.pool.name', optionalOldSelf: true}]",
    );
    let audits =
        audit_definitions(&with("description: a"), &new, ExploreOptions::default()).expect("valid types");
    let effects = &audits[0].findings[0].effects;
    assert!(
        effects[0].ends_with("that changes spec.pool.name; new objects from old manifests"),
        "{effects:#?}"
    );
}

/// No stored object is refused by such a rule as it is.
#[test]
fn a_rule_about_updates_is_advised_as_one() {
    let with = |keywords: &str| object("a: {type: string}, b: {type: string}", keywords);
    let new = with(&rule("!has(oldSelf.a) || has(self.a)"));
    let found = audit(&with(""), &new);
    assert_eq!(
        found.findings[0].advice,
        ["look for clients that make such an update"],
        "{:#?}",
        found.findings
    );
}

/// A definition with one change has the fields that the objects of the audit have beside a changed default.
#[rstest]
#[case::of_an_object(
    "o: {type: object, properties: {b: {type: string}}}",
    "o: {type: object, default: {}, properties: {b: {type: string}, c: {type: integer, default: 0}}}"
)]
#[case::of_a_text("o: {type: string}", "o: {type: string, default: u}\nc: {type: string, default: t}")]
fn a_field_beside_a_changed_default_is_not_lost(#[case] old: &str, #[case] new: &str) {
    let beside = "kept: {type: object, properties: {size: {type: integer}}}";
    let audit = audit(&format!("{beside}\n{old}"), &format!("{beside}\n{new}"));
    let effects: Vec<&String> = audit.findings.iter().flat_map(|finding| &finding.effects).collect();
    assert!(!effects.iter().any(|effect| effect.contains("kept")), "{effects:?}");
}

/// A server of the simulation admits every text of such a pattern, and every value of such a rule.
#[rstest]
#[case::new_pattern("a: {type: string, pattern: a}", r"a: {type: string, pattern: 'a\x{d800}'}", "pattern")]
#[case::old_pattern(r"a: {type: string, pattern: 'a\x{d800}'}", "a: {type: string, pattern: b}", "pattern")]
#[case::another_limit(
    r"a: {type: string, pattern: 'a\x{d800}', maxLength: 9}",
    r"a: {type: string, pattern: 'a\x{d800}', maxLength: 5}",
    "pattern"
)]
#[case::negated("a: {type: string}", r"a: {type: string, not: {pattern: 'a\x{d800}'}}", "pattern")]
#[case::old_rule(
    "a: {type: string, x-kubernetes-validations: [{rule: '[[self]].flatten() == [self]'}]}",
    "a: {type: string, x-kubernetes-validations: [{rule: self.size() > 3}]}",
    "rule"
)]
#[case::new_rule(
    "a: {type: string, x-kubernetes-validations: [{rule: self.size() > 3}]}",
    "a: {type: string, x-kubernetes-validations: [{rule: '[[self]].flatten() == [self]'}]}",
    "rule"
)]
fn a_value_of_what_is_not_simulated_is_no_evidence(#[case] old: &str, #[case] new: &str, #[case] part: &str) {
    let (_, reason) = only_not_judged(old, new);
    assert!(reason.contains(part) && reason.contains("is not simulated"), "{reason}");
}

#[test]
fn a_pattern_that_is_not_simulated_hides_no_lost_field() {
    let kept = "b: {type: string}";
    let (severity, ..) = only_finding(&format!("a: {{type: string, pattern: 'a\\x{{d800}}'}}\n{kept}"), kept);
    assert_eq!(severity, Severity::Silent);
}
