//! Names in case files: the allowed characters, and the messages about unknown names.

use skewer_engine::directive::{Directive, DirectiveSet};
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin;
use skewer_yaml::{Diagnostics, Spanned, nearest};

/// Reports a name that has a character which cell ids use as a delimiter, such as `[`, `,`, `=` or `/`, or that is
/// empty.
pub(crate) fn check_characters(name: &Spanned<String>, what: &str, diagnostics: &Diagnostics) {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$' | '+');
    if name.is_empty() || !name.chars().all(is_allowed) {
        diagnostics
            .error(name.span, format!("`{name}` is not a valid name for {what}"))
            .help("cell ids contain the name; use only letters, digits and - _ . $ +");
    }
}

/// Maximum number of known names that an error lists.
const MAX_NAMES: usize = 40;

/// Reports an unknown name. The message suggests the nearest known name, or lists the known names.
pub(crate) fn report_unknown<'a>(
    name: &Spanned<String>,
    what: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    diagnostics: &Diagnostics,
) {
    if diagnostics.is_full() {
        return diagnostics.count(name.span);
    }
    let near = nearest(name, known.clone());
    let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let added = diagnostics.error(name.span, format!("there is no {what} `{name}`{hint}"));
    if near.is_none() {
        let count = known.clone().count();
        let named: Vec<_> = known.take(MAX_NAMES).collect();
        let help = match count.saturating_sub(named.len()) {
            _ if named.is_empty() => "no name is known".to_owned(),
            0 => format!("the known names are {}", named.join(", ")),
            more => format!("the known names are {} and {more} more", named.join(", ")),
        };
        added.help(help);
    }
}

/// Reports an axis that a case does not have.
pub(crate) fn report_unknown_axis(
    name: &Spanned<String>,
    case: &str,
    axes: &[&str],
    diagnostics: &Diagnostics,
) {
    let near = nearest(name, axes.iter().copied());
    let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    let added = diagnostics.error(name.span, format!("the case `{case}` has no axis `{name}`{hint}"));
    if near.is_none() {
        let known = match axes {
            [] => "the case has no axes".to_owned(),
            axes => format!("the axes of the case are {}", axes.join(", ")),
        };
        added.help(format!("{known}; a condition of the suite names axes that all of its cases have"));
    }
}

/// Maximum number of axis values that an error lists.
const MAX_VALUES: usize = 10;

/// Reports a value that an axis does not have. The message suggests the nearest value, or lists the values.
pub(crate) fn report_unknown_value<'a>(
    value: &Spanned<String>,
    axis: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    diagnostics: &Diagnostics,
) {
    if diagnostics.is_full() {
        return diagnostics.count(value.span);
    }
    let hint = match nearest(value, known.clone()) {
        Some(near) => format!(": did you mean `{near}`?"),
        None if known.clone().count() <= MAX_VALUES => {
            let known: Vec<String> = known.map(|value| format!("`{value}`")).collect();
            format!(" (expected {})", known.join(" or "))
        }
        None => String::new(),
    };
    diagnostics.error(value.span, format!("axis `{axis}` has no value `{value}`{hint}"));
}

/// Reports a directive that the engine does not have.
pub(crate) fn report_unknown_directive(
    name: &Spanned<String>,
    all_directives: &DirectiveSet,
    diagnostics: &Diagnostics,
) {
    let names: Vec<&str> = all_directives.iter().map(Directive::name).collect();
    if diagnostics.is_full() || nearest(name, names.iter().copied()).is_some() {
        return report_unknown(name, "directive", names.into_iter(), diagnostics);
    }
    diagnostics.error(name.span, format!("there is no directive `{name}`")).help(format!(
        "if only a target has it, declare it in the suite: `directives: {{{name}: {{applies-to: list}}}}`; the known names are {}",
        names.join(", ")
    ));
}

/// Returns the profile with this name. Reports an unknown name and returns `None`.
pub(crate) fn resolve_profile(name: &Spanned<String>, diagnostics: &Diagnostics) -> Option<Profile> {
    let profile = Profile::from_name(name);
    let newest = builtin::newest();
    if let Some(Profile::Release(minor)) = profile
        && minor > newest.minor()
    {
        diagnostics
            .error(
                name.span,
                format!("there is no profile `{name}`: the newest release is {}", newest.name()),
            )
            .help("write the profile of a release, or `proposed` for what did not ship");
        return None;
    }
    if profile.is_none() {
        diagnostics
            .error(name.span, format!("there is no profile `{name}`"))
            .help("the profiles are today, proposed, and kubernetes-1.N for each release");
    }
    profile
}
