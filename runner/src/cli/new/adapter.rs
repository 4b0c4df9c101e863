//! `skewer new adapter`.

use std::path::Path;

use clap::{Args, ValueEnum};
use skewer_targets::TargetSpec;

use super::files::{NewFile, create};
use super::names::check_adapter;
use crate::cli::arguments::corpus::program;
use crate::cli::exit::Exit;
use crate::cli::failure::Result;
use crate::cli::output;

/// The name of the adapter in the templates.
const EXAMPLE_NAME: &str = "example-adapter";

const DEVIATIONS: &str = include_str!("../../../templates/adapter/deviations.yaml");

/// The arguments of `skewer new adapter`.
#[derive(Debug, Args)]
pub(in crate::cli) struct AdapterArguments {
    /// Name of the implementation, and of the folder that is created: my-library.
    name: String,
    /// Language of the adapter.
    #[arg(long, value_name = "LANGUAGE", value_enum)]
    language: Language,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Go,
    /// For Node.js.
    Javascript,
    Python,
}

impl Language {
    /// Returns the files of the adapter: each name with its template.
    fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Language::Go => &[
                ("main.go", include_str!("../../../templates/adapter/main.go")),
                ("go.mod", include_str!("../../../templates/adapter/go.mod")),
            ],
            Language::Javascript => {
                &[("adapter.mjs", include_str!("../../../templates/adapter/adapter.mjs"))]
            }
            Language::Python => &[("adapter.py", include_str!("../../../templates/adapter/adapter.py"))],
        }
    }

    /// Returns the command that starts the adapter, and the command that builds it first, if there is one.
    fn commands(self, name: &str) -> (String, Option<String>) {
        match self {
            Language::Go => (format!("{name}/adapter"), Some(format!("go build -C {name} -o adapter ."))),
            Language::Javascript => (format!("node {name}/adapter.mjs"), None),
            Language::Python => (format!("python3 {name}/adapter.py"), None),
        }
    }
}

pub(super) fn adapter(arguments: &AdapterArguments) -> Result {
    let name = &arguments.name;
    check_adapter(name)?;
    let deviations = ("deviations.yaml", DEVIATIONS);
    let templates = arguments.language.files().iter().copied().chain([deviations]);
    let files: Vec<NewFile> = templates
        .map(|(file, template)| NewFile {
            path: Path::new(name).join(file),
            content: template.replace(EXAMPLE_NAME, name),
        })
        .collect();
    create(&files)?;
    let created: Vec<String> =
        files.iter().map(|file| format!("created {}\n", file.path.display())).collect();
    let (start, build) = arguments.language.commands(name);
    let target = TargetSpec::Exec(format!("\"{start}\""));
    let build = build.map_or_else(String::new, |build| format!("  {build}\n"));
    let program = program();
    output::print(&format!(
        "{}\nnext:\n{build}  {program} target check {target}\n  {program} run --target {target} \\\n    \
         --deviations {name}/deviations.yaml upstream/json-merge\n\nthe protocol: runner/adapters/PROTOCOL.md in the \
         repository of Skewer\n",
        created.concat()
    ))?;
    Ok(Exit::Ok)
}
