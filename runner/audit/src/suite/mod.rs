//! The suite that `skewer audit --write-suite` writes: a case for each effect of each finding. Its expectations are what
//! happens, so that the suite passes until a definition changes again.

mod case;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skewer_cases::format::{CaseSpec, ExpectationSpec, SettingSpec, SuiteSpec};
use skewer_cases::{Corpus, CorpusFile, LoadError};
use skewer_reports::audit::{Audit, AuditFinding, FindingCase};
use skewer_skew::{FinalState, Outcome};

pub(crate) use case::cases;
pub(crate) use schema::{of_definition, of_types};
use skewer_execute::execute::{ObservedStates, observe_states};
use skewer_targets::BuiltInTarget;

/// A suite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFile {
    /// The text of the file.
    pub text: String,
    /// The number of cases.
    pub cases: usize,
    /// The findings without a case, such as definitions that were removed: the id and the title.
    pub without_case: Vec<String>,
}

/// Renders the suite of audits. `path` is its file: the paths of definitions are relative to it, and the suite has its name.
///
/// # Errors
///
/// Returns an error if a file with types cannot be read again.
pub fn suite_file(audits: &[Audit], path: &Path) -> Result<SuiteFile, LoadError> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let suite = Suite { name: &name, path, audits };
    let file = CorpusFile {
        path: format!("{name}.yaml"),
        display_name: path.display().to_string(),
        content: suite.spec(None).print().into_bytes(),
        folder: Some(path.parent().map(Path::to_owned).unwrap_or_default()),
    };
    let corpus = Corpus::load(vec![file])?;
    let mut states = CellStates::new();
    for cell in corpus.cells() {
        let point = cell.coordinates().into_iter().map(|(_, value)| value).collect::<String>();
        states.insert((cell.case.id.to_string(), point), observe_states(&cell, &BuiltInTarget));
    }
    let findings = || audits.iter().flat_map(|audit| &audit.findings);
    let title = |finding: &AuditFinding| format!("{} {} {}", finding.id, finding.path, finding.change);
    let without_case = findings().filter(|finding| finding.cases.is_empty()).map(title);
    let unreadable: BTreeSet<&str> = unreadable(&states).collect();
    Ok(SuiteFile {
        text: suite.spec(Some(&states)).print(),
        cases: corpus.suites.iter().map(|suite| suite.cases.len()).sum::<usize>() - unreadable.len(),
        without_case: without_case
            .chain(unreadable.into_iter().map(|id| format!("{id}: a client cannot decode the object")))
            .collect(),
    })
}

/// The observed states of the cells of a suite, by the case and the axis value. `None` if a client cannot decode the
/// object, so that it sends nothing.
type CellStates = BTreeMap<(String, String), Option<ObservedStates>>;

/// Returns the cases with such a client.
fn unreadable(states: &CellStates) -> impl Iterator<Item = &str> {
    states.iter().filter(|(_, states)| states.is_none()).map(|((case, _), _)| case.as_str())
}

struct Suite<'a> {
    name: &'a str,
    path: &'a Path,
    audits: &'a [Audit],
}

impl Suite<'_> {
    /// Returns the suite. Without `states`, the expectations only reserve their places.
    fn spec(&self, states: Option<&CellStates>) -> SuiteSpec {
        let names: Vec<String> =
            self.audits.iter().map(|audit| format!("{} -> {}", audit.old, audit.new)).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.dedup();
        let about = format!(
            "What happens to stored objects and to clients of another version: {}. Written by skewer audit. The \
             expectations are what happens today, also where it is not what users want.",
            names.join(", ")
        );
        let (mut ids, mut cases): (Vec<String>, Vec<CaseSpec>) = (Vec::new(), Vec::new());
        for audit in self.audits {
            for (finding, case) in audit
                .findings
                .iter()
                .flat_map(|finding| finding.cases.iter().map(move |case| (finding, case)))
            {
                let mut id = case.id.clone();
                while ids.contains(&id) {
                    id.push_str("-again");
                }
                ids.push(id.clone());
                if states.is_some_and(|states| unreadable(states).any(|unreadable| unreadable == id)) {
                    continue;
                }
                let schemas = if case.is_isolated { &finding.schemas } else { &audit.schemas };
                let expectations = expectations(&id, finding, case, states);
                cases.push(CaseSpec {
                    id: id.into(),
                    about: Some(prose(&about_case(audit, finding, case))),
                    setting: SettingSpec {
                        schema: Some(schema::in_suite(schemas, self.path).into()),
                        ..case.case.setting.clone()
                    },
                    expect: expectations.into_iter().map(Into::into).collect(),
                    ..case.case.clone()
                });
            }
        }
        SuiteSpec { suite: self.name.into(), about, cases, ..SuiteSpec::default() }
    }
}

/// Returns what happens in the cells of a case.
fn expectations(
    id: &str,
    finding: &AuditFinding,
    case: &FindingCase,
    states: Option<&CellStates>,
) -> Vec<ExpectationSpec> {
    let points = case.case.axes.0.iter().flat_map(|(_, points)| &points.0).map(|(point, _)| point.as_str());
    let expectation = |point: &str| {
        let states = states.and_then(|states| states.get(&(id.to_owned(), point.to_owned()))?.as_ref());
        let expectation = match states {
            Some(states) => ExpectationSpec {
                because: because(point, finding, states).map(|because| prose(&because)),
                ..observed_answer(states)
            },
            None => ExpectationSpec { outcome: Some(Outcome::Intended.into()), ..ExpectationSpec::default() },
        };
        ExpectationSpec { when: [("skew", point.into())].into_iter().collect(), ..expectation }
    };
    points.map(expectation).collect()
}

fn because(point: &str, finding: &AuditFinding, states: &ObservedStates) -> Option<String> {
    if point == "with" {
        let effects = finding.effects.join(". ");
        return Some(format!("{} finding: {effects}.", finding.severity.name().to_lowercase()));
    }
    let is_silent = states.outcome.is_some_and(|outcome| outcome != Outcome::Intended);
    is_silent.then(|| {
        "This happens without version skew. The outcome compares it with up-to-date parties.".to_owned()
    })
}

/// Returns what happens in a cell as an expectation.
#[must_use]
pub fn observed_answer(states: &ObservedStates) -> ExpectationSpec {
    let mut expectation = match &states.final_state {
        FinalState::Stored(document) => ExpectationSpec::of_result(document.clone()),
        FinalState::Refused(error) => {
            let has_path = !error.path().segments().is_empty();
            let at = has_path.then(|| error.path().to_string().into());
            ExpectationSpec { at, ..ExpectationSpec::of_error(error.kind().id()) }
        }
    };
    expectation.outcome = states.outcome.map(Into::into);
    expectation
}

fn about_case(audit: &Audit, finding: &AuditFinding, case: &FindingCase) -> String {
    let note = if case.is_isolated {
        " The new definition has only this change, because another change hides the effect."
    } else {
        ""
    };
    format!("{} {} {}: {}{note}", finding.id, audit.subject(), finding.title(), case.about)
}

/// Returns a text without straight quotation marks, which would quote a design document.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_open = false;
    for c in text.chars() {
        if c == '"' {
            out.push(if is_open { '”' } else { '“' });
            is_open = !is_open;
        } else {
            out.push(c);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}
