//! Trials: servers with the old and the new topology process the same requests.

use skewer_engine::error::{ErrorKind, ManagerConflict};
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::OperationKind;
use skewer_skew::without_managed_fields;

use crate::differential::Answer;
use crate::differential::compare::built_in_answer;
use crate::differential::sequences::{Sequence, Step};

/// The version of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerVersion {
    /// A server with the topology before the change.
    Old,
    /// A server with the topology after the change.
    New,
}

/// The end of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The object is stored. It has no managed fields here.
    Stored(OwnedDoc),
    /// Other managers own fields that the request changes.
    Conflict(Vec<ManagerConflict>),
    /// The request is refused for another reason, the id of an error kind.
    Refused(&'static str),
    /// The engine panics.
    Panic(String),
}

impl End {
    fn of(answer: Answer) -> Self {
        match answer {
            Answer::Result(object) => End::Stored(comparable(object)),
            Answer::Refused { kind, conflicts, .. } if kind == ErrorKind::Conflict.id() => {
                End::Conflict(conflicts)
            }
            Answer::Refused { kind, .. } => End::Refused(kind),
            Answer::Panic(message) | Answer::Unsupported(message) | Answer::Broken(message) => {
                End::Panic(message)
            }
        }
    }

    /// Returns true if the server understands the request, so that it stores the object or asks for `force`.
    pub(super) fn is_valid(&self) -> bool {
        matches!(self, End::Stored(_) | End::Conflict(_))
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Stored(object) => write!(f, "stores {object}"),
            End::Conflict(conflicts) => {
                let conflict = |it: &ManagerConflict| format!("{} of {}", it.path, it.manager);
                let conflicts: Vec<String> = conflicts.iter().map(conflict).collect();
                write!(f, "refuses it because of a conflict with {}", conflicts.join(", "))
            }
            End::Refused(kind) => write!(f, "refuses it ({kind})"),
            End::Panic(message) => f.write_str(message),
        }
    }
}

/// The ends of the next apply request, by the server that processed the history and the server that processes the
/// request.
#[derive(Clone, Debug)]
pub struct TopologyTrial {
    /// Both on an old server.
    pub before: End,
    /// Both on a new server, as if the field had always had its new topology.
    pub ideal: End,
    /// The history on an old server, and the request on a new one.
    pub upgraded: End,
    /// The history on a new server, and the request on an old one.
    pub rolled_back: End,
}

impl TopologyTrial {
    /// Runs the requests of a situation. Returns `None` if the last request is no apply request, or if the history is
    /// refused or leads to different objects on both servers. The object then does not tell whether the change of the
    /// topology or an earlier request is the reason of a difference.
    #[must_use]
    pub(super) fn run(sequence: &Sequence) -> Option<Self> {
        let (next, history) = sequence.steps.split_last()?;
        if next.operation != OperationKind::ServerSideApply {
            return None;
        }
        let [old, new] = history_on_both(sequence, history)?;
        let end = |live: &Option<OwnedDoc>, server: ServerVersion| {
            on_server(next, server).perform(sequence, live.as_ref(), built_in_answer).map(End::of)
        };
        Some(TopologyTrial {
            before: end(&old, ServerVersion::Old)?,
            ideal: end(&new, ServerVersion::New)?,
            upgraded: end(&old, ServerVersion::New)?,
            rolled_back: end(&new, ServerVersion::Old)?,
        })
    }
}

/// Returns an object without managed fields, and without metadata if it has no other.
fn comparable(object: OwnedDoc) -> OwnedDoc {
    let mut object = without_managed_fields(object);
    if let Doc::Map(map) = &mut object
        && map.get("metadata").and_then(Doc::as_map).is_some_and(skewer_engine::Map::is_empty)
    {
        map.remove("metadata");
    }
    object
}

/// The kinds of histories, the plainest first. A law can be broken only in some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HistoryKind {
    /// One manager has written the object, and no document has an empty value.
    OneManager,
    /// Several managers have written the object, and no document has an empty value.
    SeveralManagers,
    /// A document has an empty list, an empty map or a null. Who owns it depends on the topology.
    EmptyValues,
}

impl HistoryKind {
    pub(super) const ALL: [HistoryKind; 3] =
        [HistoryKind::OneManager, HistoryKind::SeveralManagers, HistoryKind::EmptyValues];

    /// Returns the name of this kind in reports and in the file of recorded verdicts.
    pub(super) fn name(self) -> &'static str {
        match self {
            HistoryKind::OneManager => "one manager",
            HistoryKind::SeveralManagers => "several managers",
            HistoryKind::EmptyValues => "empty values",
        }
    }

    /// Returns the kind of the history of a sequence, whose last request is the next one.
    pub(super) fn of(sequence: &Sequence) -> Self {
        let history = sequence.steps.split_last().map_or(&[][..], |(_, history)| history);
        if sequence.steps.iter().any(|step| has_empty_values(&step.document)) {
            HistoryKind::EmptyValues
        } else if history.iter().any(|step| step.manager != history[0].manager) {
            HistoryKind::SeveralManagers
        } else {
            HistoryKind::OneManager
        }
    }
}

fn has_empty_values(value: &OwnedDoc) -> bool {
    match value {
        Doc::Null => true,
        Doc::Map(map) => map.is_empty() || map.iter().any(|(_, value)| has_empty_values(value)),
        Doc::List(items) => items.is_empty() || items.iter().any(has_empty_values),
        _ => false,
    }
}

/// Returns a request to a server.
pub(super) fn on_server(step: &Step, server: ServerVersion) -> Step {
    Step { resource: server as usize, ..step.clone() }
}

/// Returns the live objects after the history on an old and on a new server.
pub(super) fn history_on_both(sequence: &Sequence, history: &[Step]) -> Option<[Option<OwnedDoc>; 2]> {
    let mut lives = [None, None];
    for (index, step) in history.iter().enumerate() {
        for (server, live) in [ServerVersion::Old, ServerVersion::New].into_iter().zip(&mut lives) {
            let answer = on_server(step, server).perform(sequence, live.as_ref(), built_in_answer)?;
            let Answer::Result(result) = answer else { return None };
            *live = Some(sequence.next_live(live.as_ref(), &result, index));
        }
        let [old, new] = lives.clone().map(|live| live.map(comparable));
        if old != new {
            return None;
        }
    }
    Some(lives)
}
