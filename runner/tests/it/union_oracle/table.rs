//! The decision table, and its rows by facts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use skewer_cases::yaml;

const FILE: &str = include_str!("decision-table.yaml");

/// The facts of one decision: the name of each fact with its value.
pub(super) type Facts = BTreeMap<&'static str, &'static str>;

/// The phase in which a row decides.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Phase {
    Normalize,
    Validate,
    Stored,
}

/// The field at which an object is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Struct,
    Discriminator,
    Named,
    Others,
}

/// The decision of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Keep,
    ClearOthers,
    ClearAll,
    Accept,
    RefuseWith(String, At),
    Refuse,
    Tolerate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rows: Vec<RowText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowText {
    id: String,
    phase: Phase,
    when: BTreeMap<String, OneOrMany>,
    then: String,
    says: String,
    #[serde(default)]
    reading: Option<String>,
    #[serde(default)]
    unseen: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) phase: Phase,
    when: BTreeMap<String, Vec<String>>,
    pub(super) then: Then,
    /// The sentence of the KEP.
    pub(super) says: String,
    /// How the sentence is understood, if it can be understood in several ways.
    pub(super) reading: Option<String>,
    /// Why no final state shows whether members were kept, if this is so.
    pub(super) unseen: Option<String>,
}

/// The decision table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) rows: Vec<Row>,
}

impl Table {
    pub(super) fn read() -> Self {
        let file: File = yaml::read("decision-table.yaml", FILE.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        Table { rows: file.rows.into_iter().map(Row::of).collect() }
    }

    /// Returns the indices of the rows that apply.
    pub(super) fn applying(&self, phase: Phase, facts: &Facts) -> Vec<usize> {
        let applies = |row: &Row| row.phase == phase && row.applies(facts);
        (0..self.rows.len()).filter(|index| applies(&self.rows[*index])).collect()
    }
}

impl Row {
    fn of(text: RowText) -> Self {
        let values = |value| match value {
            OneOrMany::One(value) => vec![value],
            OneOrMany::Many(values) => values,
        };
        Row {
            then: parse_then(&text.then)
                .unwrap_or_else(|| panic!("{}: unknown decision {:?}", text.id, text.then)),
            id: text.id,
            phase: text.phase,
            when: text.when.into_iter().map(|(fact, value)| (fact, values(value))).collect(),
            says: text.says,
            reading: text.reading,
            unseen: text.unseen,
        }
    }

    /// Returns true if all facts that the row names have one of its values.
    fn applies(&self, facts: &Facts) -> bool {
        self.when.iter().all(|(fact, values)| {
            facts.get(fact.as_str()).is_some_and(|value| values.iter().any(|listed| listed == value))
        })
    }

    /// Returns the facts and values that the row names.
    pub(super) fn named_facts(&self) -> BTreeSet<(&str, &str)> {
        let pairs = self
            .when
            .iter()
            .flat_map(|(fact, values)| values.iter().map(move |v| (fact.as_str(), v.as_str())));
        pairs.collect()
    }
}

fn parse_then(text: &str) -> Option<Then> {
    Some(match text.split(' ').collect::<Vec<_>>()[..] {
        ["keep"] => Then::Keep,
        ["clear", "others"] => Then::ClearOthers,
        ["clear", "all"] => Then::ClearAll,
        ["accept"] => Then::Accept,
        ["refuse"] => Then::Refuse,
        ["tolerate"] => Then::Tolerate,
        ["refuse", kind, "at", at] => Then::RefuseWith(
            kind.to_owned(),
            match at {
                "struct" => At::Struct,
                "discriminator" => At::Discriminator,
                "named" => At::Named,
                "others" => At::Others,
                _ => return None,
            },
        ),
        _ => return None,
    })
}
