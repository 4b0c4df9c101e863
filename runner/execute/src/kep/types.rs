//! The types of the objects on which an outcome depends: of a row, and of a point.

use std::collections::{BTreeMap, BTreeSet};

use skewer_reports::kep::{CitedRow, RowTypes, TypeComparison, TypeDependence, TypeDifference};
use skewer_results::{Cell, Outcome, Results};

use super::matrix::{POLICY, RELEASE, TYPES, TYPES_SUITE, row_types};

/// The axes by which differences are listed.
const LISTED: [&str; 4] = ["union", "client", "server", "operation"];

/// Compares the outcomes of custom resources with those of built-in types at the same points. Built-in types have no release:
/// a custom resource on a server of any release is compared with the same one.
pub(super) fn compare(results: &Results) -> TypeComparison {
    let cells = || results.cells.iter().filter(|cell| &*cell.suite == TYPES_SUITE);
    let of_types = |types| cells().filter(move |cell| row_types(cell) == types);
    let others = |cell: &Cell| -> Vec<String> {
        let axes = cell.axes.iter().filter(|(axis, _)| ![TYPES, RELEASE].contains(axis));
        axes.map(|(axis, value)| format!("{axis}={value}")).collect()
    };
    let built_in: BTreeMap<Vec<String>, Option<Outcome>> =
        of_types(RowTypes::BuiltIn).map(|cell| (others(cell), cell.outcome)).collect();
    let mut comparison = TypeComparison::default();
    let mut differing: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for cell in of_types(RowTypes::CustomResource) {
        let Some((built_in, custom)) = built_in.get(&others(cell)).copied().flatten().zip(cell.outcome)
        else {
            continue;
        };
        comparison.points += 1;
        if built_in == custom {
            continue;
        }
        let value = |axis: &str| cell.axes.get(axis).unwrap_or_default().to_owned();
        let key = (LISTED.map(value), value(POLICY), built_in, custom);
        differing.entry(key.clone()).or_default().insert(value(RELEASE));
        *counts.entry(key).or_default() += 1;
    }
    for (key, releases) in differing {
        let points = counts.get(&key).copied().unwrap_or_default();
        let ([union, client, server, operation], policy, built_in, custom_resource) = key;
        let releases = releases.into_iter().collect();
        let parties = TypeDifference {
            union,
            client,
            server,
            operation,
            policy,
            releases,
            built_in,
            custom_resource,
            points,
        };
        comparison.differences.push(parties);
    }
    comparison
}

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
