//! A table of clients and situations: is the data preserved?

use tabled::builder::Builder;
use tabled::settings::peaker::Priority;
use tabled::settings::{Style, Width};

use super::model::{Audit, Preserved};

/// Renders the table of an audit, in at most `width` columns if the words of its fields fit. Empty if no situation was run.
#[must_use]
pub fn preserved_table(audit: &Audit, width: usize) -> String {
    let Some(first) = audit.preserved.first() else { return String::new() };
    let mut table = Builder::default();
    let columns = first.outcomes.iter().map(|(situation, _)| situation.as_str());
    table.push_record(["client", "operation"].into_iter().chain(columns));
    for row in &audit.preserved {
        let outcomes = row.outcomes.iter().map(|(_, preserved)| preserved.name());
        table.push_record([row.client.as_str(), &row.operation].into_iter().chain(outcomes));
    }
    let mut table = table.build();
    table.with(Style::psql()).with(Width::wrap(width).keep_words(true).priority(Priority::max(true)));
    format!("Is the data preserved?\n{table}\n")
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
    use crate::audit::PreservedRow;

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
 client  | operation | stored objects | old clients 
---------+-----------+----------------+-------------
 kubectl | apply     | no             | -           
";
        assert_eq!(preserved_table(&audit, 80), expected);
        // The widest columns get narrower, so that no word is broken.
        let expected = "Is the data preserved?
 client  | operation | stored   | old      
         |           | objects  | clients  
---------+-----------+----------+----------
 kubectl | apply     | no       | -        
";
        assert_eq!(preserved_table(&audit, 43), expected);
    }
}
