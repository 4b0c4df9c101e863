//! Cases with definitions of custom resources, and with two schemas.

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use skewer_cases::{Corpus, CorpusFile, LoadError, Plan};
use skewer_engine::ErrorKind;
use skewer_skew::{FinalState, run_built_in};

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: issuers.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Issuer, plural: issuers, singular: issuer, listKind: IssuerList}
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
                url: {type: string}
                level: {type: integer, maximum: 10, default: 3}
";

const SUITE: &str = "suite: issuers
about: Issuers.
schema:
  old: {crd: old.yaml}
  new: {crd: new.yaml}
cases:
  - id: one
    axes:
      client: {old: {schema: old}, new: {}}
      server: {old: {schema: old}, new: {}}
    live: {spec: {url: a}}
    intent: {set: {spec: {color: red}}}
    request: json-merge-patch
    expect:
      - {outcome: intended}
";

/// Returns the old and the new definition. The new one has a field more, and another limit.
fn definitions() -> [String; 2] {
    let new = DEFINITION
        .replace("url: {type: string}", "url: {type: string}\n                color: {type: string}");
    [DEFINITION.to_owned(), new.replace("maximum: 10", "maximum: 5")]
}

fn file(path: &str, content: impl Into<String>) -> CorpusFile {
    CorpusFile {
        path: path.to_owned(),
        display_name: path.to_owned(),
        content: content.into().into_bytes(),
        folder: None,
    }
}

fn load(suite: &str) -> Result<Corpus, String> {
    let [old, new] = definitions();
    let files = vec![file("issuers.yaml", suite), file("old.yaml", old), file("new.yaml", new)];
    Corpus::load(files).map_err(|error| error.to_string())
}

/// Runs every cell, and returns its axis values with what is stored, or with the kind of the error.
fn run(corpus: &Corpus) -> Vec<(String, Result<String, ErrorKind>)> {
    let cells = corpus.cells().map(|cell| {
        let Plan::Skew(plan) = cell.plan().unwrap() else { panic!("a skew case") };
        let stored = match run_built_in(&plan, &mut |_, _| {}).unwrap() {
            FinalState::Stored(object) => Ok(object.to_string()),
            FinalState::Refused(error) => Err(error.kind()),
        };
        (cell.id(), stored)
    });
    cells.collect()
}

#[test]
fn each_party_has_one_of_the_two_schemas() {
    let cells = run(&load(SUITE).unwrap());
    let stored = |color: &str| Ok(format!(r#"{{"spec":{{"level":3,"url":"a"{color}}}}}"#));
    let expected =
        [("old", "old", ""), ("old", "new", ""), ("new", "old", ""), ("new", "new", r#","color":"red""#)];
    let expected = expected.map(|(client, server, color)| {
        (format!("issuers/one[client={client},server={server}]"), stored(color))
    });
    let sorted = |stored: Result<String, ErrorKind>| stored.map(|text| text.chars().count());
    let by_length = |cells: &[(String, Result<String, ErrorKind>)]| -> Vec<_> {
        cells.iter().map(|(id, stored)| (id.clone(), sorted(stored.clone()))).collect()
    };
    assert_eq!(by_length(&cells), by_length(&expected), "{cells:?}");
}

#[test]
fn a_server_validates_by_its_schema() {
    let suite = SUITE.replace("{spec: {color: red}}", "{spec: {level: 7}}");
    let refused: Vec<bool> = run(&load(&suite).unwrap()).iter().map(|(_, stored)| stored.is_err()).collect();
    // The server with the new definition permits at most 5.
    assert_eq!(refused, [false, true, false, true]);
}

#[test]
fn a_server_of_an_old_release_has_no_ratcheting() {
    let suite = SUITE.replace("new: {}}\n    live", "new: {profile: kubernetes-1.28}}\n    live");
    let suite = suite.replace("live: {spec: {url: a}}", "live: {spec: {url: a, level: 7}}");
    let refused: Vec<bool> = run(&load(&suite).unwrap()).iter().map(|(_, stored)| stored.is_err()).collect();
    assert_eq!(refused, [false, true, false, true]);
    let suite = suite.replace("kubernetes-1.28", "kubernetes-1.30");
    assert!(run(&load(&suite).unwrap()).iter().all(|(_, stored)| stored.is_ok()));
}

#[rstest]
#[case::client("client: {old: {without: [Issuer.spec.color]}, new: {}}")]
#[case::server("client: {old: {without: [com.example.v1.Issuer.spec.color]}, new: {}}")]
fn the_name_of_a_type_can_be_shortened(#[case] clients: &str) {
    let suite = SUITE.replace("client: {old: {schema: old}, new: {}}", clients);
    let cells = run(&load(&suite).unwrap());
    let has_color: Vec<bool> =
        cells.iter().map(|(_, stored)| stored.as_ref().unwrap().contains("color")).collect();
    assert_eq!(has_color, [false, false, false, true]);
}

#[test]
fn a_server_without_a_field_prunes_it() {
    let suite = SUITE.replace(
        "server: {old: {schema: old}, new: {}}",
        "server: {old: {without: [Issuer.spec.color]}, new: {}}",
    );
    let cells = run(&load(&suite).unwrap());
    let has_color: Vec<bool> =
        cells.iter().map(|(_, stored)| stored.as_ref().unwrap().contains("color")).collect();
    assert_eq!(has_color, [false, false, false, true]);
}

#[rstest]
#[case::unknown_field(
    "client: {old: {schema: old}",
    "client: {old: {without: [Issuer.spec.colour]}",
    "issuers.yaml:9:32: the types of the case have no `Issuer.spec.colour`: did you mean `Issuer.spec.color`?"
)]
#[case::no_file(
    "crd: old.yaml",
    "crd: older.yaml",
    "issuers.yaml:4:14: there is no file `older.yaml` in the corpus"
)]
#[case::no_version(
    "crd: old.yaml",
    "crd: old.yaml#v2",
    "issuers.yaml:4:14: old.yaml: the schema has no type `example.com/v2/Issuer`: did you mean \
     `example.com/v1/Issuer`?"
)]
#[case::only_old(
    "  new: {crd: new.yaml}\n",
    "",
    "issuers.yaml:4:3: a schema with `old` and `new` has both of them, and no types of its own"
)]
#[case::one_schema(
    "  old: {crd: old.yaml}\n  new: {crd: new.yaml}\n",
    "  crd: new.yaml\n",
    "a party with `schema: old` needs a schema that consists of `old` and `new`"
)]
#[case::no_such_schema("client: {old: {schema: old}", "client: {old: {schema: older}", "issuers.yaml:9:30: ")]
#[case::unknown_field_of_a_document("{color: red}", "{colour: red}", "issuers.yaml:12:27: ")]
fn mistakes_are_reported_with_their_position(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    assert!(SUITE.contains(from), "{from}");
    let errors = load(&SUITE.replacen(from, to, 1)).unwrap_err();
    assert!(errors.contains(message), "{errors}");
}

#[rstest]
#[case::not_structural(
    "type: integer, maximum",
    "maximum",
    "issuers.yaml:5:14: new.yaml:22:17: spec.versions[0]"
)]
#[case::no_plural(
    "plural: issuers, ",
    "",
    "issuers.yaml:5:14: new.yaml:8:3: spec.names.plural: Required value: missing"
)]
#[case::invalid_yaml("spec:\n  group", "spec: [\n  group", "issuers.yaml:5:14: new.yaml:")]
fn mistakes_in_a_definition_have_its_lines(#[case] from: &str, #[case] to: &str, #[case] message: &str) {
    let [old, new] = definitions();
    assert!(new.contains(from), "{from}");
    let files =
        vec![file("issuers.yaml", SUITE), file("old.yaml", old), file("new.yaml", new.replacen(from, to, 1))];
    let errors = Corpus::load(files).unwrap_err().to_string();
    assert!(errors.contains(message), "{errors}");
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(path.join("suites")).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn files_outside_of_the_corpus_are_relative_to_the_suite_file_and_change_the_hash() {
    let folder = Folder::new("definitions_outside");
    let [old, new] = definitions();
    let suite = SUITE.replace("crd: ", "crd: ../");
    fs::write(folder.0.join("old.yaml"), &old).unwrap();
    fs::write(folder.0.join("new.yaml"), &new).unwrap();
    fs::write(folder.0.join("suites/issuers.yaml"), suite).unwrap();
    let corpus = Corpus::from_dir(&folder.0.join("suites")).unwrap();
    assert_eq!(run(&corpus).len(), 4);
    let single = Corpus::from_path(&folder.0.join("suites/issuers.yaml")).unwrap();
    assert_eq!(single.hash, corpus.hash);
    fs::write(folder.0.join("new.yaml"), new.replace("maximum: 5", "maximum: 6")).unwrap();
    assert_ne!(Corpus::from_dir(&folder.0.join("suites")).unwrap().hash, corpus.hash);
    fs::remove_file(folder.0.join("new.yaml")).unwrap();
    let LoadError::Files(errors) = Corpus::from_dir(&folder.0.join("suites")).unwrap_err() else { panic!() };
    assert!(errors[0].to_string().contains("cannot read "), "{}", errors[0]);
}

/// `y` is a boolean in YAML 1.1, which Kubernetes reads.
#[rstest]
#[case::in_a_file("crd: old.yaml", "old.yaml:20:17: ")]
#[case::in_the_suite(
    "crd: {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: issuers.example.com}, spec: \
     {group: example.com, scope: Namespaced, names: {kind: Issuer, plural: issuers}, versions: [{name: v1, served: true, \
     storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {y: {type: \
     boolean}, url: {type: string}}}}}}}]}}",
    "issuers.yaml:3:"
)]
fn a_key_that_kubernetes_reads_otherwise_is_a_hint(#[case] schema: &str, #[case] place: &str) {
    let old = DEFINITION.replace("url: {type", "y: {type: boolean}\n                url: {type");
    let load = |field: &str| {
        let (head, _) = SUITE.split_once("schema:").unwrap();
        let case = "live: {spec: {url: a}}, request: update, expect: [{outcome: intended}]";
        let intent = format!("intent: {{set: {{spec: {{{field}: b}}}}}}");
        let suite = format!("{head}schema: {{{schema}}}\ncases:\n  - {{id: one, {case}, {intent}}}\n");
        Corpus::load(vec![file("issuers.yaml", suite), file("old.yaml", &*old)])
    };
    let warning = "the key `y` is the boolean true in YAML 1.1";
    let hints = load("url").unwrap().suites.remove(0).hints;
    assert!(hints.iter().any(|hint| hint.starts_with(place) && hint.contains(warning)), "{hints:?}");
    let error = load("y").unwrap_err().to_string();
    assert!(error.contains(warning) && error.contains("has no field `y`"), "{error}");
}
