//! Sample operations that test whether a target answers, and whether its answers are correct.

use std::sync::{Arc, LazyLock};

use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, builtin, go};
use skewer_engine::{Error, OwnedDoc};
use skewer_skew::{BuiltIn, FieldManagerOptions, Operation, OperationKind, OperationOptions, Operations};

use super::failure::{OperationError, TargetFailure, TargetFailureKind};
use super::{Target, is_equal_up_to_lossy_floats};

/// One sample operation and its result on a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The name of the sample: its operation and the property that it tests.
    pub name: &'static str,
    /// The result of the sample: how the target's answer compares with that of the built-in engine.
    pub result: SampleResult,
}

/// How a target's answer to a sample operation compares with that of the built-in engine.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleResult {
    /// Both answers are equal.
    Agrees,
    /// The answers differ.
    Differs {
        /// The answer of the target, as text.
        target: String,
        /// The answer of the built-in engine, as text.
        builtin: String,
    },
    /// The target does not support the operation.
    Unsupported(String),
    /// The target crashed, timed out, or violated the protocol.
    Failed(String),
    /// The sample was not sent, because the target had stopped answering before.
    NotRun,
}

impl SampleResult {
    /// Returns true if the result shows a defect of the target.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, SampleResult::Differs { .. } | SampleResult::Failed(_))
    }
}

const TYPES: &str = r#"
    type Object struct {
        APIVersion string   `json:"apiVersion,omitempty"`
        Kind       string   `json:"kind,omitempty"`
        Metadata   Metadata `json:"metadata,omitempty"`
        // +listType=map
        // +listMapKey=name
        Items    []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
        // +listType=set
        Set      []string `json:"set,omitempty" patchStrategy:"merge"`
        List     []string `json:"list,omitempty"`
        Strategy Item     `json:"strategy,omitempty" patchStrategy:"retainKeys"`
        Number   float64  `json:"number,omitempty"`
    }
    type Metadata struct {
        Name string `json:"name,omitempty"`
    }
    type Item struct {
        Name  string `json:"name"`
        Value int64  `json:"value,omitempty"`
    }
"#;

type SampleSpec = (&'static str, OperationKind, &'static [&'static str]);

const SAMPLES: &[SampleSpec] = &[
    (
        "apply: items merge by key",
        OperationKind::Apply,
        &[
            r#"{"items":[{"name":"a","value":1}],"set":["x"]}"#,
            r#"{"items":[{"name":"a","value":2},{"name":"b"}],"set":["y"]}"#,
        ],
    ),
    (
        "apply: an item without its merge key is refused",
        OperationKind::Apply,
        &[r#"{"items":[{"name":"a"}]}"#, r#"{"items":[{"value":2}]}"#],
    ),
    ("apply: null is an empty object", OperationKind::Apply, &["null", r#"{"list":["x"]}"#]),
    (
        "apply: 1.0 is not 1, and large integers are exact",
        OperationKind::Apply,
        &[r#"{"number":1.0}"#, r#"{"strategy":{"value":9007199254740993}}"#],
    ),
    (
        "apply: $retainKeys clears",
        OperationKind::Apply,
        &[r#"{"strategy":{"name":"a","value":1}}"#, r#"{"strategy":{"$retainKeys":["name"],"name":"b"}}"#],
    ),
    (
        "two-way: deletions and order",
        OperationKind::TwoWay,
        &[
            r#"{"items":[{"name":"a"},{"name":"b"}],"set":["x","y"]}"#,
            r#"{"items":[{"name":"b"}],"set":["y"]}"#,
        ],
    ),
    (
        "three-way: fields that others set are kept",
        OperationKind::ThreeWay,
        &[r#"{"set":["x"]}"#, r#"{"number":2.5}"#, r#"{"set":["x","y"],"list":["z"]}"#],
    ),
    (
        "conflicts: two values for one field",
        OperationKind::Conflicts,
        &[r#"{"number":1}"#, r#"{"number":2}"#],
    ),
    (
        "merge: nulls and directives are kept",
        OperationKind::Merge,
        &[r#"{"items":[{"name":"a","$patch":"delete"}]}"#, r#"{"list":null}"#],
    ),
    (
        "json-merge-apply: lists are replaced",
        OperationKind::JsonMergeApply,
        &[r#"{"list":["x"],"number":1}"#, r#"{"list":["y"],"number":null}"#],
    ),
    (
        "json-merge-two-way: a removed field is null",
        OperationKind::JsonMergeTwoWay,
        &[r#"{"list":["x"],"number":1}"#, r#"{"list":["y"]}"#],
    ),
    (
        "json-merge-three-way: only last-applied fields are deleted",
        OperationKind::JsonMergeThreeWay,
        &[r#"{"list":["x"]}"#, r#"{"number":2}"#, r#"{"list":["x"],"set":["y"]}"#],
    ),
    (
        "json-patch-apply: a list of changes",
        OperationKind::JsonPatchApply,
        &[
            r#"{"list":["x"],"number":1}"#,
            r#"[{"op":"add","path":"/list/-","value":"y"},{"op":"remove","path":"/number"}]"#,
        ],
    ),
    (
        "server-side-apply: an object is created, and its fields get an owner",
        OperationKind::ServerSideApply,
        &[
            "{}",
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o"},"items":[{"name":"a","value":1}]}"#,
        ],
    ),
    (
        "server-side-apply: a field of another manager is a conflict",
        OperationKind::ServerSideApply,
        &[
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o","managedFields":[{"manager":"other","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:number":{}}}]},"number":1.5}"#,
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o"},"number":2.5}"#,
        ],
    ),
    (
        "managed-update: the changed fields get an owner",
        OperationKind::ManagedUpdate,
        &[
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o"},"set":["x"]}"#,
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o"},"set":["x","y"]}"#,
        ],
    ),
    (
        "upgrade-managed-fields: the fields of client-side apply get another owner",
        OperationKind::UpgradeManagedFields,
        &[
            r#"{"apiVersion":"example.com/v1","kind":"Object","metadata":{"name":"o","managedFields":[{"manager":"kubectl-client-side-apply","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:number":{}}}]},"number":1.5}"#,
        ],
    ),
    (
        "request: an update of a Pod",
        OperationKind::Request,
        &[
            r#"{"metadata":{"name":"p"},"spec":{"hostname":"a","nodeName":"n"}}"#,
            r#"{"metadata":{"name":"p"},"spec":{"hostname":"b"}}"#,
        ],
    ),
];

/// The managers of client-side apply of the samples. Other operations ignore them.
static CSA_MANAGERS: LazyLock<Vec<String>> = LazyLock::new(|| vec!["kubectl-client-side-apply".to_owned()]);

/// The field manager of the samples. Operations without a field manager ignore it.
const MANAGER: &str = "skewer";

/// Runs at least one sample of each operation kind on a target, and compares the answers with those of the built-in
/// engine.
#[must_use]
pub fn check_target(target: &dyn Target) -> Vec<Sample> {
    let context = match context_of_go(TYPES) {
        Ok(context) => context,
        Err(error) => return vec![Sample { name: "types", result: SampleResult::Failed(error.to_string()) }],
    };
    let pod = match pod_context(target) {
        Ok(context) => context,
        Err(error) => return vec![Sample { name: "types", result: SampleResult::Failed(error.to_string()) }],
    };
    let context_of = |kind: OperationKind| if kind.declaration().is_request() { &pod } else { &context };
    let samples = SAMPLES.iter().map(|input| run_sample(input, context_of(input.1), target));
    let mut samples: Vec<Sample> = samples.collect();
    let old = PatchContext { directives: context.directives.without("$retainKeys"), ..context };
    let (_, operation, documents) = SAMPLES[4];
    let input = ("apply: an older party does not know $retainKeys", operation, documents);
    samples.push(run_sample(&input, &old, target));
    samples
}

/// Compiles types in Go. The type of the objects is `Object`.
pub(super) fn context_of_go(types: &str) -> Result<PatchContext, Error> {
    let invalid = |message| Error::new(skewer_engine::ErrorKind::InvalidSchema, message);
    let declarations = go::read(types).map_err(|errors| invalid(format!("{errors:?}")))?;
    let schema = Schema::compile(&declarations).map_err(|errors| invalid(format!("{errors:?}")))?;
    let context = PatchContext::of(Arc::new(schema), "Object")?;
    Ok(PatchContext { directives: Profile::Today.directives(), ..context })
}

/// Returns the context of Pods in the release of an API server. Other targets have the newest release.
fn pod_context(target: &dyn Target) -> Result<PatchContext, Error> {
    let minor = target.kubernetes_release();
    let of_target = builtin::releases().iter().find(|release| Some(release.minor()) == minor);
    let release = of_target.unwrap_or(builtin::newest());
    let context = PatchContext::of(Arc::clone(release.schema()), release.resolve("v1/Pod")?)?;
    let profile = Profile::Release(release.minor());
    Ok(PatchContext { directives: profile.directives(), library: profile.library(), ..context })
}

fn run_sample(
    (name, operation, documents): &SampleSpec,
    context: &PatchContext,
    target: &dyn Target,
) -> Sample {
    let documents: Vec<OwnedDoc> =
        documents.iter().map(|text| from_json(text.as_bytes()).unwrap_or_default()).collect();
    let result = match Operation::of_documents(*operation, context, &documents) {
        Ok(operation) => {
            // With a manager, the result of a request would have managed fields without a time.
            let manager = if operation.kind().declaration().is_request() { "" } else { MANAGER };
            let field_manager = FieldManagerOptions {
                manager,
                csa_managers: &CSA_MANAGERS,
                ..FieldManagerOptions::default()
            };
            let options = OperationOptions { field_manager, ..OperationOptions::default() };
            compare_with_builtin(&operation.with_options(options), target)
        }
        Err(error) => SampleResult::Failed(format!("the sample itself is wrong: {error}")),
    };
    Sample { name, result }
}

fn compare_with_builtin(operation: &Operation<'_>, target: &dyn Target) -> SampleResult {
    let builtin = BuiltIn.perform(operation);
    let answer = target.operations().perform(operation);
    let agrees = match (&builtin, &answer) {
        (_, Err(OperationError::NoAnswer(TargetFailure { kind: TargetFailureKind::Unsupported, why }))) => {
            return SampleResult::Unsupported(why.clone());
        }
        (_, Err(OperationError::NoAnswer(TargetFailure { kind: TargetFailureKind::GivenUp, .. }))) => {
            return SampleResult::NotRun;
        }
        (_, Err(OperationError::NoAnswer(target_failure))) => {
            return SampleResult::Failed(target_failure.why.clone());
        }
        (Ok(expected), Ok(actual)) if target.has_lossy_floats(operation) => {
            is_equal_up_to_lossy_floats(expected, actual)
        }
        (Ok(expected), Ok(actual)) => expected == actual,
        (Err(OperationError::Refused(expected)), Err(OperationError::Refused(actual))) => {
            expected.kinds() == actual.kinds() && expected.conflicts() == actual.conflicts()
        }
        _ => false,
    };
    if agrees {
        SampleResult::Agrees
    } else {
        SampleResult::Differs { target: describe_answer(&answer), builtin: describe_answer(&builtin) }
    }
}

/// Describes an answer, for a sample in which it differs.
pub(super) fn describe_answer(answer: &Result<OwnedDoc, OperationError>) -> String {
    match answer {
        Ok(value) => value.to_string(),
        Err(OperationError::Refused(error)) => format!("refused: {} ({error})", error.kind().id()),
        Err(OperationError::NoAnswer(target_failure)) => target_failure.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BuiltInTarget;

    #[test]
    fn the_built_in_engine_agrees_with_itself_on_every_sample() {
        let samples = check_target(&BuiltInTarget);
        assert_eq!(samples.len(), SAMPLES.len() + 1);
        assert!(samples.iter().all(|sample| sample.result == SampleResult::Agrees), "{samples:?}");
    }

    #[test]
    fn every_operation_has_a_sample() {
        for kind in OperationKind::ALL {
            assert!(SAMPLES.iter().any(|(_, operation, _)| operation == kind), "{kind}");
        }
    }
}
