//! The page: its template, styles and scripts, filled with the data.

use std::io;

use serde::Serialize;
use serde_json::Serializer;

use super::page_data::PageData;
use super::script_safe::ScriptSafeFormatter;
use crate::compare::Comparison;
use crate::model::Results;

pub(super) const TEMPLATE: &str = include_str!("page.html");
pub(super) const STYLE: &str = include_str!("style.css");

/// The scripts, in an order in which each uses only what is above it.
pub(super) const SCRIPTS: [&str; 9] = [
    include_str!("dom.js"),
    include_str!("model.js"),
    include_str!("diff.js"),
    include_str!("list.js"),
    include_str!("detail.js"),
    include_str!("views.js"),
    include_str!("pages.js"),
    include_str!("changes.js"),
    include_str!("app.js"),
];

/// Writes the page of a run.
pub fn write(results: &Results, out: &mut dyn io::Write) -> io::Result<()> {
    write_page(&PageData::of(results), out)
}

/// Writes the page of the new run, with what each cell did in the old one.
pub fn write_comparison(comparison: &Comparison<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    write_page(&PageData::of_comparison(comparison), out)
}

fn write_page(data: &PageData<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    // The template is cut at its placeholders before anything is put in, so that no text of a case can be taken for one.
    for part in TEMPLATE.split("{{") {
        let (placeholder, text) = part.split_once("}}").unwrap_or(("", part));
        match placeholder {
            "style" => out.write_all(STYLE.as_bytes())?,
            "data" => data.serialize(&mut Serializer::with_formatter(&mut *out, ScriptSafeFormatter))?,
            "script" => write_scripts(out)?,
            _ => {}
        }
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// All scripts in one function, so that they share names with each other and with nothing else.
fn write_scripts(out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(b"(() => {\n'use strict';\n")?;
    for script in SCRIPTS {
        out.write_all(script.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.write_all(b"})();\n")
}
