//! Renames that the authors of an API declare.
//!
//! Between two versions of one definition, a declared rename stands for the conversion webhook: the field is moved,
//! both ways. Between two revisions of one version there is no conversion, and the rename only names the cause.

use std::collections::BTreeSet;
use std::str::FromStr;

use skewer_admission::conversion::{ConversionStep, MovedField, MovedFields};
use skewer_admission::structural::StructuralSchema;
use skewer_cases::yaml::nearest;

use super::facts::facts_of_schema;
use super::sample::element;
use super::schema_path::{SchemaPath, SchemaStep};

/// A rename, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeclaredRename {
    /// The kind of the objects, such as `Issuer`, with or without its group. `None` for all kinds.
    pub kind: Option<String>,
    /// The field.
    pub field: FieldRename,
}

/// A field that has another path in another version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldRename {
    /// The path before the change, or in the first of two versions.
    pub from: SchemaPath,
    /// The path after the change, or in the second of two versions.
    pub to: SchemaPath,
}

impl FieldRename {
    /// Reads the two paths.
    ///
    /// # Errors
    ///
    /// Returns a message if one of the paths is not the path of a field, or if both are the same.
    pub fn read(from: &str, to: &str) -> Result<Self, String> {
        let path = |text: &str| {
            let path: SchemaPath = text.parse()?;
            match path.field_name() {
                Some(_) => Ok(path),
                None => Err(format!("expected the path of a field, such as spec.url, found {text:?}")),
            }
        };
        let field = FieldRename { from: path(from)?, to: path(to)? };
        if field.from == field.to {
            return Err(format!("expected two paths, found {from} twice"));
        }
        Ok(field)
    }

    fn reversed(&self) -> Self {
        FieldRename { from: self.to.clone(), to: self.from.clone() }
    }

    /// Returns true if only the first schema has the old path, and only the second one the new path.
    fn is_between(&self, [first, second]: [&StructuralSchema; 2]) -> bool {
        let has = |schema, path: &SchemaPath| element(schema, path.steps()).is_some();
        has(first, &self.from) && has(second, &self.to) && !has(second, &self.from) && !has(first, &self.to)
    }
}

impl FromStr for FieldRename {
    type Err = String;

    /// Reads `OLD=NEW`.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("expected OLD=NEW, such as spec.url=spec.endpoint, found {text:?}");
        let (from, to) = text.split_once('=').ok_or_else(expected)?;
        FieldRename::read(from, to)
    }
}

impl DeclaredRename {
    /// Creates a rename in the objects of a kind, or of all kinds.
    #[must_use]
    pub fn new(kind: Option<String>, field: FieldRename) -> Self {
        DeclaredRename { kind, field }
    }

    /// Returns true if the rename is one of a kind. `name` has the group, too: `certs.example.com/Issuer`.
    fn is_for(&self, name: &str) -> bool {
        self.kind.as_deref().is_none_or(|kind| {
            name.strip_suffix(kind).is_some_and(|group| group.is_empty() || group.ends_with('/'))
        })
    }
}

/// Returns the renames from one revision of a kind to the next one.
#[must_use]
pub fn renames_between(
    renames: &[DeclaredRename],
    name: &str,
    schemas: [&StructuralSchema; 2],
) -> Vec<FieldRename> {
    let fields = renames.iter().filter(|rename| rename.is_for(name)).map(|rename| &rename.field);
    fields.filter(|field| field.is_between(schemas)).cloned().collect()
}

/// Returns the renames from one version of a definition to another one. Which of the two is older is not known, so that
/// each rename can also be one from the second version to the first.
#[must_use]
pub fn renames_of_versions(
    renames: &[DeclaredRename],
    name: &str,
    schemas: [&StructuralSchema; 2],
) -> Vec<FieldRename> {
    let reversed: Vec<DeclaredRename> = renames
        .iter()
        .map(|rename| DeclaredRename { field: rename.field.reversed(), ..rename.clone() })
        .collect();
    let mut fields = renames_between(renames, name, schemas);
    fields.extend(renames_between(&reversed, name, schemas));
    fields
}

/// Returns the conversion that renames stand for.
///
/// # Errors
///
/// Returns the first field that would leave the list or the map in whose items it is.
pub fn conversion_of(renames: &[FieldRename]) -> Result<MovedFields, MovedField> {
    let moved = |field: &FieldRename| MovedField { from: steps(&field.from), to: steps(&field.to) };
    MovedFields::new(renames.iter().map(moved).collect())
}

fn steps(path: &SchemaPath) -> Vec<ConversionStep> {
    let step = |step: &SchemaStep| match step {
        SchemaStep::Field(name) => ConversionStep::Field(name.clone().into()),
        SchemaStep::Items => ConversionStep::Items,
        SchemaStep::Values => ConversionStep::Values,
    };
    path.steps().iter().map(step).collect()
}

/// Two types that an audit compares.
#[derive(Debug)]
pub struct ComparedTypes<'a> {
    /// The kind with its group, such as `certs.example.com/Issuer`.
    pub kind: String,
    /// The names of the types in messages, such as `old.yaml#v1`.
    pub names: [String; 2],
    /// The schemas.
    pub schemas: [&'a StructuralSchema; 2],
    /// Whether these are two versions of one definition.
    pub are_versions: bool,
}

impl ComparedTypes<'_> {
    fn renames(&self, renames: &[DeclaredRename]) -> Vec<FieldRename> {
        if self.are_versions {
            renames_of_versions(renames, &self.kind, self.schemas)
        } else {
            renames_between(renames, &self.kind, self.schemas)
        }
    }
}

/// Checks that each rename is one between two of the compared types. Returns the indexes of the others, with messages.
#[must_use]
pub fn check_renames(renames: &[DeclaredRename], compared: &[ComparedTypes<'_>]) -> Vec<(usize, String)> {
    let check = |rename: &DeclaredRename| {
        let of_kind: Vec<&ComparedTypes<'_>> =
            compared.iter().filter(|types| rename.is_for(&types.kind)).collect();
        let alone = std::slice::from_ref(rename);
        match of_kind.iter().find(|types| !types.renames(alone).is_empty()) {
            Some(types) => leaves_container(rename, types, renames),
            None => Some(problem(rename, &of_kind, compared)),
        }
    };
    renames.iter().enumerate().filter_map(|(index, rename)| Some((index, check(rename)?))).collect()
}

/// Returns a message if a field would leave the list or the map in whose items it is.
fn leaves_container(
    rename: &DeclaredRename,
    types: &ComparedTypes<'_>,
    renames: &[DeclaredRename],
) -> Option<String> {
    let field = conversion_of(&types.renames(renames)).err()?;
    let is_this = [&rename.field, &rename.field.reversed()].iter().any(|own| steps(&own.from) == field.from);
    is_this.then(|| {
        let FieldRename { from, to } = &rename.field;
        format!(
            "{from} and {to} are not in the same list or map: it is not known to which item a value moves"
        )
    })
}

/// Says why a rename is not one between two of the compared types.
fn problem(
    rename: &DeclaredRename,
    of_kind: &[&ComparedTypes<'_>],
    compared: &[ComparedTypes<'_>],
) -> String {
    let FieldRename { from, to } = &rename.field;
    if of_kind.is_empty() {
        let kinds: BTreeSet<&str> = compared.iter().map(|types| types.kind.as_str()).collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        let kind = rename.kind.as_deref().unwrap_or_default();
        let short = |kind: &&str| kind.rsplit('/').next().unwrap_or(kind).to_owned();
        let hint = hint(kind, &kinds.iter().map(short).collect::<Vec<_>>());
        return format!("no kind {kind} is compared{hint} (compared: {})", kinds.join(", "));
    }
    let has = |schema, path: &SchemaPath| element(schema, path.steps()).is_some();
    let is_reversed = |types: &&&ComparedTypes<'_>| {
        rename.field.reversed().is_between(types.schemas) && !types.are_versions
    };
    if of_kind.iter().any(|types| is_reversed(&types)) {
        return format!("{from} is the new field, and {to} the old one: did you mean {to}={from}?");
    }
    for (side, path) in [(0, from), (1, to)] {
        let known = types_of_side(of_kind, side);
        if known.iter().any(|(schema, _)| has(schema, path)) {
            continue;
        }
        let fields: BTreeSet<String> = known
            .iter()
            .flat_map(|(schema, _)| facts_of_schema(schema).into_keys())
            .map(|path| path.to_string())
            .collect();
        let names: BTreeSet<&str> = known.iter().map(|(_, name)| *name).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let hint = hint(&path.to_string(), &fields.into_iter().collect::<Vec<_>>());
        return format!("{path} is no field of {names}{hint}");
    }
    format!("the field was not renamed: no two compared types have only {from} before, and only {to} after")
}

/// Returns the types of one side, with their names. Either of two versions can be the older one.
fn types_of_side<'a>(
    compared: &[&'a ComparedTypes<'a>],
    side: usize,
) -> Vec<(&'a StructuralSchema, &'a str)> {
    let mut types = Vec::new();
    for both in compared {
        let also_other = both.are_versions.then_some(1 - side);
        let sides = std::iter::once(side).chain(also_other);
        types.extend(sides.map(|side| (both.schemas[side], both.names[side].as_str())));
    }
    types
}

fn hint(name: &str, known: &[String]) -> String {
    let near = nearest(name, known.iter().map(String::as_str));
    near.map(|near| format!(": did you mean {near}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_admission::definition::CustomResourceDefinition;
    use skewer_engine::document::from_json;

    use super::*;

    /// Returns a schema with these fields in `spec`.
    fn schema(fields: &[&str]) -> StructuralSchema {
        let fields: Vec<String> =
            fields.iter().map(|name| format!(r#""{name}":{{"type":"string"}}"#)).collect();
        let definition = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{{"group":"example.com",
            "names":{{"kind":"Thing"}},"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{{"type":"object",
            "properties":{{"spec":{{"type":"object","properties":{{{}}}}}}}}}}}}}]}}}}"#,
            fields.join(",")
        );
        let document = from_json(definition.as_bytes()).expect("valid JSON").to_static();
        let mut definition = CustomResourceDefinition::read(&document).expect("a valid definition");
        definition.versions.remove(0).schema
    }

    fn rename(text: &str) -> DeclaredRename {
        DeclaredRename::new(None, text.parse().expect("a rename"))
    }

    #[rstest]
    #[case::valid(None, "spec.url=spec.endpoint", None)]
    #[case::kind(Some("Thing"), "spec.url=spec.endpoint", None)]
    #[case::group(Some("example.com/Thing"), "spec.url=spec.endpoint", None)]
    #[case::other_kind(
        Some("Thong"),
        "spec.url=spec.endpoint",
        Some("no kind Thong is compared: did you mean Thing?")
    )]
    #[case::part_of_a_kind(Some("hing"), "spec.url=spec.endpoint", Some("no kind hing is compared"))]
    #[case::old("".into(), "spec.ulr=spec.endpoint", Some("spec.ulr is no field of old.yaml: did you mean spec.url?"))]
    #[case::new(
        None,
        "spec.url=spec.endpiont",
        Some("spec.endpiont is no field of new.yaml: did you mean spec.endpoint?")
    )]
    #[case::reversed(None, "spec.endpoint=spec.url", Some("did you mean spec.url=spec.endpoint?"))]
    #[case::not_removed(None, "spec.size=spec.endpoint", Some("was not renamed"))]
    fn a_rename_is_one_between_the_compared_types(
        #[case] kind: Option<&str>,
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let (old, new) = (schema(&["url", "size"]), schema(&["endpoint", "size"]));
        let compared = ComparedTypes {
            kind: "example.com/Thing".to_owned(),
            names: ["old.yaml".to_owned(), "new.yaml".to_owned()],
            schemas: [&old, &new],
            are_versions: false,
        };
        let kind = kind.filter(|kind| !kind.is_empty()).map(str::to_owned);
        let declared = DeclaredRename { kind, ..rename(text) };
        let errors = check_renames(&[declared], &[compared]);
        match (errors.as_slice(), expected) {
            ([], None) => {}
            ([(0, message)], Some(expected)) => assert!(message.contains(expected), "{message}"),
            _ => panic!("{errors:?}"),
        }
    }

    #[test]
    fn a_rename_between_versions_can_be_read_from_either() {
        let (first, second) = (schema(&["endpoint"]), schema(&["url"]));
        let renames = [rename("spec.url=spec.endpoint")];
        assert_eq!(renames_between(&renames, "Thing", [&first, &second]), []);
        let expected: FieldRename = "spec.endpoint=spec.url".parse().expect("a rename");
        assert_eq!(renames_of_versions(&renames, "Thing", [&first, &second]), [expected]);
    }

    #[rstest]
    #[case("spec.url", "expected OLD=NEW")]
    #[case("spec.url=spec.url", "found spec.url twice")]
    #[case("spec.list[]=spec.url", "expected the path of a field")]
    #[case("spec..url=spec.b", "spec..url")]
    fn a_malformed_rename_is_refused(#[case] text: &str, #[case] expected: &str) {
        let message = text.parse::<FieldRename>().expect_err("an error");
        assert!(message.contains(expected), "{message}");
    }
}
