//! Reads Go type declarations, as the proposals print them and as `types.go` files hold them.
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
//! - bare declarations or a whole file: a `package` clause and imports may stand there, and change nothing;
//! - `type` declarations, single or grouped: structs, named types, aliases;
//! - `const` declarations: string constants of a named string type become its values; constants that are not
//!   strings, or of no named type, belong to no document and are left out;
//! - struct tags: `json`, `patchStrategy`, `patchMergeKey`, and those that directives declare; other keys are left out;
//! - `// +marker` comments directly above a type, a field or a constant;
//! - functions and variables: they have no part in documents, except the methods that write JSON or text, which
//!   are refused, since a type that writes itself cannot be read from its declaration;
//! - types of other packages that documents refer to, from a small table: `metav1.ObjectMeta`,
//!   `intstr.IntOrString` and the like (see `well_known.rs`).
//!
//! # What is refused
//!
//! Everything else, each with its line: nothing is skipped. All errors are reported at once, in the order of the
//! source. No input makes the reader panic; size, nesting, the length of constants, and what several names of one
//! declaration share are limited by [`MAX_SOURCE`], [`MAX_NESTING`], [`MAX_CONSTANT`], [`MAX_CONSTANTS`] and
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
