//! `skewer laws`.

use std::fmt::Write;

use clap::Args;
use skewer_cases::yaml::nearest;
use tabled::builder::Builder;
use tabled::settings::Style;

use super::corpus::CorpusArguments;
use super::{Failure, Result, output};
use crate::exit::Exit;
use crate::laws::{
    self, Era, Example, Law, Noise, Prepared, Record, Standing, Subject, Verdict, Word, generate, proposals,
    render, situation, trial,
};

/// The arguments of `skewer laws`.
#[derive(Debug, Args)]
pub(super) struct LawsArguments {
    /// Only this directive or proposal, with an example of what it is good for; `$` can be left out.
    directive: Option<String>,
    /// Where the row of generated situations begins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many situations to generate beside those of the corpus.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    #[command(flatten)]
    corpus: CorpusArguments,
}

/// A subject with what the laws say of it.
struct Examined {
    subject: Subject,
    verdicts: Vec<Verdict>,
}

/// Carries the command out.
pub(super) fn laws(arguments: &LawsArguments) -> Result {
    let subjects = subjects(arguments.directive.as_deref())?;
    let record = Record::built_in().map_err(|errors| Failure::new(Exit::CouldNotRun, errors.to_string()))?;
    let corpus = arguments.corpus.load()?;
    let mut situations = situation::of_corpus(&corpus);
    let of_corpus = situations.len();
    situations.extend(generate::situations(arguments.seed, arguments.count));
    let generated = situations.len() - of_corpus;
    let situations = Prepared::new(situations);
    let examine = |subject: Subject| {
        let verdicts = laws::examine(&subject, &situations);
        Examined { subject, verdicts }
    };
    let examined: Vec<Examined> = subjects.into_iter().map(examine).collect();

    let mut text = table(&examined, &record);
    let _ = writeln!(
        text,
        "{of_corpus} situations of the corpus, {generated} generated from seed {}; `*`: not beside all of the other \
         directives, see below",
        arguments.seed
    );
    output::print(&text)?;
    let alone = arguments.directive.is_some();
    for Examined { subject, verdicts } in &examined {
        for verdict in verdicts.iter().filter(|v| alone || v.word() == Word::Broken) {
            for example in verdict.examples(subject, &situations) {
                output::print(&shown(subject, verdict, &example, &record))?;
            }
        }
    }
    conclude(&examined, &record)
}

fn subjects(wanted: Option<&str>) -> Result<Vec<Subject>> {
    let all = proposals::all();
    let Some(wanted) = wanted else { return Ok(all) };
    let is_wanted =
        |subject: &&Subject| subject.name == wanted || subject.name.strip_prefix('$') == Some(wanted);
    let found: Vec<Subject> = all.iter().filter(is_wanted).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || all.iter().map(|subject| subject.name);
    let hint = nearest(wanted, names()).map_or_else(
        || format!("there is {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Failure::new(Exit::NothingSelected, format!("there is no directive or proposal `{wanted}`: {hint}")))
}

fn table(examined: &[Examined], record: &Record) -> String {
    let mut builder = Builder::default();
    builder.push_record(["directive"].into_iter().chain(Law::ALL.map(Law::name)));
    for Examined { subject, verdicts } in examined {
        let words = verdicts.iter().map(|verdict| word(subject, verdict, record));
        builder.push_record([subject.name.to_owned()].into_iter().chain(words));
    }
    let mut table = builder.build();
    table.with(Style::rounded());
    format!("{table}\n")
}

fn word(subject: &Subject, verdict: &Verdict, record: &Record) -> String {
    let everywhere = verdict.broken_among().len() == verdict.among.len();
    let mut word = verdict.word().name().to_owned();
    if verdict.word() == Word::Broken && !everywhere {
        word.push('*');
    }
    match record.standing(subject.name, verdict) {
        Standing::AsRecorded => {}
        Standing::Worse => word.push_str(" (worse)"),
        Standing::Better => word.push_str(" (better)"),
    }
    word
}

/// An example with what it shows, as comments over a case that can be put into the corpus.
fn shown(subject: &Subject, verdict: &Verdict, example: &Example, record: &Record) -> String {
    let name = verdict.law.name();
    let mut text = match verdict.word() {
        Word::Broken => {
            let among = verdict.broken_among().join(", ");
            let noise = match example.noise {
                Some(Noise::Loud) => "with a refusal",
                _ => "without a word",
            };
            format!("\n# {}, {name}: broken beside the directives of {among}; here, {noise}.\n", subject.name)
        }
        _ => format!("\n# {}, {name}: kept, as here.\n", subject.name),
    };
    if let Some(because) = record.because(subject.name, verdict.law) {
        let _ = writeln!(text, "# On record: {}", because.trim().replace('\n', " "));
    }
    if let Some(trial) = trial::Trial::of(subject, &example.pair, &example.situation) {
        let sent = |era: Era| match era {
            Era::Old => Some(&trial.old_patch),
            Era::New => trial.new_patch.as_ref(),
        };
        for era in Era::ALL {
            if let Some(Ok(patch)) = sent(era) {
                let _ = writeln!(text, "# The {} patch: {patch}", era.name());
            }
        }
    }
    if !subject.is_registered && subject.has_a_name() {
        let _ = writeln!(text, "# To run it, put {} into the registry.", subject.directive.name());
    }
    text + &render::suite(subject, example)
}

/// What is worse than on record, and what is better.
fn conclude(examined: &[Examined], record: &Record) -> Result {
    let mut worse = Vec::new();
    let mut better = Vec::new();
    for Examined { subject, verdicts } in examined {
        for verdict in verdicts {
            let line = format!("{}, {}: {}", subject.name, verdict.law.name(), verdict.word().name());
            match record.standing(subject.name, verdict) {
                Standing::AsRecorded => {}
                Standing::Worse => worse.push(line),
                Standing::Better => better.push(line),
            }
        }
    }
    if !better.is_empty() {
        let lines = better.join("\n  ");
        output::error(&format!(
            "better than on record; too little was tried, or runner/laws.yaml is stale:\n  {lines}"
        ));
    }
    if worse.is_empty() {
        return Ok(Exit::Ok);
    }
    let lines = worse.join("\n  ");
    output::error(&format!("worse than on record in runner/laws.yaml:\n  {lines}"));
    Ok(Exit::CellFailed)
}
