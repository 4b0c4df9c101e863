//! Modal unions: the tags of Kubernetes 1.36 and 1.37, and a comparison of the policy `declarative` with
//! `validate.Discriminated` (`k8s.io/apimachinery/pkg/api/validate`) on all combinations of rules and objects. The
//! comparison needs the Go adapter.

use std::fmt::Write as _;

use rstest::rstest;
use serde_json::{Value as Json, json};
use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::go;
use skewer_engine::schema::union::{DeclarationForm, ModeRule, UnionErrorKind, Unions};
use skewer_engine::union::{admit, policy};

use crate::go_adapter::{self, Adapter};
use crate::helpers::context_of;

const MODES: [&str; 2] = ["A", "B"];
const RULES: [Option<&str>; 4] = [None, Some("required"), Some("optional"), Some("forbidden")];

/// The names of the tags in a release: of the discriminator, and of a rule.
#[derive(Clone, Copy, Debug)]
struct Tags(&'static str, &'static str);

const TAGS: [Tags; 2] = [
    Tags("k8s:modeDiscriminator", "k8s:ifMode"),
    Tags("k8s:alpha(since: \"1.36\")=+k8s:discriminator", "k8s:alpha(since: \"1.36\")=+k8s:member"),
];

/// The rules of the members `a` and `b`, each with its mode.
type Rules = [(&'static str, Vec<(&'static str, &'static str)>); 2];

/// Returns all rules of `a` for two modes, beside fixed rules of `b`.
fn all_rules() -> Vec<Rules> {
    let pairs = RULES.iter().flat_map(|first| RULES.iter().map(move |second| [*first, *second]));
    let rules_of_a = |pair: [Option<&'static str>; 2]| {
        MODES.into_iter().zip(pair).filter_map(|(mode, rule)| Some((mode, rule?))).collect()
    };
    pairs.map(|pair| [("a", rules_of_a(pair)), ("b", vec![("A", "optional"), ("C", "required")])]).collect()
}

fn context(tags: Tags, rules: &Rules) -> PatchContext {
    let mut source = format!("type Object struct {{\n// +{}\nType string `json:\"type\"`\n", tags.0);
    for (field, rules) in rules {
        for (mode, rule) in rules {
            let _ = writeln!(source, "// +{}(\"{mode}\")=+k8s:{rule}", tags.1);
        }
        let _ = writeln!(source, "{} *int `json:\"{field},omitempty\"`", field.to_uppercase());
    }
    source.push('}');
    context_of(&source, "Object")
}

fn objects() -> Vec<Json> {
    let mut objects = Vec::new();
    for mode in [None, Some("A"), Some("B"), Some("C")] {
        for a in [None, Some(1), Some(2)] {
            for b in [None, Some(1)] {
                let mut object = json!({});
                let values =
                    [("type", mode.map(Json::from)), ("a", a.map(Json::from)), ("b", b.map(Json::from))];
                for (key, value) in values {
                    if let Some(value) = value {
                        object[key] = value;
                    }
                }
                objects.push(object);
            }
        }
    }
    objects
}

/// Returns the errors of the engine: the kind and the field of each.
fn engine_errors(context: &PatchContext, old: Option<&Json>, new: &Json) -> Vec<(&'static str, String)> {
    let document = |json: &Json| from_json(json.to_string().as_bytes()).unwrap();
    let old = old.map(document);
    match admit(context, policy::by_name("declarative").unwrap(), old.as_ref(), document(new)) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|error| (error.kind().id(), error.path().to_string())).collect(),
    }
}

fn upstream_errors(reply: &Json) -> Vec<(&'static str, String)> {
    let errors = reply["result"].as_array().unwrap_or_else(|| panic!("unexpected reply {reply}"));
    let kind = |error: &Json| match error["type"].as_str() {
        Some("FieldValueRequired") => "union-selected-member-empty",
        Some("FieldValueForbidden") => "union-unselected-member-set",
        _ => panic!("unexpected error {error}"),
    };
    errors.iter().map(|error| (kind(error), error["field"].as_str().unwrap().to_owned())).collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "the test prints how many cases it compared")]
fn the_policy_agrees_with_upstream_on_all_combinations() {
    let Some(program) = go_adapter::program("modal_unions") else { return };
    let mut adapter = Adapter::start(&program, "validate-union");
    let (mut compared, mut refused) = (0, 0);
    for rules in all_rules() {
        let members = rules.iter().filter(|(_, rules)| !rules.is_empty()).map(|(field, rules)| {
            let modes: Vec<Json> =
                rules.iter().map(|(mode, rule)| json!({"value": mode, "rule": rule})).collect();
            json!({"field": field, "modes": modes})
        });
        let union = json!({"kind": "modal", "discriminator": "type", "members": members.collect::<Vec<_>>()});
        let (new, stored) = (objects(), [None].into_iter().chain(objects().into_iter().map(Some)));
        for old in stored {
            let documents = |new| json!({"old": old, "new": new});
            let request =
                |new| json!({"operation": "validate-union", "union": union, "documents": documents(new)});
            let replies = adapter.run(new.iter().map(request).collect());
            for tags in TAGS {
                let context = context(tags, &rules);
                for (new, reply) in new.iter().zip(&replies) {
                    let upstream = upstream_errors(reply);
                    let engine = engine_errors(&context, old.as_ref(), new);
                    assert_eq!(engine, upstream, "{tags:?} {rules:?}\nold {old:?}\nnew {new}");
                    compared += 1;
                    refused += usize::from(!upstream.is_empty());
                }
            }
        }
    }
    adapter.stop();
    eprintln!("modal unions: {compared} combinations agree, {refused} of them refused");
    assert!(refused > compared / 10 && refused < compared, "{refused} of {compared}");
}

#[test]
fn a_struct_can_have_several_modal_unions() {
    let source = r#"
        type Object struct {
            // +k8s:modeDiscriminator
            Type string `json:"type"`
            // +k8s:modeDiscriminator(modality: "Paused")
            Paused bool `json:"paused"`
            // +k8s:ifMode("A")=+k8s:required
            // +k8s:ifMode("A")=+k8s:maxLength=5
            // +k8s:ifMode(modality: "Paused", mode: "true")=+k8s:beta(since: "1.37")=+k8s:forbidden
            // +k8s:ifMode(modality: "Paused", mode: "false")=+k8s:maxLength=5
            Names []string `json:"names,omitempty"`
        }"#;
    let unions = Unions::declared(&go::read(source).unwrap()).unwrap();
    let [plain, paused] = unions.of_type("Object") else { panic!("{unions:#?}") };
    let modes = |union: &skewer_engine::schema::union::Union| -> Vec<(String, ModeRule)> {
        union.members[0].modes.iter().map(|(mode, rule)| (mode.to_string(), *rule)).collect()
    };
    assert_eq!((plain.form, plain.name.as_str()), (DeclarationForm::Modal, ""));
    assert_eq!(modes(plain), [("A".to_owned(), ModeRule::Required), ("A".to_owned(), ModeRule::Optional)]);
    assert_eq!((paused.name.as_str(), paused.members[0].zero_is_unset), ("Paused", true));
    assert_eq!(
        modes(paused),
        [("true".to_owned(), ModeRule::Forbidden), ("false".to_owned(), ModeRule::Optional)]
    );
}

#[rstest]
#[case::no_discriminator(
    "",
    "// +k8s:ifMode(\"A\")=+k8s:required",
    UnionErrorKind::MemberWithoutDiscriminator
)]
#[case::no_mode("// +k8s:modeDiscriminator", "// +k8s:ifMode=+k8s:required", UnionErrorKind::MalformedMarker)]
#[case::no_rule("// +k8s:modeDiscriminator", "// +k8s:ifMode(\"A\")", UnionErrorKind::MalformedMarker)]
#[case::unknown_argument(
    "// +k8s:modeDiscriminator(union: \"u\")",
    "// +k8s:ifMode(\"A\")=+k8s:required",
    UnionErrorKind::MalformedMarker
)]
#[case::other_modality(
    "// +k8s:modeDiscriminator(modality: \"M\")",
    "// +k8s:ifMode(\"A\")=+k8s:required",
    UnionErrorKind::MemberWithoutDiscriminator
)]
fn malformed_declarations_are_errors(
    #[case] discriminator: &str,
    #[case] member: &str,
    #[case] kind: UnionErrorKind,
) {
    let source = format!(
        "type Object struct {{\n{discriminator}\nType string `json:\"type\"`\n{member}\n\
         A *int `json:\"a,omitempty\"`\n}}"
    );
    let errors = Unions::declared(&go::read(&source).unwrap()).unwrap_err();
    assert!(errors.iter().any(|error| error.kind == kind), "{errors:?}");
}

/// The type of a discriminator, and of a member, with which upstream generates no code.
#[rstest]
#[case::pointer("*string", "*int", "A", UnionErrorKind::DiscriminatorNotAString)]
#[case::number("int", "*int", "A", UnionErrorKind::DiscriminatorNotAString)]
#[case::no_boolean("bool", "*int", "A", UnionErrorKind::MemberNotInEnum)]
#[case::struct_that_is_always_set("string", "Part", "A", UnionErrorKind::MemberNeverUnset)]
fn types_that_cannot_be_used_are_errors(
    #[case] discriminator: &str,
    #[case] member: &str,
    #[case] mode: &str,
    #[case] kind: UnionErrorKind,
) {
    let source = format!(
        "type Object struct {{\n// +k8s:modeDiscriminator\nType {discriminator} `json:\"type\"`\n\
         // +k8s:ifMode(\"{mode}\")=+k8s:required\nA {member} `json:\"a,omitempty\"`\n}}\ntype Part struct {{}}"
    );
    let errors = Unions::declared(&go::read(&source).unwrap()).unwrap_err();
    assert!(errors.iter().any(|error| error.kind == kind), "{errors:?}");
}
