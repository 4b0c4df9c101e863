//! `skewer union normalize` and `skewer union validate`.

use std::path::PathBuf;

use clap::Args;
use skewer_engine::OwnedMap;
use skewer_engine::schema::union::Union;
use skewer_engine::union::admit;
use skewer_engine::union::policy::{self, Change, Policy, Violation, WriteKind};

use super::super::document::{Document, OutputArguments};
use super::super::types::PatchContextArguments;
use super::super::{Failure, Result, output};
use crate::exit::Exit;

/// The arguments of both commands.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdmitArguments {
    /// The object as it comes in, JSON or YAML; - is standard input.
    #[arg(long, value_name = "FILE")]
    new: PathBuf,
    /// The object as it is stored; without it the object is created.
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// What the server does with unions: none, legacy, deduce, kep-1027, kep-1027-ratcheting,
    /// discriminator-defaulting, declarative.
    #[arg(long, default_value = "kep-1027", value_parser = policy)]
    policy: &'static dyn Policy,
    #[command(flatten)]
    context: PatchContextArguments,
    #[command(flatten)]
    output: OutputArguments,
}

fn policy(name: &str) -> std::result::Result<&'static dyn Policy, String> {
    policy::by_name(name).ok_or_else(|| {
        let names: Vec<_> = policy::REGISTRY.iter().map(|policy| policy.name()).collect();
        format!("there is {}", names.join(", "))
    })
}

/// A policy without its validation: what it would store if it accepted everything.
#[derive(Debug)]
struct NormalizeOnly(&'static dyn Policy);

impl Policy for NormalizeOnly {
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

/// Prints the normalized object; what was done to it goes to standard error.
pub(super) fn normalize(arguments: &AdmitArguments) -> Result {
    let (documents, context) = read(arguments)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    let admitted = admit(&context, &NormalizeOnly(arguments.policy), old, new.value.clone())
        .map_err(|errors| refused(new, &errors))?;
    arguments.output.print(&admitted.object)?;
    for change in &admitted.changes {
        output::error(&format!("{}: {change}", arguments.policy.name()));
    }
    if admitted.changes.is_empty() {
        output::error(&format!("{}: nothing to normalize", arguments.policy.name()));
    }
    Ok(Exit::Ok)
}

/// Says whether the object is accepted.
pub(super) fn validate(arguments: &AdmitArguments) -> Result {
    let (documents, context) = read(arguments)?;
    let (new, old) = (&documents[0], documents.get(1).map(|document| &document.value));
    match admit(&context, arguments.policy, old, new.value.clone()) {
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
        Err(errors) => Err(refused(new, &errors)),
    }
}

fn read(arguments: &AdmitArguments) -> Result<(Vec<Document>, skewer_engine::patch::PatchContext)> {
    let paths = std::iter::once(arguments.new.as_path()).chain(arguments.old.as_deref());
    let documents = Document::read_list(paths)?;
    let context = arguments.context.load(&documents)?;
    Ok((documents, context))
}

/// All that is wrong, each with its place in the file.
fn refused(document: &Document, errors: &[skewer_engine::Error]) -> Failure {
    let messages: Vec<String> = errors.iter().map(|error| document.refused(error).message).collect();
    Failure::new(Exit::CellFailed, messages.join("\n"))
}
