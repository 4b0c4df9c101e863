//! `skewer-lab witnesses`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use skewer_audit::effect::value_at_mut;
use skewer_audit::explore::witness::{Decision, Objects, RuleWitnesses, counterexample, witnesses};
use skewer_engine::{Doc, OwnedDoc, PathSegment};
use skewer_targets::{Target, TargetSpec};

use super::recall::read_definitions;
use crate::one_version::{OneVersion, admit};
use skewer::cli::arguments::target::TargetProcessOptions;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output;
use skewer::exit::Exit;

/// The arguments of `skewer-lab witnesses`.
#[derive(Debug, Args)]
pub(super) struct WitnessesArguments {
    /// Files with one CustomResourceDefinition each.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// An API server that checks the objects: it refuses each with the rule, and accepts it without.
    #[arg(long, value_name = "TARGET")]
    target: Option<TargetSpec>,
    /// Number of random objects with which each proof is attacked.
    #[arg(long, value_name = "N", default_value_t = 0)]
    attacks: u64,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// The counts of a run.
#[derive(Debug, Default)]
struct Counts {
    rules: usize,
    broken: usize,
    never_broken: usize,
    undecided: usize,
    satisfied: usize,
    never_satisfied: usize,
    checked: usize,
    wrong: usize,
    milliseconds: Vec<u128>,
}

/// Runs the command. Prints each rule that is not decided, and each object on which the target disagrees.
pub(super) fn witnesses_of_files(arguments: &WitnessesArguments) -> Result {
    let target = arguments.target.as_ref().map(|target| arguments.options.open(target, 1)).transpose()?;
    let mut counts = Counts::default();
    for file in &read_definitions(&arguments.files)? {
        let name = file.file.name();
        for version in &file.definition.versions {
            let started = Instant::now();
            let rules = witnesses(&file.document, &version.name)
                .map_err(|errors| Failure::of_files(Exit::CouldNotRun, &[file.errors(&errors)]))?;
            let of_rule = started.elapsed().as_millis() / (rules.len().max(1) as u128);
            for rule in rules {
                counts.milliseconds.push(of_rule);
                let place = format!("{name} {} {}", version.name, rule.path);
                counts.count(&rule, &place)?;
                if let Some(target) = &target {
                    let version = OneVersion { file, name: &version.name };
                    counts.check(version, &rule, &place, target.as_ref())?;
                }
                if matches!(rule.broken, Decision::None(_)) && arguments.attacks > 0 {
                    let found = counterexample(&file.document, &version.name, &rule, arguments.attacks);
                    if let Some(object) = found {
                        counts.wrong += 1;
                        output::print(&format!("WRONG PROOF {place} `{}`: {object}\n", rule.rule))?;
                    }
                }
            }
        }
    }
    output::print(&counts.text())?;
    Ok(if counts.wrong > 0 { Exit::CellFailed } else { Exit::Ok })
}

impl Counts {
    fn count(&mut self, rule: &RuleWitnesses, place: &str) -> Result<()> {
        self.rules += 1;
        let text = rule.rule.split_whitespace().collect::<Vec<_>>().join(" ");
        match &rule.broken {
            Decision::Found(_) => self.broken += 1,
            Decision::None(why) => {
                self.never_broken += 1;
                output::print(&format!("NEVER REFUSES {place} `{text}`: {why}\n"))?;
            }
            Decision::Undecided(_) => {
                self.undecided += 1;
                output::print(&format!("UNDECIDED {place} `{text}`\n"))?;
            }
        }
        match &rule.satisfied {
            Decision::Found(_) => self.satisfied += 1,
            Decision::None(why) => {
                self.never_satisfied += 1;
                output::print(&format!("NEVER HOLDS {place} `{text}`: {why}\n"))?;
            }
            Decision::Undecided(_) => output::print(&format!("NO OBJECT {place} `{text}`\n"))?,
        }
        Ok(())
    }

    fn check(
        &mut self,
        version: OneVersion<'_>,
        rule: &RuleWitnesses,
        place: &str,
        target: &dyn Target,
    ) -> Result<()> {
        let Decision::Found(Objects { new, old, .. }) = &rule.broken else { return Ok(()) };
        let (new, old) = (&version.object(new), old.as_ref().map(|old| version.object(old)));
        let with = version.definition();
        let without = without_rule(version, with.clone(), rule);
        let admitted = |definition: &OwnedDoc| admit(target, definition, new, old.as_ref());
        self.checked += 1;
        let problem = match (admitted(&without), admitted(&with)) {
            (Ok(()), Err(_)) => return Ok(()),
            (Err(error), _) => format!("refused without the rule: {error}"),
            (Ok(()), Ok(())) => "accepted with the rule".to_owned(),
        };
        self.wrong += 1;
        output::print(&format!("WRONG {place} `{}`: {new}: {problem}\n", rule.rule))
    }

    fn text(&mut self) -> String {
        self.milliseconds.sort_unstable();
        let median = self.milliseconds.get(self.milliseconds.len() / 2).copied().unwrap_or_default();
        let worst = self.milliseconds.last().copied().unwrap_or_default();
        format!(
            "{} rules: {} refuse an object, {} refuse none, {} undecided; {} hold on an object, {} on none\n\
             {} checked, {} wrong; {median} ms for a rule, {worst} ms in the slowest version\n",
            self.rules,
            self.broken,
            self.never_broken,
            self.undecided,
            self.satisfied,
            self.never_satisfied,
            self.checked,
            self.wrong,
        )
    }
}

fn without_rule(version: OneVersion<'_>, mut definition: OwnedDoc, rule: &RuleWitnesses) -> OwnedDoc {
    let path = version.file.document_path(version.name, &rule.path);
    let mut segments: Vec<PathSegment> = path.segments().to_vec();
    // The definition has only this version.
    segments[2] = PathSegment::Index(0);
    segments.push(PathSegment::Key("x-kubernetes-validations".into()));
    if let Some(Doc::List(rules)) = value_at_mut(&mut definition, &segments) {
        rules.remove(rule.index);
    }
    definition
}
