//! `skewer union check`.

use std::fmt::Write;

use clap::Args;
use skewer_engine::schema::union::{Cardinality, Union};

use crate::cli::arguments::patch_context::TypeSource;
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

/// The arguments of `skewer union check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArguments {
    /// File with Go types, an OpenAPI document or a custom resource definition, or an embedded release
    /// (kubernetes-1.37). The path - is standard input.
    source: TypeSource,
}

/// Runs the command. An invalid union is an error of the file, with its source line.
pub(super) fn check(arguments: &CheckArguments) -> Result {
    let types = arguments.source.load()?;
    let schema = types.schema();
    let mut text = String::new();
    let mut count = 0;
    for name in schema.names() {
        let unions = schema.named(name).map(|ty| schema.unions(ty)).unwrap_or_default();
        for union in unions {
            count += 1;
            describe_union(name, union, &mut text);
        }
    }
    if count == 0 {
        return Err(Failure::new(
            Exit::NothingSelected,
            format!(
                "{} declares no unions: expected +unionDiscriminator and +unionMember or +k8s:unionMember in Go, or \
                 x-kubernetes-unions in OpenAPI",
                types.display_name()
            ),
        ));
    }
    let plural = if count == 1 { "union" } else { "unions" };
    let _ = writeln!(text, "{count} {plural} in {}, all valid", types.display_name());
    output::print(&text)?;
    Ok(Exit::Ok)
}

fn describe_union(type_name: &str, union: &Union, text: &mut String) {
    let cardinality = match union.cardinality() {
        Cardinality::AtMostOne => "at most one member",
        Cardinality::ExactlyOne => "exactly one member",
    };
    let name = if union.name.is_empty() { String::new() } else { format!(" ({})", union.name) };
    let _ = writeln!(text, "{type_name}{name}: {cardinality}");
    match &union.discriminator {
        None => {
            let _ = writeln!(text, "  no discriminator");
        }
        Some(discriminator) => {
            let default = discriminator
                .default
                .as_ref()
                .map(|value| format!(", default {value:?}"))
                .unwrap_or_default();
            let _ = writeln!(text, "  discriminator {}{default}", discriminator.field);
        }
    }
    for member in &union.members {
        let optional = if member.optional { ", may be selected without being set" } else { "" };
        let _ = writeln!(text, "  {:?} selects {}{optional}", member.value.as_str(), member.field);
    }
    for value in union.empty_values() {
        let _ = writeln!(text, "  {value:?} selects no member");
    }
    text.push('\n');
}
