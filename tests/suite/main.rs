//! The integration tests: one file for each promise and each rule. Unit tests are beside the code.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[cfg(unix)]
mod bad_clients;
mod bit_rot;
mod calls;
#[cfg(unix)]
mod case_player;
mod cases;
#[cfg(target_os = "linux")]
mod checks;
mod combined_events;
mod command_environment;
mod concurrent;
#[cfg(target_os = "linux")]
mod confinement;
mod corruption;
mod crash;
#[cfg(unix)]
mod damage_reports;
#[cfg(target_os = "linux")]
mod database_failure;
mod dialects;
#[cfg(target_os = "linux")]
mod discovery;
mod doubtful_jobs;
mod edits;
mod entry_contents;
mod export;
mod flushes;
mod forget;
#[cfg(target_os = "linux")]
mod formatters;
mod globs;
#[cfg(unix)]
mod greedy_clients;
mod hard_links;
mod history;
#[cfg(unix)]
mod hooks;
mod idempotent_keys;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(unix)]
mod job_order;
mod job_versions;
#[cfg(target_os = "linux")]
mod journal_limit;
mod kills;
#[cfg(unix)]
mod kit;
#[cfg(unix)]
mod lines;
mod lost_contents;
#[cfg(unix)]
mod lost_socket;
mod marks;
#[cfg(unix)]
mod mcp;
mod memory;
mod merges;
mod metrics;
#[cfg(unix)]
mod modes;
mod notes;
#[cfg(target_os = "linux")]
mod odd_files;
mod outside_writes;
mod outside_writes_and_cuts;
#[cfg(unix)]
mod paging;
mod patches;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(unix)]
mod protocol_errors;
#[cfg(unix)]
mod python;
mod races;
#[cfg(unix)]
mod readme;
mod real_symbols;
#[cfg(unix)]
mod real_tree;
mod recovery;
mod rollback;
#[cfg(unix)]
mod runtime_hooks;
#[cfg(target_os = "linux")]
mod sessions;
mod settings;
#[cfg(unix)]
mod setup;
#[cfg(unix)]
mod setup_hooks;
#[cfg(target_os = "linux")]
mod shutdown;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod staging_attack;
mod starting;
#[cfg(unix)]
mod state_folder;
mod subscriptions;
mod symbols;
#[cfg(target_os = "linux")]
mod systemd;
#[cfg(unix)]
mod terminal;
mod tidy;
#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod typescript;
#[cfg(unix)]
mod ui;
mod undo;
mod unknown_outcome;
#[cfg(target_os = "linux")]
mod validators;
mod void_entries;
#[cfg(unix)]
mod workspace_boundary;
#[cfg(target_os = "linux")]
mod writers;
