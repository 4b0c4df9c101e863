//! The message for a selection that matches no cell: the condition that is responsible, and what was probably meant.

use std::collections::BTreeSet;

use skewer_cases::format::renamed_request;
use skewer_cases::yaml::nearest;
use skewer_execute::execute::{CellSelection, SelectableCell, SelectionCondition};

/// The end of the message if nothing similar is known.
pub(super) const LIST_HINT: &str = "`skewer list` prints all ids";

/// Returns the first condition of a selection that leaves none of some cells, and what was probably meant.
pub(super) fn explain_empty_selection<C: SelectableCell>(cells: &[C], selection: &CellSelection) -> String {
    let mut left: Vec<&C> = cells.iter().collect();
    for condition in selection.conditions() {
        let accepted: Vec<&C> = left.iter().copied().filter(|cell| condition.accepts(*cell)).collect();
        if accepted.is_empty() {
            let counted = if left.len() == cells.len() {
                "no cell"
            } else {
                "none of the cells that the conditions before it select"
            };
            let meant = probably_meant(&condition, cells).map(|near| format!("did you mean `{near}`?"));
            let hint = meant.unwrap_or_else(|| LIST_HINT.to_owned());
            return format!("`{condition}` leaves {counted}: {hint}");
        }
        left = accepted;
    }
    LIST_HINT.to_owned()
}

/// Returns the known value that is most similar to the first value of a condition.
fn probably_meant<C: SelectableCell>(condition: &SelectionCondition<'_>, cells: &[C]) -> Option<String> {
    let suites = || distinct(cells.iter().map(|cell| cell.suite().to_owned()));
    let cases = || distinct(cells.iter().map(|cell| format!("{}/{}", cell.suite(), cell.case())));
    let ids = || distinct(cells.iter().map(|cell| cell.id().into_owned()));
    match condition {
        SelectionCondition::Patterns(patterns) => {
            let pattern = patterns.first()?.trim_matches('*');
            let names = || distinct(cells.iter().map(|cell| cell.case().to_owned()));
            let similar = nearest_of(pattern, &suites()).or_else(|| nearest_of(pattern, &cases()));
            similar.or_else(|| nearest_of(pattern, &names())).or_else(|| nearest_of(pattern, &ids()))
        }
        SelectionCondition::Ids(wanted) => {
            let wanted = wanted.first()?;
            let ids = ids();
            let longer = ids.iter().find(|id| id.contains(wanted.as_str())).cloned();
            longer.or_else(|| nearest_of(wanted, &ids)).or_else(|| nearest_of(wanted, &cases()))
        }
        SelectionCondition::Axis(axis, value) => {
            let renamed = renamed_request(value).filter(|_| *axis == "request");
            let coordinates = cells.iter().flat_map(SelectableCell::coordinates);
            let known = distinct(coordinates.map(|(axis, value)| format!("{axis}={value}")));
            let wanted = format!("{axis}={}", renamed.unwrap_or(value));
            let similar = known.contains(&wanted).then(|| wanted.clone()).filter(|_| renamed.is_some());
            similar.or_else(|| nearest_of(&wanted, &known).filter(|near| *near != wanted))
        }
        SelectionCondition::Issues(parts) => {
            let issues = distinct(cells.iter().flat_map(|cell| cell.issues().iter().cloned()));
            let numbers =
                distinct(issues.iter().filter_map(|issue| Some(issue.rsplit_once('#')?.1.to_owned())));
            let part = parts.first()?;
            nearest_of(part, &issues).or_else(|| nearest_of(part.trim_start_matches('#'), &numbers))
        }
        SelectionCondition::Skip(_)
        | SelectionCondition::Levels(_)
        | SelectionCondition::Kep
        | SelectionCondition::Rows(_) => None,
    }
}

/// Returns the known name that is most similar to a name. [`nearest`] compares a limited number of names.
fn nearest_of(name: &str, known: &[String]) -> Option<String> {
    const NAMES_AT_ONCE: usize = 1000;
    let of_chunk = |names: &'_ [String]| nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    let best: Vec<String> = known.chunks(NAMES_AT_ONCE).filter_map(of_chunk).collect();
    nearest(name, best.iter().map(String::as_str)).map(str::to_owned)
}

/// Returns what was probably meant by the name of an axis that no cell has.
pub(in crate::cli) fn unknown_axis_hint<C: SelectableCell>(axis: &str, cells: &[C]) -> Option<String> {
    let coordinates = cells.iter().flat_map(SelectableCell::coordinates);
    let near = nearest_of(axis, &distinct(coordinates.map(|(name, _)| name.to_owned())));
    near.map(|near| format!("did you mean `{near}`?"))
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_results::{Cell, Status};

    use super::*;

    fn explanation(change: impl FnOnce(&mut CellSelection)) -> String {
        let cell = |case: &str, client: &str| {
            let id = format!("keys/{case}[client={client}]");
            let mut cell = Cell::new(id, "keys", case, Status::Pass);
            cell.axes.set("client", client);
            cell.issue = vec!["kubernetes/kubernetes#39188".to_owned()];
            cell
        };
        let rowed = Cell { kep: vec![3, 7], ..Cell::new("unions/plain", "unions", "plain", Status::Pass) };
        let cells = [cell("one", "old"), cell("one", "new"), cell("second", "new"), rowed];
        let mut selection = CellSelection::default();
        change(&mut selection);
        explain_empty_selection(&cells, &selection)
    }

    #[rstest]
    #[case::suite("kesy", "did you mean `keys`?")]
    #[case::case("keys/secnod", "did you mean `keys/second`?")]
    #[case::other_case("Unions", "did you mean `unions`?")]
    #[case::nothing_near("zzzzzz", LIST_HINT)]
    #[case::star("one*", "did you mean `one`?")]
    #[case::axis_value("keys/one[client=odl]", "did you mean `keys/one[client=old]`?")]
    fn a_pattern_that_matches_nothing_has_a_suggestion(#[case] pattern: &str, #[case] hint: &str) {
        let explained = explanation(|selection| selection.patterns = vec![pattern.to_owned()]);
        assert_eq!(explained, format!("`{pattern}` leaves no cell: {hint}"));
    }

    #[rstest]
    #[case::suite("keys", "keys/one[client=new]")]
    #[case::misspelt("keys/one[client=odl]", "keys/one[client=old]")]
    fn an_exact_id_that_does_not_exist_is_explained(#[case] id: &str, #[case] near: &str) {
        let explained = explanation(|selection| {
            selection.patterns = vec![id.to_owned()];
            selection.exact = true;
        });
        assert_eq!(explained, format!("`--exact {id}` leaves no cell: did you mean `{near}`?"));
    }

    #[rstest]
    #[case::axis("clinet", "old", "did you mean `client=old`?")]
    #[case::value("client", "odl", "did you mean `client=old`?")]
    #[case::unlike_any_axis("zone", "eu-central", LIST_HINT)]
    fn an_axis_without_the_value_is_explained(#[case] axis: &str, #[case] value: &str, #[case] hint: &str) {
        let explained = explanation(|selection| selection.axes = vec![(axis.to_owned(), value.to_owned())]);
        assert_eq!(explained, format!("`--axis {axis}={value}` leaves no cell: {hint}"));
    }

    #[test]
    fn only_the_first_condition_that_leaves_no_cell_is_named() {
        let explained = explanation(|selection| {
            selection.patterns = vec!["second".to_owned()];
            selection.skip = vec!["second".to_owned()];
            selection.issues = vec!["39187".to_owned()];
        });
        assert_eq!(
            explained,
            format!(
                "`--skip second` leaves none of the cells that the conditions before it select: {LIST_HINT}"
            )
        );
        let explained = explanation(|selection| selection.issues = vec!["39187".to_owned()]);
        assert_eq!(explained, "`--issue 39187` leaves no cell: did you mean `39188`?");
    }
}
