//! Converts the parties of a case to the checked model.

use skewer_engine::Error;
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::SpareCapacity;
use skewer_engine::schema::{SchemaElement, builtin};
use skewer_engine::union::policy;
use skewer_yaml::{Diagnostics, Span};

use super::names::{report_unknown, report_unknown_directive, resolve_profile};
use crate::format::PartySpec;
use crate::model::PartySetting;

/// Converts the properties of a party that a case or an axis value sets.
///
/// Each directive that the party is `without` must be one of `all_directives`, the directives of the engine.
pub(super) fn resolve_party(
    spec: &PartySpec,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> PartySetting {
    let mut party = PartySetting {
        schema: spec.schema.as_ref().map(|schema| schema.value),
        unstructured: spec.unstructured,
        strict: spec.strict,
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

/// Converts the properties of a server as [`resolve_party`] does. A server sends no requests, so that their options are
/// errors.
pub(super) fn resolve_server(
    spec: &PartySpec,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) -> PartySetting {
    for (name, span) in request_options(spec) {
        diagnostics
            .error(span, format!("a server has no `{name}`"))
            .help(format!("`{name}` is an option of the requests of a client: write it in a `client`"));
    }
    resolve_party(spec, all_directives, diagnostics)
}

/// Returns the names and spans of the options of requests that are set for a party.
pub(super) fn request_options(spec: &PartySpec) -> impl Iterator<Item = (&'static str, Span)> {
    let options = [
        ("manager", spec.manager.as_ref().map(|manager| manager.span)),
        ("force", spec.force.as_ref().map(|force| force.span)),
        ("resource-version", spec.resource_version.as_ref().map(|sends| sends.span)),
    ];
    options.into_iter().filter_map(|(name, span)| Some((name, span?)))
}
