//! Validation of custom resources, with ratcheting: an error in a value that did not change is only a warning. Upstream:
//! `apiextensions-apiserver`, `pkg/apiserver/validation` and `pkg/apiserver/schema/listtype`; `kube-openapi`,
//! `pkg/validation/validate`.

pub(super) mod correlation;
mod format;
pub(super) mod list_types;
mod number;
pub(super) mod outcome;
pub(super) mod scale;
mod source;
#[cfg(test)]
mod tests;
pub(super) mod value;

#[cfg(feature = "cel")]
pub(crate) use format::TextFormat;
pub use format::format_expression;
pub(crate) use format::is_known as is_known_format;
