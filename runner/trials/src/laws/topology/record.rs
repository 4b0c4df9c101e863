//! The recorded verdicts: `runner/trials/data/topology-laws.yaml`.

use serde::Deserialize;
use skewer_cases::yaml::{FileErrors, Spanned};
use skewer_reports::laws::{RecordComparison, VerdictKind};

use super::law::TopologyLaw;
use crate::laws::record::{RecordedVerdict, compare, read_record};

/// The text of the built-in record.
const BUILT_IN: &str = include_str!("../../../data/topology-laws.yaml");

/// The recorded verdicts. A verdict other than *kept* has a reason.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct TopologyRecord {
    changes: Vec<RecordedChange>,
}

/// The recorded verdicts on one change.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RecordedChange {
    name: String,
    backward: Spanned<RecordedVerdict>,
    forward: Spanned<RecordedVerdict>,
    no_new_requirement: Spanned<RecordedVerdict>,
}

impl TopologyRecord {
    /// Reads the built-in record.
    ///
    /// # Errors
    ///
    /// Returns the errors of the file, as [`TopologyRecord::read`] does. A test makes sure that there are none.
    pub fn built_in() -> Result<Self, FileErrors> {
        Self::read("runner/trials/data/topology-laws.yaml", BUILT_IN.as_bytes())
    }

    /// Reads a record. `file` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors of the file, with their source spans: invalid YAML, unknown or missing keys, or a verdict
    /// other than *kept* without a reason.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, FileErrors> {
        read_record(file, bytes, |record: &TopologyRecord| {
            record.changes.iter().flat_map(|change| TopologyLaw::ALL.map(|law| change.verdict(law))).collect()
        })
    }

    /// Returns the names of the recorded changes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().map(|change| change.name.as_str())
    }

    /// Returns the recorded reason for a verdict.
    #[must_use]
    pub fn because(&self, change: &str, law: TopologyLaw) -> Option<&str> {
        self.find(change)?.verdict(law).because.as_deref()
    }

    /// Compares the verdicts for each kind of history with the recorded one, or with *kept* if none is recorded.
    #[must_use]
    pub fn compare(
        &self,
        change: &str,
        law: TopologyLaw,
        by_history: &[(String, VerdictKind)],
    ) -> RecordComparison {
        compare(self.find(change).map(|change| &change.verdict(law).value), by_history)
    }

    fn find(&self, name: &str) -> Option<&RecordedChange> {
        self.changes.iter().find(|change| change.name == name)
    }
}

impl RecordedChange {
    fn verdict(&self, law: TopologyLaw) -> &Spanned<RecordedVerdict> {
        match law {
            TopologyLaw::Backward => &self.backward,
            TopologyLaw::Forward => &self.forward,
            TopologyLaw::NoNewRequirement => &self.no_new_requirement,
        }
    }
}
