//! The directives that a suite declares.

use skewer_engine::directive::{Directive, InvalidDeclaration, declared};
use skewer_yaml::Diagnostics;

use crate::format::SuiteSpec;

/// Converts the declarations of a suite. Reports a name that no directive can have, and one that is declared twice.
pub(super) fn declared_directives(
    spec: &SuiteSpec,
    diagnostics: &Diagnostics,
) -> Vec<&'static dyn Directive> {
    let mut directives: Vec<&'static dyn Directive> = Vec::new();
    for (name, written) in &spec.directives.0 {
        if directives.iter().any(|known| known.name() == name.value) {
            diagnostics.error(name.span, format!("`{name}` is declared twice"));
            continue;
        }
        match declared(name, written.into()) {
            Ok(directive) => directives.push(directive),
            Err(invalid) => {
                let error = diagnostics.error(name.span, format!("`{name}`: {invalid}"));
                if matches!(invalid, InvalidDeclaration::Registered(_)) {
                    error.help(
                        "a directive of the engine needs no declaration: `skewer explain` describes it",
                    );
                }
            }
        }
    }
    directives
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::{Corpus, CorpusFile};

    const SUITE: &str = r#"suite: own
about: A directive that only a target has.
directives:
  DECLARED
schema:
  go: |
    type Object struct {
      Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge"`
      Labels map[string]string `json:"labels,omitempty"`
    }
  root: Object
axes:
  server: {old: {without: [$appendOnly]}, new: {}, of-a-release: {profile: kubernetes-1.30}}
cases:
  - id: c
    live: {finalizers: [a]}
    patch: PATCH
    expect: [{result: {finalizers: [b, a]}}]
"#;

    fn load(declared: &str, patch: &str) -> Result<Corpus, String> {
        let content = SUITE.replace("DECLARED", declared).replace("PATCH", patch).into_bytes();
        let file = CorpusFile {
            path: "own.yaml".to_owned(),
            display_name: "own.yaml".to_owned(),
            content,
            folder: None,
        };
        Corpus::load(vec![file]).map_err(|error| error.to_string())
    }

    const LIST: &str = "$appendOnly: {applies-to: list, carries: boolean}";

    #[test]
    fn a_party_knows_a_declared_directive_unless_it_is_without() {
        let corpus = load(LIST, "{$appendOnly/finalizers: true, finalizers: [b]}").unwrap();
        let knows: Vec<_> = corpus
            .cells()
            .map(|cell| {
                let plan = cell.plan().unwrap();
                let crate::Plan::Patch(plan) = plan else { panic!("a patch case") };
                (cell.id(), plan.context.unwrap().directives.knows("$appendOnly"))
            })
            .collect();
        let expected = [("new", true), ("of-a-release", false), ("old", false)]
            .map(|(server, knows)| (format!("own/c[server={server}]"), knows));
        let mut sorted = knows;
        sorted.sort();
        assert_eq!(sorted, expected);
        assert_eq!(corpus.suites[0].declared_directives.len(), 1);
    }

    #[rstest]
    #[case::value(
        LIST,
        "{$appendOnly/finalizers: [x]}",
        "own.yaml:17:37: `$appendOnly/finalizers` carries a list, expected a boolean"
    )]
    #[case::no_list(
        LIST,
        "{$appendOnly/labels: true}",
        "own.yaml:17:13: `$appendOnly/labels` applies to a list, but `labels` is a map"
    )]
    #[case::no_field(
        LIST,
        "{$appendOnly/finalizer: true}",
        "own.yaml:17:13: Object has no field `finalizer` that any party knows: did you mean `finalizers`?"
    )]
    #[case::nothing_named(
        LIST,
        "{$appendOnly: true}",
        "own.yaml:17:13: `$appendOnly` must name a field: expected `$appendOnly/FIELD`"
    )]
    #[case::misspelt(
        LIST,
        "{$apendOnly/finalizers: true}",
        "own.yaml:17:13: no directive has the key `$apendOnly/finalizers`: did you mean `$appendOnly/finalizers`?"
    )]
    #[case::registered(
        "$retainKeys: {applies-to: map}",
        "{}",
        "own.yaml:4:3: `$retainKeys`: the engine has the directive"
    )]
    #[case::no_name(
        "appendOnly: {applies-to: list}",
        "{}",
        "own.yaml:4:3: `appendOnly`: invalid name of a directive"
    )]
    #[case::unknown_value(
        "$appendOnly: {applies-to: list, carries: bool}",
        "{}",
        "own.yaml:4:44: unknown value `bool`: did you mean `boolean`?"
    )]
    fn errors_have_a_position(#[case] declared: &str, #[case] patch: &str, #[case] expected: &str) {
        let errors = load(declared, patch).unwrap_err();
        assert!(errors.contains(expected), "{errors}");
    }
}
