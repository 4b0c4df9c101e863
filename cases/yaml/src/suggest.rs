use strsim::{damerau_levenshtein, normalized_damerau_levenshtein};

/// Maximum length of names that are compared: the time of a comparison grows with the product of both lengths.
const MAX_NAME_LENGTH: usize = 64;

/// Maximum number of known names that a name is compared with.
const MAX_CANDIDATES: usize = 1_000;

/// Finds the known name that `name` is probably a misspelling of.
///
/// A name is near if at most a third of it differs, case aside. In names of up to four letters, one letter may differ, or
/// two letters may be swapped. Only the first 1,000 known names are compared.
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
        (distance <= allowed).then(|| normalized_damerau_levenshtein(&normalized, &candidate))
    };
    let scored =
        known.into_iter().take(MAX_CANDIDATES).filter(|candidate| candidate.len() <= MAX_NAME_LENGTH);
    let scored = scored.filter_map(|candidate| similarity(candidate).map(|score| (score, candidate)));
    // Of equally near names the first one is taken, which keeps messages stable.
    let best = scored.fold(None, |best: Option<(f64, &str)>, (score, candidate)| match best {
        Some((top, _)) if top >= score => best,
        _ => Some((score, candidate)),
    });
    best.map(|(_, candidate)| candidate)
}

/// Removes the differences between `snake_case`, `camelCase` and `kebab-case`, which people mix up most.
fn without_case_style(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Puts the names into backquotes, separated by commas.
pub(super) fn quote_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Shortens a text to the start of its characters on one line, for messages.
pub(super) fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = one_line.clone().take(MAX_CHARS).collect();
    if one_line.count() > MAX_CHARS {
        short.push('…');
    }
    short
}
