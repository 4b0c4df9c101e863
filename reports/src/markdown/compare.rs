//! Two runs compared.

use std::fmt::Write as _;

use super::escape::{block, code, code_outside_tables, html, prose};
use super::limit::Options;
use crate::compare::{Change, Comparison, Group, Spread, Verdict};
use crate::model::Cell;
use crate::pivot::Mark;

/// How many cells stand under each heading, then the cells that got worse, each folded up, and a table of the
/// others under each heading.
#[must_use]
pub fn comparison(comparison: &Comparison<'_>, options: Options) -> String {
    let mut text = format!("## Skewer: {}\n\n|", prose(&comparison.headline()));
    for (name, _) in comparison.counts() {
        let _ = write!(text, " {name} |");
    }
    let _ = write!(text, "\n|{}\n|", "--:|".repeat(comparison.counts().len()));
    for (_, count) in comparison.counts() {
        let _ = write!(text, " {count} |");
    }
    text.push('\n');
    for note in &comparison.notes {
        let _ = writeln!(text, "\n> {}", prose(&note.to_string()));
    }
    by_suite(&mut text, &comparison.worse_by_suite());
    let sections = sections(comparison);
    options.fill(&mut text, sections.into_iter());
    text
}

/// The most values of an axis that a table names.
const VALUES_NAMED: usize = 6;

/// Where the cells lie that got worse: suite by suite, and on each axis how many of how many.
fn by_suite(text: &mut String, groups: &[Group<'_>]) {
    if groups.is_empty() {
        return;
    }
    text.push_str("\n| suite | worse | of | was → is | on the axes |\n|:--|--:|--:|:--|:--|\n");
    for group in groups {
        let moves: Vec<String> =
            group.moves.iter().map(|(was, is, count)| format!("{count} {was} → {is}")).collect();
        let axes: Vec<String> = group.axes.iter().map(spread).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            code(group.suite),
            group.changes.len(),
            group.of,
            moves.join("<br>"),
            axes.join("<br>")
        );
    }
}

/// `client`: `new` 3 of 4, `old` 1 of 4.
fn spread(spread: &Spread<'_>) -> String {
    let named = spread.values.iter().take(VALUES_NAMED);
    let mut values: Vec<String> =
        named.map(|(value, worse, of)| format!("{} {worse} of {of}", code(value))).collect();
    if spread.values.len() > VALUES_NAMED {
        values.push(format!("{} more values", spread.values.len() - VALUES_NAMED));
    }
    format!("{}: {}", code(spread.axis), values.join(", "))
}

/// Every cell under its heading; a heading stands with its first cell.
fn sections(comparison: &Comparison<'_>) -> Vec<String> {
    let mut sections = Vec::new();
    under(&mut sections, "Worse", "\n", comparison.worse.iter().map(worse));
    let change = |change: &Change<'_>| {
        let [old, new] = [change.old, change.new].map(|cell| Mark::of(cell).to_string());
        let differing = if change.verdict == Verdict::Level { change.differing() } else { Vec::new() };
        format!("| {} | {old} | {new} | {} |\n", code(&change.new.id), differing.join(", "))
    };
    let head = "\n| cell | was | is | differs in |\n|:--|:--|:--|:--|\n";
    under(&mut sections, "Better", head, comparison.better.iter().map(change));
    under(&mut sections, "Changed", head, comparison.changed.iter().map(change));
    let alone = |cell: &&Cell| format!("| {} | {} |\n", code(&cell.id), Mark::of(cell));
    under(&mut sections, "New", "\n| cell | is |\n|:--|:--|\n", comparison.new.iter().map(alone));
    under(&mut sections, "Gone", "\n| cell | was |\n|:--|:--|\n", comparison.gone.iter().map(alone));
    let renamed = |change: &Change<'_>| {
        let [old, new] = [change.old, change.new].map(Mark::of);
        let marks = if old == new { new.to_string() } else { format!("{old}, now {new}") };
        let sign = if change.verdict == Verdict::Worse { "❌ " } else { "" };
        format!("| {} | {} | {sign}{marks} |\n", code(&change.old.id), code(&change.new.id))
    };
    let head = "\n| was | is | |\n|:--|:--|:--|\n";
    under(&mut sections, "Renamed", head, comparison.renamed.iter().map(renamed));
    sections
}

fn under(sections: &mut Vec<String>, heading: &str, head: &str, entries: impl Iterator<Item = String>) {
    sections.extend(entries.enumerate().map(|(index, entry)| match index {
        0 => format!("\n### {heading}\n{head}{entry}"),
        _ => entry,
    }));
}

fn worse(change: &Change<'_>) -> String {
    let (old, new) = (change.old, change.new);
    let [was, is] = [old, new].map(|cell| Mark::of(cell).to_string());
    let id = html(&new.id);
    let mut text = format!("<details><summary><code>{id}</code> {was} → {is}</summary>\n\n");
    if let Some(location) = &new.location {
        let _ = writeln!(text, "- at: {}", code_outside_tables(&location.to_string()));
    }
    if let Some(because) = &new.because {
        let _ = writeln!(text, "- because: {}", prose(because));
    }
    text.push('\n');
    if let Some(message) = &new.message {
        let _ = writeln!(text, "{}", block("text", message));
    }
    if let Some(diff) = change.diff() {
        let _ = writeln!(text, "{}", block("diff", &diff));
    }
    if let Some(rerun) = &new.rerun {
        let _ = writeln!(text, "{}", block("sh", rerun));
    }
    text.push_str("</details>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_whole_comparison() {
        let (old, new) = samples::two_runs();
        insta::assert_snapshot!(comparison(&Comparison::of(&old, &new), Options::default()));
    }

    #[test]
    fn a_limit_is_kept_and_says_so() {
        let (old, new) = samples::two_runs();
        let compared = Comparison::of(&old, &new);
        let whole = comparison(&compared, Options::default());
        for limit in [700, 900, whole.len() - 1] {
            let text = comparison(&compared, Options { limit: Some(limit) });
            assert!(text.len() <= limit && text.contains("no room here"), "{limit}: {text}");
        }
    }
}
