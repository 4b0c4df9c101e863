//! Badges: one for each implementation, in the JSON that shields.io reads from an endpoint.

use skewer_results::control_characters::escape_line;

use super::model::{Implementation, Scoreboard};
use crate::badge::Badge;

/// Makes the badge of each implementation, with the name of its file.
#[must_use]
pub fn badges(board: &Scoreboard) -> Vec<(String, Badge)> {
    let capabilities = board.capabilities.len();
    board.implementations.iter().map(|implementation| badge(implementation, capabilities)).collect()
}

fn badge(implementation: &Implementation, capabilities: usize) -> (String, Badge) {
    let counts = &implementation.counts;
    let message = match (counts.answered(), counts.wrong) {
        (0, _) => "not run".to_owned(),
        (_, 0) => format!("{} of {capabilities} capabilities", implementation.supported),
        (_, wrong) => {
            let cells = if wrong == 1 { "cell" } else { "cells" };
            format!("{} of {capabilities} capabilities, {wrong} {cells} wrong", implementation.supported)
        }
    };
    let color = match (counts.answered(), counts.wrong) {
        (0, _) => "lightgrey",
        (_, 0) => "brightgreen",
        (answered, wrong) if wrong * 10 <= answered => "yellow",
        _ => "orange",
    };
    let label = format!("Kubernetes patches: {}", escape_line(&implementation.label));
    (file_name(&implementation.label), Badge { schema_version: 1, label, message, color })
}

/// Makes a file name of a label: lower case letters, digits, dots and dashes.
fn file_name(label: &str) -> String {
    let mut name = String::new();
    for c in label.chars() {
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            '.' if !name.is_empty() => name.push(c),
            'A'..='Z' => name.push(c.to_ascii_lowercase()),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    format!("{}.json", name.trim_end_matches('-'))
}
