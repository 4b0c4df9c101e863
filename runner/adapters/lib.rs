//! The sources of the adapters, embedded so that an installed Skewer can build them without the repository.

/// All files, in the order of their paths. The paths are relative to the folder of the adapters. `build.rs` lists them.
pub static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/adapter_files.rs"));
