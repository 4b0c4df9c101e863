//! Arguments that say which types are meant, and which directives are known.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use skewer_cases::{Form, Types, UserProfile};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin::{self, Release};
use skewer_engine::{Error, ErrorKind};

use super::document::{Document, File, is_standard_input};
use super::{Failure, Result, output};
use crate::exit::Exit;

/// Where types come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An embedded release.
    Release(&'static Release),
    /// A file.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match builtin::release(text) {
            Ok(release) => Ok(Source::Release(release)),
            // A slip in a release is more likely than a file that is called like one.
            Err(error) if text.starts_with("kubernetes-") && !Path::new(text).exists() => {
                Err(error.message().to_owned())
            }
            Err(_) if text.is_empty() => Err("expected a file, or an embedded release".to_owned()),
            Err(_) => Ok(Source::File(PathBuf::from(text))),
        }
    }
}

impl Source {
    fn is_standard_input(&self) -> bool {
        matches!(self, Source::File(path) if is_standard_input(path))
    }

    /// Reads the types.
    pub(super) fn load(&self) -> Result<Types> {
        match self {
            Source::Release(release) => Ok(Types::from(*release)),
            Source::File(path) => {
                let file = File::read(path)?;
                Types::read(&file.name, &file.bytes)
                    .map_err(|errors| Failure::new(Exit::CouldNotRun, output::file_errors(&errors)))
            }
        }
    }
}

/// A source of types, and perhaps one of its types: `FILE#TYPE`.
#[derive(Clone, Debug)]
struct SourceAndType {
    source: Source,
    name: Option<String>,
}

impl FromStr for SourceAndType {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (source, name) = match text.rsplit_once('#') {
            Some((source, name)) => (source, Some(name.to_owned()).filter(|name| !name.is_empty())),
            None => (text, None),
        };
        let source = if source.is_empty() { Source::Release(builtin::newest()) } else { source.parse()? };
        Ok(SourceAndType { source, name })
    }
}

/// What a party knows: types and directives. Only strategic merge patches look at it.
#[derive(Debug, Args)]
pub(super) struct PatchContextArguments {
    /// The types: a release (kubernetes-1.32, newest), or a file with Go types, an OpenAPI document or a
    /// custom resource definition; with #TYPE (#apps/v1/Deployment) where the documents have no apiVersion and
    /// kind. The newest embedded release when left out.
    #[arg(long, value_name = "SOURCE[#TYPE]")]
    schema: Option<SourceAndType>,
    /// The directives that are known: today (all that shipped), proposed (all there are), kubernetes-1.N, or a
    /// YAML file {name, base, without: [$retainKeys], with: [$patchMergeKey]}. Where $patchMergeKey is, the types of
    /// a release have the merge keys that its proposal recommends.
    #[arg(long, value_name = "NAME|FILE", default_value = "today")]
    profile: String,
}

impl PatchContextArguments {
    /// The context for these documents; the first that has an apiVersion and a kind tells the type.
    pub(super) fn load<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d Document> + Clone,
    ) -> Result<PatchContext> {
        let directives = directives(&self.profile)?;
        let from_input = self.schema.as_ref().is_some_and(|schema| schema.source.is_standard_input());
        if from_input && documents.clone().into_iter().any(Document::is_standard_input) {
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
            None => types.context(&type_of(&types, documents)?),
        };
        let context = context.map_err(|error| Failure::new(Exit::CouldNotRun, error.message()))?;
        Ok(PatchContext { directives, ..context })
    }
}

fn type_of<'d>(types: &Types, documents: impl IntoIterator<Item = &'d Document>) -> Result<String> {
    let example = match types.form() {
        Form::Release => format!("--schema {}#apps/v1/Deployment", types.whose()),
        _ => "--schema FILE#TYPE".to_owned(),
    };
    let mut names = Vec::new();
    let mut no_object = None;
    for document in documents {
        let Some((api_version, kind)) = document.kind() else {
            if document.value.as_map().is_none() && !document.value.is_null() {
                no_object = no_object.or(Some(document));
            }
            names.push(document.name());
            continue;
        };
        if let Some(found) = types.find(api_version, kind) {
            return Ok(found.to_owned());
        }
        if types.form() == Form::Release && !has_group_of(types, api_version) {
            return Err(custom_resource(document, types.whose(), (api_version, kind)));
        }
        let kind = format!("{api_version}/{kind}");
        let why = types.resolve(&kind).err().map(|error| error.message().to_owned()).unwrap_or_default();
        let help = if types.form() == Form::Release {
            format!("say which type it is, as in {example}; types of your own: --schema FILE")
        } else {
            format!("say which type it is: {example}")
        };
        return Err(Failure::new(Exit::CouldNotRun, format!("{}: {why}\nhelp: {help}", document.name())));
    }
    if let Some(document) = no_object {
        let found = document.value.kind().with_article();
        let message = format!("{}: an object is due here, and this is {found}", document.name());
        return Err(Failure::new(Exit::CouldNotRun, message));
    }
    let what = if names.len() == 1 { "has" } else { "have" };
    let message =
        format!("{} {what} no apiVersion and kind: say the type, as in {example}", names.join(" and "));
    Err(Failure::new(Exit::CouldNotRun, message))
}

/// Is the group of this `apiVersion` one of those that the types have?
fn has_group_of(types: &Types, api_version: &str) -> bool {
    let group = |text: &str| text.split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
    let wanted = group(api_version);
    types
        .kinds()
        .sorted()
        .iter()
        .any(|(known, _)| known.rsplit_once('/').is_some_and(|(api_version, _)| group(api_version) == wanted))
}

fn custom_resource(document: &Document, whose: &str, (api_version, kind): (&str, &str)) -> Failure {
    let message = format!(
        "{api_version}/{kind} is no type of {whose}, and a custom resource has no strategic merge patch: use a JSON merge \
         patch (--type merge), or name types of your own (--schema FILE#TYPE)"
    );
    document.refused(&Error::new(ErrorKind::UnsupportedPatchFormat, message).at("kind"))
}

fn directives(profile: &str) -> Result<DirectiveSet> {
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
    let file = File::read(path)?;
    match UserProfile::read(&file.name, &file.bytes) {
        Ok(profile) => Ok(profile.directives),
        Err(errors) => Err(Failure::new(Exit::CouldNotRun, output::file_errors(&errors))),
    }
}
