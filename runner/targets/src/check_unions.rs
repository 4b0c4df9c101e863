//! Sample objects with unions, which test whether a target that decides on unions follows KEP-1027.

use skewer_engine::document::from_json;
use skewer_engine::patch::PatchContext;
use skewer_engine::union::{self, policy};
use skewer_skew::{RequestType, UnionWrite};

use super::Target;
use super::check::{Sample, SampleResult, context_of_go, describe_answer};
use super::failure::{OperationError, TargetFailureKind};

const TYPES: &str = r#"
    // +enum
    type Kind string
    const (
        A    Kind = "A"
        B    Kind = "B"
        None Kind = ""
    )
    type Object struct {
        // +unionDiscriminator
        // +required
        Kind Kind `json:"kind"`
        // +unionMember
        // +optional
        A *int64 `json:"a,omitempty"`
        // +unionMember
        // +optional
        B *int64 `json:"b,omitempty"`
    }
"#;

/// Name of the sample, policy, stored object, object in the request.
type UnionSample = [&'static str; 4];

const SAMPLES: [UnionSample; 6] = [
    [
        "unions: a modified discriminator clears the others",
        "kep-1027",
        r#"{"kind":"A","a":1}"#,
        r#"{"kind":"B","a":1,"b":2}"#,
    ],
    ["unions: the empty value clears all", "kep-1027", r#"{"kind":"A","a":1}"#, r#"{"kind":"","a":1}"#],
    [
        "unions: two members and an unmodified discriminator",
        "kep-1027",
        r#"{"kind":"A","a":1}"#,
        r#"{"kind":"A","a":1,"b":2}"#,
    ],
    ["unions: the selected member is empty", "kep-1027", r#"{"kind":"A","a":1}"#, r#"{"kind":"B"}"#],
    [
        "unions: ratcheting tolerates a stored error",
        "kep-1027-ratcheting",
        r#"{"kind":"B"}"#,
        r#"{"kind":"B"}"#,
    ],
    [
        "unions: with the gate off nothing changes",
        "none",
        r#"{"kind":"A","a":1}"#,
        r#"{"kind":"B","a":1,"b":2}"#,
    ],
];

/// Runs samples of objects with unions on a target, and compares the answers with those of the built-in engine. Returns none if the
/// target does not decide on unions.
#[must_use]
pub fn check_unions(target: &dyn Target) -> Vec<Sample> {
    let context = match context_of_go(TYPES) {
        Ok(context) => context,
        Err(error) => {
            return vec![Sample { name: "unions", result: SampleResult::Failed(error.to_string()) }];
        }
    };
    SAMPLES.iter().filter_map(|sample| run_sample(sample, &context, target)).collect()
}

fn run_sample(
    [name, policy, old, new]: &UnionSample,
    context: &PatchContext,
    target: &dyn Target,
) -> Option<Sample> {
    let [old, new] = [old, new].map(|text| from_json(text.as_bytes()).unwrap_or_default());
    let policy = policy::by_name(policy)?;
    let write = UnionWrite { context, policy, request_type: RequestType::Update, old: Some(&old), new: &new };
    let answer = target.operations().admit_unions(&write)?;
    let (admitted, reasons) = union::review(context, policy, Some(&old), new.clone());
    let result = match answer {
        Err(OperationError::NoAnswer(failure)) => match failure.kind {
            TargetFailureKind::Unsupported => SampleResult::Unsupported(failure.why),
            TargetFailureKind::GivenUp => SampleResult::NotRun,
            _ => SampleResult::Failed(failure.why),
        },
        Ok(actual) if reasons.is_empty() && actual.object == admitted.object => SampleResult::Agrees,
        // The KEP does not say which of several reasons a server names.
        Err(OperationError::Refused(actual))
            if reasons
                .iter()
                .any(|reason| reason.kind() == actual.kind() && actual.may_be_at(reason.path())) =>
        {
            SampleResult::Agrees
        }
        answer => {
            let builtin = match reasons.into_iter().next() {
                Some(reason) => Err(OperationError::Refused(reason)),
                None => Ok(admitted.object),
            };
            SampleResult::Differs {
                target: describe_answer(&answer.map(|actual| actual.object)),
                builtin: describe_answer(&builtin),
            }
        }
    };
    Some(Sample { name, result })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_have_an_answer_each() {
        let context = context_of_go(TYPES).unwrap();
        let answers = SAMPLES.map(|[_, policy, old, new]| {
            let [old, new] = [old, new].map(|text| from_json(text.as_bytes()).unwrap());
            let (admitted, reasons) =
                union::review(&context, policy::by_name(policy).unwrap(), Some(&old), new);
            reasons.first().map_or(admitted.object.to_string(), |reason| reason.kind().id().to_owned())
        });
        assert_eq!(
            answers,
            [
                r#"{"b":2,"kind":"B"}"#,
                r#"{"kind":""}"#,
                "union-several-members",
                "union-selected-member-empty",
                r#"{"kind":"B"}"#,
                r#"{"a":1,"b":2,"kind":"B"}"#,
            ]
        );
    }
}
