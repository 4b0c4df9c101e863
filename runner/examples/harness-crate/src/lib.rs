//! The API of backups: the definitions of the custom resource `Backup` in two releases.
//!
//! Release 1.1 adds a field, `spec.retention`, and gives each target of a backup an owner of its own: the list
//! `spec.targets` becomes a map with the key `name`. The cases in `tests/skew` say what this does to clients and servers of
//! release 1.0. `cargo test` runs each of their cells as a test.

/// The definition that release 1.0 installs.
pub const RELEASE_1_0: &str = include_str!("../crd/backups-1.0.yaml");

/// The definition that release 1.1 installs.
pub const RELEASE_1_1: &str = include_str!("../crd/backups-1.1.yaml");

#[cfg(test)]
mod tests {
    use super::{RELEASE_1_0, RELEASE_1_1};

    #[test]
    fn both_releases_have_the_same_resource() {
        let name = |definition: &str| {
            definition.lines().find(|line| line.starts_with("metadata:")).map(str::to_owned)
        };
        assert_eq!(name(RELEASE_1_0).as_deref(), Some("metadata: {name: backups.example.com}"));
        assert_eq!(name(RELEASE_1_0), name(RELEASE_1_1));
    }
}
