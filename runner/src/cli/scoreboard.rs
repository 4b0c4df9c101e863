//! `skewer scoreboard`.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use clap::Args;
use skewer_reports::clients::{ClientRun, markdown};
use skewer_reports::scoreboard as reports;
use skewer_results::Results;

use crate::cli::arguments::corpus::CorpusArguments;
use crate::cli::arguments::output_path::OutputPath;
use crate::cli::arguments::report::{FormatArgument, read_all_results};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output::{self, Stream};
use crate::execute::{self, CellSelection, ExecutionOptions, StepRecording};
use crate::scoreboard::{
    self, AskedClients, CLIENT_SUITES, Ladder, TOOL_AXIS, answered_tools, submission_faults,
};
use crate::targets::BuiltInTarget;

/// The arguments of `skewer scoreboard`.
#[derive(Debug, Args)]
#[command(
    after_help = "The results of an implementation come from `skewer run --target TARGET implementations/ --steps \
                        --report json=FILE`, or from a run of the whole corpus. Exits with 4 if a results file has no cell \
                        of these suites."
)]
pub(super) struct ScoreboardArguments {
    /// Results files, one for each implementation, in the order of the columns; - is standard input.
    #[arg(required = true)]
    results: Vec<PathBuf>,
    /// Lay out the results of clients on the suites `clients/`, in Markdown: one column for each tool, named after its
    /// results file.
    #[arg(long, conflicts_with_all = ["format", "badges"])]
    clients: bool,
    /// Check that the results of clients can be published: complete, of this version of Skewer with the built-in corpus, and
    /// not edited. If they are, lay them out as `--clients` does.
    #[arg(long, conflicts_with_all = ["format", "badges"])]
    submit: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = FormatArgument::Text)]
    format: FormatArgument,
    /// Also write a badge for each implementation into this folder, in the JSON that shields.io reads.
    #[arg(long, value_name = "FOLDER")]
    badges: Option<PathBuf>,
}

pub(super) fn scoreboard(arguments: &ScoreboardArguments) -> Result {
    let named = read_all_results(arguments.results.iter().map(PathBuf::as_path))?;
    if arguments.submit {
        check_submissions(&named)?;
    }
    if arguments.clients || arguments.submit {
        return clients(&named, &arguments.results);
    }
    let ladder = Ladder::embedded()?;
    check_runs(&ladder, &named)?;
    let runs: Vec<Results> = named.into_iter().map(|(_, run)| run).collect();
    let board = scoreboard::analyze(&ladder, &runs);
    if let Some(folder) = &arguments.badges {
        write_badges(&board, folder)?;
    }
    match arguments.format {
        FormatArgument::Text => Stream::Output.print_styled(&reports::text(&board))?,
        FormatArgument::Markdown => {
            output::print_document(&reports::markdown(&board, &command(&arguments.results, "markdown")))?;
        }
        FormatArgument::Html => {
            output::print_document(&reports::html(&board, &command(&arguments.results, "html")))?;
        }
        FormatArgument::Json => output::print_json(&board)?,
    }
    Ok(Exit::Ok)
}

/// Checks results of clients against the built-in corpus.
fn check_submissions(runs: &[(String, Results)]) -> Result<()> {
    let selection = CellSelection { patterns: vec![CLIENT_SUITES.to_owned()], ..CellSelection::default() };
    let corpus = CorpusArguments { corpus: None }.load_selected(&selection)?;
    let answered: BTreeSet<&str> = runs.iter().flat_map(|(_, results)| answered_tools(results)).collect();
    let (mut tools, mut asked) = (BTreeSet::new(), Vec::new());
    for cell in corpus.cells().filter(|cell| selection.has_cell(cell)) {
        let mut coordinates = cell.coordinates().into_iter();
        let Some((_, tool)) = coordinates.find(|(axis, _)| *axis == TOOL_AXIS) else { continue };
        if answered.contains(tool) {
            asked.push(cell);
        }
        tools.insert(tool.to_owned());
    }
    let mut cells = Vec::new();
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let Ok(()) = execute::run(asked.into_iter(), &BuiltInTarget, &options, |cell| {
        cells.push(cell);
        Ok::<(), Infallible>(())
    });
    let tool_version = env!("CARGO_PKG_VERSION").to_owned();
    let asked = AskedClients { tool_version, corpus_hash: corpus.hash.clone(), tools, cells };
    let failures = runs.iter().flat_map(|(name, results)| {
        let faults = submission_faults(results, &asked);
        faults.into_iter().map(move |fault| Failure::new(Exit::CellFailed, format!("{name}: {fault}")))
    });
    Failure::join(failures).map_or(Ok(()), Err)
}

/// Prints the page of the clients.
fn clients(runs: &[(String, Results)], paths: &[PathBuf]) -> Result {
    let mut columns = Vec::new();
    for ((name, results), path) in runs.iter().zip(paths) {
        if !results.cells.iter().any(|cell| cell.suite.starts_with(CLIENT_SUITES)) {
            let message = format!(
                "{name} has no cell of the suites `{CLIENT_SUITES}`: run `skewer run{} {CLIENT_SUITES} --report json={name}`",
                results.run.target.options.as_deref().unwrap_or_default()
            );
            return Err(Failure::new(Exit::NothingSelected, message));
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        columns.push(ClientRun { name, results });
    }
    let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    let command = format!("skewer scoreboard --clients {}", names.join(" "));
    output::print_document(&markdown(&columns, &command))?;
    Ok(Exit::Ok)
}

/// Returns the command that makes the page from results files.
fn command(results: &[PathBuf], format: &str) -> String {
    let names: Vec<_> = results.iter().map(|path| path.to_string_lossy()).collect();
    let names = shlex::try_join(names.iter().map(AsRef::as_ref)).unwrap_or_else(|_| names.join(" "));
    format!("skewer scoreboard {names} --format {format}")
}

/// Checks that each file says something about the ladder, that all are of one corpus, and that no two are of one
/// implementation.
fn check_runs(ladder: &Ladder, runs: &[(String, Results)]) -> Result<()> {
    let mut known: Vec<(&str, String, &str)> = Vec::new();
    for (name, run) in runs {
        if !run.cells.iter().any(|cell| ladder.has_suite(&cell.suite)) {
            let message = format!(
                "{name} has no cell of the suites `implementations/`, which a scoreboard counts: run `skewer run{} implementations/ --steps --report json={name}`",
                run.run.target.options.as_deref().unwrap_or_default()
            );
            return Err(Failure::new(Exit::NothingSelected, message));
        }
        let implementation = run.run.target.to_string();
        if let Some((other, ..)) = known.iter().find(|(_, known, _)| *known == implementation) {
            let message =
                format!("{name} and {other} are both of {implementation}: expected one file of each");
            return Err(Failure::could_not_run(message));
        }
        if let Some((other, _, hash)) = known.first()
            && *hash != run.run.corpus_hash
        {
            let message = format!(
                "{name} and {other} are of different case files (corpus_hash): run both with the same version of Skewer"
            );
            return Err(Failure::could_not_run(message));
        }
        known.push((name, implementation, &run.run.corpus_hash));
    }
    Ok(())
}

/// Writes the badges. The folder is created if it is missing.
fn write_badges(board: &reports::Scoreboard, folder: &Path) -> Result<()> {
    let failed = |error: std::io::Error| Failure::could_not_run(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, badge) in reports::badges(board) {
        OutputPath::from(folder.join(name)).write(|out| {
            serde_json::to_writer_pretty(&mut *out, &badge)?;
            out.write_all(b"\n")
        })?;
    }
    Ok(())
}
