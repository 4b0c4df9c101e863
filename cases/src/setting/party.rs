use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::SpareCapacity;
use skewer_engine::profile::Profile;
use skewer_engine::schema::SchemaElement;
use skewer_engine::schema::builtin::{self, Release};
use skewer_engine::union::policy::{self, Policy};
use skewer_engine::{Error, OwnedText};
use skewer_skew::{ApplyTool, RequestOptions, tools};
use skewer_yaml::{Diagnostics, Span};

use crate::format::{PartySpec, SchemaName};
use crate::names::{report_unknown, report_unknown_directive, resolve_profile};

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
    pub(crate) negotiates: Option<bool>,
    pub(crate) strict: Option<bool>,
    pub(crate) defaults: Option<bool>,
    /// The spare capacity of the lists of scalars that the party merges.
    pub(crate) spare_capacity: Option<SpareCapacity>,
    pub(crate) policy: Option<&'static dyn Policy>,
    pub(crate) manager: Option<OwnedText>,
    pub(crate) tool: Option<Arc<ApplyTool>>,
    pub(crate) force: Option<bool>,
    pub(crate) resource_version: Option<bool>,
}

impl PartySetting {
    /// Converts the properties of a client that a case or an axis value sets. Reports those that only a server has.
    ///
    /// Each directive that the party is `without` must be one of `all_directives`, the directives of the engine.
    pub(crate) fn resolve_client(
        spec: &PartySpec,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        report_server_options("client", spec, diagnostics);
        PartySetting::resolve(spec, all_directives, diagnostics)
    }

    fn resolve(spec: &PartySpec, all_directives: &DirectiveSet, diagnostics: &Diagnostics) -> Self {
        let mut party = PartySetting {
            schema: spec.schema.as_ref().map(|schema| schema.value),
            unstructured: spec.unstructured.as_ref().map(|unstructured| unstructured.value),
            negotiates: spec.negotiates.as_ref().map(|negotiates| negotiates.value),
            strict: spec.strict.as_ref().map(|strict| strict.value),
            defaults: spec.defaults.as_ref().map(|defaults| defaults.value),
            spare_capacity: spec.lists.map(SpareCapacity::from),
            manager: spec.manager.as_ref().map(|manager| manager.value.as_str().into()),
            force: spec.force.as_ref().map(|force| force.value),
            resource_version: spec.resource_version.as_ref().map(|sends| sends.value),
            ..PartySetting::default()
        };
        for missing in &spec.without {
            if missing.starts_with('$') {
                if !all_directives.knows(missing) {
                    report_unknown_directive(missing, all_directives, diagnostics);
                    continue;
                }
                party.missing_directives.push(missing.value.as_str().into());
                continue;
            }
            match SchemaElement::parse(missing, &all_directives.metadata_tags()) {
                Ok(element) => party.missing_elements.push(element),
                Err(error) => {
                    diagnostics.error(missing.span, Error::to_string(&error));
                }
            }
        }
        party.sort_missing_elements();
        party.policy = spec.policy.as_ref().and_then(|name| {
            let policy = policy::by_name(name);
            if policy.is_none() {
                let names = policy::REGISTRY.iter().map(|policy| policy.name());
                report_unknown(name, "policy", names, diagnostics);
            }
            policy
        });
        party.tool = spec.tool.as_ref().and_then(|name| {
            let tool = ApplyTool::named(name).map(Arc::new).ok();
            if tool.is_none() {
                report_unknown(name, "tool", tools().iter().map(|tool| tool.name), diagnostics);
            }
            tool
        });
        party.profile = spec.profile.as_ref().and_then(|name| resolve_profile(name, diagnostics));
        party.release = spec.release.as_ref().and_then(|name| match builtin::release(name) {
            Ok(release) => Some(release),
            Err(error) => {
                diagnostics.error(name.span, error.message());
                None
            }
        });
        party
    }

    /// Converts the properties of a webhook. It sends no requests and stores no object, so that their options are errors.
    pub(super) fn resolve_webhook(
        spec: &PartySpec,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        report_request_options("webhook", spec, diagnostics);
        report_server_options("webhook", spec, diagnostics);
        PartySetting::resolve(spec, all_directives, diagnostics)
    }

    /// Converts the properties of a server as [`PartySetting::resolve_client`] does. A server sends no requests and decodes
    /// objects into its types, so that the options of clients are errors.
    pub(crate) fn resolve_server(
        spec: &PartySpec,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        report_request_options("server", spec, diagnostics);
        if let Some(unstructured) = &spec.unstructured {
            diagnostics
                .error(unstructured.span, "a server has no `unstructured`")
                .help("`unstructured` says how a client keeps objects: write it in a `client`");
        }
        PartySetting::resolve(spec, all_directives, diagnostics)
    }

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
        self.negotiates = contribution.negotiates.or(self.negotiates);
        self.strict = contribution.strict.or(self.strict);
        self.defaults = contribution.defaults.or(self.defaults);
        self.spare_capacity = contribution.spare_capacity.or(self.spare_capacity);
        self.policy = contribution.policy.or(self.policy);
        if contribution.manager.is_some() {
            self.manager.clone_from(&contribution.manager);
        }
        if contribution.tool.is_some() {
            self.tool.clone_from(&contribution.tool);
        }
        self.force = contribution.force.or(self.force);
        self.resource_version = contribution.resource_version.or(self.resource_version);
    }

    /// Returns this client in the newest version that it and the server know: with the older of their schemas, releases and
    /// profiles, and without what one of them does not know. `of_case` is the profile of a party that is up to date.
    pub(crate) fn negotiated_with(&self, server: &PartySetting, of_case: Profile) -> Self {
        let profile = |party: &PartySetting| {
            let of_release = party.release.map(|release| Profile::Release(release.minor()));
            party.profile.or(of_release).unwrap_or(of_case)
        };
        let mut version = PartySetting {
            schema: [self.schema, server.schema].into_iter().flatten().min(),
            // A party without a release is up to date.
            release: [self.release, server.release]
                .into_iter()
                .flatten()
                .min_by_key(|release| release.minor()),
            profile: Some(profile(self).min(profile(server))),
            ..self.clone()
        };
        version.missing_elements.extend(server.missing_elements.iter().cloned());
        version.sort_missing_elements();
        version.missing_directives.extend(server.missing_directives.iter().cloned());
        version
    }

    /// Returns the options of a request of the party. `None` stands for the main resource.
    pub(crate) fn request_options(&self, subresource: Option<OwnedText>) -> RequestOptions {
        let standard = RequestOptions::standard();
        RequestOptions {
            manager: self.manager.as_ref().unwrap_or(&standard.manager).clone(),
            force: self.force.unwrap_or(standard.force),
            resource_version: self.resource_version,
            subresource: subresource.unwrap_or_default(),
            tool: self.tool.clone(),
        }
    }

    /// Sorts the missing elements and removes duplicates, so that parties with the same missing elements share one
    /// view.
    fn sort_missing_elements(&mut self) {
        self.missing_elements.sort();
        self.missing_elements.dedup();
    }
}

/// Returns the names and spans of the options of requests that are set for a party.
pub(crate) fn request_options(spec: &PartySpec) -> impl Iterator<Item = (&'static str, Span)> {
    let options = [
        ("manager", spec.manager.as_ref().map(|manager| manager.span)),
        ("tool", spec.tool.as_ref().map(|tool| tool.span)),
        ("force", spec.force.as_ref().map(|force| force.span)),
        ("resource-version", spec.resource_version.as_ref().map(|sends| sends.span)),
        ("negotiates", spec.negotiates.as_ref().map(|negotiates| negotiates.span)),
    ];
    options.into_iter().filter_map(|(name, span)| Some((name, span?)))
}

/// Returns the names and spans of the options that only a server has.
pub(crate) fn server_options(spec: &PartySpec) -> impl Iterator<Item = (&'static str, Span)> {
    let options = [
        ("policy", spec.policy.as_ref().map(|policy| policy.span)),
        ("strict", spec.strict.as_ref().map(|strict| strict.span)),
        ("defaults", spec.defaults.as_ref().map(|defaults| defaults.span)),
    ];
    options.into_iter().filter_map(|(name, span)| Some((name, span?)))
}

fn report_request_options(party: &str, spec: &PartySpec, diagnostics: &Diagnostics) {
    for (name, span) in request_options(spec) {
        diagnostics
            .error(span, format!("a {party} has no `{name}`"))
            .help(format!("`{name}` is an option of the requests of a client: write it in a `client`"));
    }
}

fn report_server_options(party: &str, spec: &PartySpec, diagnostics: &Diagnostics) {
    for (name, span) in server_options(spec) {
        diagnostics
            .error(span, format!("a {party} has no `{name}`"))
            .help(format!("`{name}` is an option of a server: write it in a `server`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(missing: &[&str], profile: Option<&str>, release: Option<&str>) -> PartySetting {
        let tags = DirectiveSet::all().metadata_tags();
        PartySetting {
            missing_elements: missing
                .iter()
                .map(|element| SchemaElement::parse(element, &tags).unwrap())
                .collect(),
            missing_directives: vec!["$retainKeys".into()],
            profile: profile.and_then(Profile::from_name),
            release: release.map(|name| builtin::release(name).unwrap()),
            ..PartySetting::default()
        }
    }

    #[test]
    fn a_negotiated_version_is_the_older_of_each_and_lacks_what_one_party_lacks() {
        let client =
            PartySetting { manager: Some("me".into()), ..party(&["A.a"], None, Some("kubernetes-1.30")) };
        let server = PartySetting {
            schema: Some(SchemaName::Old),
            strict: Some(true),
            missing_directives: vec!["$patchMergeKey".into()],
            ..party(&["B.b", "A.a"], Some("kubernetes-1.20"), None)
        };
        let version = client.negotiated_with(&server, Profile::Today);
        assert_eq!((version.schema, version.profile), (Some(SchemaName::Old), Some(Profile::Release(20))));
        assert_eq!(version.release.map(Release::name), Some("kubernetes-1.30"));
        assert_eq!(version.missing_elements, party(&["A.a", "B.b"], None, None).missing_elements);
        assert_eq!(version.missing_directives, ["$retainKeys", "$patchMergeKey"].map(OwnedText::from_static));
        // All else is that of the client.
        assert_eq!((version.strict, version.manager.as_deref()), (None, Some("me")));
        // The version of an older client is its own, and the profile of a case is that of up-to-date parties.
        let profile_with = |profile: Option<&str>, of_case| {
            party(&[], profile, None).negotiated_with(&PartySetting::default(), of_case).profile
        };
        assert_eq!(profile_with(Some("kubernetes-1.5"), Profile::Today), Some(Profile::Release(5)));
        assert_eq!(profile_with(None, Profile::Proposed), Some(Profile::Proposed));
        assert_eq!(profile_with(Some("proposed"), Profile::Today), Some(Profile::Today));
    }
}
