//! Profiles: the directives that a release, or a proposal, knows.
//!
//! What a party makes of the metadata of types follows from its directives: whether `patchMergeKey` can name several
//! fields, and which merge keys are recommended for the types of Kubernetes itself
//! ([`DirectiveSet::amended`]).

use crate::directive::{Directive, DirectiveSet, Since};

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
        let knows = |d: &&'static dyn Directive| match (self, d.since()) {
            (Profile::Proposed, _) | (Profile::Today, Since::Release(_)) => true,
            (Profile::Release(release), Since::Release(since)) => since <= release,
            (_, Since::Proposal) => false,
        };
        DirectiveSet::of(all.iter().filter(knows))
    }
}
