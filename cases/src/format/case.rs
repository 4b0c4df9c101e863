use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use skewer_engine::OwnedDoc;

use super::named::{Named, OneOrMore};
use super::words::{Level, OutcomeName, RequestName};
use crate::yaml::{Present, Spanned, any_schema};

/// One YAML file: cases about one thing, with what they share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct SuiteFile {
    /// The suite's name: the file's path below the corpus folder, without `.yaml`.
    pub suite: Spanned<String>,
    /// What the suite is about, for somebody who reads the documents.
    pub about: String,
    /// The document and section that the suite executes; a case can have its own.
    #[serde(default)]
    pub source: Option<SourceFile>,
    /// How binding the cases are; a case can have its own.
    #[serde(default)]
    pub level: Option<Level>,
    /// What a party knows that is up to date: `today` (all that shipped), `proposed` (all there is), or
    /// `kubernetes-1.N`.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The types; a case can have its own.
    #[serde(default)]
    pub schema: Option<SchemaFile>,
    /// The axes of every case's matrix; a case can have more.
    #[serde(default)]
    pub axes: AxesFile,
    /// The point of the matrix that a compatibility promise speaks of: cells may end as they do there
    /// (`as-before`). Without it no promise covers the cases.
    #[serde(default)]
    pub before: Named<Spanned<String>>,
    /// Points of the matrix that cannot be.
    #[serde(default)]
    pub exclude: Vec<ExclusionFile>,
    /// The cases.
    pub cases: Vec<CaseFile>,
}

/// Where a claim comes from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct SourceFile {
    /// `strategic-merge-patch`, `retain-keys`, `patch-merge-key` or `kep-1027`, or the address of another document
    /// (`https://…`).
    pub document: Spanned<String>,
    /// The heading of the section; that of one of the four documents is checked.
    pub section: Spanned<String>,
}

/// The types of a suite's objects.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct SchemaFile {
    /// Go type declarations, as the documents print them. Beside `builtin` they are laid over the types of the
    /// release, to declare a union on them or to add a field: a struct that is there keeps its fields, and those that
    /// are declared again get the markers.
    #[serde(default)]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub openapi: Present<Spanned<OwnedDoc>>,
    /// A Kubernetes release whose built-in types are used: `kubernetes-1.N`, or `newest`.
    #[serde(default)]
    pub builtin: Option<Spanned<String>>,
    /// Patch metadata that a proposal adds to these types: `core/v1.ServiceSpec.ports:recommendedPatchMergeKey=port,name`.
    #[serde(default)]
    pub with: Vec<Spanned<String>>,
    /// The type of the objects: a type's name; with `builtin` also `apps/v1/Deployment`.
    pub root: Spanned<String>,
}

/// One case: what is done, at every point of its matrix, and what comes of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct CaseFile {
    /// The name within the suite: lower case, digits and dashes.
    pub id: Spanned<String>,
    /// What the case shows.
    #[serde(default)]
    pub about: Option<String>,
    /// The document and section, where they differ from the suite's.
    #[serde(default)]
    pub source: Option<SourceFile>,
    /// How binding the case is, where it differs from the suite's.
    #[serde(default)]
    pub level: Option<Level>,
    /// Rows of the KEP's test matrix that the case is.
    #[serde(default)]
    pub kep: Vec<u32>,
    /// Upstream issues that the case is about: `kubernetes/kubernetes#39188`.
    #[serde(default)]
    pub issue: Vec<String>,
    /// What an up-to-date party knows, where it differs from the suite's.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// The types, where they differ from the suite's.
    #[serde(default)]
    pub schema: Option<SchemaFile>,
    /// Axes beside the suite's.
    #[serde(default)]
    pub axes: AxesFile,
    /// The point of the matrix that a compatibility promise speaks of, where it differs from the suite's.
    #[serde(default)]
    pub before: Named<Spanned<String>>,
    /// Another skew case of the suite, above this one and with the same axes: no cell may do worse than the cell at
    /// the same point there. Done as meant (or as before) is better than refused, and refused better than silent; what
    /// is refused is refused, even if everybody up to date is. Cells that do worse all the same are said to by
    /// `worse: true` in their expectation.
    #[serde(default)]
    pub no_worse_than: Option<Spanned<String>>,
    /// Points of the matrix that cannot be, beside the suite's.
    #[serde(default)]
    pub exclude: Vec<ExclusionFile>,
    /// Who sends (skew cases, and patches that are created).
    #[serde(default)]
    pub client: Option<PartyFile>,
    /// Who stores (skew cases, and patches that are applied).
    #[serde(default)]
    pub server: Option<PartyFile>,
    /// The stored object.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub live: Present<OwnedDoc>,
    /// What the client applied last time.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub last_applied: Present<OwnedDoc>,
    /// What the user wants (skew cases).
    #[serde(default)]
    pub intent: Option<IntentFile>,
    /// What is sent: in skew cases `create`, `update`, `apply` or one of the merge patches; in patch cases
    /// `json-merge-patch` or `json-patch` instead of the strategic merge patch that is the default.
    #[serde(default)]
    pub request: Option<RequestName>,
    /// A patch to apply to `live`.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub patch: Present<OwnedDoc>,
    /// The document that a patch is created from.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub original: Present<OwnedDoc>,
    /// The document that a patch is created for; with `original` a two-way patch, with `last-applied` and
    /// `live` a three-way one.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub modified: Present<OwnedDoc>,
    /// How a three-way patch is created.
    #[serde(default)]
    pub three_way: Option<ThreeWayFile>,
    /// Patches to be merged into one.
    #[serde(default)]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub merge: Option<Vec<OwnedDoc>>,
    /// Two patches of which is asked whether they conflict.
    #[serde(default)]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub conflicts: Option<Vec<OwnedDoc>>,
    /// Types that are refused: the `error` is `invalid-schema`, and `rule` says what is wrong with them.
    #[serde(default)]
    pub declare: Option<DeclareFile>,
    /// What comes of it: for each cell the first that applies.
    pub expect: Vec<Spanned<ExpectationFile>>,
}

/// Types that are to be read, and are no types of any object.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct DeclareFile {
    /// Go type declarations.
    #[serde(default)]
    pub go: Option<Spanned<String>>,
    /// An OpenAPI document, v2 or v3, or a `CustomResourceDefinition`.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub openapi: Present<Spanned<OwnedDoc>>,
}

/// How a three-way patch is created.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct ThreeWayFile {
    /// The modified document wins over changes in live; otherwise they are a conflict.
    #[serde(default)]
    pub overwrite: bool,
    /// Keys of the object that the patch must not change.
    #[serde(default)]
    pub keys_unchanged: Vec<String>,
    /// Keys of its metadata that the patch must not change.
    #[serde(default)]
    pub metadata_keys_unchanged: Vec<String>,
}

/// What the user of a client wants changed: `set`, then `choose`, `select`, `clear`, `add`, `remove`, `order`. All empty: the
/// client writes back what it read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct IntentFile {
    /// Values to set, in the shape of the object. Maps are gone into, items of lists with merge keys are found
    /// by them, all else is replaced.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub set: Present<OwnedDoc>,
    /// Places that are to hold just the fields given.
    #[serde(default)]
    pub choose: Vec<ChooseFile>,
    /// Unions that are to have just this member.
    #[serde(default)]
    pub select: Vec<SelectFile>,
    /// Maps whose union is to have no member: `strategy`, or `.` for the object itself.
    #[serde(default)]
    pub clear: Vec<Spanned<String>>,
    /// Items to add to lists.
    #[serde(default)]
    pub add: Vec<AddFile>,
    /// Places to remove: `spec.paused`, `spec.ports[port=53,protocol=UDP]`, `finalizers[=b]`.
    #[serde(default)]
    pub remove: Vec<Spanned<String>>,
    /// Lists to bring into an order.
    #[serde(default)]
    pub order: Vec<OrderFile>,
}

/// "Only these": fields of a map; a client removes the others that it knows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct ChooseFile {
    /// The map.
    pub at: Spanned<String>,
    /// Its fields.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub fields: skewer_engine::OwnedMap,
}

/// "Only this member": a client sets it, and the discriminator, and removes the other members that it knows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct SelectFile {
    /// The map that holds the union; `.` is the object itself.
    pub at: Spanned<String>,
    /// The member's field.
    pub member: Spanned<String>,
    /// What it holds.
    #[schemars(schema_with = "any_schema")]
    pub value: OwnedDoc,
}

/// An item for a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct AddFile {
    /// The list; made when it is not there.
    pub at: Spanned<String>,
    /// The item.
    #[schemars(schema_with = "any_schema")]
    pub item: OwnedDoc,
}

/// An order for a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct OrderFile {
    /// The list.
    pub at: Spanned<String>,
    /// The items, maps by the value of their merge key; those not named follow.
    #[serde(rename = "as")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub order: Vec<OwnedDoc>,
}

/// What a party knows, and how it behaves.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct PartyFile {
    /// What it does not know: a directive (`$retainKeys`), a field (`Strategy.bar`), a value of an enum
    /// (`StrategyType=Bar`), patch metadata (`Holder.strategy:patchStrategy`).
    #[serde(default)]
    pub without: Vec<Spanned<String>>,
    /// The directives of another profile than the suite's.
    #[serde(default)]
    pub profile: Option<Spanned<String>>,
    /// An embedded release, `kubernetes-1.N`: the party has the types of that release, and its directives (where
    /// the schema is `builtin`).
    #[serde(default)]
    pub release: Option<Spanned<String>>,
    /// A client that keeps raw maps, and with them what it does not know.
    #[serde(default)]
    pub unstructured: Option<bool>,
    /// A server that refuses fields that it does not know.
    #[serde(default)]
    pub strict: Option<bool>,
    /// What a server does with unions: `none` (the default), `legacy`, `deduce`, `kep-1027`,
    /// `kep-1027-ratcheting`, `discriminator-defaulting`, `declarative`.
    #[serde(default)]
    pub policy: Option<Spanned<String>>,
}

/// What one value of an axis contributes: pieces of the objects (laid over the case's), of the intent (made
/// after the case's), of the parties.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct SettingFile {
    /// Who sends.
    #[serde(default)]
    pub client: Option<PartyFile>,
    /// Who stores.
    #[serde(default)]
    pub server: Option<PartyFile>,
    /// A piece of the stored object.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub live: Present<OwnedDoc>,
    /// A piece of what was last applied.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub last_applied: Present<OwnedDoc>,
    /// A piece of the patch.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub patch: Present<OwnedDoc>,
    /// A piece of the original document.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub original: Present<OwnedDoc>,
    /// A piece of the modified document.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub modified: Present<OwnedDoc>,
    /// More edits.
    #[serde(default)]
    pub intent: Option<IntentFile>,
    /// Another request.
    #[serde(default)]
    pub request: Option<RequestName>,
}

/// The axes of a matrix. `client` and `server` have parties as values, `request` is a list of requests, any
/// other axis has settings.
#[derive(Clone, Debug, Default)]
pub struct AxesFile(pub Vec<(Spanned<String>, Named<SettingFile>)>);

impl<'de> Deserialize<'de> for AxesFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Axes;
        impl<'de> Visitor<'de> for Axes {
            type Value = AxesFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of axes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AxesFile, A::Error> {
                let mut axes = Vec::new();
                while let Some(name) = map.next_key::<Spanned<String>>()? {
                    let values = match name.value.as_str() {
                        "client" => map.next_value::<Named<PartyFile>>()?.into_settings(|party| {
                            SettingFile { client: Some(party), ..SettingFile::default() }
                        }),
                        "server" => map.next_value::<Named<PartyFile>>()?.into_settings(|party| {
                            SettingFile { server: Some(party), ..SettingFile::default() }
                        }),
                        "request" => requests(map.next_value()?),
                        _ => map.next_value()?,
                    };
                    axes.push((name, values));
                }
                Ok(AxesFile(axes))
            }
        }
        deserializer.deserialize_map(Axes)
    }
}

impl<T> Named<T> {
    fn into_settings(self, setting: impl Fn(T) -> SettingFile) -> Named<SettingFile> {
        Named(self.0.into_iter().map(|(name, value)| (name, setting(value))).collect())
    }
}

fn requests(names: Vec<Spanned<RequestName>>) -> Named<SettingFile> {
    let setting = |request: Spanned<RequestName>| {
        let name = request.value.name().to_owned();
        let setting = SettingFile { request: Some(request.value), ..SettingFile::default() };
        (Spanned::new(name, request.span), setting)
    };
    Named(names.into_iter().map(setting).collect())
}

impl JsonSchema for AxesFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let parties = generator.subschema_for::<Named<PartyFile>>();
        let requests = generator.subschema_for::<Vec<RequestName>>();
        let settings = generator.subschema_for::<Named<SettingFile>>();
        schemars::json_schema!({
            "type": "object",
            "description": "The axes of a matrix: client and server have parties as values, request is a list \
                            of requests, any other axis has settings.",
            "properties": {"client": parties.clone(), "server": parties, "request": requests},
            "additionalProperties": settings
        })
    }
}

/// Points of the matrix that cannot be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct ExclusionFile {
    /// Which: for each axis named, one of the values.
    pub when: Spanned<Named<OneOrMore>>,
    /// Why they cannot be.
    pub because: String,
}

/// What comes of some cells.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct ExpectationFile {
    /// Which: for each axis named, one of the values; all cells when left out.
    #[serde(default)]
    pub when: Named<OneOrMore>,
    /// What becomes of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The document that results: the patched object, the patch, or what is stored. In skew cases it follows
    /// from the scenario, and what is written here is checked against it.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: Present<OwnedDoc>,
    /// The kind of the error that refuses it.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The rule that the types of `declare` break: `bad-strategy`, `discriminator-not-an-enum`.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
    /// Several answers of which each is right.
    #[serde(default)]
    pub any_of: Vec<AnswerFile>,
    /// These cells do worse than those of the case that `no-worse-than` names, and that is known. It is an error
    /// when one does not.
    #[serde(default)]
    pub worse: bool,
    /// Why.
    #[serde(default)]
    pub because: Option<String>,
    /// The sentence of the source from which it follows, word for word. Whoever breaks the cells is shown it.
    #[serde(default)]
    pub cites: Option<String>,
}

impl ExpectationFile {
    /// Why, and the sentence that says so.
    pub(crate) fn reason(&self) -> Option<String> {
        let quoted = self.cites.as_ref().map(|sentence| format!("\"{sentence}\""));
        match (&self.because, quoted) {
            (Some(because), Some(quoted)) => Some(format!("{because} {quoted}")),
            (because, quoted) => quoted.or_else(|| because.clone()),
        }
    }
}

/// One of several right answers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub struct AnswerFile {
    /// What becomes of the intent (skew cases).
    #[serde(default)]
    pub outcome: Option<OutcomeName>,
    /// The document that results.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    pub result: Present<OwnedDoc>,
    /// The kind of the error that refuses it.
    #[serde(default)]
    pub error: Option<Spanned<String>>,
    /// The rule that the types of `declare` break.
    #[serde(default)]
    pub rule: Option<Spanned<String>>,
}
