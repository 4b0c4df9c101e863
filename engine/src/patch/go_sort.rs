//! The comparisons and moves of Go's stable sort, for orders that are none: there the result is what the algorithm
//! makes of them, and upstream's is Go's.

use std::cmp::Ordering;

use crate::error::Result;

/// How many items are sorted by insertion before anything is merged.
const BLOCK: usize = 20;

/// Is the first less than the second?
type Less<'a, T> = dyn Fn(&T, &T) -> Result<bool> + 'a;

/// Sorts as `sort.Stable` does: insertion sort of blocks, then merging of neighbours in place (Kim and Kutzner,
/// "Stable Minimum Storage Merging by Symmetric Comparisons").
pub(super) fn stable<T>(items: &mut [T], less: &Less<'_, T>) -> Result<()> {
    for block in items.chunks_mut(BLOCK) {
        insertion(block, less)?;
    }
    let mut size = BLOCK;
    while size < items.len() {
        for pair in items.chunks_mut(2 * size).filter(|pair| pair.len() > size) {
            merge(pair, size, less)?;
        }
        size *= 2;
    }
    Ok(())
}

fn insertion<T>(items: &mut [T], less: &Less<'_, T>) -> Result<()> {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && less(&items[at], &items[at - 1])? {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
    Ok(())
}

/// Merges the sorted parts before and behind `middle`. The depth of the recursion is the logarithm of the length.
fn merge<T>(items: &mut [T], middle: usize, less: &Less<'_, T>) -> Result<()> {
    let len = items.len();
    if middle == 1 {
        let to = first(1, len, |at| less(&items[at], &items[0]).map(|less| !less))?;
        items[..to].rotate_left(1);
        return Ok(());
    }
    if len - middle == 1 {
        let to = first(0, middle, |at| less(&items[middle], &items[at]))?;
        items[to..].rotate_right(1);
        return Ok(());
    }
    let half = len / 2;
    let (from, to) = match middle.cmp(&half) {
        Ordering::Greater => (half + middle - len, half),
        _ => (0, middle),
    };
    // Items are compared with those that stand opposite, seen from the middle of both parts.
    let opposite = half + middle - 1;
    let start = first(from, to, |at| less(&items[opposite - at], &items[at]))?;
    let end = half + middle - start;
    if start < middle && middle < end {
        items[start..end].rotate_left(middle - start);
    }
    if 0 < start && start < half {
        merge(&mut items[..half], start, less)?;
    }
    if half < end && end < len {
        merge(&mut items[half..], end - half, less)?;
    }
    Ok(())
}

/// The first place that holds, by bisection.
fn first(from: usize, to: usize, holds: impl Fn(usize) -> Result<bool>) -> Result<usize> {
    let (mut from, mut to) = (from, to);
    while from < to {
        let at = usize::midpoint(from, to);
        if holds(at)? {
            to = at;
        } else {
            from = at + 1;
        }
    }
    Ok(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_an_order_is_sorted_and_equal_items_stay() {
        for len in [0, 1, 2, 19, 20, 21, 39, 40, 41, 60, 61, 100, 333] {
            let items: Vec<(usize, usize)> = (0..len).map(|at| (at * 7919 % 17, at)).collect();
            let (mut ours, mut expected) = (items.clone(), items);
            stable(&mut ours, &|a, b| Ok(a.0 < b.0)).unwrap();
            expected.sort_unstable();
            assert_eq!(ours, expected, "{len} items");
        }
    }
}
