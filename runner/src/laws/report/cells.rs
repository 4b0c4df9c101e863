//! The verdicts as cells, for results files: beside the cells of the corpus they are searched, linked to and compared.

use skewer_reports::{self as reports, Source, Status, Step};

use super::{Entry, Report, Row, Shown};
use crate::laws::record::{Record, Standing};

/// The suite of these cells. No suite of the corpus has this name: those have a folder.
pub const SUITE: &str = "laws";
const CASE: &str = "of-patch-evolution";

/// A cell for each verdict. It passes when the verdict is what is on record, or better.
#[must_use]
pub fn cells(report: &Report, record: &Record) -> Vec<reports::Cell> {
    let of_row = |row| move |entry| cell(row, entry, record);
    report.rows.iter().flat_map(|row| row.verdicts.iter().map(of_row(row))).collect()
}

fn cell(row: &Row, entry: &Entry, record: &Record) -> reports::Cell {
    let law = entry.law.name();
    let id = format!("{SUITE}/{CASE}[directive={},law={law}]", row.directive);
    let status = if entry.standing == Standing::Worse { Status::Fail } else { Status::Pass };
    let about =
        if row.about.is_empty() { String::new() } else { format!("{}: {}. ", row.directive, row.about) };
    let recorded = record.word(row.directive, entry.law);
    let message = (entry.standing == Standing::Better).then(|| {
        "better than on record in runner/laws.yaml: write it down, or try more situations".to_owned()
    });
    reports::Cell {
        axes: [("directive", row.directive), ("law", law)].into_iter().collect(),
        about: Some(format!("{about}The law: {}.", entry.law.about()).into()),
        source: Some(Source {
            document: "strategic-merge-patch".into(),
            section: Some("Changing patch format".into()),
        }),
        expected: Some(recorded.name().to_owned()),
        actual: Some(found(entry)),
        because: entry.because.as_deref().map(Into::into),
        message,
        rerun: Some(format!("skewer laws '{}'", row.directive)),
        steps: entry.examples.iter().flat_map(|example| steps(entry, example)).collect(),
        ..reports::Cell::new(id, SUITE, CASE, status)
    }
}

/// `broken beside the directives of today, proposed`.
fn found(entry: &Entry) -> String {
    match entry.among.as_slice() {
        [] => entry.verdict.name().to_owned(),
        among => format!("{} beside the directives of {}", entry.verdict.name(), among.join(", ")),
    }
}

fn steps(entry: &Entry, example: &Shown) -> Vec<Step> {
    let name = entry.heading(example);
    let step = |name: &str, note: Option<String>, document: Option<&str>| Step {
        name: name.to_owned(),
        note,
        document: document.map(str::to_owned),
    };
    let needs = example.needs.map(|name| format!("runs once {name} is in the registry"));
    let patches =
        [("an old client's patch", &example.old_patch), ("a new client's patch", &example.new_patch)];
    let patches =
        patches.into_iter().filter_map(|(name, patch)| Some(step(name, None, Some(patch.as_deref()?))));
    [step(&name, Some(example.why.clone()), None)]
        .into_iter()
        .chain(patches)
        .chain([step("the same as a case for the corpus", needs, Some(&example.case))])
        .collect()
}
