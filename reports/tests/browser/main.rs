//! Tests of the HTML report in a real browser: loading, pivots, filters, opening cells, links, and hostile text.
//! The tests need Chromium: the program that `SKEWER_BROWSER` names, or one with a usual name in `PATH`. Without
//! Chromium, the tests are listed as ignored, with the reason in their names.

#![allow(clippy::unwrap_used)] // a failing helper must fail its test

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use skewer_reports::html;
use skewer_reports::{CitedDocument, EarlierRun, PageOptions, RunReport};
use skewer_results::Axes;
use skewer_results::model::{Answer, Cell, Location, Results, Source, Step};
use skewer_results::vocabulary::{Outcome, Status};

// `test_support` belongs to the unit tests and uses these modules as `crate::…`.
use skewer_reports::{compare, kep};
#[allow(dead_code)] // the unit tests use more of it
#[path = "../../src/test_support.rs"]
mod test_support;

mod measure;

const CHECKS: &str = include_str!("checks.js");

/// A script that runs before the scripts of the page. It counts the effects that a hostile text would have, and records
/// errors.
const WATCH_SCRIPT: &str = "<script>
window.alerts = 0; window.alert = () => { window.alerts += 1; };
window.complaints = [];
addEventListener('error', (event) => window.complaints.push(event.message));
addEventListener('unhandledrejection', (event) => window.complaints.push(String(event.reason)));
document.addEventListener('securitypolicyviolation', (event) => window.complaints.push(event.violatedDirective));
console.error = console.warn = (...words) => window.complaints.push(words.join(' '));
</script></head>";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = browser();
    let skipped = browser.is_none();
    let browser = Arc::new(browser.unwrap_or_default());
    let measured_with = Arc::clone(&browser);
    let pages: [(&str, &str, MakePage); 8] = [
        ("a_run_can_be_worked_with", "sample", || page_of(&test_support::sample_results())),
        ("every_text_is_shown_as_text", "hostile", hostile_page),
        ("a_comparison_can_be_worked_with", "comparison", comparison_page),
        ("policies_and_laws_have_pages", "pages", || {
            page_with_kep(&policies_and_laws(), Some(test_support::kep_report()))
        }),
        ("a_question_is_answered_in_two_clicks", "questions", || page_of(&questions())),
        ("a_phone_shows_the_content_first", "phone", || page_of(&questions())),
        ("several_runs_are_side_by_side", "runs", runs_page),
        ("a_hundred_thousand_cells_can_be_worked_with", "many", || page_of(&hundred_thousand_cells())),
    ];
    let trials = pages.into_iter().map(|(name, checks, page)| {
        let browser = Arc::clone(&browser);
        let trial = Trial::test(name, move || run_checks(&browser, checks, &page(), width_of(checks)));
        if skipped { trial.with_kind("skipped: no Chromium").with_ignored_flag(true) } else { trial }
    });
    let measurement = Trial::test("how_long_things_take", move || measure::measure(&measured_with));
    let measurement = measurement.with_kind("measurement, with --ignored").with_ignored_flag(true);
    libtest_mimic::run(&arguments, trials.chain([measurement]).collect()).exit_code()
}

/// Returns the path of the browser for the tests.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SKEWER_BROWSER") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let mut candidates =
        std::env::split_paths(&path).flat_map(|directory| names.map(|name| directory.join(name)));
    candidates.find(|candidate| candidate.is_file())
}

type MakePage = fn() -> Page;

struct Page {
    html: Vec<u8>,
    ids: Vec<String>,
}

fn page_of(results: &Results) -> Page {
    page_with_kep(results, None)
}

fn hostile_page() -> Page {
    let results = test_support::hostile_results();
    page_with_options(&results, None, test_support::hostile_page_options(&results))
}

/// Returns the page of three runs. In the second run a cell fails, and in the first run a cell is missing.
fn runs_page() -> Page {
    let mut last = questions();
    last.run.info.insert("commit".into(), "9f8e7d".into());
    let mut failing = last.clone();
    failing.cells[0].outcome = Some(Outcome::Lost);
    failing.cells[0].status = Status::Fail;
    let mut shorter = last.clone();
    shorter.cells.remove(1);
    shorter.run.info.insert("commit".into(), "1a2b3c".into());
    let earlier_runs = vec![
        EarlierRun::new("monday.json".into(), &shorter),
        EarlierRun::new("tuesday.json".into(), &failing),
    ];
    page_with_options(
        &last,
        None,
        PageOptions {
            earlier_runs,
            run_name: Some("today.json".into()),
            source_link: "https://example.com/{file}#L{line}".parse().ok(),
            documents: vec![CitedDocument {
                name: "retain-keys".into(),
                title: "Retain keys".into(),
                address: Some("https://example.com/retain-keys.md".into()),
            }],
        },
    )
}

fn page_with_kep(results: &Results, kep: Option<kep::KepReport>) -> Page {
    page_with_options(results, kep, PageOptions::default())
}

fn page_with_options(results: &Results, kep: Option<kep::KepReport>, page: PageOptions) -> Page {
    let mut html = Vec::new();
    html::write(&RunReport { results, kep, page }, &mut html).unwrap();
    // The page contains the visible form of characters without a glyph.
    let id = |cell: &Cell| test_support::visible(cell.id.clone().into()).as_str().unwrap().to_owned();
    Page { html, ids: results.cells.iter().map(id).collect() }
}

fn comparison_page() -> Page {
    let (old, new) = test_support::sample_runs();
    let mut html = Vec::new();
    html::write_comparison(&test_support::compared(&old, &new), &mut html).unwrap();
    // The second cell is the one that got worse, as in the unit tests.
    Page { html, ids: test_support::sample_results().cells.into_iter().map(|cell| cell.id).collect() }
}

/// Returns results with a point of the matrix of KEP-1027 under two policies, and with two verdicts of the laws.
fn policies_and_laws() -> Results {
    let axes = [
        ("optionality", "optional"),
        ("members", "required"),
        ("client", "unaware"),
        ("decoding", "unstructured"),
        ("server", "aware"),
        ("live", "new"),
        ("operation", "clear"),
    ];
    let point = |union: &str, policy: &str, outcome| {
        let axes: Axes = [("policy", policy), ("union", union)].into_iter().chain(axes).collect();
        let id = format!("unions/kep-matrix/c[{axes}]");
        Cell { axes, outcome: Some(outcome), ..Cell::new(id, "unions/kep-matrix", "c", Status::Pass) }
    };
    let law = |law: &str, found: &str, condition: Option<&str>| Cell {
        axes: [("directive", "$patch"), ("law", law)].into_iter().collect(),
        about: Some(format!("The law: what {law} asks for.").into()),
        expected: vec![Answer::of_verdict("kept", None)],
        actual: Some(Answer::of_verdict(found, condition.map(str::to_owned))),
        steps: vec![Step {
            name: "tried without a counter-example".into(),
            note: Some("3 situations of the corpus".into()),
            document: None,
            owners: Vec::new(),
        }],
        ..Cell::new(format!("laws/c[directive=$patch,law={law}]"), "laws", "c", Status::Pass)
    };
    let cells = vec![
        point("plain", "kep-1027", Outcome::Ignored),
        point("plain", "none", Outcome::Ignored),
        point("discriminated", "kep-1027", Outcome::Intended),
        point("discriminated", "none", Outcome::Leftover),
        law("backward", "kept", None),
        law("forward", "broken", Some("with the directives of today")),
    ];
    Results::new(test_support::run_info(), cells)
}

/// Returns results about a directive whose suites give the axes `client` and `server` values of different families.
fn questions() -> Results {
    let cell = |suite: &str, case: &str, (client, server): (&str, &str), outcome, covers| {
        let axes: Axes = [("client", client), ("server", server)].into_iter().collect();
        let id = format!("{suite}/{case}[{axes}]");
        Cell {
            axes,
            outcome: Some(outcome),
            covers,
            about: Some("A patch with $retainKeys.".into()),
            source: Some(Source {
                document: "retain-keys".into(),
                section: Some("When `$retainKeys` is absent".into()),
            }),
            location: Some(Location { file: format!("cases/{suite}.yaml").into(), line: 7 }),
            ..Cell::new(id, suite, case, Status::Pass)
        }
    };
    let skew = "retain-keys/version-skew";
    let cells = vec![
        cell(skew, "switch", ("old", "new"), Outcome::Lost, None),
        cell(skew, "switch", ("old", "old"), Outcome::AsBefore, Some(Outcome::Lost)),
        cell(skew, "switch", ("new", "old"), Outcome::Refused, None),
        cell(skew, "switch", ("new", "new"), Outcome::Intended, None),
        cell(skew, "switch-back", ("old", "new"), Outcome::Leftover, None),
        cell(skew, "switch-back", ("new", "new"), Outcome::WronglyAccepted, None),
        cell("releases/pod", "switch", ("1.9", "1.10"), Outcome::Intended, None),
        cell("releases/pod", "switch", ("1.10", "1.9"), Outcome::Rejected, None),
        cell("retain-keys/tags", "tag", ("with-the-tags", "without-the-tags"), Outcome::Intended, None),
    ];
    Results::new(test_support::run_info(), cells)
}

/// Returns results in which each cell has different documents, because the page contains equal documents only once.
fn hundred_thousand_cells() -> Results {
    let side = ["old", "new"];
    let step = |name: &str, document: String| Step {
        name: name.into(),
        note: Some("as the case says".into()),
        document: Some(document),
        owners: Vec::new(),
    };
    let cells = (0..100_000_u32)
        .map(|n| {
            let at = n as usize;
            let (client, server) = (side[at % 2], side[at / 2 % 2]);
            let (suite, case) = (format!("generated/{}", n / 1000), format!("case-{n}"));
            let axes: Axes = [("client", client), ("server", server)].into_iter().collect();
            let id = format!("{suite}/{case}[{axes}]");
            Cell {
                outcome: Some(Outcome::ALL[at % 7]),
                about: Some(format!("What suite {} is about.", n / 1000).into()),
                expected: vec![Answer::of_outcome(Outcome::ALL[at % 7])],
                location: Some(Location { file: format!("cases/{suite}.yaml").into(), line: n % 1000 + 1 }),
                rerun: Some(format!("skewer run --exact '{id}'")),
                steps: vec![
                    step("stored", format!("spec:\n  replicas: {n}\n  strategy:\n    type: foo\n")),
                    step("request", format!("spec:\n  replicas: {}\n", n + 1)),
                ],
                axes,
                ..Cell::new(id, suite, case, Status::Pass)
            }
        })
        .collect();
    Results::new(test_support::run_info(), cells)
}

/// Returns the width of the window for some checks. Chromium makes no window narrower than 500 pixels.
fn width_of(checks: &str) -> u32 {
    if checks == "phone" { 500 } else { 1400 }
}

/// Inserts the checks into the page, and runs them in the browser.
fn run_checks(browser: &Path, checks: &str, page: &Page, width: u32) -> Result<(), Failed> {
    let html = std::str::from_utf8(&page.html).map_err(|error| error.to_string())?;
    let html = html.replacen("</head>", WATCH_SCRIPT, 1);
    let ids = serde_json::to_string(&page.ids).map_err(|error| error.to_string())?.replace('<', "\\u003c");
    let script = format!(
        "<script>document.currentIds = {ids}; document.currentChecks = '{checks}';\n{CHECKS}</script></body>"
    );
    let html = html.replacen("</body>", &script, 1);
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = directory.path().join("page.html");
    std::fs::write(&path, html).map_err(|error| error.to_string())?;
    let dumped = dump(browser, &path, directory.path(), width)?;
    let report = dumped
        .split_once("<pre id=\"checks\">")
        .and_then(|(_, report)| report.split_once("</pre>"))
        .map(|(report, _)| report)
        .ok_or_else(|| format!("the checks did not end: {dumped:.2000}"))?;
    if report.lines().count() > 3 && !report.contains("FAILED") { Ok(()) } else { Err(report.into()) }
}

/// Opens the page at `path` in the browser, and returns the HTML of the page after its scripts have run.
fn dump(browser: &Path, path: &Path, directory: &Path, width: u32) -> Result<String, Failed> {
    const TIME_LIMIT: Duration = Duration::from_secs(2 * 60);
    let spawn_error = |error: std::io::Error| Failed::from(format!("{}: {error}", browser.display()));
    let dumped = directory.join("dumped.html");
    let complaints = directory.join("stderr");
    let mut running = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--window-size={width},1200"))
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .arg(format!("file://{}", path.display()))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&dumped).map_err(spawn_error)?)
        .stderr(std::fs::File::create(&complaints).map_err(spawn_error)?)
        .spawn()
        .map_err(spawn_error)?;
    let started = Instant::now();
    while running.try_wait().map_err(spawn_error)?.is_none() {
        if started.elapsed() > TIME_LIMIT {
            running.kill().map_err(spawn_error)?;
            return Err(format!("{} did not end within {TIME_LIMIT:?}", browser.display()).into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // If the browser could not start, its error output contains the reason.
    let text = std::fs::read_to_string(&dumped).map_err(spawn_error)?;
    if text.is_empty() {
        let _ = std::io::stderr().write_all(&std::fs::read(&complaints).unwrap_or_default());
    }
    Ok(text)
}
