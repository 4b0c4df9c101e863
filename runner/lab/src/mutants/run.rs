//! The run of the mutants on the cells of a baseline.

use std::collections::BTreeMap;

use rayon::prelude::*;
use skewer_cases::Cell;
use skewer_execute::execute::prepared::JudgedEnd;
use skewer_reports::mutants::{Ideals, MutantRow, MutantsReport, NoticedRow, Verdict};

use super::baseline::{Baseline, BaselineCell};
use super::equivalences::Equivalences;
use super::mutant::Mutant;
use super::{patch_library, policies, schemas, server_steps};

/// Maximum number of noticing or unchanged cells that the report names for one mutant.
const MAX_NAMED: usize = 5;

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'e> {
    /// The mutants that are known to change no cell.
    pub equivalences: &'e Equivalences,
    /// Whether all mutants are run on all cells of the corpus. Only then are names of the record that no mutant has
    /// reported.
    pub is_complete: bool,
    /// The engine that computes the ideals. With mutated ideals, only cells that end in another state are counted.
    pub ideals: Ideals,
}

/// Returns all mutants: those of the registries, and those of the fields that occur in the documents of the baseline.
#[must_use]
pub fn all(baseline: &Baseline<'_>) -> Vec<Mutant> {
    let mut mutants = patch_library::without_directives(&baseline.calls);
    mutants.extend(policies::mutants());
    mutants.extend(server_steps::mutants());
    mutants.extend(patch_library::with_later_changes());
    mutants.extend(schemas::mutants(&baseline.fields));
    mutants
}

/// Runs mutants on the cells of a baseline. `progress` is called after each mutant.
pub fn run(
    baseline: &Baseline<'_>,
    mutants: Vec<Mutant>,
    options: RunOptions<'_>,
    mut progress: impl FnMut(&MutantRow),
) -> MutantsReport {
    let mut kep_rows: BTreeMap<u32, usize> = BTreeMap::new();
    for cell in &baseline.cells {
        kep_rows.extend(cited_rows(cell.prepared.cell()).map(|row| (row, 0)));
    }
    let mut report = MutantsReport {
        cells: baseline.cells.len(),
        declarations: baseline.declarations,
        complete: options.is_complete,
        ideals: options.ideals,
        ..MutantsReport::default()
    };
    // Each mutant is dropped after its run, with its copies of schemas.
    for mutant in mutants {
        let tried = try_cells(baseline, &mutant, options.ideals);
        let noticing = tried.iter().filter(|(_, change)| *change == Change::Noticed);
        let mut rows: Vec<u32> =
            noticing.flat_map(|(cell, _)| cited_rows(cell.prepared.cell()).collect::<Vec<_>>()).collect();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            *kep_rows.entry(row).or_default() += 1;
        }
        let row = row(mutant, &tried, options.equivalences);
        progress(&row);
        report.mutants.push(row);
    }
    report.kep_rows = kep_rows.into_iter().map(|(row, noticed)| NoticedRow { row, noticed }).collect();
    if options.is_complete {
        let names: Vec<&str> = report.mutants.iter().map(|row| row.name.as_str()).collect();
        let unknown = options.equivalences.without_mutant(&names).into_iter().map(str::to_owned);
        report.unknown_equivalences = unknown.collect();
    }
    report
}

/// Returns the rows of the KEP's test matrix that a cell covers and that the KEP cites. At most of the reconstructed rows,
/// all policies do the same.
fn cited_rows(cell: &Cell<'_>) -> impl Iterator<Item = u32> + use<> {
    let cited: Vec<u32> = cell.case.kep.iter().copied().chain(cell.case.cited_kep_rows()).collect();
    cell.kep_rows().into_iter().filter(move |row| cited.contains(row))
}

/// Returns the ends of the cells that end in another state on a mutant, by cell id.
#[must_use]
pub fn changed_ends(baseline: &Baseline<'_>, mutant: &Mutant) -> BTreeMap<String, JudgedEnd> {
    let affected = baseline.cells.par_iter().filter(|cell| mutant.mutation.affects(&cell.facts));
    let changed = affected.filter_map(|cell| {
        let end = cell.prepared.run(mutant, None);
        let reference = cell.reference.as_ref().map(|(end, _)| end);
        (!end.is_same(&cell.end)).then(|| (cell.prepared.cell().id(), cell.prepared.judge(end, reference)))
    });
    changed.collect()
}

/// The effect of a mutant on a cell that it can affect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// The cell ends in the same state.
    None,
    /// The cell fails.
    Noticed,
    /// The cell ends in another state and still passes.
    Unnoticed,
}

/// Returns the cells that a mutant can affect, in the order of the baseline.
fn try_cells<'b, 'c>(
    baseline: &'b Baseline<'c>,
    mutant: &Mutant,
    ideals: Ideals,
) -> Vec<(&'b BaselineCell<'c>, Change)> {
    baseline.cells.par_iter().filter_map(|cell| Some((cell, try_cell(cell, mutant, ideals)?))).collect()
}

/// Returns the effect of a mutant on a cell, or `None` if it can affect neither the cell nor its reference case.
fn try_cell(cell: &BaselineCell<'_>, mutant: &Mutant, ideals: Ideals) -> Option<Change> {
    let own = mutant.mutation.affects(&cell.facts).then(|| cell.prepared.run(mutant, None));
    let reference = cell.prepared.reference().zip(cell.reference.as_ref());
    let reference_end = reference.and_then(|(prepared, (_, facts))| {
        mutant.mutation.affects(facts).then(|| prepared.run(mutant, None))
    });
    if own.is_none() && reference_end.is_none() {
        return None;
    }
    let is_changed = own.as_ref().is_some_and(|end| !end.is_same(&cell.end));
    let is_reference_changed =
        reference.zip(reference_end.as_ref()).is_some_and(|((_, (before, _)), end)| !end.is_same(before));
    let end = own.as_ref().unwrap_or(&cell.end);
    let reference_end = reference_end.as_ref().or(cell.reference.as_ref().map(|(end, _)| end));
    let passes = match ideals {
        Ideals::Unchanged if is_changed || is_reference_changed => cell.prepared.passes(end, reference_end),
        Ideals::Mutated if is_changed => cell.prepared.passes_with_changed_ideals(end, reference_end, mutant),
        Ideals::Unchanged | Ideals::Mutated => return Some(Change::None),
    };
    if !passes {
        return Some(Change::Noticed);
    }
    Some(if is_changed { Change::Unnoticed } else { Change::None })
}

fn row(mutant: Mutant, tried: &[(&BaselineCell<'_>, Change)], equivalences: &Equivalences) -> MutantRow {
    let ids = |wanted: Change| {
        let cells = tried.iter().filter(move |(_, change)| *change == wanted);
        cells.map(|(cell, _)| cell.prepared.cell().id())
    };
    let (noticed, unnoticed) = (ids(Change::Noticed).count(), ids(Change::Unnoticed).count());
    let has_changed = noticed + unnoticed > 0;
    let recorded = equivalences.because(&mutant.name).map(str::to_owned);
    let verdict = match (noticed, unnoticed) {
        (0, 0) if recorded.is_some() || mutant.equivalent_because.is_some() => Verdict::Equivalent,
        (0, 0) => Verdict::NoChange,
        _ if recorded.is_some() => Verdict::StaleEquivalence,
        (_, 0) => Verdict::Noticed,
        _ => Verdict::Unnoticed,
    };
    MutantRow {
        family: mutant.family.title(),
        verdict,
        tried: tried.len(),
        noticed,
        unnoticed,
        noticed_cells: ids(Change::Noticed).take(MAX_NAMED).collect(),
        unnoticed_cells: ids(Change::Unnoticed).collect(),
        unchanged_cells: ids(Change::None).take(if has_changed { 0 } else { MAX_NAMED }).collect(),
        because: recorded.or(mutant.equivalent_because),
        name: mutant.name,
        about: mutant.about,
    }
}
