//! Tests of the recall of audits.

use skewer_audit::input::DefinitionFile;
use skewer_lab::recall::{AuditAnswer, KnownChangeKind, Recall};

/// A definition in which each kind of change has a place.
const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.example.com}
spec:
  group: example.com
  names: {kind: Garden, listKind: GardenList, plural: gardens, singular: garden}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [owner]
              properties:
                owner: {type: string}
                soil: {type: string, enum: [clay, loam, sand]}
                beds: {type: integer}
                isOpen: {type: boolean, default: true}
                note: {type: string, nullable: true}
                tools: {type: array, items: {type: string}}
                labels: {type: object, additionalProperties: {type: string}}
                extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
            status:
              type: object
              properties:
                plants:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: {type: string}
                      place: {type: string}
                      height: {type: integer}
";

fn measure(seed: u64) -> Recall {
    let file = DefinitionFile::read("garden.yaml", DEFINITION.as_bytes()).expect("a valid definition");
    Recall::measure(&[file], &KnownChangeKind::ALL, 2 * KnownChangeKind::ALL.len() as u64, seed, || {})
}

#[test]
fn the_audit_finds_or_names_every_known_change() {
    let recall = measure(7);
    let overlooked: Vec<String> = recall
        .changes
        .iter()
        .filter(|change| !matches!(change.answer, AuditAnswer::Found { .. }))
        .map(ToString::to_string)
        .collect();
    assert_eq!(overlooked, [""; 0]);
    assert!(!recall.has_missed());
    for kind in KnownChangeKind::ALL {
        assert_eq!(
            recall.changes.iter().filter(|change| change.kind == kind.name).count(),
            2,
            "{}",
            kind.name
        );
    }
}

#[test]
fn the_same_seed_makes_the_same_changes() {
    let changes = |seed| -> Vec<String> { measure(seed).changes.iter().map(ToString::to_string).collect() };
    assert_eq!(changes(3), changes(3));
    assert_ne!(changes(3), changes(4));
}

/// The audit is the same; what it says is replaced.
#[test]
fn a_change_without_a_finding_is_listed_as_missed() {
    let mut recall = measure(1);
    recall.changes[0].answer = AuditAnswer::Missed;
    assert!(recall.has_missed());
    let text = recall.text(None);
    assert!(text.contains(&format!("missed: {}", recall.changes[0])), "{text}");
    assert!(text.contains("│ missed │"), "{text}");
}
