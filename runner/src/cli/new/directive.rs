//! `skewer new directive`, in two stages: a suite that declares the directive with an adapter that has it, and a directive of
//! the engine.

use std::path::{Path, PathBuf};

use clap::Args;
use skewer_engine::directive;
use skewer_targets::TargetSpec;

use super::files::{NewFile, create, read, replace};
use super::names::DirectiveName;
use crate::cli::arguments::corpus::program;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The files of the first stage: each name with its template.
const DECLARED: [(&str, &str); 2] = [
    ("version-skew.yaml", include_str!("../../../templates/declared-directive/version-skew.yaml")),
    ("adapter.py", include_str!("../../../templates/declared-directive/adapter.py")),
];

const DIRECTIVE: &str = include_str!("../../../templates/directive.rs");
const SUITE: &str = include_str!("../../../templates/directive-suite.yaml");
const LAWS: &str = include_str!("../../../templates/directive-laws.yaml");

/// The files of a checkout that are edited.
const REGISTRY: &str = "engine/src/directive/mod.rs";
const LAWS_RECORD: &str = "runner/trials/data/laws.yaml";

/// The arguments of `skewer new directive`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DirectiveArguments {
    /// Name of the directive in camel case: appendOnly. `$` can be omitted.
    name: String,
    /// Make the directive a part of the engine: write its file, its line in the registry, its suite and the record of its
    /// laws. This works only in a checkout of Skewer, and is for a directive whose matrix and laws are as they should be.
    #[arg(long)]
    in_engine: bool,
}

pub(super) fn directive(arguments: &DirectiveArguments) -> Result {
    let name = DirectiveName::parse(&arguments.name)?;
    if directive::by_name(&format!("${}", name.camel_case)).is_some() {
        let message = format!("the registry has ${}: choose another name", name.camel_case);
        return Err(Failure::could_not_run(message));
    }
    if arguments.in_engine { in_engine(&name) } else { declared(&name) }
}

/// Writes a suite that declares the directive, and an adapter that has it.
fn declared(name: &DirectiveName) -> Result {
    let folder = &name.folder;
    let files = DECLARED.map(|(file, template)| NewFile {
        path: Path::new(folder).join(file),
        content: filled(template, name),
    });
    create(&files)?;
    let program = program();
    let target = TargetSpec::Exec(format!("\"python3 {folder}/adapter.py {program} serve\""));
    let corpus = format!("--corpus {folder}/version-skew.yaml");
    output::print(&format!(
        "created {folder}/version-skew.yaml\ncreated {folder}/adapter.py\n\nnext:\n  {program} run {corpus} \\\n    --target \
         {target}\n  {program} laws {} {corpus} \\\n    --target {target}\n\nwhen both are as they should be, in a checkout of \
         Skewer:\n  {program} new directive {} --in-engine\n",
        name.camel_case, name.camel_case
    ))?;
    Ok(Exit::Ok)
}

/// Makes the edits of the recipe in the guide, with a directive that has no effect yet.
fn in_engine(name: &DirectiveName) -> Result {
    let refuse = |message: String| Failure::could_not_run(message);
    let checkout = find_checkout()?;
    let registry = read(&checkout.join(REGISTRY))?;
    let registry = registered(&registry, name).ok_or_else(|| {
        refuse(format!("{REGISTRY} has no list of modules and no `registry!` in the form that is expected: edit it by hand"))
    })?;
    let laws = read(&checkout.join(LAWS_RECORD))? + &filled(LAWS, name);
    let module = format!("engine/src/directive/{}.rs", name.module);
    let suite = format!("cases/corpus/{}/version-skew.yaml", name.folder);
    create(&[
        NewFile { path: checkout.join(&module), content: filled(DIRECTIVE, name) },
        NewFile { path: checkout.join(&suite), content: filled(SUITE, name) },
    ])?;
    replace(&checkout.join(REGISTRY), &registry)?;
    replace(&checkout.join(LAWS_RECORD), &laws)?;
    output::print(&format!(
        "created {module}\ncreated {suite}\nedited {REGISTRY}\nedited {LAWS_RECORD}\n\nnext, in {}:\n  cargo run -q -- \
         run --corpus cases/corpus {}/\n  cargo run -q -- laws {}\n  SKEWER_UPDATE=1 INSTA_UPDATE=always cargo test \
         --workspace    # generated files\n\nthe hooks of directives: guide/src/contribute/directive.md\n",
        checkout.display(),
        name.folder,
        name.camel_case
    ))?;
    Ok(Exit::Ok)
}

/// Finds the checkout that contains the current folder.
fn find_checkout() -> Result<PathBuf> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::could_not_run(format!("there is no current folder: {error}")))?;
    let is_checkout = |folder: &&Path| [REGISTRY, LAWS_RECORD].iter().all(|file| folder.join(file).is_file());
    let found = current.ancestors().find(is_checkout).map(Path::to_owned);
    found.ok_or_else(|| {
        let message = format!(
            "{} is not in a checkout of the repository of Skewer: clone the repository, and run the command there (a \
             directive is part of the engine)",
            current.display()
        );
        Failure::could_not_run(message)
    })
}

/// Fills in a template. The names in the templates are those of a directive `$exampleDirective`.
fn filled(template: &str, name: &DirectiveName) -> String {
    template
        .replace("exampleDirective", &name.camel_case)
        .replace("ExampleDirective", &format!("{}Directive", name.type_name))
        .replace("example-directive", &name.folder)
}

/// Adds a directive to the text of the registry: its module, in alphabetical order, and its line, before the others.
/// Returns `None` if the text has another form.
fn registered(registry: &str, name: &DirectiveName) -> Option<String> {
    let module = format!("mod {};", name.module);
    let is_module = |line: &str| line.starts_with("mod ") && line.ends_with(';');
    let mut lines: Vec<String> = registry.lines().map(str::to_owned).collect();
    let first = lines.iter().position(|line| is_module(line))?;
    let modules = lines[first..].iter().take_while(|line| is_module(line));
    let position = first + modules.take_while(|line| **line < module).count();
    lines.insert(position, module);
    let list = lines.iter().position(|line| line == "registry! {")?;
    lines.insert(list + 1, format!("    {}::{}Directive,", name.module, name.type_name));
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directive_is_added_to_the_registry() {
        let registry = "mod a_b;\nmod patch;\n\nuse x;\n\nregistry! {\n    a_b::AB,\n}\n";
        let name = DirectiveName::parse("appendOnly").unwrap();
        let expected = "mod a_b;\nmod append_only;\nmod patch;\n\nuse x;\n\nregistry! {\n    \
                        append_only::AppendOnlyDirective,\n    a_b::AB,\n}\n";
        assert_eq!(registered(registry, &name).as_deref(), Some(expected));
        assert_eq!(registered("mod a;\n", &name), None);
    }
}
