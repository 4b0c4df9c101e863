//! The report as data.

use serde::Serialize;

/// The mutants, with the cells that noticed them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MutantsReport {
    /// Number of cells on which the mutants were tried.
    pub cells: usize,
    /// Number of cells that only read declarations. No mutant is tried on them.
    pub declarations: usize,
    /// Whether all mutants were tried, and not only some of them.
    pub complete: bool,
    /// The engine that computed the ideals.
    pub ideals: Ideals,
    /// The mutants that were tried.
    pub mutants: Vec<MutantRow>,
    /// The rows of the KEP's test matrix that cells cite.
    pub kep_rows: Vec<NoticedRow>,
    /// Names in the record of equivalences that no mutant has. Empty if only some mutants were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_equivalences: Vec<String>,
}

/// The engine that computes the ideals with which the cells of a mutant are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ideals {
    /// The engine without a mutation.
    #[default]
    Unchanged,
    /// The mutant. This is what happens if the engine itself has a defect.
    Mutated,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutantRow {
    /// The name of the mutant.
    pub name: String,
    /// The difference from the engine.
    pub about: String,
    /// The title of the family.
    pub family: &'static str,
    /// The effect of the mutant on the cells.
    pub verdict: Verdict,
    /// Number of cells that the mutant can affect. The others end in the same state on every such mutant.
    pub tried: usize,
    /// Number of cells that noticed the mutant: they fail.
    pub noticed: usize,
    /// Number of cells that end in another state and still pass.
    pub unnoticed: usize,
    /// Ids of cells that noticed the mutant: the first few.
    pub noticed_cells: Vec<String>,
    /// Ids of the cells that changed without noticing it.
    pub unnoticed_cells: Vec<String>,
    /// If no cell changed: ids of cells that the mutant can affect, the first few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchanged_cells: Vec<String>,
    /// The reason why the mutant changes no cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// The effect of a mutant on the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every cell that ends in another state fails.
    Noticed,
    /// Some cell ends in another state and still passes. This is a fault.
    Unnoticed,
    /// No cell ends in another state, and a reason says why.
    Equivalent,
    /// No cell ends in another state, and there is no reason. This is a fault.
    NoChange,
    /// A cell ends in another state or fails, although the mutant is recorded as equivalent. This is a fault.
    StaleEquivalence,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 5] = [
        Verdict::Noticed,
        Verdict::Unnoticed,
        Verdict::Equivalent,
        Verdict::NoChange,
        Verdict::StaleEquivalence,
    ];

    /// Returns true if the cases or the record of equivalences have to be changed.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, Verdict::Noticed | Verdict::Equivalent)
    }

    /// Returns the words in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Noticed => "noticed",
            Verdict::Unnoticed => "UNNOTICED",
            Verdict::Equivalent => "equivalent",
            Verdict::NoChange => "NO CHANGE",
            Verdict::StaleEquivalence => "STALE RECORD",
        }
    }
}

/// A row of the KEP's test matrix that some cell cites, with the mutants that its cells noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NoticedRow {
    /// The number of the row.
    pub row: u32,
    /// Number of mutants that some cell of the row noticed.
    pub noticed: usize,
}

/// The counts of one family, or of all mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FamilySummary {
    /// Title of the family.
    pub title: &'static str,
    /// Number of mutants.
    pub mutants: usize,
    /// Number of mutants with each verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [usize; Verdict::ALL.len()],
    /// Number of cells that noticed a mutant, summed over the mutants.
    pub noticed_cells: usize,
    /// Number of cells that changed without noticing, summed over the mutants.
    pub unnoticed_cells: usize,
}

impl FamilySummary {
    fn add(&mut self, row: &MutantRow) {
        self.mutants += 1;
        for (count, verdict) in self.verdicts.iter_mut().zip(Verdict::ALL) {
            *count += usize::from(row.verdict == verdict);
        }
        self.noticed_cells += row.noticed;
        self.unnoticed_cells += row.unnoticed;
    }

    /// Returns the number of mutants with a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        Verdict::ALL.iter().zip(self.verdicts).filter(|(of, _)| **of == verdict).map(|(_, count)| count).sum()
    }
}

impl MutantsReport {
    /// Returns the counts of each family, in the order of the mutants, and then those of all mutants.
    #[must_use]
    pub fn families(&self) -> Vec<FamilySummary> {
        let mut families: Vec<FamilySummary> = Vec::new();
        let mut all = FamilySummary { title: "all", ..FamilySummary::default() };
        for row in &self.mutants {
            all.add(row);
            let index = families.iter().position(|family| family.title == row.family).unwrap_or_else(|| {
                families.push(FamilySummary { title: row.family, ..FamilySummary::default() });
                families.len() - 1
            });
            families[index].add(row);
        }
        families.push(all);
        families
    }

    /// Returns the mutants with faults.
    pub fn faults(&self) -> impl Iterator<Item = &MutantRow> {
        self.mutants.iter().filter(|row| self.is_fault(row))
    }

    /// Returns true if the cases or the record of equivalences have to be changed because of this mutant. With mutated
    /// ideals, a mutant that changes no final state is none: it can change the outcomes of a run with unchanged ideals.
    #[must_use]
    pub fn is_fault(&self, row: &MutantRow) -> bool {
        match self.ideals {
            Ideals::Unchanged => row.verdict.is_fault(),
            Ideals::Mutated => row.verdict == Verdict::Unnoticed,
        }
    }

    /// Returns the numbers of the KEP's rows whose cells noticed no mutant. Empty if only some mutants were tried.
    #[must_use]
    pub fn blind_kep_rows(&self) -> Vec<u32> {
        let blind = self.kep_rows.iter().filter(|row| self.complete && row.noticed == 0);
        blind.map(|row| row.row).collect()
    }

    /// Returns true if the cases or the record of equivalences have to be changed.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.faults().next().is_some()
            || !self.unknown_equivalences.is_empty()
            || !self.blind_kep_rows().is_empty()
    }
}
