//! The ideals of the cells of a run. Many cells have the same ideal, which is computed once for them.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use skewer_cases::{Case, Cell, IdealClasses};
use skewer_skew::FinalState;

/// The ideals that were computed last, for cells with the lifetime `'a`.
#[derive(Default)]
pub(super) struct Ideals<'a> {
    known: Mutex<Known>,
    cases: PhantomData<&'a Case>,
}

#[derive(Default)]
struct Known {
    /// The classes of each case, by the address of the case.
    classes: HashMap<usize, Arc<OnceLock<IdealClasses>>>,
    /// The ideals that were used last.
    recent: HashMap<Key, Arc<FinalState>>,
    /// The ideals that were used before the recent ones.
    older: HashMap<Key, Arc<FinalState>>,
}

/// The address of a case, and the number of the first point with the ideal.
type Key = (usize, usize);

/// Maximum number of recent ideals, and of older ones. Cells that share an ideal are often near each other, and an object
/// can be large. The KEP's matrix has 4,304 classes.
const MAX_KEPT: usize = 4096;

impl Known {
    /// Returns an ideal, which becomes a recent one.
    fn get(&mut self, key: Key) -> Option<Arc<FinalState>> {
        if let Some(ideal) = self.recent.get(&key) {
            return Some(Arc::clone(ideal));
        }
        let ideal = self.older.remove(&key)?;
        self.insert(key, Arc::clone(&ideal));
        Some(ideal)
    }

    /// Adds a recent ideal. If there are too many, the recent ones become the older ones.
    fn insert(&mut self, key: Key, ideal: Arc<FinalState>) {
        if self.recent.len() >= MAX_KEPT {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, ideal);
    }
}

impl<'a> Ideals<'a> {
    /// Returns the ideal of a cell. `compute` computes it, unless it is known from another cell.
    pub(super) fn of<E>(
        &self,
        cell: &Cell<'a>,
        compute: impl FnOnce() -> Result<FinalState, E>,
    ) -> Result<Arc<FinalState>, E> {
        let case = std::ptr::from_ref(cell.case).addr();
        let classes = Arc::clone(self.lock().classes.entry(case).or_default());
        let key = (case, classes.get_or_init(|| IdealClasses::of(cell.case)).first_point(cell));
        if let Some(ideal) = self.lock().get(key) {
            return Ok(ideal);
        }
        let ideal = Arc::new(compute()?);
        self.lock().insert(key, Arc::clone(&ideal));
        Ok(ideal)
    }

    /// A panic of another cell does not matter: nothing is computed while the maps are locked.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use skewer_cases::{Corpus, Plan};
    use skewer_engine::OwnedDoc;

    use super::super::evaluation::{run_ideal, run_on_engine};
    use super::*;

    #[test]
    fn the_ideals_that_were_used_last_are_kept() {
        let mut known = Known::default();
        let insert = |known: &mut Known, case: usize, points: std::ops::RangeInclusive<usize>| {
            for point in points {
                known.insert((case, point), Arc::new(FinalState::Stored(OwnedDoc::Null)));
            }
        };
        insert(&mut known, 0, 0..=MAX_KEPT);
        assert!(known.get((0, 0)).is_some());
        insert(&mut known, 1, 1..=MAX_KEPT);
        assert!(known.get((0, 0)).is_some());
        assert!(known.get((0, 1)).is_none());
    }

    /// Compares the ideals of the cells of the built-in corpus that share a class. Of the largest matrices, only each seventh
    /// cell is compared.
    #[test]
    fn cells_of_one_class_have_the_same_ideal() {
        let corpus = Corpus::embedded().unwrap();
        let (mut cells, mut distinct) = (0, 0);
        for case in corpus.suites.iter().flat_map(|suite| &suite.cases) {
            let classes = IdealClasses::of(case);
            let points: Vec<usize> = case.cells().map(|cell| classes.first_point(&cell)).collect();
            (cells, distinct) =
                (cells + points.len(), distinct + HashSet::<&usize>::from_iter(&points).len());
            let step = if points.len() > 2_000 { 7 } else { 1 };
            let mut ideals: HashMap<usize, FinalState> = HashMap::new();
            for (cell, point) in case.cells().zip(points).step_by(step) {
                let Ok(Plan::Skew(plan)) = cell.plan() else { continue };
                let Ok(ideal) = run_ideal(&plan, run_on_engine) else { continue };
                let known = ideals.entry(point).or_insert_with(|| ideal.clone());
                assert_eq!(*known, ideal, "{cell}");
            }
        }
        assert!(cells > 3 * distinct, "{cells} cells have {distinct} ideals");
    }
}
