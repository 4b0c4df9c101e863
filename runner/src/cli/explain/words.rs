//! The words of results, cases and messages, with their meanings.
//!
//! Every meaning comes from the type or the registry that defines the word, so that it is written once.

use std::collections::BTreeMap;

use skewer_audit::clients::{ClientStyle, Clients};
use skewer_cases::format::FormatKey;
use skewer_engine::directive::{self, Directive, IntroducedIn, MapScope, Placement};
use skewer_engine::error::ErrorKind;
use skewer_engine::schema::TagForm;
use skewer_engine::union::policy;
use skewer_reports::audit::Severity;
use skewer_results::vocabulary::{Level, Outcome, Status};
use skewer_skew::Request;
use skewer_trials::laws::{Law, VerdictKind, VerdictRecord};

use super::terms::TERMS;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Outcome,
    Status,
    Level,
    ErrorKind,
    Directive,
    UnionPolicy,
    Request,
    Law,
    Severity,
    Client,
    ExitCode,
    Term,
    Key,
}

impl WordKind {
    /// All kinds, in the order in which they are listed.
    pub(super) const ALL: [WordKind; 13] = [
        WordKind::Outcome,
        WordKind::Status,
        WordKind::Level,
        WordKind::ErrorKind,
        WordKind::Directive,
        WordKind::UnionPolicy,
        WordKind::Request,
        WordKind::Law,
        WordKind::Severity,
        WordKind::Client,
        WordKind::ExitCode,
        WordKind::Term,
        WordKind::Key,
    ];

    /// Returns the name of the kind, in the singular.
    pub(super) fn name(self) -> &'static str {
        match self {
            WordKind::Outcome => "outcome",
            WordKind::Status => "status",
            WordKind::Level => "level",
            WordKind::ErrorKind => "error kind",
            WordKind::Directive => "directive",
            WordKind::UnionPolicy => "union policy",
            WordKind::Request => "request",
            WordKind::Law => "law",
            WordKind::Severity => "severity of an audit",
            WordKind::Client => "client of an audit",
            WordKind::ExitCode => "exit code",
            WordKind::Term => "term",
            WordKind::Key => "key of case files",
        }
    }

    /// Returns true if cells of the corpus can show a word of this kind.
    pub(super) fn has_examples(self) -> bool {
        !matches!(
            self,
            WordKind::Status
                | WordKind::Law
                | WordKind::Severity
                | WordKind::Client
                | WordKind::ExitCode
                | WordKind::Term
                | WordKind::Key
        )
    }

    /// Returns the heading of the list of words.
    pub(super) fn heading(self) -> &'static str {
        match self {
            WordKind::Outcome => "outcomes: the judged result of a cell",
            WordKind::Status => "statuses: whether a cell passes, and if not, why",
            WordKind::Level => "levels: how binding an expectation is",
            WordKind::ErrorKind => "error kinds: why something is refused",
            WordKind::Directive => "directives of strategic merge patch",
            WordKind::UnionPolicy => "union policies: what a server does with a written union",
            WordKind::Request => "requests: how a client sends a change",
            WordKind::Law => "laws of patch evolution",
            WordKind::Severity => "severities: how bad a finding of an audit is",
            WordKind::Client => "clients: who writes and reads the objects of an audit",
            WordKind::ExitCode => "exit codes of the commands",
            WordKind::Term => "terms of tables, messages and case files",
            WordKind::Key => "keys of case files",
        }
    }
}

/// A word with its meaning.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) kind: WordKind,
    pub(super) name: String,
    /// The meaning, in a phrase or in sentences.
    pub(super) about: String,
    /// Further properties, each with its name.
    pub(super) facts: Vec<(&'static str, String)>,
}

impl Word {
    fn new(kind: WordKind, name: impl Into<String>, about: &str) -> Self {
        Word { kind, name: name.into(), about: about.to_owned(), facts: Vec::new() }
    }

    fn with(mut self, name: &'static str, fact: impl Into<String>) -> Self {
        self.facts.push((name, fact.into()));
        self
    }

    /// Returns true if a user means this word. The dollar sign of a directive can be omitted, and a severity can be written in
    /// small letters.
    pub(super) fn is_named(&self, text: &str) -> bool {
        match self.kind {
            WordKind::Directive if self.name.strip_prefix('$') == Some(text) => true,
            WordKind::Severity => self.name.eq_ignore_ascii_case(text),
            _ => self.name == text,
        }
    }
}

/// Returns all words, by kind.
///
/// # Errors
/// Fails if the record of the laws cannot be read.
pub(super) fn all() -> Result<Vec<Word>> {
    let record = VerdictRecord::of_directives()?;
    let mut words: Vec<Word> = Outcome::ALL.iter().copied().map(outcome).collect();
    words.extend(Status::ALL.iter().copied().map(status));
    words.extend(Level::ALL.iter().map(|level| Word::new(WordKind::Level, level.as_str(), level.meaning())));
    words.extend(ErrorKind::ALL.iter().map(|kind| Word::new(WordKind::ErrorKind, kind.id(), kind.about())));
    words.extend(directive::REGISTRY.iter().map(|directive| describe_directive(*directive, &record)));
    let policies = policy::REGISTRY.iter();
    words.extend(policies.map(|policy| Word::new(WordKind::UnionPolicy, policy.name(), policy.about())));
    let requests = Request::ALL.iter();
    words.extend(requests.map(|request| Word::new(WordKind::Request, request.name(), request.about())));
    words.extend(Law::ALL.map(|law| describe_law(law, &record)));
    let severities = Severity::ALL.iter();
    words.extend(
        severities.map(|severity| Word::new(WordKind::Severity, severity.name(), severity.meaning())),
    );
    let clients = ClientStyle::ALL.iter();
    words.extend(clients.map(|client| Word::new(WordKind::Client, client.name(), client.about())));
    words.extend(Clients::groups().map(|(name, styles)| {
        let names: Vec<&str> = styles.iter().map(|style| style.name()).collect();
        Word::new(WordKind::Client, name, &format!("a name for `--clients`: {}", names.join(", ")))
    }));
    words.extend(
        Exit::ALL.iter().map(|exit| Word::new(WordKind::ExitCode, exit.code().to_string(), exit.about())),
    );
    words.extend(TERMS.map(|(term, about)| Word::new(WordKind::Term, term, about)));
    words.extend(describe_keys());
    Ok(words)
}

/// Describes the keys of case files. A key can have a meaning in several parts of a file.
fn describe_keys() -> impl Iterator<Item = Word> {
    let mut by_name: BTreeMap<String, Vec<FormatKey>> = BTreeMap::new();
    for key in skewer_cases::format::keys() {
        by_name.entry(key.name.clone()).or_default().push(key);
    }
    by_name.into_iter().map(|(name, keys)| {
        let meaning = |key: &FormatKey| format!("{} ({})", key.about.trim_end_matches('.'), key.part);
        let meanings: Vec<String> = keys.iter().map(meaning).collect();
        Word::new(WordKind::Key, name, &meanings.join(". "))
    })
}

fn outcome(outcome: Outcome) -> Word {
    let word = Word::new(WordKind::Outcome, outcome.as_str(), outcome.meaning());
    let silent = if outcome.is_silent() {
        "yes: the request is accepted without the intended effect, so that the user sees no error"
    } else {
        "no"
    };
    word.with("silent", silent)
}

fn status(status: Status) -> Word {
    let yes_or_no = |is: bool| if is { "yes" } else { "no" };
    Word::new(WordKind::Status, status.as_str(), status.meaning())
        .with("fails the run", yes_or_no(status.is_failure()))
        .with("cell was run", yes_or_no(status.was_run()))
}

fn describe_directive(directive: &dyn Directive, record: &VerdictRecord) -> Word {
    let name = directive.name();
    let placement = match directive.placement() {
        Placement::Field => format!("a key of the map with the field: {name}/FIELD"),
        _ => format!("a key of the map or list item that it is about: {name}"),
    };
    let introduced = match directive.introduced_in() {
        IntroducedIn::Release(minor) => format!("Kubernetes 1.{minor}"),
        _ => "never: a proposal (--profile proposed knows it)".to_owned(),
    };
    let scope = match directive.scope() {
        MapScope::All => "all maps",
        MapScope::Structs => "maps of types that declare their fields",
        MapScope::FreeKeyMaps => "maps with arbitrary keys",
    };
    let mut word = Word::new(WordKind::Directive, name, directive.about())
        .with("placement", placement)
        .with("introduced in", introduced)
        .with("scope", scope);
    if let Some(tag) = directive.metadata_tag() {
        let form = match tag.form {
            TagForm::StrategyWord => format!("patchStrategy:\"{}\"", tag.name),
            TagForm::MergeKeys => format!("{}:\"KEY,…\"", tag.name),
        };
        word = word.with("tag of types", form);
    }
    for law in Law::ALL {
        let verdict = record.kind(name, law);
        let because = record.because(name, law).filter(|_| verdict != VerdictKind::Kept);
        let because = because.map_or_else(String::new, |because| format!(": {because}"));
        word = word.with("law", format!("{} {}{because}", law.name(), verdict.name()));
    }
    word
}

fn describe_law(law: Law, record: &VerdictRecord) -> Word {
    let broken: Vec<&str> =
        record.names().filter(|name| record.kind(name, law) == VerdictKind::Broken).collect();
    let broken = if broken.is_empty() { "no directive or proposal".to_owned() } else { broken.join(", ") };
    Word::new(WordKind::Law, law.name(), law.statement()).with("broken by", broken)
}
