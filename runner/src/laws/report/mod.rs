//! What the laws say, as a model, and the formats that it is printed in: one file each.
//!
//! No format computes a verdict.

mod cells;
mod html;
mod markdown;
mod text;

use serde::Serialize;

pub use self::cells::{SUITE, cells};
pub use self::html::html;
pub use self::markdown::markdown;
pub use self::text::text;
use super::law::{Law, Noise};
use super::record::{Record, Standing};
use super::render;
use super::subject::Subject;
use super::trial::Trial;
use super::verdict::{Example, Prepared, Verdict, Word, examine};

/// The laws on some changes of the patch format.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How many situations there were, and where they are from.
    pub tried: Tried,
    /// One for each change.
    pub rows: Vec<Row>,
}

/// The situations that everything was tried in.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tried {
    /// From the corpus.
    pub of_corpus: usize,
    /// Generated.
    pub generated: usize,
    /// The seed that they are generated from.
    pub seed: u64,
}

/// One change of the patch format.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub directive: &'static str,
    /// What it is; empty for a directive of the registry.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub about: &'static str,
    /// What each law says of it, in the order of [`Law::ALL`].
    pub verdicts: Vec<Entry>,
}

/// What one law says of one change.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The law.
    pub law: Law,
    /// What it says.
    pub verdict: Word,
    /// Beside the directives of which profiles it is broken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// Broken beside some of the other directives, and not beside all of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub somewhere: bool,
    /// Against the record.
    pub standing: Standing,
    /// Why, as the record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The smallest counter-examples, or what shows that the law is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Shown>,
}

/// A situation that shows something.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Whether anybody notices that the law is broken; none where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// What is to be seen, in a sentence.
    pub why: String,
    /// The patch of a client without the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_patch: Option<String>,
    /// The patch of a client with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_patch: Option<String>,
    /// The directive that the registry has to have for the case to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<&'static str>,
    /// The case that can go into the corpus: a suite file.
    pub case: String,
}

/// Of which laws examples are made; it takes longer than the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examples {
    /// None.
    None,
    /// Of those that are broken.
    Broken,
    /// Of all.
    All,
}

impl Report {
    /// Tries all laws on each of the changes.
    #[must_use]
    pub fn of(
        subjects: &[Subject],
        (situations, tried): (&Prepared, Tried),
        record: &Record,
        wanted: Examples,
    ) -> Self {
        let rows = subjects.iter().map(|subject| Row {
            directive: subject.name,
            about: subject.about,
            verdicts: examine(subject, situations)
                .iter()
                .map(|verdict| entry(subject, verdict, situations, record, wanted))
                .collect(),
        });
        Report { tried, rows: rows.collect() }
    }

    /// The verdicts that stand so against the record: `$retainKeys, forward: broken`.
    #[must_use]
    pub fn lines(&self, standing: Standing) -> Vec<String> {
        let lines = self.rows.iter().flat_map(|row| {
            row.verdicts.iter().filter(move |entry| entry.standing == standing).map(|entry| {
                let line = format!("{}, {}: {}", row.directive, entry.law.name(), entry.verdict.name());
                match entry.among.as_slice() {
                    [] => line,
                    among => format!("{line} beside the directives of {}", among.join(", ")),
                }
            })
        });
        lines.collect()
    }
}

fn entry(
    subject: &Subject,
    verdict: &Verdict,
    situations: &Prepared,
    record: &Record,
    wanted: Examples,
) -> Entry {
    let has_examples = match wanted {
        Examples::None => false,
        Examples::Broken => verdict.word() == Word::Broken,
        Examples::All => true,
    };
    let examples = if has_examples { verdict.examples(subject, situations) } else { Vec::new() };
    let among = verdict.broken_among();
    Entry {
        law: verdict.law,
        verdict: verdict.word(),
        somewhere: !among.is_empty() && among.len() < verdict.among.len(),
        among: among.into_iter().map(str::to_owned).collect(),
        standing: record.standing(subject.name, verdict),
        because: record.because(subject.name, verdict.law).map(|because| because.trim().replace('\n', " ")),
        examples: examples.iter().map(|example| shown(subject, example)).collect(),
    }
}

fn shown(subject: &Subject, example: &Example) -> Shown {
    let trial = Trial::of(subject, &example.pair, &example.situation);
    let text = |patch: &Result<_, _>| patch.as_ref().ok().map(ToString::to_string);
    let unregistered = !subject.is_registered && subject.has_a_name();
    Shown {
        noise: example.noise,
        why: example.why.clone(),
        old_patch: trial.as_ref().and_then(|trial| text(&trial.old_patch)),
        new_patch: trial.as_ref().and_then(|trial| text(trial.new_patch.as_ref()?)),
        needs: unregistered.then(|| subject.directive.name()),
        case: render::suite(subject, example),
    }
}

impl Tried {
    /// In a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Tried { of_corpus, generated, seed } = self;
        format!("{of_corpus} situations of the corpus, {generated} generated from seed {seed}")
    }
}

impl Entry {
    /// The verdict as a table has it: `broken*` where it is not so beside all of the other directives, with a word
    /// where it is not what is on record.
    fn cell(&self) -> String {
        let word = self.verdict.name();
        let star = if self.somewhere { "*" } else { "" };
        match self.standing {
            Standing::AsRecorded => format!("{word}{star}"),
            standing => format!("{word}{star} ({})", standing.name()),
        }
    }

    /// What the examples show, in a few words.
    fn heading(&self, example: &Shown) -> String {
        match example.noise {
            None => format!("{}, as here", self.verdict.name()),
            Some(noise) => format!(
                "{} beside the directives of {}; here, {}",
                self.verdict.name(),
                self.among.join(", "),
                noise.described()
            ),
        }
    }
}

/// What the star in tables means.
const STAR: &str = "`*`: not beside all of the other directives";

#[cfg(test)]
mod tests;
