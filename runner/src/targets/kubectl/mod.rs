//! The real client: `kubectl patch --local`, where it is installed.
//!
//! It applies patches to objects with `apiVersion` and `kind`, by the types that it was built with, whatever the
//! schema of the case. A strategic merge patch needs a built-in type. Everything else is unsupported: kubectl
//! creates patches only on its way to a server. Each operation starts a process, which takes some 50 ms.

mod errors;
mod once;

use std::path::PathBuf;
use std::time::Duration;

use skewer_engine::document::{from_json, to_json};
use skewer_engine::profile::Profile;
use skewer_engine::skew::{Operation, OperationError, Operations, TargetFailure, TargetFailureKind};
use skewer_engine::{Doc, Error, ErrorKind, OwnedDoc};

use self::once::{Ran, run};
use super::{Target, TargetError, TargetInfo};

/// kubectl, as it is installed.
#[derive(Clone, Debug)]
pub struct KubectlTarget {
    program: PathBuf,
    version: String,
    timeout: Duration,
}

/// Patches are arguments of a process, which most systems bound to 128 KiB each.
const MAX_PATCH: usize = 100 * 1024;

impl KubectlTarget {
    /// Finds the program and asks for its version.
    pub fn open(timeout: Duration) -> Result<Self, TargetError> {
        Self::at(PathBuf::from("kubectl"), timeout)
    }

    fn at(program: PathBuf, timeout: Duration) -> Result<Self, TargetError> {
        let ran = run(&program, &["version", "--client", "-o", "json"], Vec::new(), timeout)
            .map_err(|target_failure| TargetError::new(target_failure.why))?;
        let version = from_json(&ran.stdout).ok().filter(|_| ran.success).and_then(|version| {
            let client = version.as_map()?.get("clientVersion")?;
            client.as_map()?.get("gitVersion")?.as_str().map(str::to_owned)
        });
        match version {
            Some(version) => Ok(KubectlTarget { program, version, timeout }),
            None => Err(TargetError::new(format!("kubectl does not tell its version: {}", ran.stderr))),
        }
    }

    fn patch(&self, kind: &str, live: &OwnedDoc, patch: &OwnedDoc) -> Result<OwnedDoc, OperationError> {
        if let Some(why) = unsuitable(live) {
            return Err(unsupported(why));
        }
        let patch = patch.to_string();
        if patch.len() > MAX_PATCH {
            return Err(unsupported("the patch is too long for an argument of a program"));
        }
        let arguments = ["patch", "--local", "-f", "-", "--type", kind, "-p", &patch, "-o", "json"];
        let ran = run(&self.program, &arguments, to_json(live), self.timeout)
            .map_err(OperationError::TargetFailed)?;
        answer(&ran)
    }
}

fn unsupported(why: impl Into<String>) -> OperationError {
    OperationError::TargetFailed(TargetFailure { kind: TargetFailureKind::Unsupported, why: why.into() })
}

/// Why kubectl would not take this for an object.
fn unsuitable(live: &OwnedDoc) -> Option<&'static str> {
    let text = |key| {
        live.as_map().and_then(|map| map.get(key)).and_then(Doc::as_str).filter(|text| !text.is_empty())
    };
    match (text("apiVersion"), text("kind")) {
        // It takes a list for the objects in it.
        (Some(_), Some(kind)) if kind.ends_with("List") => {
            Some("kubectl patches the items of a list, not the list")
        }
        (Some(_), Some(_)) => None,
        _ => Some("kubectl needs an object with apiVersion and kind"),
    }
}

fn answer(ran: &Ran) -> Result<OwnedDoc, OperationError> {
    if ran.success {
        return from_json(&ran.stdout).map_err(|error| {
            let why = format!("kubectl wrote what is no document: {error}");
            OperationError::TargetFailed(TargetFailure { kind: TargetFailureKind::Crash, why })
        });
    }
    if let Some(panic) = ran.stderr.lines().find(|line| line.starts_with("panic: ")) {
        return Err(OperationError::TargetFailed(TargetFailure {
            kind: TargetFailureKind::Crash,
            why: panic.to_owned(),
        }));
    }
    let message = ran.stderr.strip_prefix("error: ").unwrap_or(&ran.stderr).trim();
    match errors::kind(message) {
        Some(kind) => Err(Error::new(kind, message).into()),
        None if errors::is_no_object(message) => Err(unsupported(message)),
        None => Err(Error::new(ErrorKind::Unclassified, message).into()),
    }
}

impl Target for KubectlTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "kubectl".to_owned(),
            version: Some(self.version.clone()),
            language: Some("Go".to_owned()),
        }
    }

    fn operations(&self) -> &(dyn Operations + Sync) {
        self
    }

    fn loses_floats(&self, _operation: &Operation<'_>) -> bool {
        true
    }

    fn supports(&self) -> Vec<(&'static str, Vec<String>)> {
        let operations = ["apply", "json-merge-apply", "json-patch-apply"].map(str::to_owned).to_vec();
        vec![("operations, on objects with apiVersion and kind", operations)]
    }
}

impl Operations for KubectlTarget {
    fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
        match operation {
            Operation::Apply { context, live, patch } => {
                let shipped = Profile::Today.directives();
                let knows = |name: &str| context.directives.knows(name);
                let same = shipped.iter().all(|directive| knows(directive.name()))
                    && context.directives.iter().all(|directive| shipped.knows(directive.name()));
                if !same {
                    return Err(unsupported(
                        "kubectl knows the directives that shipped, no more and no less",
                    ));
                }
                self.patch("strategic", live, patch)
            }
            Operation::JsonMergeApply { live, patch } => self.patch("merge", live, patch),
            Operation::JsonPatchApply { live, patch } => match self.patch("json", live, patch) {
                // All its refusals are of this kind, apart from those of the result.
                Err(OperationError::Refused(error)) if error.kind() == ErrorKind::Unclassified => {
                    Err(Error::new(ErrorKind::JsonPatchFailed, error.message()).into())
                }
                answer => answer,
            },
            _ => Err(unsupported("kubectl only applies patches without a server")),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn ran(success: bool, stdout: &str, stderr: &str) -> Ran {
        Ran { success, stdout: stdout.as_bytes().to_vec(), stderr: stderr.to_owned() }
    }

    #[rstest]
    #[case(ran(true, r#"{"a":1}"#, ""), r#"{"a":1}"#)]
    #[case(ran(true, "patched", ""), "Crash: kubectl wrote what is no document")]
    #[case(ran(false, "", "panic: runtime error: x\n\ngoroutine 1"), "Crash: panic: runtime error: x")]
    #[case(
        ran(false, "", "error: map: map[a:1] does not contain declared merge key: name\n"),
        "missing-merge-key"
    )]
    #[case(ran(false, "", "error: Object 'Kind' is missing in '{}'\n"), "Unsupported: Object")]
    #[case(ran(false, "", "error: the weather\n"), "unclassified")]
    fn answers_are_understood(#[case] ran: Ran, #[case] expected: &str) {
        let found = match answer(&ran) {
            Ok(value) => value.to_string(),
            Err(OperationError::Refused(error)) => error.kind().id().to_owned(),
            Err(OperationError::TargetFailed(target_failure)) => {
                format!("{:?}: {}", target_failure.kind, target_failure.why)
            }
        };
        assert!(found.starts_with(expected), "{found}");
    }

    #[rstest]
    #[case(r#"{"apiVersion":"v1","kind":"Service"}"#, true)]
    #[case(r#"{"apiVersion":"v1","kind":"ServiceList"}"#, false)]
    #[case(r#"{"kind":"Service"}"#, false)]
    #[case(r#"{"apiVersion":1,"kind":"Service"}"#, false)]
    #[case("null", false)]
    fn objects_have_a_version_and_a_kind(#[case] live: &str, #[case] suits: bool) {
        assert_eq!(unsuitable(&from_json(live.as_bytes()).unwrap()).is_none(), suits);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        assert!(KubectlTarget::at(PathBuf::from("/no/such/kubectl"), Duration::from_secs(5)).is_err());
    }
}
