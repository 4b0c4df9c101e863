//! The definition that a run installs in place of one of a case.

use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

/// The names of a definition that a run needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DefinitionNames {
    /// The group in the documents of the case.
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    /// The version in which objects are stored.
    pub(super) storage: String,
}

/// How the versions of an installed definition treat objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schemas {
    /// As the definition says.
    Own,
    /// Every version keeps objects as they are: no schema, no defaults, no subresources. Reading an object then shows what is
    /// stored.
    Open,
}

/// The version that tells which of several definitions is in force: it accepts only the objects with its number.
pub(super) const PROBE_VERSION: &str = "skewerprobe";

/// The field of [`PROBE_VERSION`].
pub(super) const PROBE_FIELD: &str = "skewer";

impl DefinitionNames {
    /// Reads the names. `None` if the definition lacks one.
    pub(super) fn of(definition: &OwnedDoc) -> Option<Self> {
        let spec = definition.as_map()?.get("spec")?.as_map()?;
        let names = spec.get("names")?.as_map()?;
        let text = |map: &OwnedMap, key: &str| map.get(key)?.as_str().map(str::to_owned);
        let is_storage =
            |version: &&OwnedMap| version.get("storage").is_some_and(|storage| *storage == Doc::Bool(true));
        let versions = spec.get("versions")?.as_list()?;
        Some(DefinitionNames {
            group: text(spec, "group")?,
            kind: text(names, "kind")?,
            plural: text(names, "plural")?,
            is_namespaced: text(spec, "scope").as_deref() != Some("Cluster"),
            storage: text(versions.iter().filter_map(Doc::as_map).find(is_storage)?, "name")?,
        })
    }
}

/// Returns the definition to install: in another group, without conversion, and with the probe version `number`.
pub(super) fn installed_form(
    definition: &OwnedDoc,
    group: &str,
    number: u32,
    schemas: Schemas,
    labels: &OwnedDoc,
) -> Option<OwnedDoc> {
    let names = DefinitionNames::of(definition)?;
    let mut spec = definition.as_map()?.get("spec")?.as_map()?.clone();
    spec.insert("group".into(), text(group));
    // Webhooks are not part of the definition: they are services that a run cannot start.
    spec.insert("conversion".into(), map([("strategy", text("None"))]));
    if let Some(Doc::Map(names)) = spec.get_mut("names") {
        // They could clash with those of other definitions.
        names.remove("shortNames");
        names.remove("categories");
    }
    let versions = spec.get_mut("versions")?.as_list_mut()?;
    for version in versions.iter_mut().filter_map(Doc::as_map_mut) {
        version.remove("additionalPrinterColumns");
        if schemas == Schemas::Open {
            version.insert("schema".into(), open_schema());
            version.insert("served".into(), Doc::Bool(true));
            version.remove("subresources");
            version.remove("selectableFields");
        }
    }
    versions.push(probe_version(number));
    let name = format!("{}.{group}", names.plural);
    Some(map([
        ("apiVersion", text("apiextensions.k8s.io/v1")),
        ("kind", text("CustomResourceDefinition")),
        ("metadata", map([("name", text(&name)), ("labels", labels.clone())])),
        ("spec", Doc::Map(spec)),
    ]))
}

fn open_schema() -> OwnedDoc {
    let schema = map([("type", text("object")), ("x-kubernetes-preserve-unknown-fields", Doc::Bool(true))]);
    map([("openAPIV3Schema", schema)])
}

fn probe_version(number: u32) -> OwnedDoc {
    let number = Doc::List(vec![Doc::from(i64::from(number))]);
    let field = map([("type", text("integer")), ("enum", number)]);
    let schema = map([("type", text("object")), ("properties", map([(PROBE_FIELD, field)]))]);
    map([
        ("name", text(PROBE_VERSION)),
        ("served", Doc::Bool(true)),
        ("storage", Doc::Bool(false)),
        ("schema", map([("openAPIV3Schema", schema)])),
    ])
}

/// Returns a map of documents.
pub(super) fn map<const N: usize>(members: [(&str, OwnedDoc); N]) -> OwnedDoc {
    Doc::Map(members.into_iter().map(|(key, value)| (Text::from(key), value)).collect::<Map<'static>>())
}

/// Returns a string.
pub(super) fn text(value: &str) -> OwnedDoc {
    Doc::from(value).to_static()
}
