//! `skewer run --level erratum` lists what the documents get wrong.

use std::process::Command;

#[test]
fn every_erratum_is_listed_with_its_document_and_a_reason() {
    let run = Command::new(env!("CARGO_BIN_EXE_skewer")).args(["run", "--level", "erratum"]).output();
    let run = run.expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).expect("text");
    let (_, list) = text.split_once(" errata: ").expect("a list after the table");
    let errata: Vec<&str> = list.split("\n\n").skip(1).collect();
    assert!(errata.len() > 100, "{list}");
    for erratum in errata {
        let has = |name: &str| erratum.lines().any(|line| line.trim_start().starts_with(name));
        assert!(has("document  "), "{erratum}");
        assert!(has("because  ") || has("about  "), "{erratum}");
        assert!(has("at  cases/corpus/"), "{erratum}");
    }
}

#[test]
fn other_runs_have_no_such_list() {
    let run = Command::new(env!("CARGO_BIN_EXE_skewer")).args(["run", "laws/free-keys"]).output();
    let text = String::from_utf8(run.expect("the program runs").stdout).expect("text");
    assert!(text.contains("laws/free-keys") && !text.contains(" errata: "), "{text}");
}
