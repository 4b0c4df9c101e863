use strsim::{damerau_levenshtein, normalized_damerau_levenshtein};

/// Names beyond this length are not compared: the distance takes time by the product of both lengths.
const LONGEST: usize = 64;

/// The known name that `name` was probably meant to be.
///
/// A name is near when a third of it at most would have to change, case aside; for names of four letters and
/// less, one letter or two that are swapped.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let plain = plain(name);
    let near = |candidate: &str| {
        let candidate = self::plain(candidate);
        let distance = damerau_levenshtein(&plain, &candidate);
        let longest = plain.chars().count().max(candidate.chars().count());
        let allowed = if longest < 2 { 0 } else { (longest / 3).max(1) };
        (distance <= allowed).then(|| normalized_damerau_levenshtein(&plain, &candidate))
    };
    let scored = known.into_iter().filter(|candidate| candidate.len() <= LONGEST);
    let scored = scored.filter_map(|candidate| near(candidate).map(|score| (score, candidate)));
    // Of equally near names the first one is taken, which keeps messages stable.
    let best = scored.fold(None, |best: Option<(f64, &str)>, (score, candidate)| match best {
        Some((top, _)) if top >= score => best,
        _ => Some((score, candidate)),
    });
    best.map(|(_, candidate)| candidate)
}

/// `nearest` ignores what people mix up most: `snake_case`, `camelCase` and `kebab-case`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The names in backquotes, separated by commas.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The start of a long or many-lined text, for messages.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = one_line.clone().take(SHOWN).collect();
    if one_line.count() > SHOWN {
        short.push('…');
    }
    short
}
