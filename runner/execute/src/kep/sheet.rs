//! The rows of the KEP's sheet, as sets of points of the matrix.

use std::collections::{BTreeMap, BTreeSet};

use skewer_reports::kep::{CitedRow, RowTypes, SHEET_DIMENSIONS, SheetRow};
use skewer_results::Results;

use super::matrix::{Matrix, Point};
use super::policies::{count_by_policy, count_outcomes};

/// The rows that the KEP cites. All other rows are reconstructed.
const CITED: [u32; 8] = [12, 16, 22, 23, 27, 28, 34, 39];

/// Returns the rows that cells of the matrix cover, in the order of the sheet, and then the cited rows with custom resources.
pub(super) fn rows(results: &Results, matrix: &Matrix, cited: &[CitedRow]) -> Vec<SheetRow> {
    let mut points: BTreeMap<u32, BTreeSet<Point>> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| !cell.kep.is_empty()) {
        let Some(point) = Point::of(cell) else { continue };
        for row in &cell.kep {
            points.entry(*row).or_default().insert(point.clone());
        }
    }
    let row = |(row, points): (&u32, &BTreeSet<Point>)| SheetRow {
        row: *row,
        types: RowTypes::BuiltIn,
        is_cited: CITED.contains(row),
        points: points.len(),
        dimensions: dimensions(points),
        policies: count_by_policy(matrix, |point| points.contains(point)),
    };
    let custom: Vec<&CitedRow> = cited.iter().filter(|row| row.types == RowTypes::CustomResource).collect();
    let of_custom = custom.chunk_by(|a, b| a.row == b.row).map(|cases| {
        let counts = |(column, policy): (usize, &String)| {
            count_outcomes(policy, cases.iter().filter_map(|case| case.outcomes[column]))
        };
        SheetRow {
            row: cases[0].row,
            types: RowTypes::CustomResource,
            is_cited: true,
            points: cases.len(),
            dimensions: points.get(&cases[0].row).map(dimensions).unwrap_or_default(),
            policies: matrix.policies.iter().enumerate().map(counts).collect(),
        }
    });
    points.iter().map(row).chain(of_custom).collect()
}

/// Returns the values that the points of a row have, in the order of [`SHEET_DIMENSIONS`].
fn dimensions(points: &BTreeSet<Point>) -> Vec<String> {
    let values_of = |dimension: &str| {
        let values: BTreeSet<&str> = points
            .iter()
            .filter_map(|point| match dimension {
                "union" => Some(point.union.description()),
                axis => point.axes.get(axis).map(String::as_str),
            })
            .collect();
        values.into_iter().collect::<Vec<_>>().join(" or ")
    };
    SHEET_DIMENSIONS.map(values_of).to_vec()
}

#[cfg(test)]
mod tests {
    use skewer_cases::Corpus;

    use super::*;

    #[test]
    fn the_corpus_marks_the_same_rows_as_cited() {
        let corpus = Corpus::embedded_suites(|suite| suite == super::super::SUITE).unwrap();
        let cases = corpus.suites.iter().flat_map(|suite| &suite.cases);
        let cited: BTreeSet<u32> = cases.flat_map(|case| case.cited_kep_rows().collect::<Vec<_>>()).collect();
        assert_eq!(cited, BTreeSet::from(CITED));
    }

    #[test]
    fn every_row_of_the_sheet_is_in_the_corpus() {
        let corpus = Corpus::embedded_suites(|suite| suite == super::super::SUITE).unwrap();
        let rows: BTreeSet<u32> = corpus.cells().flat_map(|cell| cell.kep_rows()).collect();
        assert_eq!(rows, (1..=39).collect());
    }
}
