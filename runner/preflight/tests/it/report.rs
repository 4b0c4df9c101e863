//! The report: groups of objects, counts, and what was not judged.

use skewer_engine::schema::builtin;
use skewer_preflight::dump::DumpSource;
use skewer_preflight::finding::RepairedObjects;
use skewer_preflight::preflight::{ApplyStep, ClientTypes, PreflightInput, PreflightStep, preflight};
use skewer_preflight::redact::Redaction;
use skewer_preflight::verdict::Tools;
use skewer_reports::preflight::Preflight;

fn config_map(name: &str, day: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  managedFields:\n  - {{manager: ops, operation: Update, \
         apiVersion: v1, time: \"{day}T00:00:00Z\", fieldsType: FieldsV1, fieldsV1: {{'f:data': {{'f:x': {{}}}}}}}}\ndata: {{x: \
         \"1\"}}\n"
    )
}

fn applied(objects: &str, manifests: &str) -> Preflight {
    let source = |name: &str, text: &str| DumpSource::Text(name.to_owned(), text.to_owned());
    let input = PreflightInput {
        asked: None,
        repaired: RepairedObjects::First,
        cases: None,
        dumps: vec![source("objects", objects)],
        definitions: Vec::new(),
        release: builtin::newest(),
        redaction: Redaction::new(&[]),
    };
    let step = PreflightStep::Apply(Box::new(ApplyStep {
        manifests: source("manifests", manifests),
        previous: None,
        tools: Tools::parse("helm4", None, &[]).expect("a tool"),
        client: ClientTypes::default(),
    }));
    preflight(&input, &step, String::new()).expect("a report")
}

#[test]
fn objects_with_one_effect_are_one_finding() {
    let objects = config_map("b", "2026-01-01") + &config_map("a", "2026-02-02");
    let manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {x: \"2\"}\n---\n";
    let manifests = manifests.replace("NAME", "a") + &manifests.replace("NAME", "b");
    let report = applied(&objects, &manifests);
    let [finding] = report.findings.as_slice() else { panic!("{report:?}") };
    assert_eq!((finding.objects.as_slice(), finding.of), (&["a".to_owned(), "b".to_owned()][..], 2));
    assert_eq!((report.totals.judged, report.totals.refused), (2, 2));
    // Neither the objects nor the days are a part of the id.
    let other = applied(&config_map("a", "2026-03-03"), &manifests);
    assert_eq!(other.findings[0].id, finding.id);
}

#[test]
fn an_object_without_types_is_not_judged_and_a_new_one_is_created() {
    let manifests = "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: \
                     {name: new}\n";
    let report = applied(&config_map("other", "2026-01-01"), manifests);
    let totals = report.totals;
    assert_eq!((totals.judged, totals.created, totals.not_concerned), (1, 1, 1), "{report:?}");
    let reasons: Vec<&str> = report.not_judged.iter().map(|reason| reason.what.as_str()).collect();
    assert!(reasons.contains(&"Box example.com/v1: no definition (add it with --crds)"), "{reasons:?}");
}

#[test]
fn broken_managed_fields_are_reported_with_what_a_server_does() {
    let objects = config_map("a", "2026-01-01").replace("fieldsType: FieldsV1", "fieldsType: FieldsV2");
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"1\"}\n";
    let report = applied(&objects, manifest);
    let text = format!("{:?}", report.findings);
    assert!(text.contains("broken managed fields: every later apply is refused"), "{text}");
    assert_eq!(report.totals.refused, 1, "{report:?}");
}

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Box, plural: boxes, singular: box, listKind: BoxList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}, FIELDS}}}}
";

/// The audit finds both fields that are removed. Objects have one of them.
#[test]
fn a_change_that_no_object_shows_is_listed_apart() {
    let source = |name: &str, text: String| DumpSource::Text(name.to_owned(), text);
    let object = |name: &str, manager: &str| {
        format!(
            "---\napiVersion: example.com/v1\nkind: Box\nmetadata:\n  name: {name}\n  managedFields:\n  - {{manager: {manager}, \
             operation: Update, apiVersion: example.com/v1beta1, fieldsType: FieldsV1, fieldsV1: {{'f:spec': {{'f:used': {{}}}}}}}}\n  - \
             {{manager: other, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {{'f:spec': {{'f:size': \
             {{}}}}}}}}\nspec: {{size: 1, used: x}}\n"
        )
    };
    let old = DEFINITION.replace("FIELDS", "used: {type: string}, unused: {type: string}");
    let input = PreflightInput {
        asked: None,
        repaired: RepairedObjects::First,
        cases: None,
        dumps: vec![source("objects", object("a", "operator") + &object("b", "editor"))],
        definitions: vec![source("old", old)],
        release: builtin::newest(),
        redaction: Redaction::new(&[]),
    };
    let new = vec![source("new", DEFINITION.replace(", FIELDS", ""))];
    let report = preflight(&input, &PreflightStep::ReplaceDefinitions(new), String::new()).expect("a report");
    let of_path = |path: &str| report.findings.iter().find(|finding| finding.path == path);
    let used = of_path("spec.used").unwrap_or_else(|| panic!("{report:?}"));
    let writers = ["editor (Update, example.com/v1beta1)", "operator (Update, example.com/v1beta1)"];
    assert_eq!((used.objects.len(), &used.writers[..]), (2, &writers.map(str::to_owned)[..]), "{report:?}");
    let [unused] = report.without_object.as_slice() else { panic!("{report:?}") };
    assert!(unused.title.starts_with("spec.unused field removed"), "{unused:?}");
    let text = skewer_reports::preflight::text(&report, 100);
    assert!(text.contains("no object shows A-") && text.contains("writers: editor (Update, "), "{text}");
}
