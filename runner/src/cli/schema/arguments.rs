//! The arguments `--release` and `--schema`, which select the source of types.

use clap::Args;
use skewer_cases::Types;
use skewer_engine::schema::builtin;

use crate::cli::arguments::patch_context::TypeSource;
use crate::cli::failure::Result;

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
