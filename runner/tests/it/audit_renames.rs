//! `skewer audit` with declared renames.

use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

/// Returns a definition of issuers with versions. The first version is the stored one.
fn definition(conversion: &str, versions: &[(&str, &str)]) -> String {
    let versions = versions.iter().enumerate().map(|(index, (name, fields))| {
        format!(
            "    - name: {name}
      served: true
      storage: {}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{size: {{type: integer}}, {fields}}}}}
",
            index == 0
        )
    });
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: issuers.example.com}}
spec:
  group: example.com
  names: {{kind: Issuer, listKind: IssuerList, plural: issuers, singular: issuer}}
  scope: Namespaced
{conversion}  versions:
{}",
        versions.collect::<String>()
    )
}

const WEBHOOK: &str = "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: \
                       {url: 'https://example.com/convert'}}}\n";

const V1: &str = "url: {type: string}, hosts: {type: array, items: {type: object, properties: {name: {type: string}, \
                  cert: {type: string}}}}";
const V2: &str = "endpoint: {type: string}, hosts: {type: array, items: {type: object, properties: {name: {type: \
                  string}, certificate: {type: string}}}}";

/// Creates a folder with a definition that has both versions, and one for each of them.
fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("crd.yaml", definition(WEBHOOK, &[("v1", V1), ("v2", V2)])),
        ("none.yaml", definition("", &[("v1", V1), ("v2", V2)])),
        ("old.yaml", definition("", &[("v1", V1)])),
        ("new.yaml", definition("", &[("v1", V2)])),
        ("skewer-audit.yaml", config.to_owned()),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs `skewer audit` in a folder. Returns the exit code, standard output without line breaks, and standard error.
fn audit(folder: &Path, arguments: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder, &format!("audit {arguments}"), ""));
    (code.unwrap(), out.split_whitespace().collect::<Vec<_>>().join(" "), err)
}

const RENAMES: &str = "renames:
  - {from: spec.url, to: spec.endpoint}
  - {kind: Issuer, from: 'spec.hosts[].cert', to: 'spec.hosts[].certificate'}
";

/// A webhook that moves the fields loses nothing, whatever the order of the two versions is.
#[rstest]
#[case::file(RENAMES, "")]
#[case::options("", "--rename spec.url=spec.endpoint --rename spec.hosts[].cert=spec.hosts[].certificate")]
#[case::both(
    "renames: [{from: spec.url, to: spec.endpoint}]",
    "--rename spec.hosts[].cert=spec.hosts[].certificate"
)]
fn a_declared_rename_between_versions_loses_nothing(#[case] config: &str, #[case] options: &str) {
    let folder = folder(config);
    for inputs in ["crd.yaml#v1 crd.yaml#v2", "crd.yaml#v2 crd.yaml#v1"] {
        let (code, out, err) = audit(folder.path(), &format!("{inputs} --table --fail-on any {options}"));
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("4 changes") && out.contains("no findings"), "{out}");
        assert!(
            out.contains(
                "left out: conversion webhook (crd.yaml:8): declared as renames (spec.endpoint = spec.url, "
            ),
            "{out}"
        );
        assert_eq!(out.matches(" yes yes").count(), 6, "{out}");
    }
}

#[test]
fn a_rename_between_versions_that_is_not_declared_loses_data() {
    let folder = folder("");
    let (code, out, err) = audit(folder.path(), "crd.yaml#v1 crd.yaml#v2 --fail-on silent");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("spec.hosts[].cert field renamed to certificate? (a guess)"), "{out}");
    assert!(out.contains("lost: requests in v2 to objects created in v1"), "{out}");
    assert!(
        out.contains("conversion webhook (crd.yaml:8): fields with other names are taken for lost"),
        "{out}"
    );
    let (code, out, err) =
        audit(folder.path(), "crd.yaml#v1 crd.yaml#v2 --fail-on silent --rename spec.url=spec.endpoint");
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        !out.contains("lost: requests in v2 to objects created in v1, with every client SILENT"),
        "{out}"
    );
    assert!(!out.contains("fields in one version only"), "{out}");
}

/// A definition without a webhook has the conversion strategy `None`: only `apiVersion` changes, and the server prunes.
#[test]
fn a_declared_conversion_without_a_webhook_is_said() {
    let folder = folder(RENAMES);
    let (code, out, err) = audit(folder.path(), "none.yaml#v1 none.yaml#v2");
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("not run; without a webhook, which none.yaml:1 does not have, a server drops"),
        "{out}"
    );
}

/// Between two revisions of a version, nothing converts stored objects.
#[test]
fn a_declared_rename_of_one_version_only_names_the_cause() {
    let folder = folder("");
    let guess = audit(folder.path(), "old.yaml new.yaml").1;
    assert!(guess.contains("spec.hosts[].cert field renamed to certificate? (a guess)"), "{guess}");
    assert!(guess.contains("spec.url field removed"), "{guess}");
    let options = "--rename spec.url=spec.endpoint --rename spec.hosts[].cert=spec.hosts[].certificate";
    let (code, out, err) = audit(folder.path(), &format!("old.yaml new.yaml --fail-on silent {options}"));
    assert_eq!(code, 1, "{out}{err}");
    assert!(
        out.contains("SILENT spec.url field renamed to endpoint: \"example\" is lost line 16 (old)"),
        "{out}"
    );
    assert!(out.contains("lost: stored objects"), "{out}");
    assert!(
        out.contains("spec.hosts[].cert field renamed to certificate: ") && !out.contains("guess"),
        "{out}"
    );
    // A finding that was accepted as a guess stays accepted.
    let id = |text: &str| {
        let after = text.split_once("field renamed to certificate").unwrap().1;
        after.split_whitespace().find(|word| word.starts_with("A-")).unwrap().to_owned()
    };
    assert_eq!(id(&guess), id(&out));
}

#[test]
fn a_rename_of_declared_types_names_the_cause() {
    let folder = folder("");
    let types = |field: &str| {
        format!(
            "package v1\n\ntype Issuer struct {{\n\t{field} string `json:\"{}\"`\n}}\n",
            field.to_lowercase()
        )
    };
    std::fs::write(folder.path().join("old.go"), types("Url")).unwrap();
    std::fs::write(folder.path().join("new.go"), types("Endpoint")).unwrap();
    let inputs = "old.go new.go --kind Issuer";
    let (code, out, err) = audit(folder.path(), &format!("{inputs} --rename url=endpoint"));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("url field renamed to endpoint: "), "{out}");
    let (code, _, err) = audit(folder.path(), &format!("{inputs} --rename ulr=endpoint"));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("ulr is no field of old.go: did you mean url?"), "{err}");
}

#[rstest]
#[case::old(
    "old.yaml new.yaml",
    "spec.ulr",
    "spec.endpoint",
    "spec.ulr is no field of old.yaml#v1: did you mean spec.url?"
)]
#[case::new(
    "old.yaml new.yaml",
    "spec.url",
    "spec.endpiont",
    "no field of new.yaml#v1: did you mean spec.endpoint?"
)]
#[case::reversed("old.yaml new.yaml", "spec.endpoint", "spec.url", "did you mean spec.url=spec.endpoint?")]
#[case::kept("old.yaml new.yaml", "spec.size", "spec.endpoint", "the field was not renamed")]
#[case::out_of_a_list(
    "crd.yaml crd.yaml",
    "spec.hosts[].cert",
    "spec.endpoint",
    "are not in the same list or map"
)]
#[case::same("old.yaml new.yaml", "spec.url", "spec.url", "found spec.url twice")]
fn a_wrong_rename_is_an_error(
    #[case] inputs: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &str,
) {
    let in_file = folder(&format!("# Ours.\nrenames:\n  - from: {from}\n    to: {to}\n"));
    let (code, out, err) = audit(in_file.path(), inputs);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("skewer-audit.yaml:3") && err.contains(expected), "{err}");
    let (code, out, err) = audit(folder("").path(), &format!("{inputs} --rename {from}={to}"));
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("--rename") && err.contains(expected), "{err}");
}

#[test]
fn a_rename_of_a_kind_that_is_not_compared_is_an_error() {
    let folder = folder("renames:\n- {kind: Isuer, from: spec.url, to: spec.endpoint}\n");
    let (code, _, err) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("skewer-audit.yaml:2")
            && err.contains("no kind Isuer is compared: did you mean Issuer?"),
        "{err}"
    );
}
