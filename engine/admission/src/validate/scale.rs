//! The fields of the subresource `scale`. Upstream: `ValidateScaleSpec`, `ValidateScaleStatus`.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::outcome::Finding;

/// Returns the errors of the fields that the subresource uses: two numbers of replicas, and a selector.
pub(crate) fn validate<const N: usize>(
    replicas: [&str; N],
    selector: Option<&str>,
    object: &OwnedDoc,
) -> Vec<Finding> {
    let selector = selector.map(|path| at(path, object, selector_error));
    replicas.into_iter().map(|path| at(path, object, replicas_error)).chain(selector).flatten().collect()
}

/// Returns the error of the value at a path such as `.spec.replicas`. A path through a value that is no map is an error.
fn at(path: &str, object: &OwnedDoc, error: fn(&OwnedDoc) -> Option<&'static str>) -> Option<Finding> {
    let names = path.strip_prefix('.').unwrap_or(path).split('.');
    let mut full_path = FieldPath::root();
    names.clone().for_each(|name| full_path.push(PathSegment::Key(name.into())));
    let mut value = object;
    let mut message = None;
    for name in names {
        match value {
            Doc::Null => return None,
            Doc::Map(map) => value = map.get(name)?,
            _ => {
                message = Some("a value on the path of a field of the subresource scale is no map");
                break;
            }
        }
    }
    let message = message.or_else(|| error(value))?;
    Some(Finding::invalid(message).map(|error| error.with_path(Some(full_path))))
}

fn replicas_error(value: &OwnedDoc) -> Option<&'static str> {
    match value {
        Doc::Int(0..=0x7FFF_FFFF) => None,
        Doc::Int(..0) => Some("a number of replicas is not negative"),
        Doc::Int(_) => Some("a number of replicas is at most 2147483647"),
        _ => Some("a number of replicas is an integer"),
    }
}

fn selector_error(value: &OwnedDoc) -> Option<&'static str> {
    value.as_str().is_none().then_some("a label selector is a string")
}
