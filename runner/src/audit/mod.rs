//! `skewer audit`: what a change of types does to stored objects, and to clients and servers that have not been upgraded.

pub mod change;
pub mod facts;
mod matching_text;
pub mod sample;
pub mod schema_path;
