//! Tests of witnesses and proofs, on small definitions.

use rstest::rstest;

use super::*;
use crate::explore::Obstacle;
use crate::input::{DefinitionFile, revision};
use crate::schema_path::{SchemaPath, SchemaStep};

/// Returns the rules of a definition whose `spec` has these fields, in JSON, and further keywords after them.
fn rules(fields: &str, keywords: &str) -> Vec<RuleWitnesses> {
    let file = definition(fields, keywords, true);
    witnesses(&file.document, "v1").expect("valid types")
}

fn definition(fields: &str, keywords: &str, served: bool) -> DefinitionFile {
    let definition = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: things.example.com}}, \
         spec: {{group: example.com, names: {{kind: Thing, listKind: ThingList, plural: things, singular: thing}}, \
         scope: Namespaced, versions: [{{name: v1, served: {served}, storage: true, schema: {{openAPIV3Schema: \
         {{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}{keywords}}}}}}}}}}}]}}}}"
    );
    DefinitionFile::read("crd.yaml", definition.as_bytes()).expect("a valid definition")
}

fn rule(text: &str) -> String {
    format!(", x-kubernetes-validations: [{{rule: \"{text}\"}}]")
}

/// Returns the value that the only rule refuses, after the one that it replaces.
fn refused(fields: &str, keywords: &str) -> String {
    let rules = rules(fields, keywords);
    let [rule] = rules.as_slice() else { panic!("{rules:#?}") };
    match rule.broken_values() {
        Some((new, Some(old))) => format!("{old} -> {new}"),
        Some((new, None)) => new.to_string(),
        None => format!("{:?}", rule.broken),
    }
}

const TEXTS: &str = "a: {type: string}, b: {type: string}";
const NUMBERS: &str = "low: {type: integer}, high: {type: integer}";
const LIST: &str = "l: {type: array, maxItems: 9, items: {type: object, required: [name], properties: {name: {type: string}, \
                    kind: {type: string, enum: [A, B]}, open: {type: boolean}}}}";

#[rstest]
#[case::presence(TEXTS, "has(self.a) || has(self.b)", "{}")]
#[case::one_of_two(TEXTS, "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", "{}")]
#[case::list_of_conditions(
    TEXTS,
    "[has(self.a), has(self.b)].filter(x, x).size() <= 1",
    r#"{"a":"example","b":"example"}"#
)]
#[case::equal_conditions(TEXTS, "has(self.a) == has(self.b)", r#"{"a":"example"}"#)]
#[case::text(TEXTS, "!has(self.a) || self.a.startsWith('x')", r#"{"a":"example","b":"example"}"#)]
#[case::text_between(
    TEXTS,
    "!(has(self.a) && self.a.startsWith('x-') && self.a.endsWith('.y'))",
    r#"{"a":"x-.y"}"#
)]
#[case::part_before_a_separator(
    TEXTS,
    "!has(self.a) || self.a.split('/', 2)[0] != 'k8s.io'",
    r#"{"a":"k8s.io"}"#
)]
#[case::end_of_a_part(
    TEXTS,
    "!has(self.a) || !self.a.contains('/') || !self.a.split('/')[1].endsWith('.io')",
    r#"{"a":"/.io"}"#
)]
#[case::rest_that_matches(
    TEXTS,
    "!has(self.a) || !self.a.startsWith('*.') || !self.a.substring(2).matches('^[0-9]{3}x$')",
    r#"{"a":"*.111x"}"#
)]
#[case::quantities(
    "low: {x-kubernetes-int-or-string: true}, high: {x-kubernetes-int-or-string: true}",
    "!has(self.low) || quantity(self.low).isLessThan(quantity('1Mi'))",
    r#"{"high":1,"low":"1Mi"}"#
)]
#[case::two_equal_items(
    "l: {type: array, maxItems: 9, items: {type: string, maxLength: 9}}",
    "!has(self.l) || self.l.all(x, self.l.exists_one(y, x == y))",
    r#"{"l":["example","example"]}"#
)]
#[case::order(
    NUMBERS,
    "!has(self.low) || !has(self.high) || self.low + 3 < self.high",
    r#"{"high":1,"low":1}"#
)]
#[case::quantities(
    TEXTS,
    "!has(self.a) || quantity(self.a).isGreaterThan(quantity('0'))",
    r#"{"a":"0","b":"example"}"#
)]
#[case::durations(
    TEXTS,
    "!has(self.a) || !has(self.b) || duration(self.a) <= duration(self.b)",
    r#"{"a":"1h","b":"5s"}"#
)]
#[case::unique_names(
    LIST,
    "!has(self.l) || self.l.all(x, self.l.exists_one(y, x.name == y.name))",
    r#"{"l":[{"name":"example"},{"name":"example"}]}"#
)]
#[case::at_most_one(
    LIST,
    "!has(self.l) || self.l.filter(x, has(x.kind) && x.kind == 'A').size() <= 1",
    r#"{"l":[{"kind":"A","name":"example"},{"kind":"A","name":"example"}]}"#
)]
#[case::only_one_if_on(
    LIST,
    "!has(self.l) || (self.l.exists(x, has(x.open) && x.open) ? size(self.l) == 1 : true)",
    r#"{"l":[{"name":"example","open":true},{"name":"example1"}]}"#
)]
#[case::size(
    LIST,
    "!has(self.l) || size(self.l) != 4",
    r#"{"l":[{"name":"example"},{"name":"example1"},{"name":"example2"},{"name":"example3"}]}"#
)]
#[case::sum_of_sizes(
    "l: {type: array, maxItems: 4, items: {type: array, maxItems: 2, items: {type: integer}}}",
    "(size(self.l) > 0 ? size(self.l[0]) : 0) + (size(self.l) > 1 ? size(self.l[1]) : 0) + \
     (size(self.l) > 2 ? size(self.l[2]) : 0) <= 5",
    r#"{"l":[[1,2],[1,2],[1,2]]}"#
)]
#[case::absent_value("a: {type: string, enum: [A, B]}", "self.a in ['A', 'B']", "{}")]
#[case::change(TEXTS, "!has(oldSelf.a) || has(self.a)", r#"{"a":"example"} -> {}"#)]
#[case::immutable(
    NUMBERS,
    "!has(oldSelf.low) || !has(self.low) || oldSelf.low == self.low",
    r#"{"high":1,"low":0} -> {"high":1,"low":1}"#
)]
#[case::name_of_the_map(
    "m: {type: object, maxProperties: 5, additionalProperties: {type: string}}",
    "!has(self.m) || !('owner' in self.m)",
    r#"{"m":{"owner":"example"}}"#
)]
#[case::keys_of_a_map(
    "m: {type: object, maxProperties: 5, additionalProperties: {type: string}}",
    "!has(self.m) || self.m.all(key, key.matches('^[a-z]+$'))",
    r#"{"m":{"^[a-z]+$":"example"}}"#
)]
fn a_value_that_only_the_rule_refuses_is_found(
    #[case] fields: &str,
    #[case] text: &str,
    #[case] expected: &str,
) {
    assert_eq!(refused(fields, &rule(text)), expected);
}

#[test]
fn two_items_that_are_compared_in_two_rules_are_found() {
    let rules = rules(
        "refs: {type: array, minItems: 1, maxItems: 9, items: {type: object, required: [name], properties: \
         {name: {type: string, minLength: 1}, part: {type: string, minLength: 1}}}, x-kubernetes-validations: [\
         {rule: \"self.all(p1, self.all(p2, p1.name == p2.name ? ((!has(p1.part) || p1.part == '') == (!has(p2.part) \
         || p2.part == '')) : true))\"}, \
         {rule: \"self.all(p1, self.exists_one(p2, p1.name == p2.name && (((!has(p1.part) || p1.part == '') && \
         (!has(p2.part) || p2.part == '')) || (has(p1.part) && has(p2.part) && p1.part == p2.part))))\"}]}",
        "",
    );
    let refused: Vec<String> =
        rules.iter().map(|rule| rule.broken_values().expect("a witness").0.to_string()).collect();
    assert_eq!(
        refused,
        [
            r#"[{"name":"example1"},{"name":"example1","part":"example"}]"#,
            r#"[{"name":"example1"},{"name":"example1"}]"#
        ]
    );
}

/// The other rules still hold when one is broken.
#[test]
fn other_rules_hold() {
    let conditions =
        ["self.p.startsWith('/')", "!self.p.contains('//')", "!self.p.contains('%2f')", "size(self.k) > 2"];
    let texts = conditions.map(|condition| format!("{{rule: \"{condition}\"}}")).join(", ");
    let keywords = format!(", required: [p, k], x-kubernetes-validations: [{texts}]");
    let found = rules("p: {type: string, pattern: '^[/%a-z0-9]+$'}, k: {type: string}", &keywords);
    let refused: Vec<String> =
        found.iter().map(|rule| rule.broken_values().expect("a witness").0.to_string()).collect();
    assert_eq!(
        refused,
        [
            r#"{"k":"example","p":"a"}"#,
            r#"{"k":"example","p":"//"}"#,
            r#"{"k":"example","p":"/%2f"}"#,
            r#"{"k":"a","p":"/"}"#
        ]
    );
}

#[rstest]
#[case::enumerated("mode: {type: string, enum: [A, B]}", "!has(self.mode) || self.mode in ['A', 'B', 'C']")]
#[case::required("a: {type: string}, b: {type: string}", "has(self.a) || has(self.b)")]
#[case::pattern("a: {type: string, pattern: '^[a-z]+$'}", "true || has(self.b)")]
#[case::size("l: {type: array, maxItems: 2, items: {type: string}}", "size(self.l) < 3")]
fn a_rule_that_nothing_breaks_is_proven(#[case] fields: &str, #[case] text: &str) {
    let required =
        ["a", "l"].iter().find(|name| fields.starts_with(**name)).map(|name| format!(", required: [{name}]"));
    let fields =
        if fields.contains("b:") { fields.to_owned() } else { format!("{fields}, b: {{type: string}}") };
    let rules = rules(&fields, &(required.unwrap_or_default() + &rule(text)));
    assert!(matches!(rules[0].broken, Decision::None(_)), "{:?}", rules[0]);
    assert!(matches!(rules[0].satisfied, Decision::Found(_)), "{:?}", rules[0]);
}

/// A server refuses items with equal keys before it evaluates rules.
#[rstest]
#[case::key("name", "x.name == y.name", true)]
#[case::key_and_another_field("name", "x.name == y.name && x.part == y.part", true)]
#[case::other_field("name", "x.part == y.part", false)]
fn unique_keys_of_a_list_prove_a_rule(
    #[case] key: &str,
    #[case] condition: &str,
    #[case] is_never_broken: bool,
) {
    let rules = rules(
        &format!(
            "l: {{type: array, maxItems: 9, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [{key}], \
             items: {{type: object, required: [name, part], properties: {{name: {{type: string}}, \
             part: {{type: string}}}}}}{}}}",
            rule(&format!("self.all(x, self.exists_one(y, {condition}))"))
        ),
        "",
    );
    assert_eq!(matches!(rules[0].broken, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
    assert_eq!(matches!(rules[0].broken, Decision::Found(_)), !is_never_broken, "{:?}", rules[0]);
}

/// A server refuses equal items of a set before it evaluates rules.
#[rstest]
#[case::set("set", "self.all(x, self.exists_one(y, y == x))", true)]
#[case::list("atomic", "self.all(x, self.exists_one(y, y == x))", false)]
#[case::one_item("set", "self.all(x, self.exists_one(y, y == y))", false)]
#[case::filter_of_a_set("set", "size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", true)]
#[case::filter_of_a_list("atomic", "size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", false)]
#[case::filter_of_at_least_one("set", "size(self.filter(i, size(self.filter(j, j == i)) >= 1)) == 0", false)]
fn unique_items_of_a_set_prove_a_rule(#[case] ty: &str, #[case] text: &str, #[case] is_proven: bool) {
    let list = "type: array, maxItems: 9, items: {type: string, maxLength: 9}";
    let fields = format!("l: {{{list}, x-kubernetes-list-type: {ty}{}}}", rule(text));
    assert_eq!(is_proven_to_hold(&definition(&fields, "", true), &["spec", "l"], text), is_proven);
}

#[rstest]
#[case::pattern("^[a-z]{1,3}$", "self.matches('^[a-z]+$')", true)]
#[case::pattern_that_is_too_long("^[a-z]{1,3}$", "self.matches('^[a-z]{0,2}$')", false)]
#[case::two_texts("^[ab]$", "self == 'a' || self == 'b'", true)]
#[case::two_of_three_texts("^[abc]$", "self == 'a' || self == 'b'", false)]
#[case::selected("^x", "self.startsWith('y') ? self == '' : true", true)]
fn texts_are_decided(#[case] pattern: &str, #[case] text: &str, #[case] is_never_broken: bool) {
    let rules = rules(&format!("a: {{type: string, pattern: '{pattern}'{}}}", rule(text)), "");
    assert_eq!(matches!(rules[0].broken, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
    assert_eq!(matches!(rules[0].broken, Decision::Found(_)), !is_never_broken, "{:?}", rules[0]);
}

#[rstest]
#[case::forbidden_by_the_pattern("^[a-z]+$", "!h.contains('*')", true)]
#[case::permitted_by_the_pattern("^[a-z*]+$", "!h.contains('*')", false)]
#[case::rest("^(ab)?[a-z]+$", "h.startsWith('ab') ? h.substring(2).matches('^[a-z]*$') : true", true)]
#[case::rest_that_is_too_short("^[a-z]+$", "h.substring(2).matches('^[a-z]*$')", false)]
#[case::rest_that_does_not_match("^[a-z]+$", "!h.substring(2).matches('^[0-9]+$')", false)]
fn texts_of_a_list_are_decided(#[case] pattern: &str, #[case] text: &str, #[case] is_never_broken: bool) {
    let list = format!(
        "l: {{type: array, maxItems: 4, items: {{type: string, maxLength: 9, pattern: '{pattern}'}}{}}}",
        rule(&format!("self.all(h, {text})"))
    );
    let rules = rules(&list, "");
    assert_eq!(matches!(rules[0].broken, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
    assert_eq!(matches!(rules[0].broken, Decision::Found(_)), !is_never_broken, "{:?}", rules[0]);
}

/// A text that is too short for its part is refused, because the rule cannot be evaluated.
#[rstest]
#[case::short_texts("^[a-z]+$", false)]
#[case::long_texts("^[a-z]{2,}$", true)]
fn texts_without_a_part_are_no_proof(#[case] pattern: &str, #[case] is_proven: bool) {
    let text = "self.all(h, !h.substring(2).matches('^[0-9]+$'))";
    let list = format!("l: {{type: array, items: {{type: string, pattern: '{pattern}'}}{}}}", rule(text));
    assert_eq!(is_proven_to_hold(&definition(&list, "", true), &["spec", "l"], text), is_proven);
}

fn is_proven_to_hold(definition: &DefinitionFile, fields: &[&str], rule: &str) -> bool {
    let revision = revision(&definition.document, "v1").expect("valid types");
    let admission = revision.admission.as_deref().expect("an admission");
    let path: SchemaPath = fields.iter().map(|name| SchemaStep::Field((*name).to_owned())).collect();
    RuleToBreak { accepting: admission, refusing: admission, path: &path, rule }.proof(true).is_some()
}

/// A field with a default is never absent, unless null is a value.
#[rstest]
#[case::defaulted("default: A", true)]
#[case::nullable("default: A, nullable: true", false)]
#[case::optional("nullable: false", false)]
fn a_default_proves_that_a_field_is_present(#[case] keyword: &str, #[case] is_never_broken: bool) {
    let fields = format!("mode: {{type: string, enum: [A, B], {keyword}}}");
    let rules = rules(&fields, &rule("self.mode in ['A', 'B']"));
    assert_eq!(matches!(rules[0].broken, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
}

/// Other rules that nothing satisfies prove nothing.
#[test]
fn no_rule_is_proven_without_values() {
    let text = "self.mode == 'On'";
    let keywords = format!(
        ", required: [mode], x-kubernetes-validations: [{{rule: \"self.mode == 'None'\"}}, {{rule: \"{text}\"}}]"
    );
    let definition = definition("mode: {type: string, enum: ['On', 'Off']}", &keywords, true);
    assert!(!is_proven_to_hold(&definition, &["spec"], text));
}

/// Since 1.36, a server refuses each number if the format does not have a limit.
#[rstest]
#[case::outside("format: int32, maximum: 4294967295", true)]
#[case::inside("format: int32, maximum: 2147483647", false)]
#[case::larger_format("format: int64, maximum: 4294967295", false)]
fn a_limit_that_the_format_does_not_have_proves_a_rule(
    #[case] keywords: &str,
    #[case] is_never_broken: bool,
) {
    let rules = rules(&format!("n: {{type: integer, {keywords}{}}}", rule("self >= oldSelf")), "");
    assert_eq!(matches!(rules[0].broken, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
    assert_eq!(matches!(rules[0].satisfied, Decision::None(_)), is_never_broken, "{:?}", rules[0]);
}

/// Each rule is the only one that refuses its text.
#[rstest]
#[case::plain("", ["\"?a=ba-z\"", "\"a-z?a=b\"", "\"a-a-z\""])]
#[case::bytes(", format: byte", ["\"P2E9YmEteg==\"", "\"YS16P2E9Yg==\"", "\"YS1hLXo=\""])]
fn a_text_keeps_its_other_rules(#[case] format: &str, #[case] expected: [&str; 3]) {
    let texts = ["startsWith('a-')", "endsWith('-z')", "findAll('a-').size() == self.findAll('-z').size()"];
    let texts =
        texts.map(|text| format!("{{rule: \"string(self).{}\"}}", text.replace("self", "string(self)")));
    let rules =
        rules(&format!("a: {{type: string{format}, x-kubernetes-validations: [{}]}}", texts.join(", ")), "");
    let found: Vec<_> =
        rules.iter().map(|rule| rule.broken_values().expect("a witness").0.to_string()).collect();
    assert_eq!(found, expected);
}

/// The rule refuses what a default makes of the object.
#[test]
fn a_default_that_a_rule_refuses_is_replaced() {
    let rules = rules(
        &format!(
            "o: {{type: object, properties: {{mode: {{type: string, enum: [Closed, Open], default: Closed}}, \
             i: {{type: object, properties: {{l: {{type: array, items: {{type: string{}}}}}}}}}}}{}}}",
            rule("isIP(self)"),
            rule("has(self.mode) && self.mode != 'Open' ? !has(self.i) : true")
        ),
        "",
    );
    let of_items = rules.iter().find(|rule| rule.rule.contains("isIP")).expect("a rule of the items");
    assert!(matches!(of_items.satisfied, Decision::Found(_)), "{of_items:?}");
    assert!(matches!(of_items.broken, Decision::Found(_)), "{of_items:?}");
}

/// Two items stay equal when one of them is made valid.
#[test]
fn equal_items_are_edited_together() {
    let rules = rules(
        &format!(
            "l: {{type: array, maxItems: 4, items: {{type: object, required: [a], properties: {{a: {{type: string}}}}, \
             anyOf: [{{properties: {{a: {{format: ipv4}}}}}}, {{properties: {{a: {{format: ipv6}}}}}}]}}{}}}",
            rule("self.all(x, self.exists_one(y, x == y))")
        ),
        "",
    );
    assert_eq!(
        rules[0].broken_values().expect("a witness").0.to_string(),
        r#"[{"a":"10.0.0.1"},{"a":"10.0.0.1"}]"#
    );
}

/// A value that a rule refuses in new items is reached by a change.
#[test]
fn an_object_that_nobody_can_create_is_changed() {
    let rules = rules(
        "l: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], \
         items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}, \
         x-kubernetes-validations: [{rule: \"oldSelf.hasValue() || !has(self.size)\", optionalOldSelf: true}]}, \
         x-kubernetes-validations: [{rule: \"size(self.filter(x, x.?size.orValue(0) != 0)) <= 1\"}]}",
        "",
    );
    let of_list = rules.iter().find(|rule| rule.rule.contains("filter")).expect("the rule of the list");
    let (new, old) = of_list.broken_values().expect("a witness");
    assert_eq!(
        new.to_string(),
        r#"[{"name":"example"},{"name":"example1"},{"name":"example3","size":-1},{"name":"","size":-1}]"#
    );
    assert_eq!(
        old.expect("a change").to_string(),
        r#"[{"name":"example"},{"name":"example1"},{"name":"example3"},{"name":""}]"#
    );
}

/// Returns true if it is proven that a rule refuses nothing that a definition with another rule accepts. The first fields are
/// those of before.
fn is_implied([old_fields, new_fields]: [&str; 2], [old, new]: [&str; 2]) -> bool {
    let read = |fields, text| definition(fields, &rule(text), true);
    let [old, new_definition] = [read(old_fields, old), read(new_fields, new)];
    let [accepting, refusing] =
        [&old, &new_definition].map(|file| revision(&file.document, "v1").expect("valid types"));
    let path = SchemaPath::from_iter([SchemaStep::Field("spec".to_owned())]);
    let rule = RuleToBreak {
        accepting: accepting.admission.as_deref().expect("a custom resource"),
        refusing: refusing.admission.as_deref().expect("a custom resource"),
        path: &path,
        rule: new,
    };
    rule.proof(true).is_some()
}

const FIELDS: &str = "a: {type: string}, b: {type: string}, low: {type: integer}, l: {type: array, \
                      items: {type: object, required: [name], properties: {name: {type: string}, kind: {type: string}}}}";

#[rstest]
#[case::conjunct("has(self.a) && self.a.matches('^a+$')", "self.a.matches('^a+$')")]
#[case::alternative("has(self.a)", "has(self.b) || has(self.a)")]
#[case::guard("has(self.a) ? self.low > 3 : true", "has(self.a) && has(self.b) ? self.low > 3 : true")]
#[case::value_that_is_read(
    "has(self.a) ? self.l.size() < 2 : true",
    "has(self.a) ? has(self.l) && self.l.size() < 2 : true"
)]
#[case::equal_conditions(
    "(!has(self.a) && !has(self.b)) || (has(self.a) && has(self.b))",
    "has(self.a) == has(self.b)"
)]
#[case::sides_of_an_equality(
    "has(self.a) ? self.a == self.b : true",
    "has(self.a) ? self.b == self.a : true"
)]
#[case::items("self.l.all(x, x.name == 'a')", "self.l.all(y, y.name == 'a' || has(y.kind))")]
#[case::some_item("self.l.exists(x, x.name == 'a')", "self.l.exists(x, x.name == 'a' || x.name == 'b')")]
#[case::one_item_of_another(
    "self.l.all(x, x.name == 'a' ? self.l.exists_one(y, y.name == x.name && y.kind == x.kind) : true)",
    "self.l.all(x, x.name == 'a' && has(x.kind) ? self.l.exists_one(y, y.name == x.name && has(y.kind) && y.kind == \
     x.kind) : true)"
)]
#[case::equal_objects(
    "!has(oldSelf.a) || self == oldSelf",
    "!has(oldSelf.a) || (has(self.b) == has(oldSelf.b) && (!has(self.b) || self.b == oldSelf.b))"
)]
#[case::sizes_of_conditions(
    "[has(self.a), has(self.b)].filter(x, x == true).size() == 1",
    "has(self.a) != has(self.b)"
)]
fn a_rule_that_follows_from_another_one_is_proven(#[case] old: &str, #[case] new: &str) {
    assert!(is_implied([FIELDS; 2], [old, new]), "{new}");
    assert!(!is_implied([FIELDS; 2], ["true", new]), "{new} without the other rule");
}

#[rstest]
#[case::stronger("has(self.b) || has(self.a)", "has(self.a)")]
#[case::other_operator("self.low > 3", "self.low >= 3")]
#[case::other_branch("has(self.a) ? self.low > 3 : true", "has(self.a) || has(self.b) ? self.low > 3 : true")]
#[case::cannot_be_evaluated("has(self.a)", "has(self.a) && (self.b == 'b' || self.b != 'b')")]
#[case::number_that_a_text_is_not("has(self.a)", "int(self.a) > 1 || !(int(self.a) > 1)")]
#[case::cannot_be_evaluated_in_an_item(
    "has(self.l)",
    "has(self.l) && self.l.all(x, x.kind == 'b' || x.kind != 'b')"
)]
#[case::more_than_one_item(
    "self.l.exists_one(x, x.name == 'a')",
    "self.l.exists_one(x, x.name == 'a' || x.name == 'b')"
)]
#[case::all_of_another_list(
    "self.l.all(x, x.name == 'a')",
    "self.l.filter(y, has(y.kind)).all(x, x.name == 'a')"
)]
#[case::only_for_changes("self.a == oldSelf.a && has(self.b)", "has(self.b)")]
#[case::equal_fields_of_others("self.a == oldSelf.a", "has(self.a) && self.b == oldSelf.b")]
fn a_rule_that_does_not_follow_is_not_proven(#[case] old: &str, #[case] new: &str) {
    assert!(!is_implied([FIELDS; 2], [old, new]), "{new}");
}

#[rstest]
#[case::absent_before("!has(self.c) || self.c == 'c'", "", "c: {type: string}", true)]
#[case::absent_in_both(
    "(has(self.c) ? self.c : 0) == (has(oldSelf.c) ? oldSelf.c : 0)",
    "",
    "c: {type: integer}",
    true
)]
#[case::default_of_the_new_schema(
    "!has(self.c) || self.c == 'c'",
    "",
    "c: {type: string, default: d}",
    false
)]
#[case::present_by_default("self.c != 'a' || has(self.c)", "", "c: {type: string, default: d}", true)]
#[case::text_that_the_pattern_refuses(
    "!('*' in self.c && self.c.size() > 1)",
    "c: {type: array, items: {type: string, pattern: '^[a-z]+:'}}, ",
    "c: {type: array, items: {type: string, pattern: '^[a-z]+:'}}",
    false
)]
#[case::text_of_required_items(
    "has(self.c) ? !('*' in self.c && self.c.size() > 1) : true",
    "c: {type: array, items: {type: string, pattern: '^[a-z]+:'}}, ",
    "c: {type: array, items: {type: string, pattern: '^[a-z]+:'}}",
    true
)]
#[case::text_that_the_pattern_permits(
    "has(self.c) ? !('*' in self.c && self.c.size() > 1) : true",
    "c: {type: array, items: {type: string, pattern: '^[a-z*]+'}}, ",
    "c: {type: array, items: {type: string, pattern: '^[a-z*]+'}}",
    false
)]
#[case::value_of_two(
    "has(self.c) ? self.c || !self.c || self.z == self.z : true",
    "c: {type: boolean}, ",
    "c: {type: boolean}",
    true
)]
#[case::value_that_can_be_null(
    "has(self.c) ? self.c || !self.c || self.z == self.z : true",
    "c: {type: boolean, nullable: true}, ",
    "c: {type: boolean, nullable: true}",
    false
)]
fn the_schema_decides_what_is_there(
    #[case] new: &str,
    #[case] old_field: &str,
    #[case] field: &str,
    #[case] expected: bool,
) {
    let fields = [format!("{old_field}z: {{type: string}}"), format!("{field}, z: {{type: string}}")];
    assert_eq!(is_implied(fields.each_ref().map(String::as_str), ["true", new]), expected, "{new}");
}

/// A default that only one of the servers sets can be what the other rule is about.
#[test]
fn a_rule_of_other_defaults_proves_nothing() {
    let with = |default: &str| format!("a: {{type: string{default}}}, b: {{type: string}}");
    let (plain, defaulted) = (with(""), with(", default: x"));
    let rules = ["!has(self.a) || has(self.b)", "!has(self.a) || has(self.b) || false"];
    assert!(is_implied([&plain, &plain], rules));
    assert!(!is_implied([&plain, &defaulted], rules));
}

/// An object of before has more items than the new schema permits.
#[test]
fn a_size_that_only_the_old_schema_permits_is_tried() {
    let list = |most: u32| format!("l: {{type: array, maxItems: {most}, items: {{type: string}}}}");
    let text = "!has(self.l) || size(self.l) != 5";
    let read = |most, keywords: &str| {
        let file = definition(&list(most), keywords, true);
        revision(&file.document, "v1").expect("valid types").admission.expect("a custom resource")
    };
    let (accepting, refusing) = (read(9, ""), read(3, &rule(text)));
    let path = SchemaPath::from_iter([SchemaStep::Field("spec".to_owned())]);
    let rule = RuleToBreak { accepting: &accepting, refusing: &refusing, path: &path, rule: text };
    let start = skewer_engine::document::from_json(br#"{"spec":{"l":[]}}"#).expect("valid JSON");
    let found = rule.broken(&[start]).expect("a witness");
    assert!(found.new.to_string().matches("example").count() >= 5, "{found:?}");
}

#[test]
fn a_rule_that_nothing_satisfies_is_proven() {
    let rules = rules(
        "mode: {type: string, enum: [A, B]}",
        &(", required: [mode]".to_owned() + &rule("self.mode == 'C'")),
    );
    assert!(matches!(rules[0].satisfied, Decision::None(_)), "{:?}", rules[0]);
    assert!(matches!(rules[0].broken, Decision::Found(_)), "{:?}", rules[0]);
}

#[test]
fn rules_about_urls_have_witnesses() {
    for text in [
        "isURL(self.a) && url(self.a).getScheme() == 'https'",
        "!isURL(self.a) || url(self.a).getScheme() == 'http'",
        "isURL(self.a) && url(self.a).getQuery() == {}",
        "!isURL(self.a) || size(url(self.a).getHostname()) > 0",
        "isURL('http://' + self.a) && int(url('http://' + self.a).getPort()) <= 65535",
    ] {
        let rules = rules("a: {type: string}", &rule(text));
        assert!(matches!(rules[0].satisfied, Decision::Found(_)), "{text}: {:?}", rules[0]);
        assert!(matches!(rules[0].broken, Decision::Found(_)), "{text}: {:?}", rules[0]);
    }
}

/// Servers check the names of objects before the rules.
#[test]
fn an_object_that_a_rule_refuses_has_a_name_that_is_valid() {
    let at_root = |rules: Vec<RuleWitnesses>| match &rules[0].broken {
        Decision::Found(Objects { new, .. }) => new.to_string(),
        other => format!("{other:?}"),
    };
    let text = "a: {type: string}}}}, x-kubernetes-validations: [{rule: \"self.metadata.name == 'x'\"}], \
                properties: {spec: {type: object, properties: {a: {type: string}";
    let found = at_root(rules(text, ""));
    assert!(found.contains("\"name\":\"") && !found.contains("\"name\":\"\""), "{found}");
}

#[test]
fn no_request_has_a_version_that_is_not_served() {
    let file = definition("a: {type: string}", &rule("has(self.a)"), false);
    let [rule] = witnesses(&file.document, "v1").expect("valid types").try_into().expect("one rule");
    assert!(matches!(rule.satisfied, Decision::None(_)), "{rule:?}");
    assert!(matches!(rule.broken, Decision::None(_)), "{rule:?}");
}

#[test]
fn a_rule_that_is_not_simulated_is_not_decided() {
    let rules = rules("a: {type: string}", &rule("self.a.split('').all(i, c, i > 0)"));
    let undecided = vec![Obstacle::NotSimulated];
    assert_eq!(rules[0].satisfied, Decision::Undecided(undecided.clone()));
    assert_eq!(rules[0].broken, Decision::Undecided(undecided));
}

/// A rule stays open without a proof and without an object.
#[test]
fn a_rule_that_is_not_decided_says_so() {
    let rules = rules("a: {type: string}", &rule("!has(self.a) || self.a.split('@').size() != 17"));
    assert!(matches!(rules[0].broken, Decision::Undecided(_)), "{:?}", rules[0]);
}
