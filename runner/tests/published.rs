//! The compatibility report that is checked in.

use skewer::execute::{self, Options, Steps};
use skewer::target::BuiltInTarget;
use skewer_cases::{Cell, Corpus};
use skewer_reports::{Format, Results, RunInfo, Target};

/// `SKEWER_UPDATE=1 cargo test -p skewer --test published` writes it anew.
#[test]
fn the_compatibility_report_is_current() {
    let corpus = Corpus::embedded().unwrap_or_else(|error| panic!("{error}"));
    let mut cells: Vec<Cell<'_>> = corpus.cells().collect();
    cells.sort_by_cached_key(Cell::id);
    let options = Options { steps: Steps::Never, ..Options::default() };
    let mut results = Vec::new();
    let taken: Result<(), std::convert::Infallible> =
        execute::run(cells.into_iter(), &BuiltInTarget, &options, |cell| {
            results.push(cell);
            Ok(())
        });
    assert!(taken.is_ok());
    let target = Target { name: "builtin".to_owned(), ..Target::default() };
    let results = Results::new(RunInfo { target, ..RunInfo::default() }, results);
    let mut report = Vec::new();
    Format::Compatibility.write(&results, &mut report).unwrap();

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/COMPATIBILITY.md");
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(path, &report).unwrap();
    }
    let held = std::fs::read(path).unwrap_or_default();
    assert!(held == report, "{path} is stale: run SKEWER_UPDATE=1 cargo test -p skewer --test published");
}
