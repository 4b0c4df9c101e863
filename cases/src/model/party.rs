use skewer_engine::OwnedText;
use skewer_engine::patch::SpareCapacity;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::Release;
use skewer_engine::union::policy::Policy;
use skewer_skew::RequestOptions;

use crate::format::SchemaName;

/// The knowledge and behaviour of a party, as far as a case or an axis value sets them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartySetting {
    /// Which of the two schemas of the case the party has.
    pub(crate) schema: Option<SchemaName>,
    /// Schema elements that the party does not know; sorted, without duplicates.
    pub(crate) missing_elements: Vec<SchemaElement>,
    pub(crate) missing_directives: Vec<OwnedText>,
    pub(crate) profile: Option<Profile>,
    pub(crate) release: Option<&'static Release>,
    pub(crate) unstructured: Option<bool>,
    pub(crate) strict: Option<bool>,
    /// The spare capacity of the lists of scalars that the party merges.
    pub(crate) spare_capacity: Option<SpareCapacity>,
    pub(crate) policy: Option<&'static dyn Policy>,
    pub(crate) manager: Option<OwnedText>,
    pub(crate) force: Option<bool>,
    pub(crate) resource_version: Option<bool>,
}

impl PartySetting {
    /// Returns true if the party sees the types of the case unchanged.
    pub(crate) fn has_full_view(&self) -> bool {
        self.release.is_none() && self.missing_elements.is_empty() && self.schema != Some(SchemaName::Old)
    }

    /// Returns true if a server refuses unknown fields. Releases before 1.25 ignore the option: the feature gate
    /// `ServerSideFieldValidation` is on since then.
    pub(crate) fn validates_strictly(&self) -> bool {
        const FIRST_RELEASE: u32 = 25;
        self.strict == Some(true) && self.minor().is_none_or(|minor| minor >= FIRST_RELEASE)
    }

    /// Returns the minor version of the release of the party, if the party has the behaviour of a release.
    pub(crate) fn minor(&self) -> Option<u32> {
        match self.profile {
            Some(Profile::Release(minor)) => Some(minor),
            _ => self.release.map(Release::minor),
        }
    }

    /// Overlays the contribution of an axis value. Missing elements and directives are added to those of the party, and
    /// every other property that the contribution sets replaces the party's property.
    pub(crate) fn overlay(&mut self, contribution: &PartySetting) {
        self.schema = contribution.schema.or(self.schema);
        if !contribution.missing_elements.is_empty() {
            self.missing_elements.extend(contribution.missing_elements.iter().cloned());
            self.sort_missing_elements();
        }
        self.missing_directives.extend(contribution.missing_directives.iter().cloned());
        self.profile = contribution.profile.or(self.profile);
        self.release = contribution.release.or(self.release);
        self.unstructured = contribution.unstructured.or(self.unstructured);
        self.strict = contribution.strict.or(self.strict);
        self.spare_capacity = contribution.spare_capacity.or(self.spare_capacity);
        self.policy = contribution.policy.or(self.policy);
        if contribution.manager.is_some() {
            self.manager.clone_from(&contribution.manager);
        }
        self.force = contribution.force.or(self.force);
        self.resource_version = contribution.resource_version.or(self.resource_version);
    }

    /// Returns the options of a request of the party.
    pub(crate) fn request_options(&self) -> RequestOptions {
        let standard = RequestOptions::standard();
        RequestOptions {
            manager: self.manager.as_ref().unwrap_or(&standard.manager).clone(),
            force: self.force.unwrap_or(standard.force),
            resource_version: self.resource_version,
        }
    }

    /// Sorts the missing elements and removes duplicates, so that parties with the same missing elements share one
    /// view.
    pub(crate) fn sort_missing_elements(&mut self) {
        self.missing_elements.sort();
        self.missing_elements.dedup();
    }
}
