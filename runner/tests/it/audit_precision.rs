//! The precision of `skewer audit`: its findings on labelled changes of types.
//! See `runner/tests/audit/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skewer_audit::explore::ExploreOptions;
use skewer_audit::input::{AuditedTypes, DefinitionFile};
use skewer_audit::run::{audit_definitions, audit_kind};
use skewer_cases::Types;
use skewer_reports::audit::{Audit, Severity};

use crate::helpers::assert_report_is_current;

/// A labelled pair of types.
#[derive(Deserialize)]
struct Labels {
    pair: String,
    /// The type, if the types are declared in Go.
    root: Option<String>,
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    id: String,
    kind: String,
    path: String,
    version: Option<String>,
    #[serde(default)]
    covers: Vec<String>,
    expected: Vec<Expected>,
    /// Why the audit cannot find out what the label says.
    missed: Option<String>,
}

#[derive(Deserialize)]
struct Expected {
    severity: Level,
    tolerated: Option<Level>,
    option: Option<String>,
    release: Option<String>,
}

/// A severity, the worst first.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Level {
    Silent,
    Loud,
    Note,
    None,
}

impl Level {
    const fn name(self) -> &'static str {
        match self {
            Level::Silent => "silent",
            Level::Loud => "loud",
            Level::Note => "note",
            Level::None => "none",
        }
    }
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Silent => Level::Silent,
            Severity::Loud => Level::Loud,
            Severity::Note => Level::Note,
            Severity::NotJudged => Level::None,
        }
    }
}

impl Change {
    /// Returns the worst severity that is expected without an option, on the newest release.
    fn expected(&self) -> Level {
        let unconditional = self.expected.iter().filter(|e| e.option.is_none() && e.release.is_none());
        unconditional.map(|expected| expected.severity).min().unwrap_or(Level::None)
    }

    fn tolerates(&self, found: Level) -> bool {
        self.expected.iter().any(|expected| {
            let is_conditional = expected.option.is_some() || expected.release.is_some();
            expected.tolerated == Some(found) || (is_conditional && expected.severity == found)
        })
    }

    /// Returns true if a finding is about this change.
    fn is_named_by(&self, found: &Found) -> bool {
        // Two versions of one definition are compared if one was added, or became the storage version.
        let is_about_versions = matches!(self.kind.as_str(), "version-added" | "storage-version-changed");
        let is_of_storage = found.title.contains("objects are stored");
        if is_about_versions || is_of_storage {
            return is_about_versions && (found.is_of_two_versions || is_of_storage);
        }
        if found.is_of_two_versions || self.version.as_ref().is_some_and(|version| *version != found.version)
        {
            return found.is_of_two_versions && self.path == found.path;
        }
        let of_subresource = |name: &str| found.title.starts_with(&format!("subresource {name}"));
        match (self.path.as_str(), self.kind.as_str()) {
            (":subresources", kind) => of_subresource(kind.split('-').next().unwrap_or_default()),
            (":served" | ":version", _) => found.title.starts_with("version"),
            _ => {
                let is_about_rules = |text: &str| text.contains("CEL") || text.contains("rule");
                (self.path == found.path || self.covers.contains(&found.path))
                    && is_about_rules(&self.kind.replace("cel", "CEL")) == is_about_rules(&found.title)
            }
        }
    }
}

/// A finding, or one of the fields of a finding about several.
struct Found {
    id: String,
    version: String,
    is_of_two_versions: bool,
    path: String,
    title: String,
    severity: Level,
}

fn found(audits: &[Audit]) -> Vec<Found> {
    let mut all = Vec::new();
    for audit in audits {
        let version = audit.versions.as_str();
        // A change that was not judged is missed.
        for finding in audit.findings.iter().filter(|finding| finding.severity != Severity::NotJudged) {
            let paths =
                if finding.paths.is_empty() { vec![finding.path.clone()] } else { finding.paths.clone() };
            all.extend(paths.into_iter().map(|path| Found {
                id: format!("{} {}", audit.subject(), finding.id),
                version: version.to_owned(),
                is_of_two_versions: audit.versions.contains(" and "),
                path,
                title: finding.change.clone(),
                severity: finding.severity.into(),
            }));
        }
    }
    all
}

/// How the findings on a pair compare with its labels.
#[derive(Default)]
struct Precision {
    changes: usize,
    right: usize,
    /// Findings that are too severe, or that nobody wants.
    noise: Vec<String>,
    /// Labels without a finding that is as severe.
    missed: Vec<String>,
    /// The fields of each verdict by change, for the comparison with another tool.
    verdicts: BTreeMap<String, &'static str>,
}

fn compare(labels: &Labels, found: &[Found]) -> Precision {
    let mut precision = Precision { changes: labels.changes.len(), ..Precision::default() };
    let mut named = BTreeSet::new();
    let mut right = BTreeSet::new();
    for change in &labels.changes {
        let findings: Vec<&Found> = found.iter().filter(|found| change.is_named_by(found)).collect();
        named.extend(findings.iter().map(|found| (&found.id, &found.path)));
        let expected = change.expected();
        let severity = findings.iter().map(|found| found.severity).min().unwrap_or(Level::None);
        let describe = || {
            let (found, label) = (severity.name(), expected.name());
            format!("`{}` `{}` {}: {found}, label {label}", labels.pair, change.path, change.kind)
        };
        let is_right = severity == expected || change.tolerates(severity);
        assert!(
            !is_right || change.missed.is_none(),
            "{}: not missed any more: {}",
            labels.pair,
            change.path
        );
        let verdict = if is_right {
            right.extend(findings.iter().map(|found| &found.id));
            "right"
        } else if severity > expected {
            let reason = change.missed.as_ref().map(|reason| format!(". {reason}"));
            precision.missed.push(format!("{}{}", describe(), reason.unwrap_or_default()));
            "missed"
        } else {
            precision.noise.push(describe());
            "noise"
        };
        precision.verdicts.insert(change.id.clone(), verdict);
    }
    precision.right = right.len();
    for found in found.iter().filter(|found| !named.contains(&(&found.id, &found.path))) {
        precision.noise.push(format!("`{}` `{}` {}: not labelled", labels.pair, found.path, found.title));
    }
    precision
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit")
}

/// Audits the pairs of a folder.
fn measure(name: &str) -> Vec<(Labels, Precision)> {
    let mut pairs: Vec<PathBuf> = fs::read_dir(folder().join(name))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    pairs.retain(|path| path.is_dir());
    pairs.sort();
    let audited = pairs.iter().map(|pair| {
        let labels = fs::read_to_string(pair.join("labels.yaml")).expect("labels");
        let labels: Labels =
            serde_yaml::from_str(&labels).unwrap_or_else(|error| panic!("{}: {error}", pair.display()));
        let precision = compare(&labels, &found(&audits(pair, labels.root.as_deref())));
        (labels, precision)
    });
    audited.collect()
}

fn audits(pair: &Path, root: Option<&str>) -> Vec<Audit> {
    let options = ExploreOptions::default();
    let read = |name: &str| fs::read(pair.join(name)).expect("a file");
    if let Some(root) = root {
        let types = |name: &str| AuditedTypes {
            name: name.to_owned(),
            types: Types::read(name, &read(name)).unwrap_or_else(|errors| panic!("{errors}")),
            text: None,
        };
        let audit = audit_kind(&types("old.go"), &types("new.go"), root, options);
        return vec![audit.unwrap_or_else(|error| panic!("{error}"))];
    }
    let definition =
        |name: &str| DefinitionFile::read(name, &read(name)).unwrap_or_else(|errors| panic!("{errors}"));
    audit_definitions(&definition("old.yaml"), &definition("new.yaml"), options)
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// The reports of crdify for each change of a pair.
type Crdify = BTreeMap<String, BTreeMap<String, serde_yaml::Value>>;

fn crdify() -> Crdify {
    #[derive(Deserialize)]
    struct File {
        pairs: Crdify,
    }
    let text = fs::read_to_string(folder().join("pairs/crdify.yaml")).expect("a file");
    serde_yaml::from_str::<File>(&text).expect("valid YAML").pairs
}

fn is_reported(change: &serde_yaml::Value) -> bool {
    change.get("reports").is_some_and(serde_yaml::Value::is_sequence)
}

#[test]
fn the_report_on_the_precision_is_current_and_at_most_one_finding_in_ten_is_noise() {
    let (pairs, known) = (measure("pairs"), measure("known"));
    let crdify = crdify();
    let mut report = String::from(
        "# Precision of `skewer audit`\n\nThe findings of `skewer audit` on labelled changes of types: custom resource \
         definitions in the style of real projects, and small cases of known problems \
         ([labels](../runner/tests/audit/README.md)). Only the worst severity of a change counts.\n\n\
         - *right*: a finding with the severity of the label.\n- *noise*: a finding that is more severe than the label, or \
         that has no label.\n- *missed*: a label that is more severe than the finding, or that has none.\n\n\
         *crdify* is the number of changes for which [crdify](https://github.com/kubernetes-sigs/crdify) reports an \
         error by default, read from its source; in parentheses, how many of them have the label *none* or *note*. \
         crdify says what changed, and not what happens to objects and clients.\n\n",
    );
    for (title, pairs) in [("Pairs of versions", &pairs), ("Known problems", &known)] {
        let _ = writeln!(report, "## {title}\n");
        report.push_str("| pair | changes | right | noise | missed | crdify |\n|:--|--:|--:|--:|--:|--:|\n");
        let mut total = [0; 4];
        for (labels, precision) in pairs {
            let numbers = [precision.changes, precision.right, precision.noise.len(), precision.missed.len()];
            let other = match crdify.get(&labels.pair) {
                Some(changes) => {
                    let reported =
                        || labels.changes.iter().filter(|c| changes.get(&c.id).is_some_and(is_reported));
                    let mild = reported().filter(|change| change.expected() > Level::Loud).count();
                    format!("{} ({mild})", reported().count())
                }
                None => "-".to_owned(),
            };
            let [changes, right, noise, missed] = numbers;
            let _ =
                writeln!(report, "| {} | {changes} | {right} | {noise} | {missed} | {other} |", labels.pair);
            for (sum, number) in total.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
        let [changes, right, noise, missed] = total;
        let _ = writeln!(report, "| **all** | {changes} | {right} | {noise} | {missed} | |\n");
    }
    for (title, select) in [
        ("Noise", (|precision| &precision.noise) as fn(&Precision) -> &Vec<String>),
        ("Missed", |precision| &precision.missed),
    ] {
        let _ = writeln!(report, "## {title}\n");
        let mut lines = pairs.iter().chain(&known).flat_map(|(_, precision)| select(precision)).peekable();
        if lines.peek().is_none() {
            report.push_str("None.\n");
        }
        for line in lines {
            let _ = writeln!(report, "- {line}");
        }
        report.push('\n');
    }
    let right: usize = pairs.iter().map(|(_, precision)| precision.right).sum();
    let noise: usize = pairs.iter().map(|(_, precision)| precision.noise.len()).sum();
    assert!(right > 50 && noise * 10 <= right + noise, "{right} right, {noise} noise");
    assert_report_is_current("AUDIT-PRECISION.md", report.trim_end().as_bytes());
}
