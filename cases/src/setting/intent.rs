//! Converts the edits of an intent to the checked model.

use skewer_skew::{Edit, Intent, Selector};
use skewer_yaml::{Diagnostics, Spanned};

use crate::format::IntentSpec;

/// Converts an intent. An edit with an invalid path is reported and left out.
pub(super) fn resolve_intent(spec: &IntentSpec, diagnostics: &Diagnostics) -> Intent {
    let select = |text: &Spanned<String>| match text.parse::<Selector>() {
        Ok(selector) => Some(selector),
        Err(error) => {
            diagnostics.error(text.span, skewer_engine::Error::to_string(&error));
            None
        }
    };
    let mut edits = Vec::new();
    edits.extend(spec.set.as_ref().map(|set| Edit::Set(set.value.clone())));
    edits.extend(
        spec.choose
            .iter()
            .filter_map(|c| Some(Edit::Choose { selector: select(&c.at)?, fields: c.fields.clone() })),
    );
    edits.extend(spec.select.iter().filter_map(|s| {
        Some(Edit::Select {
            selector: select(&s.at)?,
            member: s.member.as_str().into(),
            value: s.value.clone(),
        })
    }));
    edits.extend(spec.clear.iter().filter_map(|at| Some(Edit::Clear(select(at)?))));
    edits.extend(
        spec.add.iter().filter_map(|a| Some(Edit::Add { selector: select(&a.at)?, item: a.item.clone() })),
    );
    edits.extend(spec.remove.iter().filter_map(|at| Some(Edit::Remove(select(at)?))));
    edits.extend(
        spec.order
            .iter()
            .filter_map(|o| Some(Edit::Order { selector: select(&o.at)?, order: o.order.clone() })),
    );
    edits.extend(
        spec.increment.iter().filter_map(|i| Some(Edit::Increment { selector: select(&i.at)?, by: i.by })),
    );
    Intent(edits)
}
