//! Types: structs with fields of every sort that the rules of patches speak of.

use std::fmt::Write;
use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, go};

use crate::random_testing::Random;

/// Types by which documents are made, and as the engine and a target know them.
#[derive(Clone, Debug)]
pub struct Types {
    pub(crate) structs: Vec<Struct>,
    /// What both sides know: the types, and the directives that shipped.
    pub context: PatchContext,
    pub(crate) origin: Origin,
}

/// Where types are from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Random types, as Go text.
    Go(String),
    /// A kind of an embedded release.
    Release { release: &'static str, api_version: &'static str, kind: &'static str },
}

/// A struct. It refers only to structs after it, so that documents end and Go can build it while running.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    pub(crate) strategy: &'static str,
    pub(crate) merge_key: &'static str,
    /// In types with many fields: something merges here or below.
    pub(crate) merges: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    String,
    Integer,
    Number,
    Boolean,
    IntOrString,
    Any,
    Struct(usize),
    List(Box<Type>),
    Map(Box<Type>),
}

/// The name of the root type.
pub(crate) const ROOT: &str = "T0";

/// What identifies the items of lists.
pub(crate) const MERGE_KEYS: [&str; 11] = [
    "name",
    "port",
    "zone",
    "key",
    "containerPort",
    "mountPath",
    "type",
    "uid",
    "ip",
    "devicePath",
    "topologyKey",
];

/// Merge keys come first, so that most structs have them.
const NAMES: [&str; 10] = ["name", "port", "a", "b", "c", "d", "e", "f", "spec", "metadata"];

impl Types {
    /// Any types. The engine must be able to read them.
    pub(crate) fn any(random: &mut Random) -> Result<Self, String> {
        let count = 2 + random.below(3);
        let structs = (0..count).map(|at| any_struct(random, at, count)).collect();
        let types = Types::of(structs)?;
        // Few: of a custom resource every strategic merge patch is refused alike.
        let custom_resource = random.chance(4);
        Ok(Types { context: PatchContext { custom_resource, ..types.context }, ..types })
    }

    /// Writes types down and reads them, as a user's types are read.
    pub(crate) fn of(structs: Vec<Struct>) -> Result<Self, String> {
        let go = write(&structs);
        let declared = go::read(&go).map_err(|errors| format!("{errors:?}\n{go}"))?;
        let schema = Schema::compile(&declared).map_err(|errors| format!("{errors:?}\n{go}"))?;
        let context = PatchContext::of(Arc::new(schema), ROOT).map_err(|error| error.to_string())?;
        let context = PatchContext { directives: Profile::Today.directives(), ..context };
        Ok(Types { structs, context, origin: Origin::Go(go) })
    }

    pub(crate) fn root(&self) -> &Struct {
        &self.structs[0]
    }
}

impl Struct {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// How often out of a thousand times a field is taken of which a type with few fields has so many. Of many fields
    /// only those stay likely below which something merges: documents are to stay small, and worth a trial.
    pub(crate) fn odds(&self, field: &Field, per_mille: usize) -> usize {
        const FEW: usize = 6;
        match self.fields.len() {
            0..=FEW => per_mille,
            _ if field.merges => per_mille * 3 / 4,
            many => per_mille * FEW / many,
        }
    }
}

fn any_struct(random: &mut Random, at: usize, count: usize) -> Struct {
    let mut names = NAMES;
    // Items of lists begin with their merge keys, the root with anything.
    let keys = if at == 0 { 0 } else { 1 + random.below(2) };
    random.shuffle(&mut names[keys..]);
    let fields = 3 + random.below(4);
    let mut fields: Vec<Field> =
        names[..fields].iter().map(|name| any_field(random, name, at, count)).collect();
    for field in &mut fields[..keys] {
        // A key that is no scalar is worth a try, seldom.
        if random.chance(970) {
            *field = Field { ty: scalar(random), strategy: "", merge_key: "", ..field.clone() };
        }
    }
    Struct { fields }
}

#[derive(Clone, Copy)]
enum Sort {
    Scalar,
    Struct,
    ListOfStructs,
    ListOfScalars,
    ListOfLists,
    ListOfMaps,
    Map,
    Any,
}

fn any_field(random: &mut Random, name: &'static str, at: usize, count: usize) -> Field {
    let inner = at + 1 < count;
    let sorts = [
        (25, Sort::Scalar),
        (if inner { 20 } else { 0 }, Sort::Struct),
        (if inner { 25 } else { 0 }, Sort::ListOfStructs),
        (15, Sort::ListOfScalars),
        (2, Sort::ListOfLists),
        (2, Sort::ListOfMaps),
        (8, Sort::Map),
        (3, Sort::Any),
    ];
    let sort = *random.pick_weighted(&sorts);
    let nested = |random: &mut Random| Type::Struct(at + 1 + random.below(count - at - 1));
    let list = |item: Type| Type::List(Box::new(item));
    let ty = match sort {
        Sort::Scalar => scalar(random),
        Sort::Struct => nested(random),
        Sort::ListOfStructs => list(nested(random)),
        Sort::ListOfScalars => list(scalar(random)),
        Sort::ListOfLists => list(list(scalar(random))),
        Sort::ListOfMaps => list(Type::Map(Box::new(Type::String))),
        Sort::Map if inner && random.chance(400) => Type::Map(Box::new(nested(random))),
        Sort::Map if random.chance(200) => Type::Map(Box::new(list(Type::String))),
        Sort::Map => Type::Map(Box::new(scalar(random))),
        Sort::Any => Type::Any,
    };
    let (strategy, merge_key) = metadata(random, sort);
    Field { name, ty, strategy, merge_key, merges: false }
}

fn metadata(random: &mut Random, sort: Sort) -> (&'static str, &'static str) {
    // Several names are those of several keys to a proposal only: to what shipped they are one name.
    let key = *random.pick_weighted(&[(80, "name"), (15, "port"), (4, "zone"), (1, "name,port")]);
    match sort {
        Sort::Scalar | Sort::Any => ("", ""),
        Sort::Struct | Sort::Map => {
            (*random.pick_weighted(&[(55, ""), (30, "retainKeys"), (12, "replace"), (3, "merge")]), "")
        }
        Sort::ListOfScalars | Sort::ListOfLists => {
            let strategy =
                *random.pick_weighted(&[(60, "merge"), (30, ""), (7, "replace"), (3, "retainKeys")]);
            // A merge key on a list of scalars means nothing, until something takes them for maps.
            (strategy, if random.chance(40) { key } else { "" })
        }
        Sort::ListOfStructs | Sort::ListOfMaps => {
            let strategies =
                [(60, "merge"), (17, "merge,retainKeys"), (3, "retainKeys,merge"), (14, ""), (6, "replace")];
            let strategy = *random.pick_weighted(&strategies);
            let keyless = if strategy.contains("merge") { 50 } else { 500 };
            (strategy, if random.chance(keyless) { "" } else { key })
        }
    }
}

fn scalar(random: &mut Random) -> Type {
    let scalars = [
        (60, Type::String),
        (20, Type::Integer),
        (5, Type::Number),
        (5, Type::Boolean),
        (10, Type::IntOrString),
    ];
    random.pick_weighted(&scalars).clone()
}

/// The types as Go text.
fn write(structs: &[Struct]) -> String {
    let mut text = String::new();
    for (at, of) in structs.iter().enumerate() {
        let _ = writeln!(text, "type T{at} struct {{");
        for (number, field) in of.fields.iter().enumerate() {
            let mut tag = format!("json:\"{}\"", field.name);
            for (key, value) in [("patchStrategy", field.strategy), ("patchMergeKey", field.merge_key)] {
                if !value.is_empty() {
                    let _ = write!(tag, " {key}:\"{value}\"");
                }
            }
            let _ = writeln!(text, "\tF{number} {} `{tag}`", field.ty.go());
        }
        text.push_str("}\n");
    }
    text
}

impl Type {
    fn go(&self) -> String {
        match self {
            Type::String => "string".to_owned(),
            Type::Integer => "int64".to_owned(),
            Type::Number => "float64".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::IntOrString => "intstr.IntOrString".to_owned(),
            Type::Any => "runtime.RawExtension".to_owned(),
            Type::Struct(at) => format!("T{at}"),
            Type::List(item) => format!("[]{}", item.go()),
            Type::Map(value) => format!("map[string]{}", value.go()),
        }
    }

    /// The structs that it refers to.
    pub(crate) fn refers_to(&self) -> Option<usize> {
        match self {
            Type::Struct(at) => Some(*at),
            Type::List(inner) | Type::Map(inner) => inner.refers_to(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_types_can_be_read() {
        for number in 0..500 {
            let types = Types::any(&mut Random::new(1, 2, number));
            assert!(types.is_ok(), "{types:?}");
        }
    }
}
