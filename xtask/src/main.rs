//! `cargo xtask`: checks for those who work on Skewer. CONTRIBUTING.md describes the lanes `check`, `corpus` and `all`.
//!
//! `cargo xtask rules` checks the rules of ARCHITECTURE.md on the syntax trees of the workspace. Violations that are
//! older than a rule are counted in `xtask/baseline.toml`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

mod baseline;
mod lanes;
mod rules;
mod statistics;
mod table;
#[cfg(test)]
mod test_support;
mod violation;
mod workspace;

use workspace::Workspace;

const USAGE: &str = "usage: cargo xtask COMMAND

  check             format of all files; clippy and unit tests of the crates that differ from main
  corpus SUITE…     runs a part of the corpus as it is on disk, and shows what differs from the last commit
  all               everything that CI does
  rules [OPTION]    the rules of ARCHITECTURE.md; violations that xtask/baseline.toml counts are not reported

Options of rules:
  --list               lists all violations, with those of the baseline
  --statistics         prints the sizes, circles and counts by which the structure is measured
  --arrows             prints the table of arrows as it is in the code
  --update-baseline    lowers the counts of the baseline to those of the code
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            let _ = writeln!(io::stderr(), "error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Returns false if a check fails.
fn run(arguments: &[&str]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the folder xtask has no parent")?;
    let (text, is_ok) = match arguments {
        ["check"] => (String::new(), lanes::check(root)?),
        ["corpus", patterns @ ..] if !patterns.is_empty() => (String::new(), lanes::corpus(root, patterns)?),
        ["all"] => (String::new(), lanes::all(root)?),
        ["rules"] => baseline::check(root, &rules::check(&Workspace::load(root)?))?,
        ["rules", "--list"] => (violation::describe(&rules::check(&Workspace::load(root)?)), true),
        ["rules", "--statistics"] => (statistics::describe(&Workspace::load(root)?), true),
        ["rules", "--arrows"] => (rules::describe_arrows(&Workspace::load(root)?), true),
        ["rules", "--update-baseline"] => baseline::update(root, &rules::check(&Workspace::load(root)?))?,
        _ => (USAGE.to_owned(), false),
    };
    io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(is_ok)
}
