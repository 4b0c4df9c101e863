//! Secret values are in no output.

use std::path::Path;

use skewer_engine::schema::builtin;
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{ApplyStep, ClientTypes, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::suite::{CaseValues, suite_file};
use skewer_preflight::verdict::Tools;
use skewer_reports::preflight as reports;
use skewer_skew::tools;

/// The planted values: the two forms of a Secret, a value of a field that is redacted, and its forms in managed fields.
const PLANTED: [&str; 4] = ["UExBTlRFRC1B", "PLANTED-B", "PLANTED-C", "UExBTlRFRC1E"];

const OBJECTS: &str = r#"
apiVersion: v1
kind: Secret
metadata:
  name: login
  namespace: demo
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Secret","metadata":{"name":"login","namespace":"demo"},"data":{"a":"UExBTlRFRC1B"},"stringData":{"b":"PLANTED-B"}}
  managedFields:
    - {manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}, 'f:old': {}}}}
    - {manager: somebody, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {'f:data': {'f:a': {}}}}
data: {a: UExBTlRFRC1B, old: UExBTlRFRC1E}
---
apiVersion: v1
kind: Secret
metadata: {name: torn}
data: {a: "UExBTlRFRC1B
---
apiVersion: example.com/v1
kind: Login
metadata:
  name: users
  managedFields:
    - manager: somebody
      operation: Update
      apiVersion: example.com/v1
      fieldsType: FieldsV1
      fieldsV1: {'f:spec': {'f:tokens': {'v:"PLANTED-C"': {}}, 'f:users': {'k:{"password":"PLANTED-C"}': {'.': {}, 'f:password': {}, 'f:mode': {}}}}}
spec: {tokens: [PLANTED-C], users: [{password: PLANTED-C, mode: a}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: logins.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Login, plural: logins, singular: login, listKind: LoginList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                tokens: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                users:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [password]
                  items: {type: object, required: [password], properties: {password: {type: string}, mode: {type: string}}}
"#;

const MANIFESTS: &str = r"
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: demo}
data: {a: UExBTlRFRC1E}
stringData: {b: PLANTED-B}
---
apiVersion: example.com/v1
kind: Login
metadata: {name: users}
spec: {tokens: [PLANTED-C, PLANTED-B], users: [{password: PLANTED-C, mode: b}]}
";

/// Returns every text that a preflight can print or write.
fn outputs(by: &str, cases: CaseValues) -> Vec<String> {
    let source = |name: &str, text: &str| DumpSource::Text(name.to_owned(), text.to_owned());
    let paths = ["spec.tokens", "spec.users.password"].map(|path| path.parse().expect("a path"));
    let input = PreflightInput {
        asked: None,
        repaired: RepairedObjects::All,
        cases: Some(cases),
        dumps: vec![source("objects", OBJECTS)],
        definitions: Vec::new(),
        release: builtin::newest(),
        redaction: Redaction::new(&paths),
    };
    let step = PreflightStep::Apply(Box::new(ApplyStep {
        manifests: source("manifests", MANIFESTS),
        previous: Some(source("previous", MANIFESTS)),
        tools: Tools::parse(by, None, &[]).expect("a tool"),
        client: ClientTypes::default(),
    }));
    let report = preflight(&input, &step, by.to_owned()).expect("a report");
    assert_eq!(report.totals.judged, 2, "{report:?}");
    assert_eq!(report.unreadable.len(), 1, "{report:?}");
    let mut outputs = vec![reports::text(&report, 80), reports::markdown(&report), reports::html(&report)];
    outputs.push(format!("{report:?}"));
    outputs.extend(report.findings.iter().map(|finding| reports::explain(finding, 80)));
    for finding in &report.findings {
        outputs.extend(finding.repairs.iter().map(|repair| reports::repair_script(finding, repair)));
    }
    let suite = suite_file(&report, Path::new("suite.yaml"));
    outputs.extend(suite.without_case);
    outputs.push(suite.text);
    outputs
}

#[test]
fn no_output_has_a_planted_value() {
    let all = tools().into_iter();
    for (tool, cases) in
        all.flat_map(|tool| [CaseValues::Anonymous, CaseValues::OfObjects].map(|cases| (tool.clone(), cases)))
    {
        let outputs = outputs(tool.name, cases);
        assert!(outputs.len() > 4, "{} has no finding: {outputs:?}", tool.name);
        for output in outputs {
            for planted in PLANTED {
                assert!(!output.contains(planted), "{}: {planted} in {output}", tool.name);
            }
        }
    }
}
