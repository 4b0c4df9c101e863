//! Real API servers that keep objects: their processes, requests to them, and the objects of a run.
//!
//! A scenario is run with [`run_live`](skewer_skew::run_live): the clients are simulated, and [`LiveScenario`] is
//! the server. It sends the requests, and becomes the servers of the scenario one after the other: it exchanges the
//! definition of a custom resource, or sends the request to a server of another release with the same etcd.

mod clean_up;
mod client_program;
mod cluster;
#[cfg(feature = "network")]
mod connection;
mod definition;
mod documents;
mod observed;
mod process;
mod refusal;
mod request;
mod resource;
mod scenario;
mod workspace;

pub use clean_up::{CleanUpCommand, clean_up_at_end_of_input};
pub use cluster::Cluster;
#[cfg(not(feature = "network"))]
pub use cluster::NEEDS_NETWORK;
pub use documents::METADATA_OF_SERVER;
pub use observed::{ClusterKind, ObservedCluster};
pub use process::ServerProcess;
pub use request::Response;
pub use resource::NotLive;
pub use scenario::LiveScenario;
pub use workspace::LiveServers;
