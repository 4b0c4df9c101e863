//! The preflight for a terminal.

use std::fmt::Write;

use skewer_results::control_characters::escape_line;

use super::model::{ObjectRepair, Preflight, PreflightFinding, RepairCommand};
use crate::audit;
use crate::audit::text::{INDENT, MAX_WIDTH, MIN_WIDTH, wrap, write_finding};

/// Renders a preflight in lines of at most `width` columns, but of 24 to 100 columns if `width` is smaller or larger.
#[must_use]
pub fn text(preflight: &Preflight, width: usize) -> String {
    let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
    let mut out = String::new();
    for finding in &preflight.findings {
        write_finding(&finding.as_lines(), width, &mut out);
        write_repair(finding, &mut out);
    }
    for note in preflight.notes() {
        wrap(&note, 0, width, &mut out);
    }
    wrap(&preflight.totals.line(), 0, width, &mut out);
    out
}

/// Renders the first object of a finding step by step.
#[must_use]
pub fn explain(finding: &PreflightFinding, width: usize) -> String {
    let mut out = audit::explain(&finding.as_lines(), width);
    if finding.repair.is_some() {
        out.push('\n');
    }
    write_repair(finding, &mut out);
    out
}

/// Renders the repair of an object as a script. The arguments of the script are further options of `kubectl`.
#[must_use]
pub fn repair_script(finding: &PreflightFinding, repair: &ObjectRepair) -> String {
    let PreflightFinding { id, cause, path, kind, .. } = finding;
    let title = format!("{cause} {path}").trim_end().to_owned();
    let title = escape_line(&format!("{id}: {title}: {kind} {}", repair.object)).into_owned();
    let RepairCommand { time, line } = &repair.command;
    format!(
        "#!/bin/sh\n# {title}\n# Run it {time}. Options of kubectl can follow: --context NAME\nset -e\n{line} \"$@\"\n"
    )
}

/// Writes the repair on a line of its own, which is not broken, so that a command can be copied.
fn write_repair(finding: &PreflightFinding, out: &mut String) {
    if let Some(repair) = &finding.repair {
        let _ = writeln!(out, "{}repair: {}", " ".repeat(INDENT), escape_line(repair));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Severity;
    use crate::preflight::{NotJudged, Totals};

    fn finding() -> PreflightFinding {
        PreflightFinding {
            id: "P-51c2".to_owned(),
            severity: Severity::Silent,
            cause: "stuck field".to_owned(),
            path: "spec.replicas".to_owned(),
            kind: "Deployment".to_owned(),
            objects: vec!["shop/cart".to_owned(), "shop/search".to_owned()],
            of: 41,
            effects: vec!["helm4 no longer sets it".to_owned()],
            repair: Some("kubectl patch".to_owned()),
            writers: Vec::new(),
            repairs: Vec::new(),
            case: None,
            example: Vec::new(),
        }
    }

    #[test]
    fn a_finding_has_its_objects_and_its_repair() {
        let totals = Totals { judged: 41, unchanged: 39, changed: 2, silent: 2, ..Totals::default() };
        let not_judged = vec![NotJudged { what: "validation".to_owned(), objects: 41 }];
        let preflight = Preflight { findings: vec![finding()], totals, not_judged, ..Preflight::default() };
        let expected = "\
SILENT  stuck field  spec.replicas                                        P-51c2
        helm4 no longer sets it
        2 of 41 Deployments: shop/cart, shop/search
        repair: kubectl patch
not judged: validation (41 objects)
41 objects, 39 unchanged, 2 changed, 2 silently wrong
";
        assert_eq!(text(&preflight, 80), expected);
    }

    #[test]
    fn a_long_list_of_objects_is_cut() {
        let objects = (0..30).map(|number| format!("n/{number}")).collect();
        let names = PreflightFinding { objects, ..finding() }.names();
        assert!(names.ends_with("n/19 and 10 more"), "{names}");
    }
}
