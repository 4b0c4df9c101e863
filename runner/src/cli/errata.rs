//! What the documents get wrong, listed after a run of the cells that show it.

use std::fmt::Write;
use std::sync::Arc;

use skewer_reports as reports;
use skewer_reports::Level;

/// The cases of a run that are errata, in the order of the run.
#[derive(Debug, Default)]
pub(super) struct Errata(Vec<Erratum>);

/// A case that shows where a document is wrong.
#[derive(Debug)]
struct Erratum {
    /// `suite/case`.
    case: String,
    source: Option<String>,
    issue: Vec<String>,
    about: Option<Arc<str>>,
    at: Option<String>,
    /// What the expectations say why, each with its cells.
    reasons: Vec<Reason>,
    cells: usize,
}

#[derive(Debug)]
struct Reason {
    because: Arc<str>,
    /// What happens there: the words for outcomes, each once.
    outcomes: Vec<&'static str>,
    cells: usize,
}

impl Errata {
    /// Takes a cell, if it is of an erratum.
    pub(super) fn add(&mut self, cell: &reports::Cell) {
        if cell.level != Level::Erratum {
            return;
        }
        let case = format!("{}/{}", cell.suite, cell.case);
        if self.0.last().is_none_or(|last| last.case != case) {
            self.0.push(Erratum {
                case,
                source: cell.source.as_ref().map(source),
                issue: cell.issue.clone(),
                about: cell.about.clone(),
                at: cell.location.as_ref().map(|at| format!("{}:{}", at.file, at.line)),
                reasons: Vec::new(),
                cells: 0,
            });
        }
        if let Some(erratum) = self.0.last_mut() {
            erratum.add(cell);
        }
    }

    /// The list; empty where there is no erratum.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if !self.0.is_empty() {
            let _ = writeln!(
                text,
                "\n{} errata: where a document contradicts itself or what shipped",
                self.0.len()
            );
        }
        self.0.iter().for_each(|erratum| erratum.write(&mut text));
        text
    }
}

impl Erratum {
    fn add(&mut self, cell: &reports::Cell) {
        self.cells += 1;
        let Some(because) = &cell.because else { return };
        let known = self.reasons.iter().position(|reason| reason.because == *because);
        let at = known.unwrap_or_else(|| {
            self.reasons.push(Reason { because: Arc::clone(because), outcomes: Vec::new(), cells: 0 });
            self.reasons.len() - 1
        });
        let reason = &mut self.reasons[at];
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
        for Reason { because, outcomes, cells } in &self.reasons {
            let of = if *cells == self.cells { String::new() } else { format!(" of {}", self.cells) };
            let plural = if *cells == 1 && of.is_empty() { "" } else { "s" };
            line("because", &format!("{because} ({}: {cells}{of} cell{plural})", outcomes.join(", ")));
        }
        if let Some(at) = &self.at {
            line("at", at);
        }
    }
}

fn source(source: &reports::Source) -> String {
    match &source.section {
        Some(section) => format!("{}, {section}", source.document),
        None => source.document.to_string(),
    }
}
