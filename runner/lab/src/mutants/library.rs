//! Mutants of the patch library of old releases: it behaves as today's in one respect.

use skewer_engine::patch::{LibraryChange, PatchContext};
use skewer_execute::execute::prepared::PartyChange;

use super::facts::Facts;
use super::{Family, Mutant, Mutation};

/// Returns the mutants of all changes of the patch library.
pub(super) fn mutants() -> Vec<Mutant> {
    let mutant = |change: LibraryChange| {
        let about = format!(
            "no patch library {}, as those of releases before 1.{} do",
            change.before(),
            change.release()
        );
        Mutant::new(format!("library/{}", change.name()), about, Family::Library, Changed(change))
    };
    LibraryChange::ALL.into_iter().map(mutant).collect()
}

/// The patch library of every party has the change.
struct Changed(LibraryChange);

impl PartyChange for Changed {
    fn change_context(&self, context: &mut PatchContext) {
        context.library = context.library.with(self.0);
    }
}

impl Mutation for Changed {
    fn affects(&self, facts: &Facts) -> bool {
        facts.missing_library_changes.contains(&self.0)
    }
}
