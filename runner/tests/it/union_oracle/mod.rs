//! A second oracle for unions: a decision table that people read out of KEP-1027, compared with every cell of the
//! corpus whose server has the policy `kep-1027` or `kep-1027-ratcheting`.
//!
//! Expectations that are computed by the engine cannot show that the engine is wrong. The table and its interpreter
//! share no code with the policies and with the admission of the engine: of a union they get the names of its
//! declaration, and of a cell the documents of its steps.

mod judge;
mod observed;
mod own_rules;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::LazyLock;

use skewer_engine::ErrorKind;

use self::judge::predict;
use self::observed::{Observation, Observations};
use self::table::{At, Phase, Table, Then};
use crate::helpers::embedded_corpus;

/// The most rows that the table may have, so that a person can check it against the document.
const MAX_ROWS: usize = 40;

static OBSERVATIONS: LazyLock<Observations> = LazyLock::new(|| Observations::of(embedded_corpus()));

fn differences(table: &Table) -> impl Iterator<Item = String> {
    OBSERVATIONS.all.iter().filter_map(|observation| predict(table, observation).difference(observation))
}

#[test]
fn the_engine_does_what_the_table_says() {
    let table = Table::read();
    let different: Vec<String> = differences(&table).collect();
    assert!(
        different.is_empty(),
        "{} cells differ; the first:\n{}",
        different.len(),
        different[..different.len().min(5)].join("\n")
    );
    let mut cells_by_policy: BTreeMap<&str, usize> = BTreeMap::new();
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    for observation in OBSERVATIONS.all.iter().filter(|observation| !observation.sites.is_empty()) {
        *cells_by_policy.entry(observation.policy).or_default() += 1;
        for row in predict(&table, observation).rows {
            *used.entry(row).or_default() += 1;
        }
    }
    let counts: Vec<String> = table
        .rows
        .iter()
        .enumerate()
        .map(|(row, text)| format!("{} {}", used.get(&row).unwrap_or(&0), text.id))
        .collect();
    // The test harness captures the output of `eprintln!` and hides it when the test passes.
    let _ = writeln!(
        std::io::stderr(),
        "union oracle: {cells_by_policy:?} cells with unions compared, 0 differ; {} of {} rows used; before unions \
         matter are refused: {:?}",
        used.len(),
        table.rows.len(),
        OBSERVATIONS.too_early,
    );
    assert_eq!(
        used.len(),
        table.rows.len(),
        "a row that decides on no cell is wrong, or a case is missing:\n{}",
        counts.join("\n")
    );
    assert!(
        cells_by_policy.len() == 2 && cells_by_policy.values().all(|cells| *cells > 500),
        "{cells_by_policy:?}"
    );
}

/// If nobody noticed a wrong row, the comparison would mean nothing.
#[test]
fn each_wrong_row_is_noticed() {
    let right = Table::read();
    assert_eq!(differences(&right).next(), None);
    // A row decides on the observations that use it, and on no others.
    let mut decided: Vec<Vec<&Observation>> = vec![Vec::new(); right.rows.len()];
    for observation in &OBSERVATIONS.all {
        predict(&right, observation).rows.into_iter().for_each(|row| decided[row].push(observation));
    }
    let is_noticed = |table: &Table, row: usize| {
        decided[row].iter().any(|observation| predict(table, observation).difference(observation).is_some())
    };
    let mut unnoticed = Vec::new();
    for row in 0..right.rows.len() {
        for then in wrong_decisions(&right.rows[row].then) {
            let mut wrong = right.clone();
            wrong.rows[row].then = then.clone();
            if right.rows[row].unseen.is_some() {
                assert!(!is_noticed(&wrong, row), "{} can be seen", right.rows[row].id);
            } else if !is_noticed(&wrong, row) {
                unnoticed
                    .push(format!("{}: {then:?} instead of {:?}", right.rows[row].id, right.rows[row].then));
            }
        }
        let mut without = right.clone();
        let removed = without.rows.remove(row);
        if !is_noticed(&without, row) {
            unnoticed.push(format!("{} left out", removed.id));
        }
    }
    assert!(unnoticed.is_empty(), "nobody notices:\n{}", unnoticed.join("\n"));
}

/// Returns decisions of the same phase that differ from the right one.
fn wrong_decisions(right: &Then) -> Vec<Then> {
    let refused = |kind: &str| Then::RefuseWith(kind.to_owned(), At::Struct);
    match right {
        Then::ClearOthers => vec![Then::Keep, Then::ClearAll],
        Then::ClearAll => vec![Then::Keep],
        Then::Accept => vec![refused("union-several-members")],
        Then::RefuseWith(_, at) if *at == At::Struct => {
            vec![Then::Accept, refused("union-unselected-member-set")]
        }
        Then::RefuseWith(kind, _) => vec![Then::Accept, refused(kind)],
        Then::Refuse => vec![Then::Tolerate],
        Then::Tolerate => vec![Then::Refuse],
        Then::Keep => vec![Then::ClearAll],
    }
}

#[test]
fn the_table_is_small_and_well_formed() {
    let table = Table::read();
    assert!(table.rows.len() <= MAX_ROWS, "{} rows", table.rows.len());
    let ids: BTreeSet<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), table.rows.len(), "two rows have the same id");
    for row in &table.rows {
        assert!(
            !row.says.is_empty() && row.reading.as_ref().is_none_or(|reading| !reading.is_empty()),
            "{}",
            row.id
        );
        assert!(!row.named_facts().is_empty(), "{} applies to everything", row.id);
        let phase = match &row.then {
            Then::Keep | Then::ClearOthers | Then::ClearAll => Phase::Normalize,
            Then::Accept | Then::RefuseWith(..) => Phase::Validate,
            Then::Refuse | Then::Tolerate => Phase::Stored,
        };
        assert_eq!(row.phase, phase, "{}", row.id);
        if let Then::RefuseWith(kind, _) = &row.then {
            assert!(ErrorKind::from_id(kind).is_some(), "{}: unknown kind {kind}", row.id);
        }
    }
}
