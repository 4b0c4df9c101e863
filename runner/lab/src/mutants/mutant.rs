//! A mutant of the engine.

use skewer_engine::patch::PatchContext;
use skewer_execute::execute::prepared::{Parties, PartyChange};

use super::facts::Facts;

/// A semantic mutant of the engine.
pub struct Mutant {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) family: Family,
    pub(super) mutation: Box<dyn Mutation>,
    /// The reason why the mutant is known to change nothing, if that was found without running it.
    pub(super) equivalent_because: Option<String>,
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
pub(super) trait Mutation: PartyChange + Send {
    /// Returns false only if the mutant cannot change the end of a cell with these facts.
    fn affects(&self, facts: &Facts) -> bool;
}

impl Mutant {
    pub(super) fn new(
        name: String,
        about: String,
        family: Family,
        mutation: impl Mutation + 'static,
    ) -> Self {
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
