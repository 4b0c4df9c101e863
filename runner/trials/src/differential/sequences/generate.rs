//! Generation of random sequences. Each request depends on the live object that the built-in engine left before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_skew::OperationKind;

use super::documents::{DocumentWriter, Rates, Style};
use super::managed_fields;
use super::resource::{Direction, SequenceResource};
use super::sequence::{SentManagedFields, Sequence, Step, Times};
use crate::differential::answer::Answer;
use crate::differential::compare::built_in_answer;
use crate::random_testing::Random;

/// The annotation in which client-side apply keeps the last configuration.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The manager of client-side apply, and the one that takes over its fields.
const CLIENT_SIDE_APPLY: &str = "kubectl-client-side-apply";
pub(super) const KUBECTL: &str = "kubectl";

const MANAGERS: [(usize, &str); 8] = [
    (30, "one"),
    (25, "two"),
    (20, "three"),
    (10, KUBECTL),
    (4, ""),
    (2, "before-first-apply"),
    (3, "a\"<b>&\u{2028}"),
    (2, "ancient-changes"),
];

/// Managers of sequences with more updaters than managed fields may have.
const UPDATERS: [&str; 13] =
    ["u00", "u01", "u02", "u03", "u04", "u05", "u06", "u07", "u08", "u09", "u10", "u11", "u12"];

/// The kinds of sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plot {
    /// Any requests.
    Any,
    /// Client-side apply, and then `kubectl apply --server-side`.
    ClientSideApply,
    /// More than ten updaters.
    ManyUpdaters,
}

/// Generates a sequence over a resource, which has several elements if its schema changes.
pub(super) fn generate_sequence(
    mut random: Random,
    number: u64,
    resources: &[Arc<SequenceResource>],
) -> Sequence {
    let plot =
        *random.pick_weighted(&[(82, Plot::Any), (14, Plot::ClientSideApply), (4, Plot::ManyUpdaters)]);
    let changes_schema = resources.len() > 1 && random.chance(400);
    let resources = if changes_schema { resources.to_vec() } else { resources[..1].to_vec() };
    let times = *random.pick_weighted(&[(70, Times::Increasing), (15, Times::Equal), (15, Times::None)]);
    let style = random_style(&mut random);
    let mistakes = *random.pick_weighted(&[(50, 0), (30, 120), (20, 400)]);
    let list_mistakes = *random.pick_weighted(&[(75, 0), (25, 300)]);
    let managers = std::array::from_fn(|_| *random.pick_weighted(&MANAGERS));
    let sequence = Sequence { number, resources, initial: None, times, steps: Vec::new() };
    let mut generator = SequenceGenerator {
        random,
        base: Map::new(),
        live: None,
        last_configurations: BTreeMap::new(),
        sequence,
        style,
        mistakes,
        list_mistakes,
        managers,
        plot,
    };
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general over lifetimes")]
    let base = generator.write(|writer| writer.object());
    generator.base = base;
    generator.start();
    let count = match plot {
        Plot::ManyUpdaters => 12 + generator.random.below(3),
        _ => 2 + generator.random.below(5),
    };
    for index in 0..count {
        let step = generator.step(index, count);
        generator.push(step);
    }
    generator.sequence
}

fn random_style(random: &mut Random) -> Style {
    let mut rate = |usual: usize, rate: usize| if random.chance(usual) { 0 } else { rate };
    Style {
        special: rate(600, 120),
        duplicates: rate(850, 500),
        partial_keys: rate(800, 120),
        empty: rate(600, 50),
    }
}

struct SequenceGenerator {
    random: Random,
    /// An object of the first version. Most documents are variations of it.
    base: OwnedMap,
    live: Option<OwnedDoc>,
    /// The last configuration of each manager, in the first version.
    last_configurations: BTreeMap<&'static str, OwnedMap>,
    sequence: Sequence,
    style: Style,
    /// Chance in a thousand that a document has a mistake.
    mistakes: usize,
    /// Chance in a thousand that a list of a document has a mistake.
    list_mistakes: usize,
    managers: [&'static str; 3],
    plot: Plot,
}

/// How often a first configuration differs from the object that all managers of a sequence start from.
const CONFIGURATION: Rates = Rates { drop: 280, change: 130, add: 60 };
/// How often a configuration differs from the previous one of the same manager.
const NEXT_CONFIGURATION: Rates = Rates { drop: 150, change: 130, add: 120 };
/// How often an update changes a field of the live object.
const UPDATE: Rates = Rates { drop: 60, change: 160, add: 120 };

impl SequenceGenerator {
    fn write<R>(&mut self, write: impl FnOnce(&mut DocumentWriter<'_>) -> R) -> R {
        let resource = Arc::clone(&self.sequence.resources[0]);
        write(&mut DocumentWriter {
            structs: resource.structs(),
            random: &mut self.random,
            style: self.style,
        })
    }

    /// Chooses the live object before the first step.
    fn start(&mut self) {
        if self.plot == Plot::Any && !self.random.chance(350) {
            return;
        }
        let object = self.varied(&self.base.clone(), UPDATE);
        let resource = Arc::clone(&self.sequence.resources[0]);
        let version = resource.versions[0].api_version;
        let mut live = as_object(&resource, &object, version);
        if let Some(metadata) = live.as_map_mut().and_then(|map| map.get_mut("metadata"))
            && let (Doc::Map(metadata), true) = (metadata, self.random.chance(400))
        {
            metadata.insert(Text::from_static("uid"), Doc::from("1"));
        }
        if self.random.chance(150) {
            let fields = managed_fields::changed(&mut self.random, None);
            managed_fields::set_value(&mut live, fields);
        }
        self.live = Some(live.clone());
        self.sequence.initial = Some(live);
    }

    fn varied(&mut self, object: &OwnedMap, rates: Rates) -> OwnedMap {
        self.write(|writer| writer.varied(object, rates))
    }

    fn step(&mut self, index: usize, count: usize) -> Step {
        let resource_index = usize::from(self.sequence.resources.len() > 1 && index * 2 >= count);
        let resource = Arc::clone(&self.sequence.resources[resource_index]);
        let api_version = if self.random.chance(650) {
            resource.versions[0].api_version
        } else {
            self.random.pick(&resource.versions).api_version
        };
        let operation = if self.random.chance(self.apply_chance(index, count)) {
            OperationKind::ServerSideApply
        } else {
            OperationKind::ManagedUpdate
        };
        let manager = self.manager(operation, index);
        let mut step = Step {
            operation,
            resource: resource_index,
            api_version,
            manager,
            force: operation == OperationKind::ServerSideApply && self.random.chance(350),
            subresource: if self.random.chance(60) {
                self.random.pick_text(&["status", "scale"])
            } else {
                ""
            },
            document: Doc::Null,
            managed_fields: SentManagedFields::Absent,
        };
        let mut object = if operation == OperationKind::ServerSideApply {
            self.configuration(manager)
        } else {
            self.new_object(&resource, &mut step)
        };
        if self.random.chance(self.list_mistakes) {
            self.write(|writer| writer.add_list_mistake(&mut object));
        }
        step.document = as_object(&resource, &object, api_version);
        if manager == CLIENT_SIDE_APPLY {
            self.annotate_last_applied(&mut step.document);
        }
        step.managed_fields = self.sent_managed_fields(operation);
        if self.random.chance(self.mistakes) {
            self.write(|writer| writer.add_mistake(&mut step.document));
        }
        if self.random.chance(15)
            && let Doc::Map(map) = &mut step.document
        {
            map.insert(Text::from_static("apiVersion"), Doc::from("example.com/v2"));
        }
        step
    }

    fn apply_chance(&self, index: usize, count: usize) -> usize {
        match self.plot {
            Plot::Any => 560,
            Plot::ClientSideApply if index == 0 => 0,
            Plot::ClientSideApply => 800,
            Plot::ManyUpdaters if index + 1 == count => 400,
            Plot::ManyUpdaters => 30,
        }
    }

    fn manager(&mut self, operation: OperationKind, index: usize) -> &'static str {
        match (self.plot, operation) {
            (Plot::ClientSideApply, OperationKind::ManagedUpdate) if index == 0 => CLIENT_SIDE_APPLY,
            (Plot::ClientSideApply, OperationKind::ServerSideApply) if self.random.chance(700) => KUBECTL,
            (Plot::ManyUpdaters, OperationKind::ManagedUpdate) => UPDATERS[index % UPDATERS.len()],
            _ => self.random.pick_text(&self.managers),
        }
    }

    /// Generates a configuration in the first version.
    fn configuration(&mut self, manager: &'static str) -> OwnedMap {
        let previous = self.last_configurations.get(manager).cloned();
        let configuration = match previous {
            Some(previous) if self.random.chance(200) => previous,
            Some(previous) if self.random.chance(700) => self.varied(&previous, NEXT_CONFIGURATION),
            _ => self.varied(&self.base.clone(), CONFIGURATION),
        };
        self.last_configurations.insert(manager, configuration.clone());
        configuration
    }

    /// Generates the new object of an update, in the first version.
    fn new_object(&mut self, resource: &SequenceResource, step: &mut Step) -> OwnedMap {
        let live = self.live.as_ref().and_then(Doc::as_map).cloned();
        let Some(live) = live.filter(|_| !self.random.chance(60)) else {
            return self.varied(&self.base.clone(), UPDATE);
        };
        let live_version = live.get("apiVersion").and_then(Doc::as_str).unwrap_or_default();
        let mut object = resource.renamed(&live, live_version, Direction::ToFirst);
        if let Some(Doc::Map(metadata)) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        if self.plot == Plot::ManyUpdaters {
            // Each updater changes a field that the others leave alone, so that all of them remain owners.
            let rates = Rates { drop: 5, change: 20, add: 20 };
            let mut changed = self.varied(&object, rates);
            add_label(&mut changed, step.manager);
            return changed;
        }
        if self.random.chance(80) {
            return object;
        }
        self.varied(&object, UPDATE)
    }

    fn annotate_last_applied(&mut self, document: &mut OwnedDoc) {
        let text = if self.random.chance(60) {
            "{".to_owned()
        } else {
            let subset = if self.random.chance(400) { document.clone() } else { self.subset_of(document) };
            format!("{subset}\n")
        };
        let Some(object) = document.as_map_mut() else { return };
        let mut metadata = object.remove("metadata").unwrap_or(Doc::Map(Map::new()));
        if let Doc::Map(metadata) = &mut metadata {
            let mut annotations = match metadata.remove("annotations") {
                Some(Doc::Map(annotations)) => annotations,
                _ => Map::new(),
            };
            annotations.insert(Text::from_static(LAST_APPLIED), Doc::from(text));
            metadata.insert(Text::from_static("annotations"), Doc::Map(annotations));
        }
        object.insert(Text::from_static("metadata"), metadata);
    }

    fn subset_of(&mut self, document: &OwnedDoc) -> OwnedDoc {
        let Doc::Map(object) = document else { return document.clone() };
        let mut subset = self.varied(object, Rates { drop: 200, change: 30, add: 0 });
        for key in ["apiVersion", "kind"] {
            if let Some(value) = object.get(key) {
                subset.insert(Text::from_static(key), value.clone());
            }
        }
        Doc::Map(subset)
    }

    fn sent_managed_fields(&mut self, operation: OperationKind) -> SentManagedFields {
        if operation == OperationKind::ServerSideApply {
            return match self.random.below(1000) {
                0..=19 => SentManagedFields::OfLive,
                20..=24 => SentManagedFields::Given(Doc::List(Vec::new())),
                _ => SentManagedFields::Absent,
            };
        }
        let is_long = self.plot == Plot::ManyUpdaters;
        match self.random.below(1000) {
            0..=719 => SentManagedFields::OfLive,
            _ if is_long => SentManagedFields::OfLive,
            720..=829 => SentManagedFields::Absent,
            830..=859 => SentManagedFields::Given(Doc::List(Vec::new())),
            860..=889 => SentManagedFields::Given(Doc::List(vec![Doc::Map(Map::new())])),
            _ => {
                let live = self.live.clone();
                SentManagedFields::Given(managed_fields::changed(&mut self.random, live.as_ref()))
            }
        }
    }

    /// Adds a step, and performs it on the live object.
    fn push(&mut self, step: Step) {
        let answer = step.perform(&self.sequence, self.live.as_ref(), built_in_answer);
        if let Some(Answer::Result(result)) = answer {
            let index = self.sequence.steps.len();
            self.live = Some(self.sequence.next_live(self.live.as_ref(), &result, index));
        }
        self.sequence.steps.push(step);
    }
}

/// Adds a label whose name and value are unique.
fn add_label(object: &mut OwnedMap, name: &'static str) {
    let mut metadata = match object.remove("metadata") {
        Some(Doc::Map(metadata)) => metadata,
        _ => Map::new(),
    };
    let mut labels = match metadata.remove("labels") {
        Some(Doc::Map(labels)) => labels,
        _ => Map::new(),
    };
    labels.insert(Text::from_static(name), Doc::from(name));
    metadata.insert(Text::from_static("labels"), Doc::Map(labels));
    object.insert(Text::from_static("metadata"), Doc::Map(metadata));
}

/// Converts an object of the first version to a version, and adds what every object has.
fn as_object(resource: &SequenceResource, object: &OwnedMap, api_version: &'static str) -> OwnedDoc {
    let mut object = resource.renamed(object, api_version, Direction::FromFirst);
    object.insert(Text::from_static("apiVersion"), Doc::from(api_version));
    object.insert(Text::from_static("kind"), Doc::from(resource.kind));
    let mut metadata = match object.remove("metadata") {
        Some(Doc::Map(metadata)) => metadata,
        _ => Map::new(),
    };
    metadata.insert(Text::from_static("name"), Doc::from("x"));
    object.insert(Text::from_static("metadata"), Doc::Map(metadata));
    Doc::Map(object)
}
