//! The shrinker of everything that is generated at random.

/// A candidate that a reduction proposes.
#[derive(Debug)]
pub enum Candidate<T> {
    /// A simpler value.
    Simpler(T),
    /// The reduction changes nothing here, or the result is invalid.
    Useless,
    /// There are no more candidates.
    End,
}

impl<T> Candidate<T> {
    /// Builds another value from the candidate. `None` makes the candidate useless.
    pub(crate) fn and_then<U>(self, build: impl FnOnce(T) -> Option<U>) -> Candidate<U> {
        match self {
            Candidate::Simpler(value) => build(value).map_or(Candidate::Useless, Candidate::Simpler),
            Candidate::Useless => Candidate::Useless,
            Candidate::End => Candidate::End,
        }
    }
}

impl<T> From<Option<T>> for Candidate<T> {
    fn from(candidate: Option<T>) -> Self {
        candidate.map_or(Candidate::End, Candidate::Simpler)
    }
}

/// A way to make a value simpler. The function returns the candidate with an index. After a candidate was taken, the next
/// one has the same index.
pub type Reduction<'r, T> = &'r dyn Fn(&T, usize) -> Candidate<T>;

/// Makes a value simpler as long as the predicate holds for a candidate. The predicate must hold for the given value.
pub fn shrink<T>(mut value: T, reductions: &[Reduction<'_, T>], still_holds: &dyn Fn(&T) -> bool) -> T {
    loop {
        let mut has_shrunk = false;
        for reduction in reductions {
            let mut index = 0;
            loop {
                match reduction(&value, index) {
                    Candidate::Simpler(simpler) if still_holds(&simpler) => {
                        value = simpler;
                        has_shrunk = true;
                    }
                    Candidate::Simpler(_) | Candidate::Useless => index += 1,
                    Candidate::End => break,
                }
            }
        }
        if !has_shrunk {
            return value;
        }
    }
}
