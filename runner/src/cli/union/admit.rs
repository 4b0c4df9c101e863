//! `skewer union normalize` and `skewer union validate`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use skewer_admission::AdmissionOptions;
use skewer_engine::OwnedMap;
use skewer_engine::schema::union::Union;
use skewer_engine::union::policy::{self, Change, Policy, Violation, WriteKind};
use skewer_engine::union::{admit, admit_and_validate_types, admit_custom_resource};

use crate::cli::arguments::output::OutputArguments;
use crate::cli::arguments::patch_context::PatchContextArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::input::InputDocument;
use crate::cli::output;

/// The arguments of `skewer union normalize` and `skewer union validate`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdmitArguments {
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
pub(super) fn normalize(arguments: &AdmitArguments) -> Result {
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
pub(super) fn validate(arguments: &AdmitArguments) -> Result {
    let documents = arguments.documents()?;
    let (context, custom_resource) = arguments.context.load_with_custom_resource(&documents)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    let admitted = match custom_resource {
        Some(resource) => {
            let admission = resource.admission(AdmissionOptions::NEWEST, &[]);
            for part in admission.not_simulated() {
                output::error(&part.to_string());
            }
            admit_custom_resource(&context, arguments.policy, &admission, old, &new.value)
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
            output::print(&text)?;
            Ok(Exit::Ok)
        }
        Err(errors) => Err(refusal(new, &errors)),
    }
}

/// Creates the failure with all errors, each with its source span.
fn refusal(document: &InputDocument, errors: &[skewer_engine::Error]) -> Failure {
    let failures = errors.iter().map(|error| document.refusal(error));
    Failure::join(failures).unwrap_or_else(|| Failure::new(Exit::CellFailed, ""))
}
