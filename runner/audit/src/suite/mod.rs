//! The suite that `skewer audit --write-suite` writes: a case for each effect of each finding. Its expectations are what
//! happens, so that the suite passes until a definition changes again.

mod case;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use skewer_cases::yaml::{write_flow, write_flow_string};
use skewer_cases::{Corpus, CorpusFile, LoadError};
use skewer_engine::skew::{FinalState, Outcome};
use skewer_reports::audit::{Audit, Finding, FindingCase};

pub(crate) use case::cases;
pub(crate) use schema::{of_definition, of_types};

use skewer_cases::suite_text::{write_wrapped, write_wrapped_after};
use skewer_execute::execute::{ObservedStates, observe_states};
use skewer_execute::targets::BuiltInTarget;

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
        content: suite.render(None).into_bytes(),
        folder: Some(path.parent().map(Path::to_owned).unwrap_or_default()),
    };
    let corpus = Corpus::load(vec![file])?;
    let mut states = CellStates::new();
    for cell in corpus.cells() {
        let point = cell.coordinates().into_iter().map(|(_, value)| value).collect::<String>();
        states.insert((cell.case.id.to_string(), point), observe_states(&cell, &BuiltInTarget));
    }
    let findings = || audits.iter().flat_map(|audit| &audit.findings);
    let title = |finding: &Finding| format!("{} {} {}", finding.id, finding.path, finding.change);
    let without_case = findings().filter(|finding| finding.cases.is_empty()).map(title);
    let unreadable: BTreeSet<&str> = unreadable(&states).collect();
    Ok(SuiteFile {
        text: suite.render(Some(&states)),
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
    /// Renders the suite. Without `states`, the expectations only reserve their places.
    fn render(&self, states: Option<&CellStates>) -> String {
        let mut text = format!("suite: {}\nabout: >-\n", self.name);
        let names: Vec<String> =
            self.audits.iter().map(|audit| format!("{} -> {}", audit.old, audit.new)).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.dedup();
        let about = format!(
            "What happens to stored objects and to clients of another version: {}. Written by skewer audit. The \
             expectations are what happens today, also where it is not what users want.",
            names.join(", ")
        );
        write_wrapped(&mut text, &about);
        text.push_str("cases:\n");
        let (mut ids, mut anchors): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (index, audit) in self.audits.iter().enumerate() {
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
                let _ = writeln!(text, "  - id: {id}\n    about: >-");
                write_wrapped_after(&mut text, &prose(&about_case(audit, finding, case)), "     ");
                let (anchor, schemas) = if case.is_isolated {
                    (format!("schema-{index}-{}", finding.id), &finding.schemas)
                } else {
                    (format!("schema-{index}"), &audit.schemas)
                };
                if anchors.contains(&anchor) {
                    let _ = writeln!(text, "    schema: *{anchor}");
                } else {
                    let _ = writeln!(text, "    schema: &{anchor}");
                    schema::write(&mut text, schemas, self.path);
                    anchors.push(anchor);
                }
                text.push_str(&case.body);
                write_expectations(&mut text, (&id, finding, case), states);
            }
        }
        text
    }
}

/// Writes what happens in the two cells of a case.
fn write_expectations(
    text: &mut String,
    (id, finding, case): (&str, &Finding, &FindingCase),
    states: Option<&CellStates>,
) {
    text.push_str("    expect:\n");
    for point in ["with", "without"] {
        if !case.body.contains(&format!("\n        {point}:\n")) {
            continue;
        }
        let _ = writeln!(text, "      - when: {{skew: {point}}}");
        let states = states.and_then(|states| states.get(&(id.to_owned(), point.to_owned()))?.as_ref());
        let Some(states) = states else {
            text.push_str("        outcome: intended\n");
            continue;
        };
        write_answer(text, states);
        let is_silent = states.outcome.is_some_and(|outcome| outcome != Outcome::Intended);
        let because = match point {
            "with" => {
                let effects = finding.effects.join(". ");
                format!("{} finding: {effects}.", finding.severity.name().to_lowercase())
            }
            _ if is_silent => {
                "This happens without version skew. The outcome compares it with up-to-date parties."
                    .to_owned()
            }
            _ => continue,
        };
        text.push_str("        because: >-\n");
        write_wrapped_after(text, &prose(&because), "         ");
    }
}

fn write_answer(text: &mut String, states: &ObservedStates) {
    if let Some(outcome) = states.outcome {
        let _ = writeln!(text, "        outcome: {outcome}");
    }
    match &states.final_state {
        FinalState::Stored(document) => {
            let _ = writeln!(text, "        result: {}", write_flow(document));
        }
        FinalState::Refused(error) => {
            let _ = writeln!(text, "        error: {}", error.kind().id());
            if !error.path().segments().is_empty() {
                let _ = writeln!(text, "        at: {}", write_flow_string(&error.path().to_string()));
            }
        }
    }
}

fn about_case(audit: &Audit, finding: &Finding, case: &FindingCase) -> String {
    let Finding { id, path, change, .. } = finding;
    let note = if case.is_isolated {
        " The new definition has only this change, because another change hides the effect."
    } else {
        ""
    };
    format!("{id} {} {path} {change}: {}{note}", audit.subject, case.about)
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
