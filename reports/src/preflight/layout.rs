//! The preflight as blocks: a table of findings, and what each of them does, folded up.

use super::model::{Preflight, PreflightFinding};
use crate::audit::layout::severity_badge;
use crate::blocks::{
    self, Block, Column, Details, Line, Table, code, heading, link, list, paragraph, plain, strong,
};

/// Renders a preflight in Markdown, for a pull request.
#[must_use]
pub fn markdown(preflight: &Preflight) -> String {
    blocks::markdown::document(&report_blocks(preflight), 2)
}

/// Renders a preflight as a page.
#[must_use]
pub fn html(preflight: &Preflight) -> String {
    blocks::html::page(&report_blocks(preflight))
}

fn report_blocks(preflight: &Preflight) -> Vec<Block> {
    let mut blocks = vec![
        heading(1, plain("Skewer: preflight")),
        paragraph([code(&preflight.step), plain(format!(": {}", preflight.totals.line()))]),
    ];
    if !preflight.findings.is_empty() {
        let columns = Column::texts(["severity", "cause", "path", "objects", "id"]);
        let rows = preflight.findings.iter().map(row);
        blocks.push(Block::Table(Table::new(columns).with(rows)));
    }
    blocks.extend(preflight.findings.iter().map(details));
    let lines: Vec<Line> = preflight.notes().map(|line| plain(line).into()).collect();
    if !lines.is_empty() {
        blocks.push(list(lines));
    }
    blocks
}

fn row(finding: &PreflightFinding) -> [Line; 5] {
    [
        severity_badge(finding.severity).into(),
        plain(&finding.cause).into(),
        code(&finding.path).into(),
        plain(finding.share()).into(),
        link(finding.id.clone(), code(&finding.id)).into(),
    ]
}

fn details(finding: &PreflightFinding) -> Block {
    let effects = finding.sentences().map(|effect| Line::from(plain(effect)));
    let repair = finding.repair.iter().map(|repair| Line::from([strong("Repair: "), code(repair)]));
    let mut content = vec![list(effects.chain(repair))];
    for (index, step) in finding.example.iter().enumerate() {
        content.push(paragraph([strong(format!("Step {}: ", index + 1)), plain(&step.about)]));
        if !step.document.is_empty() {
            content.push(Block::Code("yaml", step.document.clone()));
        }
    }
    let summary = [code(&finding.id), plain(format!(" {} ", finding.cause)), code(&finding.path)];
    Block::Details(Details { summary: summary.into(), anchor: Some(finding.id.clone()), content })
}
