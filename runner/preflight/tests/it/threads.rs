//! Public reports of users, each reduced to objects, a step, and the verdict that the report ends with. A folder of
//! `tests/threads/` is one report.
//!
//! `thread.yaml` has the address, what happened (`because`), the step, and the findings that are not mere notes: cause and
//! path, and words of the sentences. A note can be expected, too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skewer_cases::yaml;
use skewer_engine::schema::builtin;
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{ApplyStep, ClientTypes, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::suite::CaseValues;
use skewer_preflight::verdict::Tools;
use skewer_reports::audit::Severity;
use skewer_reports::preflight::{Preflight, PreflightFinding};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Thread {
    /// The address of the report.
    url: String,
    /// The reason for the expectation: what the thread says.
    because: String,
    #[serde(default)]
    by: Option<String>,
    #[serde(default)]
    manager: Option<String>,
    #[serde(default)]
    takes_over: Vec<String>,
    #[serde(default)]
    remove_version: Option<String>,
    #[serde(default)]
    server: Option<String>,
    /// The release of the built-in types of the tool. Its definitions are those of client-crds.yaml.
    #[serde(default)]
    client_release: Option<String>,
    /// The findings: cause and path, with words of their sentences.
    expect: BTreeMap<String, String>,
    /// Whether each finding has a repair.
    #[serde(default)]
    repaired: bool,
}

pub(crate) fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads");
    let entries = std::fs::read_dir(root).expect("the folder is readable");
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the entry is readable").path()).collect();
    folders.sort();
    folders
}

pub(crate) fn read_thread(folder: &Path) -> Thread {
    let bytes = std::fs::read(folder.join("thread.yaml")).expect("the folder has a thread.yaml");
    yaml::read("thread.yaml", &bytes).unwrap_or_else(|errors| panic!("{}: {errors}", folder.display()))
}

pub(crate) fn run(folder: &Path, thread: &Thread, cases: Option<CaseValues>) -> Preflight {
    let source = |name: &str| Some(folder.join(name)).filter(|path| path.exists()).map(DumpSource::Path);
    let release = thread.server.as_deref().unwrap_or("1.37");
    let release_of =
        |release: &str| builtin::release(&format!("kubernetes-{release}")).expect("an embedded release");
    let input = PreflightInput {
        asked: None,
        repaired: RepairedObjects::First,
        cases,
        dumps: source("objects.yaml").into_iter().collect(),
        definitions: source("crds.yaml").into_iter().collect(),
        release: release_of(release),
        redaction: Redaction::new(&[]),
    };
    let step = match (&thread.remove_version, source("new-crds.yaml")) {
        (Some(version), _) => PreflightStep::RemoveVersion(version.clone()),
        (None, Some(new)) => PreflightStep::ReplaceDefinitions(vec![new]),
        (None, None) => PreflightStep::Apply(Box::new(ApplyStep {
            manifests: source("manifests.yaml").expect("a step"),
            previous: source("previous.yaml"),
            tools: Tools::parse(
                thread.by.as_deref().expect("a tool"),
                thread.manager.as_deref(),
                &thread.takes_over,
            )
            .expect("a tool"),
            client: ClientTypes {
                release: thread.client_release.as_deref().map(release_of),
                definitions: source("client-crds.yaml").into_iter().collect(),
            },
        })),
    };
    preflight(&input, &step, String::new())
        .unwrap_or_else(|message| panic!("{}: {message}", folder.display()))
}

/// Returns how a report differs from the verdict of a thread.
fn differences(thread: &Thread, report: &Preflight) -> Vec<String> {
    let title =
        |finding: &PreflightFinding| format!("{} {}", finding.cause, finding.path).trim_end().to_owned();
    let is_expected = |finding: &PreflightFinding| thread.expect.contains_key(&title(finding));
    let mut differences = report.unreadable.clone();
    let found: Vec<&PreflightFinding> = report
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Note || is_expected(finding))
        .collect();
    for finding in &found {
        let text = finding.effects.join("; ");
        match thread.expect.get(&title(finding)) {
            None => differences.push(format!("not expected: {}: {text}", title(finding))),
            Some(words) if !text.contains(words) => {
                differences.push(format!("{}: expected {words:?} in {text:?}", title(finding)));
            }
            Some(_) if thread.repaired && finding.repair.is_none() => {
                differences.push(format!("{}: no repair", title(finding)));
            }
            Some(_) => {}
        }
    }
    let is_missing = |name: &&String| !found.iter().any(|finding| title(finding) == **name);
    differences.extend(thread.expect.keys().filter(is_missing).map(|name| format!("missing: {name}")));
    if report.totals.judged == 0 {
        differences.push(format!("no object was judged: {:?}", report.not_judged));
    }
    differences
}

#[test]
fn each_thread_ends_as_it_did_for_its_users() {
    let mut failed = Vec::new();
    for folder in folders() {
        let thread = read_thread(&folder);
        let name = folder.file_name().unwrap_or_default().display().to_string();
        assert!(thread.url.starts_with("https://") && !thread.because.is_empty(), "{name}");
        let report = run(&folder, &thread, None);
        failed.extend(differences(&thread, &report).into_iter().map(|text| format!("{name}: {text}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
