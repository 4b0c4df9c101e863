//! The words that all renderers share.

use super::model::{Mark, Scoreboard, Support};

impl Support {
    /// Returns the word for the extent of support.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Support::Supported => "supported",
            Support::Partial => "partly supported",
            Support::Wrong => "wrong",
            Support::Unsupported => "unsupported",
            Support::NotRun => "not run",
        }
    }
}

/// Returns the meaning of the word, as a clause.
pub(crate) fn support_meaning(support: Support) -> &'static str {
    match support {
        Support::Supported => "all cells end as in Kubernetes",
        Support::Partial => {
            "some cells end as in Kubernetes, and the implementation does not support the others"
        }
        Support::Wrong => {
            "at least one cell ends in another way than in Kubernetes, without the word 'unsupported'"
        }
        Support::Unsupported => "the implementation says that it has no such operation",
        Support::NotRun => "the results have no such cells",
    }
}

/// Returns a mark in as few characters as possible: `10`, `9/10`, `-`, or nothing if nothing was run.
pub(crate) fn mark_text(mark: &Mark) -> String {
    let (passed, all) = (mark.counts.passed, mark.counts.answered() + mark.counts.unsupported);
    match mark.support {
        Support::Supported => passed.to_string(),
        Support::Wrong | Support::Partial => format!("{passed}/{all}"),
        Support::Unsupported => "-".to_owned(),
        Support::NotRun => String::new(),
    }
}

/// Returns the labels of implementations, joined.
pub(crate) fn names(board: &Scoreboard, indices: &[usize]) -> String {
    let labels = indices.iter().filter_map(|index| board.implementations.get(*index));
    labels.map(|implementation| implementation.label.as_str()).collect::<Vec<_>>().join(", ")
}
