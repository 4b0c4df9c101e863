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
            "at least one cell ends in another way than in Kubernetes, and the implementation does not say that it has no such \
             operation"
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

/// Returns the labels of implementations, joined. Versions of one implementation in neighbouring columns are a range:
/// `apimachinery 0.37.2 to 0.17.17`.
pub(crate) fn names(board: &Scoreboard, indices: &[usize]) -> String {
    let is_next = |left: &usize, right: &usize| {
        let name = |index: &usize| board.implementations.get(*index).map(|known| known.name.as_str());
        left + 1 == *right && name(left) == name(right)
    };
    indices.chunk_by(is_next).map(|versions| version_range(board, versions)).collect::<Vec<_>>().join(", ")
}

fn version_range(board: &Scoreboard, versions: &[usize]) -> String {
    let all: Vec<_> = versions.iter().filter_map(|index| board.implementations.get(*index)).collect();
    match all.as_slice() {
        [first, .., last] => {
            let version =
                last.version.as_deref().map_or(last.label.as_str(), |text| text.trim_start_matches('v'));
            let word = if all.len() == 2 { "and" } else { "to" };
            format!("{} {word} {version}", first.label)
        }
        one => one.iter().map(|implementation| implementation.label.as_str()).collect(),
    }
}
