//! Changes of the patch format for which the laws are checked: directives of the registry, and proposals.

use skewer_engine::OwnedDoc;
use skewer_engine::directive::{Directive, DirectiveSet, IntroducedIn, ListedItems, MapScope, REGISTRY};
use skewer_engine::profile::Profile;
use skewer_engine::schema::MetadataTag;

use super::implementation::AskedImplementation;

/// A change of the patch format: the difference between a party with the change and a party without it.
#[derive(Clone, Debug)]
pub struct FormatChange {
    /// Name in tables and on the command line.
    pub name: &'static str,
    /// Description in a sentence. Empty for a directive of the registry.
    pub about: &'static str,
    /// The directive that a party with the change knows.
    pub directive: &'static dyn Directive,
    /// Whether the directive is in the registry. If so, a party without the change has no directive with that name.
    pub is_registered: bool,
    /// Directive that gives a party without the change the old behaviour. Used if the engine itself has the new
    /// behaviour.
    pub old_behavior: Option<&'static dyn Directive>,
    /// Names of the directives that the change replaces. Neither party knows them.
    pub replaces: &'static [&'static str],
    /// Metadata tag that was introduced with the change. A party without the change ignores the tag.
    pub metadata_tag: Option<MetadataTag>,
    /// Returns true if an entry of a patch belongs to the change. The function is called only for entries whose key
    /// belongs to the directive.
    pub entry_filter: fn(&str, &OwnedDoc) -> bool,
    /// The maps in which the keys of the change have a meaning.
    pub scope: MapScope,
    /// Profiles that supply the other directives. The laws are checked with each of them.
    pub profiles: Vec<Profile>,
    /// The implementation that creates and applies the patches.
    pub implementation: AskedImplementation,
}

/// The profiles with which proposals are tried: that of the latest release, and that of Kubernetes 1.6, in whose time
/// the retain-keys proposal was written. The proposal of `$patchMergeKey` is younger.
const PROPOSAL_PROFILES: [Profile; 2] = [Profile::Today, Profile::Release(6)];

impl FormatChange {
    /// Creates the change that introduces a directive of the registry.
    #[must_use]
    pub fn registered(directive: &'static dyn Directive) -> Self {
        let mut profiles = vec![Profile::Today, Profile::Proposed];
        if let IntroducedIn::Release(release @ 1..) = directive.introduced_in() {
            // The profile of the previous release comes second. The profile of the latest release comes first,
            // because its examples are easiest to read.
            profiles.insert(1, Profile::Release(release - 1));
        }
        FormatChange { profiles, is_registered: true, ..FormatChange::proposed(directive, "") }
    }

    /// Creates the change that introduces a directive outside the registry.
    #[must_use]
    pub fn proposed(directive: &'static dyn Directive, about: &'static str) -> Self {
        FormatChange {
            name: directive.name(),
            about,
            directive,
            is_registered: false,
            old_behavior: None,
            replaces: &[],
            metadata_tag: directive.metadata_tag().map(|declared| MetadataTag::Declared(declared.name)),
            entry_filter: |_, _| true,
            scope: directive.scope(),
            profiles: PROPOSAL_PROFILES.to_vec(),
            implementation: AskedImplementation::default(),
        }
    }

    /// Creates the change that introduces a directive that the engine does not have. An implementation that has it must be
    /// asked.
    #[must_use]
    pub fn declared(directive: &'static dyn Directive) -> Self {
        FormatChange { profiles: vec![Profile::Today], ..FormatChange::proposed(directive, "") }
    }

    /// Returns true if the engine does not have the directive.
    #[must_use]
    pub fn is_declared(&self) -> bool {
        self.directive.form().is_some()
    }

    /// Returns true if the change affects patches that do not contain its keys.
    #[must_use]
    pub fn is_keyless(&self) -> bool {
        self.directive.is_active_in(&skewer_engine::Map::new()) || self.old_behavior.is_some()
    }

    /// Returns true if the name of the directive identifies the change, so that a case can exclude the change by name.
    #[must_use]
    pub fn has_distinct_name(&self) -> bool {
        self.is_registered || skewer_engine::directive::by_name(self.directive.name()).is_none()
    }

    /// Returns true if this entry of a patch belongs to the change.
    #[must_use]
    pub fn is_change_entry(&self, key: &str, value: &OwnedDoc) -> bool {
        key.starts_with('$') && self.directive.is_own_key(key) && (self.entry_filter)(key, value)
    }

    /// Returns all directives that a case about the change can name.
    #[must_use]
    pub fn all_directives(&self) -> DirectiveSet {
        let mut all = self.insert_directive(REGISTRY.to_vec());
        all.extend(self.old_behavior);
        DirectiveSet::of(all)
    }

    /// Returns the patch formats without and with the change, for each profile of other directives. Profiles that lead
    /// to the same directives are listed once.
    #[must_use]
    pub fn format_pairs(&self) -> Vec<PatchFormatPair> {
        let mut pairs: Vec<PatchFormatPair> = Vec::new();
        for profile in &self.profiles {
            let pair = self.patch_format_pair(*profile);
            if !pairs.iter().any(|other| directive_names(&other.new) == directive_names(&pair.new)) {
                pairs.push(pair);
            }
        }
        pairs
    }

    fn patch_format_pair(&self, profile: Profile) -> PatchFormatPair {
        let profile_directives = profile.directives();
        let others: Vec<&'static dyn Directive> = REGISTRY
            .iter()
            .copied()
            .filter(|d| profile_directives.knows(d.name()) && !self.replaces.contains(&d.name()))
            .collect();
        // If the directive is registered, the old format does not have it. If it is a new version of a registered
        // directive, the old format has the registered version.
        let mut old: Vec<_> = others
            .iter()
            .copied()
            .filter(|d| d.name() != self.directive.name() || !self.is_registered)
            .collect();
        old.extend(self.old_behavior);
        PatchFormatPair {
            profile: profile.to_string(),
            old: DirectiveSet::of(old),
            new: DirectiveSet::of(self.insert_directive(others)),
        }
    }

    /// Inserts the directive of the change into a list of others. It replaces a directive with the same name.
    /// Otherwise, it is inserted at the registry position of its name or of the first directive that it replaces, or
    /// else at the end.
    fn insert_directive(&self, mut others: Vec<&'static dyn Directive>) -> Vec<&'static dyn Directive> {
        let name = self.directive.name();
        if let Some(same_name) = others.iter_mut().find(|d| d.name() == name) {
            *same_name = self.directive;
            return others;
        }
        let own_index =
            registry_index(name).or_else(|| self.replaces.first().and_then(|n| registry_index(n)));
        let index =
            own_index.and_then(|own| others.iter().position(|d| registry_index(d.name()) > Some(own)));
        others.insert(index.unwrap_or(others.len()), self.directive);
        others
    }
}

fn registry_index(name: &str) -> Option<usize> {
    REGISTRY.iter().position(|directive| directive.name() == name)
}

fn directive_names(set: &DirectiveSet) -> Vec<&'static str> {
    set.iter().map(Directive::name).collect()
}

/// The patch formats without and with a change, as sets of directives. The other directives come from a profile.
#[derive(Clone, Debug)]
pub struct PatchFormatPair {
    /// Label of the profile that supplies the other directives.
    pub profile: String,
    /// Directives without the change.
    pub old: DirectiveSet,
    /// Directives with the change.
    pub new: DirectiveSet,
}

/// The version of the patch format that a party uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatVersion {
    /// The format without the change.
    Old,
    /// The format with the change.
    New,
}

impl FormatVersion {
    /// Both versions, the old one first.
    pub const ALL: [FormatVersion; 2] = [FormatVersion::Old, FormatVersion::New];

    /// Returns the name of the version in cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FormatVersion::Old => "old",
            FormatVersion::New => "new",
        }
    }
}

impl PatchFormatPair {
    /// Returns true if the old format does not define the order of merging lists. Then lists that differ only in their
    /// order are equivalent.
    ///
    /// Without `$setElementOrder`, "merge strategy works as an unordered set", and "the final ordering was arbitrary".
    #[must_use]
    pub fn is_list_order_open(&self) -> bool {
        !self.old.iter().any(|d| d.listed_items() == Some(ListedItems::ElementOrder))
    }

    /// Returns the directives of a party.
    #[must_use]
    pub fn directives(&self, version: FormatVersion) -> &DirectiveSet {
        match version {
            FormatVersion::Old => &self.old,
            FormatVersion::New => &self.new,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registered_directive_keeps_its_registry_position() {
        for directive in REGISTRY {
            for pair in FormatChange::registered(*directive).format_pairs() {
                assert!(!pair.old.knows(directive.name()) && pair.new.knows(directive.name()));
                assert!(directive_names(&pair.new).is_sorted_by_key(|name| registry_index(name)), "{pair:?}");
                assert_eq!(directive_names(&pair.new.without(directive.name())), directive_names(&pair.old));
            }
        }
    }

    #[test]
    fn a_registered_directive_is_tried_with_today_the_previous_release_and_the_proposals() {
        let change = FormatChange::registered(skewer_engine::directive::by_name("$retainKeys").unwrap());
        let profiles: Vec<String> = change.format_pairs().into_iter().map(|pair| pair.profile).collect();
        assert_eq!(profiles, ["today", "kubernetes-1.6", "proposed"]);
    }
}
