//! Root types and overlays: contributions to the points of the matrix that no single axis value can make.

use rstest::rstest;
use skewer_cases::{Corpus, Plan};

use crate::support;

/// A suite whose objects have one of two types, and whose live object depends on two axes.
const SUITE: &str = r#"suite: demo/roots
about: Two kinds of holders.
schema:
  go: |
    type Plain struct {
      Name  string `json:"name"`
      Inner Inner  `json:"inner"`
    }
    type Typed struct {
      Name  string `json:"name"`
      Type  string `json:"type,omitempty"`
      Inner Inner  `json:"inner"`
    }
    type Inner struct {
      A *int `json:"a,omitempty"`
      B *int `json:"b,omitempty"`
    }
  root: Plain
axes:
  kind:
    plain: {}
    typed: {root: Typed}
  live:
    known: {live: {name: n, inner: {a: 1}}}
    new: {live: {name: n, inner: {b: 1}}}
  server:
    aware: {}
    unaware: {without: [Inner.b]}
overlays:
  - when: {kind: typed, live: known}
    live: {type: A}
  - when: {kind: typed, live: new}
    live: {type: B}
cases:
  - id: echo
    intent: {set: {name: changed}}
    request: update
    expect:
      - outcome: intended
"#;

fn load(text: &str) -> Result<Corpus, String> {
    support::load(
        if text.starts_with("suite: demo/schemas") { "demo/schemas.yaml" } else { "demo/roots.yaml" },
        "s.yaml",
        text,
    )
}

/// Returns, for each cell, the values of its axes, its live object, and whether its server knows the field `b`.
fn cells(text: &str) -> Vec<String> {
    let corpus = load(text).unwrap_or_else(|error| panic!("{error}"));
    let describe = |cell: skewer_cases::Cell<'_>| {
        let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
        let values: Vec<&str> = cell.coordinates().iter().map(|(_, value)| *value).collect();
        let context = &plan.server.context;
        let root = context.schema.get(context.root).describe();
        format!("{}: {} {root}", values.join(" "), plan.stored)
    };
    corpus.cells().map(describe).collect()
}

#[test]
fn overlays_contribute_to_the_points_that_match() {
    let cells = cells(SUITE);
    let has = |text: &str| cells.iter().filter(|cell| cell.contains(text)).count();
    assert_eq!(cells.len(), 8);
    assert_eq!(has(r#"plain known aware: {"inner":{"a":1},"name":"n"}"#), 1, "{cells:?}");
    assert_eq!(has(r#"typed known aware: {"inner":{"a":1},"name":"n","type":"A"}"#), 1, "{cells:?}");
    assert_eq!(has(r#"typed new unaware: {"inner":{"b":1},"name":"n","type":"B"}"#), 1, "{cells:?}");
}

#[test]
fn the_root_type_depends_on_the_point() {
    let corpus = load(SUITE).unwrap_or_else(|error| panic!("{error}"));
    for cell in corpus.cells() {
        let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
        for context in [&plan.full_context, &plan.client.context, &plan.server.context] {
            let knows = |field| context.schema.field(context.root, field).is_some();
            assert_eq!(knows("type"), cell.id().contains("kind=typed"), "{cell}");
            assert!(knows("inner"), "{cell}");
        }
        let inner = plan.server.context.schema.field(plan.server.context.root, "inner").unwrap().ty;
        let knows_b = plan.server.context.schema.field(inner, "b").is_some();
        assert_eq!(knows_b, cell.id().contains("server=aware"), "{cell}");
    }
}

#[test]
fn overlays_come_after_the_axes_in_the_order_of_the_file() {
    let later = "  - when: {kind: typed}\n    live: {type: C}\n    root: Plain\ncases:\n";
    let with_later = SUITE.replacen("cases:\n", later, 1);
    let errors = load(&with_later).unwrap_err();
    // The last overlay replaces the root type of the axis value, and `Plain` has no field `type`.
    assert!(errors.contains("s.yaml:35:12: Plain has no field `type` that any party knows"), "{errors}");
    let with_root = with_later.replacen("root: Plain\ncases:", "root: Typed\ncases:", 1);
    let cells = cells(&with_root);
    assert!(cells[4].contains(r#""type":"C""#), "{cells:?}");
}

#[test]
fn a_case_adds_overlays_and_a_root_type() {
    let case =
        "  - id: echo\n    root: Typed\n    overlays:\n      - {when: {live: known}, live: {type: D}}\n";
    let text = SUITE.replacen("  - id: echo\n", case, 1);
    let cells = cells(&text);
    assert!(cells[0].contains(r#""type":"D""#), "{cells:?}");
    assert!(!cells[2].contains(r#""type""#), "{cells:?}");
    assert!(cells[4].contains(r#""type":"D""#), "{cells:?}");
}

#[test]
fn an_overlay_can_contribute_a_party_the_intent_and_the_request() {
    let text = SUITE
        .replacen("    request: update\n", "", 1)
        .replacen("    intent: {set: {name: changed}}\n", "", 1)
        .replacen(
            "cases:\n",
            "  - {when: {kind: [plain, typed]}, request: update, intent: {set: {name: changed}}}\n  \
             - {when: {live: new, server: aware}, server: {without: [Inner.a]}}\ncases:\n",
            1,
        );
    let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
    for cell in corpus.cells() {
        let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
        let context = &plan.server.context;
        let inner = context.schema.field(context.root, "inner").unwrap().ty;
        let knows_a = context.schema.field(inner, "a").is_some();
        assert_eq!(knows_a, !cell.id().contains("live=new,server=aware"), "{cell}");
        assert_eq!(plan.intent.0.len(), 1, "{cell}");
    }
}

#[rstest]
#[case::unknown_axis(
    "when: {kind: typed, live: known}",
    "when: {kinds: typed, live: known}",
    "s.yaml:30:12: the case `echo` has no axis `kinds`: did you mean `kind`?"
)]
#[case::unknown_value(
    "when: {kind: typed, live: known}",
    "when: {kind: typd, live: known}",
    "s.yaml:30:18: axis `kind` has no value `typd`: did you mean `typed`?"
)]
#[case::unknown_root(
    "typed: {root: Typed}",
    "typed: {root: Tyqed}",
    "s.yaml:22:19: the schema has no type `Tyqed`: did you mean `Typed`?"
)]
#[case::unknown_root_of_an_overlay(
    "    live: {type: B}\n",
    "    root: Plian\n",
    "s.yaml:33:11: the schema has no type `Plian`: did you mean `Plain`?"
)]
#[case::unknown_root_of_the_case(
    "  - id: echo\n",
    "  - id: echo\n    root: Plian\n",
    "s.yaml:36:11: the schema has no type `Plian`: did you mean `Plain`?"
)]
#[case::field_that_the_type_of_the_point_lacks(
    "when: {kind: typed, live: known}",
    "when: {live: known}",
    "s.yaml:31:12: Plain has no field `type` that any party knows"
)]
#[case::unknown_key(
    "live: {type: A}",
    "liev: {type: A}",
    "s.yaml:31:5: unknown key `liev`: did you mean `live`?"
)]
#[case::no_contribution("\n    live: {type: A}", "", "s.yaml:30:5: this overlay contributes nothing")]
#[case::no_condition("when: {kind: typed, live: known}\n    live", "live", "`when`")]
#[case::no_match(
    "  - id: echo\n",
    "  - id: echo\n    exclude: [{when: {live: new}, because: so}]\n    \
     overlays: [{when: {live: new}, live: {name: m}}]\n",
    "s.yaml:37:23: this overlay matches no cell"
)]
#[case::document_at_some_points_only(
    "known: {live: {name: n, inner: {a: 1}}}",
    "known: {}",
    "2 cells of `echo` have no `live`: demo/roots/echo[kind=plain,live=known,server=aware]"
)]
#[case::element_that_a_party_cannot_lack(
    "    live: {type: B}\n",
    "    server: {without: [Inner.z]}\n",
    "the types of the case have no `Inner.z`"
)]
fn mistakes_in_overlays_and_roots_are_reported(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    assert!(SUITE.contains(from), "{from}");
    let errors = load(&SUITE.replacen(from, to, 1)).unwrap_err();
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn a_field_of_an_excluded_root_type_is_unknown() {
    let text = SUITE.replacen("intent: {set: {name: changed}}", "intent: {set: {type: Z}}", 1).replacen(
        "    request:",
        "    exclude: [{when: {kind: plain}, because: It has no type.}]\n    request:",
        1,
    );
    assert_eq!(cells(&text).len(), 4);
    let swapped = text.replacen("when: {kind: plain}", "when: {live: known}", 1);
    let errors = load(&swapped).unwrap_err();
    assert!(errors.contains("Plain has no field `type` that any party knows"), "{errors}");
}

/// A type in Go, and the same type as a custom resource, whose definition knows a maximum.
const CHOSEN_SCHEMAS: &str = r#"suite: demo/schemas
about: One kind of objects, declared twice.
axes:
  types:
    built-in:
      schema: {go: 'type Holder struct { Name string `json:"name"`; Size int `json:"size,omitempty"` }', root: Holder}
    custom-resource:
      schema:
        crd:
          apiVersion: apiextensions.k8s.io/v1
          kind: CustomResourceDefinition
          metadata: {name: holders.example.com}
          spec:
            group: example.com
            names: {kind: Holder, plural: holders}
            scope: Namespaced
            versions:
              - name: v1
                served: true
                storage: true
                schema:
                  openAPIV3Schema:
                    type: object
                    properties: {name: {type: string}, size: {type: integer, maximum: 9}}
  server:
    aware: {}
    unaware: {without: [Holder.size]}
cases:
  - id: grow
    live: {name: n}
    intent: {set: {size: 10}}
    request: update
    expect:
      - {when: {types: custom-resource, server: aware}, outcome: rejected, error: invalid-value}
      - {when: {types: custom-resource}, outcome: diverged}
      - {when: {server: unaware}, outcome: ignored}
      - outcome: intended
"#;

#[test]
fn an_axis_value_chooses_the_schema_of_its_points() {
    let corpus = load(CHOSEN_SCHEMAS).unwrap_or_else(|error| panic!("{error}"));
    let mut points = Vec::new();
    for cell in corpus.cells() {
        let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
        let is_custom = cell.id().contains("types=custom-resource");
        let (server, full) = (&plan.server, &plan.full_context);
        assert_eq!(
            (server.admission.is_some(), plan.full_admission.is_some()),
            (is_custom, is_custom),
            "{cell}"
        );
        assert!(full.schema.field(full.root, "size").is_some(), "{cell}");
        let knows_size = server.context.schema.field(server.context.root, "size").is_some();
        assert_eq!(knows_size, cell.id().contains("server=aware"), "{cell}");
        points.push(cell.id());
    }
    assert_eq!(points.len(), 4);
}

#[rstest]
#[case::schema_with_an_error(
    "root: Holder}",
    "root: Hodler}",
    "the schema has no type `Hodler`: did you mean `Holder`?"
)]
#[case::element_of_one_schema_only(
    "Holder.size]",
    "Holder.sise]",
    "the types of the case have no `Holder.sise`"
)]
#[case::field_of_neither_schema(
    "set: {size: 10}",
    "set: {sice: 10}",
    "has no field `sice` that any party knows"
)]
#[case::root_of_the_other_schema(
    "cases:\n",
    "overlays: [{when: {types: custom-resource}, root: Other}]\ncases:\n",
    "no type `Other`"
)]
#[case::no_schema_at_all("schema: {go:", "live: {go:", "has no schema")]
fn mistakes_in_chosen_schemas_are_reported(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    assert!(CHOSEN_SCHEMAS.contains(from), "{from}");
    let mut text = CHOSEN_SCHEMAS.replacen(from, to, 1);
    if message == "has no schema" {
        text = text.replacen("      schema:\n        crd:", "      live:\n        crd:", 1);
    }
    let errors = load(&text).unwrap_err();
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn the_old_name_of_a_request_is_read_with_a_hint() {
    let old = SUITE.replacen("    request: update\n", "    axes: {request: [update, apply]}\n", 1).replacen(
        "cases:\n",
        "  - {when: {request: apply}, last-applied: {name: n}}\ncases:\n",
        1,
    );
    let corpus = load(&old).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        corpus.suites[0].hints,
        [34, 38].map(|line| {
            let column = if line == 34 { 22 } else { 30 };
            format!(
                "s.yaml:{line}:{column}: the request `apply` is now named `client-side-apply`: write the new name"
            )
        })
    );
    let ids: Vec<String> = corpus.cells().map(|cell| cell.id()).collect();
    assert!(ids.iter().any(|id| id.contains("request=client-side-apply")), "{ids:?}");
    assert!(!ids.iter().any(|id| id.contains("request=apply")), "{ids:?}");
    // In a document, `request` is a field like any other, and the new name needs no hint.
    let new = old.replace("apply}", "client-side-apply}").replace("apply]", "client-side-apply]");
    assert!(load(&new).unwrap().suites[0].hints.is_empty());
}

/// Rows of the KEP's sheet over the axes of [`SUITE`].
const ROWS: &str = "kep-rows:\n  - first: 7\n    when: {kind: plain}\n    rows: [{live: known}, {server: unaware}]\n    \
                    cited: [8]\ncases:\n";

#[test]
fn rows_are_sets_of_cells() {
    let corpus = load(&SUITE.replacen("cases:\n", ROWS, 1)).unwrap_or_else(|error| panic!("{error}"));
    let rows: Vec<(String, Vec<u32>)> = corpus.cells().map(|cell| (cell.id(), cell.kep_rows())).collect();
    let of = |values: &str| rows.iter().find(|(id, _)| id.contains(values)).map(|(_, rows)| rows.clone());
    assert_eq!(of("kind=plain,live=known,server=aware"), Some(vec![7]));
    assert_eq!(of("kind=plain,live=known,server=unaware"), Some(vec![7, 8]));
    assert_eq!(of("kind=plain,live=new,server=unaware"), Some(vec![8]));
    assert_eq!(of("kind=typed,live=known,server=unaware"), Some(vec![]));
    assert_eq!(corpus.suites[0].cases[0].cited_kep_rows().collect::<Vec<_>>(), [8]);
}

#[rstest]
#[case::cited_row_of_another_group(
    "cited: [8]",
    "cited: [9]",
    "s.yaml:38:13: row 9 is not in this group of rows"
)]
#[case::no_cell("{server: unaware}", "{kind: typed}", "s.yaml:37:27: row 8 has no cell")]
#[case::unknown_value("{live: known}", "{live: knwon}", "`knwon`: did you mean `known`?")]
fn mistakes_in_rows_are_reported(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let text = SUITE.replacen("cases:\n", &ROWS.replacen(from, to, 1), 1);
    let errors = load(&text).unwrap_err();
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn an_axis_value_can_contribute_a_level() {
    let text = SUITE.replacen("typed: {root: Typed}", "typed: {root: Typed, level: erratum}", 1);
    let corpus = load(&text).unwrap_or_else(|error| panic!("{error}"));
    for cell in corpus.cells() {
        let is_erratum = cell.level() == skewer_cases::Level::Erratum;
        assert_eq!(is_erratum, cell.id().contains("kind=typed"), "{cell}");
    }
}
