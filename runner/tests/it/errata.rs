//! `skewer run --level erratum` lists the errata of the design documents.

use crate::helpers::{skewer, stderr, stdout};

#[test]
fn every_erratum_is_listed_with_its_document_and_a_reason() {
    let run = skewer(&["run", "--level", "erratum"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let text = stdout(&run);
    let (_, list) = text.split_once(" errata: ").expect("a list of errata after the table");
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
fn other_runs_list_no_errata() {
    let text = stdout(&skewer(&["run", "laws/free-keys"]));
    assert!(text.contains("laws/free-keys") && !text.contains(" errata: "), "{text}");
}
