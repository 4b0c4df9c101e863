//! The releases of the libraries that apply patches and configurations, and how they differ.

use std::fmt;

/// The behaviour of the libraries with which a Kubernetes release applies patches: the changes of behaviour that they
/// have.
///
/// The libraries are the package `strategicpatch` and the conversion of results in `k8s.io/apimachinery`,
/// `github.com/evanphx/json-patch`, `sigs.k8s.io/structured-merge-diff`, and the field manager of `k8s.io/apiserver`. The files of `strategicpatch` in the releases 1.17, 1.20 to 1.24, 1.26 to 1.28 and
/// 1.37 were compared, and the history of the other libraries was read. Releases before 1.17 are taken to behave as 1.17. A release is its last
/// patch release.
///
/// ```
/// use skewer_engine::patch::{LibraryChange, PatchLibrary};
///
/// let library = PatchLibrary::of_release(24);
/// assert!(library.has(LibraryChange::NullsDiscarded) && !library.has(LibraryChange::DirectivesRemoved));
/// assert_eq!(PatchLibrary::of_release(37), PatchLibrary::NEWEST);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PatchLibrary {
    /// A bit for each change that the library lacks, in the order of [`LibraryChange::ALL`].
    missing: u32,
}

/// A change of the behaviour of the patch library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryChange {
    /// A request that creates an object records its owners. Before 1.18, owners were recorded from the first apply on. Upstream:
    /// `skipNonAppliedManager` (k8s.io/apiserver).
    CreationsTracked,
    /// An apply removes the fields of structs that the applier gives up, and the structs of which it gives up all fields. Before
    /// 1.19, an apply removed only map entries and list items. Upstream: `removingWalker.doMap`, `EnsureNamedFieldsAreMembers`
    /// (structured-merge-diff 4.0.1 and 4.1.0; 1.19.16 has 4.1.2).
    FieldsPruned,
    /// A field that an applier gives up and that an update has written, too, remains. Before 1.19, an apply removed such a field
    /// unless another applier owned it. Upstream: `addBackOwnedItems` (structured-merge-diff 4.0.1).
    UpdatersKeepFields,
    /// An update with one empty entry in its managed fields removes all owners. Before 1.19, the owners of the stored object
    /// remained. Upstream: `isResetManagedFields` (k8s.io/apiserver).
    OwnersReset,
    /// The manager `kubectl` owns what its annotation of client-side apply lists, so that the change to server-side apply has no
    /// conflict. Upstream: `lastAppliedManager` (k8s.io/apiserver 0.19).
    ClientSideOwnersTaken,
    /// The keys of a list item can have defaults. Before 1.20, an item without one of its keys was refused. Upstream:
    /// `keyedAssociativeListItemToPathElement` (structured-merge-diff 4.0.2).
    KeysDefaulted,
    /// A request to a subresource cannot change the managed fields. Before 1.20, those of the request counted. Upstream:
    /// `ignoreManagedFieldsFromRequestObject` (k8s.io/apiserver).
    OwnersOfMainResource,
    /// Fields that the strategy of a resource resets, such as the status, have no owner. Before 1.21, an applier of the main
    /// resource owned the status. Upstream: `ResetFieldsStrategy` (k8s.io/apiserver, kubernetes#99661).
    ResetFieldsUnowned,
    /// An apply orders the items of a list as the configuration does. Before 1.21, the live items kept their order, and new ones
    /// followed. Upstream: `mergingWalker.visitListItems` (structured-merge-diff 4.2.1, which
    /// 1.21.14 has).
    ConfiguredOrder,
    /// A JSON merge patch keeps the null items of its lists. Before 1.22, a server removed them. Upstream:
    /// `pruneAryNulls` of `json-patch` 4.9.
    NullItemsKept,
    /// The owners of fields that a request to a subresource writes have entries of their own. Before 1.22, the entry was that of
    /// the manager for the main resource. Upstream: `ManagedFieldsEntry.Subresource`.
    SubresourcesRecorded,
    /// A list of deletions for a field that the live object lacks, or has with another type, changes nothing. Before
    /// 1.23, the listed values became the value of the field. Upstream: `mergeMap`, the conditions `!isDeleteList`.
    AbsentListsIgnored,
    /// A JSON patch can replace and test the whole document. Before 1.23, a server refused this. (1.22 has `json-patch`
    /// 4.11, and 1.23 has 4.12.) Upstream: `Patch.replace`, `Patch.test`.
    WholeDocumentPatched,
    /// A JSON patch can read a list item by a negative index: in `replace`, `test`, the `from` of `move` and `copy`, and
    /// in the middle of a path. Before 1.23, the library panicked, and the server answered with an error. `add` and
    /// `remove` of such an item always worked. Upstream: `partialArray.get`, `partialArray.set` of `json-patch` 4.11.
    NegativeIndicesRead,
    /// The null entries of a value that the live object lacks are discarded when a patch is applied to an object.
    /// Before 1.24, they were stored, and Go decodes them to zero values. Upstream: `discardNullValuesFromPatch`.
    NullsDiscarded,
    /// The result of a strategic merge patch or server-side apply can have empty bytes. Before 1.26, an empty text was
    /// decoded to no bytes, which are written as null. (1.22 does that, and 1.26 does not.) Upstream:
    /// `sliceFromUnstructured`.
    EmptyBytesKept,
    /// The maps with `$patch` in a value that the live object lacks are not stored. Before 1.28, they were stored with
    /// the directive as a key, which Go drops from a struct and keeps in a map. Upstream: `removeDirectives`.
    DirectivesRemoved,
    /// A list of deletions is deleted from a list that is not merged, too. Before 1.28, it replaced the list. Upstream:
    /// `mergeSliceHandler`, the condition `isDeleteList`.
    AtomicListsDeletedFrom,
    /// A live object can have several list items of one identity. Before 1.29, each apply to such an object was refused, and an
    /// update could not compute the owners. Upstream: `typed.AllowDuplicates` (structured-merge-diff 4.4.1).
    DuplicatesAllowed,
    /// A list item can lack some of its keys. Before 1.34, it was refused, unless the keys had defaults. Upstream:
    /// `keyedAssociativeListItemToPathElement` (structured-merge-diff 6.3.0).
    KeysOptional,
    /// The operation `test` of a JSON patch without a value finds that a member is missing. Before 1.35, the library panicked, and
    /// the server answered with an error. (1.34 has `json-patch` 4.12, and 1.35 has 4.13.) Upstream: `Patch.test`.
    AbsentValuesTested,
    /// A request to the status of a custom resource resets the other fields in the entries of all versions. Before 1.35, those of
    /// other versions kept their owners, and could have conflicts. Upstream: `getStatusResetFields` (k8s.io/apiextensions-apiserver).
    StatusResetsVersions,
    /// A request to the status of a custom resource owns no metadata. Before 1.36, it did. Upstream: `statusStrategy.GetResetFields`
    /// (k8s.io/apiextensions-apiserver).
    StatusResetsMetadata,
    /// An update whose managed fields cannot be computed keeps those of the stored object. Before 1.37, it removed all of
    /// them. Upstream: `FieldManager.UpdateNoErrors`.
    OwnersKept,
}

impl LibraryChange {
    /// All changes, from the oldest to the newest.
    pub const ALL: [LibraryChange; 24] = [
        LibraryChange::CreationsTracked,
        LibraryChange::FieldsPruned,
        LibraryChange::UpdatersKeepFields,
        LibraryChange::OwnersReset,
        LibraryChange::ClientSideOwnersTaken,
        LibraryChange::KeysDefaulted,
        LibraryChange::OwnersOfMainResource,
        LibraryChange::ResetFieldsUnowned,
        LibraryChange::ConfiguredOrder,
        LibraryChange::NullItemsKept,
        LibraryChange::SubresourcesRecorded,
        LibraryChange::AbsentListsIgnored,
        LibraryChange::WholeDocumentPatched,
        LibraryChange::NegativeIndicesRead,
        LibraryChange::NullsDiscarded,
        LibraryChange::EmptyBytesKept,
        LibraryChange::DirectivesRemoved,
        LibraryChange::AtomicListsDeletedFrom,
        LibraryChange::DuplicatesAllowed,
        LibraryChange::KeysOptional,
        LibraryChange::AbsentValuesTested,
        LibraryChange::StatusResetsVersions,
        LibraryChange::StatusResetsMetadata,
        LibraryChange::OwnersKept,
    ];

    /// Returns the minor version of the first Kubernetes release with the change.
    #[must_use]
    pub const fn release(self) -> u32 {
        match self {
            LibraryChange::CreationsTracked => 18,
            LibraryChange::FieldsPruned
            | LibraryChange::UpdatersKeepFields
            | LibraryChange::OwnersReset
            | LibraryChange::ClientSideOwnersTaken => 19,
            LibraryChange::KeysDefaulted | LibraryChange::OwnersOfMainResource => 20,
            LibraryChange::ResetFieldsUnowned | LibraryChange::ConfiguredOrder => 21,
            LibraryChange::NullItemsKept | LibraryChange::SubresourcesRecorded => 22,
            LibraryChange::AbsentListsIgnored
            | LibraryChange::WholeDocumentPatched
            | LibraryChange::NegativeIndicesRead => 23,
            LibraryChange::NullsDiscarded => 24,
            LibraryChange::EmptyBytesKept => 26,
            LibraryChange::DirectivesRemoved | LibraryChange::AtomicListsDeletedFrom => 28,
            LibraryChange::DuplicatesAllowed => 29,
            LibraryChange::KeysOptional => 34,
            LibraryChange::AbsentValuesTested | LibraryChange::StatusResetsVersions => 35,
            LibraryChange::StatusResetsMetadata => 36,
            LibraryChange::OwnersKept => 37,
        }
    }

    /// Returns the name: `nulls-discarded`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LibraryChange::FieldsPruned => "fields-pruned",
            LibraryChange::UpdatersKeepFields => "updaters-keep-fields",
            LibraryChange::KeysDefaulted => "keys-defaulted",
            LibraryChange::ConfiguredOrder => "configured-order",
            LibraryChange::DuplicatesAllowed => "duplicates-allowed",
            LibraryChange::KeysOptional => "keys-optional",
            LibraryChange::CreationsTracked => "creations-tracked",
            LibraryChange::OwnersReset => "owners-reset",
            LibraryChange::ClientSideOwnersTaken => "client-side-owners-taken",
            LibraryChange::OwnersOfMainResource => "owners-of-main-resource",
            LibraryChange::SubresourcesRecorded => "subresources-recorded",
            LibraryChange::ResetFieldsUnowned => "reset-fields-unowned",
            LibraryChange::NullItemsKept => "null-items-kept",
            LibraryChange::AbsentListsIgnored => "absent-lists-ignored",
            LibraryChange::WholeDocumentPatched => "whole-document-patched",
            LibraryChange::NegativeIndicesRead => "negative-indices-read",
            LibraryChange::EmptyBytesKept => "empty-bytes-kept",
            LibraryChange::NullsDiscarded => "nulls-discarded",
            LibraryChange::DirectivesRemoved => "directives-removed",
            LibraryChange::AtomicListsDeletedFrom => "atomic-lists-deleted-from",
            LibraryChange::AbsentValuesTested => "absent-values-tested",
            LibraryChange::StatusResetsVersions => "status-resets-versions",
            LibraryChange::StatusResetsMetadata => "status-resets-metadata",
            LibraryChange::OwnersKept => "owners-kept",
        }
    }

    /// Returns what a library without the change does, as the end of a sentence that begins with the library.
    #[must_use]
    pub const fn before(self) -> &'static str {
        match self {
            LibraryChange::FieldsPruned => "keeps the fields of structs that an applier gives up",
            LibraryChange::UpdatersKeepFields => {
                "removes fields that an update has written, too, if an applier gives them up"
            }
            LibraryChange::KeysDefaulted => "refuses list items that leave out a key with a default",
            LibraryChange::ConfiguredOrder => "keeps the order of live list items in server-side apply",
            LibraryChange::DuplicatesAllowed => {
                "refuses to apply to objects with several list items of one identity"
            }
            LibraryChange::KeysOptional => "refuses list items without one of their keys",
            LibraryChange::CreationsTracked => "records no owners before the first apply",
            LibraryChange::OwnersReset => "ignores an update that resets the managed fields",
            LibraryChange::ClientSideOwnersTaken => {
                "has conflicts where kubectl changes from client-side to server-side apply"
            }
            LibraryChange::OwnersOfMainResource => "takes the managed fields from a request to a subresource",
            LibraryChange::SubresourcesRecorded => {
                "records the owners of a subresource as those of the main resource"
            }
            LibraryChange::ResetFieldsUnowned => "gives the fields that a server resets an owner",
            LibraryChange::StatusResetsVersions => {
                "lets a request to the status conflict with fields that are owned in another version"
            }
            LibraryChange::StatusResetsMetadata => "gives metadata in a request to the status an owner",
            LibraryChange::OwnersKept => "removes all owners if an update cannot compute them",
            LibraryChange::NullItemsKept => "removes the null items of lists in JSON merge patches",
            LibraryChange::WholeDocumentPatched => {
                "refuses JSON patches that replace or test the whole document"
            }
            LibraryChange::NegativeIndicesRead => {
                "refuses JSON patches that read a list item by a negative index"
            }
            LibraryChange::AbsentValuesTested => {
                "refuses JSON patches that test a missing value without a value"
            }
            LibraryChange::EmptyBytesKept => "stores null in place of empty bytes",
            LibraryChange::AbsentListsIgnored => "stores the deletions from a list that the object lacks",
            LibraryChange::NullsDiscarded => "stores the nulls of a value that the object lacks",
            LibraryChange::DirectivesRemoved => "stores the directives of a value that the object lacks",
            LibraryChange::AtomicListsDeletedFrom => {
                "replaces a list that is not merged by the items to delete from it"
            }
        }
    }
}

impl PatchLibrary {
    /// The library with all changes. That of 1.37, the newest release, is the same.
    pub const NEWEST: PatchLibrary = PatchLibrary { missing: 0 };

    /// Returns the library of the release 1.`minor`.
    #[must_use]
    pub fn of_release(minor: u32) -> Self {
        let missing = LibraryChange::ALL.into_iter().filter(|change| change.release() > minor);
        missing.fold(PatchLibrary::NEWEST, PatchLibrary::without)
    }

    /// Returns true if the library has the change.
    #[must_use]
    pub const fn has(self, change: LibraryChange) -> bool {
        self.missing & (1 << change as u32) == 0
    }

    /// Returns the library with the change.
    #[must_use]
    pub const fn with(self, change: LibraryChange) -> Self {
        PatchLibrary { missing: self.missing & !(1 << change as u32) }
    }

    /// Returns the library without the change.
    #[must_use]
    pub const fn without(self, change: LibraryChange) -> Self {
        PatchLibrary { missing: self.missing | 1 << change as u32 }
    }

    /// Returns the changes that the library lacks, from the oldest to the newest.
    pub fn missing_changes(self) -> impl Iterator<Item = LibraryChange> {
        LibraryChange::ALL.into_iter().filter(move |change| !self.has(*change))
    }
}

impl Default for PatchLibrary {
    fn default() -> Self {
        PatchLibrary::NEWEST
    }
}

impl fmt::Debug for PatchLibrary {
    /// Writes the names of the missing changes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PatchLibrary without ")?;
        f.debug_list().entries(self.missing_changes().map(LibraryChange::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_changes_are_in_the_order_of_their_discriminants_and_releases() {
        assert!(LibraryChange::ALL.iter().enumerate().all(|(index, change)| *change as usize == index));
        assert!(LibraryChange::ALL.is_sorted_by_key(|change| change.release()));
    }

    #[rstest]
    #[case::the_oldest_compared(17, LibraryChange::ALL.len(), Some("creations-tracked"))]
    #[case::before_a_change(23, 10, Some("nulls-discarded"))]
    #[case::with_a_change(24, 9, Some("empty-bytes-kept"))]
    #[case::the_last_change(36, 1, Some("owners-kept"))]
    #[case::the_newest(37, 0, None)]
    fn a_release_lacks_the_changes_of_later_releases(
        #[case] minor: u32,
        #[case] count: usize,
        #[case] first: Option<&str>,
    ) {
        let library = PatchLibrary::of_release(minor);
        let missing: Vec<&str> = library.missing_changes().map(LibraryChange::name).collect();
        assert_eq!((missing.len(), missing.first().copied()), (count, first));
        let completed = library.missing_changes().fold(library, PatchLibrary::with);
        assert_eq!(completed, PatchLibrary::NEWEST);
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod merge_tests {
    use rstest::rstest;

    use crate::error::Result;
    use crate::patch::{self, PatchContext};
    use crate::profile::Profile;
    use crate::test_support::{context_of, json};

    const TYPES: &str = r#"
type Root struct {
  Set    []string          `json:"set" patchStrategy:"merge"`
  Atomic []string          `json:"atomic"`
  Items  []Item            `json:"items" patchStrategy:"merge" patchMergeKey:"name"`
  Labels map[string]string `json:"labels"`
  Text   string            `json:"text"`
}
type Item struct {
  Name string `json:"name"`
}
"#;

    fn text(result: Result<crate::OwnedDoc>) -> String {
        result.map_or_else(|error| error.kind().id().to_owned(), |document| document.to_string())
    }

    fn context(minor: u32) -> PatchContext {
        let profile = Profile::Release(minor);
        let (directives, library) = (profile.directives(), profile.library());
        PatchContext { directives, library, ..context_of(TYPES, "Root") }
    }

    /// The last release before a change, its result, and the result of the first release with the change.
    #[rstest]
    #[case::deletions_from_an_absent_list(
        ("{}", r#"{"$deleteFromPrimitiveList/set":["a"]}"#),
        (22, r#"{"set":["a"]}"#, "{}")
    )]
    #[case::deletions_from_a_value_of_another_type(
        (r#"{"set":["a"]}"#, r#"{"$deleteFromPrimitiveList/set":"a"}"#),
        (22, r#"{"set":"a"}"#, r#"{"set":["a"]}"#)
    )]
    #[case::null_in_a_new_value(
        ("{}", r#"{"labels":{"a":null,"b":"c"}}"#),
        (23, r#"{"labels":{"a":null,"b":"c"}}"#, r#"{"labels":{"b":"c"}}"#)
    )]
    #[case::null_in_a_value_of_another_type(
        (r#"{"labels":"x"}"#, r#"{"labels":{"a":null}}"#),
        (23, r#"{"labels":{"a":null}}"#, r#"{"labels":{}}"#)
    )]
    #[case::replacement_of_a_new_map(
        ("{}", r#"{"labels":{"$patch":"replace","a":"b"}}"#),
        (27, r#"{"labels":{"$patch":"replace","a":"b"}}"#, "{}")
    )]
    #[case::deletion_of_a_value_of_another_type(
        (r#"{"labels":"x"}"#, r#"{"labels":{"$patch":"delete"}}"#),
        (27, r#"{"labels":{"$patch":"delete"}}"#, "{}")
    )]
    #[case::deletion_from_a_new_list(
        ("{}", r#"{"items":[{"name":"a"},{"$patch":"delete","name":"b"}]}"#),
        (27, r#"{"items":[{"name":"a"},{"$patch":"delete","name":"b"}]}"#, r#"{"items":[{"name":"a"}]}"#)
    )]
    #[case::deletion_from_a_new_list_with_an_order(
        ("{}", r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"$patch":"delete","name":"b"},{"name":"a"}]}"#),
        (27, r#"{"items":[{"name":"a"},{"$patch":"delete","name":"b"}]}"#, r#"{"items":[{"name":"a"}]}"#)
    )]
    #[case::deletion_from_an_atomic_list(
        (r#"{"atomic":["a","b"]}"#, r#"{"$deleteFromPrimitiveList/atomic":["a","c"]}"#),
        (27, r#"{"atomic":["a","c"]}"#, r#"{"atomic":["b"]}"#)
    )]
    fn applying_a_patch_changed_with_a_release(
        #[case] (live, patch): (&str, &str),
        #[case] (last_before, before, since): (u32, &str, &str),
    ) {
        let apply = |minor| text(patch::apply(&context(minor), &json(live), &json(patch)));
        for minor in [17, last_before] {
            assert_eq!(apply(minor), before, "1.{minor}");
        }
        for minor in [last_before + 1, 37] {
            assert_eq!(apply(minor), since, "1.{minor}");
        }
    }

    /// Patches are combined with their nulls and their lists of deletions. Only their directives depend on the release.
    #[rstest]
    #[case::replacement_of_a_new_map(
        ("{}", r#"{"labels":{"$patch":"replace","a":null}}"#),
        (r#"{"labels":{"$patch":"replace","a":null}}"#, "{}")
    )]
    #[case::deletion_from_a_new_list_with_an_order(
        ("{}", r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"$patch":"delete","name":"b"},{"name":"a"}]}"#),
        (
            r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"name":"a"},{"$patch":"delete","name":"b"}]}"#,
            r#"{"$setElementOrder/items":[{"name":"a"}],"items":[{"name":"a"}]}"#
        )
    )]
    #[case::null_in_a_new_map(
        ("{}", r#"{"labels":{"a":null}}"#),
        (r#"{"labels":{"a":null}}"#, r#"{"labels":{"a":null}}"#)
    )]
    #[case::deletions(
        (r#"{"atomic":["a","b"]}"#, r#"{"$deleteFromPrimitiveList/atomic":["a"],"$deleteFromPrimitiveList/set":["a"]}"#),
        (
            r#"{"$deleteFromPrimitiveList/atomic":["a"],"$deleteFromPrimitiveList/set":["a"],"atomic":["a","b"]}"#,
            r#"{"$deleteFromPrimitiveList/atomic":["a"],"$deleteFromPrimitiveList/set":["a"],"atomic":["a","b"]}"#
        )
    )]
    fn combining_patches_keeps_directives_before_1_28(
        #[case] (first, second): (&str, &str),
        #[case] (before, since): (&str, &str),
    ) {
        let combine = |minor| text(patch::combine(&context(minor), &[json(first), json(second)]));
        for minor in [17, 22, 27] {
            assert_eq!(combine(minor), before, "1.{minor}");
        }
        assert_eq!(combine(28), since);
    }
}
