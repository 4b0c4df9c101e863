//! Reads Go type declarations, as design proposals and `types.go` files contain them.
//!
//! ```
//! let declarations = skewer_engine::schema::go::read(
//!     r#"
//!     type PodSpec struct {
//!         // +optional
//!         Volumes []Volume `json:"volumes,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
//!     }
//!     type Volume struct {
//!         Name string `json:"name"`
//!     }
//!     "#,
//! )
//! .unwrap();
//! let skewer_engine::schema::Shape::Struct(fields) = &declarations.types[0].shape else { panic!() };
//! assert_eq!(fields[0].patch.merge_key, ["name"]);
//! ```
//!
//! # What is read
//!
//! - a whole file or only declarations: a `package` clause and imports are allowed and ignored;
//! - `type` declarations of structs, named types and aliases, single or in a group;
//! - `const` declarations: string constants of a named string type become the values of this type; other constants do
//!   not occur in documents and are left out;
//! - struct tags: `json`, `patchStrategy`, `patchMergeKey`, and the tags that directives declare; other keys are left
//!   out;
//! - `// +marker` comments directly above a type, a field or a constant;
//! - functions and variables, which are left out, because they do not affect documents. Only methods that write JSON or
//!   text are refused, because the declaration of a type with such a method does not show the form of its documents;
//! - well-known types of other packages, such as `metav1.ObjectMeta` and `intstr.IntOrString` (see `well_known.rs`).
//!
//! # What is refused
//!
//! Everything else is refused, with its line. All errors are reported at once, in the order of the source. No input
//! makes the reader panic. The size of the text, its nesting, the length of constants, and the copies for declarations
//! with several names are limited by [`MAX_SOURCE`], [`MAX_NESTING`], [`MAX_CONSTANT`], [`MAX_CONSTANTS`] and
//! [`MAX_COPIED`].

mod constants;
mod declarations;
mod errors;
mod markers;
mod reader;
mod string_literal;
mod struct_tag;
mod syntax_tree;
mod types;
mod underlying_types;
mod well_known;

pub use constants::{MAX_CONSTANT, MAX_CONSTANTS};
pub use errors::{GoError, GoErrorKind};
pub use reader::{read, read_overlay, read_with_tags};
pub use syntax_tree::{MAX_NESTING, MAX_SOURCE};
pub use types::MAX_COPIED;

#[cfg(test)]
mod tests;
