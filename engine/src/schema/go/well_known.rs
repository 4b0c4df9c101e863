//! The names by which Go texts refer to types of other packages.
//!
//! If the text itself declares a type with such a name, the name refers to that type.

use crate::schema::{ScalarType, TypeExpr, well_known};

/// The meaning of a well-known name.
pub(super) enum WellKnownType {
    /// A type without a declaration, such as a scalar.
    Expr(TypeExpr),
    /// The canonical name of a declaration: see [`well_known::get`].
    Declared(&'static str),
}

// The names under which Go texts import each package.
const META: [&str; 4] = ["metav1", "v1", "meta_v1", "unversioned"];
const CORE: [&str; 3] = ["corev1", "v1", "api"];
const APIEXTENSIONS: [&str; 3] = ["apiextensionsv1", "apiextensions", "apiextv1"];

/// Well-known types that are scalars or any JSON in documents. Each entry has the names of the package, the names of
/// the types, and the type in documents.
const UNDECLARED: [(&[&str], &[&str], TypeExpr); 11] = [
    (&META, &["Time"], TypeExpr::Scalar(ScalarType::Time)),
    (&META, &["MicroTime"], TypeExpr::Scalar(ScalarType::MicroTime)),
    (&META, &["Duration"], TypeExpr::Scalar(ScalarType::Duration)),
    (&META, &["FieldsV1"], TypeExpr::Any),
    (&["types"], &["UID", "NodeName"], TypeExpr::Scalar(ScalarType::String)),
    (&["intstr"], &["IntOrString"], TypeExpr::Scalar(ScalarType::IntOrString)),
    (&["resource"], &["Quantity"], TypeExpr::Scalar(ScalarType::Quantity)),
    (&["runtime"], &["RawExtension"], TypeExpr::RawExtension),
    (&["json"], &["RawMessage"], TypeExpr::Any),
    (&APIEXTENSIONS, &["JSON"], TypeExpr::RawExtension),
    (&["time"], &["Time"], TypeExpr::Scalar(ScalarType::String)),
];

/// Returns the well-known type of this name. Without a package, only the types of core/v1 are well known: the design
/// proposals contain declarations of that package, which do not name the package.
pub(super) fn find(package: Option<&str>, name: &str) -> Option<WellKnownType> {
    let Some(package) = package else {
        return find_declared("corev1", name);
    };
    let undeclared =
        UNDECLARED.iter().find(|(packages, names, _)| packages.contains(&package) && names.contains(&name));
    if let Some((_, _, ty)) = undeclared {
        return Some(WellKnownType::Expr(ty.clone()));
    }
    if (package, name) == ("time", "Duration") {
        return Some(WellKnownType::Expr(TypeExpr::Scalar(ScalarType::Integer)));
    }
    let meta = META.contains(&package).then(|| find_declared("metav1", name)).flatten();
    meta.or_else(|| CORE.contains(&package).then(|| find_declared("corev1", name)).flatten())
}

fn find_declared(package: &str, name: &str) -> Option<WellKnownType> {
    let declaration = well_known::get(&format!("{package}.{name}"));
    declaration.map(|declaration| WellKnownType::Declared(&declaration.name))
}

/// Returns all well-known names as a text would write them. Error messages suggest these names.
pub(super) fn names() -> impl Iterator<Item = String> {
    let undeclared = UNDECLARED
        .iter()
        .flat_map(|(packages, names, _)| names.iter().map(|name| format!("{}.{name}", packages[0])));
    let unqualified = well_known::names().filter_map(|name| name.strip_prefix("corev1."));
    undeclared.chain(well_known::names().chain(unqualified).map(str::to_owned))
}
