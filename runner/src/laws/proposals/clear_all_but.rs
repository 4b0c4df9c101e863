//! `$clearAllBut: [field, …]`: the same as `$clearAbsent`, told by the names of what stays.
//!
//! Source: strategic-merge-patch, "Strategies for introducing new patch behavior", 2., the good example, as
//! retain-keys has it: "a new patch will have the same content as the old patch and an additional new directive".

use skewer_engine::directive::{Directive, Flow, IntroducedIn, Placement};
use skewer_engine::patch::{Diff, MapDiff, Merge, MergeMode};
use skewer_engine::schema::TypeId;
use skewer_engine::{Doc, Error, ErrorKind, Map, Result, Text};

use super::super::subject::{Scope, Subject};
use super::{EXAMPLES, clears};

const NAME: &str = "$clearAllBut";

pub(super) fn subject() -> Subject {
    Subject {
        instead_of: &["$retainKeys"],
        scope: Scope::Structs,
        among: EXAMPLES.to_vec(),
        ..Subject::proposed(
            &ClearAllBut,
            "fields that $clearAllBut does not list are cleared: the document's good example of a new directive, \
             with names in place of unmodified fields",
        )
    }
}

#[derive(Debug)]
struct ClearAllBut;

impl Directive for ClearAllBut {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        if merge.mode() == MergeMode::Combine {
            return Ok(Flow::Continue);
        }
        match patch.remove(NAME) {
            Some(Doc::List(stays)) => {
                live.retain(|key, _| stays.iter().any(|name| name.as_str() == Some(key.as_str())));
            }
            Some(value) => {
                let message =
                    format!("{NAME} is a list of field names, and not {}", value.kind().with_article());
                return Err(Error::new(ErrorKind::BadRetainKeys, message).at(NAME));
            }
            None => {}
        }
        Ok(Flow::Continue)
    }

    fn strip_from_stored(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_map<'d>(&self, diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        let says_something = !patch.is_empty() || clears(map);
        if map.retain_keys && says_something && !diff.options().ignore_changes_and_additions {
            let stays = map.modified.keys().map(|key| Doc::String(key.clone())).collect();
            patch.insert(Text::from_static(NAME), Doc::List(stays));
        }
    }
}
