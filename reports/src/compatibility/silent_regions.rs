//! The regions of a matrix that contain silent cells: `client=new, server=old: 4 lost of 36`.
//!
//! A cell is silent if [`Cell::is_silent`](skewer_results::model::Cell::is_silent) returns true for it.

use std::collections::HashMap;

use skewer_results::model::Cell;
use skewer_results::vocabulary::Outcome;

/// Maximum number of regions in a list.
const MAX_REGIONS: usize = 4;

/// Cost of each region of a list, which is subtracted from the score of the list.
const COST_OF_A_REGION: f64 = 0.02;

/// Cost of a second axis, which is subtracted from the score of a list. The pair of [`PARTY_AXES`] costs nothing.
const COST_OF_A_SECOND_AXIS: f64 = 0.05;

/// Minimum score of a list by axes. If the best score is lower, the list is by case.
const MIN_SCORE: f64 = 0.1;

/// Axes that are preferred to other axes with up to twice their score, because readers look for them first.
const PARTY_AXES: [&str; 2] = ["client", "server"];

/// The regions of a matrix with the most silent cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SilentRegions<'a> {
    /// Regions, sorted by number of silent cells, the highest number first.
    pub regions: Vec<SilentRegion<'a>>,
    /// Number of silent cells outside of these regions.
    pub elsewhere: usize,
}

/// The cells with the same values on some axes, or the cells of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SilentRegion<'a> {
    /// Names and values of the axes. The value is `None` if the cells of the region do not have the axis.
    pub point: Vec<(&'a str, Option<&'a str>)>,
    /// The case, if the region is one case.
    pub case: Option<&'a str>,
    /// Number of cells in the region.
    pub cells: usize,
    /// Number of silent cells in the region.
    pub silent: usize,
    /// Silent outcomes, each with the number of cells.
    pub outcomes: Vec<(Outcome, usize)>,
}

impl<'a> SilentRegions<'a> {
    /// Lists the regions by the axes that best separate silent cells from others, or by case if no axis separates them
    /// well.
    pub(super) fn by_axes_or_cases(cells: &[&'a Cell]) -> Self {
        let regions = match best_by_axes(cells, &[]) {
            Some((score, regions)) if score >= MIN_SCORE => regions,
            _ => regions_of(cells, |cell| (Vec::new(), Some(&*cell.case))),
        };
        SilentRegions::with_most(regions)
    }

    /// Lists the regions by the axes that best separate silent cells from others. The axes in `without` are not
    /// considered.
    pub(super) fn by_axes(cells: &[&'a Cell], without: &[&str]) -> Self {
        SilentRegions::with_most(best_by_axes(cells, without).map(|(_, regions)| regions).unwrap_or_default())
    }

    fn with_most(mut regions: Vec<SilentRegion<'a>>) -> Self {
        regions.retain(|region| region.silent > 0);
        regions.sort_by_key(|region| std::cmp::Reverse(region.silent));
        let elsewhere = regions.iter().skip(MAX_REGIONS).map(|region| region.silent).sum();
        regions.truncate(MAX_REGIONS);
        SilentRegions { regions, elsewhere }
    }
}

/// Groups the cells by the axis or the pair of axes with the best score. Returns this score and the regions, or `None`
/// if no cell is silent or there is no axis.
fn best_by_axes<'a>(cells: &[&'a Cell], without: &[&str]) -> Option<(f64, Vec<SilentRegion<'a>>)> {
    if !cells.iter().any(|cell| cell.is_silent()) {
        return None;
    }
    let axes = axis_names(cells, without);
    let by = |chosen: &[&'a str]| {
        let regions = regions_of(cells, |cell| point_of(cell, chosen));
        let is_short = chosen.len() == 1 || PARTY_AXES.iter().all(|axis| chosen.contains(axis));
        let cost = if is_short { 0.0 } else { COST_OF_A_SECOND_AXIS };
        (score(&regions) - cost, regions)
    };
    let mut best: Option<(f64, Vec<SilentRegion<'a>>)> = None;
    for (index, first) in axes.iter().enumerate() {
        let pairs = axes[index + 1..].iter().map(|second| vec![*first, *second]);
        for chosen in [vec![*first]].into_iter().chain(pairs) {
            let found = by(&chosen);
            if best.as_ref().is_none_or(|best| found.0 > best.0) {
                best = Some(found);
            }
        }
    }
    if PARTY_AXES.iter().all(|axis| axes.contains(axis)) {
        let of_parties = by(&PARTY_AXES);
        return best.map(|best| if of_parties.0 * 2.0 >= best.0 { of_parties } else { best });
    }
    best
}

/// Returns the axes of the cells, in the order in which the cells first name them.
fn axis_names<'a>(cells: &[&'a Cell], without: &[&str]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in cells.iter().flat_map(|cell| cell.axes.iter()) {
        if !names.contains(&name) && !without.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The key of a region: a point of some axes, or a case.
type RegionKey<'a> = (Vec<(&'a str, Option<&'a str>)>, Option<&'a str>);

fn point_of<'a>(cell: &'a Cell, axes: &[&'a str]) -> RegionKey<'a> {
    (axes.iter().map(|axis| (*axis, cell.axes.get(axis))).collect(), None)
}

/// Groups the cells by key, in the order in which the keys first occur.
fn regions_of<'a>(cells: &[&'a Cell], key_of: impl Fn(&'a Cell) -> RegionKey<'a>) -> Vec<SilentRegion<'a>> {
    let mut indexes: HashMap<RegionKey<'a>, usize> = HashMap::new();
    let mut regions: Vec<SilentRegion<'a>> = Vec::new();
    for cell in cells {
        let key = key_of(cell);
        let index = *indexes.entry(key).or_insert_with_key(|(point, case)| {
            regions.push(SilentRegion { point: point.clone(), case: *case, ..SilentRegion::default() });
            regions.len() - 1
        });
        regions[index].add(cell);
    }
    regions
}

impl SilentRegion<'_> {
    fn add(&mut self, cell: &Cell) {
        self.cells += 1;
        let Some(outcome) = cell.outcome.filter(|_| cell.is_silent()) else { return };
        self.silent += 1;
        match self.outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, cells)) => *cells += 1,
            None => self.outcomes.push((outcome, 1)),
        }
        self.outcomes.sort_unstable();
    }
}

/// Rates from 0 to 1 how well a list of the largest regions separates silent cells from others. The score is the
/// reduction of Gini impurity, multiplied by the share of the silent cells that are in the list, less the cost of a
/// long list.
#[expect(clippy::cast_precision_loss, reason = "numbers of cells are far below 2^52")]
fn score(regions: &[SilentRegion<'_>]) -> f64 {
    let impurity = |silent: usize, cells: usize| {
        if cells == 0 { 0.0 } else { silent as f64 * (cells - silent) as f64 / cells as f64 }
    };
    let silent: usize = regions.iter().map(|region| region.silent).sum();
    let before = impurity(silent, regions.iter().map(|region| region.cells).sum());
    let after: f64 = regions.iter().map(|region| impurity(region.silent, region.cells)).sum();
    let reduction = if before > 0.0 { 1.0 - after / before } else { 1.0 };
    let mut counts: Vec<usize> =
        regions.iter().map(|region| region.silent).filter(|count| *count > 0).collect();
    counts.sort_unstable_by(|left, right| right.cmp(left));
    let listed: usize = counts.iter().take(MAX_REGIONS).sum();
    let share = listed as f64 / silent.max(1) as f64;
    reduction * share - COST_OF_A_REGION * counts.len().min(MAX_REGIONS) as f64
}

#[cfg(test)]
mod tests {
    use skewer_results::vocabulary::Status;

    use super::*;

    fn cell(case: &str, axes: &[(&str, &str)], outcome: Outcome) -> Cell {
        let axes = axes.iter().copied().collect();
        Cell { axes, outcome: Some(outcome), ..Cell::new(format!("s/{case}"), "s", case, Status::Pass) }
    }

    #[test]
    fn the_axes_that_separate_silent_cells_from_others_are_named() {
        let mut cells = Vec::new();
        for request in ["update", "apply", "patch"] {
            for (client, server) in [("old", "old"), ("old", "new"), ("new", "old"), ("new", "new")] {
                let is_lost = (client, server) == ("new", "old");
                let outcome = if is_lost { Outcome::Lost } else { Outcome::Intended };
                cells.push(cell(
                    "c",
                    &[("client", client), ("server", server), ("request", request)],
                    outcome,
                ));
            }
        }
        let cells: Vec<&Cell> = cells.iter().collect();
        let SilentRegions { regions, elsewhere } = SilentRegions::by_axes_or_cases(&cells);
        let [region] = &regions[..] else { panic!("{regions:?}") };
        assert_eq!(region.point, [("client", Some("new")), ("server", Some("old"))]);
        assert_eq!((region.cells, region.silent, elsewhere), (3, 3, 0));
        assert_eq!(region.outcomes, [(Outcome::Lost, 3)]);
        let by_request = SilentRegions::by_axes(&cells, &PARTY_AXES);
        assert_eq!(by_request.regions.len(), 3, "{by_request:?}");
    }

    #[test]
    fn without_axes_the_cases_are_named_and_the_others_counted() {
        let cells: Vec<Cell> = (0..6).map(|n| cell(&format!("c{n}"), &[], Outcome::Lost)).collect();
        let found = SilentRegions::by_axes_or_cases(&cells.iter().collect::<Vec<_>>());
        assert_eq!(
            found.regions.iter().filter_map(|region| region.case).collect::<Vec<_>>(),
            ["c0", "c1", "c2", "c3"]
        );
        assert_eq!(found.elsewhere, 2);
    }

    #[test]
    fn without_silent_cells_there_is_no_region() {
        let cell = cell("c", &[("client", "old")], Outcome::Refused);
        assert_eq!(SilentRegions::by_axes_or_cases(&[&cell]), SilentRegions::default());
    }
}
