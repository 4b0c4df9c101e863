//! The integration tests of the runner: the command line program, and the library with the corpus.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failure in a helper must fail the test

#[cfg(unix)]
mod accept;
mod admitting_commands;
mod apply_command;
mod audit;
mod audit_bad_input;
mod audit_precision;
mod audit_renames;
mod audit_samples;
mod audit_suite;
mod bad_files;
mod command_line;
mod concurrent_benefit;
mod csa_upgrade;
mod declared_directives;
mod differential;
mod directive_keys;
mod errata;
mod error_positions;
mod explain_command;
mod field_manager_cases;
mod fmt_command;
mod guide;
mod helpers;
mod histories;
mod hostile_output;
mod install_adapters;
mod kep_command;
mod kep_sentence;
#[cfg(feature = "network")]
mod kubectl_apply;
#[cfg(feature = "network")]
mod kubectl_target;
mod laws;
#[cfg(feature = "network")]
mod live;
#[cfg(feature = "network")]
mod live_preflight;
mod new_command;
mod no_worse_than;
mod panics;
mod patch_command;
#[cfg(unix)]
mod preflight_command;
mod printed_cells;
mod published_reports;
mod reference;
mod refused_definitions;
mod renamed_cells;
mod report_paths;
#[cfg(unix)]
mod reports;
#[cfg(unix)]
mod run_state;
mod schema_command;
mod scoreboard_command;
mod selection_messages;
mod target_install;
mod target_limits;
mod target_processes;
mod target_unions;
mod targets;
mod terminal_width;
mod topology_laws;
mod tutorial;
mod union_oracle;
#[cfg(unix)]
mod watch;
mod worked_example;

#[test]
#[cfg(not(feature = "network"))]
#[ignore = "the tests of kubectl and of API servers need `--features skewer/network`"]
fn targets_with_the_network() {}
