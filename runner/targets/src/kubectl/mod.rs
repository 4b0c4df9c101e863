//! The target `kubectl`: the installed kubectl, run as `kubectl patch --local` and as `kubectl apply`.
//!
//! This target applies patches to objects with `apiVersion` and `kind`, and creates the patches that `kubectl apply` sends.
//! It uses the types that kubectl was built with, and not the schema of the case. Strategic merge patches work only for
//! built-in types. All other operations are unsupported. Each operation starts a process, which takes some 50 ms.

mod apply;
mod errors;
mod recording_server;
mod subprocess;

use std::path::PathBuf;
use std::time::Duration;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::document::{from_json, to_json};
use skewer_engine::patch::PatchLibrary;
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin;
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};
use skewer_skew::{Operation, OperationKind, Operations, Role};

use self::apply::ApplyRequest;
use self::errors::{interpret_failure, visible_message};
use self::subprocess::{ProcessOutput, run_to_completion};
use super::failure::{OperationError, TargetFailure, crashed, unsupported};
use super::library::why_not_reproducible;
use super::unanswered::UnansweredRequests;
use super::{Target, TargetError, TargetInfo};

/// The installed kubectl.
#[derive(Debug)]
pub struct KubectlTarget {
    program: PathBuf,
    version: String,
    timeout: Duration,
    /// Decides when kubectl is given up.
    unanswered: UnansweredRequests,
}

/// The operations in which kubectl applies a patch, each with kubectl's name for its patch format.
const PATCH_TYPES: [(OperationKind, &str); 3] = [
    (OperationKind::Apply, "strategic"),
    (OperationKind::JsonMergeApply, "merge"),
    (OperationKind::JsonPatchApply, "json"),
];

/// The operations in which kubectl creates a patch.
const CREATES: [OperationKind; 2] = [OperationKind::ThreeWay, OperationKind::JsonMergeThreeWay];

/// Maximum length of a patch, in bytes. kubectl takes the patch as an argument, and most systems limit an argument to
/// 128 KiB.
const MAX_PATCH_BYTES: usize = 100 * 1024;

impl KubectlTarget {
    /// Finds the kubectl program and asks it for its version.
    ///
    /// # Errors
    /// Fails if kubectl is not installed, does not answer in time, or does not print its version.
    pub fn open(timeout: Duration) -> Result<Self, TargetError> {
        Self::open_program(PathBuf::from("kubectl"), timeout)
    }

    fn open_program(program: PathBuf, timeout: Duration) -> Result<Self, TargetError> {
        let output = run_to_completion(&program, &["version", "--client", "-o", "json"], Vec::new(), timeout)
            .map_err(|failure| TargetError::new(format!("{} {}", program.display(), failure.why)))?;
        let version = from_json(&output.stdout).ok().filter(|_| output.success).and_then(|version| {
            let client = version.as_map()?.get("clientVersion")?;
            client.as_map()?.get("gitVersion")?.as_str().map(str::to_owned)
        });
        let Some(version) = version else {
            let message = visible_message(&output.stderr);
            return Err(TargetError::new(format!("kubectl does not print its version: {message}")));
        };
        Ok(KubectlTarget { program, version, timeout, unanswered: UnansweredRequests::new(timeout) })
    }

    fn patch(&self, patch_type: &str, live: &OwnedDoc, patch: &OwnedDoc) -> Result<OwnedDoc, OperationError> {
        if let Some(why) = why_not_an_object(live) {
            return Err(unsupported(why));
        }
        let patch = patch.to_string();
        if patch.len() > MAX_PATCH_BYTES {
            return Err(unsupported("the patch is too long for an argument of a program"));
        }
        let arguments = ["patch", "--local", "-f", "-", "--type", patch_type, "-p", &patch, "-o", "json"];
        interpret_output(&self.run(&arguments, to_json(live))?)
    }

    fn create_patch(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let minor = minor_of_version(&self.version).unwrap_or_else(|| builtin::newest().minor());
        let request = ApplyRequest::of(operation, minor).map_err(unsupported)?;
        request.send(|arguments, input| self.run(arguments, input))
    }

    fn run(&self, arguments: &[&str], input: Vec<u8>) -> Result<ProcessOutput, OperationError> {
        self.unanswered.check()?;
        match run_to_completion(&self.program, arguments, input, self.timeout) {
            Ok(output) => {
                self.unanswered.record_answer();
                Ok(output)
            }
            Err(failure) => Err(self.unanswered.record_failure(&failure).into()),
        }
    }
}

/// Returns the reason why kubectl does not accept a document as an object, or `None` if kubectl accepts it.
fn why_not_an_object(live: &OwnedDoc) -> Option<&'static str> {
    let text = |key| {
        live.as_map().and_then(|map| map.get(key)).and_then(Doc::as_str).filter(|text| !text.is_empty())
    };
    match (text("apiVersion"), text("kind")) {
        // Given a list, kubectl patches each of its items.
        (Some(_), Some(kind)) if kind.ends_with("List") => {
            Some("kubectl patches the items of a list, not the list")
        }
        (Some(_), Some(_)) => None,
        _ => Some("kubectl needs an object with apiVersion and kind"),
    }
}

fn interpret_output(output: &ProcessOutput) -> Result<OwnedDoc, OperationError> {
    if output.success {
        return from_json(&output.stdout)
            .map_err(|error| crashed(format!("the output of kubectl is not a document: {error}")));
    }
    Err(interpret_failure(&output.stderr))
}

impl Target for KubectlTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "kubectl".to_owned(),
            version: Some(self.version.clone()),
            language: Some("Go".to_owned()),
        }
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self
    }

    fn has_lossy_floats(&self, _operation: &Operation<'_>) -> bool {
        true
    }

    fn permanent_failure(&self) -> Option<String> {
        self.unanswered.reason().map(str::to_owned)
    }

    fn capabilities(&self) -> Vec<(&'static str, Vec<String>)> {
        let operations =
            PATCH_TYPES.iter().map(|(kind, _)| kind).chain(&CREATES).map(ToString::to_string).collect();
        vec![("operations, on objects with apiVersion and kind", operations)]
    }
}

impl Operations<TargetFailure> for KubectlTarget {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        let kind = operation.kind();
        let patch_type = PATCH_TYPES.iter().find(|(supported, _)| *supported == kind);
        if patch_type.is_none() && !CREATES.contains(&kind) {
            return Err(unsupported("kubectl has no command for the operation"));
        }
        if operation.context().is_some_and(|context| !knows_exactly_shipped(&context.directives)) {
            return Err(unsupported("kubectl knows the directives that shipped, no more and no less"));
        }
        if let Some(why) = why_not_reproducible(operation, library_of_version(&self.version)) {
            return Err(unsupported(why));
        }
        let Some((_, patch_type)) = patch_type else { return self.create_patch(operation) };
        match self.patch(patch_type, operation.document(Role::Live), operation.document(Role::Patch)) {
            // Every refusal of a JSON patch has this kind, except refusals of the result.
            Err(OperationError::Refused(error))
                if kind == OperationKind::JsonPatchApply && error.kind() == ErrorKind::Unclassified =>
            {
                Err(Error::new(ErrorKind::JsonPatchFailed, error.message()).into())
            }
            answer => answer,
        }
    }
}

/// Returns the patch library of a version of kubectl, such as `v1.32.4`. A version of another form counts as the newest.
fn library_of_version(version: &str) -> PatchLibrary {
    minor_of_version(version).map_or(PatchLibrary::NEWEST, PatchLibrary::of_release)
}

fn minor_of_version(version: &str) -> Option<u32> {
    version.strip_prefix("v1.")?.split('.').next()?.parse().ok()
}

/// Returns true if the set consists of exactly the directives of released Kubernetes versions.
fn knows_exactly_shipped(directives: &DirectiveSet) -> bool {
    let shipped = Profile::Today.directives();
    shipped.iter().all(|directive| directives.knows(directive.name()))
        && directives.iter().all(|directive| shipped.knows(directive.name()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn output(success: bool, stdout: &str, stderr: &str) -> ProcessOutput {
        ProcessOutput { success, stdout: stdout.as_bytes().to_vec(), stderr: stderr.to_owned() }
    }

    #[rstest]
    #[case(output(true, r#"{"a":1}"#, ""), r#"{"a":1}"#)]
    #[case(output(true, "patched", ""), "Crash: the output of kubectl is not a document")]
    #[case(output(false, "", "panic: runtime error: x\n\ngoroutine 1"), "Crash: panic: runtime error: x")]
    #[case(
        output(false, "", "error: map: map[a:1] does not contain declared merge key: name\n"),
        "missing-merge-key"
    )]
    #[case(output(false, "", "error: Object 'Kind' is missing in '{}'\n"), "Unsupported: Object")]
    #[case(output(false, "", "error: the weather\n"), "unclassified")]
    fn outputs_are_interpreted(#[case] output: ProcessOutput, #[case] expected: &str) {
        let answer = match interpret_output(&output) {
            Ok(value) => value.to_string(),
            Err(OperationError::Refused(error)) => error.kind().id().to_owned(),
            Err(OperationError::NoAnswer(target_failure)) => {
                format!("{:?}: {}", target_failure.kind, target_failure.why)
            }
        };
        assert!(answer.starts_with(expected), "{answer}");
    }

    #[rstest]
    #[case::old("v1.20.5", 20)]
    #[case::with_a_suffix("v1.27.4-dispatcher", 27)]
    #[case::new("v1.37.2", 37)]
    #[case::another_form("devel", 37)]
    fn the_version_tells_the_patch_library(#[case] version: &str, #[case] minor: u32) {
        assert_eq!(library_of_version(version), PatchLibrary::of_release(minor));
    }

    #[rstest]
    #[case(r#"{"apiVersion":"v1","kind":"Service"}"#, true)]
    #[case(r#"{"apiVersion":"v1","kind":"ServiceList"}"#, false)]
    #[case(r#"{"kind":"Service"}"#, false)]
    #[case(r#"{"apiVersion":1,"kind":"Service"}"#, false)]
    #[case("null", false)]
    fn an_object_has_an_api_version_and_a_kind(#[case] live: &str, #[case] is_object: bool) {
        assert_eq!(why_not_an_object(&from_json(live.as_bytes()).unwrap()).is_none(), is_object);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(
            KubectlTarget::open_program(PathBuf::from("/no/such/kubectl"), Duration::from_secs(5)).is_err()
        );
    }
}
