//! The types of the documents of a trial.

use std::fmt::Write;
use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{Schema, go};

/// The types of the documents of a trial.
#[derive(Clone, Debug)]
pub struct TrialTypes {
    /// The types in the form from which documents are generated. The first struct is the root.
    pub(crate) structs: Vec<TrialStruct>,
    /// The patch context of both implementations: the compiled types, and the released directives.
    pub context: PatchContext,
    pub(crate) origin: TypesOrigin,
}

/// The origin of the types of a trial.
#[derive(Clone, Debug)]
pub(crate) enum TypesOrigin {
    /// Random types, as Go source.
    Go(String),
    /// The types of a Kubernetes kind, from an embedded release.
    Release { release: &'static str, api_version: &'static str, kind: &'static str },
}

/// A struct. A random struct refers only to structs after it in the list of types, so that documents are finite, and so
/// that the Go adapter can build the type with reflection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrialStruct {
    pub(crate) fields: Vec<TrialField>,
}

/// A field of a struct, with its patch metadata.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrialField {
    pub(crate) name: &'static str,
    pub(crate) ty: TrialType,
    pub(crate) strategy: &'static str,
    pub(crate) merge_key: &'static str,
    /// Whether the field or a nested field has a merge strategy. Set only for the types of a release.
    pub(crate) leads_to_merge: bool,
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrialType {
    String,
    Integer,
    Number,
    Boolean,
    IntOrString,
    Any,
    Struct(usize),
    List(Box<TrialType>),
    Map(Box<TrialType>),
}

/// Name of the root type.
pub(crate) const ROOT_TYPE: &str = "T0";

/// The names of fields that are merge keys of lists, in random types and in releases.
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

impl TrialTypes {
    /// Compiles structs: renders them as Go source and reads the source like that of a user.
    pub(crate) fn from_structs(structs: Vec<TrialStruct>) -> Result<Self, String> {
        let go = go_source(&structs);
        let declared = go::read(&go).map_err(|errors| format!("{errors:?}\n{go}"))?;
        let schema = Schema::compile(&declared).map_err(|errors| format!("{errors:?}\n{go}"))?;
        let context = PatchContext::of(Arc::new(schema), ROOT_TYPE).map_err(|error| error.to_string())?;
        let context = PatchContext { directives: Profile::Today.directives(), ..context };
        Ok(TrialTypes { structs, context, origin: TypesOrigin::Go(go) })
    }

    pub(crate) fn root(&self) -> &TrialStruct {
        &self.structs[0]
    }
}

impl TrialStruct {
    pub(crate) fn field(&self, name: &str) -> Option<&TrialField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the chance (in a thousand) that a field is generated. The chance is lower if the struct has many fields,
    /// and lowest for fields that do not lead to a merge. Documents thus remain small and still exercise merging.
    pub(crate) fn scaled_chance(&self, field: &TrialField, per_mille: usize) -> usize {
        const FEW: usize = 6;
        match self.fields.len() {
            0..=FEW => per_mille,
            _ if field.leads_to_merge => per_mille * 3 / 4,
            many => per_mille * FEW / many,
        }
    }
}

/// Renders structs as Go source.
fn go_source(structs: &[TrialStruct]) -> String {
    let mut text = String::new();
    for (index, declared) in structs.iter().enumerate() {
        let _ = writeln!(text, "type T{index} struct {{");
        for (number, field) in declared.fields.iter().enumerate() {
            let mut tag = format!("json:\"{}\"", field.name);
            for (key, value) in [("patchStrategy", field.strategy), ("patchMergeKey", field.merge_key)] {
                if !value.is_empty() {
                    let _ = write!(tag, " {key}:\"{value}\"");
                }
            }
            let _ = writeln!(text, "\tF{number} {} `{tag}`", field.ty.go_type());
        }
        text.push_str("}\n");
    }
    text
}

impl TrialType {
    fn go_type(&self) -> String {
        match self {
            TrialType::String => "string".to_owned(),
            TrialType::Integer => "int64".to_owned(),
            TrialType::Number => "float64".to_owned(),
            TrialType::Boolean => "bool".to_owned(),
            TrialType::IntOrString => "intstr.IntOrString".to_owned(),
            TrialType::Any => "runtime.RawExtension".to_owned(),
            TrialType::Struct(index) => format!("T{index}"),
            TrialType::List(item) => format!("[]{}", item.go_type()),
            TrialType::Map(value) => format!("map[string]{}", value.go_type()),
        }
    }

    /// Returns the index of the struct that the type refers to.
    pub(crate) fn referenced_struct(&self) -> Option<usize> {
        match self {
            TrialType::Struct(index) => Some(*index),
            TrialType::List(inner) | TrialType::Map(inner) => inner.referenced_struct(),
            _ => None,
        }
    }
}
