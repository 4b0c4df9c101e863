//! The types of the documents of a trial.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::{ListType, MapType, ScalarType, Schema, go};

/// The types of the documents of a trial.
#[derive(Clone, Debug)]
pub struct TrialTypes {
    /// The types in the form from which documents are generated. The first struct is the root.
    pub(crate) structs: Vec<TrialStruct>,
    /// The patch context of both implementations: the compiled types, and the released directives.
    pub context: PatchContext,
    pub(crate) origin: TypesOrigin,
    /// The release, 1.N, of the API server whose kinds these are.
    pub(crate) server: Option<u32>,
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
    /// The topology that the type declares. Only sequences of requests to a field manager use it.
    pub(crate) topology: TrialTopology,
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
    /// The topology that the field declares. Only sequences of requests to a field manager use it.
    pub(crate) topology: TrialTopology,
}

/// The topology that a field or a type declares with Go markers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrialTopology {
    pub(crate) list_type: Option<ListType>,
    pub(crate) list_map_keys: Vec<&'static str>,
    pub(crate) map_type: Option<MapType>,
    /// The default of a field, as JSON text.
    pub(crate) default: Option<Cow<'static, str>>,
    /// Whether a struct keeps the fields that it does not declare.
    pub(crate) keeps_unknown_fields: bool,
}

impl TrialTopology {
    pub(crate) const NONE: TrialTopology = TrialTopology {
        list_type: None,
        list_map_keys: Vec::new(),
        map_type: None,
        default: None,
        keeps_unknown_fields: false,
    };

    /// Returns the Go markers, without comment signs.
    fn markers(&self, map_marker: &str) -> Vec<String> {
        let mut markers = Vec::new();
        markers.extend(self.list_type.map(|list_type| format!("+listType={}", list_type.name())));
        markers.extend(self.list_map_keys.iter().map(|key| format!("+listMapKey={key}")));
        markers.extend(self.map_type.map(|map_type| format!("+{map_marker}={}", map_type.name())));
        markers.extend(self.default.as_ref().map(|default| format!("+default={default}")));
        if self.keeps_unknown_fields {
            markers.push("+kubebuilder:pruning:PreserveUnknownFields".to_owned());
        }
        markers
    }
}

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrialType {
    Scalar(ScalarType),
    /// The metadata of an object. Only sequences of requests to a field manager use it.
    ObjectMeta,
    Any,
    Struct(usize),
    List(Box<TrialType>),
    Map(Box<TrialType>),
    /// A list or a map whose type has a name, and declares its own topology. Only sequences of requests to a field
    /// manager use it.
    Named(Box<TrialType>, TrialTopology),
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
        Ok(TrialTypes { structs, context, origin: TypesOrigin::Go(go), server: None })
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

fn go_source(structs: &[TrialStruct]) -> String {
    let mut text = String::new();
    let mut named = Vec::new();
    for (index, declared) in structs.iter().enumerate() {
        for marker in declared.topology.markers("structType") {
            let _ = writeln!(text, "// {marker}");
        }
        let _ = writeln!(text, "type T{index} struct {{");
        for (number, field) in declared.fields.iter().enumerate() {
            let is_struct = matches!(field.ty, TrialType::Struct(_) | TrialType::ObjectMeta);
            for marker in field.topology.markers(if is_struct { "structType" } else { "mapType" }) {
                let _ = writeln!(text, "\t// {marker}");
            }
            let mut tag = format!("json:\"{}\"", field.name);
            for (key, value) in [("patchStrategy", field.strategy), ("patchMergeKey", field.merge_key)] {
                if !value.is_empty() {
                    let _ = write!(tag, " {key}:\"{value}\"");
                }
            }
            let _ = writeln!(text, "\tF{number} {} `{tag}`", field.ty.go_type(&mut named));
        }
        text.push_str("}\n");
    }
    for declaration in named {
        text.push_str(&declaration);
    }
    text
}

/// Returns the Go type of a scalar.
pub(crate) const fn go_scalar(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::String => "string",
        ScalarType::Integer => "int64",
        ScalarType::Int32 => "int32",
        ScalarType::Number => "float64",
        ScalarType::Boolean => "bool",
        ScalarType::Bytes => "[]byte",
        ScalarType::IntOrString => "intstr.IntOrString",
        ScalarType::Quantity => "resource.Quantity",
        ScalarType::Time => "metav1.Time",
        ScalarType::MicroTime => "metav1.MicroTime",
        ScalarType::Duration => "metav1.Duration",
    }
}

/// Returns true if Go decodes the scalar into a type of its own, so that not every string or integer is a value. Trials
/// of whole requests have all such scalars, and sequences only times.
pub(crate) const fn is_formatted(scalar: ScalarType) -> bool {
    !matches!(
        scalar,
        ScalarType::String
            | ScalarType::Integer
            | ScalarType::Number
            | ScalarType::Boolean
            | ScalarType::IntOrString
    )
}

impl TrialType {
    pub(crate) const STRING: TrialType = TrialType::Scalar(ScalarType::String);

    /// Returns the Go type. `named` collects the declarations of the types with a name that are not structs.
    fn go_type(&self, named: &mut Vec<String>) -> String {
        match self {
            TrialType::Scalar(scalar) => go_scalar(*scalar).to_owned(),
            TrialType::ObjectMeta => "metav1.ObjectMeta".to_owned(),
            TrialType::Any => "runtime.RawExtension".to_owned(),
            TrialType::Struct(index) => format!("T{index}"),
            TrialType::List(item) => format!("[]{}", item.go_type(named)),
            TrialType::Map(value) => format!("map[string]{}", value.go_type(named)),
            TrialType::Named(ty, topology) => {
                let go_type = ty.go_type(named);
                let name = format!("N{}", named.len());
                let markers = topology.markers("mapType").into_iter().map(|marker| format!("// {marker}\n"));
                named.push(format!("{}type {name} {go_type}\n", markers.collect::<String>()));
                name
            }
        }
    }

    /// Returns true for the types of scalars.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, TrialType::Scalar(_))
    }

    /// Returns the index of the struct that the type refers to.
    pub(crate) fn referenced_struct(&self) -> Option<usize> {
        match self {
            TrialType::Struct(index) => Some(*index),
            TrialType::List(inner) | TrialType::Map(inner) | TrialType::Named(inner, _) => {
                inner.referenced_struct()
            }
            _ => None,
        }
    }
}
