//! Real API servers that keep objects: their processes, requests to them, and the objects of a run.
//!
//! A scenario is run with [`run_live`](skewer_engine::skew::run_live): the clients are simulated, and [`LiveScenario`] is
//! the server. It sends the requests, and becomes the servers of the scenario one after the other: it exchanges the
//! definition of a custom resource, or sends the request to a server of another release with the same etcd.

mod cluster;
mod definition;
mod documents;
mod process;
mod refusal;
mod scenario;
mod workspace;

pub use cluster::{Cluster, Response};
pub use process::ServerProcess;
pub use scenario::LiveScenario;
pub use workspace::{LiveServers, NotLive};
