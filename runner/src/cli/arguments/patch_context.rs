//! The arguments `--schema`, `--profile` and `--lists`: the types, the directives and the options of a patch context.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use skewer_admission::{Admission, AdmissionOptions};
use skewer_cases::yaml::{self, FileErrors, ParsedFile};
use skewer_cases::{CustomResourceVersion, SchemaFormat, Types, UserProfile};
use skewer_engine::directive::DirectiveSet;
use skewer_engine::patch::{PatchContext, PatchLibrary, SpareCapacity};
use skewer_engine::profile::Profile;
use skewer_engine::schema::Type;
use skewer_engine::schema::builtin;
use skewer_engine::{Error, ErrorKind};

use super::type_source::TypeSource;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{InputDocument, InputFile};
use crate::cli::output;

/// The description of the exit codes in the help of the patch commands.
pub(in crate::cli) const PATCH_EXIT_CODES: &str = "Exit codes: 0 success; 1 the patch was refused, or the patches conflict; 2 the \
                                     command could not run (bad usage, unreadable document, unknown type).";

/// A source of types and, optionally, the name of one of its types: `FILE#TYPE`.
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

/// The argument that selects types.
#[derive(Debug, Args)]
pub(in crate::cli) struct TypeArguments {
    /// The types: an embedded release (kubernetes-1.32, newest), or a file with Go types, an OpenAPI document or a
    /// custom resource definition. Append #TYPE (#apps/v1/Deployment) if the documents have no apiVersion and kind.
    /// Default: newest.
    #[arg(long, value_name = "SOURCE[#TYPE]")]
    schema: Option<TypeReference>,
}

/// The arguments that select types, directives and the behaviour of the patch library.
#[derive(Debug, Args)]
pub(in crate::cli) struct PatchContextArguments {
    #[command(flatten)]
    types: TypeArguments,
    /// The known directives: today (all released directives), proposed (also the proposed ones), kubernetes-1.N, or a
    /// YAML file {name, base, without: [$retainKeys], with: [$patchMergeKey]}. With kubernetes-1.N, patches of all types
    /// are also applied as by the patch libraries of that release, and custom resources are validated as by its server.
    /// A profile with $patchMergeKey also gives the types of a
    /// release the merge keys that the proposal recommends.
    #[arg(long, value_name = "NAME|FILE", default_value = "today")]
    profile: String,
    /// The memory that holds the lists of the object. It affects the order of lists of scalars with repeated items.
    #[arg(long, value_enum, default_value_t)]
    lists: Lists,
}

/// The memory that holds the lists of an object.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Lists {
    /// Decoded from JSON, as in `kubectl patch --local`.
    #[default]
    Decoded,
    /// In the structs of an API server.
    Structs,
}

impl From<Lists> for SpareCapacity {
    fn from(lists: Lists) -> Self {
        match lists {
            Lists::Decoded => SpareCapacity::AsDecoded,
            Lists::Structs => SpareCapacity::None,
        }
    }
}

impl PatchContextArguments {
    /// Loads the patch context for documents. The first document with an apiVersion and a kind determines the type.
    pub(in crate::cli) fn load<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument> + Clone,
    ) -> Result<PatchContext> {
        Ok(self.load_with_definition(documents)?.0)
    }

    /// Loads the patch context for documents. Also returns the custom resource, if the documents are of a kind that a
    /// definition declares.
    pub(in crate::cli) fn load_with_definition<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument> + Clone,
    ) -> Result<(PatchContext, Option<LoadedDefinition>)> {
        let LoadedProfile { directives, library, options } = LoadedProfile::load(&self.profile)?;
        let (types, file) = self.types.load_with_file(documents.clone())?;
        let types = types.amended_by(&directives).map_err(|error| Failure::could_not_run(error.message()))?;
        let context = self.types.context_of(&types, documents, &refuse_custom_resource)?;
        let definition = LoadedDefinition::of(file.as_ref(), &types, &context)?;
        let context = PatchContext { directives, library, spare_capacity: self.lists.into(), ..context };
        Ok((context, definition.map(|definition| LoadedDefinition { options, ..definition })))
    }

    /// Loads the patch context for documents of a kind of a release. `None` if they are of another kind.
    pub(in crate::cli) fn load_built_in<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument> + Clone,
    ) -> Option<PatchContext> {
        let is_of_release = |schema: &TypeReference| matches!(schema.source, TypeSource::Release(_));
        let may_have = self.types.schema.as_ref().is_none_or(is_of_release);
        may_have.then(|| self.load(documents).ok()).flatten()
    }

    /// Loads the custom resource of documents that are not patched by their types. `None` if the types are not those of a
    /// definition, or if the documents are of another kind.
    pub(in crate::cli) fn load_definition<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument> + Clone,
    ) -> Result<Option<LoadedDefinition>> {
        if self.types.schema.is_none() {
            return Ok(None);
        }
        let (types, _) = self.types.load_with_file(documents.clone())?;
        if types.format() == SchemaFormat::CustomResourceDefinition {
            return Ok(self.load_with_definition(documents)?.1);
        }
        Ok(None)
    }

    /// Returns the behaviour of the patch library.
    pub(in crate::cli) fn library(&self) -> Result<PatchLibrary> {
        Ok(LoadedProfile::load(&self.profile)?.library)
    }
}

/// A custom resource that a definition declares, and the settings of the server that admits its objects.
pub(in crate::cli) struct LoadedDefinition {
    pub(in crate::cli) resource: CustomResourceVersion,
    pub(in crate::cli) options: AdmissionOptions,
    pub(in crate::cli) file: ParsedFile,
}

impl LoadedDefinition {
    /// Returns the admission of the objects, which are stored in the storage version.
    ///
    /// # Errors
    /// Fails if a server of the release refuses the definition because of a rule.
    pub(in crate::cli) fn admission(&self) -> Result<Admission> {
        let admission = self.resource.admission(self.options, &[]);
        if admission.refused_rules().is_empty() {
            return Ok(admission);
        }
        let minor = self.options.minor;
        let diagnostics = admission.refused_rules().iter().map(|refused| {
            let path = self.resource.path_in_definition(refused.path());
            let message = format!(
                "refused ({}): a server of 1.{minor} refuses the definition: {}",
                refused.kind().id(),
                refused.message()
            );
            yaml::Diagnostic {
                path: path.clone(),
                ..yaml::Diagnostic::new(self.file.root().span_at(&path), message)
            }
        });
        let errors = FileErrors::new(self.file.name(), self.file.text().into(), diagnostics.collect());
        Err(Failure::of_files(Exit::CellFailed, [&errors]))
    }

    /// Notes the parts of the definition that are not simulated.
    pub(in crate::cli) fn note_not_simulated(&self) {
        for (path, part) in self.resource.not_simulated() {
            let place = self.file.location(self.file.root().span_at(&path));
            output::error(&format!("note: {place}: {part}"));
        }
    }

    /// Reads the custom resource whose objects have the root type of a context, on a server of the newest release. `None`
    /// if the types are not those of a definition.
    pub(in crate::cli) fn of(
        file: Option<&InputFile>,
        types: &Types,
        context: &PatchContext,
    ) -> Result<Option<Self>> {
        let is_definition = types.format() == SchemaFormat::CustomResourceDefinition;
        let Some(file) = file.filter(|_| is_definition) else { return Ok(None) };
        let resource = custom_resource(file, types, context)?;
        Ok(resource.map(|(resource, file)| LoadedDefinition {
            resource,
            options: AdmissionOptions::NEWEST,
            file,
        }))
    }
}

/// Reads the custom resource whose objects have the root type of a context. `None` if the type is only a part of them.
fn custom_resource(
    file: &InputFile,
    types: &Types,
    context: &PatchContext,
) -> Result<Option<(CustomResourceVersion, ParsedFile)>> {
    let parsed = yaml::parse_manifest(&file.name, &file.bytes)?;
    let definition = parsed.root().to_doc();
    let Type::Struct(root) = context.schema.get(context.root) else { return Ok(None) };
    let Some(version) = CustomResourceVersion::version_of_type(types, &definition, &root.name) else {
        return Ok(None);
    };
    match CustomResourceVersion::read(&definition, &version) {
        Ok(resource) => Ok(Some((resource, parsed))),
        Err(errors) => {
            let diagnostic = |error: &Error| {
                let span = parsed.root().span_at(error.path());
                yaml::Diagnostic {
                    path: error.path().clone(),
                    ..yaml::Diagnostic::new(span, error.message())
                }
            };
            let diagnostics = errors.iter().map(diagnostic).collect();
            Err(Failure::from(FileErrors::new(parsed.name(), parsed.text().into(), diagnostics)))
        }
    }
}

/// Creates the failure for a document of a kind that a release does not have. Its further arguments are the name of the
/// types, and the kind of the document with its API version.
pub(in crate::cli) type UnknownKind = dyn Fn(&InputDocument, &str, &str) -> Failure;

impl TypeArguments {
    /// Loads the types. Also returns the file, if they come from one.
    pub(in crate::cli) fn load_with_file<'d>(
        &self,
        documents: impl IntoIterator<Item = &'d InputDocument>,
    ) -> Result<(Types, Option<InputFile>)> {
        let from_input = self.schema.as_ref().is_some_and(|schema| schema.source.is_standard_input());
        if from_input && documents.into_iter().any(InputDocument::is_standard_input) {
            return Err(Failure::could_not_run(
                "the documents and the types cannot both come from standard input (-)",
            ));
        }
        match &self.schema {
            Some(schema) => schema.source.load_with_file(),
            None => Ok((Types::from(builtin::newest()), None)),
        }
    }

    /// Returns the patch context for documents. The type is the one that the argument names, or else that of the first
    /// document with an apiVersion and a kind.
    pub(in crate::cli) fn context_of<'d>(
        &self,
        types: &Types,
        documents: impl IntoIterator<Item = &'d InputDocument>,
        unknown_kind: &UnknownKind,
    ) -> Result<PatchContext> {
        let named = self.schema.as_ref().and_then(|schema| schema.name.as_deref());
        let context = match named.map(|name| kind_of_version(types, name)) {
            Some(name) => {
                check_named(types, &name, documents)?;
                types.context(&name)
            }
            None => types.context(&find_type(types, documents, unknown_kind)?),
        };
        context.map_err(|error| Failure::could_not_run(error.message()))
    }
}

/// Returns the kind of a definition of which only the version is named, as suites name it (`crd: FILE#v1`). Any other name is
/// returned as it is.
fn kind_of_version<'n>(types: &Types, name: &'n str) -> Cow<'n, str> {
    let is_definition = types.format() == SchemaFormat::CustomResourceDefinition;
    let kinds = if is_definition { types.kinds().sorted() } else { Vec::new() };
    let is_named = |kind: &str| kind.rsplit('/').nth(1) == Some(name);
    let found = kinds.iter().map(|(kind, _)| kind.to_string()).find(|kind| is_named(kind));
    found.map_or(Cow::Borrowed(name), Cow::Owned)
}

/// Fails if a document is of another version of the definition than the one that the argument names: a server refuses an object of
/// another version than that of the request.
fn check_named<'d>(
    types: &Types,
    name: &str,
    documents: impl IntoIterator<Item = &'d InputDocument>,
) -> Result<()> {
    let named = types.resolve(name).ok().and_then(|named| types.kinds().kind_of(named));
    let is_definition = types.format() == SchemaFormat::CustomResourceDefinition;
    let Some(named) = named.filter(|_| is_definition) else { return Ok(()) };
    for document in documents {
        let Some((api_version, kind)) = document.kind() else { continue };
        if named.ends_with(&format!("/{kind}")) && named != format!("{api_version}/{kind}") {
            return Err(Failure::could_not_run(format!(
                "{}: the object is of {api_version}/{kind}, and --schema names {named}: a server refuses an object of another \
                 version than that of the request",
                document.name()
            )));
        }
    }
    Ok(())
}

fn find_type<'d>(
    types: &Types,
    documents: impl IntoIterator<Item = &'d InputDocument>,
    unknown_kind: &UnknownKind,
) -> Result<String> {
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
        let kind = format!("{api_version}/{kind}");
        if types.format() == SchemaFormat::Release && !has_kind_in_group_of(types, api_version) {
            return Err(unknown_kind(document, types.display_name(), &kind));
        }
        let why = types.resolve(&kind).err().map(|error| error.message().to_owned()).unwrap_or_default();
        let help = if types.format() == SchemaFormat::Release {
            format!("name the type, for example {example}, or read types from a file with --schema FILE")
        } else {
            format!("name the type with {example}")
        };
        return Err(Failure::could_not_run(format!("{}: {why}\nhelp: {help}", document.name())));
    }
    if let Some(document) = not_an_object {
        let found = document.value.kind().with_article();
        let message = format!("{}: expected an object, found {found}", document.name());
        return Err(Failure::could_not_run(message));
    }
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!(
        "{} {verb} no apiVersion and kind: name the type, for example {example}",
        names.join(" and ")
    );
    Err(Failure::could_not_run(message))
}

fn has_kind_in_group_of(types: &Types, api_version: &str) -> bool {
    let group = |text: &str| text.split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
    let target_group = group(api_version);
    types.kinds().sorted().iter().any(|(known, _)| {
        known.rsplit_once('/').is_some_and(|(api_version, _)| group(api_version) == target_group)
    })
}

fn refuse_custom_resource(document: &InputDocument, types_name: &str, kind: &str) -> Failure {
    let message = format!(
        "{types_name} has no type {kind}, and a custom resource does not support strategic merge \
         patches: use a JSON merge patch (--type merge), or read the type from a file (--schema FILE#TYPE)"
    );
    document.refusal(&Error::new(ErrorKind::UnsupportedPatchFormat, message).at("kind"))
}

/// The properties of a party that a profile determines.
pub(in crate::cli) struct LoadedProfile {
    pub(in crate::cli) directives: DirectiveSet,
    pub(in crate::cli) library: PatchLibrary,
    pub(in crate::cli) options: AdmissionOptions,
}

impl LoadedProfile {
    /// Reads a profile by its name, or from a file.
    ///
    /// # Errors
    /// Fails if there is no profile of this name, or if the file is not valid.
    pub(in crate::cli) fn load(profile: &str) -> Result<LoadedProfile> {
        if let Some(profile) = Profile::from_name(profile) {
            let newest = AdmissionOptions::NEWEST.minor;
            let options = match profile {
                Profile::Release(minor) if minor > newest => {
                    return Err(Failure::could_not_run(format!(
                        "unknown release kubernetes-1.{minor}: the newest one that Skewer knows is kubernetes-1.{newest}"
                    )));
                }
                Profile::Release(minor) => AdmissionOptions::of_release(minor),
                _ => AdmissionOptions::NEWEST,
            };
            return Ok(LoadedProfile {
                directives: profile.directives(),
                library: profile.library(),
                options,
            });
        }
        let path = Path::new(profile);
        let looks_like_a_file =
            profile.contains('/') || path.extension().is_some_and(|e| e == "yaml" || e == "yml");
        if !looks_like_a_file && !path.exists() {
            return Err(Failure::could_not_run(format!(
                "unknown profile `{profile}`: expected today, proposed, kubernetes-1.N, or a YAML file"
            )));
        }
        let file = InputFile::read(path)?;
        match UserProfile::read(&file.name, &file.bytes) {
            Ok(UserProfile { directives, library, .. }) => {
                Ok(LoadedProfile { directives, library, options: AdmissionOptions::NEWEST })
            }
            Err(errors) => Err(Failure::from(errors)),
        }
    }
}
