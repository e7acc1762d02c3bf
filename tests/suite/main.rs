//! The integration tests: one file for each promise and each rule. Unit tests are beside the code.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[cfg(unix)]
mod bad_clients;
#[cfg(unix)]
mod calls;
#[cfg(unix)]
mod case_player;
#[cfg(unix)]
mod cases;
#[cfg(target_os = "linux")]
mod checks;
mod combined_events;
#[cfg(unix)]
mod command_environment;
#[cfg(unix)]
mod concurrent;
#[cfg(target_os = "linux")]
mod confinement;
#[cfg(unix)]
mod corruption;
mod crash;
#[cfg(unix)]
mod damage_reports;
#[cfg(target_os = "linux")]
mod database_failure;
#[cfg(unix)]
mod dialects;
#[cfg(target_os = "linux")]
mod discovery;
#[cfg(unix)]
mod doubtful_jobs;
mod edits;
#[cfg(unix)]
mod entry_contents;
#[cfg(unix)]
mod export;
mod flushes;
#[cfg(unix)]
mod forget;
#[cfg(target_os = "linux")]
mod formatters;
#[cfg(unix)]
mod globs;
#[cfg(unix)]
mod greedy_clients;
#[cfg(unix)]
mod hard_links;
#[cfg(unix)]
mod history;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod idempotent_keys;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(unix)]
mod job_order;
#[cfg(unix)]
mod job_versions;
#[cfg(target_os = "linux")]
mod journal_limit;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod kit;
#[cfg(unix)]
mod lines;
mod lost_contents;
#[cfg(unix)]
mod marks;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod merges;
#[cfg(unix)]
mod metrics;
#[cfg(unix)]
mod notes;
#[cfg(target_os = "linux")]
mod odd_files;
mod outside_writes;
mod outside_writes_and_cuts;
#[cfg(unix)]
mod paging;
#[cfg(unix)]
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
#[cfg(unix)]
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
#[cfg(unix)]
mod starting;
#[cfg(unix)]
mod state_folder;
#[cfg(unix)]
mod subscriptions;
#[cfg(unix)]
mod symbols;
#[cfg(target_os = "linux")]
mod systemd;
mod tidy;
#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod typescript;
#[cfg(unix)]
mod ui;
#[cfg(unix)]
mod undo;
mod unknown_outcome;
#[cfg(target_os = "linux")]
mod validators;
mod void_entries;
#[cfg(unix)]
mod workspace_boundary;
#[cfg(target_os = "linux")]
mod writers;
