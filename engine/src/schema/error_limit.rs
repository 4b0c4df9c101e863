//! The limit on the number of errors in one source of types.

/// Maximum number of errors that are reported for one source of types. If there are more errors, one further error has
/// the number of errors that are left out.
pub const MAX_ERRORS: usize = 1_000;

/// Removes the errors beyond [`MAX_ERRORS`] and appends an error with their number. `summarize` creates this error from
/// the first removed error and the message.
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

/// Returns the message about a number of errors that are left out.
pub(super) fn more_errors(count: usize) -> String {
    let errors = if count == 1 { "error is" } else { "errors are" };
    format!("{count} more {errors} not listed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_beyond_the_limit_are_replaced_by_their_number() {
        let mut errors: Vec<String> = (0..MAX_ERRORS + 3).map(|i| i.to_string()).collect();
        limit_errors(&mut errors, |first, message| format!("{first}: {message}"));
        assert_eq!(errors.len(), MAX_ERRORS + 1);
        assert_eq!(errors.last().unwrap(), "1000: 3 more errors are not listed");
        let mut few = vec![1; MAX_ERRORS];
        limit_errors(&mut few, |_, _| 0);
        assert_eq!(few, [1; MAX_ERRORS]);
    }
}
