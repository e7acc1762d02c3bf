//! Reads `.editd.toml` again if it may have changed, and parses each content once.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::commands::WorkspaceCommands;
use super::record::{TrustRecord, TrustRecordError};
use crate::config::{CommandConfig, FILE_NAME, read_commands};
use crate::disk::{Disk, FileSnapshot, Observation, ResolveError};
use crate::limits;
use crate::os::{Dir, FileIdentity, Os, Stat};

/// Identity, size and times of a file, which usually change when it is written.
type FileMark = (FileIdentity, u64, i64, i64);

/// Decides whether the commands of one workspace may run, and whether its exceptions from the check of syntax apply.
pub struct CommandTrust {
    register: TrustRecord,
    now: Mutex<TrustState>,
}

#[derive(Default)]
struct TrustState {
    /// The trusted hashes, oldest first, once they were read.
    trusted: Option<Vec<ContentHash>>,
    last: Option<LastRead>,
    /// The commands that were returned last, and the time of that in milliseconds since 1970.
    recent: Option<(u64, WorkspaceCommands)>,
}

/// The last content that was read.
struct LastRead {
    /// `None` if the file is so new that another write could result in the same times.
    mark: Option<FileMark>,
    hash: ContentHash,
    read: Result<Arc<CommandConfig>, Arc<str>>,
}

impl CommandTrust {
    /// Creates the decisions for the workspace at `root`. The hashes are recorded in the state folder, opened as `dir`.
    pub fn new(os: Arc<dyn Os>, dir: Dir, state: &Path, root: &Path) -> Self {
        Self { register: TrustRecord::new(os, dir, state, root), now: Mutex::default() }
    }

    /// Returns the present commands of the workspace. `now_ms` is the time in milliseconds since 1970.
    pub fn observe(&self, disk: &Disk, now_ms: u64) -> WorkspaceCommands {
        let mut now = self.lock();
        let commands = self.read(&mut now, disk, now_ms);
        now.recent = Some((now_ms, commands.clone()));
        commands
    }

    /// Returns the commands of the workspace as they were at most [`limits::COMMANDS_RECENT_MS`] ago: enough to decide
    /// which of them are due, since each one is observed again before it is started.
    pub fn recent(&self, disk: &Disk, now_ms: u64) -> WorkspaceCommands {
        let recent = self.lock().recent.clone();
        let is_recent =
            |then: u64| now_ms.checked_sub(then).is_some_and(|ms| ms <= limits::COMMANDS_RECENT_MS);
        match recent {
            Some((then, commands)) if is_recent(then) => commands,
            _ => self.observe(disk, now_ms),
        }
    }

    fn read(&self, now: &mut TrustState, disk: &Disk, now_ms: u64) -> WorkspaceCommands {
        let (hash, read) = match now.read(disk, now_ms) {
            Ok(None) => return WorkspaceCommands::default(),
            Ok(Some((hash, read))) => (hash, read),
            Err(why) => {
                return WorkspaceCommands { problem: Some(why.into()), ..WorkspaceCommands::default() };
            }
        };
        match read {
            Err(why) => {
                WorkspaceCommands { problem: Some(why), content: Some(hash), ..WorkspaceCommands::default() }
            }
            Ok(commands) => {
                let needs_trust = !commands.list.is_empty() || !commands.relaxed.is_empty();
                let trusted = needs_trust && now.trusted(&self.register).contains(&hash);
                WorkspaceCommands { hash: Some(hash), commands, trusted, problem: None, content: Some(hash) }
            }
        }
    }

    /// Trusts a hash from now on.
    ///
    /// # Errors
    /// The hash could not be made durable: nothing changed.
    pub fn record(&self, hash: ContentHash) -> Result<(), TrustRecordError> {
        let mut now = self.lock();
        let mut hashes = now.trusted(&self.register).to_vec();
        hashes.retain(|known| *known != hash);
        hashes.push(hash);
        let beyond = hashes.len().saturating_sub(limits::TRUSTED);
        hashes.drain(..beyond);
        self.put(&mut now, hashes)
    }

    /// Trusts no hash from now on.
    ///
    /// # Errors
    /// The record could not be made durable. Even so, no command runs until the daemon restarts.
    pub fn revoke(&self) -> Result<(), TrustRecordError> {
        let mut now = self.lock();
        now.recent = None;
        now.trusted = Some(Vec::new());
        self.put(&mut now, Vec::new())
    }

    fn put(&self, now: &mut TrustState, hashes: Vec<ContentHash>) -> Result<(), TrustRecordError> {
        self.register.write(&hashes)?;
        now.recent = None;
        now.trusted = Some(hashes);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, TrustState> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type ReadConfig = (ContentHash, Result<Arc<CommandConfig>, Arc<str>>);

impl TrustState {
    fn trusted(&mut self, register: &TrustRecord) -> &[ContentHash] {
        self.trusted.get_or_insert_with(|| register.read())
    }

    /// Returns the content of the file; `None` if there is none.
    fn read(&mut self, disk: &Disk, now_ms: u64) -> Result<Option<ReadConfig>, String> {
        let place = match disk.resolve_link(&FilePath::from(FILE_NAME)) {
            Ok(place) => place,
            Err(ResolveError::IsLink { .. }) => {
                return Err("it is a link, and links are not followed".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        };
        let Some(stat) = place.stat() else { return Ok(None) };
        if let Some(last) = self.last.as_ref().filter(|last| last.mark == Some(mark(stat))) {
            return Ok(Some((last.hash, last.read.clone())));
        }
        if stat.size > limits::CONFIG as u64 {
            return Err(format!("it has more than {} bytes", limits::CONFIG));
        }
        let found = match disk.observe(&place).map_err(|error| error.to_string())? {
            Observation::Absent => return Ok(None),
            Observation::File(found) => found,
            Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
                return Err("it is not a readable file".to_owned());
            }
        };
        if found.bytes.len() > limits::CONFIG {
            return Err(format!("it has more than {} bytes", limits::CONFIG));
        }
        let hash = found.meta.hash;
        let read = match &self.last {
            Some(last) if last.hash == hash => last.read.clone(),
            _ => read_commands(&found.bytes).map(Arc::new).map_err(|why| shortened(&why).into()),
        };
        // The mark of the file that was read: another one may have been there when the path was resolved.
        let mark = rested(&found, now_ms).then(|| mark_of(&found));
        self.last = Some(LastRead { mark, hash, read: read.clone() });
        Ok(Some((hash, read)))
    }
}

fn mark(stat: &Stat) -> FileMark {
    (stat.identity, stat.size, stat.modified, stat.changed)
}

fn mark_of(found: &FileSnapshot) -> FileMark {
    (found.meta.identity, found.meta.size, found.meta.modified, found.changed)
}

/// Returns true if a file is old enough that a later write would have other times.
fn rested(found: &FileSnapshot, now_ms: u64) -> bool {
    let changed_ms = u64::try_from(found.meta.modified.max(found.changed) / 1_000_000).unwrap_or(u64::MAX);
    changed_ms.saturating_add(limits::TRUST_REST_MS) < now_ms
}

/// Shortens an error that quotes a very long line.
fn shortened(why: &str) -> String {
    match why.char_indices().nth(limits::TRUST_MESSAGE) {
        Some((end, _)) => format!("{}…", why.get(..end).unwrap_or_default()),
        None => why.trim_end().to_owned(),
    }
}
