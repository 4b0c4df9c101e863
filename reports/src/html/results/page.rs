//! The page: a template with the data, the style and the scripts.

use std::io;

use serde::Serialize;
use serde_json::Serializer;

use super::page_data::PageData;
use super::script_safe::ScriptSafeFormatter;
use crate::blocks::html::{article, frame};
use crate::compare::model::Comparison;
use crate::kep::layout::report_blocks;
use crate::kep::model::KepReport;
use crate::run_report::RunReport;

pub(super) const TEMPLATE: &str = include_str!("page.html");
pub(super) const STYLE: &str = include_str!("style.css");

/// The scripts of the page, in one scope. While a script is loaded, it uses only names of the scripts before it; its
/// functions can use all names.
pub(super) const SCRIPTS: [&str; 15] = [
    include_str!("dom.js"),
    include_str!("model.js"),
    include_str!("tones.js"),
    include_str!("families.js"),
    include_str!("skew.js"),
    include_str!("diff.js"),
    include_str!("list.js"),
    include_str!("runs.js"),
    include_str!("questions.js"),
    include_str!("detail.js"),
    include_str!("views.js"),
    include_str!("pages.js"),
    include_str!("changes.js"),
    include_str!("filters.js"),
    include_str!("app.js"),
];

/// Writes the page of a run.
///
/// # Errors
///
/// Errors of writing.
pub fn write(report: &RunReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    write_page(&PageData::of(report.results, &report.page), report.kep.as_ref(), out)
}

/// Writes the page of a comparison: the new run, with the old result of each cell.
///
/// # Errors
///
/// Errors of writing.
pub fn write_comparison(comparison: &Comparison<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    write_page(&PageData::of_comparison(comparison), comparison.kep.as_ref(), out)
}

fn write_page(data: &PageData<'_>, kep: Option<&KepReport>, out: &mut dyn io::Write) -> io::Result<()> {
    frame::write_application("Skewer results", STYLE, out, |out| {
        // The template is split at each `{{name}}` before anything is inserted, so that `{{name}}` in the text of a
        // case is not replaced.
        for part in TEMPLATE.split("{{") {
            let (placeholder, text) = part.split_once("}}").unwrap_or(("", part));
            match placeholder {
                "policies" => write_policies(kep, out)?,
                "data" => data.serialize(&mut Serializer::with_formatter(&mut *out, ScriptSafeFormatter))?,
                "script" => write_scripts(out)?,
                _ => {}
            }
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    })
}

/// Writes the report on KEP-1027 as a template element, which the scripts show as the page of the policies.
fn write_policies(kep: Option<&KepReport>, out: &mut dyn io::Write) -> io::Result<()> {
    let Some(report) = kep else { return Ok(()) };
    // The first heading of the page, of level 1, is the name of the page.
    let article = article(&report_blocks(report), 2);
    writeln!(out, "<template id=\"policies\">\n{}</template>", article.as_str())
}

/// Writes all scripts as one function, so that their names are visible to each other and to nothing else.
fn write_scripts(out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(b"(() => {\n'use strict';\n")?;
    for script in SCRIPTS {
        out.write_all(script.as_bytes())?;
        out.write_all(b"\n")?;
    }
    out.write_all(b"})();\n")
}
