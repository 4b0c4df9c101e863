//! Output with hostile text: control characters, invisible characters and CI commands in cases, targets, documents and
//! arguments are escaped. They cannot control a terminal or a CI system, or mislead a reader.

use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};
use skewer_results::control_characters::{escape_json, is_hidden};
use tempfile::TempDir;

use crate::helpers::{folder_with, skewer_command};

/// Text that contains terminal control sequences, invisible characters, and commands of GitHub Actions and Azure
/// Pipelines.
const HOSTILE: &str = "\u{202e}evil\u{200b}\u{1b}[31mRED\u{9b}2J\u{2066}\u{fffe}\r\n::error file=a::forged\n ##[error]x ##vso[a]b";

/// Creates a folder with a suite, documents, types and an adapter, all of which contain hostile text.
fn hostile_folder() -> TempDir {
    // YAML permits control characters only as escapes.
    let text = escape_json(&Value::from(HOSTILE).to_string()).into_owned();
    let suite = format!(
        "suite: hostile\nabout: {text}\nschema:\n  go: |\n    type Holder struct {{\n      Name string `json:\"name\"`\n    }}\n\
         \x20 root: Holder\ncases:\n- id: c\n  about: {text}\n  live: {{name: a}}\n  patch: {{name: {text}}}\n\
         \x20 expect: [{{result: {{name: other}}, because: {text}}}]\n"
    );
    let document = json!({"name": HOSTILE, HOSTILE: {"deep": HOSTILE}}).to_string();
    let openapi = json!({"components": {"schemas": {"Holder": {"type": "object", "description": HOSTILE,
        "properties": {"##[error]x": {"type": "string"}, "a\u{202e}": {"type": "string"}}}}}});
    let refused = json!({"$patch": HOSTILE}).to_string();
    // A target name with control characters would be refused before the run.
    let name: String = HOSTILE.chars().filter(|c| !c.is_control()).collect();
    let started = json!({"kind": "started", "protocol": 1, "name": name, "version": name, "language": name,
        "supports": {"operations": ["apply", name], "directives": [name]}});
    let adapter = format!(
        "#!/bin/sh\nread -r line\ncat <<'END'\n{started}\nEND\nwhile read -r line; do\n\
         \x20 seq=${{line#*\\\"seq\\\":}}\n  seq=${{seq%%,*}}\n  echo '::error::standard error' >&2\n\
         \x20 printf '{{\"kind\":\"error\",\"seq\":%s,\"message\":%s}}\\n' \"$seq\" '{}'\ndone\n",
        // `printf` receives the message as a JSON string.
        text.replace('\'', "")
    );
    let folder = folder_with(&[
        ("o.json", r#"{"name":"a"}"#),
        ("p.json", &document),
        ("refused.json", &refused),
        ("t.go", "type Holder struct {\n\tName string `json:\"name\"`\n}\n"),
        ("bad.go", "// \u{202e}\ntype Holder struct {\n\tName \u{202e}string\u{1b}[31m `json:\"name\"`\n}\n"),
        ("openapi.json", &openapi.to_string()),
        ("adapter.sh", &adapter),
    ]);
    std::fs::create_dir(folder.path().join("corpus")).unwrap();
    std::fs::write(folder.path().join("corpus/hostile.yaml"), suite).unwrap();
    folder
}

/// Runs a command in a folder, and returns its output.
fn run(folder: &Path, arguments: &[&str], color: &str) -> String {
    let output = skewer_command()
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TERM_COLOR", color)
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert_ne!(output.status.code(), None, "{arguments:?}");
    [output.stdout, b"\n".to_vec(), output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

/// Removes the colours that the program sets. Fails if the text contains the colour of the hostile text.
fn without_colors(text: &str) -> String {
    assert!(!text.contains("\u{1b}[31mRED"), "the output has a foreign colour: {text}");
    let mut plain = String::new();
    for (index, part) in text.split("\u{1b}[").enumerate() {
        let parameters = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let rest = if index == 0 { part } else { parameters.strip_prefix('m').expect("a colour") };
        plain.push_str(rest);
    }
    plain
}

/// Asserts that a text contains no control characters, no invisible characters and no CI commands.
fn assert_safe(text: &str) {
    assert_eq!(text.chars().find(|c| is_hidden(*c) && *c != '\n' && *c != '\t'), None, "{text}");
    for line in text.lines() {
        let is_command = line.trim_start().strip_prefix("::").is_some_and(|rest| rest.contains("::"));
        assert!(!is_command && !line.contains("##[") && !line.contains("##vso["), "{line}\n{text}");
    }
}

#[rstest]
#[case::run(&["run", "--corpus", "corpus"], "RED")]
#[case::run_on_a_target(&["run", "--corpus", "corpus", "--target", "exec:sh adapter.sh"], "RED")]
#[case::show(&["show", "hostile/c", "--corpus", "corpus"], "RED")]
#[case::target_check(&["target", "check", "exec:sh adapter.sh"], "RED")]
#[case::deviations(&["deviations", "--corpus", "corpus", "--target", "exec:sh adapter.sh"], "RED")]
#[case::differential(&["differential", "--count", "1", "--target", "exec:sh adapter.sh"], "RED")]
#[case::patch_apply(&["patch", "apply", "--original", "o.json", "--patch", "p.json", "--schema", "t.go#Holder"], "RED")]
#[case::patch_diff(&["patch", "diff", "--original", "o.json", "--modified", "p.json", "--type", "merge"], "RED")]
#[case::patch_refused(&["patch", "apply", "--original", "o.json", "--patch", "refused.json", "--schema", "t.go#Holder"], "RED")]
#[case::patch_conflicts(&["patch", "conflicts", "p.json", "refused.json", "--schema", "t.go#Holder"], "conflict")]
#[case::a_missing_file(&["patch", "apply", "--patch", "o.json", "--original", HOSTILE], "cannot read")]
#[case::an_unknown_type(&["schema", "show", "--schema", "t.go", HOSTILE], "RED")]
#[case::bad_types(&["schema", "check", "bad.go"], "bad.go")]
#[case::schema_list(&["schema", "list", "--schema", "openapi.json", "--types"], "Holder")]
#[case::schema_show(&["schema", "show", "--schema", "openapi.json", "Holder"], "Holder")]
#[case::schema_convert(&["schema", "convert", "openapi.json", "--to", "openapi-v2"], "Holder")]
#[case::union_check(&["union", "check", HOSTILE], "cannot read")]
#[case::union_validate(&["union", "validate", "--new", "p.json", "--schema", "t.go#Holder"], "nothing to judge")]
#[case::no_cell(&["run", "--corpus", "corpus", HOSTILE], "no cell")]
#[case::a_value_of_an_option(&["run", "--shard", HOSTILE], "RED")]
#[case::an_unknown_command(&[HOSTILE], "RED")]
#[case::a_missing_results_file(&["report", HOSTILE], "RED")]
#[case::a_report_that_cannot_be_written(&["run", "retain-keys/errata", "--report", &format!("json=nowhere/{HOSTILE}")], "cannot write")]
#[case::reports_to_one_path(&["run", "--report", &format!("json={HOSTILE}"), "--report", &format!("html={HOSTILE}")], "RED")]
fn commands_escape_hostile_text(#[case] arguments: &[&str], #[case] shown: &str) {
    let folder = hostile_folder();
    let plain = run(folder.path(), arguments, "never");
    assert!(plain.contains(shown), "{plain}");
    assert_safe(&plain);
    assert_safe(&without_colors(&run(folder.path(), arguments, "always")));
}

#[test]
fn reports_escape_hostile_text() {
    let folder = hostile_folder();
    for (name, target) in [("builtin.json", "builtin"), ("adapter.json", "exec:sh adapter.sh")] {
        let report = format!("json={name}");
        let arguments = ["run", "--corpus", "corpus", "--steps", "--target", target, "--report", &report];
        let printed = run(folder.path(), &arguments, "never");
        assert!(folder.path().join(name).exists(), "{printed}");
        assert_safe(&std::fs::read_to_string(folder.path().join(name)).unwrap());
    }
    let compare = ["compare", "builtin.json", "adapter.json"];
    for color in ["never", "always"] {
        assert_safe(&without_colors(&run(folder.path(), &["report", "adapter.json"], color)));
        assert_safe(&without_colors(&run(folder.path(), &compare, color)));
    }
    for format in ["html", "json", "text"] {
        let text = run(folder.path(), &[&compare[..], &["--format", format]].concat(), "never");
        assert!(text.contains("RED"), "{format}");
        assert_safe(&text);
        let text =
            run(folder.path(), &["report", "adapter.json", "--report", &format!("{format}=-")], "never");
        assert!(text.contains("RED"), "{format}");
        assert_safe(&text);
    }
}

/// Escaping changes the form of the strings, but not their values.
#[rstest]
#[case("json")]
#[case("yaml")]
fn a_printed_document_keeps_its_value(#[case] format: &str) {
    let folder = hostile_folder();
    let arguments = ["patch", "apply", "--original", "o.json", "--type", "merge", "--patch"];
    let once = run(folder.path(), &[&arguments[..], &["p.json", "-o", format]].concat(), "never");
    assert_safe(&once);
    std::fs::write(folder.path().join("printed"), &once).unwrap();
    // The parsed document has exactly the strings of the patch.
    let twice = run(folder.path(), &[&arguments[..], &["printed", "-o", "json"]].concat(), "never");
    let value: Value = serde_json::from_str(&twice).unwrap();
    assert_eq!(value, json!({"name": HOSTILE, HOSTILE: {"deep": HOSTILE}}));
}
