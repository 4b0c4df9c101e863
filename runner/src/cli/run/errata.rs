//! The list of errata that `skewer run --level erratum` prints.

use std::fmt::Write;
use std::sync::Arc;

use skewer_results as results;
use skewer_results::Level;

/// The errata of a run, in the order of the run.
#[derive(Debug, Default)]
pub(super) struct ErrataList(Vec<ErratumSummary>);

#[derive(Debug)]
struct ErratumSummary {
    /// `suite/case`.
    case: String,
    source: Option<String>,
    issue: Vec<String>,
    about: Option<Arc<str>>,
    location: Option<String>,
    /// The distinct reasons of the expectations.
    reasons: Vec<ErratumReason>,
    cells: usize,
}

/// A reason (`because`) of an expectation, and the cells that it applies to.
#[derive(Debug)]
struct ErratumReason {
    because: Arc<str>,
    /// The distinct outcomes of the cells.
    outcomes: Vec<&'static str>,
    cells: usize,
}

impl ErrataList {
    /// Adds a cell. A cell of another level is ignored.
    pub(super) fn add(&mut self, cell: &results::Cell) {
        if cell.level != Level::Erratum {
            return;
        }
        let case = format!("{}/{}", cell.suite, cell.case);
        if self.0.last().is_none_or(|last| last.case != case) {
            self.0.push(ErratumSummary {
                case,
                source: cell.source.as_ref().map(describe_source),
                issue: cell.issue.clone(),
                about: cell.about.clone(),
                location: cell
                    .location
                    .as_ref()
                    .map(|location| format!("{}:{}", location.file, location.line)),
                reasons: Vec::new(),
                cells: 0,
            });
        }
        if let Some(erratum) = self.0.last_mut() {
            erratum.add(cell);
        }
    }

    /// Renders the list. The text is empty if there is no erratum.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        if !self.0.is_empty() {
            let _ = writeln!(
                text,
                "\n{} errata: a document contradicts itself or the shipped behaviour",
                self.0.len()
            );
        }
        self.0.iter().for_each(|erratum| erratum.write(&mut text));
        text
    }
}

impl ErratumSummary {
    fn add(&mut self, cell: &results::Cell) {
        self.cells += 1;
        let Some(because) = &cell.because else { return };
        let position = self.reasons.iter().position(|reason| reason.because == *because);
        let index = position.unwrap_or_else(|| {
            self.reasons.push(ErratumReason { because: Arc::clone(because), outcomes: Vec::new(), cells: 0 });
            self.reasons.len() - 1
        });
        let reason = &mut self.reasons[index];
        reason.cells += 1;
        let outcome = cell.outcome.map_or(cell.status.as_str(), |outcome| outcome.as_str());
        if !reason.outcomes.contains(&outcome) {
            reason.outcomes.push(outcome);
        }
    }

    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "\n{}", self.case);
        let mut line = |name: &str, words: &str| {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "{name:>12}  {words}");
        };
        if let Some(source) = &self.source {
            line("document", source);
        }
        for issue in &self.issue {
            line("issue", issue);
        }
        if let Some(about) = &self.about {
            line("about", about);
        }
        for ErratumReason { because, outcomes, cells } in &self.reasons {
            let total = if *cells == self.cells { String::new() } else { format!(" of {}", self.cells) };
            let plural = if *cells == 1 && total.is_empty() { "" } else { "s" };
            line("because", &format!("{because} ({}: {cells}{total} cell{plural})", outcomes.join(", ")));
        }
        if let Some(location) = &self.location {
            line("at", location);
        }
    }
}

fn describe_source(source: &results::Source) -> String {
    match &source.section {
        Some(section) => format!("{}, {section}", source.document),
        None => source.document.to_string(),
    }
}
