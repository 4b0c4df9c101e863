//! Profiles of users: a release or a proposal, with directives removed or added.

use serde::Deserialize;
use skewer_engine::directive::{Directive, DirectiveSet};
use skewer_engine::patch::PatchLibrary;
use skewer_engine::profile::Profile;
use skewer_yaml::{self as yaml, Diagnostics, FileErrors, Spanned};

use crate::names::{report_unknown_directive, resolve_profile};

/// A profile that a user wrote. Example:
///
/// ```
/// let text = "name: halfway\nbase: kubernetes-1.6\nwith: [$retainKeys]\n";
/// let profile = skewer_cases::UserProfile::read("halfway.yaml", text.as_bytes()).unwrap();
/// assert!(profile.directives.knows("$retainKeys") && !profile.directives.knows("$setElementOrder"));
/// ```
#[derive(Clone, Debug)]
pub struct UserProfile {
    /// The name of the profile.
    pub name: String,
    /// The directives that the profile includes.
    pub directives: DirectiveSet,
    /// The behaviour of the patch library, which is that of the base.
    pub library: PatchLibrary,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ProfileSpec {
    name: Spanned<String>,
    /// The name of the profile to start with. The default is `today`.
    #[serde(default)]
    base: Option<Spanned<String>>,
    #[serde(default)]
    without: Vec<Spanned<String>>,
    #[serde(default)]
    with: Vec<Spanned<String>>,
}

impl UserProfile {
    /// Reads a profile of the registered directives; see [`UserProfile::read_with_directives`].
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their positions.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        Self::read_with_directives(file, bytes, &DirectiveSet::all())
    }

    /// Reads a profile for an engine with the given directives. `file` is the name of the file in messages.
    ///
    /// # Errors
    /// Returns all errors of the file. It is an error if `with` or `without` names a directive that the engine does not
    /// have, if `without` names a directive that the base does not know, or if `with` names one that the base knows.
    pub fn read_with_directives(
        file: &str,
        bytes: &[u8],
        all_directives: &DirectiveSet,
    ) -> Result<Self, FileErrors> {
        let parsed = yaml::parse_lenient(file, bytes)?;
        let (spec, diagnostics) = parsed.decode_partial::<ProfileSpec>();
        let profile = spec.and_then(|spec| resolve(&spec, all_directives, &diagnostics));
        parsed.finish(profile, diagnostics)
    }
}

fn resolve(
    spec: &ProfileSpec,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> Option<UserProfile> {
    if spec.name.is_empty() {
        diagnostics.error(spec.name.span, "the profile has an empty name");
    }
    let base = spec.base.as_ref().map_or(Some(Profile::Today), |name| resolve_profile(name, diagnostics))?;
    let base_name = spec.base.as_ref().map_or("today", |name| name.as_str());
    let of_base = base.directives_among(all_directives);
    let without = resolve_directives(&spec.without, all_directives, diagnostics, |name| {
        (!of_base.knows(name)).then(|| format!("`without` has no effect: {base_name} does not know {name}"))
    });
    let with = resolve_directives(&spec.with, all_directives, diagnostics, |name| {
        of_base.knows(name).then(|| format!("`with` has no effect: {base_name} already knows {name}"))
    });
    // Keeps the order of `all_directives`, because directives take effect in that order.
    let is_known = |directive: &&'static dyn Directive| {
        let name = directive.name();
        (of_base.knows(name) && !without.contains(&name)) || with.contains(&name)
    };
    let directives = DirectiveSet::of(all_directives.iter().filter(is_known));
    Some(UserProfile { name: spec.name.value.clone(), directives, library: base.library() })
}

/// Looks up the directives of a list. If `problem` returns a message for a directive, that message is reported.
fn resolve_directives(
    listed: &[Spanned<String>],
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
    problem: impl Fn(&str) -> Option<String>,
) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in listed {
        let Some(directive) = all_directives.by_name(name) else {
            report_unknown_directive(name, all_directives, diagnostics);
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
    #[case("{name: x, base: kubernetes-1.20, with: [$patchMergeKey]}", 20)]
    #[case("name: x", 37)]
    fn a_profile_has_the_library_of_its_base(#[case] text: &str, #[case] release: u32) {
        let profile = UserProfile::read("p.yaml", text.as_bytes()).unwrap();
        assert_eq!(profile.library, PatchLibrary::of_release(release));
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
        "p.yaml:3:11: `without` has no effect: kubernetes-1.6 does not know $retainKeys"
    )]
    #[case::nothing_to_add(
        "name: x\nwith: [$patch]",
        "p.yaml:2:8: `with` has no effect: today already knows $patch"
    )]
    #[case::twice("name: x\nwithout: [$patch, $patch]", "p.yaml:2:19: $patch is listed twice")]
    fn errors_have_a_position(#[case] text: &str, #[case] expected: &str) {
        let errors = UserProfile::read("p.yaml", text.as_bytes()).unwrap_err().to_string();
        assert!(errors.starts_with(expected), "{errors}");
    }
}
