//! Situations on real API servers (`--confirm`): does the same happen there as in the simulation?

use skewer_execute::execute::same_end::{ComparedEnd, ErrorDifference, MayDiffer, is_same_end};
use skewer_skew::{BuiltIn, FinalState};
use skewer_targets::live::{LiveScenario, LiveServers, NotLive};

use super::revision::Revisions;
use super::situation::SkewSituation;

/// The result of a real server, compared with the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// The same.
    Same,
    /// Something else, which the text describes.
    Different(String),
    /// The situation was not run. The text says why.
    NotRun(String),
}

/// Runs a situation on real servers, and simulated for their release.
#[must_use]
pub fn confirm(servers: &LiveServers, situation: &SkewSituation, revisions: &Revisions) -> Confirmed {
    let revisions = revisions.on_release(servers.newest().minor());
    let simulated = match situation.run(&revisions) {
        Ok(happened) => happened.final_state,
        Err(error) => return Confirmed::NotRun(format!("no request is sent: {error}")),
    };
    let happened = situation.run_with(&revisions, |scenario, record| {
        LiveScenario::run(servers, scenario, &BuiltIn, record).map(|end| end.final_state)
    });
    match happened {
        Ok(happened) if is_same(&simulated, &happened.final_state) => Confirmed::Same,
        Ok(happened) => Confirmed::Different(format!(
            "{} on the server, {} in the simulation",
            describe(&happened.final_state),
            describe(&simulated)
        )),
        Err(NotLive::NotAbout(why)) => Confirmed::NotRun(why),
        Err(NotLive::Failed(failure)) => Confirmed::NotRun(failure.why),
    }
}

fn is_same(simulated: &FinalState, live: &FinalState) -> bool {
    let may_differ = MayDiffer::in_errors(ErrorDifference::FurtherKinds);
    is_same_end(ComparedEnd::of_state(live), ComparedEnd::of_state(simulated), may_differ)
}

fn describe(final_state: &FinalState) -> String {
    match final_state {
        FinalState::Stored(object) => object.to_string(),
        FinalState::Refused(error) => format!("refused: {} ({error})", error.describe_kind()),
    }
}
