//! The content of the report.

use std::collections::{BTreeMap, BTreeSet};

/// The results of runs on the API servers of several releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleasesReport {
    /// The releases that were run, from the oldest to the newest.
    pub releases: Vec<ReleaseRun>,
    /// The names of the releases that are not installed, and were not run.
    pub not_installed: Vec<String>,
    /// The states in which cells ended that were run on several releases, by case.
    pub cases: Vec<CaseStates>,
    /// The reasons for differences between the engine and a server that the runs had, each with the name of its rule.
    pub reasons: Vec<DeviationReason>,
    /// The seed of the random requests.
    pub seed: u64,
}

/// A known reason for a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviationReason {
    /// The name of the rule that predicts the server's answer.
    pub rule: String,
    /// The reason, as a clause.
    pub because: String,
}

/// The results of runs on one API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReleaseRun {
    /// The release, for example `1.28`.
    pub release: String,
    /// The version of the request handlers, for example `1.28.15`.
    pub version: String,
    /// The number of cells that the server was asked about.
    pub asked: usize,
    /// The number of these cells in which the server stored what its simulation stores, or refused what it refuses.
    pub agreed: usize,
    /// The cells that ended as the simulation predicts, but not as their case expects: the case expects what another
    /// release does.
    pub of_other_releases: Vec<String>,
    /// The cells in which the server did something else than its simulation, or did not answer.
    pub unlike: Vec<UnlikeCell>,
    /// The number of cells that the server was not asked about, by reason.
    pub not_asked: BTreeMap<String, usize>,
    /// The results of random requests. `None` if none were sent.
    pub random: Option<RandomRequests>,
}

/// A cell in which a server did something else than its simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlikeCell {
    /// The id of the cell.
    pub id: String,
    /// The result of the simulation.
    pub expected: String,
    /// The result of the server.
    pub actual: String,
}

/// The results of random requests to one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RandomRequests {
    /// The number of requests.
    pub requests: u64,
    /// The number of requests that the server does not support, or whose live object it cannot read.
    pub unsupported: u64,
    /// The number of differences that each rule explains.
    pub explained: BTreeMap<String, u64>,
    /// The number of differences that no rule explains.
    pub unexplained: u64,
    /// The number of requests without a valid answer.
    pub broken: u64,
    /// A description of the differences that no rule explains, with a case for each.
    pub differences: String,
}

/// The points of a case, with the states in which they ended on several releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseStates {
    /// The suite and the id of the case: `upstream/api-servers/null-in-a-new-map`.
    pub name: String,
    /// The description of the case.
    pub about: String,
    /// The points that were run on at least two releases.
    pub points: Vec<PointStates>,
}

/// A point of a matrix, without the release of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointStates {
    /// The values of the other axes: `validation=strict`. Empty if there are none.
    pub coordinates: String,
    /// The state on each release: the stored object as JSON, or the kind of the refusal.
    pub states: Vec<(String, String)>,
}

impl PointStates {
    /// Returns true if the releases ended in different states.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.states.iter().map(|(_, state)| state).collect::<BTreeSet<_>>().len() > 1
    }

    /// Returns the distinct states in the order of the releases, each with its releases.
    #[must_use]
    pub fn by_state(&self) -> Vec<(Vec<&str>, &str)> {
        let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
        for (release, state) in &self.states {
            match groups.iter_mut().find(|(_, known)| known == state) {
                Some((releases, _)) => releases.push(release),
                None => groups.push((vec![release], state)),
            }
        }
        groups
    }
}

impl ReleaseRun {
    /// Returns true if the server and its simulation differ without a known reason, or if no cell was asked.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let is_bad = |random: &RandomRequests| random.unexplained > 0 || random.broken > 0;
        self.asked == 0 || !self.unlike.is_empty() || self.random.as_ref().is_some_and(is_bad)
    }
}
