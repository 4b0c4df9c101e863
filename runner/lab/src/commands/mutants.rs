//! `skewer-lab mutants`.

use clap::Args;
use skewer_execute::execute::pattern_matches;
use skewer_reports::MutantFormat;
use skewer_reports::mutants::{self as reports, Ideals};
use skewer_reports::style::wrap;
use skewer_trials::random_testing::Random;

use crate::mutants::equivalences::Equivalences;
use crate::mutants::{self, Baseline, Mutant, RunOptions};
use skewer::cli::arguments::corpus::CorpusArguments;
use skewer::cli::arguments::report::{ReportArgument, check_paths, stream_beside};
use skewer::cli::arguments::selection::SelectionArguments;
use skewer::cli::failure::{Failure, Result};
use skewer::cli::output::{self, Stream};
use skewer::cli::progress::Progress;
use skewer::cli::workers::{parse_jobs, thread_count, with_threads};
use skewer::exit::Exit;

/// The arguments of `skewer-lab mutants`.
#[derive(Debug, Args)]
pub(super) struct MutantsArguments {
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    /// Only mutants whose names match this pattern: text that is contained in the name, or a pattern with `*` that
    /// matches the whole name. Can be given several times.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Only N of these mutants, chosen at random.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of the random choice.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Compute the ideals with the mutant as well, as if the engine itself had the defect. Only a pinned document, error
    /// or outcome notices such a mutant.
    #[arg(long)]
    mutated_ideals: bool,
    /// Print the names of the mutants, and what they change, instead of running them.
    #[arg(long)]
    list: bool,
    /// Write a report to a file, as json or markdown; can be given several times. With the path -, the report goes to
    /// standard output, and the table to standard error.
    #[arg(long = "report", value_name = "FORMAT=PATH", conflicts_with = "list")]
    reports: Vec<ReportArgument<MutantFormat>>,
    /// Number of threads, at most 256. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
}

/// Runs the command.
pub(super) fn mutants(arguments: &MutantsArguments) -> Result {
    check_paths(&arguments.reports)?;
    let equivalences =
        Equivalences::built_in().map_err(|errors| Failure::of_files(Exit::CouldNotRun, &[errors]))?;
    let corpus = arguments.corpus.load()?;
    let cells = arguments.selection.select_cells(&corpus, &arguments.corpus)?.cells;
    let threads = thread_count(arguments.jobs, cells.len());
    let failure = |error: mutants::BaselineError| Failure::new(Exit::CellFailed, error.to_string());
    let progress = Progress::of_activity("running the cells without a mutation");
    let baseline = with_threads(threads, || Baseline::of(cells))?.map_err(failure)?;
    drop(progress);
    let all = mutants::all(&baseline);
    let number = all.len();
    let chosen = arguments.choose(all)?;
    if arguments.list {
        return list(&chosen);
    }
    // A record of the built-in corpus says nothing about other cells.
    let is_complete = chosen.len() == number && arguments.is_whole_corpus();
    let progress = Progress::of(chosen.len() as u64, "mutants");
    let ideals = if arguments.mutated_ideals { Ideals::Mutated } else { Ideals::Unchanged };
    let options = RunOptions { equivalences: &equivalences, is_complete, ideals };
    let run = || mutants::run(&baseline, chosen, options, |_| progress.add(1));
    let report = with_threads(threads, run)?;
    drop(progress);
    for argument in &arguments.reports {
        argument.path.write(|out| argument.format.write(&report, out))?;
    }
    stream_beside(&arguments.reports).print(&reports::text(&report))?;
    Ok(if report.has_faults() { Exit::CellFailed } else { Exit::Ok })
}

impl MutantsArguments {
    /// Returns true if all cells of the built-in corpus are selected.
    fn is_whole_corpus(&self) -> bool {
        self.corpus.corpus.is_none() && self.selection.is_everything()
    }

    /// Returns the mutants to run. Fails if no mutant has a wanted name.
    fn choose(&self, mut mutants: Vec<Mutant>) -> Result<Vec<Mutant>> {
        let is_wanted = |mutant: &Mutant| {
            self.only.is_empty() || self.only.iter().any(|pattern| pattern_matches(pattern, mutant.name()))
        };
        mutants.retain(is_wanted);
        if mutants.is_empty() {
            let message = format!(
                "no mutant matches `{}`; `skewer-lab mutants --list` prints all names",
                self.only.join(" ")
            );
            return Err(Failure::new(Exit::NothingSelected, message));
        }
        if let Some(sample) = self.sample {
            let mut order: Vec<usize> = (0..mutants.len()).collect();
            Random::new(self.seed, RANDOM_PURPOSE, 0).shuffle(&mut order);
            order.truncate(sample);
            let mut index = 0;
            mutants.retain(|_| {
                index += 1;
                order.contains(&(index - 1))
            });
        }
        Ok(mutants)
    }
}

/// The purpose of the random numbers, which keeps them apart from those of other commands.
const RANDOM_PURPOSE: u64 = 0x6d75_7461;

fn list(mutants: &[Mutant]) -> Result {
    let width = Stream::Output.style().line_width();
    let mut text = String::new();
    for mutant in mutants {
        text.extend([mutant.name(), "\n", &wrap(mutant.about(), "    ", "    ", width)]);
    }
    output::print(&text)?;
    Ok(Exit::Ok)
}
