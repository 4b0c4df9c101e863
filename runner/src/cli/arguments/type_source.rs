//! A source of types: an embedded release or a file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use skewer_cases::Types;
use skewer_engine::schema::builtin::{self, Release};

use crate::cli::failure::Result;
use crate::cli::input::{InputFile, is_standard_input};

/// A source of types.
#[derive(Clone, Debug)]
pub(in crate::cli) enum TypeSource {
    /// An embedded release.
    Release(&'static Release),
    /// A file.
    File(PathBuf),
}

impl FromStr for TypeSource {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match builtin::release(text) {
            Ok(release) => Ok(TypeSource::Release(release)),
            // A file with the name of a release is less likely than a misspelt release.
            Err(error) if text.starts_with("kubernetes-") && !Path::new(text).exists() => {
                Err(error.message().to_owned())
            }
            Err(_) if text.is_empty() => Err("expected a file, or an embedded release".to_owned()),
            Err(_) => Ok(TypeSource::File(PathBuf::from(text))),
        }
    }
}

impl TypeSource {
    pub(super) fn is_standard_input(&self) -> bool {
        matches!(self, TypeSource::File(path) if is_standard_input(path))
    }

    /// Reads the types.
    pub(in crate::cli) fn load(&self) -> Result<Types> {
        Ok(self.load_with_file()?.0)
    }

    /// Reads the types. Also returns the file, if they come from one.
    pub(super) fn load_with_file(&self) -> Result<(Types, Option<InputFile>)> {
        match self {
            TypeSource::Release(release) => Ok((Types::from(*release), None)),
            TypeSource::File(path) => {
                let file = InputFile::read(path)?;
                let types = Types::read(&file.name, &file.bytes)?;
                Ok((types, Some(file)))
            }
        }
    }
}

/// The arguments that select the source of types: a release or a file.
#[derive(Debug, Args)]
pub(in crate::cli) struct TypeSourceArguments {
    /// Use the types of this embedded release. Default: the newest.
    #[arg(long, value_name = "kubernetes-1.N", value_parser = parse_release, conflicts_with = "schema")]
    release: Option<TypeSource>,
    /// Use the types of this file: Go types, an OpenAPI document, or a custom resource definition; - is standard input.
    #[arg(long, value_name = "FILE")]
    schema: Option<TypeSource>,
}

fn parse_release(text: &str) -> std::result::Result<TypeSource, String> {
    builtin::release(text).map(TypeSource::Release).map_err(|error| error.message().to_owned())
}

impl TypeSourceArguments {
    /// Returns true if the user named a source.
    pub(in crate::cli) fn is_given(&self) -> bool {
        self.release.is_some() || self.schema.is_some()
    }

    /// Reads the types.
    pub(in crate::cli) fn load(&self) -> Result<Types> {
        match self.release.as_ref().or(self.schema.as_ref()) {
            Some(source) => source.load(),
            None => Ok(Types::from(builtin::newest())),
        }
    }
}
