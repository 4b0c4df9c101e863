//! What the laws say of a change of the patch format, over many situations.

use rayon::prelude::*;
use serde::Serialize;

use super::law::{Finding, Law, Noise};
use super::shrink::shrink;
use super::situation::{Content, Situation, Views};
use super::subject::{Pair, Subject};
use super::trial::Trial;

/// The word for what a law says of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// There is a counter-example.
    Broken,
    /// Nothing that the law speaks of was seen.
    NotShown,
    /// It was seen to hold, and nowhere not to.
    Kept,
}

impl Word {
    /// The word in tables and in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Word::Broken => "broken",
            Word::NotShown => "not shown",
            Word::Kept => "kept",
        }
    }
}

/// What one law says of a change.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The law.
    pub law: Law,
    /// The word for each set of other directives, by the profile that they are of.
    pub among: Vec<(String, Word)>,
    /// What there is to show, before it is shrunk.
    telling: Vec<Found>,
}

impl Verdict {
    /// A verdict without anything to show for it.
    #[cfg(test)]
    pub(super) fn told(law: Law, among: Vec<(String, Word)>) -> Self {
        Verdict { law, among, telling: Vec::new() }
    }

    /// The worst of the words.
    #[must_use]
    pub fn word(&self) -> Word {
        let words = || self.among.iter().map(|(_, word)| *word);
        if words().any(|word| word == Word::Broken) {
            return Word::Broken;
        }
        // What was seen with some of the other directives need not be seen with all of them.
        words().max().unwrap_or(Word::NotShown)
    }

    /// The profiles beside which it is broken.
    #[must_use]
    pub fn broken_among(&self) -> Vec<&str> {
        self.among.iter().filter(|(_, word)| *word == Word::Broken).map(|(among, _)| among.as_str()).collect()
    }
}

/// A situation that shows something, made as small as it can be.
#[derive(Clone, Debug)]
pub struct Example {
    /// The law.
    pub law: Law,
    /// Whether anybody notices that it is broken; none where it is kept.
    pub noise: Option<Noise>,
    /// The situation.
    pub situation: Situation,
    /// The parties.
    pub pair: Pair,
    /// What is to be seen.
    pub why: String,
}

/// How many counter-examples are shrunk: the smallest one to begin with need not become the smallest.
const SHRUNK: usize = 4;

/// Situations with their views, which do not depend on what is tried in them.
pub struct Prepared(Vec<(Situation, Views)>);

impl Prepared {
    /// Cuts the views. A situation whose types make no sense is left out.
    #[must_use]
    pub fn new(situations: Vec<Situation>) -> Self {
        let prepare = |situation: Situation| situation.views().ok().map(|views| (situation, views));
        Prepared(situations.into_par_iter().filter_map(prepare).collect())
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Tries all laws on a change in all situations.
#[must_use]
pub fn examine(subject: &Subject, situations: &Prepared) -> Vec<Verdict> {
    let pairs = subject.pairs();
    let found: Vec<Found> = (0..situations.count())
        .into_par_iter()
        .flat_map_iter(|at| (0..pairs.len()).map(move |pair| (pair, at)))
        .flat_map_iter(|place| find(subject, &pairs, situations, place))
        .collect();
    let verdict = |law: Law| {
        let word = |pair: usize| {
            let mut of = found.iter().filter(|f| f.law == law && f.pair == pair).peekable();
            let shown = of.peek().is_some();
            match of.any(|f| f.broken.is_some()) {
                true => Word::Broken,
                false if shown => Word::Kept,
                false => Word::NotShown,
            }
        };
        let among = pairs.iter().enumerate().map(|(at, pair)| (pair.among.clone(), word(at))).collect();
        let telling = telling(law).iter().flat_map(|kind| smallest(situations, &found, law, *kind)).collect();
        Verdict { law, among, telling }
    };
    Law::ALL.into_iter().map(verdict).collect()
}

/// What is worth showing of a law: who breaks it, without a word or with one; of the last law, who keeps it.
fn telling(law: Law) -> &'static [Option<Noise>] {
    match law {
        Law::Benefit => &[None],
        _ => &[Some(Noise::Silent), Some(Noise::Loud)],
    }
}

/// Something that a law said.
#[derive(Clone, Debug)]
struct Found {
    law: Law,
    pair: usize,
    situation: usize,
    broken: Option<Noise>,
}

fn find(subject: &Subject, pairs: &[Pair], situations: &Prepared, (pair, at): (usize, usize)) -> Vec<Found> {
    let (situation, views) = &situations.0[at];
    let Some(trial) = Trial::with(subject, &pairs[pair], situation, views) else { return Vec::new() };
    let found = |law: Law| {
        let broken = match law.try_on(&trial) {
            Finding::Nothing => return None,
            Finding::Holds => None,
            Finding::Broken(breach) => Some(breach.noise),
        };
        Some(Found { law, pair, situation: at, broken })
    };
    Law::ALL.into_iter().filter_map(found).collect()
}

/// What a client makes shows more than what somebody wrote by hand.
fn is_at_hand(situation: &Situation) -> bool {
    matches!(situation.content, Content::Patch { .. })
}

/// The smallest of what was found of one kind.
fn smallest(situations: &Prepared, found: &[Found], law: Law, kind: Option<Noise>) -> Vec<Found> {
    let mut telling: Vec<&Found> = found.iter().filter(|f| f.law == law && f.broken == kind).collect();
    telling.sort_by_key(|found| {
        let situation = &situations.0[found.situation].0;
        (is_at_hand(situation), situation.content.size(), found.situation, found.pair)
    });
    telling.into_iter().take(SHRUNK).cloned().collect()
}

impl Verdict {
    /// The smallest counter-example that nobody notices, and the smallest that is refused; of [`Law::Benefit`], the
    /// smallest example. Shrinking them takes longer than finding them.
    #[must_use]
    pub fn examples(&self, subject: &Subject, situations: &Prepared) -> Vec<Example> {
        let pairs = subject.pairs();
        let of_kind = |kind: &Option<Noise>| {
            let found: Vec<&Found> = self.telling.iter().filter(|found| found.broken == *kind).collect();
            let shrunk = found.into_par_iter().filter_map(|found| {
                let (situation, _) = &situations.0[found.situation];
                shrunk(subject, &pairs[found.pair], situation, found)
            });
            shrunk
                .collect::<Vec<_>>()
                .into_iter()
                .min_by_key(|example| (is_at_hand(&example.situation), example.situation.weight()))
        };
        telling(self.law).iter().filter_map(of_kind).collect()
    }
}

fn shrunk(subject: &Subject, pair: &Pair, situation: &Situation, found: &Found) -> Option<Example> {
    let says = |situation: &Situation| {
        let trial = Trial::of(subject, pair, situation)?;
        match (found.law.try_on(&trial), found.broken) {
            (Finding::Broken(breach), Some(noise)) if breach.noise == noise => Some(breach.why),
            (Finding::Holds, None) => Some(found.law.about().to_owned()),
            _ => None,
        }
    };
    let situation = shrink(situation.clone(), &|smaller| says(smaller).is_some());
    let why = says(&situation)?;
    Some(Example { law: found.law, noise: found.broken, situation, pair: pair.clone(), why })
}
