//! `skewer union check`.

use std::fmt::Write;

use clap::Args;
use skewer_engine::schema::union::{Cardinality, Union};

use super::super::types::Source;
use super::super::{Failure, Result, output};
use crate::exit::Exit;

/// The arguments of `skewer union check`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArguments {
    /// Go types, an OpenAPI document, a CustomResourceDefinition, or a release (kubernetes-1.37).
    source: Source,
}

/// Carries the command out. Rules that are broken come as errors of the file, each with its line.
pub(super) fn check(arguments: &CheckArguments) -> Result {
    let types = arguments.source.load()?;
    let schema = types.schema();
    let mut text = String::new();
    let mut found = 0;
    for name in schema.names() {
        let unions = schema.named(name).map(|ty| schema.unions(ty)).unwrap_or_default();
        for union in unions {
            found += 1;
            describe(name, union, &mut text);
        }
    }
    if found == 0 {
        return Err(Failure::new(
            Exit::NothingSelected,
            format!(
                "{} declares no union: the markers are +unionDiscriminator and +unionMember, or +k8s:unionMember; in \
                 OpenAPI x-kubernetes-unions",
                types.display_name()
            ),
        ));
    }
    let plural = if found == 1 { "union" } else { "unions" };
    let _ = writeln!(text, "{found} {plural} in {}, no rule is broken", types.display_name());
    output::print(&text)?;
    Ok(Exit::Ok)
}

fn describe(of: &str, union: &Union, text: &mut String) {
    let how_many = match union.cardinality() {
        Cardinality::AtMostOne => "at most one member",
        Cardinality::ExactlyOne => "exactly one member",
    };
    let name = if union.name.is_empty() { String::new() } else { format!(" ({})", union.name) };
    let _ = writeln!(text, "{of}{name}: {how_many}");
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
