//! The command line of `skewer-lab`.

mod clients;
mod coverage;
mod mutants;
mod preflight;
mod reach;
mod recall;
mod releases;
mod witnesses;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use skewer::cli::failure::Result;
use skewer::cli::output::ColorChoice;
use skewer::cli::program::{self, ProgramArguments};

/// Tests of Skewer itself, for those who work on it.
#[derive(Debug, Parser)]
#[command(name = "skewer-lab", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to colour the output, as in `skewer`.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate objects with histories, let the real code of a tool apply the next manifest to each, and say where it ends
    /// in another way than the model of the tool.
    Clients(clients::ClientsArguments),
    /// Report which statements and examples of the design documents, and which error kinds, the cases show; fail on a gap.
    Coverage(coverage::CoverageArguments),
    /// Test the corpus: run it on semantic mutants of the engine, and report which cells notice them.
    Mutants(mutants::MutantsArguments),
    /// Generate objects with histories on an API server, and say where the next step of a tool ends in another way than
    /// `skewer preflight` says.
    Preflight(preflight::PreflightArguments),
    /// Look for an object with each element of definitions, and let an API server check the objects.
    Reach(reach::ReachArguments),
    /// Make known changes at random places of definitions, and say which ones `skewer audit` finds; fail if one is missed.
    Recall(recall::RecallArguments),
    /// Run the corpus and random requests on the API servers of all installed Kubernetes releases, and say what differs.
    Releases(releases::ReleasesArguments),
    /// Look for an object that each CEL rule of definitions refuses, and let an API server check the objects.
    Witnesses(witnesses::WitnessesArguments),
}

impl ProgramArguments for Arguments {
    fn color(&self) -> ColorChoice {
        self.color
    }

    fn run(&self) -> Result {
        match &self.command {
            Command::Clients(arguments) => clients::clients(arguments),
            Command::Coverage(arguments) => coverage::coverage(arguments),
            Command::Mutants(arguments) => mutants::mutants(arguments),
            Command::Preflight(arguments) => preflight::preflight(arguments),
            Command::Reach(arguments) => reach::reach(arguments),
            Command::Recall(arguments) => recall::recall(arguments),
            Command::Releases(arguments) => releases::releases(arguments),
            Command::Witnesses(arguments) => witnesses::witnesses_of_files(arguments),
        }
    }
}

/// Runs the command line. The first of the `arguments` is the name of the program.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    program::main::<Arguments>(arguments)
}
