//! Results of version 1, which had sentences in place of values.
//!
//! This is the one place that takes sentences apart. It knows the sentences of version 1, and must not learn those of
//! later versions. A sentence that it does not recognise is kept as it is, in [`Answer::told`] or [`Reason::Told`].

use crate::model::{
    Answer, AnswerError, AnswerPart, AskedParty, Cell, ForeignText, OwnedField, Reason, Reference,
};
use crate::vocabulary::{Outcome, Status};

/// Returns a cell of version 1 with values in place of its sentences, as far as they are recognised.
pub(super) fn upgrade(cell: Cell) -> Cell {
    let expected = cell.expected.iter().find_map(|answer| answer.told.as_ref()).map(ToString::to_string);
    let actual = cell.actual.as_ref().and_then(|answer| answer.told.as_ref()).map(ToString::to_string);
    let is_law = cell.axes.get("law").is_some();
    let read = expected
        .as_deref()
        .map(|text| if is_law { (None, vec![law_verdict(text)]) } else { expectation(text) });
    let (reference, answers) = read.unwrap_or((None, Vec::new()));
    let actual = actual.map(|text| match &reference {
        _ if is_law => law_verdict(&text),
        Some(Reference::Case { is_worse, .. }) => {
            let prefix = if *is_worse { "worse: " } else { "no worse: " };
            answer_or_told(text.strip_prefix(prefix).unwrap_or(&text))
        }
        _ => answer_or_told(&text),
    });
    let reasons = cell.reasons.iter().map(|reason| match reason {
        Reason::Told(text) => reason_of(cell.status, text),
        reason => reason.clone(),
    });
    let reasons = reasons.collect();
    Cell { expected: answers, actual, reference, reasons, ..cell }
}

fn law_verdict(text: &str) -> Answer {
    match text.split_once(" with ") {
        Some((verdict, condition)) => Answer::of_verdict(verdict, Some(format!("with {condition}"))),
        None => Answer::of_verdict(text, None),
    }
}

fn reason_of(status: Status, text: &ForeignText) -> Reason {
    let own = || text.clone();
    match status {
        Status::NotAsked => not_asked(&text.to_string()).unwrap_or_else(|| Reason::Told(own())),
        Status::Unsupported => Reason::Unsupported(own()),
        Status::Crash => Reason::Crash(own()),
        Status::Timeout => Reason::TimedOut(own()),
        Status::NotRun => Reason::GivenUp(own()),
        _ => Reason::Told(own()),
    }
}

fn not_asked(text: &str) -> Option<Reason> {
    let rest = text.strip_prefix("the outcome needed no answer from the ")?;
    let (party, request) = rest.split_once(": ").map_or((rest, None), |(party, rest)| (party, Some(rest)));
    let party: AskedParty = party.parse().ok()?;
    let whole_object = match request {
        None => None,
        Some(rest) => {
            let rest = rest.strip_prefix("the client sends the whole object (")?;
            Some(rest.strip_suffix("), no patch")?.to_owned())
        }
    };
    Some(Reason::NotAsked { party, whole_object })
}

/// Reads what was expected: the answers, and what they are compared with.
fn expectation(text: &str) -> (Option<Reference>, Vec<Answer>) {
    let simulated = text.strip_prefix("as the simulation of ").and_then(|rest| rest.split_once(": "));
    if let Some((release, rest)) = simulated {
        return (Some(Reference::Simulation { release: release.to_owned() }), vec![answer_or_told(rest)]);
    }
    for (prefix, is_worse) in [("no worse than ", true), ("worse than ", false)] {
        if let Some((id, rest)) = text.strip_prefix(prefix).and_then(|rest| rest.split_once(", ")) {
            return (Some(Reference::Case { id: id.to_owned(), is_worse }), vec![answer_or_told(rest)]);
        }
    }
    let answers: Option<Vec<Answer>> = text.split(", or ").map(answer).collect();
    (None, answers.unwrap_or_else(|| vec![Answer::of_words(text)]))
}

fn answer_or_told(text: &str) -> Answer {
    answer(text).unwrap_or_else(|| Answer::of_words(text))
}

/// Reads an answer. Returns `None` if its words are not known.
fn answer(text: &str) -> Option<Answer> {
    let leaks = text.strip_suffix(" as data").and_then(|text| text.split_once(" with $"));
    if let Some((rest, leaks)) = leaks {
        let leaks = leaks.split(", $").map(|name| format!("${name}")).collect();
        return Some(Answer { leaks, ..answer(rest)? });
    }
    for (words, part) in [("these owners", AnswerPart::Owners), ("this result", AnswerPart::Result)] {
        if let Some(rest) = text.strip_suffix(words) {
            let mut answer = match rest {
                "" => Answer::default(),
                rest => answer(rest.strip_suffix(", with ")?)?,
            };
            answer.has.push(part);
            return Some(answer);
        }
    }
    match text {
        "a result" => return Some(Answer::of_part(AnswerPart::Result)),
        "the types are accepted" => return Some(Answer::of_part(AnswerPart::Types)),
        _ => {}
    }
    let (word, rest) = text.split_at(text.find([' ', ',', ':']).unwrap_or(text.len()));
    let outcome: Outcome = word.parse().ok()?;
    if rest.is_empty() {
        return Some(Answer::of_outcome(outcome));
    }
    if let Some(covers) = rest.strip_prefix(" (") {
        let covers = covers.strip_suffix(')')?.parse().ok()?;
        return Some(Answer { covers: Some(covers), ..Answer::of_outcome(outcome) });
    }
    let error = rest.strip_prefix(", refused: ").or_else(|| rest.strip_prefix(": "))?;
    let outcome = (outcome != Outcome::Refused).then_some(outcome);
    Some(Answer { outcome, ..Answer::of_error(refusal(error)?) })
}

/// Reads an error: `KIND of $DIRECTIVE at PATH [RULE] with "MANAGER": PATH`, or `KIND [RULES] (MESSAGE)`.
fn refusal(text: &str) -> Option<AnswerError> {
    let (kind, mut rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let mut error = AnswerError::of_kind(kind);
    if let Some(named) = rest.strip_prefix(" of $") {
        let (name, others) = named.split_at(named.find(' ').unwrap_or(named.len()));
        error.directive = Some(format!("${name}"));
        rest = others;
    }
    if let Some(path) = rest.strip_prefix(" at ") {
        let end = [" [", " with \""].iter().filter_map(|next| path.find(next)).min();
        let (path, others) = path.split_at(end.unwrap_or(path.len()));
        error.path = Some(path.to_owned());
        rest = others;
    }
    if let Some((rules, others)) = rest.strip_prefix(" [").and_then(|rest| rest.split_once(']')) {
        // Version 1 wrote empty brackets for declarations that break no rule.
        error.rules = rules.split(", ").filter(|rule| !rule.is_empty()).map(str::to_owned).collect();
        rest = others;
    }
    if let Some(message) = rest.strip_prefix(" (") {
        error.message = Some(message.strip_suffix(')')?.into());
    } else if let Some(conflicts) = rest.strip_prefix(" with \"") {
        let conflict = |text: &str| {
            let (manager, path) = text.split_once("\": ")?;
            Some(OwnedField { manager: manager.to_owned(), path: path.to_owned() })
        };
        error.conflicts = conflicts.split(", \"").map(conflict).collect::<Option<_>>()?;
    } else if !rest.is_empty() {
        return None;
    }
    Some(error)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::json;
    use crate::vocabulary::Level;

    /// Results of version 1: some cells of the corpus, on the built-in engine and on a target, and further sentences.
    const RESULTS: &str = include_str!("v1.json");

    fn cell(id: &str) -> Cell {
        let results = json::parse(RESULTS.as_bytes()).unwrap();
        results.cells.into_iter().find(|cell| cell.id == id).unwrap()
    }

    #[test]
    fn the_values_have_the_sentences_of_version_1() {
        let results = json::parse(RESULTS.as_bytes()).unwrap();
        assert_eq!(results.version, crate::model::VERSION);
        let file: Value = serde_json::from_str(RESULTS).unwrap();
        for (cell, written) in results.cells.iter().zip(file["cells"].as_array().unwrap()) {
            let sentences = [
                ("expected", cell.expected_text()),
                ("actual", cell.actual_text()),
                ("message", cell.message_text()),
            ];
            for (name, sentence) in sentences {
                // Declarations that break no rule have no brackets any more.
                let written = written[name].as_str().map(|text| text.replace(" []", ""));
                assert_eq!(sentence, written, "{name} of {}", cell.id);
            }
            let is_known = cell.expected.iter().chain(&cell.actual).all(|answer| answer.told.is_none());
            assert_eq!(is_known, cell.id != "s/unknown", "{cell:?}");
        }
        let mut again = Vec::new();
        json::write(&results, &mut again).unwrap();
        assert_eq!(json::parse(&again).unwrap(), results);
    }

    #[test]
    fn sentences_become_values() {
        let simulated = cell("s/simulated");
        assert_eq!(
            simulated.reference,
            Some(Reference::Simulation { release: "kubernetes-1.28".to_owned() })
        );
        assert_eq!(simulated.expected[0].error.as_ref().unwrap().kind, "conflict");
        let worse = cell("s/worse");
        let id = "s/r[a=b,c=d]".to_owned();
        assert_eq!(worse.reference, Some(Reference::Case { id, is_worse: true }));
        assert_eq!(worse.actual, Some(Answer::of_outcome(Outcome::Lost)));
        let leaked = cell("s/leaked");
        assert_eq!(leaked.actual.unwrap().leaks, ["$setElementOrder", "$patch"]);
        let [first, second] = &leaked.expected[..] else { panic!("{:?}", leaked.expected) };
        assert_eq!((first.outcome, &*first.has), (Some(Outcome::Lost), &[AnswerPart::Result][..]));
        let error = second.error.as_ref().unwrap();
        assert_eq!(
            (error.kind.as_str(), error.directive.as_deref(), error.path.as_deref()),
            ("invalid-directive", Some("$patch"), Some("a.b"))
        );
        assert_eq!(cell("laws/c").actual.unwrap().verdict.unwrap().verdict, "broken");
        assert_eq!(
            (cell("s/unknown").level, cell("s/unknown").reasons),
            (Level::Required, vec![Reason::Told("a message".into())])
        );
    }

    #[test]
    fn empty_brackets_are_no_rule() {
        assert_eq!(refusal("invalid-schema [] (not known)").unwrap().rules, Vec::<String>::new());
        assert_eq!(refusal("invalid-schema [a, b] (not known)").unwrap().rules, ["a", "b"]);
    }

    #[test]
    fn the_answer_of_an_older_file_is_the_same_answer() {
        let new = AnswerError {
            path: Some("a".to_owned()),
            message: Some("b".into()),
            ..AnswerError::of_kind("conflict")
        };
        let old = &cell("s/simulated").expected[0];
        assert!(old.is_same(&Answer::of_error(new.clone())));
        let in_other_words = AnswerError { message: Some("c".into()), ..new.clone() };
        assert!(old.is_same(&Answer::of_error(in_other_words)));
        let of_another_kind = AnswerError { kind: "wrong-kind".to_owned(), ..new };
        assert!(!old.is_same(&Answer::of_error(of_another_kind)));
    }
}
