//! Custom resources whose types have unions.

use skewer_engine::OwnedDoc;
use skewer_engine::error::Error;
use skewer_engine::patch::PatchContext;
use skewer_engine::union::policy::Policy;
use skewer_engine::union::{Admitted, review};

use crate::Admission;

/// Admits a custom resource: decodes it, normalizes and validates its unions, and then validates it by its definition.
/// `old` is the stored object.
///
/// # Errors
///
/// All errors of the object: first those of [`skewer_engine::union::admit`], then those of the definition. Of the latter, an
/// error is left out if the policy reported one at the same path.
pub fn admit_custom_resource(
    context: &PatchContext,
    policy: &dyn Policy,
    admission: &Admission,
    old: Option<&OwnedDoc>,
    new: &OwnedDoc,
) -> Result<Admitted, Vec<Error>> {
    let one = |error: Error| vec![error];
    let old = old.map(|old| admission.read(old)).transpose().map_err(one)?;
    let decoded = admission.decode(new, false).map_err(one)?;
    let (mut admitted, mut errors) = review(context, policy, old.as_ref(), decoded);
    let reviewed = admission.review(old.as_ref(), admitted.object);
    let is_new = |error: &Error| !errors.iter().any(|other: &Error| other.path() == error.path());
    let of_definition: Vec<Error> = reviewed.errors.into_iter().filter(is_new).collect();
    errors.extend(of_definition);
    admitted.object = reviewed.object;
    if errors.is_empty() { Ok(admitted) } else { Err(errors) }
}
