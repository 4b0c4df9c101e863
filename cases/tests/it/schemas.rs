//! The forms of `schema:` in a case file: Go text, an embedded release, an `OpenAPI` document, a
//! `CustomResourceDefinition`.

use rstest::rstest;
use skewer_cases::{Corpus, Plan};
use skewer_engine::patch::json_merge;
use skewer_engine::{ErrorKind, OwnedDoc};
use skewer_skew::{BuiltIn, FinalState, Role, StepName};

use crate::support;

const RESOURCE: &str = "
  openapi:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    spec:
      group: example.com
      names: {kind: CronTab}
      versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {parts: {type: array, items: {type: string}}}}
  root: example.com/v1/CronTab";

const PUBLISHED: &str = "
  openapi:
    components:
      schemas:
        com.example.Holder:
          type: object
          properties:
            parts:
              type: array
              items: {type: string}
              x-kubernetes-patch-strategy: merge
  root: Holder";

/// Loads a suite with one case that merges `parts`, with the given schema.
fn load(schema: &str) -> Result<Corpus, String> {
    // Only the schema `PUBLISHED` declares the field `parts`.
    let marker = if schema == PUBLISHED { "" } else { "    unknown-fields: [parts]\n" };
    let content = format!(
        "suite: small\nabout: A case.\nschema:{schema}\ncases:\n  - id: one\n    live: {{parts: [a]}}\n    \
         patch: {{parts: [b]}}\n{marker}    expect:\n      - result: {{}}\n"
    );
    support::load("small.yaml", "small.yaml", &content)
}

fn apply(corpus: &Corpus) -> skewer_engine::Result<OwnedDoc> {
    let Plan::Patch(plan) = corpus.cells().next().unwrap().plan().unwrap() else {
        panic!("the case applies a patch");
    };
    BuiltIn::execute(&plan.operation().unwrap())
}

#[rstest]
#[case::kind("\n  builtin: kubernetes-1.32\n  root: apps/v1/Deployment")]
#[case::type_name("\n  builtin: kubernetes-1.17\n  root: core/v1.PodSpec")]
#[case::bare_kind("\n  builtin: kubernetes-1.37\n  root: Deployment")]
#[case::newest("\n  builtin: newest\n  root: v1/Pod")]
#[case::overlaid_with(
    "\n  builtin: newest\n  go: |\n    type DeploymentSpec struct {\n      // +optional\n      Shape \
                   *PodSpec `json:\"shape,omitempty\"`\n    }\n  root: apps/v1.DeploymentSpec"
)]
#[case::custom_resource(RESOURCE)]
#[case::published(PUBLISHED)]
fn a_valid_schema_loads(#[case] schema: &str) {
    load(schema).unwrap();
}

#[test]
fn patch_metadata_of_openapi_is_used() {
    let result = apply(&load(PUBLISHED).unwrap()).unwrap();
    assert_eq!(result.to_string(), r#"{"parts":["b","a"]}"#);
}

#[test]
fn custom_resources_refuse_strategic_merge_patches_and_take_json_merge_patches() {
    let corpus = load(RESOURCE).unwrap();
    assert_eq!(apply(&corpus).unwrap_err().kind(), ErrorKind::UnsupportedPatchFormat);
    let Plan::Patch(plan) = corpus.cells().next().unwrap().plan().unwrap() else { panic!() };
    let (live, patch) = (&plan.documents[&Role::Live], &plan.documents[&Role::Patch]);
    assert_eq!(json_merge::apply(live, patch).unwrap().to_string(), r#"{"parts":["b"]}"#);
}

#[test]
fn applying_a_custom_resource_sends_a_json_merge_patch() {
    let content = format!(
        "suite: small\nabout: A case.\nschema:{RESOURCE}\ncases:\n  - id: one\n    live: {{spec: {{parts: [a]}}}}\n    \
         last-applied: {{spec: {{parts: [a]}}}}\n    intent: {{set: {{spec: {{parts: [b]}}}}}}\n    request: apply\n    \
         expect:\n      - outcome: intended\n"
    );
    let corpus =
        support::load("small.yaml", "small.yaml", &content).unwrap_or_else(|error| panic!("{error}"));
    let Plan::Skew(plan) = corpus.cells().next().unwrap().plan().unwrap() else { panic!("a skew case") };
    let mut sent = None;
    let final_state = skewer_skew::run_built_in(&plan, &mut |step, document| {
        if step == StepName::Request {
            sent = Some(document.to_string());
        }
    });
    assert_eq!(sent.unwrap(), r#"{"spec":{"parts":["b"]}}"#);
    let Ok(FinalState::Stored(stored)) = final_state else { panic!("{final_state:?}") };
    assert_eq!(stored.to_string(), r#"{"spec":{"parts":["b"]}}"#);
}

#[rstest]
#[case::unknown_release(
    "\n  builtin: kubernetes-1.18\n  root: v1/Pod",
    "small.yaml:4:12: no release \"kubernetes-1.18\" is embedded (expected newest, kubernetes-1.17, kubernetes-1.20"
)]
#[case::unknown_type(
    "\n  builtin: newest\n  root: apps/v1/Deploymnet",
    "small.yaml:5:9: kubernetes-1.37 has no type `apps/v1/Deploymnet`: did you mean `apps/v1/Deployment`?"
)]
#[case::ambiguous_type(
    "\n  builtin: newest\n  root: Event",
    "small.yaml:5:9: kubernetes-1.37 has several types `Event`"
)]
#[case::unknown_type_of_openapi(
    "\n  openapi: {definitions: {A: {type: object}}}\n  root: B",
    "small.yaml:5:9: the schema has no type `B` (expected one of A)"
)]
#[case::mistake_in_openapi(
    "\n  openapi:\n    definitions:\n      A: {type: object, propertys: {}}\n  root: A",
    "small.yaml:6:25: in the schema: this keyword is not understood"
)]
#[case::no_schema_at_all("\n  openapi: {a: 1}\n  root: A", "the document has no schema")]
#[case::two_sources(
    "\n  builtin: newest\n  openapi: {}\n  root: A",
    "small.yaml:4:3: the schema has `openapi` and `builtin`: expected one of them"
)]
#[case::laid_over_an_unknown_root(
    "\n  builtin: newest\n  go: type A struct {}\n  root: A",
    "small.yaml:6:9: kubernetes-1.37 has no type `A`"
)]
#[case::laid_over_a_field_of_another_type(
    "\n  builtin: newest\n  go: |\n    type DeploymentStrategy struct {\n      RollingUpdate string `json:\"rollingUpdate\"`\n    }\n  root: \
     apps/v1/Deployment",
    "small.yaml:7:7: in the Go text: the field apps/v1.DeploymentStrategy.rollingUpdate has the \
     type *apps/v1.RollingUpdateDeployment in the base, not string"
)]
#[case::overlay_with_a_broken_union(
    "\n  builtin: newest\n  go: |\n    type DeploymentStrategy struct {\n      // +unionMember\n      RollingUpdate \
     *RollingUpdateDeployment `json:\"rollingUpdate,omitempty\"`\n    }\n  root: apps/v1/Deployment",
    "small.yaml:7:7: in the Go text: apps/v1.DeploymentStrategy.RollingUpdate: the struct has a member but \
     no discriminator"
)]
fn an_invalid_schema_has_a_position_and_a_reason(#[case] schema: &str, #[case] message: &str) {
    let errors = load(schema).unwrap_err();
    assert!(errors.contains(message), "{errors}");
}
