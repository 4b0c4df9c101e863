//! The mutating webhook of the cluster.

use std::sync::Arc;

use skewer_engine::directive::DirectiveSet;
use skewer_skew::{Intent, Webhook};
use skewer_yaml::{Diagnostics, Spanned};

use super::intent::resolve_intent;
use super::parties::PlanError;
use super::party::PartySetting;
use super::types_name::TypesName;
use super::views::Views;
use crate::format::WebhookSpec;

/// A webhook, as a case or an axis value sets it. It replaces that of the case as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WebhookSetting {
    pub(crate) party: PartySetting,
    pub(crate) intent: Arc<Intent>,
}

impl WebhookSetting {
    /// Converts a webhook. Reports one that does nothing.
    pub(super) fn resolve(
        spec: &Spanned<WebhookSpec>,
        all_directives: &DirectiveSet,
        diagnostics: &Diagnostics,
    ) -> Self {
        let party = spec.party.clone().unwrap_or_default();
        if spec.value == WebhookSpec::default() && !diagnostics.has_error_in(spec.span) {
            diagnostics
                .error(spec.span, "the webhook does nothing: it knows all types, and makes no edit")
                .help("write a `party` that lacks a field, or an `intent`");
        }
        WebhookSetting {
            party: PartySetting::resolve_webhook(&party, all_directives, diagnostics),
            intent: Arc::new(resolve_intent(&spec.intent, diagnostics)),
        }
    }

    /// Returns the webhook for objects of a root type.
    pub(super) fn webhook(&self, types: &TypesName, views: &Views) -> Result<Arc<Webhook>, PlanError> {
        let party = views.client(types, &self.party, &PartySetting::default())?;
        Ok(Arc::new(Webhook { party, intent: Arc::clone(&self.intent) }))
    }
}
