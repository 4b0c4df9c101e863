//! `$patch`: replaces or deletes a map or a list instead of merging it.

use super::{Directive, Flow, IntroducedIn, ItemRole, Placement};
use crate::document::{Doc, Map, Text};
use crate::error::{Error, Result};
use crate::patch::list::identity;
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeKeys};
use crate::schema::TypeId;

/// `$patch: replace | delete`, in a map or in an item of a list of maps.
///
/// Source: strategic-merge-patch, "Basic Patch Format". Upstream: `handleDirectiveInMergeMap`,
/// `mergeSliceWithSpecialElements`, `removeDirectives`, `CreateDeleteDirective`.
#[derive(Debug)]
pub(super) struct PatchDirective {
    name: &'static str,
}

/// Name of the directive, as it shipped.
pub(super) const NAME: &str = "$patch";

impl Directive for PatchDirective {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "replaces or deletes a map or a list instead of merging it"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(0)
    }

    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        match patch.remove(self.name) {
            Some(Doc::String(value)) if value == "replace" => *live = std::mem::take(patch),
            // The design document says that the map is deleted. The shipped behaviour leaves an empty map.
            Some(Doc::String(value)) if value == "delete" => *live = Map::new(),
            Some(other) => return Err(self.unknown_value(&other)),
            None => return Ok(Flow::Continue),
        }
        Ok(Flow::Done)
    }

    fn before_merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        if !patch.iter().any(|item| item.as_map().is_some_and(|m| m.contains_key(self.name))) {
            return Ok(());
        }
        let mut merged_items = Vec::with_capacity(patch.len());
        let mut deletions = identity::DeletionKeys::default();
        let mut is_replacement = false;
        for (index, item) in std::mem::take(patch).into_iter().enumerate() {
            let directive = item.as_map().and_then(|m| m.get(self.name));
            match directive.map(|value| value.as_str().unwrap_or_default()) {
                None => merged_items.push(item),
                Some("replace") => is_replacement = true,
                Some("delete") => {
                    deletions.insert(list.merge_keys, &item, live).map_err(|e| e.at_index(index))?;
                }
                Some("merge") => {
                    return Err(Error::invalid_directive(
                        self.name,
                        format!(
                            "{} of a list item must not be merge: omit the directive, because items are merged by default",
                            self.name
                        ),
                    )
                    .at_index(index));
                }
                Some(_) => {
                    return Err(directive
                        .map_or_else(|| self.unknown_value(&item), |value| self.unknown_value(value))
                        .at_index(index));
                }
            }
        }
        deletions.remove_from(list.merge_keys, live)?;
        if is_replacement {
            // A replacement makes the deletions and the other directives of the patch list irrelevant.
            *live = merged_items;
        } else {
            *patch = merged_items;
        }
        Ok(())
    }

    fn item_role(&self, item: &Map) -> Option<ItemRole> {
        item.get(self.name).map(|value| match value.as_str() {
            Some("delete") => ItemRole::Deletion,
            Some("replace") => ItemRole::ListReplacement,
            _ => ItemRole::Invalid,
        })
    }

    fn is_storable(&self, added: &Map) -> bool {
        !added.contains_key(self.name)
    }

    fn diff_directive_value<'d>(
        &self,
        original: &Doc<'d>,
        modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        Some(match (original, modified) {
            (Doc::String(before), Doc::String(after)) => Ok((before != after).then(|| modified.clone())),
            _ => Err(self.unknown_value(if original.as_str().is_some() { modified } else { original })),
        })
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        if change.is_list_of_maps {
            for mut item in std::mem::take(&mut change.deletions) {
                if let Some(map) = item.as_map_mut() {
                    map.insert(Text::from_static(self.name), Doc::from("delete"));
                }
                change.items.push(item);
            }
        }
        Ok(())
    }

    fn has_conflict(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool> {
        // The directive applies to the whole map: two patches agree only if both have the same value.
        match (left, right) {
            (Some(left), Some(right)) => {
                identity::is_same_item(MergeKeys::NONE, left, right).map(|same| !same)
            }
            (left, right) => Ok(left.is_some() != right.is_some()),
        }
    }
}

impl PatchDirective {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        PatchDirective { name }
    }

    /// Creates the error for a value of the directive other than `replace` and `delete`.
    fn unknown_value(&self, value: &Doc) -> Error {
        Error::invalid_directive(
            self.name,
            format!("unknown value {value} of {}: expected replace or delete", self.name),
        )
    }
}

#[cfg(test)]
#[cfg(feature = "go")]
mod tests {
    use super::*;
    use crate::directive::REGISTRY;
    use crate::document::OwnedDoc;
    use crate::error::ErrorKind;
    use crate::patch::{self, DirectiveSet, PatchContext};
    use crate::test_support::{context_of, json};

    const TYPES: &str = r#"
type Root struct {
  List  []Item   `json:"list" patchStrategy:"merge" patchMergeKey:"name"`
  Set   []string `json:"set" patchStrategy:"merge"`
  Plain []Item   `json:"plain"`
}
type Item struct {
  Name  string `json:"name"`
  Value int    `json:"value"`
  Map   *Item  `json:"map"`
}
"#;

    const OTHER: PatchDirective = PatchDirective::named("$other");

    /// Returns patches that have the directive in a map, or in a list with any combination of up to three sample items.
    fn patches() -> Vec<OwnedDoc> {
        let items = [
            r#"{"name":"x","value":1}"#,
            r#"{"name":"y"}"#,
            r#"{"name":"x","$patch":"delete"}"#,
            r#"{"name":"y","$patch":"delete","$setElementOrder/set":[]}"#,
            r#"{"$patch":"replace"}"#,
            r#"{"name":"z","$patch":"merge"}"#,
            r#"{"name":"z","map":{"$patch":"replace","name":"a"}}"#,
        ];
        let keyed = [
            r#"{"name":"x","$patchMergeKey":["name"],"value":2}"#,
            r#"{"name":"x","$patchMergeKey":["name"],"$patch":"delete"}"#,
            r#"{"name":"y","$patchMergeKey":["name"],"$patch":"replace"}"#,
        ];
        let orders =
            ["", r#","$setElementOrder/F":[{"name":"y"},{"name":"x"}]"#, r#","$setElementOrder/F":[]"#];
        let mut lists = Vec::new();
        for choice in [items.as_slice(), keyed.as_slice()] {
            for first in choice {
                lists.push((*first).to_owned());
                for second in choice {
                    lists.push(format!("{first},{second}"));
                    lists.extend(choice.iter().map(|third| format!("{first},{second},{third}")));
                }
            }
        }
        let mut patches = vec![json(r#"{"$patch":"replace","set":["a"]}"#), json(r#"{"$patch":"delete"}"#)];
        for list in &lists {
            for field in ["list", "plain"] {
                let texts =
                    orders.map(|order| format!(r#"{{"{field}":[{list}]{}}}"#, order.replace('F', field)));
                patches.extend(texts.iter().map(|text| json(text)));
            }
        }
        patches
    }

    fn objects() -> [OwnedDoc; 4] {
        [
            "{}",
            r#"{"list":[{"name":"z"}],"plain":[{"name":"z"}]}"#,
            r#"{"list":[{"name":"x"},{"name":"z","map":{"value":1}},{"name":"y","value":3}]}"#,
            // A server that does not know the directive can store its key as data.
            r#"{"list":[{"name":"y","$patch":"delete"},{"name":"x"}],"$patch":"x"}"#,
        ]
        .map(json)
    }

    /// Returns the document with the key `from` renamed to `to` at every depth.
    fn rename(value: &OwnedDoc, from: &str, to: &'static str) -> OwnedDoc {
        match value {
            Doc::Map(map) => {
                let key =
                    |key: &Text<'static>| if *key == from { Text::from_static(to) } else { key.clone() };
                Doc::Map(map.iter().map(|(name, value)| (key(name), rename(value, from, to))).collect())
            }
            Doc::List(items) => Doc::List(items.iter().map(|item| rename(item, from, to)).collect()),
            other => other.clone(),
        }
    }

    /// The result of an operation, or the kind and the path of its error.
    type Comparable = std::result::Result<OwnedDoc, (ErrorKind, String)>;

    /// Applies, combines, creates and compares patches, with an object and a patch as inputs.
    fn results(context: &PatchContext, object: &OwnedDoc, patch: &OwnedDoc) -> [Comparable; 4] {
        let comparable = |result: Result<OwnedDoc>| result.map_err(|e| (e.kind(), e.path().to_string()));
        let conflict = patch::find_conflict(context, object, patch);
        [
            comparable(patch::apply(context, object, patch)),
            comparable(patch::combine(context, &[object.clone(), patch.clone()])),
            comparable(patch::two_way(context, object, patch)),
            match conflict {
                Ok(Some(field)) => Err((ErrorKind::Conflict, field.to_string())),
                other => comparable(other.map(|_| Doc::Null)),
            },
        ]
    }

    fn renamed(results: [Comparable; 4], from: &str, to: &'static str) -> [Comparable; 4] {
        results.map(|result| match result {
            Ok(value) => Ok(rename(&value, from, to)),
            Err((kind, path)) => Err((kind, path.replace(from, to))),
        })
    }

    fn with_directives(directives: DirectiveSet) -> PatchContext {
        PatchContext { directives, ..context_of(TYPES, "Root") }
    }

    #[test]
    fn the_directive_works_under_any_key() {
        let is_patch = |directive: &dyn Directive| directive.name() == NAME;
        let replaced = |d: &'static dyn Directive| if is_patch(d) { &OTHER as &dyn Directive } else { d };
        let other = with_directives(DirectiveSet::of(REGISTRY.iter().copied().map(replaced)));
        let shipped = with_directives(DirectiveSet::all());
        let rename = |value: &OwnedDoc| rename(value, NAME, OTHER.name);
        for object in objects() {
            for patch in patches() {
                let expected = renamed(results(&shipped, &object, &patch), NAME, OTHER.name);
                assert_eq!(results(&other, &rename(&object), &rename(&patch)), expected, "{object} {patch}");
            }
        }
    }

    #[test]
    fn without_the_directive_its_key_is_a_field_like_any_other() {
        let without = with_directives(DirectiveSet::all().without(NAME));
        let rename = |value: &OwnedDoc| rename(value, NAME, OTHER.name);
        for object in objects() {
            for patch in patches() {
                let expected = renamed(results(&without, &object, &patch), NAME, OTHER.name);
                assert_eq!(
                    results(&without, &rename(&object), &rename(&patch)),
                    expected,
                    "{object} {patch}"
                );
            }
        }
    }
}
