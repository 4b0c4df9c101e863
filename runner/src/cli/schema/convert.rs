//! `skewer schema convert`.

use clap::{Args, ValueEnum};
use skewer_engine::schema::openapi;

use super::super::document::pretty;
use super::super::types::Source;
use super::super::{Failure, Result, output};
use crate::exit::Exit;

/// The arguments of `skewer schema convert`.
#[derive(Debug, Args)]
pub(super) struct ConvertArguments {
    /// Go types, an OpenAPI document, a custom resource definition, or an embedded release (kubernetes-1.32);
    /// - is standard input.
    #[arg(value_name = "FILE")]
    source: Source,
    /// What is written.
    #[arg(long, value_name = "FORM", value_enum)]
    to: Form,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// An `OpenAPI` v2 document.
    #[value(name = "openapi-v2")]
    OpenApiV2,
    /// An `OpenAPI` v3 document.
    #[value(name = "openapi-v3")]
    OpenApiV3,
    /// The declarations as Skewer holds them, with everything that the source says.
    Json,
}

/// Carries the command out.
pub(super) fn convert(arguments: &ConvertArguments) -> Result {
    let types = arguments.source.load()?;
    let declarations = types.declarations();
    let text = match arguments.to {
        Form::OpenApiV2 => pretty(&openapi::write_v2(&declarations.with_published_kinds())),
        Form::OpenApiV3 => pretty(&openapi::write_v3(&declarations.with_published_kinds())),
        Form::Json => {
            let written = serde_json::to_string_pretty(declarations);
            written.map_err(|error| Failure::new(Exit::CouldNotRun, error.to_string()))? + "\n"
        }
    };
    output::print(&text)?;
    Ok(Exit::Ok)
}
