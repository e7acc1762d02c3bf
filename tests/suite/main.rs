//! The integration tests: one file for each promise and each rule. Unit tests are beside the code.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[cfg(unix)]
mod bounded;
#[cfg(unix)]
mod cases;
mod combined_events;
#[cfg(unix)]
mod concurrent;
mod crash;
#[cfg(unix)]
mod dialects;
mod edits;
mod flushed;
#[cfg(target_os = "linux")]
mod formatters;
#[cfg(target_os = "linux")]
mod found;
#[cfg(unix)]
mod hints;
#[cfg(unix)]
mod hooks;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(unix)]
mod inside;
#[cfg(unix)]
mod job_versions;
mod kills;
#[cfg(unix)]
mod kit;
#[cfg(target_os = "linux")]
mod leaving;
#[cfg(unix)]
mod memory;
#[cfg(unix)]
mod merges;
#[cfg(target_os = "linux")]
mod odd_files;
#[cfg(unix)]
mod once;
#[cfg(unix)]
mod order;
mod outside_writes;
mod overtaken;
#[cfg(unix)]
mod pages;
#[cfg(unix)]
mod patches;
#[cfg(unix)]
mod player;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(unix)]
mod python;
mod races;
#[cfg(unix)]
mod readme;
mod real_symbols;
#[cfg(unix)]
mod real_tree;
mod recovery;
#[cfg(target_os = "linux")]
mod sessions;
#[cfg(unix)]
mod symbols;
#[cfg(target_os = "linux")]
mod systemd;
mod taken_back;
mod tidy;
#[cfg(unix)]
mod trust;
#[cfg(unix)]
mod undoing;
#[cfg(unix)]
mod unharmed;
#[cfg(target_os = "linux")]
mod validators;
#[cfg(target_os = "linux")]
mod writers;
