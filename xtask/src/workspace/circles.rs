//! Circles of files: the strongly connected components of the arrows.

use super::arrows::Arrow;

/// Returns the components of more than one file.
pub(super) fn of(files: usize, arrows: &[Arrow]) -> Vec<Vec<usize>> {
    let mut used = vec![Vec::new(); files];
    for arrow in arrows {
        used[arrow.from].push(arrow.to);
    }
    let mut search = Search {
        used,
        index: vec![None; files],
        lowest: vec![0; files],
        stack: Vec::new(),
        is_on_stack: vec![false; files],
        next: 0,
        circles: Vec::new(),
    };
    for file in 0..files {
        if search.index[file].is_none() {
            search.visit(file);
        }
    }
    search.circles.sort_unstable();
    search.circles
}

/// Tarjan's search.
struct Search {
    used: Vec<Vec<usize>>,
    index: Vec<Option<usize>>,
    lowest: Vec<usize>,
    stack: Vec<usize>,
    is_on_stack: Vec<bool>,
    next: usize,
    circles: Vec<Vec<usize>>,
}

impl Search {
    fn visit(&mut self, file: usize) {
        self.index[file] = Some(self.next);
        self.lowest[file] = self.next;
        self.next += 1;
        self.stack.push(file);
        self.is_on_stack[file] = true;
        for used in self.used[file].clone() {
            match self.index[used] {
                None => {
                    self.visit(used);
                    self.lowest[file] = self.lowest[file].min(self.lowest[used]);
                }
                Some(index) if self.is_on_stack[used] => {
                    self.lowest[file] = self.lowest[file].min(index);
                }
                Some(_) => {}
            }
        }
        if self.index[file] == Some(self.lowest[file]) {
            self.close(file);
        }
    }

    fn close(&mut self, first: usize) {
        let start = self.stack.iter().rposition(|file| *file == first).unwrap_or(0);
        let mut circle = self.stack.split_off(start);
        for file in &circle {
            self.is_on_stack[*file] = false;
        }
        if circle.len() > 1 {
            circle.sort_unstable();
            self.circles.push(circle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(arrows: &[[usize; 2]]) -> Vec<Vec<usize>> {
        let arrows: Vec<Arrow> =
            arrows.iter().map(|[from, to]| Arrow { from: *from, to: *to, line: 1 }).collect();
        of(6, &arrows)
    }

    #[test]
    fn arrows_in_one_direction_have_no_circle() {
        assert!(circles(&[[0, 1], [1, 2], [0, 2], [3, 2]]).is_empty());
    }

    #[test]
    fn each_circle_is_found_once() {
        assert_eq!(circles(&[[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 3]]), [vec![0, 1, 2], vec![3, 4]]);
    }
}
