//! Targets that are built on the machine of the user: the request handlers and API servers of Kubernetes releases, and
//! the adapters of other implementations.
//!
//! The sources are in `runner/adapters`. They are embedded, and [`install`] builds them with the build script of their
//! folder and the [tool](Tool) of their language. The programs are kept in a [folder](Cache) of the user.

mod adapter;
mod adapters;
mod build_folder;
mod cache;
mod command;
mod error;
mod go;
mod install;
mod installable;
mod pinned_version;
mod plan;
mod progress;
mod sources;
mod target;
mod tool;
mod toolchain;
mod version;

pub use adapter::{Adapter, Needs};
pub use adapters::ADAPTERS;
pub use cache::{Cache, InstallState};
pub use error::InstallError;
pub use install::install;
pub use installable::Installable;
pub use plan::{InstallPlan, ModulePlan};
pub use progress::InstallProgress;
pub(super) use target::{installed_program, open_installed};
pub use tool::Tool;
pub use toolchain::Toolchain;
