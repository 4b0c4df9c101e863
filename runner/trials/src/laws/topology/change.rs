//! The changes of a topology for which the laws are checked.

use skewer_engine::schema::{ListType, MapType};

use crate::differential::sequences::plain_field;
use crate::differential::types::{TrialField, TrialStruct, TrialTopology, TrialType};

/// Name of the field whose topology changes. No other field of the generated types has this name.
pub(super) const CHANGED_FIELD: &str = "x";

/// The field of the items that has a default in some topologies.
const KEY_WITH_DEFAULT: &str = "protocol";

/// A change of the topology of one field.
#[derive(Debug, PartialEq, Eq)]
pub struct TopologyChange {
    /// Name in tables and on the command line. The names are those of the suite `server-side-apply/topology`.
    pub name: &'static str,
    /// Topology in the types of an old server.
    pub(super) old: Topology,
    /// Topology in the types of a new server.
    pub(super) new: Topology,
}

/// The topology of the changed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topology {
    /// An atomic list of structs.
    AtomicList,
    /// An atomic list of strings.
    AtomicStrings,
    /// A list of strings of type `set`.
    Set,
    /// A list of structs of type `map`, with these keys.
    List(&'static [&'static str]),
    /// A list of structs of type `map`, with these keys, one of which has a default.
    ListWithDefault(&'static [&'static str]),
    /// A field that can have any value.
    Untyped,
    /// A map of strings.
    Map(MapType),
    /// A struct.
    Struct(MapType),
}

const ONE: Topology = Topology::List(&["name"]);
const TWO: Topology = Topology::List(&["name", KEY_WITH_DEFAULT]);
const TWO_WITH_DEFAULT: Topology = Topology::ListWithDefault(&["name", KEY_WITH_DEFAULT]);

const fn change(name: &'static str, old: Topology, new: Topology) -> TopologyChange {
    TopologyChange { name, old, new }
}

/// The changes for which the laws are checked.
pub const CHANGES: [TopologyChange; 16] = [
    change("atomic-list-to-map", Topology::AtomicList, ONE),
    change("map-to-atomic-list", ONE, Topology::AtomicList),
    change("atomic-list-to-set", Topology::AtomicStrings, Topology::Set),
    change("set-to-atomic-list", Topology::Set, Topology::AtomicStrings),
    change("one-key-to-two-keys", ONE, TWO),
    change("two-keys-to-one-key", TWO, ONE),
    change("one-key-to-two-keys-with-default", ONE, TWO_WITH_DEFAULT),
    change("two-keys-with-default-to-one-key", TWO_WITH_DEFAULT, ONE),
    change("key-to-key-with-default", TWO, TWO_WITH_DEFAULT),
    change("key-with-default-to-key", TWO_WITH_DEFAULT, TWO),
    change("map-to-untyped-list", ONE, Topology::Untyped),
    change("untyped-list-to-map", Topology::Untyped, ONE),
    change("atomic-map-to-granular-map", Topology::Map(MapType::Atomic), Topology::Map(MapType::Granular)),
    change("granular-map-to-atomic-map", Topology::Map(MapType::Granular), Topology::Map(MapType::Atomic)),
    change(
        "atomic-struct-to-granular-struct",
        Topology::Struct(MapType::Atomic),
        Topology::Struct(MapType::Granular),
    ),
    change(
        "granular-struct-to-atomic-struct",
        Topology::Struct(MapType::Granular),
        Topology::Struct(MapType::Atomic),
    ),
];

impl TopologyChange {
    /// Returns the topology from which documents are generated: an untyped field has the values of the other one.
    pub(super) fn of_documents(&self) -> Topology {
        if self.old == Topology::Untyped { self.new } else { self.old }
    }
}

impl Topology {
    /// Returns the structs with the changed field in one of them. The structs without the field must end with the
    /// struct of [`item_struct`].
    pub(super) fn declare(self, structs: &[TrialStruct], place: usize) -> Vec<TrialStruct> {
        let mut structs = structs.to_vec();
        let item = structs.len() - 1;
        structs[place].fields.push(self.field(item));
        if let Topology::ListWithDefault(_) = self {
            let key = structs[item].fields.iter_mut().find(|field| field.name == KEY_WITH_DEFAULT);
            if let Some(key) = key {
                key.topology.default = Some("\"a\"".into());
            }
        }
        structs
    }

    fn field(self, item: usize) -> TrialField {
        let list = |item: TrialType| TrialType::List(Box::new(item));
        let list_of = |list_type: ListType, list_map_keys: &[&'static str]| TrialTopology {
            list_type: Some(list_type),
            list_map_keys: list_map_keys.to_vec(),
            ..TrialTopology::NONE
        };
        let map_of = |map_type| TrialTopology { map_type: Some(map_type), ..TrialTopology::NONE };
        let (ty, topology) = match self {
            Topology::AtomicList => (list(TrialType::Struct(item)), list_of(ListType::Atomic, &[])),
            Topology::AtomicStrings => (list(TrialType::STRING), list_of(ListType::Atomic, &[])),
            Topology::Set => (list(TrialType::STRING), list_of(ListType::Set, &[])),
            Topology::List(keys) | Topology::ListWithDefault(keys) => {
                (list(TrialType::Struct(item)), list_of(ListType::Map, keys))
            }
            Topology::Untyped => (TrialType::Any, TrialTopology::NONE),
            Topology::Map(map_type) => (TrialType::Map(Box::new(TrialType::STRING)), map_of(map_type)),
            Topology::Struct(map_type) => (TrialType::Struct(item), map_of(map_type)),
        };
        TrialField { topology, ..plain_field(CHANGED_FIELD, ty) }
    }
}

/// Returns the struct of the items of the changed list, or of the changed field itself.
pub(super) fn item_struct() -> TrialStruct {
    let fields = ["name", KEY_WITH_DEFAULT, "value"];
    let fields = fields.map(|name| plain_field(name, TrialType::STRING)).to_vec();
    TrialStruct { fields, topology: TrialTopology::NONE }
}
