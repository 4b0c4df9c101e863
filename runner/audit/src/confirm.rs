//! Situations on real API servers (`--confirm`): does the same happen there as in the simulation?

use skewer_execute::targets::live::{LiveScenario, LiveServers, NotLive};
use skewer_reports::audit::Confirmation;
use skewer_skew::{BuiltIn, FinalState};

use super::explore::Explored;
use super::revision::Revisions;
use super::situation::Situation;
use skewer_execute::execute::same_end::{ComparedEnd, ErrorDifference, MayDiffer, is_same_end};

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
pub fn confirm(servers: &LiveServers, situation: &Situation, revisions: &Revisions) -> Confirmed {
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

/// Summarizes what real servers did in the situations of some causes. `None` if they were not asked.
#[must_use]
pub fn confirmation<'e>(explored: impl IntoIterator<Item = &'e Explored>) -> Option<Confirmation> {
    let mut summary: Option<Confirmation> = None;
    for explored in explored {
        let Some(server) = &explored.server else { continue };
        let summary = summary.get_or_insert_with(|| Confirmation::of(server.clone()));
        for observation in &explored.observations {
            let world = observation.world.name(&explored.names).replace('\n', " ");
            match &observation.confirmed {
                None => {}
                Some(Confirmed::Same) => summary.same += 1,
                Some(Confirmed::Different(how)) => {
                    summary.different.push(format!("{world}, {}: {how}", observation.situation.style.name()));
                }
                Some(Confirmed::NotRun(why)) if summary.not_run.contains(why) => {}
                Some(Confirmed::NotRun(why)) => summary.not_run.push(why.clone()),
            }
        }
    }
    summary
}
