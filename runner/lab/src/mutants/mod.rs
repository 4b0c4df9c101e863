//! The corpus is tested: its cells are run on *semantic mutants* of the engine.
//!
//! A mutant is an engine that differs in one respect: a directive is missing, a union policy is another one, the merge
//! key of a field is unknown. Mutants are composed from the registries of the engine, which has no hooks for them. A
//! mutant changes only the parties of a cell. The ideal, and the state of the old client on the old server, are those
//! of the unmutated engine.
//!
//! For each mutant, a cell *notices* it if the cell fails. A cell that ends in another state and still passes is a gap
//! of its expectation. If no cell ends in another state, a case is missing, or the mutant is equivalent to the engine;
//! the reason for that is [recorded](equivalences).

pub mod equivalences;

mod baseline;
mod directives;
mod facts;
mod hooks;
mod library;
mod policies;
mod run;
mod schemas;
mod server_steps;
mod wrapped_policy;

use skewer_engine::patch::PatchContext;

use facts::Facts;
use skewer_execute::execute::prepared::{Parties, PartyChange};

pub use baseline::{Baseline, BaselineError};
pub use run::{RunOptions, noticed_by_cell, run};

/// A semantic mutant of the engine.
pub struct Mutant {
    name: String,
    about: String,
    family: Family,
    mutation: Box<dyn Mutation>,
    /// The reason why the mutant is known to change nothing, if that was found without running it.
    equivalent_because: Option<String>,
}

/// A family of mutants. Reports count by family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A directive is absent.
    DirectiveAbsent,
    /// A hook of a directive has its default implementation.
    DirectiveHook,
    /// A union policy is replaced by another one.
    PolicyReplaced,
    /// A rule of a union policy is off.
    PolicyRule,
    /// A step of the server or of the client is off, or swapped.
    Step,
    /// The patch library of an old release behaves as today's.
    Library,
    /// The patch metadata of a field is different.
    Schema,
}

impl Family {
    /// Returns the title in reports.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Family::DirectiveAbsent => "directive absent",
            Family::DirectiveHook => "hook of a directive off",
            Family::PolicyReplaced => "policy replaced by another",
            Family::PolicyRule => "rule of a policy off",
            Family::Step => "step of a party off or swapped",
            Family::Library => "patch library as today's",
            Family::Schema => "metadata of a field changed",
        }
    }
}

/// The difference of a mutant from the engine.
trait Mutation: PartyChange + Send {
    /// Returns false only if the mutant cannot change the end of a cell with these facts.
    fn affects(&self, facts: &Facts) -> bool;
}

impl Mutant {
    fn new(name: String, about: String, family: Family, mutation: impl Mutation + 'static) -> Self {
        Mutant { name, about, family, mutation: Box::new(mutation), equivalent_because: None }
    }

    /// Returns the name, which is stable: `policy/kep-1027=none`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a description of the difference from the engine.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the family.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }
}

impl PartyChange for Mutant {
    fn change_context(&self, context: &mut PatchContext) {
        self.mutation.change_context(context);
    }

    fn change_parties(&self, parties: &mut Parties, full_context: &PatchContext) {
        self.mutation.change_parties(parties, full_context);
    }
}

/// Returns all mutants: those of the registries, and those of the fields that occur in the documents of the baseline.
#[must_use]
pub fn all(baseline: &Baseline<'_>) -> Vec<Mutant> {
    let mut mutants = directives::mutants(&baseline.calls);
    mutants.extend(policies::mutants());
    mutants.extend(server_steps::mutants());
    mutants.extend(library::mutants());
    mutants.extend(schemas::mutants(&baseline.fields));
    mutants
}
