//! The cases of findings: they end as the findings do, and have no names and values of objects.

use std::path::Path;

use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::schema::builtin;
use skewer_execute::execute::{ExecutionOptions, run_cell};
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{ApplyStep, ClientTypes, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::suite::{CaseValues, suite_file};
use skewer_preflight::verdict::Tools;
use skewer_reports::audit::Severity;
use skewer_reports::preflight::Preflight;
use skewer_results::Status;
use skewer_targets::BuiltInTarget;

use crate::threads::{folders, read_thread, run};

/// Runs a suite. Returns its cells that do not pass.
fn failing_cells(text: &str) -> Vec<String> {
    let file = CorpusFile {
        path: "suite.yaml".to_owned(),
        display_name: "suite.yaml".to_owned(),
        content: text.as_bytes().to_vec(),
        folder: None,
    };
    let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let cells = corpus.cells();
    let results = cells.map(|cell| run_cell(&cell, &BuiltInTarget, &ExecutionOptions::default()));
    results.filter(|cell| cell.status != Status::Pass).map(|cell| format!("{cell:?}")).collect()
}

/// The effects that no single request has: those on owners, which only later requests show, and what a tool does before.
const WITHOUT_CASE: [&str; 3] = ["owners lost", "owners stale", "not comparable"];

/// Threads whose finding is none of a single request: in the first, the tool takes over a field with one request, and removes it with
/// the next; in the second, the object and the request have two versions of a definition.
const OF_SEVERAL: [&str; 2] = ["crossplane-5498", "provider-keycloak-669"];

#[test]
fn each_finding_of_the_threads_has_a_case_that_ends_the_same() {
    let mut without_case = Vec::new();
    let mut number_of_cases = 0;
    for folder in folders() {
        let name = folder.file_name().unwrap_or_default().display().to_string();
        let report = run(&folder, &read_thread(&folder), Some(CaseValues::Anonymous));
        let suite = suite_file(&report, Path::new("suite.yaml"));
        let findings = report.findings.iter().filter(|finding| finding.severity != Severity::Note);
        let expected = findings.filter(|finding| !WITHOUT_CASE.contains(&finding.cause.as_str())).count();
        if suite.cases < expected && !OF_SEVERAL.contains(&&*name) {
            without_case.push(format!("{name}: {} of {expected} ({:?})", suite.cases, suite.without_case));
        }
        number_of_cases += suite.cases;
        if suite.cases > 0 {
            assert_eq!(failing_cells(&suite.text), Vec::<String>::new(), "{name}");
        }
    }
    assert!(without_case.is_empty(), "{}", without_case.join("\n"));
    assert!(number_of_cases >= 20, "{number_of_cases}");
}

const OBJECTS: &str = r#"
apiVersion: apps/v1
kind: Deployment
metadata:
  name: planted-name
  namespace: planted-namespace
  labels: {planted-key: planted-value}
  annotations:
    planted.example.com/planted-annotation: planted-text
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"planted-name"},"spec":{"replicas":31337}}
  finalizers: [planted.example.com/planted-finalizer]
  managedFields:
    - {manager: planted-manager, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1,
       fieldsV1: {'f:spec': {'f:replicas': {}, 'f:template': {'f:spec': {'f:containers': {'k:{"name":"planted-container"}': {'f:image': {},
       'f:env': {'k:{"name":"PLANTED_ENV"}': {'f:value': {}}}}}, 'f:nodeSelector': {'f:planted-node': {}}}}}}}
    - {manager: kubectl-client-side-apply, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1,
       fieldsV1: {'f:spec': {'f:replicas': {}, 'f:paused': {}}, 'f:metadata': {'f:labels': {'f:planted-key': {}}}}}
spec:
  replicas: 31337
  paused: true
  selector: {matchLabels: {planted-key: planted-value}}
  template:
    spec:
      nodeSelector: {planted-node: planted-disk}
      containers:
        - name: planted-container
          image: planted.example.com/planted-image
          env: [{name: PLANTED_ENV, value: planted-secret}]
"#;

const MANIFESTS: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: planted-name, namespace: planted-namespace}
spec:
  plantedField: planted-value
  template:
    spec:
      nodeSelector: {planted-node: planted-other}
      containers:
        - {name: planted-container, image: planted.example.com/planted-new, env: [{name: PLANTED_ENV, value: planted-new-secret}]}
";

/// Returns the report of an apply by a tool.
fn applied(by: &str, manifest: &str, cases: CaseValues) -> Preflight {
    let source = |name: &str, text: &str| DumpSource::Text(name.to_owned(), text.to_owned());
    let input = PreflightInput {
        asked: None,
        repaired: RepairedObjects::First,
        cases: Some(cases),
        dumps: vec![source("objects", OBJECTS)],
        definitions: Vec::new(),
        release: builtin::newest(),
        redaction: Redaction::new(&[]),
    };
    let tools = Tools::parse(by, Some("planted-tool"), &[]).expect("a tool");
    let step = ApplyStep {
        manifests: source("manifests", manifest),
        previous: None,
        tools,
        client: ClientTypes::default(),
    };
    preflight(&input, &PreflightStep::Apply(Box::new(step)), by.to_owned()).expect("a report")
}

#[test]
fn a_case_has_no_names_and_values_of_objects() {
    let mut number_of_cases = 0;
    let known = MANIFESTS.replace("  plantedField: planted-value\n", "");
    for by in ["helm4", "kubectl-csa", "controller-update"] {
        for manifest in [MANIFESTS, known.as_str()] {
            let suite = suite_file(&applied(by, manifest, CaseValues::Anonymous), Path::new("suite.yaml"));
            let lower = suite.text.to_lowercase();
            assert!(!lower.contains("planted") && !lower.contains("31337"), "{by}: {}", suite.text);
            assert_eq!(failing_cells(&suite.text), Vec::<String>::new(), "{by}");
            number_of_cases += suite.cases;
        }
        let named = suite_file(&applied(by, &known, CaseValues::OfObjects), Path::new("suite.yaml"));
        assert!(named.text.contains("planted-container"), "{by}: {}", named.text);
    }
    assert!(number_of_cases > 10, "{number_of_cases}");
}
