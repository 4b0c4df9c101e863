//! The report on changes of a topology: its model. [`crate::markdown::topology`] renders it.

use crate::model::Owner;

/// The changes of a topology, each with the requests that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The changes.
    pub changes: Vec<Change>,
}

/// A change of a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The topology before the change.
    pub old: String,
    /// The topology after the change.
    pub new: String,
    /// The next requests.
    pub writers: Vec<NextWriter>,
}

/// The first request after a change, beside the same request to an object that always had the new topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextWriter {
    /// The name of the request.
    pub name: String,
    /// The answer after the change.
    pub answer: Answer,
    /// The answer without the change.
    pub control: Answer,
    /// The reason that the corpus gives for this result (`because`).
    pub because: Option<String>,
}

/// The end of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request was accepted.
    Stored {
        /// The stored object, in the flow style of YAML.
        object: String,
        /// The owners of its fields.
        owners: Vec<Owner>,
    },
    /// The request was refused.
    Refused {
        /// The owners with which it conflicts.
        conflicts: Vec<Owner>,
    },
}

/// The difference that a change makes for the next request. The variants are in the order of their severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The answer is that of an object that always had the new topology.
    None,
    /// The stored object is the same, but managers own other fields of it.
    OtherOwners,
    /// The request is refused, or refused for other conflicts.
    NewConflict,
    /// Other values are stored.
    OtherValues,
    /// A conflict is not noticed.
    MissedConflict,
}

impl NextWriter {
    /// Compares the answer with the control.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match (&self.answer, &self.control) {
            (answer, control) if answer == control => Effect::None,
            (Answer::Stored { .. }, Answer::Refused { .. }) => Effect::MissedConflict,
            (Answer::Refused { .. }, _) => Effect::NewConflict,
            (Answer::Stored { object, .. }, Answer::Stored { object: of_control, .. }) => {
                if object == of_control { Effect::OtherOwners } else { Effect::OtherValues }
            }
        }
    }
}

impl Change {
    /// Returns the effect on the next request with this name, or `None` if there is no such request.
    #[must_use]
    pub fn effect_on(&self, name: &str) -> Option<Effect> {
        self.writers.iter().find(|writer| writer.name == name).map(NextWriter::effect)
    }

    /// Returns true if some request has this effect.
    #[must_use]
    pub fn has(&self, effect: Effect) -> bool {
        self.writers.iter().any(|writer| writer.effect() == effect)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn stored(object: &str, field: &str) -> Answer {
        let (manager, operation) = ("m".to_owned(), "Apply".to_owned());
        let fields = vec![field.to_owned()];
        let owner = Owner {
            manager,
            operation,
            api_version: None,
            subresource: None,
            fields,
            absent_fields: Vec::new(),
        };
        Answer::Stored { object: object.to_owned(), owners: vec![owner] }
    }

    fn refused() -> Answer {
        Answer::Refused { conflicts: Vec::new() }
    }

    #[rstest]
    #[case::the_same(stored("{}", ".a"), stored("{}", ".a"), Effect::None)]
    #[case::refused_as_before(refused(), refused(), Effect::None)]
    #[case::owners(stored("{}", ".a"), stored("{}", ".b"), Effect::OtherOwners)]
    #[case::values(stored("{a: 1}", ".a"), stored("{}", ".a"), Effect::OtherValues)]
    #[case::new_conflict(refused(), stored("{}", ".a"), Effect::NewConflict)]
    #[case::missed_conflict(stored("{}", ".a"), refused(), Effect::MissedConflict)]
    fn an_answer_is_compared_with_the_control(
        #[case] answer: Answer,
        #[case] control: Answer,
        #[case] expected: Effect,
    ) {
        let writer = NextWriter { name: "w".to_owned(), answer, control, because: None };
        assert_eq!(writer.effect(), expected);
    }
}
