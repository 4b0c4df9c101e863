//! Mutants of the patch library: it lacks a directive or a hook of a directive, or that of an old release behaves as
//! today's in one respect.

use skewer_engine::directive::REGISTRY;
use skewer_engine::patch::{LibraryChange, PatchContext};
use skewer_execute::execute::prepared::PartyChange;

use super::facts::Facts;
use super::hooks::{Hook, ObservedCalls, without_hook};
use super::mutant::{Family, Mutant, Mutation};

/// Returns the mutants of all registered directives. `calls` are the calls of hooks in the unmutated run.
pub(super) fn without_directives(calls: &ObservedCalls) -> Vec<Mutant> {
    let names = || REGISTRY.iter().map(|directive| directive.name());
    let absent = names().map(|name| {
        let about = format!("no party knows {name}");
        Mutant::new(format!("directive/{name}/absent"), about, Family::DirectiveAbsent, Absent(name))
    });
    let hooks = names().flat_map(|name| Hook::ALL.iter().map(move |hook| hook_mutant(name, *hook, calls)));
    absent.chain(hooks).collect()
}

fn hook_mutant(directive: &'static str, hook: Hook, calls: &ObservedCalls) -> Mutant {
    let name = format!("directive/{directive}/without-hook/{}", hook.name());
    let about = format!("the hook {} of {directive} has its default implementation", hook.name());
    let mutant = Mutant::new(name, about, Family::DirectiveHook, WithoutHook { directive, hook });
    let counts = calls.get(&(directive, hook)).copied().unwrap_or_default();
    // A test makes sure that the directive does not implement such a hook, unless a reason is recorded.
    let because = match (counts.calls, counts.effective) {
        (0, _) => Some("no cell calls the hook".to_owned()),
        (calls, 0) => {
            Some(format!("in each of its {calls} calls, the hook does what its default implementation does"))
        }
        _ => None,
    };
    Mutant { equivalent_because: because, ..mutant }
}

/// No party knows this directive.
struct Absent(&'static str);

impl PartyChange for Absent {
    fn change_context(&self, context: &mut PatchContext) {
        context.directives = context.directives.without(self.0);
    }
}

impl Mutation for Absent {
    fn affects(&self, facts: &Facts) -> bool {
        facts.directives.contains(self.0)
    }
}

/// A hook of a directive has its default implementation.
struct WithoutHook {
    directive: &'static str,
    hook: Hook,
}

impl PartyChange for WithoutHook {
    fn change_context(&self, context: &mut PatchContext) {
        context.directives = without_hook(&context.directives, self.directive, self.hook);
    }
}

impl Mutation for WithoutHook {
    /// The run is the same up to the first call in which the hook does something else than its default
    /// implementation. Without such a call, the whole run is the same.
    fn affects(&self, facts: &Facts) -> bool {
        facts.effective_hooks.contains(&(self.directive, self.hook))
    }
}

/// Returns the mutants of all changes of the patch library.
pub(super) fn with_later_changes() -> Vec<Mutant> {
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
