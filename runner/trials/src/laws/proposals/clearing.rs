//! Proposals that clear the fields that the map of a patch does not contain.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior". Without a directive: 1., the bad example.
//! `$keepAbsent: true`: 2., the bad example. `$clearAbsent: true`: 2., the good example, taken literally; retain-keys
//! suggests the same as a fix for its first alternative: "a different key, e.g. retainKeys: true". `$clearAllBut: [field,
//! …]`: the same good example, in the form of retain-keys: "a new patch will have the same content as the old patch and an
//! additional new directive".

use skewer_engine::directive::{
    Directive, DirectiveSet, Flow, IntroducedIn, MapScope, Placement, target_field,
};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Error, Map, Result, Text};

use crate::laws::format_change::FormatChange;

pub(super) fn absent_cleared() -> FormatChange {
    FormatChange {
        name: "absent fields cleared",
        ..clearing(
            &ClearingDirective { name: "$absentCleared", form: ClearingForm::Always },
            "every patch clears the fields that it does not contain, without a directive: the document's bad example \
             of a new meaning",
        )
    }
}

pub(super) fn keep_absent() -> FormatChange {
    clearing(
        &ClearingDirective { name: "$keepAbsent", form: ClearingForm::UnlessTrue },
        "a patch clears the fields that it does not contain, unless it has $keepAbsent: the document's bad example of \
         a new directive",
    )
}

pub(super) fn clear_absent() -> FormatChange {
    clearing(
        &ClearingDirective { name: "$clearAbsent", form: ClearingForm::IfTrue },
        "a map with $clearAbsent clears the fields that it does not contain, so that it must contain the unmodified \
         fields: the document's good example of a new directive, taken literally",
    )
}

pub(super) fn clear_all_but() -> FormatChange {
    clearing(
        &ClearingDirective { name: "$clearAllBut", form: ClearingForm::AllButListed },
        "$clearAllBut clears the fields that it does not list: the document's good example of a new directive, with \
         the names of the unmodified fields instead of the fields",
    )
}

fn clearing(directive: &'static ClearingDirective, about: &'static str) -> FormatChange {
    FormatChange { replaces: &["$retainKeys"], ..FormatChange::proposed(directive, about) }
}

#[derive(Debug)]
struct ClearingDirective {
    name: &'static str,
    form: ClearingForm,
}

/// How a patch says whether absent fields are cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClearingForm {
    /// They always are: every patch has the new meaning.
    Always,
    /// They are, unless the value of the directive is true.
    UnlessTrue,
    /// They are, if the value of the directive is true.
    IfTrue,
    /// The directive lists the fields that are kept.
    AllButListed,
}

impl ClearingDirective {
    fn affects_patches_without_it(&self) -> bool {
        matches!(self.form, ClearingForm::Always | ClearingForm::UnlessTrue)
    }

    fn invalid_value(&self, expected: &str, found: &str) -> Error {
        Error::invalid_directive(self.name, format!("expected {expected}, found {found}")).at(self.name)
    }
}

impl Directive for ClearingDirective {
    fn name(&self) -> &'static str {
        self.name
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn scope(&self) -> MapScope {
        if self.form == ClearingForm::Always { MapScope::All } else { MapScope::Structs }
    }

    fn is_active_in(&self, patch: &Map) -> bool {
        self.affects_patches_without_it() || patch.contains_key(self.name)
    }

    fn is_own_key(&self, key: &str) -> bool {
        self.form != ClearingForm::Always && key == self.name
    }

    fn before_merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Combine {
            return Ok(Flow::Continue);
        }
        let value = if self.form == ClearingForm::Always { None } else { patch.remove(self.name) };
        match (self.form, value) {
            (ClearingForm::Always, _) | (ClearingForm::IfTrue, Some(Doc::Bool(true))) => {
                clear_absent_fields(merge, live, patch);
            }
            (ClearingForm::UnlessTrue, value) => {
                if value != Some(Doc::Bool(true)) {
                    clear_absent_fields(merge, live, patch);
                }
            }
            (ClearingForm::AllButListed, Some(Doc::List(retained))) => {
                live.retain(|key, _| retained.iter().any(|name| name.as_str() == Some(key.as_str())));
            }
            (ClearingForm::IfTrue, Some(value)) => {
                return Err(self.invalid_value("true", &value.to_string()));
            }
            (ClearingForm::AllButListed, Some(value)) => {
                return Err(self.invalid_value("a list of field names", value.kind().with_article()));
            }
            (ClearingForm::IfTrue | ClearingForm::AllButListed, None) => {}
        }
        Ok(Flow::Continue)
    }

    fn strip_own_keys(&self, added: &mut Map) {
        if self.form != ClearingForm::Always {
            added.remove(self.name);
        }
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if diff.options().ignore_changes_and_additions
            || !self.affects_patches_without_it() && !needs_clearing(map, patch)
        {
            return;
        }
        // "Unmodified fields … are required in patch request."
        if matches!(self.form, ClearingForm::Always | ClearingForm::IfTrue) {
            add_unchanged_fields(diff, map, patch);
        }
        let value = match self.form {
            ClearingForm::Always => return,
            ClearingForm::UnlessTrue | ClearingForm::IfTrue => Doc::Bool(true),
            ClearingForm::AllButListed => {
                Doc::List(map.modified.keys().map(|key| Doc::String(key.clone())).collect())
            }
        };
        patch.insert(Text::from_static(self.name), value);
    }
}

/// Clears the live fields that the patch does not mention, neither as a field nor in a directive for a field.
pub(super) fn clear_absent_fields(merge: &Merge<'_>, live: &mut Map, patch: &Map) {
    live.retain(|key, _| is_mentioned(merge.directives(), patch, key));
}

/// Adds the unchanged fields to a patch, because the server would clear them otherwise.
pub(super) fn add_unchanged_fields<'d>(diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
    for (key, value) in map.modified.iter() {
        if !is_mentioned(diff.directives(), patch, key) {
            patch.insert(key.clone(), value.clone());
        }
    }
}

/// Returns true if the patch contains the field, or a directive for the field.
fn is_mentioned(directives: &DirectiveSet, patch: &Map, field: &str) -> bool {
    patch.contains_key(field)
        || patch.keys().take_while(|key| key.starts_with('$')).any(|key| {
            directives.directive_for_key(key).and_then(|owner| target_field(owner, key)) == Some(field)
        })
}

/// Returns true if the types require that absent fields are cleared, and the patch changes the map or removes a field of
/// it. The proposals replace `$retainKeys`, so that they use the word in `patchStrategy` that belongs to `$retainKeys`.
pub(super) fn needs_clearing(map: &MapDiff<'_, '_>, patch: &Map) -> bool {
    let mut original = map.original.iter();
    map.meta.has_tag("retainKeys")
        && (!patch.is_empty()
            || original.any(|(key, value)| !value.is_null() && !map.modified.contains_key(key)))
}
