//! The definitions of two inputs, matched by group and kind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::DefinitionFile;

/// A definition that is in both inputs, or only in one of them.
#[derive(Debug)]
pub enum DefinitionPair {
    /// The definition before and after the change.
    Both(Box<DefinitionFile>, Box<DefinitionFile>),
    /// Only the old input has the definition.
    Removed(Box<DefinitionFile>),
    /// Only the new input has the definition.
    Added(Box<DefinitionFile>),
}

/// Matches the definitions of two inputs. The pairs are sorted by group and kind. A single definition in each input is
/// matched only with one of the same group and kind, too: nothing else stores the same objects.
///
/// # Errors
///
/// Returns a message if an input has two definitions of the same group and kind, or if the inputs have no definition in
/// common.
pub fn pair_definitions(
    old: Vec<DefinitionFile>,
    new: Vec<DefinitionFile>,
) -> Result<Vec<DefinitionPair>, String> {
    let (mut old, new) = (by_kind(old)?, by_kind(new)?);
    if !new.keys().any(|key| old.contains_key(key)) {
        let subjects = |files: &BTreeMap<Key, DefinitionFile>| {
            let subjects = files.values().map(|file| format!("{} ({})", file.subject(), file.place()));
            subjects.collect::<Vec<_>>().join(", ")
        };
        return Err(format!(
            "the inputs have no definition in common: old has {}; new has {}",
            subjects(&old),
            subjects(&new)
        ));
    }
    let mut pairs = BTreeMap::new();
    for (key, new) in new {
        let pair = match old.remove(&key) {
            Some(old) => DefinitionPair::Both(Box::new(old), Box::new(new)),
            None => DefinitionPair::Added(Box::new(new)),
        };
        pairs.insert(key, pair);
    }
    pairs.extend(old.into_iter().map(|(key, old)| (key, DefinitionPair::Removed(Box::new(old)))));
    Ok(pairs.into_values().collect())
}

/// The group and the kind of a definition.
type Key = (String, String);

fn by_kind(files: Vec<DefinitionFile>) -> Result<BTreeMap<Key, DefinitionFile>, String> {
    let mut by_kind = BTreeMap::new();
    for file in files {
        match by_kind.entry((file.definition.group.clone(), file.definition.kind.clone())) {
            Entry::Vacant(entry) => drop(entry.insert(file)),
            Entry::Occupied(entry) => {
                let first: &DefinitionFile = entry.get();
                return Err(format!(
                    "two definitions of {}: {} and {}",
                    file.subject(),
                    first.place(),
                    file.place()
                ));
            }
        }
    }
    Ok(by_kind)
}
