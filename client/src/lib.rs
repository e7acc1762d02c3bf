//! The client library of editd: finds a workspace, connects to its daemon and sends requests. Never writes to a file of
//! the workspace.
//!
//! *Calling sequence*: [`Workspace::find`], then [`daemon::reach`], then the requests of [`Connection`]. A connection
//! blocks its thread. [`retry::Caller`] does this for each request, and repeats it if the daemon is busy or stops. [`show`]
//! formats replies as text.
//!
//! # Examples
//! An edit tool of an agent. It starts a daemon if none serves the workspace. The key makes it safe to send the job again
//! after a lost reply: it is applied once.
//!
//! ```no_run
//! use std::error::Error;
//!
//! use editctl::Workspace;
//! use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
//! use editctl::retry::Caller;
//! use editctl::show::{CallWords, OutputStyle, receipt};
//! use editd_proto::message::{FileEdit, FileEntry, JobRequest, OnStale};
//!
//! /// The call of this agent that reads a file: a refusal names it.
//! const WORDS: CallWords = CallWords { read: "read {\"path\": ", narrow: None };
//!
//! fn replace(call: &str, path: &str, old: &str, new: &str) -> Result<String, Box<dyn Error>> {
//!     let current = std::env::current_dir()?;
//!     let workspace = Workspace::find(&current)?;
//!     let tell: fn(&str) = |words| eprintln!("{words}");
//!     let on_stale = Some(OnStale::Rebase);
//!     let options = ClientOptions { client: "my agent", session: "agent 1", on_stale, socket: None, tell };
//!     let connect = || Ok::<_, Box<dyn Error>>(reach(&workspace, &options, &SpawnPolicy::Program(program()))?);
//!     let edit = FileEdit {
//!         op: "replace".to_owned(),
//!         old: Some(old.to_owned()),
//!         new: Some(new.to_owned()),
//!         ..FileEdit::default()
//!     };
//!     let path = workspace.name(&current, path.as_ref());
//!     let files = vec![FileEntry { path, edits: vec![edit], ..FileEntry::default() }];
//!     let job = JobRequest { key: Some(call.to_owned()), files, ..JobRequest::default() };
//!     let done = Caller::new(connect, tell).ask_job(true, |connection| connection.edit(&job))?;
//!     let texts = receipt::text(&done, &OutputStyle::for_tools(WORDS));
//!     Ok(texts.out + &texts.err)
//! }
//! ```

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make and look at real files"))]
#![cfg_attr(all(test, unix), expect(clippy::disallowed_types, reason = "tests make and look at real files"))]

pub mod connection;
pub mod daemon;
pub mod failure;
pub mod journal;
pub mod machine;
pub mod retry;
pub mod runtime;
pub mod session;
pub mod show;
pub mod values;
pub mod workspace;

pub use connection::{CallError, Connection};
pub use workspace::Workspace;

/// The version of this installation, with the commit and its date if it was built from a checkout. `--version` prints it.
pub const VERSION: &str = env!("EDITD_VERSION");
