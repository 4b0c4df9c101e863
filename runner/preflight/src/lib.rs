//! `skewer preflight`: what the next step of a tool does to the objects of a cluster, and to the owners of their fields.

pub mod dump;
pub mod object_text;
pub mod redact;
