//! Random resources: types, versions with renames, and schemas that change.

use std::sync::Arc;

use super::random_types::{choose_topology, random_structs};
use super::resource::{NamePath, ResourceTypes, SequenceResource, VersionDeclaration};
use crate::differential::types::{TrialStruct, TrialType, TrialTypes, TypesOrigin};
use crate::random_testing::Random;

const API_VERSIONS: [&str; 3] = ["example.com/v1", "example.com/v2", "example.com/v1beta1"];

/// Generates a resource of random types as it is before and after a change of its schema.
///
/// # Errors
///
/// Returns a message if the engine cannot read the types.
pub(super) fn random_resources(random: &mut Random) -> Result<Vec<Arc<SequenceResource>>, String> {
    let structs = random_structs(random);
    let versions = random_versions(random, Some(&structs), API_VERSIONS[0]);
    let changed = changed_structs(random, &structs);
    let mut changed_versions = versions.clone();
    if changed_versions.len() > 1 && random.chance(500) {
        changed_versions.pop();
    }
    let is_deduced = random.chance(40);
    let declares_metadata = random.chance(700);
    let types = |structs: Vec<TrialStruct>| {
        if is_deduced {
            ResourceTypes::Deduced(structs)
        } else {
            ResourceTypes::Go(structs, declares_metadata)
        }
    };
    let before = SequenceResource::compile(types(structs), versions)?;
    let after = SequenceResource::compile(types(changed), changed_versions)?;
    Ok(vec![Arc::new(before), Arc::new(after)])
}

/// Creates the resource of a Kubernetes kind. Its versions have the same types.
///
/// # Errors
///
/// Returns a message if the types do not belong to a kind.
pub(super) fn release_resources(
    random: &mut Random,
    types: &Arc<TrialTypes>,
) -> Result<Vec<Arc<SequenceResource>>, String> {
    let TypesOrigin::Release { api_version, .. } = types.origin else {
        return Err("the types are not those of a release".to_owned());
    };
    let versions = random_versions(random, None, api_version);
    let after = if random.chance(100) { versions[..1].to_vec() } else { versions.clone() };
    let types = || ResourceTypes::Release(Arc::clone(types));
    let before = SequenceResource::compile(types(), versions)?;
    let after = SequenceResource::compile(types(), after)?;
    Ok(vec![Arc::new(before), Arc::new(after)])
}

/// Chooses the versions. Without structs, they have no renames.
fn random_versions(
    random: &mut Random,
    structs: Option<&[TrialStruct]>,
    first: &'static str,
) -> Vec<VersionDeclaration> {
    let count = *random.pick_weighted(&[(60, 1), (25, 2), (15, 3)]);
    let names = std::iter::once(first).chain(API_VERSIONS.into_iter().filter(|name| *name != first));
    let mut versions: Vec<VersionDeclaration> = names.take(count).map(VersionDeclaration::new).collect();
    for version in &mut versions[1..] {
        if let Some(structs) = structs {
            let count = random.below(3);
            version.renames = (0..count).filter_map(|_| random_rename(random, structs)).collect();
            if let [first, second] = version.renames.as_slice()
                && (overlap(&first.0, &second.0) || overlap(&first.1, &second.1))
            {
                version.renames.pop();
            }
        }
    }
    if random.chance(150) {
        for version in &mut versions {
            version.reset_fields = vec![random.pick(&[vec!["status"], vec!["spec"], vec!["a"]]).clone()];
            if random.chance(300) {
                version.reset_fields.push(vec!["spec", "a"]);
            }
        }
    }
    versions
}

/// Returns true if one path leads to the same place as another one, or into it. A conversion is one-to-one only if no
/// two renames have such paths.
fn overlap(a: &[&str], b: &[&str]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Chooses a field of the object, or of a struct in it, and another path for it.
fn random_rename(random: &mut Random, structs: &[TrialStruct]) -> Option<(NamePath, NamePath)> {
    let fields: Vec<_> = structs[0].fields.iter().filter(|field| field.name != "metadata").collect();
    if fields.is_empty() {
        return None;
    }
    let field = *random.pick(&fields);
    let mut path = vec![field.name];
    if let TrialType::Struct(index) = field.ty {
        let inner = &structs[index].fields;
        if !inner.is_empty() && random.chance(700) {
            path.push(random.pick(inner).name);
        }
    }
    let to = match random.below(4) {
        0 => vec!["renamed"],
        1 => vec!["moved", "renamed"],
        2 if path.len() == 2 => vec![path[0], "renamed"],
        _ => vec!["moved", path[path.len() - 1]],
    };
    Some((path, to))
}

/// Returns the same structs with another topology of some fields.
fn changed_structs(random: &mut Random, structs: &[TrialStruct]) -> Vec<TrialStruct> {
    let mut structs = structs.to_vec();
    for declared in &mut structs {
        for field in &mut declared.fields {
            if random.chance(350) {
                choose_topology(random, field);
            }
        }
        if random.chance(100) {
            declared.topology.map_type = None;
        }
    }
    structs
}

#[cfg(test)]
mod tests {
    use skewer_engine::Doc;

    use super::super::resource::{Direction, SequenceResource};
    use super::*;

    /// An object with a value at each of some paths keeps all values when it is converted to a version and back.
    fn keeps_values(resource: &SequenceResource, version: &VersionDeclaration) -> bool {
        let mut object = skewer_engine::OwnedMap::default();
        for (index, (hub, _)) in version.renames.iter().enumerate() {
            let mut value = Doc::from(format!("value {index}"));
            for name in hub[1..].iter().rev() {
                value = Doc::Map([(skewer_engine::Text::from_static(name), value)].into_iter().collect());
            }
            object.insert(skewer_engine::Text::from_static(hub[0]), value);
        }
        let there = resource.renamed(&object, version.api_version, Direction::FromFirst);
        resource.renamed(&there, version.api_version, Direction::ToFirst) == object
    }

    #[test]
    fn conversions_are_one_to_one() {
        let mut pairs = 0;
        for seed in 0..400 {
            for resource in random_resources(&mut Random::new(seed, 0, 0)).unwrap() {
                for version in &resource.versions {
                    // Two fields of one struct would overwrite each other in the object of the test.
                    let firsts: std::collections::BTreeSet<_> =
                        version.renames.iter().map(|(hub, _)| hub[0]).collect();
                    if firsts.len() == 2 {
                        pairs += 1;
                        assert!(keeps_values(&resource, version), "{:?}", version.renames);
                    }
                }
            }
        }
        assert!(pairs > 50, "{pairs}");
    }
}
