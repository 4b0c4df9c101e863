//! Tests of which changes are judged: for which a valid object is found that shows them.

use rstest::rstest;
use skewer_reports::audit::{Audit, Severity};

use super::{A, audit, only_finding, two_versions};
use crate::explore::ExploreOptions;
use crate::input::DefinitionFile;
use crate::run::{audit_definitions, audit_versions};

/// Returns an object with these fields, and further keywords.
pub(super) fn object(fields: &str, keywords: &str) -> String {
    format!("o: {{type: object, properties: {{{fields}}}{keywords}}}")
}

pub(super) fn rule(rule: &str) -> String {
    format!(", x-kubernetes-validations: [{{rule: \"{rule}\"}}]")
}

/// Each definition refuses the smallest object that has the field `lost`.
#[rstest]
#[case::exactly_one("image: {type: string}, source: {type: string}", &rule("has(self.image) != has(self.source)"))]
#[case::at_least_one(
    "host: {type: string}, port: {type: integer}",
    &rule("[has(self.host), has(self.port)].exists(it, it)")
)]
#[case::companion_of_an_enum_value(
    "mode: {type: string, enum: [Copy, Move]}, target: {type: string}",
    &(rule("!(self.mode in ['Copy', 'Move']) || has(self.target)") + ", required: [mode]")
)]
#[case::value_of_an_open_string(
    "mode: {type: string}",
    &(rule("self.mode.startsWith('disk-') && self.mode.endsWith('-v1')") + ", required: [mode]")
)]
#[case::required_text_of_a_rule(
    "image: {type: string, x-kubernetes-validations: [{rule: \"self.matches('^[a-z]+\\\\\\\\/[a-z]+:[0-9]+$')\"}]}",
    ", required: [image]"
)]
#[case::required_sibling_with_a_union(
    "ref: {type: object, properties: {a: {type: string}, b: {type: string}}, \
     x-kubernetes-validations: [{rule: \"has(self.a) ? !has(self.b) : has(self.b)\"}]}",
    ", required: [ref]"
)]
#[case::items_with_a_union(
    "refs: {type: array, minItems: 1, items: {type: object, properties: {a: {type: string}, b: {type: string}}, \
     x-kubernetes-validations: [{rule: \"has(self.a) || has(self.b)\"}]}}",
    ", required: [refs]"
)]
#[case::size_of_a_list(
    "names: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: \"size(self) >= 3\"}]}",
    ", required: [names]"
)]
#[case::size_of_a_map(
    "labels: {type: object, additionalProperties: {type: string}, \
     x-kubernetes-validations: [{rule: \"'team' in self && size(self) > 1\"}]}",
    ", required: [labels]"
)]
#[case::order_of_two_numbers(
    "low: {type: integer}, high: {type: integer}",
    &(rule("self.low + 3 < self.high") + ", required: [low, high]")
)]
#[case::keys_of_a_map_that_rules_name(
    "labels: {type: object, additionalProperties: {type: string}, x-kubernetes-validations: [\
     {rule: \"'a.example/role' in self && self['a.example/role'] == 'main'\"}, \
     {rule: \"'a.example/type' in self && self['a.example/type'] == 'other'\"}]}",
    ", required: [labels]"
)]
#[case::size_that_a_rule_names(
    "zones: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}, \
     x-kubernetes-validations: [{rule: \"size(self) == 6\"}]}",
    ", required: [zones]"
)]
#[case::bytes_between_two_lines(
    "ca: {type: string, format: byte, x-kubernetes-validations: [{rule: \"string(self).startsWith('--BEGIN--')\"}, \
     {rule: \"string(self).endsWith('--END--\\\\n')\"}]}",
    ", required: [ca]"
)]
#[case::a_rule_that_cannot_be_evaluated(
    "list: {type: array, items: {type: object, properties: {key: {type: string}, operator: {type: string}}}, \
     minItems: 1, x-kubernetes-validations: [{rule: \"self.all(x, !has(x.key) ? x.operator == 'Exists' : true)\", \
     message: wrong}]}",
    ", required: [list]"
)]
#[case::embedded_resource(
    "template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    ", required: [template]"
)]
#[case::one_of_two_formats(
    "address: {type: string, anyOf: [{format: ipv4}, {format: ipv6}]}",
    ", required: [address]"
)]
#[case::alternatives_of_a_value(
    "mode: {type: string}, size: {type: integer}",
    ", oneOf: [{properties: {mode: {enum: [Fixed]}}, required: [mode, size]}, \
     {properties: {mode: {enum: [Auto]}}, required: [mode], not: {required: [size]}}]"
)]
fn a_removed_field_is_found_whatever_else_must_be_valid(#[case] fields: &str, #[case] keywords: &str) {
    let with = object(&format!("{fields}, lost: {{type: string}}"), keywords);
    let (severity, title, effects) = only_finding(&with, &object(fields, keywords));
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.o.lost: field removed"));
    assert!(effects[0].starts_with("lost: stored objects"), "{effects:?}");
}

#[test]
fn a_field_of_a_member_that_a_ternary_selects_is_found() {
    let keywords =
        rule("has(self.on) ? (self.on == 'DISK' ? has(self.disk) : !has(self.disk)) : !has(self.disk)");
    let with = |fields: &str| {
        object(&format!("on: {{type: string}}, disk: {{type: object, properties: {{{fields}}}}}"), &keywords)
    };
    let (severity, title, _) =
        only_finding(&with("a: {type: string}, lost: {type: string}"), &with("a: {type: string}"));
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.o.disk.lost: field removed"));
}

/// Returns the audit of a removed field of a definition with these keywords at the root.
fn audit_of_root(keywords: &str) -> Audit {
    let read = |spec: &str| definition_of_root(spec, keywords);
    let (old, new) = (read("a: {type: string}, lost: {type: string}"), read(A));
    audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types").remove(0)
}

/// Returns a definition with these fields of the specification, and keywords at the root.
pub(super) fn definition_of_root(spec: &str, keywords: &str) -> DefinitionFile {
    let text = definition_with_root(spec, keywords);
    DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
}

fn definition_with_root(spec: &str, keywords: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.com}}
spec:
  group: example.com
  names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          {keywords}
          properties:
            metadata: {{type: object, properties: {{name: {{type: string, maxLength: 12}}}}}}
            spec: {{type: object, properties: {{{spec}}}}}
"
    )
}

#[rstest]
#[case::rule("x-kubernetes-validations: [{rule: \"self.metadata.name == 'cluster'\"}]")]
#[case::rule_with_message(
    "x-kubernetes-validations: [{rule: \"self.metadata.name in ['a', 'b']\", message: wrong}]"
)]
fn an_object_has_the_name_that_the_definition_asks_for(#[case] keywords: &str) {
    let audit = audit_of_root(keywords);
    assert_eq!((audit.findings.len(), audit.not_judged), (1, 0), "{:#?}", audit.findings);
    assert_eq!(audit.findings[0].severity, Severity::Silent);
}

#[test]
fn an_enum_of_names_is_respected() {
    let read = |spec: &str| {
        let text = definition_with_root(spec, "nullable: false")
            .replace("maxLength: 12", "enum: [one.example, two]");
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let (old, new) = (read("a: {type: string}, lost: {type: string}"), read(A));
    let audit = audit_definitions(&old, &new, ExploreOptions::default()).expect("valid types").remove(0);
    assert_eq!((audit.findings.len(), audit.not_judged), (1, 0), "{:#?}", audit.findings);
}

#[rstest]
#[case::items(
    "l: {type: array, items: {type: object, properties: {a: {type: string}}}",
    "}",
    "maxItems: 200"
)]
#[case::keys("l: {type: object, additionalProperties: {type: string}", "}", "maxProperties: 64")]
#[case::length("l: {type: string, pattern: '^[a-z]+$'", "}", "maxLength: 253")]
#[case::number("l: {type: integer", "}", "maximum: 5000000")]
fn a_limit_far_above_the_smallest_value_is_tried(
    #[case] start: &str,
    #[case] end: &str,
    #[case] limit: &str,
) {
    let (severity, _, effects) = only_finding(&format!("{start}{end}"), &format!("{start}, {limit}{end}"));
    assert_eq!(severity, Severity::Loud);
    assert!(effects[0].starts_with("refused (invalid-value): "), "{effects:?}");
}

/// Returns the only finding, which is that a change was not judged, and its reason.
pub(super) fn only_not_judged(old: &str, new: &str) -> (String, String) {
    let audit = audit(old, new);
    assert_eq!((audit.findings.len(), audit.not_judged), (1, audit.changes), "{:#?}", audit.findings);
    let finding = &audit.findings[0];
    assert_eq!(finding.severity, Severity::NotJudged, "{finding:#?}");
    (format!("{}: {}", finding.path, finding.change), finding.effects[0].clone())
}

#[test]
fn a_change_is_not_judged_if_a_rule_refuses_every_object() {
    let keywords = rule("has(self.a) && !has(self.a)");
    let with = object("a: {type: string}, lost: {type: string}", &keywords);
    let (title, reason) = only_not_judged(&with, &object(A, &keywords));
    assert_eq!(title, "spec.o.lost: field removed");
    assert!(
        reason.ends_with("the rule `has(self.a) && !has(self.a)` of spec.o refuses all that were tried"),
        "{reason}"
    );
}

#[test]
fn a_change_is_not_judged_if_no_value_of_a_required_field_is_known() {
    let keywords = ", required: [a]";
    let fields = "a: {type: string, pattern: 'a^b'}";
    let with = object(&format!("{fields}, lost: {{type: string}}"), keywords);
    let (_, reason) = only_not_judged(&with, &object(fields, keywords));
    assert!(reason.contains("spec.o.a: the text does not match the pattern a^b"), "{reason}");
}

#[rstest]
#[case::rule(
    "a: {type: string, x-kubernetes-validations: [{rule: 'self.size() < 1000000'}]}",
    "no object was found that was valid before and that the new rule `self.size() < 1000000` refuses: no change of a valid \
     object breaks it, and there is no proof"
)]
#[case::alternatives(
    "a: {type: string, anyOf: [{pattern: '.*'}]}",
    "no value was found that the new anyOf refuses"
)]
#[case::length("a: {type: string, maxLength: 90000}", "no value was tried with more than 66000 characters")]
fn a_limit_is_not_judged_if_no_value_breaks_it(#[case] new: &str, #[case] expected: &str) {
    assert_eq!(only_not_judged(A, new).1, expected);
}

/// It is proven that no text is refused, so that there is nothing to try.
#[rstest]
#[case::pattern_of_all_texts(A, "a: {type: string, pattern: '.*'}")]
#[case::wider_pattern(
    "a: {type: string, pattern: ^https?://}",
    "a: {type: string, pattern: '^(http|https|socks5)://'}"
)]
#[case::length_of_the_pattern(
    "a: {type: string, pattern: '^[a-z]+$'}",
    "a: {type: string, pattern: '^[a-z]+$', minLength: 1}"
)]
#[case::length_of_the_enum(
    "a: {type: string, enum: [one, two]}",
    "a: {type: string, enum: [one, two], maxLength: 3}"
)]
fn a_limit_that_refuses_no_text_is_judged(#[case] old: &str, #[case] new: &str) {
    let audit = audit(old, new);
    assert_eq!(audit.not_judged, 0, "{:#?}", audit.findings);
    assert!(audit.findings.iter().all(|finding| finding.severity == Severity::Note), "{:#?}", audit.findings);
}

/// The only text that the new pattern refuses is none that heuristics find.
#[test]
fn a_text_that_only_one_pattern_permits_is_found() {
    let with = |pattern: &str| format!("a: {{type: string, pattern: '{pattern}'}}");
    let (severity, _, _) = only_finding(&with("^(ab|cd){2}x?$"), &with("^(ab|cd){2}$|^(abab|abcd|cdab)x$"));
    assert_eq!(severity, Severity::Loud);
}

#[test]
fn a_text_that_the_pattern_of_a_rule_describes_is_tried() {
    let new = "a: {type: string, x-kubernetes-validations: [{rule: \"!self.matches('^[a-f]+[0-9]{3}$')\"}]}";
    let (severity, title, _) = only_finding(A, new);
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.a: CEL rule added"));
}

/// The client removes keys: it does not only set others.
#[test]
fn a_change_that_removes_keys_is_tried() {
    let fields = "a: {type: string}, b: {type: string}";
    let rule = rule("!has(oldSelf.a) || !has(oldSelf.b) || has(self.a) || has(self.b)");
    let (old, new) = (object(fields, ""), object(fields, &rule));
    let (severity, title, _) = only_finding(&old, &new);
    assert_eq!((severity, title.as_str()), (Severity::Loud, "spec.o: CEL rule added"));
}

/// A controller, and no client of the main resource, writes what the rule of the whole object reads.
#[test]
fn a_rule_of_the_whole_object_about_its_status_is_tried() {
    let read = |keywords: &str| {
        let text = definition_with_root(A, keywords)
            .replace("      schema:", "      subresources: {status: {}}\n      schema:")
            .replace(
                "            spec:",
                "            status: {type: object, properties: {b: {type: string}}}\n            spec:",
            );
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let rule = "x-kubernetes-validations: [{rule: '!has(oldSelf.status) || has(self.status)'}]";
    let options = ExploreOptions::default();
    let audit = audit_definitions(&read(""), &read(rule), options).expect("valid types").remove(0);
    assert_eq!((audit.findings.len(), audit.not_judged), (1, 0), "{:#?}", audit.findings);
    assert_eq!(audit.findings[0].severity, Severity::Loud);
}

/// A rule that is not judged is named, with its own line.
#[test]
fn a_rule_that_is_not_judged_has_its_line() {
    let read = |rule: &str| {
        let text = definition_with_root(A, "nullable: false") + rule;
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let rules = "          x-kubernetes-validations:\n            - rule: has(self.spec)\n            - rule: \
                 self.spec.a.split('@').size() != 17\n";
    let new = rules
        .replace("has(self.spec)", "'!has(self.spec) || has(self.spec)'")
        .replace("self.spec.a", "!has(self.spec) || !has(self.spec.a) || self.spec.a")
        .replace("rule: !", "rule: '!")
        .replace("split('@')", "split(''@'')")
        .replace("17", "17'");
    let options = ExploreOptions::default();
    let audit = audit_definitions(&read(""), &read(&new), options).expect("valid types").remove(0);
    let found: Vec<_> =
        audit.findings.iter().map(|finding| (finding.place.as_str(), finding.effects[0].as_str())).collect();
    assert!(
        matches!(found.as_slice(), [("crd.yaml:21", reason)] if reason.contains("`!has(self.spec) || !has(self.spec.a) || \
         self.spec.a.split('@').size() != 17` refuses: ")),
        "{found:?}"
    );
}

#[test]
fn a_list_longer_than_the_audit_tries_is_not_judged() {
    let list = |limit: &str| format!("l: {{type: array, {limit}items: {{type: string}}}}");
    let (_, reason) = only_not_judged(&list(""), &list("maxItems: 65536, "));
    assert_eq!(reason, "no value was tried with more than 1024 items");
}

#[test]
fn a_change_that_is_not_simulated_is_not_judged() {
    let read = |subresources: &str| {
        let text = definition_with_root("replicas: {type: integer}", "nullable: false");
        let text =
            text.replace("      schema:", &format!("      subresources: {subresources}\n      schema:"));
        DefinitionFile::read("crd.yaml", text.as_bytes()).expect("a valid definition")
    };
    let scale = "{scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}";
    let options = ExploreOptions::default();
    let audit = audit_definitions(&read("{}"), &read(scale), options).expect("valid types").remove(0);
    let found: Vec<(&str, &str)> =
        audit.findings.iter().map(|f| (f.change.as_str(), f.effects[0].as_str())).collect();
    assert_eq!(found, [("subresource scale added", "subresource scale is not simulated")]);
}

#[test]
fn a_finding_has_another_id_than_the_change_that_was_not_judged() {
    let ids = |keywords: &str| {
        let with = object("a: {type: string}, lost: {type: string}", keywords);
        audit(&with, &object(A, keywords)).findings.remove(0).id
    };
    assert_ne!(ids(&rule("has(self.a) && !has(self.a)")), ids(""));
}

#[test]
fn what_was_not_judged_comes_first() {
    let pair = |o: &str, b: &str| format!("{}\n{b}", object(o, &rule("has(self.a) && !has(self.a)")));
    let old = pair("a: {type: string}, lost: {type: string}", "b: {type: string}");
    let audit = audit(&old, &pair(A, "c: {type: integer}"));
    let severities: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, [Severity::NotJudged, Severity::Silent, Severity::Note]);
    assert_eq!((audit.changes, audit.not_judged), (3, 1));
}

#[test]
fn a_required_field_names_the_change_of_a_sibling() {
    let old = object("name: {type: string}, key: {type: string}", "");
    let new = object("name: {type: string}, key: {type: string}", ", required: [name]");
    let (_, _, effects) = only_finding(&old, &new);
    assert!(effects[0].contains("every client that changes another field of the same object"), "{effects:?}");
}

/// A required field was judged if an object without the field is refused, or if a default says that there is none.
#[rstest]
#[case::default(", default: x", "", &[])]
#[case::no_default("", "", &[Severity::Loud])]
#[case::no_object_without_the_field("", ", minProperties: 1", &[Severity::NotJudged])]
fn a_required_field_is_judged_by_an_object_without_it(
    #[case] of_field: &str,
    #[case] of_object: &str,
    #[case] expected: &[Severity],
) {
    let object =
        |required: &str| object(&format!("a: {{type: string{of_field}}}"), &format!("{of_object}{required}"));
    let audit = audit(&object(""), &object(", required: [a]"));
    let severities: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, expected, "{:#?}", audit.findings);
}

/// Every request in one version to an object of the other one is refused, because the stored version drops a required field.
/// A new object is refused only for the limit.
#[rstest]
#[case::number("a: {type: integer", ", minimum: 1")]
#[case::empty_list("a: {type: array, items: {type: string}", ", minItems: 1")]
#[case::empty_map("a: {type: object, additionalProperties: {type: string}", ", minProperties: 1")]
#[case::empty_object("a: {type: object, properties: {b: {type: string}}", ", minProperties: 1")]
#[case::items_with_keys(
    "a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], \
     properties: {k: {type: string}}}",
    ", maxItems: 32"
)]
fn a_limit_of_one_version_is_tried_where_the_versions_require_other_fields(
    #[case] field: &str,
    #[case] limit: &str,
) {
    let version = |required: &str, limit: &str| {
        format!(
            "o: {{type: object, required: [{required}], properties: {{{required}: {{type: string}}, {field}{limit}}}}}}}"
        )
    };
    let (free, limited) = (version("class", ""), version("classRef", limit));
    assert_refused_between_versions(&free, &limited);
}

/// The old version requires what no object of the new one has.
#[test]
fn an_object_that_both_versions_accept_but_for_a_limit_is_repaired() {
    let item = |more: &str| {
        format!(
            "{{type: object, required: [k{more}], properties: {{k: {{type: string}}, m: {{type: string}}}}}}"
        )
    };
    let version = |required: &str, item: &str, limit: &str| {
        format!(
            "p: {{type: object, properties: {{{required}: {{type: string}}}}, required: [{required}]}}, o: {{type: object, \
             properties: {{a: {{type: array, items: {item}{limit}}}}}}}"
        )
    };
    let (free, limited) = (version("c", &item(""), ""), version("d", &item(", m"), ", maxItems: 32"));
    assert_refused_between_versions(&free, &limited);
}

/// A limit of what is in the object refuses its value, too, and each version requires another field.
#[test]
fn a_limit_around_another_one_is_tried_between_versions() {
    let version = |required: &str, limit: &str, inner: &str| {
        format!(
            "o: {{type: object, required: [{required}], properties: {{{required}: {{type: string}}, a: {{type: object{limit}, \
             properties: {{b: {{type: string{inner}}}}}}}}}}}"
        )
    };
    assert_refused_between_versions(
        &version("class", "", ""),
        &version("classRef", ", minProperties: 1", ", minLength: 10"),
    );
}

/// The item that lacks the field must have what else the second version asks for.
#[test]
fn a_field_that_only_one_version_requires_is_left_out() {
    let version = |required: &str, values: &str| {
        let fields = format!("t: {{type: string{values}}}, m: {{type: string}}");
        format!(
            "l: {{type: array, items: {{type: object, required: [{required}], properties: {{{fields}}}}}}}"
        )
    };
    let file = two_versions(&version("t", ""), &version("t, m", ", enum: [one, two]"));
    let audit = audit_versions(&file, ["v1", "v2"], ExploreOptions::default()).expect("valid types");
    assert_eq!(audit.not_judged, 0, "{:#?}", audit.findings);
}

/// Asserts that the limit of `spec.o.a` in the second version is found, whatever the version in which objects are stored.
fn assert_refused_between_versions(free: &str, limited: &str) {
    // Objects are stored in v1.
    for (file, [free, limited]) in
        [(two_versions(free, limited), ["v1", "v2"]), (two_versions(limited, free), ["v2", "v1"])]
    {
        let audit = audit_versions(&file, [free, limited], ExploreOptions::default()).expect("valid types");
        let finding = audit.findings.iter().find(|finding| finding.path == "spec.o.a").expect("a finding");
        let effect = format!(
            "refused (invalid-value): new objects from the same manifest, in {limited} instead of {free}"
        );
        assert_eq!(finding.effects, [effect], "{finding:#?}");
    }
}

#[test]
fn a_text_that_a_rule_asks_for_is_lengthened() {
    let with = |limit: &str| {
        format!("a: {{type: string{limit}, x-kubernetes-validations: [{{rule: 'isURL(self)'}}]}}")
    };
    let (severity, _, effects) = only_finding(&with(""), &with(", maxLength: 300"));
    assert_eq!(severity, Severity::Loud, "{effects:?}");
}

/// The smallest item is refused by a rule, so that only a copy of a valid one makes a longer list.
#[rstest]
#[case::list("type: array, x-kubernetes-list-type: atomic, items: {ITEM}", "maxItems: 16", "maxItems: 2")]
#[case::keys(
    "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {ITEM}",
    "maxItems: 16",
    "maxItems: 2"
)]
#[case::map("type: object, additionalProperties: {ITEM}", "maxProperties: 16", "maxProperties: 2")]
fn a_list_with_copies_of_a_valid_item_is_too_long(#[case] list: &str, #[case] old: &str, #[case] new: &str) {
    let item = "type: object, required: [k, refs], properties: {k: {type: string}, refs: {type: array, minItems: 1, items: {type: \
                object, required: [kind], properties: {kind: {type: string}, port: {type: integer}}, \
                x-kubernetes-validations: [{rule: 'has(self.port) && self.kind.startsWith(string(self.port))'}]}}}";
    let with = |limit: &str| format!("l: {{{}, {limit}}}", list.replace("ITEM", item));
    let (severity, title, _) = only_finding(&with(old), &with(new));
    assert_eq!(severity, Severity::Loud, "{title}");
}

/// Each text of an object that has to be added has two rules, and no shorter text satisfies one of them.
#[test]
fn an_added_object_has_the_texts_that_its_rules_ask_for() {
    let image = "{type: string, maxLength: 447, x-kubernetes-validations: [\
                 {rule: \"self.split('@').size() == 2 && self.split('@')[1].matches('^sha256:[a-f0-9]{64}$')\"}, \
                 {rule: \"self.split('@')[0].matches('^([a-zA-Z0-9-]+[.])+[a-zA-Z0-9-]+(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?$')\"}]}";
    let with = |lost: &str| {
        let image =
            format!("image: {{type: object, required: [a, b], properties: {{a: {image}, b: {image}}}}}");
        let item = format!(
            "{{type: object, required: [type], properties: {{{image}, type: {{type: string, enum: [Image]}}{lost}}}{}}}",
            rule("self.type == 'Image' ? has(self.image) : !has(self.image)")
        );
        format!("l: {{type: array, items: {item}}}")
    };
    let (severity, title, _) = only_finding(&with(", lost: {type: string}"), &with(""));
    assert_eq!((severity, title.as_str()), (Severity::Silent, "spec.l[].lost: field removed"));
}

/// A rule on a field that is new with it refuses no object of before.
#[test]
fn a_rule_that_all_items_satisfy_without_a_new_field_is_judged() {
    let with = |field: &str, keywords: &str| {
        format!(
            "l: {{type: array, maxItems: 4, items: {{type: object, properties: {{a: {{type: string}}{field}}}}}{keywords}}}"
        )
    };
    let unique = rule("self.all(x, !has(x.name) || self.exists_one(y, has(y.name) && x.name == y.name))");
    let audit = audit(&with("", ""), &with(", name: {type: string, maxLength: 9}", &unique));
    assert_eq!(audit.not_judged, 0, "{:#?}", audit.findings);
}

/// A text in base64 has at least four characters, and a multiple of four.
#[rstest]
#[case::no_item_is_enough("type: array, items: {type: string}", "minItems: 0", None)]
#[case::every_integer("type: integer", "format: int64", None)]
#[case::no_text_is_shorter("type: string, format: byte", "minLength: 4", None)]
#[case::some_text_is_shorter("type: string, format: byte", "minLength: 5", Some(Severity::Loud))]
#[case::a_longer_text("type: string, format: byte", "maxLength: 51200", Some(Severity::Loud))]
fn a_limit_refuses_a_value_or_is_proven_to_refuse_none(
    #[case] keywords: &str,
    #[case] limit: &str,
    #[case] severity: Option<Severity>,
) {
    let field = |limit: &str| format!("a: {{{keywords}{limit}}}");
    let audit = audit(&field(""), &field(&format!(", {limit}")));
    let found: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(found, Vec::from_iter(severity), "{:#?}", audit.findings);
}

/// A rule asks for as many items elsewhere, or another one refuses equal items.
#[rstest]
#[case::as_many_elsewhere("size(self.l) == size(self.m)", Some(Severity::NotJudged))]
#[case::already_refused("self.l.all(x, self.l.exists_one(y, x == y))", Some(Severity::NotJudged))]
#[case::no_rule_in_the_way("size(self.m) < 9", Some(Severity::Loud))]
#[case::one_item_at_most("size(self.l) < 2 && size(self.m) < 9", Some(Severity::NotJudged))]
fn a_list_that_refuses_equal_items_is_never_safe_without_such_an_object(
    #[case] condition: &str,
    #[case] severity: Option<Severity>,
) {
    let with = |list_type: &str| {
        format!(
            "o: {{type: array, items: {{type: object, required: [l, m], properties: {{l: {{type: array, {list_type}items: {{type: \
             string}}}}, m: {{type: array, items: {{type: string}}}}}}{}}}}}",
            rule(condition)
        )
    };
    let audit = audit(&with(""), &with("x-kubernetes-list-type: set, "));
    let found: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(found, Vec::from_iter(severity), "{:#?}", audit.findings);
}

/// An object that had to have a field has one.
#[rstest]
#[case::as_many("minProperties: 1", None)]
#[case::more("minProperties: 2", Some(Severity::Loud))]
fn a_number_of_fields_that_an_object_has_anyway_is_no_finding(
    #[case] limit: &str,
    #[case] severity: Option<Severity>,
) {
    let with =
        |limit: &str| object("a: {type: string}, b: {type: string}", &format!(", required: [a]{limit}"));
    let audit = audit(&with(""), &with(&format!(", {limit}")));
    let found: Vec<Severity> = audit.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(found, Vec::from_iter(severity), "{:#?}", audit.findings);
}
