//! A round of small operations that shows whether a target answers at all, and sensibly.

use std::sync::Arc;

use skewer_engine::document::from_json;
use skewer_engine::patch::{Overwrite, PatchContext, ThreeWay};
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, go};
use skewer_engine::skew::{BuiltIn, Operation, OperationError, Operations, TargetFailure, TargetFailureKind};
use skewer_engine::{Error, OwnedDoc};

use super::{Target, same_but_for_floats};

/// What came of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The operation, and what the sample is after.
    pub name: &'static str,
    /// What came of it.
    pub found: Found,
}

/// What came of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The same as from the built-in engine.
    Same,
    /// Something else, in words.
    Different {
        /// What the target says.
        target: String,
        /// What the built-in engine says.
        builtin: String,
    },
    /// The target says that it does not do this.
    Unsupported(String),
    /// It crashed, was too slow, or answered nonsense.
    Broken(String),
}

impl Found {
    /// Is the target to be mended?
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, Found::Different { .. } | Found::Broken(_))
    }
}

const TYPES: &str = r#"
    type Object struct {
        Items    []Item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
        Set      []string `json:"set,omitempty" patchStrategy:"merge"`
        List     []string `json:"list,omitempty"`
        Strategy Item     `json:"strategy,omitempty" patchStrategy:"retainKeys"`
        Number   float64  `json:"number,omitempty"`
    }
    type Item struct {
        Name  string `json:"name"`
        OwnedDoc int64  `json:"value,omitempty"`
    }
"#;

/// A sample before it is run: a name, the operation by its protocol name, and its documents.
type Input = (&'static str, &'static str, &'static [&'static str]);

const SAMPLES: &[Input] = &[
    (
        "apply: items merge by key",
        "apply",
        &[
            r#"{"items":[{"name":"a","value":1}],"set":["x"]}"#,
            r#"{"items":[{"name":"a","value":2},{"name":"b"}],"set":["y"]}"#,
        ],
    ),
    (
        "apply: an item without its merge key is refused",
        "apply",
        &[r#"{"items":[{"name":"a"}]}"#, r#"{"items":[{"value":2}]}"#],
    ),
    ("apply: null is an empty object", "apply", &["null", r#"{"list":["x"]}"#]),
    (
        "apply: 1.0 is not 1, and large integers are exact",
        "apply",
        &[r#"{"number":1.0}"#, r#"{"strategy":{"value":9007199254740993}}"#],
    ),
    (
        "apply: $retainKeys clears",
        "apply",
        &[r#"{"strategy":{"name":"a","value":1}}"#, r#"{"strategy":{"$retainKeys":["name"],"name":"b"}}"#],
    ),
    (
        "two-way: deletions and order",
        "two-way",
        &[
            r#"{"items":[{"name":"a"},{"name":"b"}],"set":["x","y"]}"#,
            r#"{"items":[{"name":"b"}],"set":["y"]}"#,
        ],
    ),
    (
        "three-way: live keeps what others set",
        "three-way",
        &[r#"{"set":["x"]}"#, r#"{"number":2.5}"#, r#"{"set":["x","y"],"list":["z"]}"#],
    ),
    ("conflicts: two values for one field", "conflicts", &[r#"{"number":1}"#, r#"{"number":2}"#]),
    (
        "merge: nulls and directives stay",
        "merge",
        &[r#"{"items":[{"name":"a","$patch":"delete"}]}"#, r#"{"list":null}"#],
    ),
    (
        "json-merge-apply: lists are replaced",
        "json-merge-apply",
        &[r#"{"list":["x"],"number":1}"#, r#"{"list":["y"],"number":null}"#],
    ),
    (
        "json-merge-two-way: what is gone is null",
        "json-merge-two-way",
        &[r#"{"list":["x"],"number":1}"#, r#"{"list":["y"]}"#],
    ),
    (
        "json-merge-three-way: only what was applied is deleted",
        "json-merge-three-way",
        &[r#"{"list":["x"]}"#, r#"{"number":2}"#, r#"{"list":["x"],"set":["y"]}"#],
    ),
];

/// Runs the samples.
#[must_use]
pub fn check(target: &dyn Target) -> Vec<Sample> {
    let context = match context() {
        Ok(context) => context,
        Err(error) => return vec![Sample { name: "types", found: Found::Broken(error.to_string()) }],
    };
    let mut samples: Vec<Sample> = SAMPLES.iter().map(|input| run(input, &context, target)).collect();
    let old = PatchContext { directives: context.directives.without("$retainKeys"), ..context };
    let (_, operation, documents) = SAMPLES[4];
    let input = ("apply: an older party does not know $retainKeys", operation, documents);
    samples.push(run(&input, &old, target));
    samples
}

fn context() -> Result<PatchContext, Error> {
    let invalid = |message| Error::new(skewer_engine::ErrorKind::InvalidSchema, message);
    let declarations = go::read(TYPES).map_err(|errors| invalid(format!("{errors:?}")))?;
    let schema = Schema::compile(&declarations).map_err(|errors| invalid(format!("{errors:?}")))?;
    let context = PatchContext::of(Arc::new(schema), "Object")?;
    Ok(PatchContext { directives: Profile::Today.directives(), ..context })
}

fn run((name, operation, documents): &Input, context: &PatchContext, target: &dyn Target) -> Sample {
    let documents: Vec<OwnedDoc> =
        documents.iter().map(|text| from_json(text.as_bytes()).unwrap_or_default()).collect();
    let found = match operation_of(operation, context, &documents) {
        Some(operation) => compare(&operation, target),
        None => Found::Broken("the sample itself is wrong".to_owned()),
    };
    Sample { name, found }
}

fn operation_of<'a>(
    name: &str,
    context: &'a PatchContext,
    documents: &'a [OwnedDoc],
) -> Option<Operation<'a>> {
    let three =
        |d: &'a [OwnedDoc]| Some(ThreeWay { last_applied: d.first()?, modified: d.get(1)?, live: d.get(2)? });
    let (first, second) = (documents.first()?, documents.get(1)?);
    Some(match name {
        "apply" => Operation::Apply { context, live: first, patch: second },
        "two-way" => Operation::TwoWay { context, original: first, modified: second },
        "three-way" => Operation::ThreeWay {
            context,
            documents: three(documents)?,
            overwrite: Overwrite::No,
            preconditions: &[],
        },
        "conflicts" => Operation::Conflicts { context, left: first, right: second },
        "merge" => Operation::Merge { context, patches: documents },
        "json-merge-apply" => Operation::JsonMergeApply { live: first, patch: second },
        "json-merge-two-way" => Operation::JsonMergeTwoWay { original: first, modified: second },
        "json-merge-three-way" => {
            Operation::JsonMergeThreeWay { documents: three(documents)?, preconditions: &[] }
        }
        _ => return None,
    })
}

fn compare(operation: &Operation<'_>, target: &dyn Target) -> Found {
    let builtin = BuiltIn.perform(operation);
    let answer = target.operations().perform(operation);
    let same = match (&builtin, &answer) {
        (
            _,
            Err(OperationError::TargetFailed(TargetFailure { kind: TargetFailureKind::Unsupported, why })),
        ) => {
            return Found::Unsupported(why.clone());
        }
        (_, Err(OperationError::TargetFailed(target_failure))) => {
            return Found::Broken(target_failure.why.clone());
        }
        (Ok(expected), Ok(found)) if target.loses_floats(operation) => same_but_for_floats(expected, found),
        (Ok(expected), Ok(found)) => expected == found,
        (Err(OperationError::Refused(expected)), Err(OperationError::Refused(found))) => {
            expected.kind() == found.kind()
        }
        _ => false,
    };
    if same { Found::Same } else { Found::Different { target: words(&answer), builtin: words(&builtin) } }
}

fn words(answer: &Result<OwnedDoc, OperationError>) -> String {
    match answer {
        Ok(value) => value.to_string(),
        Err(OperationError::Refused(error)) => format!("refused: {} ({error})", error.kind().id()),
        Err(OperationError::TargetFailed(target_failure)) => target_failure.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::BuiltInTarget;

    #[test]
    fn the_built_in_engine_agrees_with_itself_on_every_sample() {
        let samples = check(&BuiltInTarget);
        assert_eq!(samples.len(), SAMPLES.len() + 1);
        assert!(samples.iter().all(|sample| sample.found == Found::Same), "{samples:?}");
    }
}
