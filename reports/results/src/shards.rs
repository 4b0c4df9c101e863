//! The merge of the results of shards into the results of the whole run.

use std::collections::HashMap;

use crate::model::{Results, Shard};

/// The results of one shard, with the name of the shard in error messages, such as its file.
#[derive(Clone, Debug)]
pub struct ShardResults {
    /// Name of the shard in error messages.
    pub name: String,
    /// Results of the shard.
    pub results: Results,
}

/// The reason why shards cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are no shards.
    #[error("there is nothing to merge")]
    NoShards,
    /// The results are those of a whole run.
    #[error("{name} is not a shard: it was run without --shard")]
    NotAShard {
        /// The name of the results.
        name: String,
    },
    /// A shard has an impossible number, such as 3 of 2.
    #[error("{name} has the impossible shard number {shard}")]
    ImpossibleShard {
        /// The name of the results.
        name: String,
        /// The impossible shard number.
        shard: Shard,
    },
    /// A shard ended early.
    #[error("{name} is partial: its run ended early")]
    PartialShard {
        /// The name of the results.
        name: String,
    },
    /// Two shards are of different runs.
    #[error("{name} differs from {other} in its {what}, so they are shards of different runs")]
    DifferentRuns {
        /// The name of the results.
        name: String,
        /// The name of the first results.
        other: String,
        /// The property in which they differ.
        what: &'static str,
    },
    /// Two shards are the same shard.
    #[error("{name} and {other} are both shard {shard}")]
    DuplicateShard {
        /// The name of the later results.
        name: String,
        /// The name of the earlier results.
        other: String,
        /// The shard that both results are.
        shard: Shard,
    },
    /// Two shards have the same cell.
    #[error("{name} and {other} both have the cell {id}")]
    DuplicateCell {
        /// The name of the later results.
        name: String,
        /// The name of the earlier results.
        other: String,
        /// The id of the cell.
        id: String,
    },
    /// Shards are missing.
    #[error("missing: {}", list_shards(first, *count))]
    MissingShards {
        /// The first missing shards. The list is short, because billions of shards can be missing.
        first: Vec<Shard>,
        /// The number of missing shards.
        count: usize,
    },
    /// All shards are there, but cells are missing, or there are too many.
    #[error("the shards have {found} cells in total (expected {selected}, the number of selected cells)")]
    WrongCellCount {
        /// The number of cells in the shards.
        found: u64,
        /// The number of cells that the run selected.
        selected: u64,
    },
}

/// Merges the shards of one run. The result is that of a single run over the whole selection, with the cells sorted by
/// id.
///
/// # Errors
///
/// All kinds of [`MergeError`].
pub fn merge(shards: Vec<ShardResults>) -> Result<Results, MergeError> {
    let first = shards.first().ok_or(MergeError::NoShards)?;
    let count = validate_shard(first)?.count;
    let mut by_index: HashMap<u32, &ShardResults> = HashMap::new();
    for shard_results in &shards {
        let shard = validate_shard(shard_results)?;
        check_same_run(first, shard_results)?;
        if let Some(other) = by_index.insert(shard.index, shard_results) {
            return Err(MergeError::DuplicateShard {
                name: shard_results.name.clone(),
                other: other.name.clone(),
                shard,
            });
        }
    }
    let missing = count as usize - by_index.len();
    if missing > 0 {
        let indexes = (1..=count).filter(|index| !by_index.contains_key(index)).take(MAX_SHARDS_NAMED);
        let first = indexes.map(|index| Shard { index, count }).collect();
        return Err(MergeError::MissingShards { first, count: missing });
    }
    check_no_duplicate_cells(&shards)?;
    join_cells(shards)
}

/// Maximum number of missing shards that an error names.
const MAX_SHARDS_NAMED: usize = 10;

fn list_shards(first: &[Shard], count: usize) -> String {
    let names: Vec<String> = first.iter().map(|shard| format!("shard {shard}")).collect();
    let more = if count > first.len() { format!(" and {} more", count - first.len()) } else { String::new() };
    names.join(", ") + &more
}

fn validate_shard(shard_results: &ShardResults) -> Result<Shard, MergeError> {
    let name = shard_results.name.clone();
    match shard_results.results.run.selection.shard {
        None => Err(MergeError::NotAShard { name }),
        Some(shard) if shard.index == 0 || shard.index > shard.count => {
            Err(MergeError::ImpossibleShard { name, shard })
        }
        Some(_) if shard_results.results.partial => Err(MergeError::PartialShard { name }),
        Some(shard) => Ok(shard),
    }
}

fn check_same_run(first: &ShardResults, shard_results: &ShardResults) -> Result<(), MergeError> {
    let (one, other) = (&first.results.run, &shard_results.results.run);
    let count = |shard: Option<Shard>| shard.map(|shard| shard.count);
    let differences = [
        ("results version", first.results.version != shard_results.results.version),
        ("number of shards", count(one.selection.shard) != count(other.selection.shard)),
        ("tool version", one.tool_version != other.tool_version),
        ("corpus", one.corpus_hash != other.corpus_hash),
        ("target", one.target != other.target),
        ("patterns", one.selection.patterns != other.selection.patterns),
        ("patterns", one.selection.exact != other.selection.exact),
        ("skipped patterns", one.selection.skip != other.selection.skip),
        ("axes", one.selection.axes != other.selection.axes),
        ("levels", one.selection.levels != other.selection.levels),
        ("issues", one.selection.issues != other.selection.issues),
        ("KEP rows", one.selection.kep != other.selection.kep),
        ("rows", one.selection.kep_rows != other.selection.kep_rows),
        ("number of selected cells", one.selected != other.selected),
    ];
    match differences.into_iter().find(|(_, differs)| *differs) {
        None => Ok(()),
        Some((what, _)) => Err(MergeError::DifferentRuns {
            name: shard_results.name.clone(),
            other: first.name.clone(),
            what,
        }),
    }
}

fn check_no_duplicate_cells(shards: &[ShardResults]) -> Result<(), MergeError> {
    let mut known: HashMap<&str, &str> = HashMap::new();
    for shard_results in shards {
        for cell in &shard_results.results.cells {
            if let Some(other) = known.insert(&cell.id, &shard_results.name) {
                let (name, other, id) = (shard_results.name.clone(), other.to_owned(), cell.id.clone());
                return Err(MergeError::DuplicateCell { name, other, id });
            }
        }
    }
    Ok(())
}

fn join_cells(shards: Vec<ShardResults>) -> Result<Results, MergeError> {
    let mut shards = shards.into_iter();
    let mut merged = shards.next().ok_or(MergeError::NoShards)?.results;
    merged.run.selection.shard = None;
    for shard_results in shards {
        merged.cells.extend(shard_results.results.cells);
        // A fault of the deviation file is reported by each shard, and kept only once.
        for problem in shard_results.results.problems {
            if !merged.problems.contains(&problem) {
                merged.problems.push(problem);
            }
        }
    }
    let found = merged.cells.len() as u64;
    if let Some(selected) = merged.run.selected.filter(|selected| *selected != found) {
        return Err(MergeError::WrongCellCount { found, selected });
    }
    merged.cells.sort_unstable_by(|left, right| left.id.cmp(&right.id));
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::test_support;

    /// Splits the sample run into shards.
    fn shards(count: u32) -> Vec<ShardResults> {
        let mut single = test_support::sample_results();
        single.run.selected = Some(single.cells.len() as u64);
        (1..=count)
            .map(|index| {
                let cells = single.cells.iter().skip(index as usize - 1).step_by(count as usize);
                let mut results = Results::new(single.run.clone(), cells.cloned().collect());
                results.run.selection.shard = Some(Shard { index, count });
                ShardResults { name: format!("{index}.json"), results }
            })
            .collect()
    }

    #[rstest]
    fn shards_merge_to_the_single_run_in_any_order(#[values(1, 2, 3, 20)] count: u32) {
        let mut single = test_support::sample_results();
        single.run.selected = Some(single.cells.len() as u64);
        single.cells.sort_by(|left, right| left.id.cmp(&right.id));
        let mut shards = shards(count);
        shards.reverse();
        assert_eq!(merge(shards), Ok(single));
    }

    #[test]
    fn problems_of_shards_are_problems_of_the_run() {
        let mut shards = shards(3);
        shards[0].results.problems = vec![test_support::problem("a")];
        shards[2].results.problems = vec![test_support::problem("a"), test_support::problem("b")];
        assert_eq!(merge(shards).unwrap().problems, [test_support::problem("a"), test_support::problem("b")]);
    }

    fn refused(change: impl FnOnce(&mut Vec<ShardResults>)) -> String {
        let mut shards = shards(3);
        change(&mut shards);
        merge(shards).unwrap_err().to_string()
    }

    #[test]
    fn missing_and_duplicate_shards_are_errors() {
        assert_eq!(refused(Vec::clear), "there is nothing to merge");
        assert_eq!(refused(|shards| shards.truncate(1)), "missing: shard 2/3, shard 3/3");
        assert_eq!(refused(|shards| shards[2] = shards[0].clone()), "1.json and 1.json are both shard 1/3");
        assert_eq!(
            refused(|shards| shards[2].results.cells = shards[0].results.cells.clone()),
            "3.json and 1.json both have the cell retain-keys/version-skew/switch-member[client=old,server=old]"
        );
        assert_eq!(
            refused(|shards| {
                shards[1].results.cells.pop();
            }),
            "the shards have 11 cells in total (expected 12, the number of selected cells)"
        );
    }

    #[test]
    fn a_file_that_claims_billions_of_shards_costs_nothing() {
        let message = refused(|shards| {
            shards.truncate(1);
            shards[0].results.run.selection.shard = Some(Shard { index: 1, count: u32::MAX });
        });
        assert!(message.ends_with("shard 11/4294967295 and 4294967284 more"), "{message}");
    }

    #[test]
    fn results_that_are_not_a_whole_shard_are_errors() {
        assert_eq!(
            refused(|shards| shards[1].results.run.selection.shard = None),
            "2.json is not a shard: it was run without --shard"
        );
        assert_eq!(
            refused(|shards| shards[1].results.run.selection.shard = Some(Shard { index: 4, count: 3 })),
            "2.json has the impossible shard number 4/3"
        );
        assert_eq!(
            refused(|shards| shards[1].results.run.selection.shard = Some(Shard { index: 0, count: 3 })),
            "2.json has the impossible shard number 0/3"
        );
        assert_eq!(
            refused(|shards| shards[1].results.partial = true),
            "2.json is partial: its run ended early"
        );
    }

    #[rstest]
    #[case("number of shards", |results: &mut Results| results.run.selection.shard = Some(Shard { index: 2, count: 2 }))]
    #[case("tool version", |results: &mut Results| results.run.tool_version.push('1'))]
    #[case("corpus", |results: &mut Results| results.run.corpus_hash.push('1'))]
    #[case("target", |results: &mut Results| results.run.target.version = None)]
    #[case("patterns", |results: &mut Results| results.run.selection.patterns.push("x".into()))]
    #[case("axes", |results: &mut Results| results.run.selection.axes.push("a=b".into()))]
    #[case("patterns", |results: &mut Results| results.run.selection.exact = true)]
    #[case("skipped patterns", |results: &mut Results| results.run.selection.skip.push("x".into()))]
    #[case("issues", |results: &mut Results| results.run.selection.issues.push("1".into()))]
    #[case("rows", |results: &mut Results| results.run.selection.kep_rows = vec![24])]
    #[case("KEP rows", |results: &mut Results| results.run.selection.kep = true)]
    #[case("levels", |results: &mut Results| results.run.selection.levels.push(crate::vocabulary::Level::Required))]
    #[case("number of selected cells", |results: &mut Results| results.run.selected = None)]
    #[case("results version", |results: &mut Results| results.version = 0)]
    fn shards_of_different_runs_are_an_error(#[case] what: &str, #[case] change: fn(&mut Results)) {
        assert_eq!(
            refused(|shards| change(&mut shards[1].results)),
            format!("2.json differs from 1.json in its {what}, so they are shards of different runs")
        );
    }
}
