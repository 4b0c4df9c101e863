//! Reads the markers of types and fields that determine the topology for server-side apply.

use super::compiled::TypeTopology;
use super::declarations::{Marker, Shape, TypeDecl, TypeExpr};
use super::metadata_tag::MetadataTag;
use super::openapi::PRESERVE_UNKNOWN;
use super::patch_meta::{ListType, MapType, unknown_list_type, unknown_map_type};
use super::resolution::DeclarationIndex;
use crate::document::Text;

/// Returns true for a marker that declares a map type. It has two names: one for maps, and one for structs.
pub(super) fn declares_map_type(marker: &Marker) -> bool {
    matches!(plain_name(marker), "mapType" | "structType")
}

/// Returns true for a marker that declares a list type.
pub(super) fn declares_list_type(marker: &Marker) -> bool {
    plain_name(marker) == "listType"
}

/// Returns true for a marker that declares a key of a list of type `map`.
pub(super) fn declares_list_map_key(marker: &Marker) -> bool {
    plain_name(marker) == "listMapKey"
}

fn plain_name(marker: &Marker) -> &str {
    marker.name.strip_prefix("k8s:").unwrap_or(&marker.name)
}

fn argument(marker: &Marker) -> &str {
    marker.value.strip_prefix('=').unwrap_or_default().trim()
}

/// Returns the map type that markers declare. If there are several, the last one counts. The error is a message.
pub(super) fn map_type_of(markers: &[Marker]) -> Result<Option<MapType>, String> {
    let Some(marker) = markers.iter().rev().find(|marker| declares_map_type(marker)) else { return Ok(None) };
    let name = argument(marker);
    MapType::from_name(name).map(Some).ok_or_else(|| unknown_map_type(name))
}

fn list_type_of(markers: &[Marker]) -> Result<Option<ListType>, String> {
    let Some(marker) = markers.iter().rev().find(|marker| declares_list_type(marker)) else {
        return Ok(None);
    };
    let name = argument(marker);
    ListType::from_name(name).map(Some).ok_or_else(|| unknown_list_type(name))
}

/// Returns the keys of a list of type `map`. `listMapKey` and `k8s:listMapKey` are two forms of one marker; each form
/// alone lists all keys.
pub(super) fn list_map_keys_of(markers: &[Marker]) -> Vec<&str> {
    let keys_of = |name: &str| -> Vec<&str> {
        markers.iter().filter(|marker| marker.name == name).map(argument).collect()
    };
    let plain = keys_of("listMapKey");
    if plain.is_empty() { keys_of("k8s:listMapKey") } else { plain }
}

/// Returns true for a marker that makes a struct keep unknown fields: the extension of `OpenAPI`, or the marker of
/// controller-gen.
fn keeps_unknown_fields(marker: &Marker) -> bool {
    match marker.name.as_str() {
        PRESERVE_UNKNOWN => argument(marker) == "true",
        "kubebuilder:pruning:PreserveUnknownFields" => true,
        _ => false,
    }
}

impl TypeTopology {
    /// Reads the topology that the markers of a type declare. The error is a message.
    fn from_markers(markers: &[Marker]) -> Result<Self, String> {
        Ok(TypeTopology {
            list_type: list_type_of(markers)?,
            list_map_keys: list_map_keys_of(markers).into_iter().map(Text::from).collect(),
            map_type: map_type_of(markers)?,
            keeps_unknown_fields: markers.iter().any(keeps_unknown_fields),
        })
    }

    /// Removes a tag. Without the list type, the keys have no meaning, and are removed, too.
    pub(super) fn remove_tag(&mut self, tag: MetadataTag) {
        match tag {
            MetadataTag::ListType => {
                self.list_type = None;
                self.list_map_keys.clear();
            }
            MetadataTag::ListMapKey => self.list_map_keys.clear(),
            MetadataTag::MapType | MetadataTag::StructType => self.map_type = None,
            MetadataTag::PatchStrategy | MetadataTag::PatchMergeKey | MetadataTag::Declared(_) => {}
        }
    }
}

/// Returns the topology of each declared type, by the index of the declaration, or an error message. An alias without
/// markers of its own has the topology of the type to which it refers.
pub(super) fn topologies_of(
    types: &[TypeDecl],
    index: &DeclarationIndex<'_>,
) -> Vec<Result<TypeTopology, String>> {
    let mut topologies: Vec<_> = types.iter().map(|ty| TypeTopology::from_markers(&ty.markers)).collect();
    let mut is_visited = vec![false; types.len()];
    for start in 0..types.len() {
        let mut path = Vec::new();
        let mut next = Some(start);
        // Ends at the first type with a topology, at the end of the chain, or at a type that was visited before.
        while let Some(current) = next.filter(|current| {
            !is_visited[*current] && matches!(&topologies[*current], Ok(own) if *own == TypeTopology::NONE)
        }) {
            is_visited[current] = true;
            path.push(current);
            next = alias_target(&types[current]).and_then(|name| index.find(name));
        }
        if let Some(Ok(inherited)) = next.map(|end| topologies[end].clone()) {
            for current in path {
                topologies[current] = Ok(inherited.clone());
            }
        }
    }
    topologies
}

fn alias_target(declaration: &TypeDecl) -> Option<&str> {
    let Shape::Alias(declared) = &declaration.shape else { return None };
    let mut expr = declared;
    loop {
        match expr {
            TypeExpr::Pointer(inner) => expr = inner,
            TypeExpr::Named(name) => return Some(name),
            _ => return None,
        }
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::document::Doc;
    use crate::schema::{Declarations, Field, Schema, TypeDecl, go};

    fn schema(text: &str) -> Schema {
        Schema::compile(&go::read(text).unwrap()).unwrap()
    }

    fn topology(text: &str, name: &str) -> TypeTopology {
        let schema = schema(text);
        schema.topology(schema.named(name).unwrap()).clone()
    }

    fn only_field(declaration: &str) -> Field {
        let schema = schema(&format!(
            "type T struct {{\n{declaration}\n}}\ntype S struct {{}}\ntype Free any\ntype Text string\nconst A Text = \"A\""
        ));
        schema.as_struct(schema.named("T").unwrap()).unwrap().fields().next().unwrap().clone()
    }

    #[rstest]
    #[case::none("", None)]
    #[case::atomic("// +mapType=atomic", Some(MapType::Atomic))]
    #[case::granular("// +mapType=granular", Some(MapType::Granular))]
    #[case::of_a_struct("// +structType=atomic", Some(MapType::Atomic))]
    #[case::with_prefix("// +k8s:mapType=atomic", Some(MapType::Atomic))]
    #[case::of_a_struct_with_prefix("// +k8s:structType=granular", Some(MapType::Granular))]
    fn a_field_has_the_map_type_of_its_markers(#[case] marker: &str, #[case] expected: Option<MapType>) {
        let field = only_field(&format!("{marker}\nA map[string]string `json:\"a\"`"));
        assert_eq!(field.meta.map_type, expected);
    }

    #[rstest]
    #[case::any_value("A runtime.RawExtension `json:\"a\"`", Some(MapType::Atomic))]
    #[case::a_pointer("A *runtime.RawExtension `json:\"a\"`", Some(MapType::Atomic))]
    #[case::a_named_type("A Free `json:\"a\"`", Some(MapType::Atomic))]
    #[case::declared("// +mapType=granular\nA runtime.RawExtension `json:\"a\"`", Some(MapType::Granular))]
    #[case::another_type("A S `json:\"a\"`", None)]
    fn any_value_in_go_is_atomic(#[case] declaration: &str, #[case] expected: Option<MapType>) {
        assert_eq!(only_field(declaration).meta.map_type, expected);
    }

    #[rstest]
    #[case::declared("// +default=\"x\"\nA string `json:\"a,omitempty\"`", Some(Doc::from("x")))]
    #[case::with_prefix("// +k8s:default=\"x\"\nA string `json:\"a,omitempty\"`", Some(Doc::from("x")))]
    #[case::null("// +default=null\nA any `json:\"a\"`", None)]
    #[case::text("A string `json:\"a\"`", Some(Doc::from("")))]
    #[case::enumeration("A Text `json:\"a\"`", Some(Doc::from("")))]
    #[case::number("A int32 `json:\"a\"`", Some(Doc::Int(0)))]
    #[case::boolean("A bool `json:\"a\"`", Some(Doc::Bool(false)))]
    #[case::omitted("A string `json:\"a,omitempty\"`", None)]
    #[case::pointer("A *string `json:\"a\"`", None)]
    #[case::structure("A S `json:\"a\"`", None)]
    #[case::list("A []string `json:\"a\"`", None)]
    #[case::bytes("A []byte `json:\"a\"`", None)]
    #[case::own_encoding("A intstr.IntOrString `json:\"a\"`", None)]
    fn a_go_field_has_the_default_that_servers_publish(
        #[case] declaration: &str,
        #[case] expected: Option<crate::OwnedDoc>,
    ) {
        assert_eq!(only_field(declaration).default.as_deref(), expected.as_ref());
    }

    const ALIASES: &str = "
        // +listType=map
        // +listMapKey=a
        // +listMapKey=b
        type Keyed []S
        type Same Keyed
        type Pointer *Same
        // +k8s:listType=set
        type Names []string
        // +listType=atomic
        type Other Names
        // +mapType=atomic
        type Labels map[string]string
        // +structType=atomic
        type S struct {}
        type Plain []S
    ";

    #[rstest]
    #[case("Keyed", Some(ListType::Map), &["a", "b"], None)]
    #[case("Same", Some(ListType::Map), &["a", "b"], None)]
    #[case("Pointer", Some(ListType::Map), &["a", "b"], None)]
    #[case("Names", Some(ListType::Set), &[], None)]
    #[case("Other", Some(ListType::Atomic), &[], None)]
    #[case("Labels", None, &[], Some(MapType::Atomic))]
    #[case("S", None, &[], Some(MapType::Atomic))]
    #[case("Plain", None, &[], None)]
    fn a_type_has_the_topology_of_its_markers(
        #[case] name: &str,
        #[case] list_type: Option<ListType>,
        #[case] keys: &[&str],
        #[case] map_type: Option<MapType>,
    ) {
        let found = topology(ALIASES, name);
        assert_eq!((found.list_type, found.map_type), (list_type, map_type));
        assert_eq!(found.list_map_keys, keys);
    }

    #[test]
    fn a_struct_can_keep_unknown_fields() {
        let text =
            "// +kubebuilder:pruning:PreserveUnknownFields\ntype Open struct {}\ntype Closed struct {}";
        assert!(topology(text, "Open").keeps_unknown_fields);
        assert!(!topology(text, "Closed").keeps_unknown_fields);
    }

    #[rstest]
    #[case::list_type("listType", "=list", "T, line 0: unknown list type \"list\"")]
    #[case::map_type("mapType", "=set", "T, line 0: unknown map type \"set\"")]
    fn unknown_values_are_refused(#[case] name: &str, #[case] value: &str, #[case] expected: &str) {
        let ty = TypeDecl::new_struct("T", []).with_marker(Marker::new(name, value));
        let errors = Schema::compile(&Declarations::new([ty])).unwrap_err();
        assert!(errors[0].to_string().starts_with(expected), "{errors:?}");
    }

    /// If the topologies of other aliases were not reused, this test would take 5,000,000,000 steps.
    #[test]
    fn a_long_chain_of_aliases_is_followed_once() {
        let length = 100_000;
        let name = |i: usize| format!("a{i}");
        let alias = |i| TypeDecl::new(name(i), Shape::Alias(TypeExpr::named(name(i + 1))));
        let mut types: Vec<_> = (0..length).rev().map(alias).collect();
        types.push(
            TypeDecl::new(name(length), Shape::Alias(TypeExpr::list(TypeExpr::STRING)))
                .with_marker(Marker::new("listType", "=set")),
        );
        let schema = Schema::compile(&Declarations::new(types)).unwrap();
        assert_eq!(schema.topology(schema.named("a0").unwrap()).list_type, Some(ListType::Set));
    }
}
