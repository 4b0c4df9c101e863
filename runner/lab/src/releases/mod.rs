//! Runs of the corpus and of random requests on the API servers of Kubernetes releases, for `skewer-lab releases`.

use std::collections::BTreeMap;
use std::convert::Infallible;

use rayon::prelude::*;
use skewer_cases::{Cell, Corpus, NoApiServerPlan, NotAboutServer};
use skewer_engine::schema::builtin;
use skewer_reports::releases::{
    CaseStates, DeviationReason, PointStates, RandomRequests, ReleaseRun, UnlikeCell,
};
use skewer_results::Status;
use skewer_skew::OperationKind;

use skewer_execute::execute::{self, ExecutionOptions, StepRecording, final_state_on_api_server};
use skewer_targets::Target;
use skewer_trials::differential::{self, DEVIATION_RULES, DifferentialPlan, MAP_ORDER, TrialTypeSource};

/// The axis whose values are the servers of a cell.
const SERVER_AXIS: &str = "server";

/// The states of the cells that were run on API servers.
#[derive(Debug, Default)]
pub struct StatesByCase<'c> {
    /// The states of each case, by name. A point has the values of all axes except that of the servers.
    by_case: BTreeMap<String, (Cell<'c>, BTreeMap<String, PointStates>)>,
}

/// Runs all cells of a corpus on an API server, and records the states in which they end. `name` is the release.
pub fn run_cells<'c>(
    corpus: &'c Corpus,
    target: &dyn Target,
    name: &str,
    states: &mut StatesByCase<'c>,
) -> ReleaseRun {
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let version = target.info().version.unwrap_or_default();
    let mut run = ReleaseRun { release: name.to_owned(), version, ..ReleaseRun::default() };
    let minor = target.kubernetes_release().unwrap_or_default();
    let mut asked: Vec<Cell<'c>> = Vec::new();
    let mut not_about: BTreeMap<String, String> = BTreeMap::new();
    for cell in corpus.cells() {
        match cell.plan_for_api_server(minor) {
            Ok(_) => asked.push(cell),
            Err(NoApiServerPlan::NotAbout(reason)) => {
                not_about.insert(cell.id(), general_reason(&reason));
            }
            Err(NoApiServerPlan::Invalid(_)) => {}
        }
    }
    let counted = execute::run(corpus.cells(), target, &options, |cell| {
        count_cell(&mut run, cell, &not_about);
        Ok::<(), Infallible>(())
    });
    match counted {
        Ok(()) => {}
        Err(never) => match never {},
    }
    let observed: Vec<Option<String>> =
        asked.par_iter().map(|cell| final_state_on_api_server(cell, target)).collect();
    for (cell, state) in asked.into_iter().zip(observed) {
        if let Some(state) = state {
            states.add(cell, name, state);
        }
    }
    run
}

/// Counts the result of a cell. `not_about` has the reasons why cells are not about the API server, by id.
fn count_cell(run: &mut ReleaseRun, cell: skewer_results::Cell, not_about: &BTreeMap<String, String>) {
    let message = || cell.message_text().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    match cell.status {
        Status::Unsupported | Status::NotAsked => {
            let reason = not_about.get(&cell.id).cloned().unwrap_or_else(message);
            *run.not_asked.entry(reason).or_default() += 1;
        }
        Status::Pass => {
            run.asked += 1;
            run.agreed += 1;
        }
        Status::Deviation => {
            run.asked += 1;
            run.agreed += 1;
            run.of_other_releases.push(cell.id);
        }
        _ => {
            run.asked += 1;
            let actual = cell.actual_text().unwrap_or_else(message);
            // Every cell is compared with the simulation of the release.
            let simulated = skewer_results::Cell {
                reference: None,
                actual: cell.expected.first().cloned(),
                ..cell.clone()
            };
            let expected = simulated.actual_text().unwrap_or_default();
            run.unlike.push(UnlikeCell { id: cell.id, expected, actual });
        }
    }
}

/// Returns the reason why a cell is not about an API server, without the names of releases and operations.
fn general_reason(reason: &NotAboutServer) -> String {
    match reason {
        NotAboutServer::Operation(_) => "the case performs an operation, and sends no request".to_owned(),
        NotAboutServer::OtherRelease(_) => "the server of the cell is of another release".to_owned(),
        NotAboutServer::NoType(_) => "the release does not have the type of the object".to_owned(),
        NotAboutServer::NoTypes(_) | NotAboutServer::Other(_) => reason.to_string(),
    }
}

impl<'c> StatesByCase<'c> {
    fn add(&mut self, cell: Cell<'c>, release: &str, state: String) {
        let coordinates = cell.coordinates().into_iter().filter(|(axis, _)| *axis != SERVER_AXIS);
        let coordinates: Vec<String> = coordinates.map(|(axis, value)| format!("{axis}={value}")).collect();
        let coordinates = coordinates.join(", ");
        let name = format!("{}/{}", cell.case.suite, cell.case.id);
        let (_, points) = self.by_case.entry(name).or_insert_with(|| (cell, BTreeMap::new()));
        let point = points
            .entry(coordinates.clone())
            .or_insert_with(|| PointStates { coordinates, states: Vec::new() });
        point.states.push((release.to_owned(), state));
    }

    /// Returns the states of the points that were run on several releases.
    #[must_use]
    pub fn into_cases(self) -> Vec<CaseStates> {
        let cases = self.by_case.into_iter().map(|(name, (cell, points))| CaseStates {
            name,
            about: cell.case.about.to_string(),
            points: points.into_values().filter(|point| point.states.len() > 1).collect(),
        });
        cases.filter(|case| !case.points.is_empty()).collect()
    }
}

/// Sends `count` random requests to an API server, and compares what it stores with the simulation.
///
/// # Errors
/// The errors of [`TrialTypeSource::of_server`] and [`differential::run`].
pub fn run_random_requests(target: &dyn Target, seed: u64, count: u64) -> Result<RandomRequests, String> {
    let minor = target.kubernetes_release().ok_or("the target is no API server")?;
    let not_newer = builtin::releases().iter().rev().find(|release| release.minor() <= minor);
    let release = not_newer.ok_or("Skewer has no types of a release that is not newer than the server")?;
    let plan = DifferentialPlan {
        seed,
        first: 0,
        count,
        operations: vec![OperationKind::Request],
        request_types: differential::request_types(),
        type_source: TrialTypeSource::of_server(release, minor)?,
    };
    let report = differential::run(&plan, target, &|_| {})?;
    let mut random = RandomRequests {
        requests: report.trials(),
        unexplained: report.difference_count,
        broken: report.broken_count,
        differences: report.differences_text(),
        ..RandomRequests::default()
    };
    for counts in report.counts.values() {
        random.unsupported += counts.answers.get("unsupported").copied().unwrap_or_default();
        for (rule, count) in &counts.explained {
            *random.explained.entry((*rule).to_owned()).or_default() += count;
        }
    }
    // A rule that explains too much hides other differences.
    random.unexplained +=
        report.exceeded_caps().iter().map(|exceeded| exceeded.count - exceeded.cap).sum::<u64>();
    Ok(random)
}

/// Returns the reasons of the rules that explained differences in some run.
#[must_use]
pub fn reasons(releases: &[ReleaseRun]) -> Vec<DeviationReason> {
    let has_explained = |rule: &str| {
        releases
            .iter()
            .any(|run| run.random.as_ref().is_some_and(|random| random.explained.contains_key(rule)))
    };
    let rules = DEVIATION_RULES.iter().chain([&MAP_ORDER]).filter(|rule| has_explained(rule.name));
    rules
        .map(|rule| DeviationReason { rule: rule.name.to_owned(), because: rule.because.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use skewer_cases::CorpusFile;
    use skewer_execute::execute::api_server_test_support::SimulatedApiServer;

    use super::*;

    fn corpus() -> Corpus {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/corpus/upstream/api-servers.yaml");
        let content = std::fs::read(path).unwrap();
        Corpus::load(vec![CorpusFile {
            path: "upstream/api-servers.yaml".into(),
            display_name: "api-servers.yaml".into(),
            content,
            folder: None,
        }])
        .unwrap()
    }

    fn server(minor: u32, is_broken: bool) -> SimulatedApiServer {
        SimulatedApiServer { minor, is_broken }
    }

    #[test]
    fn states_that_differ_by_release_are_found() {
        let corpus = corpus();
        let mut states = StatesByCase::default();
        let old = run_cells(&corpus, &server(20, false), "1.20", &mut states);
        let new = run_cells(&corpus, &server(28, false), "1.28", &mut states);
        for run in [&old, &new] {
            assert!(run.asked > 20 && run.asked == run.agreed, "{run:?}");
            assert!(run.not_asked["the server of the cell is of another release"] > 20, "{run:?}");
            assert!(run.unlike.is_empty() && !run.has_failed(), "{run:?}");
        }
        let cases = states.into_cases();
        let find = |name: &str| cases.iter().find(|case| case.name.ends_with(name)).unwrap();
        let null = &find("/null-in-a-new-map").points[0];
        let annotations =
            |annotations: &str| format!(r#"{{"metadata":{{"annotations":{annotations},"name":"p"}}}}"#);
        let expected = [("1.20", r#"{"a":"","b":"c"}"#), ("1.28", r#"{"b":"c"}"#)];
        let expected = expected.map(|(release, text)| (release.to_owned(), annotations(text)));
        assert_eq!((null.states.as_slice(), null.differs()), (expected.as_slice(), true));
        assert!(!find("/deletion-beside-an-order").points[0].differs());
        let strict = &find("/key-that-occurs-twice").points;
        assert_eq!(
            strict.iter().map(|point| (point.coordinates.as_str(), point.differs())).collect::<Vec<_>>(),
            [("validation=default", false), ("validation=strict", true)]
        );
    }

    #[test]
    fn a_server_unlike_its_simulation_is_reported() {
        let run = run_cells(&corpus(), &server(28, true), "1.28", &mut StatesByCase::default());
        assert!(run.has_failed() && run.agreed < run.asked, "{run:?}");
        let has_prefix = |cell: &UnlikeCell| cell.expected.starts_with("as the simulation");
        assert!(!run.unlike.iter().any(has_prefix), "{run:?}");
    }

    #[test]
    fn random_requests_are_counted() {
        let same = run_random_requests(&server(30, false), 1, 60).unwrap();
        assert_eq!((same.requests, same.unexplained, same.broken, same.differences.as_str()), (60, 0, 0, ""));
        let broken = run_random_requests(&server(30, true), 1, 60).unwrap();
        assert!(broken.unexplained > 30, "{broken:?}");
        assert!(
            broken.differences.contains("DIFFERENT: ") && broken.differences.contains("- id: request-1-0"),
            "{broken:?}"
        );
        assert!(run_random_requests(&server(3, false), 1, 1).is_err());
    }
}
