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

/// The annotation that a server asks for in a protected group, such as `gateway.networking.k8s.io`. The group in which a
/// definition is installed ends as its own group does.
const APPROVAL: &str = "api-approved.kubernetes.io";

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
    let mut metadata = map([("name", text(&name)), ("labels", labels.clone())]);
    if let (Some(approval), Doc::Map(metadata)) = (approval(definition), &mut metadata) {
        metadata.insert("annotations".into(), map([(APPROVAL, approval.clone())]));
    }
    Some(map([
        ("apiVersion", text("apiextensions.k8s.io/v1")),
        ("kind", text("CustomResourceDefinition")),
        ("metadata", metadata),
        ("spec", Doc::Map(spec)),
    ]))
}

/// Returns a definition that also has some versions. Each of those that it lacks is as its first one.
pub(super) fn with_versions(definition: &OwnedDoc, wanted: &[String]) -> OwnedDoc {
    let mut definition = definition.clone();
    let spec = definition.as_map_mut().and_then(|map| map.get_mut("spec")?.as_map_mut());
    let versions = spec.and_then(|spec| spec.get_mut("versions")?.as_list_mut());
    let Some(versions) = versions else { return definition };
    for name in wanted {
        let has_name =
            |version: &OwnedDoc| version.as_map().and_then(|v| v.get("name")?.as_str()) == Some(name);
        if let (false, Some(Doc::Map(mut version))) =
            (versions.iter().any(has_name), versions.first().cloned())
        {
            version.insert("name".into(), text(name));
            version.insert("storage".into(), Doc::Bool(false));
            versions.push(Doc::Map(version));
        }
    }
    definition
}

/// Returns the value of [`APPROVAL`], if the definition has it.
fn approval(definition: &OwnedDoc) -> Option<&OwnedDoc> {
    let metadata = definition.as_map()?.get("metadata")?.as_map()?;
    metadata.get("annotations")?.as_map()?.get(APPROVAL)
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

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn the_approval_of_a_protected_group_is_copied() {
        let definition = |annotations: &str| {
            let text = format!(
                "metadata: {{name: things.example.k8s.io, annotations: {annotations}}}
spec:
  group: example.k8s.io
  names: {{kind: Thing, plural: things}}
  versions: [{{name: v1, storage: true}}]
"
            );
            skewer_yaml::read_document("crd.yaml", text.as_bytes()).expect("valid YAML")
        };
        let annotations = |of: &str| {
            let labels = map([("run", text("x"))]);
            let installed = installed_form(&definition(of), "x.example.k8s.io", 1, Schemas::Own, &labels)
                .expect("installed");
            let metadata = installed.as_map().unwrap().get("metadata").unwrap().as_map().unwrap().clone();
            metadata.get("annotations").map(ToString::to_string)
        };
        let url = "https://example.com/1";
        let expected = format!("{{\"api-approved.kubernetes.io\":\"{url}\"}}");
        assert_eq!(
            annotations(&format!("{{api-approved.kubernetes.io: '{url}', other: x}}")),
            Some(expected)
        );
        assert_eq!(annotations("{other: x}"), None);
    }
}
