//! Printing of suites in the style of the corpus.

use skewer_yaml::Layout;

use super::{CaseSpec, ExpectationSpec, SuiteSpec};

/// The keys of a suite or a case whose items have a line for each key, or a line of their own.
const LISTS_OF_ENTRIES: [&str; 5] = ["overlays", "ideals", "exclude", "expect", "kep-rows"];

impl SuiteSpec {
    /// Prints the suite as a file. Types that several cases have are written once.
    #[must_use]
    pub fn print(&self) -> String {
        let mut suite = Layout::of(self);
        suite.set_block();
        set_lines_of_entries(&mut suite);
        if let Some(cases) = suite.get_mut("cases") {
            cases.set_block_items();
            cases.items_mut().for_each(set_lines_of_entries);
            Layout::share(cases.items_mut().filter_map(|case| case.get_mut("schema")), "schema");
        }
        suite.print()
    }
}

impl CaseSpec {
    /// Prints the case as an item of the list of cases of a suite.
    #[must_use]
    pub fn print_item(&self) -> String {
        let mut cases = Layout::of(&[self]);
        cases.set_block_items();
        cases.items_mut().for_each(set_lines_of_entries);
        cases.lines(2).iter().flat_map(|line| [line, "\n"]).collect()
    }
}

impl ExpectationSpec {
    /// Prints the lines of the keys of the expectation after this number of columns.
    #[must_use]
    pub fn print_keys(&self, indent: usize) -> Vec<String> {
        let mut expectation = Layout::of(self);
        set_lines_of_final_states(&mut expectation);
        expectation.lines(indent)
    }

    /// Prints the keys of the expectation for a map in flow style.
    #[must_use]
    pub fn print_flow_keys(&self) -> String {
        let map = Layout::of(self).flow();
        map.trim_start_matches('{').strip_suffix('}').unwrap_or(&map).to_owned()
    }
}

fn set_lines_of_entries(part: &mut Layout) {
    if let Some(axes) = part.get_mut("axes") {
        axes.set_block();
    }
    for key in LISTS_OF_ENTRIES {
        if let Some(list) = part.get_mut(key) {
            list.set_block();
        }
    }
    if let Some(expectations) = part.get_mut("expect") {
        expectations.set_block_items();
        expectations.items_mut().for_each(set_lines_of_final_states);
    }
}

fn set_lines_of_final_states(expectation: &mut Layout) {
    if let Some(final_states) = expectation.get_mut("final-states") {
        final_states.set_block();
    }
}
