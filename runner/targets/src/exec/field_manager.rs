//! The options and the schema of a request to a field manager.

use std::sync::Arc;

use skewer_engine::OwnedText;
use skewer_engine::schema::{Schema, Type, TypeId};
use skewer_engine::server_side_apply::{ResourceVersion, VersionConversion};
use skewer_protocol::bounded_list::BoundedList;
use skewer_protocol::messages::{OptionsMessage, RenameMessage, VersionMessage};
use skewer_skew::{FieldManagerOptions, Operation};

use super::schema_registry::{RegisteredSchema, SchemaRegistry};

/// Converts the options of a field manager. The versions have no roots yet: see [`name_roots`].
pub(super) fn options_message(options: FieldManagerOptions<'_>) -> OptionsMessage {
    // A target converts as the versions declare, and finds no field at the same path of another type.
    let versions = options.resource.map_or(&[][..], |resource| match resource.conversion {
        VersionConversion::SamePaths => &resource.versions[..resource.versions.len().min(1)],
        VersionConversion::Declared | VersionConversion::CustomResource => &resource.versions,
    });
    OptionsMessage {
        manager: options.manager.to_owned(),
        force: options.force,
        subresource: options.subresource.to_owned(),
        api_version: options.api_version.map(str::to_owned),
        versions: versions.iter().map(version_message).collect(),
        csa_managers: options.csa_managers.to_vec(),
        ..OptionsMessage::default()
    }
}

fn version_message(version: &ResourceVersion) -> VersionMessage {
    let path = |keys: &[OwnedText]| BoundedList(keys.iter().map(ToString::to_string).collect());
    let renames = version.renames.iter();
    VersionMessage {
        api_version: version.api_version.to_string(),
        root: None,
        renames: renames
            .map(|rename| RenameMessage { hub: path(&rename.hub), version: path(&rename.version) })
            .collect(),
        reset_fields: version.reset_fields.iter().map(|keys| path(keys)).collect(),
    }
}

/// Returns true if a version that the resource does not have is an error.
pub(super) fn refuses_missing_versions(operation: &Operation<'_>) -> bool {
    let resource = operation.options().field_manager.resource;
    resource.is_some_and(|resource| resource.conversion == VersionConversion::CustomResource)
}

/// Adds the name of its root component to each version.
pub(super) fn name_roots(versions: &mut [VersionMessage], roots: &[String]) {
    for (version, root) in versions.iter_mut().zip(roots) {
        version.root = Some(root.clone());
    }
}

/// Publishes the types of all versions of the resource. Returns `None` if no version has a schema, so that the target
/// deduces the types.
pub(super) fn publish(operation: &Operation<'_>, schemas: &SchemaRegistry) -> Option<Arc<RegisteredSchema>> {
    let types: Vec<(&Arc<Schema>, TypeId)> = match operation.options().field_manager.resource {
        Some(resource) => resource.versions.iter().map(|version| (&version.schema, version.root)).collect(),
        None => operation.context().map(|context| (&context.schema, context.root)).into_iter().collect(),
    };
    let has_schema = types.iter().any(|(schema, root)| !matches!(schema.get(*root), Type::Any));
    has_schema.then(|| schemas.publish_versions(&types))
}
