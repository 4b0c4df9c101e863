//! Directives of strategic merge patch that a result has as data.

use std::collections::BTreeMap;

use skewer_engine::patch::DirectiveSet;
use skewer_engine::{Doc, FieldPath, OwnedDoc, OwnedText, PathSegment};

/// A directive that a result has as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leak {
    /// The name of the directive.
    pub(super) directive: &'static str,
    /// The field path of the directive in the result.
    pub(super) path: FieldPath,
}

/// The keys from the root to a directive. Indexes of list items are left out, because a patch moves items.
type Keys = Vec<OwnedText>;

/// Returns those of the directives that a result has as data, although none of the other documents has the same key in the same
/// field. If several items of a list have the key, only the first one is returned.
pub(super) fn leaks(result: &OwnedDoc, others: &[&OwnedDoc], directives: &DirectiveSet) -> Vec<Leak> {
    let mut found = directives_in(result, directives);
    if !found.is_empty() {
        for other in others {
            for keys in directives_in(other, directives).keys() {
                found.remove(keys);
            }
        }
    }
    found.into_values().collect()
}

fn directives_in(document: &OwnedDoc, directives: &DirectiveSet) -> BTreeMap<Keys, Leak> {
    let mut search = Search {
        directives: directives.clone(),
        keys: Keys::new(),
        path: FieldPath::root(),
        found: BTreeMap::new(),
    };
    search.visit(document);
    search.found
}

struct Search {
    directives: DirectiveSet,
    keys: Keys,
    path: FieldPath,
    found: BTreeMap<Keys, Leak>,
}

impl Search {
    fn visit(&mut self, document: &OwnedDoc) {
        match document {
            Doc::Map(map) => {
                for (key, value) in map.iter() {
                    self.keys.push(key.clone());
                    self.path.push(PathSegment::Key(key.clone()));
                    if let Some(directive) = self.directives.directive_for_key(key) {
                        let leak = Leak { directive: directive.name(), path: self.path.clone() };
                        self.found.entry(self.keys.clone()).or_insert(leak);
                    } else {
                        self.visit(value);
                    }
                    self.path.pop();
                    self.keys.pop();
                }
            }
            Doc::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(PathSegment::Index(index));
                    self.visit(item);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::{Corpus, CorpusFile};
    use skewer_engine::document::from_json;
    use skewer_engine::patch::PatchContext;
    use skewer_results::{Outcome, Status};
    use skewer_skew::{BuiltIn, Operation, Operations};
    use skewer_targets::{OperationError, Target, TargetFailure, TargetInfo};

    use super::*;
    use crate::execute::{ExecutionOptions, run_cell};

    #[rstest]
    #[case::no_directive(r#"{"a":1,"$ref":"x"}"#, "{}", &[])]
    #[case::of_a_map(r#"{"spec":{"$retainKeys":["a"]}}"#, r#"{"spec":{"a":1}}"#, &["$retainKeys spec.$retainKeys"])]
    #[case::of_a_field(
        r#"{"$setElementOrder/a":[],"$deleteFromPrimitiveList/b":[]}"#,
        "{}",
        &[
            "$deleteFromPrimitiveList $deleteFromPrimitiveList/b",
            "$setElementOrder $setElementOrder/a",
        ]
    )]
    #[case::the_first_item_of_a_list(
        r#"{"list":[{"name":"a"},{"$patch":"delete"},{"$patch":"delete"}]}"#,
        "{}",
        &["$patch list[1].$patch"]
    )]
    #[case::a_proposed_directive(r#"{"$patchMergeKey":["a"]}"#, "{}", &["$patchMergeKey $patchMergeKey"])]
    #[case::the_other_document_has_it(r#"{"spec":{"$patch":"x"}}"#, r#"{"spec":{"$patch":"y"}}"#, &[])]
    #[case::the_item_has_moved(
        r#"{"list":[{"name":"b"},{"$patch":"x"}]}"#,
        r#"{"list":[{"$patch":"x"}]}"#,
        &[]
    )]
    #[case::the_other_document_has_it_elsewhere(r#"{"a":{"$patch":"x"}}"#, r#"{"$patch":"x"}"#, &["$patch a.$patch"])]
    fn leaks_are_directives_that_only_the_result_has(
        #[case] result: &str,
        #[case] other: &str,
        #[case] expected: &[&str],
    ) {
        let [result, other] = [result, other].map(|text| from_json(text.as_bytes()).unwrap());
        let leaks: Vec<String> = leaks(&result, &[&other], &DirectiveSet::all())
            .iter()
            .map(|leak| format!("{} {}", leak.directive, leak.path))
            .collect();
        assert_eq!(leaks, expected);
    }

    /// The engine without `$retainKeys`, which it stores as data.
    struct WithoutRetainKeys;

    impl Target for WithoutRetainKeys {
        fn info(&self) -> TargetInfo {
            TargetInfo { name: "without".to_owned(), version: None, language: None }
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            self
        }
    }

    impl Operations<TargetFailure> for WithoutRetainKeys {
        fn perform(&self, operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
            let Some(context) = operation.context() else { return BuiltIn.perform(operation) };
            let directives = context.directives.without("$retainKeys");
            let context = PatchContext { directives, ..context.clone() };
            BuiltIn.perform(&operation.with_context(&context))
        }
    }

    const SUITE: &str = r#"
suite: leaks
about: A union in a patch.
schema:
  go: |
    type Object struct {
      Strategy map[string]string `json:"strategy,omitempty" patchStrategy:"retainKeys"`
    }
  root: Object
cases:
  - id: cell
    live: {strategy: LIVE}
    patch: {strategy: {$retainKeys: [a], a: x}}
    expect: [{result: {strategy: RESULT}}]
"#;

    #[rstest]
    #[case::stored_as_data("{b: y}", "{a: x}", Outcome::Leaked, "a result with $retainKeys as data")]
    #[case::the_live_object_has_it("{$retainKeys: y}", "{a: x}", Outcome::Mismatch, "a result")]
    #[case::it_is_expected("{b: y}", "{$retainKeys: [a], a: z}", Outcome::Mismatch, "a result")]
    fn a_wrong_result_with_a_directive_as_data_is_leaked(
        #[case] live: &str,
        #[case] expected: &str,
        #[case] outcome: Outcome,
        #[case] actual: &str,
    ) {
        let text = SUITE.replace("LIVE", live).replace("RESULT", expected);
        let corpus = Corpus::load(vec![CorpusFile {
            path: "leaks.yaml".to_owned(),
            display_name: "leaks.yaml".to_owned(),
            content: text.into(),
            folder: None,
        }])
        .unwrap_or_else(|error| panic!("{error}"));
        let cell = corpus.cells().next().unwrap();
        let result = run_cell(&cell, &WithoutRetainKeys, &ExecutionOptions::default());
        assert_eq!((result.status, result.outcome), (Status::Fail, Some(outcome)), "{result:?}");
        assert_eq!(result.actual_text().as_deref(), Some(actual));
        let paths: &[&str] = if outcome == Outcome::Leaked { &["strategy.$retainKeys"] } else { &[] };
        assert_eq!(result.paths, paths);
    }
}
