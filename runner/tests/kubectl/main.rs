//! Comparison of `skewer patch apply` with `kubectl patch --local`. Both must give the same result, or both must refuse
//! the patch. Each case of `kubectl/documents.yaml` is a test.
//!
//! If kubectl is not installed, the tests are ignored, and a message reports that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use skewer_cases::yaml;
use skewer_engine::document::{from_json, to_json};
use skewer_engine::schema::builtin;
use skewer_engine::{Doc, OwnedDoc, OwnedMap};

#[derive(Deserialize)]
struct Documents {
    objects: BTreeMap<String, OwnedDoc>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    object: String,
    #[serde(default, rename = "type")]
    patch_type: PatchType,
    #[serde(default)]
    patch: yaml::OptionalField<OwnedDoc>,
    /// The patch as the text of a file, instead of `patch`.
    #[serde(default)]
    text: Option<String>,
    /// The reason for a known difference. If set, the results must differ.
    #[serde(default)]
    differs: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PatchType {
    #[default]
    Strategic,
    Merge,
    Json,
}

impl PatchType {
    fn name(self) -> &'static str {
        match self {
            PatchType::Strategic => "strategic",
            PatchType::Merge => "merge",
            PatchType::Json => "json",
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubectl/documents.yaml");
    let read = std::fs::read(path).map_err(|error| error.to_string());
    let documents: Documents =
        match read.and_then(|bytes| yaml::read(path, &bytes).map_err(|e| e.to_string())) {
            Ok(documents) => documents,
            Err(error) => return refuse(&error),
        };
    let schema = kubectl_release();
    if schema.is_none() && !arguments.list {
        note("kubectl is not installed: the tests that compare it with skewer are ignored");
    }
    let objects = Arc::new(documents.objects);
    let trials = documents.cases.into_iter().map(|case| {
        let (objects, schema) = (Arc::clone(&objects), schema.unwrap_or_default());
        let ignored = schema.is_empty();
        Trial::test(case.id.clone(), move || compare(&case, &objects, schema)).with_ignored_flag(ignored)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

#[allow(clippy::print_stderr)] // the output of a test binary
fn note(text: &str) {
    eprintln!("{text}");
}

fn refuse(error: &str) -> ExitCode {
    note(error);
    ExitCode::FAILURE
}

/// Returns the newest embedded release that is not newer than kubectl, or `None` if kubectl is not installed.
fn kubectl_release() -> Option<&'static str> {
    let output = Command::new("kubectl").args(["version", "--client", "-o", "json"]).output().ok()?;
    let version = from_json(&output.stdout).ok()?;
    let minor = version.as_map()?.get("clientVersion")?.as_map()?.get("minor")?.as_str()?;
    // Some vendors write `32+`.
    let minor: u32 = minor.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    let not_newer = builtin::releases().iter().rev().find(|release| release.minor() <= minor);
    not_newer.map(builtin::Release::name)
}

fn compare(case: &Case, objects: &BTreeMap<String, OwnedDoc>, schema: &str) -> Result<(), Failed> {
    let object = objects.get(&case.object).ok_or_else(|| format!("unknown object {:?}", case.object))?;
    let patch = match (&case.text, case.patch.as_ref()) {
        (Some(text), None) => text.clone().into_bytes(),
        (None, Some(patch)) => to_json(patch),
        _ => return Err("expected either `patch` or `text`".into()),
    };
    let folder = tempfile::tempdir()?;
    let file = |name: &str, bytes: &[u8]| -> std::io::Result<PathBuf> {
        let written = folder.path().join(name);
        std::fs::write(&written, bytes)?;
        Ok(written)
    };
    let (object, patch) = (file("object.json", &to_json(object))?, file("patch.yaml", &patch)?);
    let kubectl = kubectl(case, &object, &patch)?;
    let skewer = skewer(case, &object, &patch, schema)?;
    match (agree(&kubectl, &skewer), &case.differs) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(why)) => Err(Failed::from(format!("the results agree, but `differs` is set: {why}"))),
        (false, None) => Err(Failed::from(format!("kubectl: {kubectl}\nskewer:  {skewer}"))),
    }
}

/// The outcome of applying a patch.
enum Outcome {
    Result(OwnedDoc),
    Refused(String),
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Result(value) => write!(f, "{value}"),
            Outcome::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}

fn agree(kubectl: &Outcome, skewer: &Outcome) -> bool {
    match (kubectl, skewer) {
        (Outcome::Result(kubectl), Outcome::Result(skewer)) => printed(kubectl) == printed(skewer),
        (Outcome::Refused(_), Outcome::Refused(_)) => true,
        _ => false,
    }
}

/// Returns the value in the form in which kubectl prints it: `1.0` becomes `1`.
fn printed(value: &OwnedDoc) -> OwnedDoc {
    match value {
        #[allow(clippy::cast_possible_truncation)] // whole, and small in these documents
        Doc::Float(float) if float.fract() == 0.0 && float.abs() < 1e15 => Doc::Int(*float as i64),
        Doc::List(items) => Doc::List(items.iter().map(printed).collect()),
        Doc::Map(map) => {
            Doc::Map(map.iter().map(|(key, value)| (key.clone(), printed(value))).collect::<OwnedMap>())
        }
        other => other.clone(),
    }
}

fn kubectl(case: &Case, object: &Path, patch: &Path) -> Result<Outcome, Failed> {
    let output = Command::new("kubectl")
        .args(["patch", "--local", "-o", "json", "--type", case.patch_type.name()])
        .arg("-f")
        .arg(object)
        .arg("--patch-file")
        .arg(patch)
        // kubectl must not contact a cluster of the developer.
        .env("KUBECONFIG", "/dev/null")
        .output()?;
    match outcome(&output)? {
        Outcome::Refused(why) if why.contains("unable to decode") => {
            Err(Failed::from(format!("kubectl cannot read the object: {why}")))
        }
        outcome => Ok(outcome),
    }
}

fn skewer(case: &Case, object: &Path, patch: &Path, schema: &str) -> Result<Outcome, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_skewer"))
        .args(["patch", "apply", "--schema", schema, "--type", case.patch_type.name()])
        .arg("--original")
        .arg(object)
        .arg("--patch")
        .arg(patch)
        .output()?;
    outcome(&output)
}

fn outcome(output: &Output) -> Result<Outcome, Failed> {
    if output.status.success() {
        let value = from_json(&output.stdout);
        return value
            .map(Outcome::Result)
            .map_err(|error| Failed::from(format!("the output is not JSON: {error}")));
    }
    if output.status.code().is_none() {
        return Err(Failed::from(format!("killed: {}", output.status)));
    }
    Ok(Outcome::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
