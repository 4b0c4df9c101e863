//! The arguments that choose the patch context: types and directives.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use skewer_cases::{SchemaFormat, Types, UserProfile};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin::{self, Release};
use skewer_engine::{Error, ErrorKind};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{InputDocument, InputFile, is_standard_input};

/// A source of types.
#[derive(Clone, Debug)]
pub(in crate::cli) enum TypeSource {
    /// An embedded release.
    Release(&'static Release),
    /// A file.
    File(PathBuf),
}

impl FromStr for TypeSource {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match builtin::release(text) {
            Ok(release) => Ok(TypeSource::Release(release)),
            // A misspelt release is more likely than a file with such a name.
            Err(error) if text.starts_with("kubernetes-") && !Path::new(text).exists() => {
                Err(error.message().to_owned())
            }
            Err(_) if text.is_empty() => Err("expected a file, or an embedded release".to_owned()),
            Err(_) => Ok(TypeSource::File(PathBuf::from(text))),
        }
    }
}

impl TypeSource {
    fn is_standard_input(&self) -> bool {
        matches!(self, TypeSource::File(path) if is_standard_input(path))
    }

    /// Reads the types.
    pub(in crate::cli) fn load(&self) -> Result<Types> {
        match self {
            TypeSource::Release(release) => Ok(Types::from(*release)),
            TypeSource::File(path) => {
                let file = InputFile::read(path)?;
                Types::read(&file.name, &file.bytes)
                    .map_err(|errors| Failure::of_files(Exit::CouldNotRun, [&errors]))
            }
        }
    }
}

/// A source of types, with the name of one of its types if the user gives it: `FILE#TYPE`.
#[derive(Clone, Debug)]
struct TypeReference {
    source: TypeSource,
    name: Option<String>,
}

impl FromStr for TypeReference {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (source, name) = match text.rsplit_once('#') {
            Some((source, name)) => (source, Some(name.to_owned()).filter(|name| !name.is_empty())),
            None => (text, None),
        };
        let source =
            if source.is_empty() { TypeSource::Release(builtin::newest()) } else { source.parse()? };
        Ok(TypeReference { source, name })
    }
}

/// The patch context of a party: types and directives. Only strategic merge patches use it.
#[derive(Debug, Args)]
pub(in crate::cli) struct PatchContextArguments {
    /// The types: a release (kubernetes-1.32, newest), or a file with Go types, an OpenAPI document or a
    /// custom resource definition; with #TYPE (#apps/v1/Deployment) where the documents have no apiVersion and
    /// kind. The newest embedded release when left out.
    #[arg(long, value_name = "SOURCE[#TYPE]")]
    schema: Option<TypeReference>,
    /// The directives that are known: today (all that shipped), proposed (all there are), kubernetes-1.N, or a
    /// YAML file {name, base, without: [$retainKeys], with: [$patchMergeKey]}. Where $patchMergeKey is, the types of
    /// a release have the merge keys that its proposal recommends.
    #[arg(long, value_name = "NAME|FILE", default_value = "today")]
    profile: String,
}

impl PatchContextArguments {
    /// Loads the patch context for documents. The first one with an apiVersion and a kind determines the type.
    pub(in crate::cli) fn load<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument> + Clone,
    ) -> Result<PatchContext> {
        let directives = load_directives(&self.profile)?;
        let from_input = self.schema.as_ref().is_some_and(|schema| schema.source.is_standard_input());
        if from_input && documents.clone().into_iter().any(InputDocument::is_standard_input) {
            return Err(Failure::new(
                Exit::CouldNotRun,
                "only one of the documents and the types can come from standard input (-)",
            ));
        }
        let types = match &self.schema {
            Some(schema) => schema.source.load()?,
            None => Types::from(builtin::newest()),
        };
        let types = types
            .amended_by(&directives)
            .map_err(|error| Failure::new(Exit::CouldNotRun, error.message()))?;
        let named = self.schema.as_ref().and_then(|schema| schema.name.as_deref());
        let context = match named {
            Some(name) => types.context(name),
            None => types.context(&find_type(&types, documents)?),
        };
        let context = context.map_err(|error| Failure::new(Exit::CouldNotRun, error.message()))?;
        Ok(PatchContext { directives, ..context })
    }
}

fn find_type<'d>(types: &Types, documents: impl IntoIterator<Item = &'d InputDocument>) -> Result<String> {
    let example = match types.format() {
        SchemaFormat::Release => format!("--schema {}#apps/v1/Deployment", types.display_name()),
        _ => "--schema FILE#TYPE".to_owned(),
    };
    let mut names = Vec::new();
    let mut not_an_object = None;
    for document in documents {
        let Some((api_version, kind)) = document.kind() else {
            if document.value.as_map().is_none() && !document.value.is_null() {
                not_an_object = not_an_object.or(Some(document));
            }
            names.push(document.name());
            continue;
        };
        if let Some(found) = types.find(api_version, kind) {
            return Ok(found.to_owned());
        }
        if types.format() == SchemaFormat::Release && !has_kind_in_group_of(types, api_version) {
            return Err(refuse_custom_resource(document, types.display_name(), (api_version, kind)));
        }
        let kind = format!("{api_version}/{kind}");
        let why = types.resolve(&kind).err().map(|error| error.message().to_owned()).unwrap_or_default();
        let help = if types.format() == SchemaFormat::Release {
            format!("say which type it is, as in {example}; types of your own: --schema FILE")
        } else {
            format!("say which type it is: {example}")
        };
        return Err(Failure::new(Exit::CouldNotRun, format!("{}: {why}\nhelp: {help}", document.name())));
    }
    if let Some(document) = not_an_object {
        let found = document.value.kind().with_article();
        let message = format!("{}: an object is due here, and this is {found}", document.name());
        return Err(Failure::new(Exit::CouldNotRun, message));
    }
    let what = if names.len() == 1 { "has" } else { "have" };
    let message =
        format!("{} {what} no apiVersion and kind: say the type, as in {example}", names.join(" and "));
    Err(Failure::new(Exit::CouldNotRun, message))
}

/// Whether the types have the group of an `apiVersion`.
fn has_kind_in_group_of(types: &Types, api_version: &str) -> bool {
    let group = |text: &str| text.split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
    let target_group = group(api_version);
    types.kinds().sorted().iter().any(|(known, _)| {
        known.rsplit_once('/').is_some_and(|(api_version, _)| group(api_version) == target_group)
    })
}

fn refuse_custom_resource(
    document: &InputDocument,
    whose: &str,
    (api_version, kind): (&str, &str),
) -> Failure {
    let message = format!(
        "{api_version}/{kind} is not a type of {whose}, and a strategic merge patch cannot change a custom resource: use a \
         JSON merge patch (--type merge), or name types of your own (--schema FILE#TYPE)"
    );
    document.refusal(&Error::new(ErrorKind::UnsupportedPatchFormat, message).at("kind"))
}

fn load_directives(profile: &str) -> Result<DirectiveSet> {
    if let Some(profile) = Profile::from_name(profile) {
        return Ok(profile.directives());
    }
    let path = Path::new(profile);
    let looks_like_a_file =
        profile.contains('/') || path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    if !looks_like_a_file && !path.exists() {
        return Err(Failure::new(
            Exit::CouldNotRun,
            format!(
                "there is no profile `{profile}`: there is today, proposed, kubernetes-1.N, or a YAML file"
            ),
        ));
    }
    let file = InputFile::read(path)?;
    match UserProfile::read(&file.name, &file.bytes) {
        Ok(profile) => Ok(profile.directives),
        Err(errors) => Err(Failure::of_files(Exit::CouldNotRun, [&errors])),
    }
}
