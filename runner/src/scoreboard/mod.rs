//! The scoreboard: the results of several implementations, side by side.
//!
//! [`analyze`] makes a [`Scoreboard`] from the results of any number of runs. [`skewer_reports::scoreboard`] renders it.
//! The capabilities and the questions are data: `runner/data/scoreboard.yaml`.

mod implementation;
mod ladder;
mod mark;
mod merge_key;
mod question;
mod submission;
#[cfg(test)]
mod tests;

use skewer_reports::scoreboard::{Capability, Scoreboard, Support, VERSION};
use skewer_results::Results;

pub use self::ladder::{CapabilitySpec, Ladder, MergeKeySpec, QuestionSpec};
pub use self::submission::{
    AskedClients, CLIENT_SUITES, SubmissionFault, TOOL_AXIS, answered_tools, submission_faults,
};

/// Makes the scoreboard from the results of several runs. The implementations are in the order of the runs.
#[must_use]
pub fn analyze(ladder: &Ladder, runs: &[Results]) -> Scoreboard {
    let capabilities: Vec<Capability> = ladder
        .capabilities
        .iter()
        .map(|capability| Capability {
            id: capability.id.clone(),
            title: capability.title.clone(),
            suites: capability.suites.clone(),
            marks: runs.iter().map(|run| mark::mark(run, &capability.suites)).collect(),
        })
        .collect();
    let supported = |index: usize| {
        let marks = capabilities.iter().map(|capability| &capability.marks[index]);
        marks.filter(|mark| mark.support == Support::Supported).count()
    };
    let implementations = runs.iter().enumerate();
    let implementations = implementations
        .map(|(index, run)| implementation::implementation(ladder, run, supported(index)))
        .collect();
    let info = runs.first().map(|run| run.run.clone()).unwrap_or_default();
    Scoreboard {
        version: VERSION,
        tool_version: info.tool_version,
        corpus_hash: info.corpus_hash,
        implementations,
        questions: ladder.questions.iter().map(|question| question::answer(question, runs)).collect(),
        capabilities,
    }
}
