//! Arguments that say which types are meant.

use clap::Args;
use skewer_cases::Types;
use skewer_engine::schema::builtin;

use super::super::Result;
use super::super::types::Source;

/// Which types: those of a release, or of a file.
#[derive(Debug, Args)]
pub(super) struct SourceArguments {
    /// The types of this embedded release; the newest when left out.
    #[arg(long, value_name = "kubernetes-1.N", value_parser = release, conflicts_with = "schema")]
    release: Option<Source>,
    /// The types of this file: Go types, an OpenAPI document, a custom resource definition; - is standard input.
    #[arg(long, value_name = "FILE")]
    schema: Option<Source>,
}

fn release(text: &str) -> std::result::Result<Source, String> {
    builtin::release(text).map(Source::Release).map_err(|error| error.message().to_owned())
}

impl SourceArguments {
    /// Were types named at all?
    pub(super) fn is_given(&self) -> bool {
        self.release.is_some() || self.schema.is_some()
    }

    /// Reads the types.
    pub(super) fn load(&self) -> Result<Types> {
        match self.release.as_ref().or(self.schema.as_ref()) {
            Some(source) => source.load(),
            None => Ok(Types::from(builtin::newest())),
        }
    }
}
