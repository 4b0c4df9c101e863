//! The target `apiserver:R`: the request handlers of a Kubernetes release, in a Go program that speaks the adapter
//! protocol.
//!
//! The source of the program is in `runner/adapters/apiserver`. It is embedded, and [`install`] builds it with the `go`
//! command of the user. The binaries are kept in a [folder](Cache) of the user.

mod build_folder;
mod cache;
mod go;
mod install;
mod release;
mod sources;
mod target;

pub use cache::{Cache, InstallState};
pub use go::Go;
pub use install::{InstallError, InstallPlan, InstallProgress, install};
pub use release::{Program, Release};
pub use target::ApiServerTarget;
pub(super) use target::installed_binary;
