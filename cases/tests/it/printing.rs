//! Printed suites, and formatted suite files.

use skewer_cases::format::SuiteSpec;
use skewer_cases::{Cell, Corpus, CorpusFile, yaml};

fn read(name: &str, text: &str) -> SuiteSpec {
    yaml::read(name, text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn text(file: &CorpusFile) -> &str {
    std::str::from_utf8(&file.content).unwrap()
}

fn suites() -> impl Iterator<Item = CorpusFile> {
    Corpus::embedded_files().filter(|file| text(file).contains("\ncases:\n"))
}

fn describe(cell: &Cell<'_>) -> String {
    format!("{} {:?} {:?}", cell.id(), cell.expectation.answers, cell.pinned_final_state())
}

#[test]
fn a_printed_suite_reads_back_as_the_same_suite() {
    for file in suites() {
        let suite = read(&file.display_name, text(&file));
        let printed = suite.print();
        let read_back = read(&file.display_name, &printed);
        assert_eq!(read_back, suite, "{printed}");
        assert_eq!(read_back.print(), printed);
    }
}

#[test]
fn printed_suites_have_the_same_cells() {
    let printed = Corpus::embedded_files().map(|mut file| {
        if text(&file).contains("\ncases:\n") {
            file.content = read(&file.display_name, text(&file)).print().into_bytes();
        }
        file
    });
    let printed = Corpus::load(printed.collect()).unwrap_or_else(|error| panic!("{error}"));
    let original = Corpus::embedded().unwrap();
    assert_eq!(printed.cells().count(), original.cells().count());
    for (printed, original) in printed.cells().zip(original.cells()) {
        assert_eq!(describe(&printed), describe(&original));
    }
}

#[test]
fn a_suite_is_printed_in_the_style_of_the_corpus() {
    let text = r#"suite: example
about: >-
  A description that is too long for one line is folded, and a short one is not. It has "quotation marks": they need no
  escapes here.
source: {document: retain-keys, section: Version Skew}
schema:
  go: |
    type Holder struct {
      Name string `json:"name"`
    }
  root: Holder
axes:
  client: {old: {without: [$retainKeys]}, new: {}}
  request: [update, json-merge-patch]
cases:
  - id: one
    about: "It has a colon: so it is quoted."
    live: {name: a}
    intent: {set: {name: b}}
    expect:
      - when: {client: [old, new]}
        outcome: intended
        because: '"Existing unions" do not break when upgraded.'
      - error: conflict
        at: "spec.ports[0]"
        final-states:
          - {of: live, set: {name: b}}
"#;
    assert_eq!(read("example.yaml", text).print(), text);
    assert_eq!(yaml::format("example.yaml", text.as_bytes()).unwrap(), text);
}

#[test]
fn equal_types_of_cases_are_written_once() {
    let case = |id: &str| {
        format!(
            "- {{id: {id}, schema: {{go: \"type T struct {{\\n}}\\n\", root: T}}, live: {{}}, patch: {{}}, expect: [{{result: {{}}}}]}}\n"
        )
    };
    let suite = read("s.yaml", &format!("suite: s\nabout: x\ncases:\n{}{}", case("a"), case("b")));
    let printed = suite.print();
    assert!(printed.contains("    schema: &schema-0\n      go: |\n        type T struct {\n"), "{printed}");
    assert!(printed.contains("    schema: *schema-0\n"), "{printed}");
    assert_eq!(read("s.yaml", &printed), suite);
}

/// Formatting fails if the content or a comment changes.
#[test]
fn formatted_suite_files_stay_as_they_are() {
    for file in suites() {
        let formatted = yaml::format(&file.display_name, &file.content).unwrap_or_else(|e| panic!("{e}"));
        let again = yaml::format(&file.display_name, formatted.as_bytes()).unwrap();
        assert_eq!(again, formatted, "{}", file.display_name);
    }
}
