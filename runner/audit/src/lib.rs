//! `skewer audit`: what a change of types does to stored objects, and to clients and servers that have not been upgraded.

pub mod cause;
pub mod change;
pub mod clients;
pub mod config;
pub mod confirm;
pub mod declared;
pub mod effect;
pub mod explore;
pub mod facts;
pub mod finding;
pub mod input;
pub mod isolate;
mod reduce;
pub mod renames;
pub mod revision;
pub mod run;
pub mod sample;
pub mod schema_path;
pub mod shorten;
pub mod situation;
pub mod suite;

#[cfg(test)]
mod tests;
