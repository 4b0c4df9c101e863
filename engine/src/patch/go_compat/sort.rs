//! Go's stable sort, with the same steps as in Go. Some comparisons in upstream are not an order, so that the result
//! depends on the steps of the algorithm.

use std::cmp::Ordering;

use crate::error::Result;

/// Size of the blocks that insertion sort sorts before the blocks are merged.
const BLOCK_SIZE: usize = 20;

/// A comparison that returns true if the first item is less than the second.
type LessThan<'a, T> = dyn Fn(&T, &T) -> Result<bool> + 'a;

/// Sorts items with the algorithm of Go's `sort.Stable`. Insertion sort sorts blocks of [`BLOCK_SIZE`] items, and
/// adjacent blocks are then merged in place (Kim and Kutzner, "Stable Minimum Storage Merging by Symmetric
/// Comparisons").
pub(in crate::patch) fn stable_sort<T>(items: &mut [T], less: &LessThan<'_, T>) -> Result<()> {
    for block in items.chunks_mut(BLOCK_SIZE) {
        insertion_sort(block, less)?;
    }
    let mut size = BLOCK_SIZE;
    while size < items.len() {
        for pair in items.chunks_mut(2 * size).filter(|pair| pair.len() > size) {
            merge_adjacent(pair, size, less)?;
        }
        size *= 2;
    }
    Ok(())
}

fn insertion_sort<T>(items: &mut [T], less: &LessThan<'_, T>) -> Result<()> {
    for end in 1..items.len() {
        let mut index = end;
        while index > 0 && less(&items[index], &items[index - 1])? {
            items.swap(index, index - 1);
            index -= 1;
        }
    }
    Ok(())
}

/// Merges the two sorted parts before and after `middle`. The recursion depth is logarithmic in the number of items.
/// Upstream: `symMerge` (Go package `sort`).
fn merge_adjacent<T>(items: &mut [T], middle: usize, less: &LessThan<'_, T>) -> Result<()> {
    let len = items.len();
    if middle == 1 {
        let to = partition_point(1, len, |index| less(&items[index], &items[0]).map(|less| !less))?;
        items[..to].rotate_left(1);
        return Ok(());
    }
    if len - middle == 1 {
        let to = partition_point(0, middle, |index| less(&items[middle], &items[index]))?;
        items[to..].rotate_right(1);
        return Ok(());
    }
    let half = len / 2;
    let (from, to) = match middle.cmp(&half) {
        Ordering::Greater => (half + middle - len, half),
        _ => (0, middle),
    };
    // Each item is compared with the item at the mirrored index in the other part.
    let opposite = half + middle - 1;
    let start = partition_point(from, to, |index| less(&items[opposite - index], &items[index]))?;
    let end = half + middle - start;
    if start < middle && middle < end {
        items[start..end].rotate_left(middle - start);
    }
    if 0 < start && start < half {
        merge_adjacent(&mut items[..half], start, less)?;
    }
    if half < end && end < len {
        merge_adjacent(&mut items[half..], end - half, less)?;
    }
    Ok(())
}

/// Returns the first index between `from` and `to` for which the predicate is true, found by binary search.
fn partition_point(from: usize, to: usize, holds: impl Fn(usize) -> Result<bool>) -> Result<usize> {
    let (mut from, mut to) = (from, to);
    while from < to {
        let index = usize::midpoint(from, to);
        if holds(index)? {
            to = index;
        } else {
            from = index + 1;
        }
    }
    Ok(from)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rstest::rstest;

    use super::*;

    #[test]
    fn items_with_equal_keys_keep_their_order() {
        for len in [0, 1, 2, 19, 20, 21, 39, 40, 41, 60, 61, 100, 333] {
            let items: Vec<(usize, usize)> = (0..len).map(|index| (index * 7919 % 17, index)).collect();
            let (mut ours, mut expected) = (items.clone(), items);
            stable_sort(&mut ours, &|a, b| Ok(a.0 < b.0)).unwrap();
            expected.sort_unstable();
            assert_eq!(ours, expected, "{len} items");
        }
    }

    /// The expected values are results of Go's `sort.Stable` (Go 1.26) with comparisons that are not an order, on the
    /// items `index * 37 % len`. The first value is the number of comparisons. The second value has the sorted items as
    /// the digits of a number in base 31.
    #[rstest]
    #[case::a_block("or-equal", 20, 118, 2_834_023_862)]
    #[case::a_block_and_one("or-equal", 21, 99, 2_965_623_966)]
    #[case::a_block_and_two("or-equal", 22, 130, 1_092_073_739)]
    #[case::two_blocks("or-equal", 40, 276, 134_614_380)]
    #[case::two_blocks_and_one("or-equal", 41, 288, 4_168_345_264)]
    #[case::many_blocks("or-equal", 161, 1384, 1_637_668_274)]
    #[case::a_block("ring", 20, 127, 1_804_121_098)]
    #[case::a_block_and_one("ring", 21, 98, 93_179_210)]
    #[case::a_block_and_two("ring", 22, 93, 2_888_555_531)]
    #[case::two_blocks("ring", 40, 306, 3_591_305_236)]
    #[case::two_blocks_and_one("ring", 41, 328, 3_956_279_956)]
    #[case::three_blocks("ring", 47, 319, 2_878_705_399)]
    #[case::four_blocks("ring", 64, 210, 272_028_608)]
    #[case::many_blocks("ring", 161, 478, 1_132_220_400)]
    #[case::a_block_and_one("chance", 21, 40, 3_831_580_422)]
    #[case::a_block_and_two("chance", 22, 62, 1_313_653_143)]
    #[case::two_blocks("chance", 40, 85, 979_169_084)]
    #[case::two_blocks_and_one("chance", 41, 89, 1_440_801_910)]
    #[case::four_blocks("chance", 64, 153, 3_402_814_282)]
    #[case::five_blocks("chance", 100, 392, 948_318_552)]
    #[case::many_blocks("chance", 161, 576, 1_965_854_930)]
    #[case::a_block_and_one("always", 21, 195, 4_015_726_670)]
    #[case::two_blocks("always", 40, 385, 3_040_140_652)]
    #[case::many_blocks("always", 161, 1567, 2_344_676_190)]
    fn a_comparison_that_is_not_an_order_gives_the_same_result_as_in_go(
        #[case] comparison: &str,
        #[case] len: u32,
        #[case] comparison_count: u32,
        #[case] digits: u32,
    ) {
        let less = |a: &u32, b: &u32| match comparison {
            "or-equal" => a % 5 <= b % 5,
            "ring" => (b + 4 * 97 - a) % 97 < 49,
            "chance" => (a * 31 + b * 17) % 7 < 3,
            _ => true,
        };
        let calls = Cell::new(0);
        let mut items: Vec<u32> = (0..len).map(|index| index * 37 % len).collect();
        stable_sort(&mut items, &|a, b| {
            calls.set(calls.get() + 1);
            Ok(less(a, b))
        })
        .unwrap();
        let actual_digits = items.iter().fold(0_u32, |sum, item| sum.wrapping_mul(31).wrapping_add(*item));
        assert_eq!((calls.get(), actual_digits), (comparison_count, digits), "{items:?}");
    }
}
