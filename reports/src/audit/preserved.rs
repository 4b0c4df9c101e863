//! A table of clients and situations: is the data preserved?

use super::layout::preserved_table as preserved_blocks;
use super::model::{Audit, Preserved};
use crate::blocks::{self, Block};
use crate::style::Style;

/// Renders the table of an audit for a terminal with at most `width` columns. Empty if no situation was run.
#[must_use]
pub fn preserved_table(audit: &Audit, width: usize) -> String {
    if audit.preserved.is_empty() {
        return String::new();
    }
    let table = blocks::text::document(
        &[Block::Table(preserved_blocks(audit))],
        Style { color: false, width: Some(width) },
    );
    format!("Is the data preserved?\n{table}")
}

impl Preserved {
    /// Returns the word in the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Preserved::Yes => "yes",
            Preserved::Refused => "request refused",
            Preserved::No => "no",
            Preserved::NotRun => "-",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::model::PreservedRow;

    #[test]
    fn a_row_has_the_outcomes_of_a_client() {
        let row = PreservedRow {
            client: "kubectl".to_owned(),
            operation: "apply".to_owned(),
            outcomes: vec![
                ("stored objects".to_owned(), Preserved::No),
                ("old clients".to_owned(), Preserved::NotRun),
            ],
        };
        let audit = Audit { preserved: vec![row], ..Audit::default() };
        let expected = "Is the data preserved?
client   operation  stored objects  old clients
────────────────────────────────────────────────
kubectl  apply      no              -
";
        assert_eq!(preserved_table(&audit, 80), expected);
        // The widest columns get narrower, so that no word is broken.
        let expected = "Is the data preserved?
client   operation  stored   old
                    objects  clients
─────────────────────────────────────
kubectl  apply      no       -
";
        assert_eq!(preserved_table(&audit, 40), expected);
    }
}
