//! Profiles. A profile has a name, and says which directives a party knows and how its patch library behaves, such as
//! those of a Kubernetes release.
//!
//! The directives of a party also decide how it reads the metadata of types: whether `patchMergeKey` can name several
//! fields, and which merge keys are recommended for the types of Kubernetes
//! ([`DirectiveSet::with_proposed_metadata`]).

use std::fmt;

use crate::directive::{Directive, DirectiveSet, IntroducedIn};
use crate::patch::PatchLibrary;

/// A named set of directives, with the behaviour of a patch library. Older profiles come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Profile {
    /// `kubernetes-1.N`: the directives and the patch library of this Kubernetes release.
    Release(u32),
    /// `today`: all directives that have shipped, and the newest patch library.
    Today,
    /// `proposed`: all directives that have shipped or were proposed, and the newest patch library.
    Proposed,
}

impl Profile {
    /// Returns the profile with this name: `today`, `proposed`, or `kubernetes-1.N`.
    ///
    /// ```
    /// use skewer_engine::profile::Profile;
    ///
    /// let old = Profile::from_name("kubernetes-1.6").expect("a release").directives();
    /// assert!(old.knows("$patch") && !old.knows("$retainKeys"));
    /// assert!(Profile::from_name("kubernetes").is_none());
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "today" => Some(Profile::Today),
            "proposed" => Some(Profile::Proposed),
            _ => name.strip_prefix("kubernetes-1.")?.parse().ok().map(Profile::Release),
        }
    }

    /// Returns the registered directives of the profile. The release in which a directive first shipped decides whether
    /// a profile has it.
    #[must_use]
    pub fn directives(self) -> DirectiveSet {
        self.directives_among(&DirectiveSet::all())
    }

    /// Returns those directives of `all` that belong to the profile. `all` can contain proposals that are not
    /// registered. Directives that are only declared belong to all profiles but those of a release.
    #[must_use]
    pub fn directives_among(self, all: &DirectiveSet) -> DirectiveSet {
        let knows = |d: &&'static dyn Directive| match (self, d.introduced_in()) {
            (Profile::Proposed, _)
            | (Profile::Today, IntroducedIn::Release(_) | IntroducedIn::Declaration) => true,
            (Profile::Release(release), IntroducedIn::Release(since)) => since <= release,
            (_, IntroducedIn::Proposal | IntroducedIn::Declaration) => false,
        };
        DirectiveSet::of(all.iter().filter(knows))
    }

    /// Returns the behaviour of the patch library of the profile.
    ///
    /// ```
    /// use skewer_engine::patch::PatchLibrary;
    /// use skewer_engine::profile::Profile;
    ///
    /// assert_eq!(Profile::Release(22).library(), PatchLibrary::of_release(22));
    /// assert_eq!(Profile::Today.library(), PatchLibrary::NEWEST);
    /// ```
    #[must_use]
    pub fn library(self) -> PatchLibrary {
        match self {
            Profile::Release(minor) => PatchLibrary::of_release(minor),
            Profile::Today | Profile::Proposed => PatchLibrary::NEWEST,
        }
    }
}

impl fmt::Display for Profile {
    /// Writes the name of the profile, which [`Profile::from_name`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Profile::Release(release) => write!(f, "kubernetes-1.{release}"),
            Profile::Today => f.write_str("today"),
            Profile::Proposed => f.write_str("proposed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// `$retainKeys` and `$setElementOrder` were added by the upstream pull requests 44597 and 45980, both in release
    /// 1.7.
    #[rstest]
    #[case::before_all("kubernetes-1.5", &["$patch"])]
    #[case::deletion_from_sets("kubernetes-1.6", &["$deleteFromPrimitiveList", "$patch"])]
    #[case::order_and_kept_keys("kubernetes-1.7", &["$deleteFromPrimitiveList", "$patch", "$retainKeys", "$setElementOrder"])]
    #[case::today("today", &["$deleteFromPrimitiveList", "$patch", "$retainKeys", "$setElementOrder"])]
    fn a_release_knows_the_directives_shipped_by_then(#[case] name: &str, #[case] expected: &[&str]) {
        let profile = Profile::from_name(name).unwrap();
        let mut names: Vec<_> = profile.directives().iter().map(Directive::name).collect();
        names.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_profile_of_proposals_knows_all_directives() {
        let names = |set: &DirectiveSet| set.iter().map(Directive::name).collect::<Vec<_>>();
        assert_eq!(names(&Profile::Proposed.directives()), names(&DirectiveSet::all()));
        assert!(DirectiveSet::all().iter().any(|it| it.introduced_in() == IntroducedIn::Proposal));
    }

    #[rstest]
    #[case::a_release("kubernetes-1.17", Some(Profile::Release(17)))]
    #[case::today("today", Some(Profile::Today))]
    #[case::proposed("proposed", Some(Profile::Proposed))]
    #[case::no_release("kubernetes-1.x", None)]
    #[case::nothing("", None)]
    #[case::another_case("Today", None)]
    fn profiles_are_parsed_from_their_names(#[case] name: &str, #[case] expected: Option<Profile>) {
        assert_eq!(Profile::from_name(name), expected);
        if let Some(profile) = expected {
            assert_eq!(profile.to_string(), name);
        }
    }

    #[test]
    fn a_profile_knows_only_directives_of_the_given_set() {
        let available = DirectiveSet::all().without("$patch");
        let known = Profile::from_name("kubernetes-1.6").unwrap().directives_among(&available);
        assert_eq!(known.iter().map(Directive::name).collect::<Vec<_>>(), ["$deleteFromPrimitiveList"]);
    }
}
