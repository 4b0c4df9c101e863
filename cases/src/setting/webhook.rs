//! The mutating webhook of the cluster.

use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_skew::{Intent, Webhook};
use skewer_yaml::Diagnostics;

use super::intent::resolve_intent;
use super::parties::PlanError;
use super::party::{PartySetting, request_options};
use super::types_name::TypesName;
use super::views::Views;
use crate::format::WebhookSpec;

/// A webhook, as a case or an axis value sets it. It replaces that of the case as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WebhookSetting {
    pub(crate) party: PartySetting,
    intent: Arc<Intent>,
}

impl WebhookSetting {
    /// Converts a webhook. It sends no requests, so that their options are errors.
    pub(super) fn resolve(
        spec: &WebhookSpec,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        let party = spec.party.clone().unwrap_or_default();
        for (name, span) in request_options(&party) {
            diagnostics
                .error(span, format!("a webhook has no `{name}`"))
                .help(format!("`{name}` is an option of the requests of a client: write it in a `client`"));
        }
        WebhookSetting {
            party: PartySetting::resolve(&party, all_directives, diagnostics),
            intent: Arc::new(resolve_intent(&spec.intent, diagnostics)),
        }
    }

    /// Returns the webhook for objects of a root type.
    pub(super) fn webhook(&self, types: &TypesName, views: &Views) -> Result<Arc<Webhook>, PlanError> {
        let party = views.client(types, &self.party, &PartySetting::default())?;
        Ok(Arc::new(Webhook { party, intent: Arc::clone(&self.intent) }))
    }
}
