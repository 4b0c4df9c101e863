//! Execution of a comparison of rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use rayon::prelude::*;
use skewer_admission::definition::{CustomResourceDefinition, DefinitionRequest};
use skewer_admission::{Admission, AdmitRequest, answer};
use skewer_engine::OwnedDoc;
use skewer_engine::field_path::{FieldPath, PathSegment};
use skewer_targets::{BuiltInTarget, Target};

use super::documents;
use super::expressions::Expressions;
use crate::differential::admission::{AdmissionPlan, document};
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators.
const PURPOSE: u64 = 23;

const RULES_PER_DEFINITION: u64 = 16;

const OBJECTS_PER_DEFINITION: usize = 4;

/// How often the target is asked again after a disagreement.
const ASKED_AGAIN: usize = 12;

/// Maximum number of disagreements that are reported.
const MAX_DISAGREEMENTS: usize = 24;

/// The counts of a comparison, and its shortest disagreements.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RuleReport {
    /// The numbers of rules and of judgements, by what happened.
    pub steps: BTreeMap<&'static str, u64>,
    /// The number of rules and judgements on which both sides agree or disagree.
    pub compared: u64,
    /// The disagreements, by what both sides say.
    pub disagreements: BTreeMap<String, DifferentRule>,
}

/// The disagreements in which both sides say the same as in one of them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DifferentRule {
    /// The number of disagreements.
    pub count: u64,
    /// The shortest rule.
    pub rule: String,
    /// The object that the shortest rule judges, and the object before it.
    pub objects: String,
    /// The answer of the target.
    pub answer: String,
}

impl RuleReport {
    /// Returns true if a comparison found a disagreement, or compared nothing.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !self.disagreements.is_empty() || self.compared == 0
    }

    fn step(&mut self, name: &'static str) {
        *self.steps.entry(name).or_default() += 1;
    }

    fn disagree(&mut self, difference: String, found: DifferentRule) {
        let known = self.disagreements.entry(difference).or_default();
        let is_shorter = known.count == 0 || found.rule.len() < known.rule.len();
        let count = known.count + found.count;
        if is_shorter {
            *known = found;
        }
        known.count = count;
    }

    fn merge(&mut self, other: RuleReport) {
        self.compared += other.compared;
        for (name, count) in other.steps {
            *self.steps.entry(name).or_default() += count;
        }
        for (difference, found) in other.disagreements {
            self.disagree(difference, found);
        }
    }

    /// Renders the report.
    #[must_use]
    pub fn text(&self) -> String {
        let different: u64 = self.disagreements.values().map(|found| found.count).sum();
        let mut text = format!("{} compared, {different} different\n\n", self.compared);
        for (name, count) in &self.steps {
            let _ = writeln!(text, "  {name:<40}{count:>8}");
        }
        let mut groups: Vec<_> = self.disagreements.iter().collect();
        groups.sort_by_key(|(_, found)| std::cmp::Reverse(found.count));
        for (difference, DifferentRule { count, rule, objects, answer }) in
            groups.into_iter().take(MAX_DISAGREEMENTS)
        {
            let _ = writeln!(
                text,
                "\ndisagreement ({count} like it): {difference}\nrule: {rule}\n{objects}theirs: {answer}"
            );
        }
        text
    }
}

/// The answer of a server to a rule of a definition.
#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    Accepted,
    Invalid(String),
    TooExpensive,
    /// The rules of the definition together are too expensive.
    TooExpensiveTogether,
    NotSimulated(String),
    /// The server panics when it compiles the rule, such as a map with a key of bytes.
    Panics,
}

/// The result of a rule that does not hold for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Judgement {
    Fails,
    CannotBeEvaluated,
    /// The evaluation ends with a panic, which a server reports as an error.
    Panics,
}

/// Compares the engine with a target. A trial is a rule. After each group of rules, calls `on_progress` with its size.
///
/// # Errors
///
/// Returns a message if the target does not answer.
pub fn compare_rules(
    plan: &AdmissionPlan,
    target: &dyn Target,
    on_progress: &(dyn Fn(u64) + Sync),
) -> Result<RuleReport, String> {
    let compared: Result<Vec<RuleReport>, String> = (0..plan.count.div_ceil(RULES_PER_DEFINITION))
        .into_par_iter()
        .map(|group| {
            let mut random = Random::new(plan.seed, PURPOSE, group);
            let count = RULES_PER_DEFINITION.min(plan.count - group * RULES_PER_DEFINITION);
            let rules: Vec<String> = (0..count).map(|_| Expressions::new(&mut random).rule()).collect();
            let compared = compare_group(&mut random, &rules, target);
            on_progress(count);
            compared
        })
        .collect();
    let mut report = RuleReport::default();
    compared?.into_iter().for_each(|group| report.merge(group));
    Ok(report)
}

fn compare_group(random: &mut Random, rules: &[String], target: &dyn Target) -> Result<RuleReport, String> {
    let mut report = RuleReport::default();
    // Some schemas have no limits, so that rules are too expensive.
    let rules = Rules { expressions: rules, have_limits: !random.chance(250) };
    let all: Vec<usize> = (0..rules.expressions.len()).collect();
    let whole = rules.definition(&all)?;
    let ours = our_verdicts(&whole, all.len())?;
    let theirs = match their_verdicts(&whole, all.len(), target) {
        Err(why) if why.contains("panic") => {
            all.iter().map(|number| rules.their_verdict(*number, target)).collect::<Result<_, _>>()?
        }
        theirs => theirs?,
    };
    let mut accepted = Vec::new();
    for (number, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
        let difference = match (&ours, &theirs) {
            (Verdict::NotSimulated(_), _) => {
                report.step("rules that are not simulated");
                continue;
            }
            (_, Verdict::Panics) => {
                report.step("rules at which the target panics");
                continue;
            }
            // The costs of rules that are not simulated are not known.
            (_, Verdict::TooExpensiveTogether) => {
                report.step("rules that are too expensive together");
                continue;
            }
            (Verdict::TooExpensive, Verdict::TooExpensive) => {
                report.step("rules that are too expensive");
                None
            }
            (Verdict::Accepted, Verdict::Accepted) => {
                report.step("rules that are accepted");
                accepted.push(number);
                None
            }
            (Verdict::Invalid(_), Verdict::Invalid(_)) => {
                report.step("rules that are refused");
                None
            }
            (Verdict::Invalid(why), _) => Some(format!("only the engine refuses the rule: {why}")),
            (_, Verdict::Invalid(_)) => Some("only the target refuses the rule".to_owned()),
            _ => Some("only the engine refuses the rule".to_owned()),
        };
        report.compared += 1;
        if let Some(difference) = difference {
            let answer = format!("{theirs:?}");
            report.disagree(
                difference,
                DifferentRule {
                    count: 1,
                    rule: rules.expressions[number].clone(),
                    objects: String::new(),
                    answer,
                },
            );
        }
    }
    let definition = rules.definition(&accepted)?;
    for _ in 0..OBJECTS_PER_DEFINITION {
        let old = random.chance(500).then(|| document(&documents::object(random))).transpose()?;
        let new = document(&documents::object(random))?;
        let request = AdmitRequest {
            definition: &definition,
            old: old.as_ref(),
            new: &new,
            strict: false,
            ratcheting: true,
        };
        compare_judgements(&mut report, &accepted, rules, &request, target)?;
    }
    Ok(report)
}

fn compare_judgements(
    report: &mut RuleReport,
    accepted: &[usize],
    rules: Rules<'_>,
    request: &AdmitRequest<'_>,
    target: &dyn Target,
) -> Result<(), String> {
    let admission = request.admission().map_err(|error| error.to_string())?;
    let ours = answer(&admission, request).map_err(|error| error.to_string())?;
    let theirs = target.admit(request).map_err(|error| format!("{error:?}"))?;
    let (our_messages, mut their_messages) = (messages(&ours), messages(&theirs));
    // A server evaluates no further rules of the object then.
    if their_messages.iter().any(|message| message.contains("cost budget")) {
        report.step("objects that are too expensive");
        return Ok(());
    }
    let our_judgements = judgements(&our_messages);
    let mut their_judgements = judgements(&their_messages);
    for number in accepted {
        report.compared += 1;
        let mut asked_again = 0;
        // The keys of a map have no order in Go, so that a rule about their order has several verdicts.
        while our_judgements.get(number) != their_judgements.get(number) && asked_again < ASKED_AGAIN {
            asked_again += 1;
            their_messages = messages(&target.admit(request).map_err(|error| format!("{error:?}"))?);
            their_judgements = judgements(&their_messages);
        }
        let (ours, theirs) = (our_judgements.get(number), their_judgements.get(number));
        report.step(match theirs {
            _ if asked_again > 0 && ours == theirs => "rules whose verdict changes from call to call",
            Some(Judgement::Panics) => "rules on which the target panics",
            None => "rules that hold",
            Some(Judgement::Fails) => "rules that do not hold",
            Some(Judgement::CannotBeEvaluated) => "rules that cannot be evaluated",
        });
        if ours != theirs && theirs != Some(&Judgement::Panics) {
            let old = request.old.map_or_else(|| "none".to_owned(), OwnedDoc::to_string);
            let objects = format!("old: {old}\nnew: {}\nours: {}\n", request.new, our_messages.join("; "));
            let difference = format!("ours {ours:?}, theirs {theirs:?}");
            let answer = their_messages.join("; ");
            report.disagree(
                difference,
                DifferentRule { count: 1, rule: rules.expressions[*number].clone(), objects, answer },
            );
        }
    }
    Ok(())
}

/// The rules of a group.
#[derive(Clone, Copy)]
struct Rules<'r> {
    expressions: &'r [String],
    /// Whether texts, lists and maps have limits.
    have_limits: bool,
}

impl Rules<'_> {
    /// Returns the definition with some of the rules.
    fn definition(self, numbers: &[usize]) -> Result<OwnedDoc, String> {
        let rules = numbers.iter().map(|number| (*number, self.expressions[*number].as_str()));
        document(&documents::definition(rules, self.have_limits))
    }

    /// Returns the answer to a definition with one of the rules.
    fn their_verdict(self, number: usize, target: &dyn Target) -> Result<Verdict, String> {
        match their_verdicts(&self.definition(&[number])?, 1, target) {
            Ok(verdicts) => Ok(verdicts.into_iter().next().unwrap_or(Verdict::Accepted)),
            Err(why) if why.contains("panic") => Ok(Verdict::Panics),
            Err(why) => Err(why),
        }
    }
}

fn our_verdicts(definition: &OwnedDoc, count: usize) -> Result<Vec<Verdict>, String> {
    let mut verdicts = their_verdicts(definition, count, &BuiltInTarget)?;
    let read = CustomResourceDefinition::read(definition).map_err(|errors| format!("{errors:?}"))?;
    let version = read.versions.into_iter().next().ok_or("the definition has no version")?;
    for part in Admission::new(version).not_simulated() {
        if let Some(verdict) = number_in(&part.path).and_then(|number| verdicts.get_mut(number)) {
            *verdict = Verdict::NotSimulated(part.to_string());
        }
    }
    for verdict in &mut verdicts {
        if *verdict == Verdict::TooExpensiveTogether {
            *verdict = Verdict::Accepted;
        }
    }
    Ok(verdicts)
}

/// Returns the number of a rule, which is the last index of its path.
fn number_in(path: &FieldPath) -> Option<usize> {
    path.segments().iter().rev().find_map(|segment| match segment {
        PathSegment::Index(number) => Some(*number),
        PathSegment::Key(_) => None,
    })
}

fn their_verdicts(definition: &OwnedDoc, count: usize, target: &dyn Target) -> Result<Vec<Verdict>, String> {
    let mut verdicts = vec![Verdict::Accepted; count];
    let answer = target.validate_definition(&DefinitionRequest { new: definition, old: None });
    let answer = answer.map_err(|error| format!("{error:?}"))?;
    for error in errors(&answer) {
        let text = |name: &str| error.as_map()?.get(name)?.as_str();
        let path = text("path").and_then(|path| path.parse::<FieldPath>().ok()).unwrap_or_default();
        let is_rule = path.segments().last() == Some(&PathSegment::Key("rule".into()));
        let verdict = number_in(&path).filter(|_| is_rule).and_then(|number| verdicts.get_mut(number));
        if let Some(verdict) = verdict {
            let message = text("message").unwrap_or_default();
            *verdict = match (text("reason"), &*verdict) {
                (Some("Forbidden"), Verdict::Accepted) if message.contains("cost total") => {
                    Verdict::TooExpensiveTogether
                }
                (Some("Forbidden"), _) => Verdict::TooExpensive,
                _ => Verdict::Invalid(message.to_owned()),
            };
        }
    }
    Ok(verdicts)
}

/// Returns what rules say, by their numbers.
fn judgements(messages: &[String]) -> BTreeMap<usize, Judgement> {
    let judgement = |message: &String| {
        let number = message.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let cannot_be_evaluated =
            message.contains("evaluating rule: ") || message.contains("signature for rule: ");
        let judgement = match cannot_be_evaluated {
            true if message.contains("internal error: ") => Judgement::Panics,
            true => Judgement::CannotBeEvaluated,
            false => Judgement::Fails,
        };
        Some((number, judgement))
    };
    messages.iter().filter_map(judgement).collect()
}

fn errors(answer: &OwnedDoc) -> &[OwnedDoc] {
    let errors = answer.as_map().and_then(|answer| answer.get("errors")).and_then(|errors| errors.as_list());
    errors.unwrap_or_default()
}

fn messages(answer: &OwnedDoc) -> Vec<String> {
    let message = |error: &OwnedDoc| Some(error.as_map()?.get("message")?.as_str()?.to_owned());
    errors(answer).iter().filter_map(message).collect::<BTreeSet<_>>().into_iter().collect()
}
