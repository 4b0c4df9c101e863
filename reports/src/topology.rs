//! The report on changes of a topology: the first request after each change, beside the same request to an object that
//! always had the new topology.

use std::collections::BTreeMap;

use skewer_results::model::{Cell, Owner, Results};
use skewer_results::vocabulary::{Outcome, Status};

use crate::blocks::{
    self, Block, Column, Inline, Line, Table, Tone, TonedWord, code, heading, list, own, paragraph, plain,
};

/// The suite with the cells of the report.
pub const SUITE: &str = "server-side-apply/topology";

/// Between the old and the new topology in a value of the axis `change`. A value without it is a control.
const SEPARATOR: &str = "-to-";
/// The requests in the order of the report: the values of the axis `next`.
const REQUESTS: [&str; 5] = [OWNER_AGAIN, "owner-removes", "applier-adds", "applier-changes", "updater"];
/// The request by which the owner applies the same configuration.
const OWNER_AGAIN: &str = "owner-again";
/// The step with the stored object.
const RESULT: &str = "result";

/// The changes, each with the requests that follow it.
pub type TopologyEffects<'a> = BTreeMap<Replacement<'a>, Vec<NextAnswer<'a>>>;

/// Renders the report in Markdown.
#[must_use]
pub fn markdown(effects: &TopologyEffects<'_>) -> String {
    let mut blocks = introduction();
    blocks.push(Block::Table(overview(effects)));
    let is_remedy = |answers: &Vec<NextAnswer<'_>>| {
        answers.iter().any(|answer| answer.next == OWNER_AGAIN && answer.effect == Effect::None)
    };
    if effects.values().all(is_remedy) {
        blocks.extend(REMEDY.map(|text| paragraph(own(text))));
    }
    for (change, answers) in effects {
        blocks.extend([heading(2, plain(change.title())), paragraph(plain(verdict(answers)))]);
        blocks.push(Block::Table(details(answers)));
    }
    blocks::markdown::document(&blocks, 1)
}

/// The end of a request: the owners of the fields of the stored object, or those with which the request conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answer {
    /// The stored object, in the flow style of YAML. `None` if the request is refused.
    object: Option<String>,
    owners: Vec<Owner>,
}

/// A cell with the values of its axes and the answer.
struct AskedCell<'a> {
    cell: &'a Cell,
    change: &'a str,
    next: &'a str,
    answer: Answer,
}

/// The answer to the first request after a change.
#[derive(Clone, Debug)]
pub struct NextAnswer<'a> {
    /// The name of the request.
    pub next: &'a str,
    /// The difference that the change makes.
    pub effect: Effect,
    answer: Answer,
    because: Option<&'a str>,
}

/// A change of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Replacement<'a> {
    /// The topology before the change.
    pub old: &'a str,
    /// The topology after the change.
    pub new: &'a str,
}

impl Replacement<'_> {
    fn title(&self) -> String {
        format!("{} → {}", self.old, self.new).replace('-', " ")
    }
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

impl Effect {
    /// Compares an answer with that of the control.
    fn of(answer: &Answer, control: &Answer) -> Self {
        match (&answer.object, &control.object) {
            _ if answer == control => Effect::None,
            (Some(_), None) => Effect::MissedConflict,
            (None, _) => Effect::NewConflict,
            (object, of_control) if object == of_control => Effect::OtherOwners,
            _ => Effect::OtherValues,
        }
    }

    fn word(self) -> Inline {
        let (tone, text) = match self {
            Effect::None => (Tone::Good, "same"),
            Effect::OtherOwners => (Tone::Doubtful, "owners"),
            Effect::NewConflict => (Tone::Loud, "conflict"),
            Effect::OtherValues => (Tone::Bad, "values"),
            Effect::MissedConflict => (Tone::Bad, "missed"),
        };
        Inline::Badge(TonedWord { tone, text: text.to_owned(), title: None })
    }
}

/// Reads the changes from the results of the suite [`SUITE`] with the documents of all steps. `flow` rewrites a document
/// in the flow style of YAML.
///
/// # Errors
///
/// A message, if the results lack a cell of the suite, a control or the documents of steps, or if a cell has not passed.
pub fn analyze(
    results: &Results,
    flow: impl Fn(&str) -> Option<String>,
) -> Result<TopologyEffects<'_>, String> {
    let mut asked = Vec::new();
    for cell in results.cells.iter().filter(|cell| &*cell.suite == SUITE) {
        if let (Some(change), Some(next)) = (cell.axes.get("change"), cell.axes.get("next")) {
            asked.push(AskedCell { cell, change, next, answer: answer_of(cell, &flow)? });
        }
    }
    let mut changes = TopologyEffects::new();
    for AskedCell { cell, change, next, answer } in &asked {
        let Some((old, new)) = change.split_once(SEPARATOR) else { continue };
        let is_control =
            |other: &&AskedCell<'_>| (&other.cell.case, other.change, other.next) == (&cell.case, new, *next);
        let Some(control) = asked.iter().find(is_control) else {
            return Err(format!("{} has no control: expected a cell with the change `{new}`", cell.id));
        };
        let effect = Effect::of(answer, &control.answer);
        let because = cell.because.as_deref().filter(|_| effect != Effect::None);
        let answer = NextAnswer { next, answer: answer.clone(), effect, because };
        changes.entry(Replacement { old, new }).or_default().push(answer);
    }
    if changes.is_empty() {
        return Err(format!("the results contain no cell of the suite {SUITE} that changes a topology"));
    }
    for answers in changes.values_mut() {
        answers.sort_by_key(|answer| REQUESTS.iter().position(|name| *name == answer.next));
    }
    Ok(changes)
}

/// Returns the end of the last request of a cell.
fn answer_of(cell: &Cell, flow: impl Fn(&str) -> Option<String>) -> Result<Answer, String> {
    if cell.status != Status::Pass {
        return Err(format!("{} has not passed", cell.id));
    }
    if matches!(cell.outcome, Some(Outcome::Refused | Outcome::Rejected)) {
        return Ok(Answer { object: None, owners: cell.conflicts.clone() });
    }
    let result = cell.steps.iter().rev().find(|step| step.name == RESULT);
    let answer = result.and_then(|step| {
        Some(Answer { object: Some(flow(step.document.as_deref()?)?), owners: step.owners.clone() })
    });
    answer.ok_or_else(|| format!("{} has no document of the step `{RESULT}`: record all steps", cell.id))
}

fn overview(changes: &TopologyEffects<'_>) -> Table {
    let is_used = |name: &&str| changes.values().flatten().any(|answer| answer.next == *name);
    let names: Vec<&str> = REQUESTS.into_iter().filter(is_used).collect();
    let columns = names.iter().map(|name| Column::text(code(*name)));
    Table::new(Column::texts(["change", "verdict"]).chain(columns)).with(changes.iter().map(
        |(change, answers)| {
            let word = |name: &&str| {
                let answer = answers.iter().find(|answer| answer.next == *name);
                answer.map_or_else(|| plain(""), |answer| answer.effect.word())
            };
            [plain(change.title()), plain(verdict(answers))].into_iter().chain(names.iter().map(word))
        },
    ))
}

/// Sums up a change in plain words.
fn verdict(answers: &[NextAnswer<'_>]) -> &'static str {
    let has = |effect| answers.iter().any(|answer| answer.effect == effect);
    match (has(Effect::MissedConflict), has(Effect::OtherValues)) {
        (true, true) => {
            "Unsafe: the owner silently loses its fields. Others overwrite them, and what the owner gives up stays."
        }
        (true, false) => {
            "Unsafe: the owner is silently ignored. Others overwrite its fields without a conflict."
        }
        (false, true) => "Unsafe: what the owner gives up stays, and belongs to nobody.",
        (false, false) if has(Effect::NewConflict) => "Loud: requests are refused that were accepted.",
        (false, false) if has(Effect::OtherOwners) => {
            "Values are safe. The owner silently loses fields until it applies again."
        }
        (false, false) => "Safe: the managed fields are reconciled.",
    }
}

fn details(answers: &[NextAnswer<'_>]) -> Table {
    let columns = Column::texts(["next request", "effect", "stored object", "owners or conflict", "why"]);
    Table::new(columns).with(answers.iter().map(|NextAnswer { next, answer, effect, because }| {
        let owners = owners_line(&answer.owners);
        let (object, owners) = match &answer.object {
            Some(object) if answer.owners.is_empty() => (code(object), plain("nobody").into()),
            Some(object) => (code(object), owners),
            None => (plain("refused"), Line::from(plain("conflict with ")).with(owners)),
        };
        let because = plain(because.unwrap_or_default());
        [code(*next).into(), effect.word().into(), object.into(), owners, because.into()]
    }))
}

fn owners_line(owners: &[Owner]) -> Line {
    let line = |owner: &Owner| {
        let fields = Line::join(owner.fields.iter().map(code), &plain(" "));
        Line::from(plain(format!("{}: ", owner.manager))).with(fields)
    };
    Line::join(owners.iter().map(line), &Inline::Break)
}

fn introduction() -> Vec<Block> {
    let text = |text| paragraph(own(text));
    vec![
        heading(1, plain("Changes of a topology")),
        text(
            "The *topology* of a field says how server-side apply divides it among managers: an *atomic* list, map or \
             struct is one value with one owner; in a *granular* one, every item or field has its own owners. A release \
             can change the topology of a field. The objects in the cluster still have the managed fields of the old \
             release, and the server reconciles them with the new types when an object is written.",
        ),
        text(
            "In each row, a manager, `owner`, has applied the field on a server of the old release. Then comes the first \
             request to a server of the new release:",
        ),
        list([
            own("`owner-again`: the owner applies the same configuration;"),
            own("`owner-removes`: the owner applies less than before;"),
            own("`applier-adds`: another manager applies an item or a field that nobody has, without force;"),
            own("`applier-changes`: another manager applies another value, without force;"),
            own("`updater`: another manager changes a value by an update or a patch."),
        ]),
        text(
            "The answer is compared with a control: the same requests where both servers have the new types. A change is \
             *safe* if all answers are the same. An applier can still get a conflict that it did not get on the old \
             release: all managers share an atomic value, and it has one owner.",
        ),
        text(
            "A list is *atomic*, a *set* or a *map* (`listType`; the keys of a map are its `listMapKey`), or it is \
             *untyped*: no `listType` is declared. Maps and structs are *atomic* or *granular* (`mapType`, `structType`). \
             A key *with default* can be left out by an item.",
        ),
        text(
            "The page is made from the suite [`server-side-apply/topology`](../cases/corpus/server-side-apply/topology.yaml) \
             (`skewer topology`). The Go library of Kubernetes gives the same answers.",
        ),
        heading(2, plain("Overview")),
        text("Each column is the first request after the change:"),
        list([
            own("*same*: as if the field had always had its new topology;"),
            own("*owners*: the same object is stored, but managers own other fields of it;"),
            own("*values*: other values are stored;"),
            own("*conflict*: the request is refused, and would not be without the change;"),
            own("*missed*: the request would be a conflict without the change, and is accepted;"),
            own("an empty field: there is no such request for the type, or nothing to compare it with."),
        ]),
    ]
}

const REMEDY: [&str; 2] = [
    "**How to change a topology safely:** every applier applies the same configuration once on the new server, before any \
     other write, and before it leaves something out. Managers that only update cannot do this, and nothing in the types \
     can do it for them. Cluster API, which changed lists from atomic to map, tells its users how to remove an item by hand \
     (kubernetes-sigs/cluster-api#11857).",
    "The rows are about a value that is not empty and has one owner. `skewer laws --topology` also checks empty values and \
     values with several owners. For these, no change to atomic is safe: an empty granular list or map has no owner, so \
     that the first apply after the change has a conflict with `before-first-apply`; and each manager that owned a part \
     owns the whole value.",
];

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_results::axes::Axes;
    use skewer_results::model::{RunInfo, Step};

    use super::*;

    fn owner(manager: &str, field: &str) -> Owner {
        let (manager, operation) = (manager.to_owned(), "Apply".to_owned());
        let fields = vec![field.to_owned()];
        Owner { manager, operation, api_version: None, subresource: None, fields, absent_fields: Vec::new() }
    }

    fn cell(change: &str, next: &str, outcome: Outcome) -> Cell {
        Cell {
            axes: Axes::from_iter([("change", change), ("next", next)]),
            outcome: Some(outcome),
            because: Some("*why*".into()),
            ..Cell::new(format!("{SUITE}/case[change={change}]"), SUITE, "case", Status::Pass)
        }
    }

    fn refused(change: &str, next: &str) -> Cell {
        Cell { conflicts: vec![owner("owner", ".x")], ..cell(change, next, Outcome::Refused) }
    }

    fn stored(change: &str, next: &str, object: &str) -> Cell {
        let (name, document) = (RESULT.to_owned(), Some(object.to_owned()));
        let step = Step { name, note: None, document, owners: vec![owner("a|b", ".x")] };
        Cell { steps: vec![step], ..cell(change, next, Outcome::Intended) }
    }

    fn rendered(cells: Vec<Cell>) -> Result<String, String> {
        let results = Results::new(RunInfo::default(), cells);
        analyze(&results, |text| Some(text.to_owned())).map(|effects| markdown(&effects))
    }

    #[test]
    fn a_change_has_a_row_of_the_overview_and_a_table() {
        let change = "atomic-list-to-map";
        let text = rendered(vec![
            refused(change, "owner-again"),
            stored(change, "applier-changes", "{x: 1}"),
            stored(change, "owner-removes", "{x: 1}"),
            refused("map", "owner-again"),
            refused("map", "applier-changes"),
            stored("map", "owner-removes", "{}"),
        ])
        .unwrap();
        let lines = [
            "| change | verdict | `owner-again` | `owner-removes` | `applier-changes` |",
            "| atomic list → map | Unsafe: the owner silently loses its fields. Others overwrite them, and what the owner gives up \
             stays. | same | **values** | **missed** |",
            "| `owner-again` | same | refused | conflict with owner: `.x` | |",
            r"| `applier-changes` | **missed** | `{x: 1}` | a\|b: `.x` | \*why\* |",
        ];
        for line in lines {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[rstest]
    #[case::the_same(Some("{}"), ".a", Some("{}"), Effect::None)]
    #[case::refused_as_before(None, ".a", None, Effect::None)]
    #[case::owners(Some("{}"), ".b", Some("{}"), Effect::OtherOwners)]
    #[case::values(Some("{a: 1}"), ".a", Some("{}"), Effect::OtherValues)]
    #[case::new_conflict(None, ".a", Some("{}"), Effect::NewConflict)]
    #[case::missed_conflict(Some("{}"), ".a", None, Effect::MissedConflict)]
    fn an_answer_is_compared_with_the_control(
        #[case] object: Option<&str>,
        #[case] field: &str,
        #[case] of_control: Option<&str>,
        #[case] expected: Effect,
    ) {
        let answer = |object: Option<&str>, field| Answer {
            object: object.map(str::to_owned),
            owners: vec![owner("m", field)],
        };
        assert!(Effect::of(&answer(object, field), &answer(of_control, ".a")) == expected);
    }

    #[test]
    fn incomplete_results_are_an_error() {
        let map = || refused("map", "again");
        let change = || refused("list-to-map", "again");
        let no_steps = || cell("map", "again", Outcome::Intended);
        let failed = || Cell { status: Status::Fail, ..map() };
        for (cells, expected) in [
            (vec![change()], "has no control: expected a cell with the change `map`"),
            (vec![change(), no_steps()], "record all steps"),
            (vec![change(), failed()], "has not passed"),
            (vec![map()], "the results contain no cell of the suite"),
            (vec![], "the results contain no cell of the suite"),
        ] {
            let error = rendered(cells).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
