//! The message for a selection that matches no cell: the condition that is responsible, and what was probably meant.

use std::collections::BTreeSet;

use skewer_cases::format::renamed_request;
use skewer_cases::yaml::nearest;
use skewer_execute::execute::{Condition, SelectableCell, Selection, pattern_matches};

use crate::cli::output::counted;

/// The end of the message about a name that is similar to no other.
pub(super) const LIST_HINT: &str = "`skewer list` prints all ids";

/// Maximum number of known names that a message lists.
const MAX_NAMES: usize = 8;

/// Explains why a selection matches none of some cells: one line for each condition, up to the one that leaves no cell.
/// Conditions that match no cell by themselves have a line, too.
pub(in crate::cli) fn explain_empty_selection<C: SelectableCell>(
    cells: &[C],
    selection: &Selection,
) -> Vec<String> {
    let conditions = selection.conditions();
    let mut lines = Vec::new();
    let mut left: Vec<&C> = cells.iter().collect();
    for (index, condition) in conditions.iter().enumerate() {
        let accepted: Vec<&C> = left.iter().copied().filter(|cell| condition.accepts(*cell)).collect();
        if accepted.is_empty() {
            lines.push(explain_condition(condition, cells, &left));
            let rest = conditions[index + 1..].iter();
            let useless = rest.filter(|condition| !cells.iter().any(|cell| condition.accepts(cell)));
            lines.extend(useless.map(|condition| explain_condition(condition, cells, &[])));
            break;
        }
        lines.push(if lines.is_empty() {
            format!("`{condition}` {} {}", matches_or_leaves(condition), counted(accepted.len(), "cell"))
        } else {
            format!("`{condition}` leaves {} of them", accepted.len())
        });
        left = accepted;
    }
    lines
}

fn matches_or_leaves(condition: &Condition<'_>) -> &'static str {
    if matches!(condition, Condition::Skip(_)) { "leaves" } else { "matches" }
}

/// Explains why a condition accepts none of the cells that are `left`.
fn explain_condition<C: SelectableCell>(condition: &Condition<'_>, cells: &[C], left: &[&C]) -> String {
    let accepts_other_cells = cells.iter().any(|cell| condition.accepts(cell));
    if accepts_other_cells {
        let seen = describe_cells(condition, left);
        let seen = if seen.is_empty() { seen } else { format!(": {seen}") };
        return format!("`{condition}` leaves none of them{seen}");
    }
    match condition {
        Condition::Patterns(patterns) => {
            each(patterns, |pattern| format!("no id matches `{pattern}`{}", pattern_hint(pattern, cells)))
        }
        Condition::Ids(ids) => each(ids, |id| exact_hint(id, cells)),
        Condition::Skip(pattern) => format!("`--skip {pattern}` leaves no cell: it matches all ids"),
        Condition::Axis(axis, value) => axis_hint((axis, value), cells, left),
        Condition::Levels(_) => {
            let known = distinct(cells.iter().map(|cell| cell.level().name().to_owned()));
            format!("`{condition}` matches no cell: the cells have the level {}", listed(&known))
        }
        Condition::Issues(parts) => each(parts, |part| issue_hint(part, cells)),
        Condition::Kep => "no cell covers a row of the test matrix of KEP-1027".to_owned(),
        Condition::Rows(_) => {
            let rows: BTreeSet<u32> = cells.iter().flat_map(|cell| cell.kep_rows().into_owned()).collect();
            match (rows.first(), rows.last()) {
                (Some(first), Some(last)) => {
                    format!("`{condition}` matches no cell: the cells cover rows from {first} to {last}")
                }
                _ => format!("`{condition}` matches no cell: the cells cover no row of the test matrix"),
            }
        }
    }
}

/// Joins the explanations of several values of one condition.
fn each(values: &[String], explain: impl Fn(&str) -> String) -> String {
    let explained: Vec<String> = values.iter().take(MAX_NAMES).map(|value| explain(value)).collect();
    explained.join("; ")
}

/// Describes the property of cells that a condition is about.
fn describe_cells<C: SelectableCell>(condition: &Condition<'_>, cells: &[&C]) -> String {
    match condition {
        Condition::Axis(axis, _) => {
            let values = distinct(cells.iter().flat_map(|cell| values_on(*cell, axis)));
            if values.is_empty() {
                let coordinates = cells.iter().flat_map(|cell| cell.coordinates());
                let others = distinct(coordinates.map(|(name, _)| name.to_owned()));
                if others.is_empty() {
                    return "they have no axes".to_owned();
                }
                return format!("they have no axis `{axis}`, but {}", listed(&others));
            }
            format!("on the axis `{axis}` they have {}", listed(&values))
        }
        Condition::Levels(_) => {
            let levels = distinct(cells.iter().map(|cell| cell.level().name().to_owned()));
            format!("they have the level {}", listed(&levels))
        }
        Condition::Issues(_) => {
            let issues = distinct(cells.iter().flat_map(|cell| cell.issues().iter().cloned()));
            if issues.is_empty() {
                "they cite no issue".to_owned()
            } else {
                format!("they cite {}", listed(&issues))
            }
        }
        Condition::Rows(_) | Condition::Kep => {
            let rows: BTreeSet<u32> = cells.iter().flat_map(|cell| cell.kep_rows().into_owned()).collect();
            let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
            if rows.is_empty() {
                "they cover no row of the test matrix".to_owned()
            } else {
                format!("they cover the rows {}", listed(&rows))
            }
        }
        Condition::Patterns(_) | Condition::Ids(_) | Condition::Skip(_) => String::new(),
    }
}

fn values_on<C: SelectableCell>(cell: &C, axis: &str) -> Vec<String> {
    let on_axis = cell.coordinates().into_iter().filter(|(name, _)| *name == axis);
    on_axis.map(|(_, value)| value.to_owned()).collect()
}

/// Returns what was probably meant by a pattern that matches no id.
fn pattern_hint<C: SelectableCell>(pattern: &str, cells: &[C]) -> String {
    let matching = |pattern: &str| cells.iter().filter(|cell| pattern_matches(pattern, &cell.id())).count();
    if let Some(hint) = coordinate_hint(pattern, cells) {
        return format!(": {hint}");
    }
    if pattern.contains('*') {
        let anywhere = format!("*{}*", pattern.trim_matches('*'));
        return match matching(&anywhere) {
            0 => ", and a pattern with `*` must match a whole id".to_owned(),
            matched => {
                format!(
                    ": a pattern with `*` must match a whole id, and `{anywhere}` matches {}",
                    counted(matched, "cell")
                )
            }
        };
    }
    if let Some((prefix, _)) = pattern.split_once('[').filter(|(prefix, _)| !prefix.is_empty()) {
        let matched = matching(prefix);
        if matched > 0 {
            return format!(
                ", but `{prefix}` matches {}: `skewer list '{prefix}'` prints their ids, and `--axis AXIS=VALUE` \
                 selects by one axis",
                counted(matched, "cell")
            );
        }
    }
    match nearest_name(pattern, cells) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => format!(": {LIST_HINT}"),
    }
}

/// Explains that no cell has a coordinate `AXIS=VALUE` that a pattern contains.
fn coordinate_hint<C: SelectableCell>(pattern: &str, cells: &[C]) -> Option<String> {
    let parts = pattern.split(['[', ',', ']', '*', '/']);
    let mut coordinates = parts.filter_map(|part| part.split_once('='));
    let is_unknown = |(axis, value): &(&str, &str)| {
        !axis.is_empty()
            && !value.is_empty()
            && !cells.iter().any(|cell| cell.coordinates().contains(&(*axis, *value)))
    };
    coordinates.find(is_unknown).map(|coordinate| axis_hint(coordinate, cells, &[]))
}

/// Returns the name of a suite or case that is similar to a pattern, or a word in such a name.
fn nearest_name<C: SelectableCell>(pattern: &str, cells: &[C]) -> Option<String> {
    let suites = distinct(cells.iter().map(|cell| cell.suite().to_owned()));
    let cases = distinct(cells.iter().map(|cell| format!("{}/{}", cell.suite(), cell.case())));
    let names = distinct(cells.iter().map(|cell| cell.case().to_owned()));
    let is_long = |word: &&str| word.len() > 3;
    let parts = suites.iter().flat_map(|suite| suite.split('/'));
    let words = suites.iter().chain(&names).flat_map(|name| name.split(['/', '-'])).filter(is_long);
    let words = distinct(parts.chain(words).map(str::to_owned));
    [&suites, &cases, &names, &words].into_iter().find_map(|known| nearest_of(pattern, known))
}

/// Returns the known name that is most similar to a name. [`nearest`] compares a limited number of names.
fn nearest_of(name: &str, known: &[String]) -> Option<String> {
    const NAMES_AT_ONCE: usize = 1000;
    let best: Vec<&str> = known
        .chunks(NAMES_AT_ONCE)
        .filter_map(|names| nearest(name, names.iter().map(String::as_str)))
        .collect();
    nearest(name, best).map(str::to_owned)
}

/// Explains that an argument of `--exact` is not the id of a cell.
fn exact_hint<C: SelectableCell>(id: &str, cells: &[C]) -> String {
    let of_suite = cells.iter().filter(|cell| cell.suite() == id).count();
    let is_of_case = |cell: &&C| {
        id.strip_prefix(cell.suite()).and_then(|rest| rest.strip_prefix('/')) == Some(cell.case())
    };
    let of_case = cells.iter().filter(is_of_case).count();
    let (what, found) = match (of_suite, of_case) {
        (0, 0) => ("a part of the ids of", cells.iter().filter(|cell| cell.id().contains(id)).count()),
        (0, found) => ("a case with", found),
        (found, _) => ("a suite with", found),
    };
    if found > 0 {
        let id_of_one = cells.iter().find(|cell| cell.id().contains(id)).map(|cell| cell.id().into_owned());
        return format!(
            "`--exact` needs whole ids of cells, such as `{}`, and `{id}` is {what} {}: leave `--exact` out to select \
             them",
            id_of_one.unwrap_or_default(),
            counted(found, "cell")
        );
    }
    let ids: Vec<String> = cells.iter().map(|cell| cell.id().into_owned()).collect();
    match nearest_of(id, &ids).or_else(|| nearest_name(id, cells)) {
        Some(near) => format!("no cell has the id `{id}`: did you mean `{near}`?"),
        None => format!("no cell has the id `{id}`: {LIST_HINT}"),
    }
}

/// Explains that no cell has a value on an axis. The listed values are those of the cells that are `left`, if these have
/// the axis.
fn axis_hint<C: SelectableCell>((axis, value): (&str, &str), cells: &[C], left: &[&C]) -> String {
    let values = distinct(cells.iter().flat_map(|cell| values_on(cell, axis)));
    if values.is_empty() {
        return match unknown_axis_hint(axis, cells) {
            Some(hint) => format!("no cell has an axis `{axis}`: {hint}"),
            None => format!("no cell has an axis `{axis}`"),
        };
    }
    let renamed = renamed_request(value).filter(|_| axis == "request").map(str::to_owned);
    if let Some(near) = renamed.or_else(|| nearest_of(value, &values)) {
        return format!("the axis `{axis}` has no value `{value}`: did you mean `{near}`?");
    }
    let of_left = distinct(left.iter().flat_map(|cell| values_on(*cell, axis)));
    let known = if of_left.is_empty() { &values } else { &of_left };
    format!("the axis `{axis}` has no value `{value}`: it has {}", listed(known))
}

/// Returns what was probably meant by the name of an axis that no cell has.
pub(in crate::cli) fn unknown_axis_hint<C: SelectableCell>(axis: &str, cells: &[C]) -> Option<String> {
    let coordinates = cells.iter().flat_map(SelectableCell::coordinates);
    let known = distinct(coordinates.map(|(name, _)| name.to_owned()));
    match nearest_of(axis, &known) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() => None,
        None => Some(format!("the axes are {}", listed(&known))),
    }
}

/// Explains that no cell cites an issue.
fn issue_hint<C: SelectableCell>(part: &str, cells: &[C]) -> String {
    let issues = distinct(cells.iter().flat_map(|cell| cell.issues().iter().cloned()));
    let numbers: Vec<String> = issues
        .iter()
        .filter_map(|issue| issue.rsplit_once('#'))
        .map(|(_, number)| number.to_owned())
        .collect();
    let near = nearest_of(part, &issues).or_else(|| nearest_of(part.trim_start_matches('#'), &numbers));
    match near {
        Some(near) => format!("no cell cites an issue `{part}`: did you mean `{near}`?"),
        None if issues.is_empty() => format!("no cell cites an issue `{part}`: the cells cite no issues"),
        None => {
            format!(
                "no cell cites an issue `{part}`: `skewer run --rows issue` prints the issues with their cells"
            )
        }
    }
}

/// Sorts names and removes duplicates.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Lists names for a message.
fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > MAX_NAMES {
        shown.push(format!("{} more", names.len() - MAX_NAMES));
    }
    match shown.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => shown.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_reports::{Cell, Status};

    use super::*;

    fn cells() -> Vec<Cell> {
        let cell = |case: &str, client: &str| {
            let id = format!("keys/{case}[client={client}]");
            let mut cell = Cell::new(id, "keys", case, Status::Pass);
            cell.axes.set("client", client);
            cell.issue = vec!["kubernetes/kubernetes#39188".to_owned()];
            cell
        };
        let rowed = Cell { kep: vec![3, 7], ..Cell::new("unions/plain", "unions", "plain", Status::Pass) };
        vec![cell("one", "old"), cell("one", "new"), cell("second", "new"), rowed]
    }

    fn selection(change: impl FnOnce(&mut Selection)) -> Selection {
        let mut selection = Selection::default();
        change(&mut selection);
        selection
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[rstest]
    #[case::suite("kesy", ": did you mean `keys`?")]
    #[case::case("keys/secnod", ": did you mean `keys/second`?")]
    #[case::other_case("Unions", ": did you mean `unions`?")]
    #[case::nothing_near("zzzzzz", ": `skewer list` prints all ids")]
    #[case::star("one*", ": a pattern with `*` must match a whole id, and `*one*` matches 2 cells")]
    #[case::axis_value("keys/*[client=odl]", ": the axis `client` has no value `odl`: did you mean `old`?")]
    #[case::axis("*clinet=old*", ": no cell has an axis `clinet`: did you mean `client`?")]
    #[case::coordinates(
        "keys/second[client=old]",
        ", but `keys/second` matches 1 cell: `skewer list 'keys/second'`"
    )]
    fn a_pattern_that_matches_nothing_has_a_suggestion(#[case] pattern: &str, #[case] hint: &str) {
        let selection = selection(|selection| selection.patterns = words(&[pattern]));
        let lines = explain_empty_selection(&cells(), &selection);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with(&format!("no id matches `{pattern}`{hint}")), "{lines:?}");
    }

    #[rstest]
    #[case::suite("keys", "`keys` is a suite with 3 cells: leave `--exact` out to select them")]
    #[case::case("keys/one", "`keys/one` is a case with 2 cells")]
    #[case::part("keys/one[", "`keys/one[` is a part of the ids of 2 cells")]
    #[case::misspelt(
        "keys/one[client=odl]",
        "no cell has the id `keys/one[client=odl]`: did you mean `keys/one[client=old]`?"
    )]
    fn an_exact_id_that_does_not_exist_is_explained(#[case] id: &str, #[case] expected: &str) {
        let selection = selection(|selection| {
            selection.patterns = words(&[id]);
            selection.exact = true;
        });
        let lines = explain_empty_selection(&cells(), &selection);
        assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    }

    #[rstest]
    #[case::axis("clinet", "old", "no cell has an axis `clinet`: did you mean `client`?")]
    #[case::unlike_any_axis("zone", "old", "no cell has an axis `zone`: the axes are `client`")]
    #[case::value("client", "odl", "the axis `client` has no value `odl`: did you mean `old`?")]
    #[case::unlike_any_value(
        "client",
        "ancient",
        "the axis `client` has no value `ancient`: it has `new` and `old`"
    )]
    fn an_axis_without_the_value_is_explained(
        #[case] axis: &str,
        #[case] value: &str,
        #[case] expected: &str,
    ) {
        let selection = selection(|selection| selection.axes = vec![(axis.to_owned(), value.to_owned())]);
        assert_eq!(explain_empty_selection(&cells(), &selection), [expected]);
    }

    #[test]
    fn the_condition_that_leaves_no_cell_is_named_after_those_that_leave_some() {
        let selection = selection(|selection| {
            selection.patterns = words(&["second"]);
            selection.axes = vec![("client".to_owned(), "old".to_owned())];
            selection.issues = words(&["39187"]);
            selection.rows = vec![45];
        });
        assert_eq!(
            explain_empty_selection(&cells(), &selection),
            [
                "`second` matches 1 cell",
                "`--axis client=old` leaves none of them: on the axis `client` they have `new`",
                "no cell cites an issue `39187`: did you mean `39188`?",
                "`--row 45` matches no cell: the cells cover rows from 3 to 7",
            ]
        );
    }

    #[test]
    fn cells_without_the_axis_are_described() {
        let selection = selection(|selection| {
            selection.patterns = words(&["keys", "unions"]);
            selection.rows = vec![3];
            selection.axes = vec![("client".to_owned(), "old".to_owned())];
            selection.skip = words(&["keys"]);
        });
        assert_eq!(
            explain_empty_selection(&cells(), &selection),
            [
                "`keys unions` matches 4 cells",
                "`--skip keys` leaves 1 of them",
                "`--axis client=old` leaves none of them: they have no axes"
            ]
        );
    }

    #[test]
    fn a_pattern_to_skip_can_be_responsible() {
        let selection = selection(|selection| selection.skip = words(&["s"]));
        assert_eq!(
            explain_empty_selection(&cells(), &selection),
            ["`--skip s` leaves no cell: it matches all ids"]
        );
    }
}
