//! The verdicts of the laws on a change of the patch format.

use rayon::prelude::*;
use skewer_cases::Corpus;
use skewer_reports::laws::SituationCounts;
pub use skewer_reports::laws::VerdictKind;

use skewer_execute::execute::panics;

use super::benefit_search::{Attempt, BenefitSearch};
use super::format_change::{FormatChange, PatchFormatPair};
use super::generate;
use super::law::{Law, LawResult, ViolationKind};
use super::shrink::shrink;
use super::situation::{LawSituation, SituationPlan, SituationViews};
use super::trial::LawTrial;

/// The verdict of one law on a change.
#[derive(Clone, Debug)]
pub(super) struct ChangeVerdict {
    /// The law.
    pub law: Law,
    /// The verdict under each profile, with the label of the profile. The profile supplies the other directives.
    pub by_profile: Vec<(String, VerdictKind)>,
    /// The situations in which a benefit was searched. Empty for all laws but [`Law::Benefit`].
    pub benefit_search: BenefitSearch,
    /// The observations from which examples are created.
    example_candidates: Vec<Observation>,
}

/// Returns the combined verdict of several profiles, or of several situations.
pub(super) fn combined_kind(kinds: impl IntoIterator<Item = VerdictKind>) -> VerdictKind {
    // The law does not have to apply everywhere.
    kinds.into_iter().fold(VerdictKind::NotShown, |combined, kind| match (combined, kind) {
        (VerdictKind::Broken, _) | (_, VerdictKind::Broken) => VerdictKind::Broken,
        (combined, kind) => combined.max(kind),
    })
}

/// A shrunk situation that demonstrates a verdict.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// The law.
    pub law: Law,
    /// Kind of the violation. `None` if the example shows that the law is kept.
    pub violation: Option<ViolationKind>,
    /// The shrunk situation.
    pub situation: LawSituation,
    /// The patch formats without and with the change.
    pub formats: PatchFormatPair,
    /// Description of the effect, in a sentence.
    pub why: String,
}

/// Maximum number of situations that are shrunk for one example. Several are tried, because the smallest situation
/// before shrinking is not always the smallest afterwards.
const MAX_SHRUNK_SITUATIONS: usize = 4;

/// Situations with their compiled schema views. Both do not depend on the change.
pub struct CompiledSituations {
    situations: Vec<(LawSituation, SituationViews)>,
    pub(super) counts: SituationCounts,
}

impl CompiledSituations {
    /// Compiles the schema views. Situations with invalid types are dropped.
    #[must_use]
    pub fn new(situations: Vec<LawSituation>, counts: SituationCounts) -> Self {
        let compile = |situation: LawSituation| situation.views().ok().map(|views| (situation, views));
        CompiledSituations { situations: situations.into_par_iter().filter_map(compile).collect(), counts }
    }

    /// Compiles the situations of a corpus, and generated ones: as many with another client as without.
    #[must_use]
    pub fn of_corpus(corpus: &Corpus, SituationPlan { seed, count }: SituationPlan) -> Self {
        let mut situations = super::corpus::situations(corpus);
        let from_corpus = situations.len();
        situations.extend(generate::situations(seed, count));
        let generated = situations.len() - from_corpus;
        situations.extend(generate::concurrent_situations(seed, count));
        let concurrent = situations.len() - from_corpus - generated;
        Self::new(situations, SituationCounts { from_corpus, generated, concurrent, seed })
    }
}

/// Checks a change against all laws in all situations.
pub(super) fn judge_change(change: &FormatChange, situations: &CompiledSituations) -> Vec<ChangeVerdict> {
    let pairs = change.format_pairs();
    let results: Vec<TrialResult> = (0..situations.situations.len())
        .into_par_iter()
        .flat_map_iter(|situation| (0..pairs.len()).map(move |pair| (pair, situation)))
        .map(|(pair, situation)| observe(change, &pairs, situations, pair, situation))
        .collect();
    let attempts = || results.iter().filter_map(|result| result.attempt.as_ref());
    let search = BenefitSearch::of_attempts(attempts());
    let observations: Vec<Observation> = results.into_iter().flat_map(|result| result.observations).collect();
    let verdict = |law: Law| {
        let kind = |pair: usize| {
            let of_pair = observations.iter().filter(|o| o.law == law && o.pair_index == pair);
            combined_kind(of_pair.map(|observation| match observation.violation {
                Some(_) => VerdictKind::Broken,
                None => VerdictKind::Kept,
            }))
        };
        let by_profile =
            pairs.iter().enumerate().map(|(index, pair)| (pair.profile.clone(), kind(index))).collect();
        let smallest = |violation: &Option<ViolationKind>| {
            smallest_observations(situations, &observations, law, *violation)
        };
        let example_candidates = example_violations(law).iter().flat_map(smallest).collect();
        let benefit_search = if law == Law::Benefit { search.clone() } else { BenefitSearch::default() };
        ChangeVerdict { law, by_profile, benefit_search, example_candidates }
    };
    Law::ALL.into_iter().map(verdict).collect()
}

/// Returns the results for which a law has examples: each kind of violation, and for [`Law::Benefit`] that the law
/// holds.
fn example_violations(law: Law) -> &'static [Option<ViolationKind>] {
    match law {
        Law::Benefit => &[None],
        _ => &[Some(ViolationKind::Silent), Some(ViolationKind::Refusal), Some(ViolationKind::Panic)],
    }
}

/// The result of a law in a situation in which the law applies.
#[derive(Clone, Debug)]
struct Observation {
    law: Law,
    /// Index in [`FormatChange::format_pairs`].
    pair_index: usize,
    situation_index: usize,
    /// Kind of the violation. `None` if the law holds.
    violation: Option<ViolationKind>,
}

/// The results of all laws in one situation.
#[derive(Default)]
struct TrialResult {
    observations: Vec<Observation>,
    /// The search for a benefit. `None` if the situation is not usable, or if its ideal is not known.
    attempt: Option<Attempt>,
}

/// Checks all laws in one situation.
///
/// A panic while a law is checked breaks that law. A panic while the patches are created breaks all laws, except
/// [`Law::Benefit`], which cannot be broken by a single situation.
fn observe(
    change: &FormatChange,
    pairs: &[PatchFormatPair],
    situations: &CompiledSituations,
    pair_index: usize,
    situation_index: usize,
) -> TrialResult {
    let (situation, views) = &situations.situations[situation_index];
    let trial =
        panics::catch_without_calls(|| LawTrial::with_views(change, &pairs[pair_index], situation, views));
    if matches!(trial, Ok(None)) {
        return TrialResult::default();
    }
    let check = |law: Law| match &trial {
        Ok(Some(_)) if !law.is_about(situation) => Some(LawResult::NotApplicable),
        Ok(Some(trial)) => panics::catch_without_calls(|| law.check(trial)).ok(),
        Ok(None) => Some(LawResult::NotApplicable),
        Err(_) => None,
    };
    let observation = |law: Law| {
        let violation = match check(law) {
            None if law == Law::Benefit || !law.is_about(situation) => return None,
            None => Some(ViolationKind::Panic),
            Some(LawResult::NotApplicable) => return None,
            Some(LawResult::Holds) => None,
            Some(LawResult::Broken(violation)) => Some(violation.kind),
        };
        Some(Observation { law, pair_index, situation_index, violation })
    };
    let observations = Law::ALL.into_iter().filter_map(observation).collect();
    let attempt = match &trial {
        Ok(Some(trial)) => panics::catch_without_calls(|| Attempt::of(trial, situation_index)).ok().flatten(),
        _ => None,
    };
    TrialResult { observations, attempt }
}

/// Returns the observations with this result that have the smallest situations. Situations whose patch is created from
/// an intent precede those whose patch is taken from a case, because they also show how the patch is created.
fn smallest_observations(
    situations: &CompiledSituations,
    observations: &[Observation],
    law: Law,
    violation: Option<ViolationKind>,
) -> Vec<Observation> {
    let mut candidates: Vec<&Observation> =
        observations.iter().filter(|o| o.law == law && o.violation == violation).collect();
    candidates.sort_by_key(|observation| {
        let source = &situations.situations[observation.situation_index].0.patch_source;
        (source.is_given(), source.size(), observation.situation_index, observation.pair_index)
    });
    candidates.into_iter().take(MAX_SHRUNK_SITUATIONS).cloned().collect()
}

impl ChangeVerdict {
    /// Creates the examples: the smallest counter-example for each kind of violation, and for [`Law::Benefit`] the
    /// smallest situation in which the law holds. This takes longer than [`judge_change`], because situations are
    /// shrunk.
    pub(super) fn examples(&self, change: &FormatChange, situations: &CompiledSituations) -> Vec<Example> {
        let pairs = change.format_pairs();
        let smallest = |violation: &Option<ViolationKind>| {
            let candidates: Vec<&Observation> =
                self.example_candidates.iter().filter(|o| o.violation == *violation).collect();
            let examples = candidates.into_par_iter().filter_map(|observation| {
                let (situation, _) = &situations.situations[observation.situation_index];
                shrink_example(change, &pairs[observation.pair_index], situation, observation)
            });
            examples
                .collect::<Vec<_>>()
                .into_iter()
                .min_by_key(|example| (example.situation.patch_source.is_given(), example.situation.weight()))
        };
        example_violations(self.law).iter().filter_map(smallest).collect()
    }
}

fn shrink_example(
    change: &FormatChange,
    formats: &PatchFormatPair,
    situation: &LawSituation,
    observation: &Observation,
) -> Option<Example> {
    let check = |situation: &LawSituation| {
        let trial = LawTrial::new(change, formats, situation)?;
        observation.law.is_about(situation).then(|| observation.law.check(&trial))
    };
    let explain = |situation: &LawSituation| match (
        panics::catch_without_calls(|| check(situation)),
        observation.violation,
    ) {
        (Err(panic), Some(ViolationKind::Panic)) => Some(format!("the code {}", panic.summary())),
        (Ok(Some(LawResult::Broken(violation))), Some(kind)) if violation.kind == kind => Some(violation.why),
        (Ok(Some(LawResult::Holds)), None) => Some(observation.law.statement().to_owned()),
        _ => None,
    };
    let situation = shrink(situation.clone(), &|smaller| explain(smaller).is_some());
    let why = explain(&situation)?;
    let formats = formats.clone();
    Some(Example { law: observation.law, violation: observation.violation, situation, formats, why })
}
