//! The target kubectl. The tests are skipped if kubectl is not installed.

use skewer_engine::document::from_json;
use skewer_engine::schema::builtin;
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::{OperationError, Target};
use skewer_trials::differential::{DifferentialPlan, TrialTypeSource, run};

use crate::helpers::{all_output, context_of, kubectl, skewer, stdout};

const SERVICE: &str = r#"
    type Service struct {
        APIVersion string      `json:"apiVersion"`
        Kind       string      `json:"kind"`
        Metadata   ObjectMeta  `json:"metadata"`
        Spec       ServiceSpec `json:"spec"`
    }
    type ObjectMeta struct {
        Name       string   `json:"name"`
        Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
    }
    type ServiceSpec struct {
        Ports []ServicePort `json:"ports" patchStrategy:"merge" patchMergeKey:"port"`
    }
    type ServicePort struct {
        Port     int64  `json:"port"`
        Protocol string `json:"protocol,omitempty"`
    }
"#;

#[test]
fn kubectl_and_the_engine_agree_on_a_service() {
    let Some(kubectl) = kubectl() else { return };
    let context = context_of(SERVICE, "Service");
    let live = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x","finalizers":["a","b"]},
                   "spec":{"ports":[{"port":53,"protocol":"TCP"},{"port":80}]}}"#;
    let live = from_json(live.as_bytes()).unwrap();
    for patch in [
        r#"{"spec":{"ports":[{"port":53,"protocol":"UDP"},{"port":81}]}}"#,
        r#"{"spec":{"$setElementOrder/ports":[{"port":80},{"port":53}],"ports":[{"port":53,"$patch":"delete"}]}}"#,
        r#"{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]},"spec":{"ports":[{"$patch":"replace"}]}}"#,
        r#"{"spec":{"ports":[{"protocol":"UDP"}]}}"#,
        r#"{"spec":{"ports":[{"port":53,"$patch":"merge"}]}}"#,
        r#"{"spec":{"$retainKeys":["x"],"ports":[]}}"#,
        r#"{"metadata":{"$setElementOrder/finalizers":["b"],"finalizers":["c"]}}"#,
    ] {
        let documents = [live.clone(), from_json(patch.as_bytes()).unwrap()];
        for kind in [OperationKind::Apply, OperationKind::JsonMergeApply] {
            let operation = Operation::of_documents(kind, &context, &documents).unwrap();
            let describe = |answer: Result<_, OperationError>| match answer {
                Ok(value) => format!("{value}"),
                Err(OperationError::Refused(error)) => error.kind().id().to_owned(),
                Err(OperationError::NoAnswer(failure)) => failure.why,
            };
            assert_eq!(
                describe(kubectl.operations().perform(&operation)),
                describe(BuiltIn.perform(&operation)),
                "{patch}"
            );
        }
    }
}

/// Both must return the same result, or refuse with the same error kind, for patches of all three types. `skewer
/// differential --target kubectl` runs more trials.
#[test]
fn kubectl_and_the_engine_agree_on_random_objects_of_built_in_kinds() {
    let Some(kubectl) = kubectl() else { return };
    let version = kubectl.info().version.unwrap();
    let minor: u32 = version.split('.').nth(1).unwrap().parse().unwrap();
    let release = builtin::releases().iter().rev().find(|release| release.minor() <= minor).unwrap();
    let operations = vec![
        OperationKind::Apply,
        OperationKind::Apply,
        OperationKind::JsonMergeApply,
        OperationKind::JsonPatchApply,
    ];
    let type_source = TrialTypeSource::of_release(release).unwrap();
    let request_types = Vec::new();
    let plan = DifferentialPlan { seed: 1, first: 0, count: 80, operations, request_types, type_source };
    let report = run(&plan, &kubectl, &|_| ()).unwrap();
    assert_eq!(report.difference_count, 0, "{}", report.text());
    assert!(report.counts[&OperationKind::Apply.into()].answers["a result"] > 20, "{}", report.text());
}

/// kubectl creates the patches of its release, and the built-in engine applies them.
#[test]
fn kubectl_creates_the_patches_of_the_engine() {
    if kubectl().is_none() {
        return;
    }
    let output = skewer(&["run", "--client-target", "kubectl", "releases/service/", "releases/pod/"]);
    assert!(output.status.success(), "{}", all_output(&output));
    let total = stdout(&output).lines().find(|line| line.starts_with("total")).map(str::to_owned);
    let passed = total.and_then(|line| line.split_whitespace().nth(3)?.parse::<u32>().ok());
    assert!(passed.is_some_and(|passed| passed > 50), "{}", all_output(&output));
}
