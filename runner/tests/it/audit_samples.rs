//! `skewer audit` with sample objects.

use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

/// Returns a definition of issuers with versions. The first version is the stored one.
fn definition(versions: &[(&str, &str)]) -> String {
    let versions = versions.iter().enumerate().map(|(index, (name, fields))| {
        format!(
            "    - name: {name}
      served: {}
      storage: {}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{{fields}}}}}
",
            *name != "v0",
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
  versions:
{}",
        versions.collect::<String>()
    )
}

/// Creates a folder with files, which can be in folders.
fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Runs `skewer audit` in a folder. Returns the exit code, standard output without line breaks, and standard error.
fn audit(folder: &Path, arguments: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder, &format!("audit {arguments}"), ""));
    (code.unwrap(), out.split_whitespace().collect::<Vec<_>>().join(" "), err)
}

fn sample(version: &str, name: &str, spec: &str) -> String {
    format!("apiVersion: example.com/{version}\nkind: Issuer\nmetadata: {{name: {name}}}\nspec: {spec}\n")
}

const CODE: &str = "code: {type: string}, size: {type: integer}";
/// No generated object breaks the rule: no text with its literals has this size.
const NO_CODES: &str = "code: {type: string, x-kubernetes-validations: [\
                        {rule: \"!(self.startsWith('ab') && self.endsWith('3') && self.size() == 6)\"}]}, \
                        size: {type: integer}";

#[rstest]
#[case::option("", "--samples ours")]
#[case::file("samples: ../ours\n", "")]
#[case::one_file("", "--samples ours/issuers.yaml")]
fn a_sample_shows_an_effect_that_no_generated_object_shows(#[case] config: &str, #[case] options: &str) {
    let samples = format!(
        "# Two.\n{}---\n{}",
        sample("v1", "fine", "{code: xyz}"),
        sample("v1", "bad", "{code: abc123}")
    );
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", CODE)])),
        ("new/new.yaml", &definition(&[("v1", NO_CODES)])),
        ("new/skewer-audit.yaml", config),
        ("ours/issuers.yaml", &samples),
    ]);
    let without = "old.yaml new/new.yaml --config none.yaml";
    std::fs::write(folder.path().join("none.yaml"), "").unwrap();
    let (code, out, err) = audit(folder.path(), &format!("{without} --fail-on any"));
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("NOT JUDGED spec.code CEL rule added"), "{out}");
    assert!(out.contains("no object was found that was valid before and that the new rule"), "{out}");
    let with = format!("old.yaml new/new.yaml {options}");
    let (code, out, err) = audit(folder.path(), &format!("{with} --fail-on loud"));
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("LOUD spec.code CEL rule added"), "{out}");
    assert!(out.contains("refused (invalid-value) by the rule `!(self.startsWith('ab')"), "{out}");
    assert!(out.contains("`: new objects from old manifests"), "{out}");
    assert!(!out.contains("no object was found"), "{out}");
    let id = out.split_whitespace().find(|word| word.starts_with("A-")).unwrap();
    let (code, out, err) = audit(folder.path(), &format!("{with} --explain {id}"));
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("creates the object ")
            && out.contains("ours/issuers.yaml:7 on a server")
            && out.contains("code: abc123"),
        "{out}"
    );
}

/// Returns the number of situations in a report.
fn count(text: &str) -> usize {
    let before = text.split_once(" situations").unwrap().0;
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

/// The example is the smallest object. Effects on several items of a sample are one effect.
#[test]
fn a_larger_sample_adds_no_noise() {
    let list = |field: &str| {
        format!(
            "hosts: {{type: array, items: {{type: object, properties: {{name: {{type: string}}{field}}}}}}}"
        )
    };
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", &list(", cert: {type: string}"))])),
        ("new.yaml", &definition(&[("v1", &list(""))])),
        (
            "ours/a.yaml",
            &sample("v1", "large", "{hosts: [{name: a}, {name: b, cert: c}, {name: d, cert: e}]}"),
        ),
    ]);
    let (_, generated, _) = audit(folder.path(), "old.yaml new.yaml");
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml --samples ours");
    assert_eq!((code, err.as_str()), (0, ""));
    let without_counts = |text: &str| text.split_once("situations").unwrap().1.to_owned();
    assert_eq!(without_counts(&out), without_counts(&generated));
    assert!(count(&out) > count(&generated), "{out}");
    // At most four samples are used for a cause.
    let many: Vec<String> =
        (0..50).map(|at| sample("v1", &format!("a{at}"), "{hosts: [{name: a, cert: b}]}")).collect();
    std::fs::write(folder.path().join("ours/a.yaml"), many.join("---\n")).unwrap();
    let (_, many, _) = audit(folder.path(), "old.yaml new.yaml --samples ours");
    assert!(count(&many) > count(&generated) && count(&many) < 6 * count(&generated), "{many}");
}

/// A sample that is smaller than each generated object is the example, and what a server writes is no part of it.
#[test]
fn a_sample_of_another_version_is_converted() {
    let fields = "a: {type: string}, code: {type: string, enum: [one, two]}";
    let narrow = "a: {type: string}, code: {type: string, enum: [one]}";
    let of_server = "apiVersion: v1
kind: List
items:
- apiVersion: example.com/v2
  kind: Issuer
  metadata: {name: x, uid: u, resourceVersion: '3', managedFields: []}
  spec: {code: two}
";
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", fields), ("v2", fields)])),
        ("new.yaml", &definition(&[("v1", narrow), ("v2", fields)])),
        ("ours/a.yml", of_server),
    ]);
    let (code, out, err) = audit(folder.path(), "old.yaml#v1 new.yaml#v1 --samples ours");
    assert_eq!((code, err.as_str()), (0, ""));
    let id = out.split_whitespace().find(|word| word.starts_with("A-")).unwrap();
    let (_, out, err) =
        audit(folder.path(), &format!("old.yaml#v1 new.yaml#v1 --samples ours --explain {id}"));
    assert!(out.contains("ours/a.yml:4") && out.contains("code: two"), "{out}{err}");
    assert!(!out.contains("uid") && !out.contains("resourceVersion"), "{out}");
}

/// Without the declaration, the renamed field of the sample is lost between the versions.
#[test]
fn samples_are_written_in_both_versions() {
    let with = |name: &str| format!("{name}: {{type: string}}, size: {{type: integer}}");
    let folder = folder_with(&[
        ("crd.yaml", &definition(&[("v1", &with("url")), ("v2", &with("endpoint"))])),
        ("ours/a.yaml", &sample("v1", "x", "{url: u}")),
        ("ours/b.yaml", &sample("v2", "x", "{endpoint: e}")),
    ]);
    let inputs = "crd.yaml#v1 crd.yaml#v2 --samples ours --fail-on silent";
    let (code, out, err) = audit(folder.path(), inputs);
    assert_eq!(code, 1, "{out}{err}");
    let (code, out, err) = audit(folder.path(), &format!("{inputs} --rename spec.url=spec.endpoint"));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("no findings"), "{out}");
    // Both samples are written in the other version.
    let rename = "--rename spec.url=spec.endpoint";
    let of = |samples: &str| {
        count(&audit(folder.path(), &format!("crd.yaml#v1 crd.yaml#v2 {rename} {samples}")).1)
    };
    let (none, one, both) = (of(""), of("--samples ours/a.yaml"), of("--samples ours"));
    assert!(none < one && one < both, "{none} {one} {both}");
}

#[test]
fn objects_of_other_kinds_are_counted() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
    let text = [
        &sample("v1", "x", "{code: a}"),
        pod,
        "{values: 1}\n",
        pod,
        "kind: Issuer\napiVersion: other.com/v1\n",
    ]
    .join("---\n");
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", CODE)])),
        ("new.yaml", &definition(&[("v1", NO_CODES)])),
        ("ours/a.yaml", &text),
        ("ours/deep/empty.yaml", "# Nothing.\n"),
    ]);
    let (code, _, err) = audit(folder.path(), "old.yaml new.yaml --samples ours --fail-on never");
    assert_eq!(code, 0, "{err}");
    let expected = "warning: 4 of 5 sample objects are of no compared kind: ";
    assert!(err.contains(expected), "{err}");
    assert!(err.contains("2 of Pod, 1 of no kind, 1 of other.com/Issuer"), "{err}");
}

#[rstest]
#[case::validation(
    "v1",
    "\n  code: a\n  size: x",
    "a.yaml:6",
    "refuses the object when it validates it: spec.size: expected an integer"
)]
#[case::version("v9", "{}", "a.yaml:1", "old.yaml:1 has no version \"v9\" (it has v1, v0)")]
#[case::not_served("v0", "{}", "a.yaml:1", "old.yaml:1 does not serve version v0")]
#[case::yaml("v1", "{code: [}", "a.yaml:4", "")]
fn a_sample_that_the_old_definition_refuses_is_an_error(
    #[case] version: &str,
    #[case] spec: &str,
    #[case] place: &str,
    #[case] expected: &str,
) {
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", CODE), ("v0", CODE)])),
        // The new definition would accept it.
        ("new.yaml", &definition(&[("v1", "code: {type: string}, size: {type: string}"), ("v0", CODE)])),
        ("ours/a.yaml", &sample(version, "x", spec)),
    ]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml --samples ours");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains(&format!("ours/{place}")) && err.contains(expected), "{err}");
}

#[test]
fn metadata_that_cannot_be_decoded_is_an_error() {
    let text = "apiVersion: example.com/v1\nkind: Issuer\nmetadata:\n  name: x\n  labels: 3\n";
    let folder = folder_with(&[("old.yaml", &definition(&[("v1", CODE)])), ("ours/a.yaml", text)]);
    let (code, _, err) = audit(folder.path(), "old.yaml old.yaml --samples ours");
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("ours/a.yaml:5")
            && err.contains("refuses the object when it decodes it: metadata.labels"),
        "{err}"
    );
}

#[rstest]
#[case::no_folder("--samples nowhere", "cannot read nowhere")]
#[case::no_objects("--samples empty", "empty has no objects")]
#[case::too_many("--samples many", "more than 1000 sample objects")]
fn a_folder_that_cannot_be_used_is_an_error(#[case] options: &str, #[case] expected: &str) {
    let many: String = (0..1001).map(|_| "- {kind: Issuer}\n").collect();
    let folder = folder_with(&[
        ("old.yaml", &definition(&[("v1", CODE)])),
        ("empty/a.yaml", "# Nothing.\n"),
        ("many/a.yaml", &format!("kind: List\nitems:\n{many}")),
    ]);
    let (code, out, err) = audit(folder.path(), &format!("old.yaml old.yaml {options}"));
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains(expected), "{err}");
}

#[test]
fn samples_of_other_types_are_refused() {
    let go = "package v1\n\ntype Issuer struct {\n\tA string `json:\"a\"`\n}\n";
    let folder = folder_with(&[("a.go", go), ("ours/a.yaml", "kind: Issuer\n")]);
    let (code, _, err) = audit(folder.path(), "a.go a.go --kind Issuer --samples ours");
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("samples are objects of CustomResourceDefinitions"), "{err}");
}
