//! `skewer union`: the unions that types declare, and their normalization and validation in objects.

use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use skewer_admission::AdmissionOptions;
use skewer_engine::OwnedMap;
use skewer_engine::schema::union::{Cardinality, Union};
use skewer_engine::union::policy::{self, Change, Policy, Violation, WriteKind};
use skewer_engine::union::{admit, admit_and_validate_types};

use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::PatchContextArguments;
use crate::cli::arguments::type_source::TypeSource;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputDocument;
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
    let types = arguments.source.load()?;
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
    if count == 0 {
        return Err(Failure::new(
            Exit::NothingSelected,
            format!(
                "{} declares no unions: expected +unionDiscriminator and +unionMember or +k8s:unionMember in Go, or \
                 x-kubernetes-unions in OpenAPI",
                types.display_name()
            ),
        ));
    }
    let plural = if count == 1 { "union" } else { "unions" };
    let _ = writeln!(text, "{count} {plural} in {}, all valid", types.display_name());
    output::print(&text).map(|()| Exit::Ok)
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
        .map_err(|errors| refusal(new, &errors))?;
    arguments.output.print(&admitted.object, new)?;
    for change in &admitted.changes {
        output::error(&format!("{}: {change}", arguments.policy.name()));
    }
    if admitted.changes.is_empty() {
        output::error(&format!("{}: nothing to normalize", arguments.policy.name()));
    }
    Ok(Exit::Ok)
}

/// Prints whether the object satisfies the union policy and its types.
fn validate(arguments: &AdmitArguments) -> Result {
    let documents = arguments.documents()?;
    let (context, custom_resource) = arguments.context.load_with_custom_resource(&documents)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    let admitted = match custom_resource {
        Some(resource) => {
            let admission = resource.admission(AdmissionOptions::NEWEST, &[]);
            for part in admission.not_simulated() {
                output::error(&part.to_string());
            }
            admission.admit_with_unions(&context, arguments.policy, old, &new.value)
        }
        None => admit_and_validate_types(&context, arguments.policy, old, new.value.clone()),
    };
    match admitted {
        Ok(admitted) => {
            let mut text = format!("{}: accepted\n", arguments.policy.name());
            for change in &admitted.changes {
                text.push_str("  ");
                text.push_str(&change.to_string());
                text.push('\n');
            }
            output::print(&text).map(|()| Exit::Ok)
        }
        Err(errors) => Err(refusal(new, &errors)),
    }
}

/// Creates the failure with all errors, each with its source span.
fn refusal(document: &InputDocument, errors: &[skewer_engine::Error]) -> Failure {
    let failures = errors.iter().map(|error| document.refusal(error));
    Failure::join(failures).unwrap_or_else(|| Failure::new(Exit::CellFailed, ""))
}
