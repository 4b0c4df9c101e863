//! `skewer schema convert`.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use skewer_cases::Types;
use skewer_engine::Error;
use skewer_engine::document::OwnedDoc;
use skewer_engine::schema::openapi;

use crate::cli::arguments::type_source::TypeSource;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The arguments of `skewer schema convert`.
#[derive(Debug, Args)]
pub(super) struct ConvertArguments {
    /// File with Go types, an OpenAPI document or a custom resource definition, or an embedded release
    /// (kubernetes-1.32). The path - is standard input.
    #[arg(value_name = "FILE")]
    source: TypeSource,
    /// Output format.
    #[arg(long, value_name = "FORM", value_enum)]
    to: Form,
    /// Group, version and kind of the custom resource: example.com/v1/CronTab.
    #[arg(long, value_name = "GROUP/VERSION/KIND", required_if_eq("to", "crd"))]
    kind: Option<ResourceKind>,
    /// Type of the custom resource. Default: the type that is declared for --kind, or that has the name of the kind.
    #[arg(long = "type", value_name = "TYPE", requires = "kind")]
    root: Option<String>,
}

/// The group, version and kind of a custom resource: `example.com/v1/CronTab`.
#[derive(Clone, Debug)]
struct ResourceKind {
    group: String,
    version: String,
    kind: String,
}

impl FromStr for ResourceKind {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split('/').collect();
        match parts.as_slice() {
            [group, version, kind] if parts.iter().all(|part| !part.is_empty()) => Ok(ResourceKind {
                group: (*group).to_owned(),
                version: (*version).to_owned(),
                kind: (*kind).to_owned(),
            }),
            _ => Err("expected a group, a version and a kind: example.com/v1/CronTab"),
        }
    }
}

impl ResourceKind {
    /// Returns a `CustomResourceDefinition` of this resource.
    fn define(&self, types: &Types, root: Option<&str>) -> Result<OwnedDoc> {
        let ResourceKind { group, version, kind } = self;
        let failed = |error: Error| Failure::could_not_run(error.message());
        let whole = format!("{group}/{version}/{kind}");
        let resolve = |name: &str| types.resolve(name).map(str::to_owned);
        let root = match root {
            Some(root) => resolve(root),
            None => resolve(&whole).or_else(|_| resolve(kind)),
        };
        let names = openapi::CustomResource { group, version, kind };
        openapi::write_custom_resource(&types.declarations(), &root.map_err(failed)?, names).map_err(failed)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// An `OpenAPI` v2 document.
    #[value(name = "openapi-v2")]
    OpenApiV2,
    /// An `OpenAPI` v3 document.
    #[value(name = "openapi-v3")]
    OpenApiV3,
    /// A `CustomResourceDefinition` for the resource named by --kind.
    Crd,
    /// Skewer's internal declarations, without loss of information.
    Json,
}

pub(super) fn convert(arguments: &ConvertArguments) -> Result {
    let types = arguments.source.load()?;
    let declarations = types.declarations();
    match arguments.to {
        Form::OpenApiV2 => output::print_json(&openapi::write_v2(&declarations.with_published_kinds()))?,
        Form::OpenApiV3 => output::print_json(&openapi::write_v3(&declarations.with_published_kinds()))?,
        Form::Crd => {
            let kind = arguments
                .kind
                .as_ref()
                .ok_or_else(|| Failure::could_not_run("--to crd needs --kind GROUP/VERSION/KIND"))?;
            output::print_json(&kind.define(&types, arguments.root.as_deref())?)?;
        }
        Form::Json => output::print_json(&*declarations)?,
    }
    Ok(Exit::Ok)
}
