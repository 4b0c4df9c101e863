//! `skewer union`: the unions that types declare, and their normalization and validation in objects.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use skewer_cases::yaml::nearest;
use skewer_cases::{SchemaFormat, Types};
use skewer_engine::OwnedMap;
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::union::{Cardinality, Union, Unions};
use skewer_engine::schema::{Declarations, FieldDecl, Marker, Shape, Type, TypeId, go};
use skewer_engine::union::policy::{self, Change, Policy, Violation, WriteKind};
use skewer_engine::union::{admit, admit_and_validate_types};

use crate::cli::arguments::admission::refusal;
use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::PatchContextArguments;
use crate::cli::arguments::type_source::TypeSource;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::{DocumentPair, InputDocument, is_standard_input};
use crate::cli::output;

/// List the unions of types, and apply a union policy to an object.
#[derive(Debug, Subcommand)]
pub(super) enum UnionCommand {
    /// List the unions that types declare, and report invalid declarations.
    Check(CheckArguments),
    /// Print the object as the server would store it, and the changes that the policy made.
    Normalize(AdmitArguments),
    /// Check whether the server would accept the object. Every policy also checks enum values, required fields and the
    /// types of values.
    Validate(AdmitArguments),
}

pub(super) fn union(command: &UnionCommand) -> Result {
    match command {
        UnionCommand::Check(arguments) => check(arguments),
        UnionCommand::Normalize(arguments) => normalize(arguments),
        UnionCommand::Validate(arguments) => validate(arguments),
    }
}

/// The arguments of `skewer union check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// File with Go types, an OpenAPI document or a custom resource definition, or an embedded release
    /// (kubernetes-1.37). The path - is standard input.
    source: TypeSource,
}

/// Runs the command. An invalid union is an error of the file, with its source line.
fn check(arguments: &CheckArguments) -> Result {
    let types = arguments.source.load().inspect_err(|_| warn_of_misspelt_markers(&arguments.source))?;
    let schema = types.schema();
    let mut text = String::new();
    let mut count = 0;
    for name in schema.names() {
        let unions = schema.named(name).map(|ty| schema.unions(ty)).unwrap_or_default();
        for union in unions {
            count += 1;
            describe_union(name, union, &mut text);
        }
    }
    print_warnings(&types);
    if count == 0 {
        let message = format!(
            "{} declares no unions: expected +unionDiscriminator and +unionMember or +k8s:unionMember in Go, or \
             x-kubernetes-unions in OpenAPI",
            types.display_name()
        );
        return Err(Failure::new(Exit::NothingSelected, message));
    }
    let plural = if count == 1 { "union" } else { "unions" };
    let _ = writeln!(text, "{count} {plural} in {}, all valid", types.display_name());
    output::print(&text).map(|()| Exit::Ok)
}

/// Prints warnings about the markers of Go types: misspelt ones, and those that declare no union or a misleading one.
fn print_warnings(types: &Types) {
    if types.format() != SchemaFormat::Go {
        return;
    }
    let declarations = types.declarations();
    let of_unions = Unions::declared(&declarations).unwrap_or_default();
    let of_unions =
        of_unions.warnings().iter().map(|warning| (warning.line, &warning.field, &warning.description));
    let misspelt = misspelt_markers(&declarations);
    let misspelt = misspelt.iter().map(|(line, subject, description)| (*line, subject, description));
    let mut warnings: Vec<_> = of_unions.chain(misspelt).collect();
    warnings.sort();
    for (line, subject, description) in warnings {
        output::error(&format!("{}:{line}: warning: {subject}: {description}", types.display_name()));
    }
}

/// Prints the misspelt markers of Go types that cannot be loaded, perhaps because of them.
fn warn_of_misspelt_markers(source: &TypeSource) {
    let TypeSource::File(path) = source else { return };
    // Standard input cannot be read again.
    let text = if is_standard_input(path) { None } else { std::fs::read_to_string(path).ok() };
    let Some(declarations) = text.and_then(|text| go::read(&text).ok()) else { return };
    for (line, subject, description) in misspelt_markers(&declarations) {
        output::error(&format!("{}:{line}: warning: {subject}: {description}", path.display()));
    }
}

/// The markers that declare unions, and the one that declared them in 2019.
const MARKERS: [&str; 9] = [
    "unionDiscriminator",
    "unionMember",
    "unionDiscriminatedBy",
    "k8s:unionDiscriminator",
    "k8s:unionMember",
    "k8s:zeroOrOneOfMember",
    "k8s:modeDiscriminator",
    "k8s:ifMode",
    "union",
];

/// Finds markers with a name that is like that of a marker of unions. Returns the line, the type and field, and the
/// description of each.
fn misspelt_markers(declarations: &Declarations) -> Vec<(u32, String, String)> {
    let mut found = Vec::new();
    let mut check = |subject: &str, markers: &[Marker]| {
        for Marker { name, line, .. } in markers {
            if let Some(meant) = meant_marker(name) {
                let description =
                    format!("the marker +{name} is not known, and has no effect: did you mean +{meant}?");
                found.push((*line, subject.to_owned(), description));
            }
        }
    };
    for ty in &declarations.types {
        check(&ty.name, &ty.markers);
        let fields: &[FieldDecl] = if let Shape::Struct(fields) = &ty.shape { fields } else { &[] };
        for field in fields {
            check(&format!("{}.{}", ty.name, field.go_name), &field.markers);
        }
    }
    found
}

/// Returns the marker that was probably meant by a name that no marker of unions has.
fn meant_marker(name: &str) -> Option<&'static str> {
    if MARKERS.contains(&name) { None } else { nearest(name, MARKERS) }
}

fn describe_union(type_name: &str, union: &Union, text: &mut String) {
    let cardinality = match union.cardinality() {
        Cardinality::AtMostOne => "at most one member",
        Cardinality::ExactlyOne => "exactly one member",
    };
    let name = if union.name.is_empty() { String::new() } else { format!(" ({})", union.name) };
    let _ = writeln!(text, "{type_name}{name}: {cardinality}");
    match &union.discriminator {
        None => {
            let _ = writeln!(text, "  no discriminator");
        }
        Some(discriminator) => {
            let default = discriminator
                .default
                .as_ref()
                .map(|value| format!(", default {value:?}"))
                .unwrap_or_default();
            let _ = writeln!(text, "  discriminator {}{default}", discriminator.field);
        }
    }
    for member in &union.members {
        let optional = if member.optional { ", may be selected without being set" } else { "" };
        let _ = writeln!(text, "  {:?} selects {}{optional}", member.value.as_str(), member.field);
    }
    for value in union.empty_values() {
        let _ = writeln!(text, "  {value:?} selects no member");
    }
    text.push('\n');
}

/// The arguments of `skewer union normalize` and `skewer union validate`.
#[derive(Debug, Args)]
pub(super) struct AdmitArguments {
    /// Object in the request, in JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    new: PathBuf,
    /// Live object, in JSON or YAML; - is standard input. Without it, the request creates the object.
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// Union policy of the server.
    #[arg(long, default_value = "kep-1027", value_parser = policy_parser())]
    policy: &'static dyn Policy,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

impl AdmitArguments {
    /// Reads the object in the request and the live object, if there is one.
    fn documents(&self) -> Result<Vec<InputDocument>> {
        InputDocument::read_list(std::iter::once(self.new.as_path()).chain(self.old.as_deref()))
    }
}

/// Returns the parser of the name of a registered policy. The help lists the names.
fn policy_parser() -> impl TypedValueParser<Value = &'static dyn Policy> {
    let value = |policy: &&dyn Policy| PossibleValue::new(policy.name()).help(policy.about());
    PossibleValuesParser::new(policy::REGISTRY.iter().map(value))
        .try_map(|name| policy::by_name(&name).ok_or("unknown policy"))
}

/// A union policy that normalizes like another policy, but accepts every object.
#[derive(Debug)]
struct WithoutValidation(&'static dyn Policy);

impl Policy for WithoutValidation {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn about(&self) -> &'static str {
        self.0.about()
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        self.0.normalize(write, old, new, union)
    }

    fn validate(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        _new: &OwnedMap,
        _union: &Union,
    ) -> Vec<Violation> {
        Vec::new()
    }
}

/// Prints the normalized object to standard output, and the changes to standard error.
fn normalize(arguments: &AdmitArguments) -> Result {
    let documents = arguments.documents()?;
    let context = arguments.context.load(&documents)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    let admitted = admit(&context, &WithoutValidation(arguments.policy), old, new.value.clone())
        .map_err(|errors| refusal(DocumentPair { base: documents.get(1), other: new }, &errors))?;
    arguments.output.print(&admitted.object, new)?;
    for change in &admitted.changes {
        output::error(&format!("{}: {change}", arguments.policy.name()));
    }
    if admitted.changes.is_empty() {
        output::error(&format!("{}: nothing to normalize", arguments.policy.name()));
    }
    Ok(Exit::Ok)
}

/// Returns true if an object of the root type of a context can have a union, at any depth.
fn has_unions(context: &PatchContext) -> bool {
    let schema = &context.schema;
    let mut reached = HashSet::from([context.root]);
    let mut open = vec![context.root];
    while let Some(ty) = open.pop() {
        let parts: Vec<TypeId> = match schema.get(ty) {
            Type::Struct(s) if !s.unions().is_empty() => return true,
            Type::Struct(s) => s.fields().map(|field| field.ty).collect(),
            Type::Map(part) | Type::List(part) => vec![*part],
            Type::Scalar(_) | Type::Enum(_) | Type::Any => Vec::new(),
        };
        open.extend(parts.into_iter().filter(|part| reached.insert(*part)));
    }
    false
}

/// Prints whether the object satisfies the union policy and its types.
fn validate(arguments: &AdmitArguments) -> Result {
    let documents = arguments.documents()?;
    let (context, definition) = arguments.context.load_with_definition(&documents)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    let admitted = match &definition {
        Some(definition) => {
            let admission = definition.admission()?;
            definition.note_not_simulated();
            admission.admit_with_unions(&context, arguments.policy, old, &new.value)
        }
        None => admit_and_validate_types(&context, arguments.policy, old, new.value.clone()),
    };
    match admitted {
        Ok(admitted) => {
            let verdict = if definition.is_some() || has_unions(&context) {
                "accepted"
            } else {
                "nothing to judge, because the types of the object declare no union; its values fit their types"
            };
            let mut text = format!("{}: {verdict}\n", arguments.policy.name());
            for change in &admitted.changes {
                text.push_str("  ");
                text.push_str(&change.to_string());
                text.push('\n');
            }
            output::print(&text).map(|()| Exit::Ok)
        }
        Err(errors) => Err(refusal(DocumentPair { base: documents.get(1), other: new }, &errors)),
    }
}
