//! `skewer deviations`, and the argument that names a deviation file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use skewer_cases::{Cell, Corpus};

use super::corpus::{CorpusArguments, SelectionArguments};
use super::run::in_pool;
use super::target_options::TargetArguments;
use super::{Failure, Result, output};
use crate::deviations::{self, Deviations, embedded_for_target};
use crate::execute::{self, Options, StepRecording};
use crate::exit::Exit;
use crate::targets::Target;

/// Which deviations are known.
#[derive(Debug, Args)]
pub(super) struct DeviationArguments {
    /// The file with the known deviations of the target, or `none`. Without it, the built-in corpus is held
    /// against the built-in file for the target, if there is one.
    #[arg(long, value_name = "FILE")]
    deviations: Option<PathBuf>,
}

impl DeviationArguments {
    /// Reads what is known of a target.
    pub(super) fn load(&self, target: &dyn Target, corpus: &CorpusArguments) -> Result<Option<Deviations>> {
        let read = match &self.deviations {
            Some(path) if path.as_os_str() == "none" => return Ok(None),
            Some(path) => Some(Deviations::read(&path.display().to_string(), &content(path)?)),
            // The built-in file speaks of the cells of the built-in corpus.
            None if corpus.corpus.is_some() => None,
            None => embedded_for_target(&target.info().name),
        };
        let Some(read) = read else { return Ok(None) };
        let deviations = read.map_err(|errors| Failure::new(Exit::CouldNotRun, errors.to_string()))?;
        let name = target.info().name;
        if deviations.target != name {
            let file = deviations.document().name();
            let message =
                format!("{file} has the deviations of {}, and the target is {name}", deviations.target);
            return Err(Failure::new(Exit::CouldNotRun, message));
        }
        Ok(Some(deviations))
    }
}

fn content(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Failure::new(Exit::CouldNotRun, format!("cannot read {}: {error}", path.display())))
}

/// The arguments of `skewer deviations`.
#[derive(Debug, Args)]
pub(super) struct DeviationsArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    deviations: DeviationArguments,
    /// Rewrite the file from a run of the whole corpus: entries that hold are kept, others dropped, and new ones
    /// added for somebody to explain.
    #[arg(long)]
    fix: bool,
}

/// Carries the command out.
pub(super) fn deviations(arguments: &DeviationsArguments) -> Result {
    let corpus = arguments.corpus.load()?;
    let target = arguments.target.open(None)?;
    let target = &*target;
    if arguments.fix {
        return rewrite_file(arguments, &corpus, target);
    }
    let known = arguments.deviations.load(target, &arguments.corpus)?;
    let cells: Vec<String> =
        arguments.selection.cells(&corpus, &arguments.corpus)?.cells.iter().map(Cell::id).collect();
    let mut text = String::new();
    for entry in known.iter().flat_map(|known| &known.entries) {
        let named: Vec<_> = cells.iter().filter(|id| entry.covers_cell(id)).collect();
        if !named.is_empty() {
            let _ = writeln!(text, "{} cells: {}\n  {}", named.len(), *entry.found, *entry.because);
        }
    }
    if text.is_empty() {
        let _ = writeln!(text, "no deviations of {} are known there", target.info().name);
    }
    output::print(&text)?;
    Ok(Exit::Ok)
}

fn rewrite_file(arguments: &DeviationsArguments, corpus: &Corpus, target: &dyn Target) -> Result {
    let refuse = |message: String| Failure::new(Exit::CouldNotRun, message);
    if !arguments.selection.recorded().is_everything() {
        return Err(refuse(
            "a part of the corpus cannot tell which entries still hold: leave the selection out".to_owned(),
        ));
    }
    // A file that is yet to be made holds nothing.
    let missing = arguments.deviations.deviations.as_ref().is_some_and(|path| !path.exists());
    let known = if missing { None } else { arguments.deviations.load(target, &arguments.corpus)? };
    let path = match (&arguments.deviations.deviations, &known) {
        (Some(path), _) => path.clone(),
        (None, Some(known)) if Path::new(known.document().name()).exists() => {
            PathBuf::from(known.document().name())
        }
        _ => return Err(refuse("say which file to write with --deviations FILE".to_owned())),
    };
    let mut results = Vec::new();
    let options = Options { steps: StepRecording::Never, ..Options::default() };
    in_pool(None, || {
        execute::run(corpus.cells(), target, &options, |cell| {
            results.push(cell);
            Ok::<(), Failure>(())
        })
    })??;
    if let Some(why) = target.permanent_failure() {
        return Err(Failure::new(Exit::TargetFailed, format!("the target {why}; the file stays as it is")));
    }
    let rewritten = deviations::rewrite(&target.info().name, known.as_ref(), &results);
    skewer_reports::file::write_atomically(&path, |out| out.write_all(rewritten.text.as_bytes()))
        .map_err(|error| refuse(format!("cannot write {}: {error}", path.display())))?;
    let mut text = format!("{}: {} cells deviate as before\n", path.display(), rewritten.still_excused);
    for found in &rewritten.dropped {
        let _ = writeln!(text, "dropped: {found}");
    }
    for id in &rewritten.added {
        let _ = writeln!(text, "to be explained: {id}");
    }
    output::print(&text)?;
    Ok(if rewritten.added.is_empty() { Exit::Ok } else { Exit::CellFailed })
}
