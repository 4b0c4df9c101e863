//! What the markers of a field say, into its declaration.

use super::comments::MarkerAt;
use super::errors::{GoError, GoErrorKind, Position};
use super::tags::split_keys;
use crate::schema::{FieldDecl, ListType, Marker};

/// The text of a `+default`, and where it stands. It is read once the type of the field is known.
pub(super) type DefaultText = (String, Position);

/// Does this marker close an enum?
pub(super) fn closes_enum(marker: &Marker) -> bool {
    matches!(marker.name.as_str(), "enum" | "k8s:enum")
}

/// Fills the declaration from the markers, and keeps them all in it.
pub(super) fn apply(
    found: Vec<MarkerAt>,
    field: &mut FieldDecl,
    errors: &mut Vec<GoError>,
) -> Option<DefaultText> {
    let mut reader = MarkerReader { field, errors, default: None, listed: Listed::default() };
    for marker in &found {
        reader.read(marker);
    }
    let MarkerReader { default, listed, .. } = reader;
    // Kubernetes' own types have these next to a `+optional` that contradicts them: they count where they are alone.
    let says = |name: &str| found.iter().any(|m| m.marker.name == name);
    field.required = field.required.or_else(|| says("kubebuilder:validation:Required").then_some(true));
    field.required = field.required.or_else(|| says("kubebuilder:validation:Optional").then_some(false));
    // `listMapKey` and `k8s:listMapKey` say the same twice; each alone lists all keys.
    field.patch.list_map_keys = if listed.plain.is_empty() { listed.declarative } else { listed.plain };
    field.markers = found.into_iter().map(|m| m.marker).collect();
    default
}

#[derive(Default)]
struct Listed {
    plain: Vec<String>,
    declarative: Vec<String>,
}

struct MarkerReader<'a> {
    field: &'a mut FieldDecl,
    errors: &'a mut Vec<GoError>,
    default: Option<DefaultText>,
    listed: Listed,
}

impl MarkerReader<'_> {
    fn read(&mut self, found: &MarkerAt) {
        let value = argument(&found.marker.value);
        match found.marker.name.as_str() {
            "required" | "k8s:required" => self.required(found, true),
            "optional" | "k8s:optional" => self.required(found, false),
            "default" => self.default(found, value),
            "listType" | "k8s:listType" => self.list_type(found, value),
            "listMapKey" => map_key(found, value, &mut self.listed.plain, self.errors),
            "k8s:listMapKey" => map_key(found, value, &mut self.listed.declarative, self.errors),
            "patchStrategy" => {
                let said = value.split([',', '|']).map(|s| s.trim().to_owned()).collect::<Vec<_>>();
                let same = said == self.field.patch.strategies;
                self.same_as_tag(found, same, GoErrorKind::BadStrategy);
            }
            "patchMergeKey" => {
                let same = split_keys(value) == self.field.patch.merge_key;
                self.same_as_tag(found, same, GoErrorKind::BadMergeKey);
            }
            _ => {}
        }
    }

    fn bad(&mut self, found: &MarkerAt, message: String) {
        self.errors.push(found.at.error(GoErrorKind::BadMarker, message));
    }

    fn required(&mut self, found: &MarkerAt, required: bool) {
        let value = &found.marker.value;
        if value.starts_with('=') && value != "=true" {
            self.bad(found, format!("+{} takes no value, and has {value:?}", found.marker.name));
        }
        if self.field.required == Some(!required) {
            self.bad(found, "the field is marked both required and optional".to_owned());
        }
        self.field.required = Some(required);
    }

    fn default(&mut self, found: &MarkerAt, value: &str) {
        if !found.marker.value.starts_with('=') {
            self.bad(found, "+default has no value: write +default=…".to_owned());
        } else if self.default.is_some() {
            self.bad(found, "the field has two defaults".to_owned());
        } else {
            self.default = Some((value.to_owned(), found.at));
        }
    }

    fn list_type(&mut self, found: &MarkerAt, value: &str) {
        let list_type = match value {
            "atomic" => ListType::Atomic,
            "set" => ListType::Set,
            "map" => ListType::Map,
            other => {
                self.bad(found, format!("the list type {other:?} is not known: atomic, set and map are"));
                return;
            }
        };
        if self.field.patch.list_type.is_some_and(|before| before != list_type) {
            self.bad(found, "the field has two list types".to_owned());
        }
        self.field.patch.list_type = Some(list_type);
    }

    /// `+patchStrategy` and `+patchMergeKey` are what upstream's generator of `OpenAPI` reads; the API server reads
    /// the struct tag. They must say the same, or clients and servers would patch differently.
    fn same_as_tag(&mut self, found: &MarkerAt, same: bool, kind: GoErrorKind) {
        if !same {
            let Marker { name, value, .. } = &found.marker;
            let message = format!(
                "the marker +{name}{value} and the struct tag {name} differ: the server reads the tag"
            );
            self.errors.push(found.at.error(kind, message));
        }
    }
}

fn map_key(found: &MarkerAt, value: &str, keys: &mut Vec<String>, errors: &mut Vec<GoError>) {
    let name = &found.marker.name;
    if value.is_empty() {
        errors.push(found.at.error(GoErrorKind::BadMarker, format!("+{name} has no value: write +{name}=…")));
    } else if keys.iter().any(|key| key == value) {
        errors.push(found.at.error(GoErrorKind::BadMarker, format!("+{name}={value} twice")));
    } else {
        keys.push(value.to_owned());
    }
}

/// What stands after the `=`.
fn argument(value: &str) -> &str {
    value.strip_prefix('=').unwrap_or_default().trim()
}
