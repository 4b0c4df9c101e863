//! Names in case files: their characters, and messages about unknown ones.

use skewer_engine::profile::Profile;
use skewer_yaml::{Diagnostics, Spanned, nearest};

/// Reports a name that cannot be part of a cell id: ids have `[`, `,`, `=` and `/` of their own.
pub(super) fn check_characters(name: &Spanned<String>, what: &str, diagnostics: &Diagnostics) {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$' | '+');
    if name.is_empty() || !name.chars().all(is_allowed) {
        diagnostics
            .error(name.span, format!("`{name}` cannot name {what}"))
            .help("letters, digits and - _ . $ + are what cell ids are made of");
    }
}

/// Reports an unknown name, with the nearest known one or the list of them.
pub(super) fn report_unknown<'a>(
    name: &Spanned<String>,
    what: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    diagnostics: &Diagnostics,
) {
    let near = nearest(name, known.clone());
    let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let added = diagnostics.error(name.span, format!("there is no {what} `{name}`{hint}"));
    if near.is_none() {
        let known: Vec<_> = known.collect();
        let help = if known.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        added.help(help);
    }
}

/// Resolves the name of a profile.
pub(super) fn resolve_profile(name: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Profile> {
    let profile = Profile::from_name(name);
    if profile.is_none() {
        diagnostics
            .error(name.span, format!("there is no profile `{name}`"))
            .help("there is today, proposed, and kubernetes-1.N for each release");
    }
    profile
}
