//! The subscriptions with their globs, and the rules of git. It accesses no disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use editd_proto::error::{ErrorCode, RequestError};

use super::globs::PathGlob;
use super::ignored::GitIgnoreRules;
use crate::limits;

/// The number of a subscription, given by the caller; no two open subscriptions may have the same number.
pub type SubscriptionId = u64;

/// The reason why a subscription was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SubscribeError {
    /// An invalid glob.
    #[error("the glob `{glob}` cannot be used: {why}")]
    BadGlob {
        /// The glob, shortened and escaped.
        glob: String,
        /// The error.
        why: String,
    },
    /// Over `limits::GLOBS`.
    #[error("a subscription has at most {} globs; make two", limits::GLOBS)]
    TooManyGlobs,
    /// Over `limits::GLOBS_BYTES`.
    #[error("the globs of a subscription have at most {} bytes in all; make two", limits::GLOBS_BYTES)]
    TooLongGlobs,
    /// Over `limits::SUBSCRIPTIONS`.
    #[error("there are too many subscriptions; close some")]
    TooMany,
    /// The number is in use.
    #[error("the subscription exists already")]
    Exists,
    /// The watcher is stopping.
    #[error("the daemon is stopping; subscribe to the next one")]
    Stopped,
}

impl From<SubscribeError> for RequestError {
    fn from(error: SubscribeError) -> Self {
        let (code, limit) = match error {
            SubscribeError::BadGlob { .. } => (ErrorCode::Malformed, None),
            SubscribeError::TooManyGlobs => (ErrorCode::TooLarge, Some(limits::GLOBS as u64)),
            SubscribeError::TooLongGlobs => (ErrorCode::TooLarge, Some(limits::GLOBS_BYTES as u64)),
            SubscribeError::TooMany => (ErrorCode::Busy, Some(limits::SUBSCRIPTIONS as u64)),
            SubscribeError::Stopped => (ErrorCode::Stopping, None),
            SubscribeError::Exists => (ErrorCode::Internal, None),
        };
        RequestError { limit, ..RequestError::new(code, error.to_string()) }
    }
}

/// All subscriptions, and the rules for ignored paths.
#[derive(Debug, Default)]
pub(super) struct SubscriptionTable {
    by_id: BTreeMap<SubscriptionId, Vec<PathGlob>>,
    starts: BTreeSet<PathBuf>,
    pub(super) ignored: GitIgnoreRules,
}

impl SubscriptionTable {
    /// Adds a subscription; without globs it includes every file. Returns the folders at which it begins.
    pub(super) fn add(
        &mut self,
        id: SubscriptionId,
        globs: &[String],
    ) -> Result<Vec<PathBuf>, SubscribeError> {
        if self.by_id.contains_key(&id) {
            return Err(SubscribeError::Exists);
        }
        if self.by_id.len() >= limits::SUBSCRIPTIONS {
            return Err(SubscribeError::TooMany);
        }
        if globs.len() > limits::GLOBS {
            return Err(SubscribeError::TooManyGlobs);
        }
        if globs.iter().map(String::len).sum::<usize>() > limits::GLOBS_BYTES {
            return Err(SubscribeError::TooLongGlobs);
        }
        let every = ["**".to_owned()];
        let globs = if globs.is_empty() { every.as_slice() } else { globs };
        let globs = globs.iter().map(|glob| PathGlob::parse(glob)).collect::<Result<Vec<_>, _>>()?;
        let starts: Vec<PathBuf> = globs.iter().map(|glob| glob.start.clone()).collect();
        self.starts.extend(starts.iter().cloned());
        self.by_id.insert(id, globs);
        Ok(starts)
    }

    /// Ends a subscription.
    pub(super) fn remove(&mut self, id: SubscriptionId) {
        self.by_id.remove(&id);
        self.starts = self.by_id.values().flatten().map(|glob| glob.start.clone()).collect();
    }

    /// Returns the folders at which the subscriptions begin.
    pub(super) fn starts(&self) -> &BTreeSet<PathBuf> {
        &self.starts
    }

    /// Returns the subscriptions that include a file.
    pub(super) fn matching(&self, path: &Path) -> Vec<SubscriptionId> {
        let mut ids = Vec::new();
        let mut ignored = None;
        for (id, globs) in &self.by_id {
            let mut matching = globs.iter().filter(|glob| glob.matches(path));
            if matching.any(|glob| self.shows(glob, path, false, &mut ignored)) {
                ids.push(*id);
            }
        }
        ids
    }

    /// Returns true if a subscription can include files directly in a folder.
    pub(super) fn reach(&self, folder: &Path) -> bool {
        let mut ignored = None;
        let mut reaching = self.by_id.values().flatten().filter(|glob| glob.reaches(folder));
        reaching.any(|glob| self.shows(glob, folder, true, &mut ignored))
    }

    /// Returns true if a glob includes a path in spite of the rules: the path is not ignored, or the glob names it,
    /// or an ignored folder above it, without a wildcard. `ignored` is computed at most once.
    fn shows(&self, glob: &PathGlob, path: &Path, is_dir: bool, ignored: &mut Option<bool>) -> bool {
        if !*ignored.get_or_insert_with(|| self.ignored.covers(path, is_dir)) || glob.literal == path {
            return true;
        }
        path.starts_with(&glob.start) && self.ignored.covers(&glob.start, true)
    }
}
