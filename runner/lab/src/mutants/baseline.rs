//! The unmutated run of the cells: their ends, and the facts that tell which mutants can affect them.

use rayon::prelude::*;
use skewer_cases::Cell;
use skewer_engine::patch::PatchContext;
use skewer_execute::execute::prepared::{NoChange, PartyChange, PreparedCell, PreparedEnd};

use super::facts::{Facts, FieldKinds, MetadataKinds};
use super::hooks::{self, ObservedCalls};

/// The unmutated run of all cells.
pub struct Baseline<'c> {
    /// The cells that mutants are tried on.
    pub(super) cells: Vec<BaselineCell<'c>>,
    /// The patch metadata of all fields that occur in documents.
    pub(super) fields: FieldKinds,
    /// The calls of the hooks of directives.
    pub(super) calls: ObservedCalls,
    /// The number of cells that only read declarations. No mutant changes them.
    pub(super) declarations: usize,
}

/// A cell and its unmutated run.
pub(super) struct BaselineCell<'c> {
    pub(super) prepared: PreparedCell<'c>,
    pub(super) end: PreparedEnd,
    pub(super) facts: Facts,
    /// The end of the reference case, and the facts about it.
    pub(super) reference: Option<(PreparedEnd, Facts)>,
}

/// The reason why mutants cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// A cell fails without a mutant.
    #[error("{0} fails without a mutant: run `skewer run`, and correct the cell first")]
    Failing(String),
    /// A cell cannot be run.
    #[error("{0} cannot be run: {1}")]
    Unrunnable(String, String),
    /// The wrapper of directives changes the result of a cell.
    #[error(
        "{0} has another result if its directives are wrapped: a hook is not delegated (runner/lab/src/mutants/hooks.rs)"
    )]
    Wrapped(String),
}

/// The change that observes the hooks of directives.
struct Observed;

impl PartyChange for Observed {
    fn change_context(&self, context: &mut PatchContext) {
        context.directives = hooks::observed(&context.directives);
    }
}

/// One run of a cell, with what it showed.
struct Observation {
    end: PreparedEnd,
    facts: Facts,
    calls: ObservedCalls,
    fields: FieldKinds,
}

impl<'c> Baseline<'c> {
    /// Runs all cells without a mutant.
    ///
    /// # Errors
    ///
    /// A [`BaselineError`] about the first cell that fails, that cannot be run, or whose result depends on the wrapper
    /// of directives.
    pub fn of(cells: Vec<Cell<'c>>) -> Result<Self, BaselineError> {
        let number = cells.len();
        let run: Result<Vec<_>, BaselineError> = cells.into_par_iter().map(run_cell).collect();
        let mut baseline = Baseline {
            cells: Vec::with_capacity(number),
            fields: FieldKinds::new(),
            calls: ObservedCalls::new(),
            declarations: 0,
        };
        for cell in run? {
            let Some((observed, hook_calls, fields)) = cell else {
                baseline.declarations += 1;
                continue;
            };
            for (hook, counts) in hook_calls {
                let sum = baseline.calls.entry(hook).or_default();
                sum.calls += counts.calls;
                sum.effective += counts.effective;
            }
            for (name, kinds) in fields {
                baseline.fields.entry(name).or_default().add(kinds);
            }
            baseline.cells.push(observed);
        }
        Ok(baseline)
    }
}

type ObservedCell<'c> = (BaselineCell<'c>, ObservedCalls, FieldKinds);

fn run_cell(cell: Cell<'_>) -> Result<Option<ObservedCell<'_>>, BaselineError> {
    let prepared = PreparedCell::new(cell).map_err(|why| BaselineError::Unrunnable(cell.id(), why))?;
    let Some(prepared) = prepared else { return Ok(None) };
    let Observation { end, facts, calls, fields } = observe(&prepared)?;
    let reference = match prepared.reference() {
        Some(reference) => {
            let Observation { end, facts, .. } = observe(reference)?;
            Some((end, facts))
        }
        None => None,
    };
    if !prepared.passes(&end, reference.as_ref().map(|(end, _)| end)) {
        return Err(BaselineError::Failing(prepared.cell().id()));
    }
    Ok(Some((BaselineCell { prepared, end, facts, reference }, calls, fields)))
}

fn observe(prepared: &PreparedCell<'_>) -> Result<Observation, BaselineError> {
    let end = prepared.run(&NoChange, None);
    let mut documents = Vec::new();
    hooks::take_observed_calls();
    let observed_end = prepared.run(&Observed, Some(&mut documents));
    let calls = hooks::take_observed_calls();
    match (&end, &observed_end) {
        (PreparedEnd::None(why), _) => Err(BaselineError::Unrunnable(prepared.cell().id(), why.clone())),
        _ if end != observed_end => Err(BaselineError::Wrapped(prepared.cell().id())),
        _ => {
            let mut fields = FieldKinds::new();
            let facts = Facts::of(prepared, &documents, &calls, &mut fields);
            Ok(Observation { end, facts, calls, fields })
        }
    }
}

impl MetadataKinds {
    fn add(&mut self, other: MetadataKinds) {
        self.merge_key |= other.merge_key;
        self.other_key |= other.other_key;
        self.strategies.extend(other.strategies);
        self.tags.extend(other.tags);
        self.list_type |= other.list_type;
    }
}
