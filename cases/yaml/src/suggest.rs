use strsim::{damerau_levenshtein, normalized_damerau_levenshtein};

/// Maximum length of the names to compare. The time of a comparison grows with the product of both lengths.
const MAX_NAME_LENGTH: usize = 64;

/// Minimum length of a name that can be the beginning of a known name.
const MIN_BEGINNING: usize = 4;

/// Maximum number of known names with which a name is compared.
const MAX_CANDIDATES: usize = 1_000;

/// Finds the known name of which `name` is probably a misspelling.
///
/// A known name is similar if at most a third of it differs; case is ignored. In names of up to four letters, one
/// letter may differ, or two letters may be swapped. A known name is also similar if it begins with `name`. Only the
/// first 1,000 known names are compared.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_LENGTH {
        return None;
    }
    let normalized = without_case_style(name);
    let similarity = |candidate: &str| {
        let candidate = without_case_style(candidate);
        let distance = damerau_levenshtein(&normalized, &candidate);
        let longest = normalized.chars().count().max(candidate.chars().count());
        let allowed = if longest < 2 { 0 } else { (longest / 3).max(1) };
        let is_beginning = normalized.len() >= MIN_BEGINNING && candidate.starts_with(&normalized);
        (distance <= allowed || is_beginning).then(|| normalized_damerau_levenshtein(&normalized, &candidate))
    };
    let scored =
        known.into_iter().take(MAX_CANDIDATES).filter(|candidate| candidate.len() <= MAX_NAME_LENGTH);
    let scored = scored.filter_map(|candidate| similarity(candidate).map(|score| (score, candidate)));
    // The first of several equally similar names is returned, which keeps messages stable.
    let best = scored.fold(None, |best: Option<(f64, &str)>, (score, candidate)| match best {
        Some((top, _)) if top >= score => best,
        _ => Some((score, candidate)),
    });
    best.map(|(_, candidate)| candidate)
}

/// Converts a name to one case style, because people often confuse `snake_case`, `camelCase` and `kebab-case`.
fn without_case_style(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Puts the names into backquotes, separated by commas.
pub(super) fn quote_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Shortens a text for a message to its first characters, on one line.
pub(super) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = one_line.clone().take(MAX_CHARS).collect();
    if one_line.count() > MAX_CHARS {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_beginning("json-merge", Some("json-merge-patch"), &["update", "json-merge-patch"])]
    #[case::a_short_beginning("jso", None, &["json-merge-patch"])]
    #[case::the_misspelling_is_nearer("outcom", Some("outcome"), &["outcome-of-a-cell", "outcome"])]
    fn similar_names_are_found(#[case] name: &str, #[case] near: Option<&str>, #[case] known: &[&str]) {
        assert_eq!(nearest(name, known.iter().copied()), near);
    }
}
