//! Cells by directive. The directive is found in the names and texts of the cases.

use std::collections::{BTreeMap, BTreeSet};

use skewer_results::model::Cell;

use crate::summary::counts::Counts;

/// Counts the cells that are about each directive.
///
/// A directive is any word with a dollar sign in the texts of the results (`$retainKeys`). A cell is about a directive
/// in any of these cases:
/// - its description, the section that it cites or a value of its axes contains the word;
/// - the name of its suite or case contains the name in kebab case (`retain-keys`);
/// - the section that it cites is that of the directive (`retainKeys Directive`), or of one of its values (`delete
///   Directive` for `$patch: delete`).
pub(crate) fn count_by_directive(cells: &[Cell]) -> Vec<(String, Counts)> {
    let words = DirectiveWords::of(cells);
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for cell in cells {
        for name in words.directives_of(cell) {
            counts.entry(name).or_default().add(cell);
        }
    }
    counts.into_iter().map(|(name, counts)| (format!("${name}"), counts)).collect()
}

/// The words by which the cells of a directive are recognised. Names are without their dollar sign.
pub(crate) struct DirectiveWords<'a> {
    /// Directives, each with its name in kebab case if the name consists of several words.
    names: BTreeMap<&'a str, Option<String>>,
    /// Values that the texts give to a directive: `delete` for `$patch`.
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> DirectiveWords<'a> {
    /// Collects the words from the texts of all cells.
    pub(crate) fn of(cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        let mut words = DirectiveWords { names: BTreeMap::new(), values: BTreeMap::new() };
        for cell in cells {
            for text in texts(cell) {
                for (name, value) in directives_in(text) {
                    words.names.entry(name).or_insert_with(|| kebab_case(name));
                    if let Some(value) = value {
                        words.values.insert(value, name);
                    }
                }
            }
        }
        words
    }

    /// Returns the names of the directives that a cell is about.
    pub(crate) fn directives_of(&self, cell: &'a Cell) -> BTreeSet<&'a str> {
        let mut directives: BTreeSet<&str> =
            texts(cell).flat_map(directives_in).map(|(name, _)| name).collect();
        for (name, kebab_case) in &self.names {
            let is_named = |kebab: &String| cell.suite.contains(kebab) || cell.case.contains(kebab);
            if kebab_case.as_ref().is_some_and(is_named) {
                directives.insert(*name);
            }
        }
        let section = cell.source.as_ref().and_then(|source| source.section.as_deref());
        if let Some(word) = section.and_then(|section| section.strip_suffix(" Directive")) {
            let known =
                self.names.get_key_value(word).map(|(name, _)| name).or_else(|| self.values.get(word));
            directives.extend(known);
        }
        directives
    }
}

/// Returns the texts that describe a cell.
fn texts(cell: &Cell) -> impl Iterator<Item = &str> {
    let section = cell.source.as_ref().and_then(|source| source.section.as_deref());
    cell.about.as_deref().into_iter().chain(section).chain(cell.axes.iter().map(|(_, value)| value))
}

/// Returns the directives in a text, each with its value in this text: `patch` with `delete` for `$patch: delete`.
fn directives_in(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    text.split('$').skip(1).filter_map(|rest| {
        let (name, rest) = split_word(rest);
        let value =
            rest.strip_prefix(": ").map(|value| split_word(value).0).filter(|value| !value.is_empty());
        (!name.is_empty()).then_some((name, value))
    })
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len()))
}

/// Returns a name in kebab case: `retain-keys` for `retainKeys`. Returns `None` if the name is a single word, because a
/// single word also occurs in the names of unrelated cases.
fn kebab_case(name: &str) -> Option<String> {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab.contains('-').then_some(kebab)
}

#[cfg(test)]
mod tests {
    use skewer_results::model::Source;
    use skewer_results::vocabulary::Status;

    use super::*;

    fn cell(name: &str, about: &str, section: &str) -> Cell {
        Cell {
            about: Some(about.into()),
            source: Some(Source { document: "d".into(), section: Some(section.into()) }),
            ..Cell::new(format!("s/{name}"), "s", name, Status::Pass)
        }
    }

    #[test]
    fn a_cell_is_about_a_directive_that_its_texts_or_names_have() {
        let cells = [
            cell("a", "Sends $retainKeys beside $patch: delete.", "Tags"),
            cell("old-client-with-retain-keys", "", "Tags"),
            cell("b", "", "retainKeys Directive"),
            cell("c", "", "delete Directive"),
            cell("d", "Costs 3 $.", "some Directive"),
        ];
        let counts = count_by_directive(&cells);
        let cells: Vec<_> = counts.iter().map(|(name, counts)| (name.as_str(), counts.cells())).collect();
        assert_eq!(cells, [("$patch", 2), ("$retainKeys", 3)]);
    }
}
