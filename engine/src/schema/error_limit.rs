//! The number of errors that are reported of one source.

/// Maximum number of errors that are reported of one source of types. A last one says how many more there are.
pub const MAX_ERRORS: usize = 1_000;

/// Removes the errors beyond the limit. `summarize` makes the last error of the first that is removed, and of the
/// message that says how many are.
pub(super) fn limit_errors<E>(errors: &mut Vec<E>, summarize: impl FnOnce(E, String) -> E) {
    if errors.len() <= MAX_ERRORS {
        return;
    }
    let removed = errors.len() - MAX_ERRORS;
    errors.truncate(MAX_ERRORS + 1);
    if let Some(first) = errors.pop() {
        errors.push(summarize(first, more_errors(removed)));
    }
}

/// Returns the message of the last error.
pub(super) fn more_errors(count: usize) -> String {
    let errors = if count == 1 { "error is" } else { "errors are" };
    format!("from here on {count} more {errors} not listed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beyond_the_limit_are_counted_in_place_of_the_first_of_them() {
        let mut errors: Vec<String> = (0..MAX_ERRORS + 3).map(|i| i.to_string()).collect();
        limit_errors(&mut errors, |first, message| format!("{first}: {message}"));
        assert_eq!(errors.len(), MAX_ERRORS + 1);
        assert_eq!(errors.last().unwrap(), "1000: from here on 3 more errors are not listed");
        let mut few = vec![1; MAX_ERRORS];
        limit_errors(&mut few, |_, _| 0);
        assert_eq!(few, [1; MAX_ERRORS]);
    }
}
