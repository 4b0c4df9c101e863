//! `skewer schema`: types and their patch metadata. `list` is here; each other subcommand has a file.

mod check;
mod convert;
mod show;
mod witness;

pub(super) use self::check::{refusals_of_established, warn_of_reading};

use clap::{Args, Subcommand};
use skewer_cases::Types;
use skewer_engine::schema::builtin;
use skewer_reports::style::wrap;

use crate::cli::arguments::type_source::TypeSourceArguments;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output::{self, Stream};
use crate::cli::table::render_table;

/// The arguments of `skewer schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the fields of a type and their patch metadata.
    Show(show::ShowArguments),
    /// List the embedded releases, or the kinds of one release or file.
    List(ListArguments),
    /// Convert types to another format.
    Convert(convert::ConvertArguments),
    /// Check a file of types and summarize its content.
    Check(check::CheckArguments),
    /// Show an object that each CEL rule accepts, and one that only this rule refuses.
    Witness(witness::WitnessArguments),
}

pub(super) fn schema(arguments: &SchemaCommand) -> Result {
    match &arguments.command {
        Command::Show(arguments) => show::show(arguments),
        Command::List(arguments) => list(arguments),
        Command::Convert(arguments) => convert::convert(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Witness(arguments) => witness::witness(arguments),
    }
}

/// The arguments of `skewer schema list`.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    source: TypeSourceArguments,
    /// List only names that contain this text, in upper or lower case.
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// List all types, not only the kinds of objects.
    #[arg(long)]
    types: bool,
}

fn list(arguments: &ListArguments) -> Result {
    let text = if arguments.source.is_given() || arguments.types || arguments.text.is_some() {
        list_types(&arguments.source.load()?, arguments)
    } else {
        list_releases()
    };
    output::print(&text).map(|()| Exit::Ok)
}

fn list_releases() -> String {
    let row = |release: &'static builtin::Release| {
        let kinds = release.kinds().sorted().len().to_string();
        let types = release.declarations().types.len().to_string();
        vec![release.name().to_owned(), release.module().to_owned(), kinds, types]
    };
    let rows: Vec<_> = builtin::releases().iter().map(row).collect();
    let newest = builtin::newest().name();
    let text = render_table(&["RELEASE", "FROM", "KINDS", "TYPES"], &rows);
    let hint = format!("`newest` is {newest}; `skewer schema list --release {newest}` lists its kinds.");
    text + "\n" + &wrap(&hint, "", "", Stream::Output.style().line_width())
}

fn list_types(types: &Types, arguments: &ListArguments) -> String {
    let filter = arguments.text.as_deref().unwrap_or_default().to_lowercase();
    let matches = |name: &str| name.to_lowercase().contains(&filter);
    let kinds = types.kinds().sorted();
    // A file does not have to declare which of its types are kinds.
    if arguments.types || kinds.is_empty() {
        let declarations = types.declarations();
        let names = declarations.types.iter().map(|ty| ty.name.as_str()).filter(|name| matches(name));
        return names.fold(String::new(), |text, name| text + name + "\n");
    }
    let rows: Vec<_> = kinds
        .into_iter()
        .filter(|(kind, name)| matches(kind) || matches(name))
        .map(|(kind, name)| vec![kind.to_owned(), name.to_owned()])
        .collect();
    if rows.is_empty() { String::new() } else { render_table(&["KIND", "TYPE"], &rows) }
}
