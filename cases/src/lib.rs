//! The case format of Skewer.

pub mod yaml;
