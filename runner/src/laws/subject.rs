//! What is put to the laws: a directive, or another change of the patch format.

use skewer_engine::OwnedDoc;
use skewer_engine::directive::{Directive, DirectiveSet, IntroducedIn, REGISTRY};
use skewer_engine::profile::Profile;
use skewer_engine::schema::MetadataTag;

/// A change of the patch format: what a party is that has it, and what one is that does not.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// What it changes, in a sentence.
    pub about: &'static str,
    /// What a party knows that has the change.
    pub directive: &'static dyn Directive,
    /// The directive is the registry's own: who does not have the change has none of that name.
    pub is_registered: bool,
    /// What a party does that does not have it, where that is not what the engine does.
    pub stand_in: Option<&'static dyn Directive>,
    /// What it is proposed in place of: neither party knows these.
    pub instead_of: &'static [&'static str],
    /// The metadata that came with it: to a party without the change the tag means nothing.
    pub tag: Option<MetadataTag>,
    /// Is this entry of a patch the change's own? It has been taken for the directive's by its key already.
    pub is_own: fn(&str, &OwnedDoc) -> bool,
    /// Which of the maps that its keys can stand in it is for.
    pub scope: Scope,
    /// What the other directives are.
    pub among: Vec<Profile>,
}

/// Which maps a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    Any,
    /// Those whose type has fields.
    Structs,
    /// Those whose type has free keys, all with values of one type: whoever does not know a directive there cannot
    /// drop it, since every key is one that the type has.
    FreeKeys,
}

impl Subject {
    /// A directive of the registry.
    #[must_use]
    pub fn registered(directive: &'static dyn Directive) -> Self {
        let mut among = vec![Profile::Today, Profile::Proposed];
        if let IntroducedIn::Release(release @ 1..) = directive.introduced_in() {
            // What there was when it came. Today's is first: of equal examples it is the easiest to read.
            among.insert(1, Profile::Release(release - 1));
        }
        let scope = if directive.name() == RETAIN_KEYS { Scope::Structs } else { Scope::Any };
        Subject { scope, among, is_registered: true, ..Subject::proposed(directive, "") }
    }

    /// A directive outside the registry.
    #[must_use]
    pub fn proposed(directive: &'static dyn Directive, about: &'static str) -> Self {
        Subject {
            name: directive.name(),
            about,
            directive,
            is_registered: false,
            stand_in: None,
            instead_of: &[],
            tag: directive.metadata_tag(),
            is_own: |_, _| true,
            scope: Scope::Any,
            among: vec![Profile::Today, Profile::Proposed],
        }
    }

    /// Does it act without a key of its own?
    #[must_use]
    pub fn is_keyless(&self) -> bool {
        self.directive.is_active_in(&skewer_engine::Map::new()) || self.stand_in.is_some()
    }

    /// Does a name stand for it, so that a case can say that a party is without it?
    #[must_use]
    pub fn has_a_name(&self) -> bool {
        self.is_registered || skewer_engine::directive::by_name(self.directive.name()).is_none()
    }

    /// Is this entry of a patch its own?
    #[must_use]
    pub fn owns(&self, key: &str, value: &OwnedDoc) -> bool {
        key.starts_with('$') && self.directive.is_own_key(key) && (self.is_own)(key, value)
    }

    /// Every directive that a case about it can speak of.
    #[must_use]
    pub fn all(&self) -> DirectiveSet {
        let mut all = self.with(REGISTRY.to_vec());
        all.extend(self.stand_in);
        DirectiveSet::of(all)
    }

    /// The parties with and without the change, for each set of other directives; sets that are the same count
    /// once.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        for profile in &self.among {
            let pair = self.pair(*profile);
            if !pairs.iter().any(|held| names(&held.new) == names(&pair.new)) {
                pairs.push(pair);
            }
        }
        pairs
    }

    fn pair(&self, among: Profile) -> Pair {
        let known = among.directives();
        let others: Vec<&'static dyn Directive> = REGISTRY
            .iter()
            .copied()
            .filter(|d| known.knows(d.name()) && !self.instead_of.contains(&d.name()))
            .collect();
        // A registered directive is old where it is not known; a new version of one is old where the other is.
        let mut old: Vec<_> = others
            .iter()
            .copied()
            .filter(|d| d.name() != self.directive.name() || !self.is_registered)
            .collect();
        old.extend(self.stand_in);
        Pair { among: label(among), old: DirectiveSet::of(old), new: DirectiveSet::of(self.with(others)) }
    }

    /// These directives and its own: in the place of one of the same name, in that of what it is in place of, or
    /// last.
    fn with(&self, mut others: Vec<&'static dyn Directive>) -> Vec<&'static dyn Directive> {
        let name = self.directive.name();
        if let Some(held) = others.iter_mut().find(|d| d.name() == name) {
            *held = self.directive;
            return others;
        }
        let place = |name: &str| REGISTRY.iter().position(|d| d.name() == name);
        let own = place(name).or_else(|| self.instead_of.first().and_then(|name| place(name)));
        let at = own.and_then(|own| others.iter().position(|d| place(d.name()) > Some(own)));
        others.insert(at.unwrap_or(others.len()), self.directive);
        others
    }
}

/// "Scope" in retain-keys: unions, which are structs. What it is in a map with free keys is a subject of its own.
const RETAIN_KEYS: &str = "$retainKeys";

fn names(set: &DirectiveSet) -> Vec<&'static str> {
    set.iter().map(Directive::name).collect()
}

fn label(profile: Profile) -> String {
    match profile {
        Profile::Release(release) => format!("kubernetes-1.{release}"),
        Profile::Today => "today".to_owned(),
        Profile::Proposed => "proposed".to_owned(),
    }
}

/// What the directives of a party are without the change, and with it.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The profile that the other directives are of.
    pub among: String,
    /// Without.
    pub old: DirectiveSet,
    /// With.
    pub new: DirectiveSet,
}

/// Without the change, or with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// Without.
    Old,
    /// With.
    New,
}

impl Era {
    /// Both, the old one first.
    pub const ALL: [Era; 2] = [Era::Old, Era::New];

    /// The word in cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Era::Old => "old",
            Era::New => "new",
        }
    }
}

impl Pair {
    /// Does the format of the old parties leave the order of merging lists open? Then any order is "the same".
    ///
    /// "Merge strategy works as an unordered set", and "the final ordering was arbitrary", until there was a
    /// directive for it.
    #[must_use]
    pub fn order_is_open(&self) -> bool {
        !self.old.knows("$setElementOrder")
    }

    /// The directives of a party.
    #[must_use]
    pub fn directives(&self, era: Era) -> &DirectiveSet {
        match era {
            Era::Old => &self.old,
            Era::New => &self.new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registered_directive_takes_its_place_among_the_others() {
        for directive in REGISTRY {
            for pair in Subject::registered(*directive).pairs() {
                assert!(!pair.old.knows(directive.name()) && pair.new.knows(directive.name()));
                let place = |name: &str| REGISTRY.iter().position(|d| d.name() == name);
                assert!(names(&pair.new).is_sorted_by_key(|name| place(name)), "{pair:?}");
                assert_eq!(names(&pair.new.without(directive.name())), names(&pair.old));
            }
        }
    }

    #[test]
    fn the_others_are_those_of_today_of_the_release_before_and_of_the_proposals() {
        let subject = Subject::registered(skewer_engine::directive::by_name("$retainKeys").unwrap());
        let among: Vec<String> = subject.pairs().into_iter().map(|pair| pair.among).collect();
        assert_eq!(among, ["today", "kubernetes-1.6", "proposed"]);
    }
}
