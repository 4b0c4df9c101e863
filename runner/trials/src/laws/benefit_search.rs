//! The search for a benefit: in which situations a change was tried, and how close they came to showing one.

use std::collections::BTreeMap;

use skewer_reports::laws::{BenefitSearchText, SearchedGroup};

use super::format_change::FormatVersion;
use super::trial::LawTrial;

/// The search for a benefit in one situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    situation_index: usize,
    group: Group,
    progress: Progress,
}

/// How close a situation came to showing a benefit, the farthest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// The client with the change sends the same patch as the client without it.
    SamePatch,
    /// The patches differ. Old parties reach the ideal, so that there is nothing to gain.
    IdealWithoutChange,
    /// The patches differ. Old parties do not reach the ideal, and neither do new parties.
    IdealMissed,
    /// New parties reach the ideal, and old parties do not.
    Benefit,
}

/// The kind of a situation: what differs from one client and one server with the same types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    is_concurrent: bool,
    has_type_skew: bool,
}

impl Group {
    fn name(self) -> &'static str {
        match (self.is_concurrent, self.has_type_skew) {
            (false, false) => "one client, equal types",
            (false, true) => "one client, skew of types",
            (true, false) => "another client meanwhile, equal types",
            (true, true) => "another client meanwhile, skew of types",
        }
    }
}

impl Attempt {
    /// Returns the search in a trial. Returns `None` if the ideal of its situation is not known.
    pub(super) fn of(trial: &LawTrial<'_>, situation_index: usize) -> Option<Self> {
        trial.ideal.as_ref()?;
        let is_ideal = |state: Option<_>| state.is_some_and(|state| trial.is_ideal(state));
        let is_affected = trial.change.is_keyless()
            || match (&trial.new_patch, &trial.old_patch) {
                (Some(Ok(new)), Ok(old)) => new != old,
                _ => false,
            };
        let progress = if !is_affected {
            Progress::SamePatch
        } else if is_ideal(trial.final_state_of_old_patch(FormatVersion::Old)) {
            Progress::IdealWithoutChange
        } else if is_ideal(trial.final_state_of_new_patch(FormatVersion::New)) {
            Progress::Benefit
        } else {
            Progress::IdealMissed
        };
        let situation = trial.situation;
        let group =
            Group { is_concurrent: situation.is_concurrent(), has_type_skew: situation.has_type_skew() };
        Some(Attempt { situation_index, group, progress })
    }
}

/// The situations in which a benefit was searched, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BenefitSearch {
    groups: BTreeMap<Group, BTreeMap<Progress, usize>>,
}

impl BenefitSearch {
    /// Counts the attempts. Several attempts in one situation, with different other directives, count as one: the one
    /// that came closest to a benefit.
    pub(super) fn of_attempts<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Self {
        let mut by_situation: BTreeMap<usize, (Group, Progress)> = BTreeMap::new();
        for attempt in attempts {
            let best =
                by_situation.entry(attempt.situation_index).or_insert((attempt.group, attempt.progress));
            best.1 = best.1.max(attempt.progress);
        }
        let mut search = BenefitSearch::default();
        for (group, progress) in by_situation.into_values() {
            *search.groups.entry(group).or_default().entry(progress).or_default() += 1;
        }
        search
    }

    fn count(&self, progress: Progress) -> usize {
        self.groups.values().filter_map(|counts| counts.get(&progress)).sum()
    }

    /// Returns the search as text for a report.
    pub(super) fn text(&self) -> BenefitSearchText {
        let groups = [false, true].into_iter().flat_map(|is_concurrent| {
            [false, true].map(|has_type_skew| Group { is_concurrent, has_type_skew })
        });
        let groups = groups.map(|group| {
            let counts = self.groups.get(&group);
            let count = |progress| counts.and_then(|counts| counts.get(&progress)).copied().unwrap_or(0);
            let missed = count(Progress::IdealMissed);
            SearchedGroup {
                name: group.name(),
                tried: counts.map_or(0, |counts| counts.values().sum()),
                affected: missed + count(Progress::IdealWithoutChange),
                missed,
            }
        });
        BenefitSearchText { groups: groups.collect(), needed: self.needed_case() }
    }

    /// Returns the kind of case that would show a benefit, in a sentence without its full stop.
    fn needed_case(&self) -> String {
        let (same, ideal, missed) = (
            self.count(Progress::SamePatch),
            self.count(Progress::IdealWithoutChange),
            self.count(Progress::IdealMissed),
        );
        let needed = match (ideal, missed) {
            (0, 0) => format!(
                "in all {same} situations a client sends the same patch with the change as without it; a case needs \
                 types and an intent for which the change alters the patch"
            ),
            (_, 0) => format!(
                "in all {ideal} situations with another patch, old parties reach the ideal, too; a case needs a \
                 live object, an intent or a request of another client (`meanwhile:`) with which the old patch does \
                 not give what the user meant"
            ),
            _ => format!(
                "in {missed} situations with another patch, old parties miss the ideal, but new parties miss it, \
                 too; a case needs one of these defects that the change repairs"
            ),
        };
        format!("{needed}. Such a case can be added to the corpus, which is searched, too")
    }
}
