use std::collections::BTreeMap;

use super::*;

fn point(coordinates: &str, states: &[(&str, &str)]) -> PointStates {
    let states = states.iter().map(|(release, state)| ((*release).to_owned(), (*state).to_owned()));
    PointStates { coordinates: coordinates.to_owned(), states: states.collect() }
}

fn report() -> ReleasesReport {
    let run = |release: &str, unexplained| ReleaseRun {
        release: release.to_owned(),
        version: format!("{release}.9"),
        asked: 10,
        agreed: 9,
        of_other_releases: vec!["s/c[request=update]".to_owned()],
        unlike: Vec::new(),
        not_asked: BTreeMap::from([("the types are not built in".to_owned(), 5)]),
        random: Some(RandomRequests {
            requests: 100,
            unsupported: 2,
            explained: BTreeMap::from([("map-order".to_owned(), 3)]),
            unexplained,
            broken: 0,
            differences: String::new(),
        }),
    };
    let case = |name: &str, points| CaseStates { name: name.to_owned(), about: "A null.".to_owned(), points };
    let differing = point("", &[("1.20", r#"{"a":""}"#), ("1.22", r#"{"a":""}"#), ("1.28", "{}")]);
    let same = point("validation=strict", &[("1.20", "{}"), ("1.28", "{}")]);
    ReleasesReport {
        releases: vec![run("1.20", 0), run("1.28", 0)],
        not_installed: vec!["1.37".to_owned()],
        cases: vec![
            case("s/null", vec![differing.clone(), same.clone()]),
            case("s/same", vec![same.clone()]),
            case("s/many", vec![same.clone(), same, differing]),
        ],
        reasons: vec![DeviationReason {
            rule: "map-order".to_owned(),
            because: "maps have no order".to_owned(),
        }],
        seed: 7,
    }
}

#[test]
fn the_markdown_lists_counts_states_and_reasons() {
    let text = markdown(&report(), "2026-01-02", "skewer-lab releases --count 100");
    for line in [
        "Run on 2026-01-02 with `skewer-lab releases --count 100`.",
        "| 1.20 | 1.20.9 | 10 | 9 | 8 | 100 | 95 | 3 | 2 | 0 |",
        "Not installed, and not run: 1.37.",
        "- 1.28: `s/c[request=update]`",
        r#"| 1.20, 1.22 | `{"a":""}` |"#,
        "| 1.28 | `{}` |",
        "| `s/many` | 3 | 1 |",
        "| `map-order` | 3 | 3 |",
        "| the types are not built in | 5 | 5 |",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    assert!(!text.contains("s/same"), "{text}");
    assert!(!text.contains("With `validation=strict`"), "the point does not differ: {text}");
    assert!(!text.contains("Cells without agreement"), "{text}");
}

#[test]
fn a_cell_without_agreement_fails_its_release() {
    let mut report = report();
    assert!(!report.releases[1].has_failed());
    let (id, expected, actual) = ("s/c".to_owned(), "lost".to_owned(), "refused: x | y".to_owned());
    report.releases[1].unlike.push(UnlikeCell { id, expected, actual });
    assert!(report.releases[1].has_failed());
    assert!(markdown(&report, "d", "c").contains(r"| 1.28 | `s/c` | lost | refused: x \| y |"));
    assert!(text(&report).contains("DIFFERENT on 1.28: s/c\n  simulation: lost\n"), "{}", text(&report));
}

#[test]
fn a_release_that_was_asked_nothing_fails() {
    let mut report = report();
    report.releases[0].asked = 0;
    assert!(report.releases[0].has_failed() && !report.releases[1].has_failed());
}

#[test]
fn an_unexplained_or_broken_request_fails_its_release() {
    let changes: [fn(&mut RandomRequests); 2] = [|random| random.unexplained = 1, |random| random.broken = 1];
    for change in changes {
        let mut report = report();
        change(report.releases[0].random.as_mut().unwrap());
        assert!(report.releases[0].has_failed());
    }
}

#[test]
fn the_text_describes_unexplained_requests() {
    let mut report = report();
    assert!(!text(&report).contains("Random requests on"));
    report.releases[0].random.as_mut().unwrap().differences =
        "\nDIFFERENT: update, trial 3\u{1b}\n".to_owned();
    let expected = "\nRandom requests on 1.20:\n\nDIFFERENT: update, trial 3\\u{1b}\n";
    assert!(text(&report).ends_with(expected), "{}", text(&report));
}

#[test]
fn the_text_fits_80_columns() {
    let text = text(&report());
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(
        text.contains("1.20     1.20.9        10      9       0    100       2          3            0\n"),
        "{text}"
    );
    assert!(text.contains("1.37     skipped, not installed"), "{text}");
}
