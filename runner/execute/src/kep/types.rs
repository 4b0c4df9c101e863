//! The types of the objects on which an outcome of a row depends.

use std::collections::BTreeSet;

use skewer_reports::Outcome;
use skewer_reports::kep::{CitedRow, RowTypes, TypeDependence};

/// Returns the outcomes of cited rows that custom resources have and built-in types do not have, by row and policy. Rows
/// that were not run with both kinds of types are left out.
pub(super) fn dependences(rows: &[CitedRow], policies: &[String], cited: [u32; 2]) -> Vec<TypeDependence> {
    let outcomes = |row: u32, column: usize, types: RowTypes| -> BTreeSet<Outcome> {
        let rows = rows.iter().filter(|cited| cited.row == row && cited.types == types);
        rows.filter_map(|cited| cited.outcomes[column]).collect()
    };
    let of_row = |row: u32| {
        let of_policy = move |(column, policy): (usize, &String)| {
            let [built_in, custom] = RowTypes::ALL.map(|types| outcomes(row, column, types));
            let depends = !built_in.is_empty() && !custom.is_subset(&built_in);
            depends.then(|| TypeDependence {
                row,
                policy: policy.clone(),
                built_in: built_in.into_iter().collect(),
                custom_resources: custom.into_iter().collect(),
            })
        };
        policies.iter().enumerate().filter_map(of_policy).collect::<Vec<_>>()
    };
    cited.into_iter().flat_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(types: RowTypes, outcomes: [Option<Outcome>; 2]) -> CitedRow {
        CitedRow { row: 39, types, case: "c".to_owned(), about: String::new(), outcomes: outcomes.into() }
    }

    #[test]
    fn a_row_depends_on_the_types_under_the_policies_whose_outcomes_differ() {
        let policies = ["none", "kep-1027"].map(str::to_owned);
        let rows = [
            row(RowTypes::BuiltIn, [Some(Outcome::Lost), Some(Outcome::Refused)]),
            row(RowTypes::BuiltIn, [Some(Outcome::Ignored), Some(Outcome::Refused)]),
            row(RowTypes::CustomResource, [Some(Outcome::Refused), Some(Outcome::Refused)]),
        ];
        let expected = TypeDependence {
            row: 39,
            policy: "none".to_owned(),
            built_in: vec![Outcome::Ignored, Outcome::Lost],
            custom_resources: vec![Outcome::Refused],
        };
        assert_eq!(dependences(&rows, &policies, [34, 39]), [expected]);
        assert_eq!(dependences(&rows[..2], &policies, [34, 39]), [], "it was not run with custom resources");
        assert_eq!(dependences(&rows[2..], &policies, [34, 39]), [], "it was not run with built-in types");
    }
}
