//! The shortest list of patterns for a set of cells.

use std::collections::BTreeSet;

use skewer_results::Cell;

use super::known_deviation::{is_excusable, matches_cell_id};

/// Returns patterns that match all cells of `wanted`: those of a folder, of a suite or of a case, each with any values of
/// the axes or with one value, or a single cell. The pattern that matches most of the wanted cells is chosen first.
///
/// No pattern matches a cell that passed. At least half of the failed cells that a pattern matches are wanted; the others
/// fail in another way, and the text `found` of the entry tells them apart. Cells of a case that were not run do not count,
/// because a deviation does not change them. But a pattern for a suite or a folder of which few cells were run would say
/// more than the run shows: at least half of all of its cells are wanted.
pub(super) fn patterns_for(wanted: &[&Cell], all: &[Cell]) -> Vec<String> {
    let mut uncovered: BTreeSet<&str> = wanted.iter().map(|cell| cell.id.as_str()).collect();
    let candidates = candidate_patterns(wanted).into_iter();
    let mut candidates: Vec<Candidate<'_>> =
        candidates.filter_map(|pattern| Candidate::new(pattern, &uncovered, all)).collect();
    let mut patterns = Vec::new();
    loop {
        for candidate in &mut candidates {
            candidate.ids.retain(|id| uncovered.contains(id));
        }
        let useful = candidates.iter().filter(|candidate| candidate.ids.len() > 1);
        let Some(best) = useful.max_by_key(|candidate| candidate.rank()) else { break };
        patterns.push(best.pattern.clone());
        for id in &best.ids {
            uncovered.remove(id);
        }
    }
    patterns.extend(uncovered.into_iter().map(str::to_owned));
    patterns.sort();
    patterns
}

struct Candidate<'c> {
    pattern: String,
    /// The wanted cells that the pattern matches and no chosen pattern does.
    ids: Vec<&'c str>,
    /// Number of cells of the corpus that the pattern matches.
    breadth: usize,
}

impl<'c> Candidate<'c> {
    /// Returns `None` if the pattern matches a cell that does not fail, or mostly cells that are not wanted.
    fn new(pattern: String, wanted: &BTreeSet<&str>, all: &'c [Cell]) -> Option<Self> {
        let matched: Vec<&Cell> = all.iter().filter(|cell| matches_cell_id(&pattern, &cell.id)).collect();
        let run: Vec<&&Cell> = matched.iter().filter(|cell| cell.status.was_run()).collect();
        let ids: Vec<&str> =
            run.iter().map(|cell| cell.id.as_str()).filter(|id| wanted.contains(id)).collect();
        // A pattern for several cases counts the cells that were not run, too.
        let counted = if pattern.contains("/*") { matched.len() } else { run.len() };
        let is_exact = run.iter().all(|cell| is_excusable(cell.status)) && ids.len() * 2 >= counted;
        is_exact.then_some(Candidate { pattern, ids, breadth: matched.len() })
    }

    /// The more cells, the better. If two patterns match equally many, the one that matches fewer cells of the corpus is
    /// better, then the one for a case rather than a suite, and a suite rather than a folder, and then the shorter one.
    fn rank(&self) -> impl Ord + use<> {
        let is_for_a_case = !self.pattern.contains("/*");
        let folders = self.pattern.matches('/').count();
        let (breadth, length) = (usize::MAX - self.breadth, usize::MAX - self.pattern.len());
        (self.ids.len(), breadth, is_for_a_case, folders, length)
    }
}

/// Returns the patterns with `*` that match any of the cells.
fn candidate_patterns(cells: &[&Cell]) -> BTreeSet<String> {
    let mut patterns = BTreeSet::new();
    for cell in cells {
        let suite = &cell.suite;
        let folder = suite.split_once('/').map(|(folder, _)| format!("{folder}/*"));
        patterns.extend(folder);
        patterns.insert(format!("{suite}/*"));
        if !cell.id.contains('[') {
            continue;
        }
        patterns.insert(format!("{suite}/{}[*]", cell.case));
        for (axis, value) in cell.axes.iter() {
            patterns.insert(format!("{suite}/*[*{axis}={value}*]"));
            patterns.insert(format!("{suite}/{}[*{axis}={value}*]", cell.case));
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_results::Status;

    use super::*;

    fn cell(id: &str, status: Status) -> Cell {
        let (name, point) = id.split_once('[').unwrap_or((id, ""));
        let (suite, case) = name.rsplit_once('/').unwrap();
        let mut cell = Cell::new(id, suite, case, status);
        for (axis, value) in point.trim_end_matches(']').split(',').filter_map(|pair| pair.split_once('=')) {
            cell.axes.set(axis, value);
        }
        cell
    }

    #[rstest]
    #[case::one_cell(&["f/s/a"], &[], &["f/s/a"])]
    #[case::a_case(&["f/s/a[x=1]", "f/s/a[x=2]"], &["f/s/b"], &["f/s/a[*]"])]
    #[case::a_suite(&["f/s/a[x=1]", "f/s/b"], &["f/t/b"], &["f/s/*"])]
    #[case::a_folder(&["f/s/a", "f/t/b"], &["g/s/a"], &["f/*"])]
    #[case::a_value_of_an_axis(
        &["f/s/a[x=1,y=1]", "f/s/a[x=1,y=2]", "f/s/b[x=1]"],
        &["f/s/a[x=2,y=1]"],
        &["f/s/*[*x=1*]"]
    )]
    #[case::cells_of_a_case_that_also_passes(
        &["f/s/a[x=1,y=1]", "f/s/a[x=1,y=2]"],
        &["f/s/a[x=2,y=1]", "f/s/b[x=1]"],
        &["f/s/a[*x=1*]"]
    )]
    #[case::nothing_in_common(&["f/s/a", "f/s/b"], &["f/s/c"], &["f/s/a", "f/s/b"])]
    #[case::a_value_that_begins_another(
        &["f/s/a[x=1,y=1]", "f/s/a[x=1,y=2]"],
        &["f/s/a[x=11,y=1]"],
        &["f/s/a[x=1,y=1]", "f/s/a[x=1,y=2]"]
    )]
    fn patterns_match_no_cell_that_passed(
        #[case] wanted: &[&str],
        #[case] others: &[&str],
        #[case] expected: &[&str],
    ) {
        let cells: Vec<Cell> = wanted.iter().map(|id| cell(id, Status::Fail)).collect();
        let passed = others.iter().map(|id| cell(id, Status::Pass));
        let all: Vec<Cell> = cells.iter().cloned().chain(passed).collect();
        assert_eq!(patterns_for(&cells.iter().collect::<Vec<_>>(), &all), expected);
    }

    #[rstest]
    #[case::as_many(&["s/c", "s/d"], &["s/*"])]
    #[case::more(&["s/c", "s/d", "s/e"], &["s/a", "s/b"])]
    fn a_pattern_can_match_a_few_other_failures(#[case] others: &[&str], #[case] expected: &[&str]) {
        let ids = ["s/a", "s/b"].iter().chain(others);
        let all: Vec<Cell> = ids.map(|id| cell(id, Status::Fail)).collect();
        assert_eq!(patterns_for(&[&all[0], &all[1]], &all), expected);
    }

    #[test]
    fn cells_of_a_case_that_were_not_run_do_not_count() {
        let all = ["s/a[x=1]", "s/a[x=2]"].map(|id| cell(id, Status::Fail));
        let all: Vec<Cell> = all.into_iter().chain([cell("s/a[x=3]", Status::Unsupported)]).collect();
        assert_eq!(patterns_for(&[&all[0], &all[1]], &all), ["s/a[*]"]);
    }

    #[rstest]
    #[case::half(2, &["s/*"])]
    #[case::less_than_half(3, &["s/a", "s/b"])]
    fn a_suite_that_was_hardly_run_gets_no_pattern(#[case] not_run: usize, #[case] expected: &[&str]) {
        let others = (0..not_run).map(|number| cell(&format!("s/c{number}"), Status::Unsupported));
        let all: Vec<Cell> =
            ["s/a", "s/b"].map(|id| cell(id, Status::Fail)).into_iter().chain(others).collect();
        assert_eq!(patterns_for(&[&all[0], &all[1]], &all), expected);
    }
}
