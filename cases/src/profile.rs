//! Profiles that users write: a release or a proposal, with directives taken away or added.

use serde::Deserialize;
use skewer_engine::directive::{self, Directive, DirectiveSet, REGISTRY};
use skewer_engine::profile::Profile;

use crate::axes::unknown;
use crate::resolve;
use crate::yaml::{self, CaseFileErrors, Diagnostics, Spanned};

/// A profile as a user wrote it:
///
/// ```
/// let text = "name: halfway\nbase: kubernetes-1.6\nwith: [$retainKeys]\n";
/// let profile = skewer_cases::UserProfile::read("halfway.yaml", text.as_bytes()).unwrap();
/// assert!(profile.directives.knows("$retainKeys") && !profile.directives.knows("$setElementOrder"));
/// ```
#[derive(Clone, Debug)]
pub struct UserProfile {
    /// Its name.
    pub name: String,
    /// The directives that it knows.
    pub directives: DirectiveSet,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ProfileFile {
    name: Spanned<String>,
    /// What the profile begins with: `today` where nothing is said.
    #[serde(default)]
    base: Option<Spanned<String>>,
    #[serde(default)]
    without: Vec<Spanned<String>>,
    #[serde(default)]
    with: Vec<Spanned<String>>,
}

impl UserProfile {
    /// Reads a profile; `file` is the name of the file, as the user knows it.
    ///
    /// A directive that the engine does not have is an error, and so is one that is taken away where the base
    /// does not know it, or added where it does: such a line does nothing, and was not meant to.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, CaseFileErrors> {
        let document = yaml::parse_lenient(file, bytes)?;
        let (read, diagnostics) = document.decode_partial::<ProfileFile>();
        let profile = read.and_then(|read| resolved(&read, &diagnostics));
        document.finish(profile, diagnostics)
    }
}

fn resolved(file: &ProfileFile, diagnostics: &Diagnostics) -> Option<UserProfile> {
    if file.name.is_empty() {
        diagnostics.error(file.name.span, "a profile has a name");
    }
    let base = file.base.as_ref().map_or(Some(Profile::Today), |name| resolve::profile(name, diagnostics))?;
    let base_name = file.base.as_ref().map_or("today", |name| name.as_str());
    let held = base.directives();
    let without = named(&file.without, diagnostics, |name| {
        (!held.knows(name)).then(|| format!("{base_name} does not know {name}: nothing to be without"))
    });
    let with = named(&file.with, diagnostics, |name| {
        held.knows(name).then(|| format!("{base_name} knows {name} already"))
    });
    // In the order of the registry, in which directives take effect.
    let known = |directive: &&'static dyn Directive| {
        let name = directive.name();
        (held.knows(name) && !without.contains(&name)) || with.contains(&name)
    };
    let directives = DirectiveSet::of(REGISTRY.iter().copied().filter(known));
    Some(UserProfile { name: file.name.value.clone(), directives })
}

/// The directives that are listed; what is wrong with one is reported.
fn named(
    listed: &[Spanned<String>],
    diagnostics: &Diagnostics,
    problem: impl Fn(&str) -> Option<String>,
) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in listed {
        let Some(directive) = directive::by_name(name) else {
            unknown(name, "directive", REGISTRY.iter().map(|d| d.name()), diagnostics);
            continue;
        };
        if let Some(problem) = problem(directive.name()) {
            diagnostics.error(name.span, problem);
        } else if names.contains(&directive.name()) {
            diagnostics.error(name.span, format!("{name} is listed twice"));
        }
        names.push(directive.name());
    }
    names
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn directives(text: &str) -> Vec<&'static str> {
        let profile = UserProfile::read("p.yaml", text.as_bytes()).unwrap();
        profile.directives.iter().map(Directive::name).collect()
    }

    #[rstest]
    #[case::plain("name: x", &["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"])]
    #[case::without("name: x\nwithout: [$retainKeys, $patch]", &["$setElementOrder", "$deleteFromPrimitiveList"])]
    #[case::with("name: x\nbase: kubernetes-1.4\nwith: [$patchMergeKey]", &["$patch", "$patchMergeKey"])]
    #[case::both(
        "{name: x, base: kubernetes-1.6, without: [$patch], with: [$retainKeys]}",
        &["$retainKeys", "$deleteFromPrimitiveList"]
    )]
    fn a_profile_is_its_base_with_changes(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(directives(text), expected);
    }

    #[rstest]
    #[case::no_name("base: today", "p.yaml:1:1: ")]
    #[case::unknown_key("name: x\nwithuot: []", "p.yaml:2:1: unknown key `withuot`: did you mean `without`?")]
    #[case::unknown_base("name: x\nbase: todya", "p.yaml:2:7: there is no profile `todya`")]
    #[case::unknown_directive(
        "name: x\nwith: [$retainKey]",
        "p.yaml:2:8: there is no directive `$retainKey`: did you mean `$retainKeys`?"
    )]
    #[case::nothing_to_take(
        "name: x\nbase: kubernetes-1.6\nwithout: [$retainKeys]",
        "p.yaml:3:11: kubernetes-1.6 does not know $retainKeys: nothing to be without"
    )]
    #[case::nothing_to_add("name: x\nwith: [$patch]", "p.yaml:2:8: today knows $patch already")]
    #[case::twice("name: x\nwithout: [$patch, $patch]", "p.yaml:2:19: $patch is listed twice")]
    fn mistakes_have_a_place(#[case] text: &str, #[case] expected: &str) {
        let errors = UserProfile::read("p.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with(expected), "{errors}");
    }
}
