//! Measures actions on a page of 100,000 cells in real time: from the action of the user to the frame that shows its
//! effect.
//!
//! The measurement is not a test: it has no limits, because other processes can slow down the machine. It runs with
//! `cargo test -p skewer-reports --test browser -- --ignored how_long`.

#![allow(clippy::print_stdout)] // the measurement prints its result

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use super::{hundred_thousand_cells, page_of};

const SCRIPT: &str = include_str!("measure.js");
/// Number of times that the page is loaded.
const LOADS: usize = 5;
const TIME_LIMIT: Duration = Duration::from_secs(3 * 60);

pub(super) fn measure(browser: &Path) -> Result<(), Failed> {
    let page = page_of(&hundred_thousand_cells()).html;
    let html = std::str::from_utf8(&page).map_err(|error| error.to_string())?;
    let html = html.replacen("</body>", &format!("<script>{SCRIPT}</script></body>"), 1);
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = directory.path().join("page.html");
    std::fs::write(&path, &html).map_err(|error| error.to_string())?;
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for load in 0..LOADS {
        let profile = directory.path().join(format!("profile-{load}"));
        for (name, times) in measure_load(browser, &path, &profile)? {
            all.entry(name).or_default().extend(times);
        }
    }
    println!("\n{} bytes, 100,000 cells; milliseconds: median, worst, of", html.len());
    for (name, times) in &mut all {
        times.sort_by(f64::total_cmp);
        let [median, worst] = [times[times.len() / 2], times[times.len() - 1]];
        println!("{name:<28} {median:>7.0} {worst:>7.0} {:>5}", times.len());
    }
    Ok(())
}

/// Loads the page, and waits until its title contains the times.
fn measure_load(browser: &Path, page: &Path, profile: &Path) -> Result<BTreeMap<String, Vec<f64>>, Failed> {
    let mut running = start_browser(browser, page, profile)?;
    let started = Instant::now();
    let times = loop {
        std::thread::sleep(Duration::from_millis(200));
        if let Some(times) = times_in_title(profile) {
            break Ok(times);
        }
        if started.elapsed() > TIME_LIMIT {
            break Err(format!("nothing was measured within {TIME_LIMIT:?}").into());
        }
    };
    let _ = running.kill();
    let _ = running.wait();
    times
}

fn start_browser(browser: &Path, page: &Path, profile: &Path) -> Result<Child, Failed> {
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--window-size=1400,1000", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    child.map_err(|error| format!("{}: {error}", browser.display()).into())
}

/// Asks the debugging port of the browser for the title of the page, and returns the times that the title contains.
/// Returns `None` until the page has written the times.
fn times_in_title(profile: &Path) -> Option<BTreeMap<String, Vec<f64>>> {
    let ports = std::fs::read_to_string(profile.join("DevToolsActivePort")).ok()?;
    let mut stream = TcpStream::connect(format!("127.0.0.1:{}", ports.lines().next()?)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"GET /json/list HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    // The browser may keep the connection open. The bytes that were read until the timeout are the answer.
    let _ = stream.take(1 << 20).read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let tabs: Vec<serde_json::Value> = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    // The title in the answer is escaped as HTML.
    let title = tabs.iter().find_map(|tab| tab.get("title")?.as_str()?.strip_prefix("measured "))?;
    serde_json::from_str(&title.replace("&quot;", "\"")).ok()
}
