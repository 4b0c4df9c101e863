//! The page in a real browser. `SKEWER_BROWSER` names another one than `chromium`.

use std::path::Path;
use std::process::Command;

use rstest::rstest;

use crate::model::{Cell, Results};
use crate::samples;
use crate::words::{Outcome, Status};

const CHECKS: &str = include_str!("checks.js");

/// What the browser made of the page at `path`.
fn dump(path: &Path, directory: &Path) -> String {
    let browser = std::env::var("SKEWER_BROWSER").unwrap_or_else(|_| "chromium".to_owned());
    let output = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--window-size=1400,1200", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap_or_else(|error| panic!("{browser}: {error}"));
    String::from_utf8(output.stdout).unwrap()
}

fn many() -> Results {
    let side = ["old", "new"];
    let cells = (0..100_000)
        .map(|n| {
            let (client, server) = (side[n % 2], side[n / 2 % 2]);
            let suite = format!("generated/{}", n / 1000);
            Cell {
                axes: [("client", client), ("server", server)].into_iter().collect(),
                outcome: Some(Outcome::ALL[n % 7]),
                ..Cell::new(format!("{suite}/case-{n}"), suite, format!("case-{n}"), Status::Pass)
            }
        })
        .collect();
    Results::new(samples::run_info(), cells)
}

#[rstest]
#[case::sample("sample", samples::results())]
#[case::hostile("hostile", samples::hostile())]
#[case::many("many", many())]
#[ignore = "needs Chromium: apt-get install chromium"]
fn a_person_can_work_with_the_page(#[case] checks: &str, #[case] results: Results) {
    let mut page = Vec::new();
    super::write(&results, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    // An alert is what a hostile text would call; it is counted from before the page's own scripts on.
    let page = page.replacen(
        "</head>",
        "<script>window.alerts = 0; window.alert = () => { window.alerts += 1; };</script></head>",
        1,
    );
    let script = format!("<script>document.currentChecks = '{checks}';\n{CHECKS}</script></body>");
    let page = page.replacen("</body>", &script, 1);

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.html");
    std::fs::write(&path, page).unwrap();
    let dumped = dump(&path, directory.path());
    let (_, report) = dumped.split_once("<pre id=\"checks\">").expect("the checks end");
    let (report, _) = report.split_once("</pre>").unwrap();
    assert!(report.lines().count() > 3 && !report.contains("FAILED"), "{report}");
}
