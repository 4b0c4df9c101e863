//! Profiles: the directives that a release, or a proposal, knows.
//!
//! What a party makes of the metadata of types follows from its directives: whether `patchMergeKey` can name several
//! fields, and which merge keys are recommended for the types of Kubernetes itself
//! ([`DirectiveSet::amended`]).

use crate::directive::{Directive, DirectiveSet, IntroducedIn};

/// Where a profile's name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A Kubernetes release, `kubernetes-1.N`: what had shipped by then.
    Release(u32),
    /// All that has shipped: `today`.
    Today,
    /// All that has shipped or was proposed: `proposed`.
    Proposed,
}

impl Profile {
    /// The profile with this name: `today`, `proposed`, or `kubernetes-1.N`.
    ///
    /// ```
    /// use skewer_engine::profile::Profile;
    ///
    /// let old = Profile::named("kubernetes-1.6").expect("a release").directives();
    /// assert!(old.knows("$patch") && !old.knows("$retainKeys"));
    /// assert!(Profile::named("kubernetes").is_none());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "today" => Some(Profile::Today),
            "proposed" => Some(Profile::Proposed),
            _ => name.strip_prefix("kubernetes-1.")?.parse().ok().map(Profile::Release),
        }
    }

    /// The directives that it knows, by the release in which each first shipped.
    #[must_use]
    pub fn directives(self) -> DirectiveSet {
        self.directives_among(&DirectiveSet::all())
    }

    /// The same where these are the directives that there are, and not those of the registry: a proposal that
    /// is tried without being registered is one of them.
    #[must_use]
    pub fn directives_among(self, all: &DirectiveSet) -> DirectiveSet {
        let knows = |d: &&'static dyn Directive| match (self, d.introduced_in()) {
            (Profile::Proposed, _) | (Profile::Today, IntroducedIn::Release(_)) => true,
            (Profile::Release(release), IntroducedIn::Release(since)) => since <= release,
            (_, IntroducedIn::Proposal) => false,
        };
        DirectiveSet::of(all.iter().filter(knows))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// By the releases of upstream's changes: pull requests 44597 and 45980, both in 1.7.
    #[rstest]
    #[case::before_all("kubernetes-1.5", &["$patch"])]
    #[case::deletion_from_sets("kubernetes-1.6", &["$deleteFromPrimitiveList", "$patch"])]
    #[case::order_and_kept_keys("kubernetes-1.7", &["$deleteFromPrimitiveList", "$patch", "$retainKeys", "$setElementOrder"])]
    #[case::today("today", &["$deleteFromPrimitiveList", "$patch", "$retainKeys", "$setElementOrder"])]
    #[case::never_shipped("proposed", &["$deleteFromPrimitiveList", "$patch", "$patchMergeKey", "$retainKeys", "$setElementOrder"])]
    fn a_profile_knows_what_had_shipped(#[case] name: &str, #[case] expected: &[&str]) {
        let profile = Profile::named(name).unwrap();
        let mut names: Vec<_> = profile.directives().iter().map(Directive::name).collect();
        names.sort_unstable();
        assert_eq!(names, expected);
    }

    #[rstest]
    #[case::a_release("kubernetes-1.17", Some(Profile::Release(17)))]
    #[case::today("today", Some(Profile::Today))]
    #[case::proposed("proposed", Some(Profile::Proposed))]
    #[case::no_release("kubernetes-1.x", None)]
    #[case::nothing("", None)]
    #[case::another_case("Today", None)]
    fn a_profile_has_one_name(#[case] name: &str, #[case] expected: Option<Profile>) {
        assert_eq!(Profile::named(name), expected);
    }

    #[test]
    fn a_profile_knows_only_what_there_is() {
        let there_is = DirectiveSet::all().without("$patch");
        let known = Profile::named("kubernetes-1.6").unwrap().directives_among(&there_is);
        assert_eq!(known.iter().map(Directive::name).collect::<Vec<_>>(), ["$deleteFromPrimitiveList"]);
    }
}
