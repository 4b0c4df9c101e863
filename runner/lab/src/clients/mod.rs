//! Generated cases of clients, for `skewer-lab clients`: does the real code of a tool do with the next manifest of each
//! object what the model of the tool does?

mod case;

use std::collections::BTreeMap;
use std::fmt::Write;

use skewer_cases::format::{ExpectationSpec, OwnerSpec};
use skewer_cases::{Corpus, CorpusFile, Plan, field_owners};
use skewer_engine::{Doc, ErrorKind};
use skewer_execute::execute::{ExecutionOptions, StepRecording, observe_states, run_cell};
use skewer_preflight::confirm::is_of_validation;
use skewer_results::{Cell, Reason, RequestList, Status};
use skewer_skew::{FinalState, StepName, run_built_in};
use skewer_targets::{BuiltInTarget, Target};
use skewer_trials::random_testing::shrink::{Candidate, Reduction, shrink};

use crate::preflight::{GeneratedKind, ObjectNumbers};

pub use case::ClientCase;

/// Maximum number of runs to make one case smaller.
const MAX_RUNS: usize = 100;

/// The counts of a run.
#[derive(Debug, Default)]
pub struct ClientCounts {
    /// The cases that ended as in the model, by tool.
    pub same: BTreeMap<String, usize>,
    /// The kinds of their objects.
    pub kinds: BTreeMap<String, usize>,
    /// The outcomes of these cases.
    pub outcomes: BTreeMap<String, usize>,
    /// The cases that ended in another way.
    pub different: usize,
    /// The cases that were not run, or whose end is not simulated, by reason: a message of each, which can be empty.
    pub not_compared: BTreeMap<String, Vec<String>>,
}

/// A case that ends in another way than in the model.
#[derive(Clone, Debug)]
pub struct ClientDifference {
    /// The number of the case.
    pub number: u64,
    /// The number of cases of the same tool and with the same difference.
    pub count: usize,
    /// The result of the smallest case.
    pub cell: Cell,
    /// The suite of the smallest case. Its cell passes with the model.
    pub suite: String,
}

/// The comparison of one case.
enum Comparison {
    Same(String),
    Different { cell: Box<Cell>, suite: String },
    NotRun { why: String, example: String },
}

impl Comparison {
    fn not_compared(why: &str) -> Self {
        Comparison::NotRun { why: why.to_owned(), example: String::new() }
    }
}

impl ClientCounts {
    /// Runs generated cases on a target. Returns the counts, and the smallest case of each kind of difference.
    ///
    /// # Errors
    ///
    /// Returns the failure of a target that does not answer any more.
    pub fn of_cases(
        target: &dyn Target,
        kinds: &[GeneratedKind],
        objects: ObjectNumbers,
    ) -> Result<(ClientCounts, Vec<ClientDifference>), String> {
        let tools = target
            .operations()
            .tools()
            .unwrap_or_else(|| skewer_skew::tools().into_iter().map(|tool| tool.name.to_owned()).collect());
        let kinds: Vec<GeneratedKind> =
            kinds.iter().filter(|kind| kind.not_in_suites.is_none()).cloned().collect();
        let mut counts = ClientCounts::default();
        let mut groups: BTreeMap<String, Vec<ClientCase<'_>>> = BTreeMap::new();
        for number in objects.range() {
            let Some(case) =
                ClientCase::generate(&kinds, &tools, objects.seed, number).map(with_accepted_history)
            else {
                counts.not_compared("no manifest", "");
                continue;
            };
            match compare(&case, target) {
                Comparison::Same(outcome) => {
                    *counts.same.entry(case.tool.clone()).or_default() += 1;
                    *counts.kinds.entry(case.kind.name.clone()).or_default() += 1;
                    *counts.outcomes.entry(outcome).or_default() += 1;
                }
                Comparison::NotRun { why, example } => counts.not_compared(&why, &example),
                Comparison::Different { cell, .. } => {
                    counts.different += 1;
                    groups.entry(format!("{} {}", case.tool, difference(&cell))).or_default().push(case);
                }
            }
            if let Some(why) = target.permanent_failure() {
                return Err(why);
            }
        }
        let different = groups.into_values().filter_map(|cases| smallest(cases, target)).collect();
        Ok((counts, different))
    }

    /// Returns the report.
    #[must_use]
    pub fn text(&self) -> String {
        let list = |counts: &BTreeMap<String, usize>| {
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            counts.join(", ")
        };
        let same: usize = self.same.values().sum();
        let mut text = format!(
            "{} objects of {} kinds were compared: {same} end as in the model, {} differ ({}; {})\n",
            same + self.different,
            self.kinds.len(),
            self.different,
            list(&self.same),
            list(&self.outcomes),
        );
        for (why, messages) in &self.not_compared {
            let example = messages.first().and_then(|message| message.lines().next()).unwrap_or_default();
            let _ = writeln!(text, "not compared: {} {why} {example}", messages.len());
        }
        text
    }

    fn not_compared(&mut self, why: &str, message: &str) {
        self.not_compared.entry(why.to_owned()).or_default().push(message.to_owned());
    }
}

/// Returns the case without the requests that a server refuses.
fn with_accepted_history(mut case: ClientCase<'_>) -> ClientCase<'_> {
    let is_refused = |case: &ClientCase<'_>| {
        let cell = run(&case.suite(intended()).print(), &BuiltInTarget).ok()?;
        cell.reasons.iter().find_map(|reason| match reason {
            Reason::EarlierRequestRefused(refused) => {
                let request = refused.request.as_ref()?;
                (request.list == RequestList::History).then_some(request.number - 1)
            }
            _ => None,
        })
    };
    while let Some(index) = is_refused(&case) {
        let Candidate::Simpler(simpler) = case.without_change(index) else { break };
        case = simpler;
    }
    case
}

fn intended() -> ExpectationSpec {
    ExpectationSpec { outcome: Some(skewer_skew::Outcome::Intended.into()), ..ExpectationSpec::default() }
}

/// Runs a case with the model, and then on the target. The expectation is what the model does.
fn compare(case: &ClientCase<'_>, target: &dyn Target) -> Comparison {
    let suite = match expectation(&case.suite(intended()).print()) {
        Ok(expectation) => case.suite(expectation).print(),
        Err(why) => return Comparison::not_compared(&why),
    };
    let cell = match run(&suite, target) {
        Ok(cell) => cell,
        Err(why) => return Comparison::not_compared(&why),
    };
    match cell.status {
        Status::Pass | Status::NotAsked => Comparison::Same(
            cell.outcome.map_or_else(|| "same".to_owned(), |outcome| outcome.as_str().to_owned()),
        ),
        Status::Fail if case.kind.types.builtin.is_some() && is_only_of_validation(&cell) => {
            Comparison::not_compared("validation of built-in kinds, which is not simulated")
        }
        Status::Fail => Comparison::Different { cell: Box::new(cell), suite },
        // The refusal of a request of the history, or a client that has no answer.
        status => {
            let of = if case.kind.types.builtin.is_some() { "a built-in kind" } else { "a custom resource" };
            let example = cell.message_text().unwrap_or_default();
            Comparison::NotRun { why: format!("{}, with {of}", status.as_str()), example }
        }
    }
}

/// Returns true if only the validation of a built-in kind refuses the last request.
fn is_only_of_validation(cell: &Cell) -> bool {
    let error = cell.actual.as_ref().and_then(|actual| actual.error.as_ref());
    error.and_then(|error| ErrorKind::from_id(&error.kind)).is_some_and(is_of_validation)
}

/// Returns what the model does with the only cell of a suite: the outcome, the kind of error, and the owners.
fn expectation(suite: &str) -> Result<ExpectationSpec, String> {
    let corpus = load(suite)?;
    let cell = corpus.cells().next().ok_or("the case has no cell")?;
    let states = observe_states(&cell, &BuiltInTarget).ok_or("the model does not run the case")?;
    let expected = ExpectationSpec { outcome: states.outcome.map(Into::into), ..ExpectationSpec::default() };
    if let FinalState::Refused(error) = &states.final_state {
        return Ok(ExpectationSpec { error: Some(error.kind().id().into()), ..expected });
    }
    let Ok(Plan::Skew(plan)) = cell.plan() else { return Ok(expected) };
    let mut stored = Doc::Null;
    let _ = run_built_in(&plan, &mut |step, document| {
        if step == StepName::Result {
            stored = document.clone();
        }
    });
    let owners = field_owners(&stored).into_iter().map(|owner| OwnerSpec {
        manager: owner.manager,
        operation: owner.operation,
        subresource: Some(owner.subresource).filter(|subresource| !subresource.is_empty()),
        fields: owner.fields.into_iter().map(Into::into).collect(),
    });
    let owners: Vec<OwnerSpec> = owners.collect();
    Ok(ExpectationSpec { owners: Some(owners.into()), ..expected })
}

fn load(suite: &str) -> Result<Corpus, String> {
    let name = suite.lines().find_map(|line| line.strip_prefix("suite: ")).unwrap_or_default();
    let path = format!("{name}.yaml");
    let file = CorpusFile { display_name: path.clone(), path, content: suite.into(), folder: None };
    Corpus::load(vec![file]).map_err(|error| error.to_string())
}

/// Runs the only cell of a suite.
fn run(suite: &str, target: &dyn Target) -> Result<Cell, String> {
    let corpus = load(suite)?;
    let cell = corpus.cells().next().ok_or("the case has no cell")?;
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    Ok(run_cell(&cell, target, &options))
}

/// Returns the difference of a failed cell, without its values.
fn difference(cell: &Cell) -> String {
    let texts = [cell.expected_text(), cell.actual_or_outcome(), cell.difference_text()];
    texts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Makes the smallest of some cases with the same difference smaller, as long as it ends in another way than in the model.
fn smallest(cases: Vec<ClientCase<'_>>, target: &dyn Target) -> Option<ClientDifference> {
    let count = cases.len();
    let case = cases.into_iter().min_by_key(|case| case.suite(intended()).print().len())?;
    let Comparison::Different { cell, .. } = compare(&case, target) else { return None };
    let (runs, expected) = (std::cell::Cell::new(0), difference(&cell));
    let differs = |case: &ClientCase<'_>| {
        runs.set(runs.get() + 1);
        let is_same = |cell: &Cell| difference(cell) == expected;
        runs.get() <= MAX_RUNS
            && matches!(compare(case, target), Comparison::Different { cell, .. } if is_same(&cell))
    };
    let reductions: [Reduction<'_, ClientCase<'_>>; 2] =
        [&|case, index| case.without_change(index), &|case, index| case.without_value(index)];
    let case = shrink(case, &reductions, &differs);
    match compare(&case, target) {
        Comparison::Different { cell, suite } => {
            Some(ClientDifference { number: case.number, count, cell: *cell, suite })
        }
        _ => None,
    }
}
