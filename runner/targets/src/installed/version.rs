//! Versions of tools.

use std::fmt;

/// A version: major, minor and patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32, pub(super) u32);

impl Version {
    /// Reads the first number of a text such as `go1.26.8` or `Python 3.11.7`, and those that follow it. Missing
    /// numbers are 0. Returns `None` if there is no minor version.
    pub(super) fn find_in(text: &str) -> Option<Version> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let mut numbers = text[start..].splitn(3, '.').map(|part| {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..end].parse::<u32>().ok()
        });
        Some(Version(numbers.next()??, numbers.next()??, numbers.next().flatten().unwrap_or(0)))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)?;
        if self.2 > 0 { write!(f, ".{}", self.2) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("go1.26.8", Some(Version(1, 26, 8)))]
    #[case("1.26", Some(Version(1, 26, 0)))]
    #[case("1.27rc1", Some(Version(1, 27, 0)))]
    #[case("go1.26.0-custom X:nocoverageredesign", Some(Version(1, 26, 0)))]
    #[case("devel go1.27-abcdef", Some(Version(1, 27, 0)))]
    #[case("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", Some(Version(1, 95, 0)))]
    #[case("1", None)]
    #[case("", None)]
    fn versions_are_found_in_texts(#[case] text: &str, #[case] expected: Option<Version>) {
        assert_eq!(Version::find_in(text), expected);
    }

    #[test]
    fn a_patch_release_of_zero_is_left_out() {
        assert_eq!(
            (Version(1, 26, 0).to_string(), Version(1, 26, 8).to_string()),
            ("1.26".into(), "1.26.8".into())
        );
    }
}
