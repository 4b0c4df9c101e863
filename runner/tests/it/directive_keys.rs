//! Runs the corpus with another key for every directive. The results stay the same, because only a directive itself
//! knows its key.

use rstest::rstest;
use skewer_cases::{Corpus, CorpusFile};
use skewer_engine::directive::{Directive, DirectiveSet, REGISTRY, renamed_registry};
use skewer_engine::schema::go;
use skewer_execute::execute::StepRecording;
use skewer_results::{Results, Status};
use skewer_targets::BuiltInTarget;

use crate::helpers::run_corpus;

#[allow(unexpected_cfgs, reason = "the features in these files are those of the engine")]
#[path = "../../../engine/src/directive/patch_merge_key/mod.rs"]
mod patch_merge_key;

use patch_merge_key::PatchMergeKey;

/// Returns another key for a directive, in which the first letter is doubled. The sort order of the keys stays the
/// same, and so does the fact that `$patch` is a prefix of `$patchMergeKey`.
fn new_name(name: &str) -> String {
    format!("{}{}", &name[..2], &name[1..])
}

/// A set of directives, some of which have other keys.
struct Renaming {
    names: Vec<&'static str>,
    /// All directives of the engine, including the renamed ones.
    directives: DirectiveSet,
}

impl Renaming {
    /// Gives every registered directive another key.
    fn of_all() -> Self {
        let renamed = renamed_registry(|name| new_name(name).leak());
        let directives = renamed.into_iter().map(|directive| &*Box::leak(directive));
        let names = REGISTRY.iter().map(|directive| directive.name()).collect();
        Renaming { names, directives: DirectiveSet::of(directives) }
    }

    /// Replaces one registered directive by `outside`, a directive with another key.
    fn of_one(name: &'static str, outside: &'static dyn Directive) -> Self {
        assert_eq!(outside.name(), new_name(name));
        let directives =
            REGISTRY.iter().map(|directive| if directive.name() == name { outside } else { *directive });
        Renaming { names: vec![name], directives: DirectiveSet::of(directives) }
    }

    fn renamed(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, name| text.replace(name, &new_name(name)))
    }

    fn renamed_back(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, name| text.replace(&new_name(name), name))
    }

    /// Returns a file of the corpus with the new keys. Section titles are unchanged, because they are those of the
    /// design documents.
    fn renamed_file(&self, file: CorpusFile) -> CorpusFile {
        let text = String::from_utf8(file.content).unwrap();
        let rename_line = |line: &str| match line.split_once("section: ") {
            Some((before, title)) => format!("{}section: {title}", self.renamed(before)),
            None => self.renamed(line),
        };
        let lines: Vec<String> = text.split('\n').map(rename_line).collect();
        CorpusFile { content: lines.join("\n").into_bytes(), ..file }
    }

    /// Asserts that files of the corpus have the same results with the old keys as with the new ones.
    fn assert_same_results(&self, files: Vec<CorpusFile>) {
        let load = |files, directives| {
            Corpus::load_with_directives(files, directives).unwrap_or_else(|error| panic!("{error}"))
        };
        let results = |corpus| cell_texts(&run_corpus(&corpus, &BuiltInTarget, StepRecording::Always));
        let renamed = files.iter().cloned().map(|file| self.renamed_file(file)).collect();
        let actual = results(load(renamed, &self.directives));
        let expected = results(load(files, &DirectiveSet::all()));
        assert_eq!(actual.len(), expected.len());
        for (actual, expected) in actual.iter().zip(&expected) {
            assert_eq!(self.renamed_back(actual), *expected);
        }
        for name in &self.names {
            assert!(actual.iter().any(|text| text.contains(&new_name(name))), "no result has {name}");
        }
    }
}

/// Returns each cell of the results as JSON text.
fn cell_texts(results: &Results) -> Vec<String> {
    results.cells.iter().map(|cell| serde_json::to_string_pretty(cell).unwrap()).collect()
}

/// A case whose patch is refused because of `$retainKeys`. The expectation names a directive, for which tests replace
/// `DIRECTIVE`.
const REFUSED_DIRECTIVE: &str = r#"suite: refused
about: A directive that leaves out a field of the patch.
schema: {go: "type Object struct {\n A string `json:\"a,omitempty\"`\n}", root: Object}
cases:
  - id: directive
    live: {}
    patch: {$retainKeys: [], a: x}
    expect: [{error: invalid-directive, directive: DIRECTIVE}]
"#;

#[rstest]
#[case::refused("$retainKeys", Status::Pass)]
#[case::another("$patch", Status::Fail)]
fn an_expectation_names_the_directive_that_is_refused(#[case] directive: &str, #[case] expected: Status) {
    let content = REFUSED_DIRECTIVE.replace("DIRECTIVE", directive).into_bytes();
    let file = CorpusFile {
        path: "refused.yaml".to_owned(),
        display_name: "refused.yaml".to_owned(),
        content,
        folder: None,
    };
    let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
    let results = run_corpus(&corpus, &BuiltInTarget, StepRecording::Never);
    assert_eq!(results.cells[0].status, expected);
    let expectation = results.cells[0].expected_text();
    assert_eq!(expectation.as_deref(), Some(format!("refused: invalid-directive of {directive}").as_str()));
}

#[test]
fn every_key_is_another_one_and_new_to_the_corpus() {
    let renaming = Renaming::of_all();
    let new_names: Vec<&str> = renaming.directives.iter().map(Directive::name).collect();
    assert_eq!(new_names, renaming.names.iter().map(|name| new_name(name)).collect::<Vec<_>>());
    assert!(new_names.iter().all(|name| !renaming.names.contains(name)), "{new_names:?}");
    for file in Corpus::embedded_files() {
        let text = String::from_utf8(file.content).unwrap();
        assert!(new_names.iter().all(|name| !text.contains(name)), "{}", file.path);
    }
}

/// The suites that name no directive are the same files with the new keys.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_suites_with_directives_come_out_the_same_under_other_keys() {
    let renaming = Renaming::of_all();
    let has_directive = |file: &CorpusFile| renaming.names.iter().any(|name| file.contains(name));
    renaming.assert_same_results(Corpus::embedded_files().filter(has_directive).collect());
}

/// This test crate also compiles the source of the directive, with only the public API of the engine.
#[test]
fn a_third_party_could_have_written_patch_merge_key() {
    static OUTSIDE: PatchMergeKey = PatchMergeKey::named("$ppatchMergeKey");
    let has_directive = |file: &CorpusFile| {
        let text = String::from_utf8_lossy(&file.content);
        text.contains(patch_merge_key::NAME) || text.contains("recommendedPatchMergeKey")
    };
    let files: Vec<CorpusFile> = Corpus::embedded_files().filter(has_directive).collect();
    assert!(files.len() > 10, "{}", files.len());
    Renaming::of_one(patch_merge_key::NAME, &OUTSIDE).assert_same_results(files);
}

#[test]
fn an_outside_directive_brings_its_metadata_tag() {
    static OUTSIDE: PatchMergeKey = PatchMergeKey::named("$outside");
    let source = "type T struct {\n A []int `patchMergeKey:\"a\" recommendedPatchMergeKey:\"b\"`\n}";
    let read = |directives: &DirectiveSet| {
        go::read_with_tags(source, &|_| false, &directives.metadata_tags())
            .map_err(|errors| errors[0].kind.id())
    };
    let without = DirectiveSet::all().without(patch_merge_key::NAME);
    assert!(read(&without).is_ok(), "a tag that nobody declares is left out");
    let with = DirectiveSet::of(without.iter().chain([&OUTSIDE as &'static dyn Directive]));
    assert_eq!(read(&with), Err("recommended-key-mismatch"));
}
