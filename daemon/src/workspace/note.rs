//! The request `note`: names the author of changes that other tools make. It changes no file; what it finds becomes
//! entries.

use std::collections::BTreeSet;
use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::codec::check_name;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;
use editd_proto::message::{NotePhase, NoteReply, NoteRequest};
use editd_proto::path::FilePath;

use super::Workspace;
use super::read::ObservedFile;
use crate::caller::Caller;
use crate::edit::{changed_since_read, has_changed};
use crate::journal::external;
use crate::limits::{NOTE_PATHS, NOTED_PATHS, NOTES, REFUSAL_SHOWS};
use crate::record::Record;
use crate::state::announced::{AnnouncedCall, AnnouncementLimit};
use crate::state::lock;
use crate::state::refusal::{log_present, root_present, store_refusal};

impl Workspace {
    /// Announces the changes of a call of another tool, or ends the call and returns its entries.
    ///
    /// # Errors
    /// `malformed` for fields that contradict each other; `too_large` and `limit` for too many paths or announcements;
    /// the errors of paths that cannot be read; with `check`, `stale` for a file that is not what the session has read.
    pub fn note(&self, caller: &Caller, request: &NoteRequest) -> Result<NoteReply, Refusal> {
        check_fields(request)?;
        root_present(&self.state)?;
        log_present(&self.state)?;
        let session = request.session.clone().unwrap_or_else(|| caller.session.clone());
        let author = Caller { session, ..caller.clone() };
        match request.phase {
            NotePhase::Begin => self.begin_call(&author, request),
            NotePhase::End => self.end_call(&author, request),
        }
    }

    /// Returns true if a call that was announced and has not ended names a path.
    pub fn is_announced(&self, path: &FilePath) -> bool {
        let now = self.state.steady.now_ms(&*self.state.clock);
        lock(&self.state.announced).names(path, now)
    }

    fn begin_call(&self, author: &Caller, request: &NoteRequest) -> Result<NoteReply, Refusal> {
        // Earlier changes are not those of the call.
        let paths = if request.paths.is_empty() {
            self.look_at_tracked(author)?;
            None
        } else {
            Some(self.look_at_named(author, request)?)
        };
        self.announce_call(author, request, paths)?;
        Ok(NoteReply { announced: true, entries: Vec::new(), omitted: None })
    }

    fn end_call(&self, author: &Caller, request: &NoteRequest) -> Result<NoteReply, Refusal> {
        let name = request.call.as_deref().unwrap_or_default();
        let now = || self.state.steady.now_ms(&*self.state.clock);
        let known = lock(&self.state.announced).paths(&author.session, name, now());
        let announced = known.is_some();
        let paths = match known {
            // A path at which no file could be when the call began, or that another call has taken over.
            Some(Some(mut named)) => {
                let more = self.resolved(&request.paths).unwrap_or_default();
                lock(&self.state.announced).add(&author.session, name, &more);
                named.extend(more);
                Some(named)
            }
            Some(None) => None,
            // Nothing says since when changes are those of the session.
            None if request.paths.is_empty() => {
                return Ok(NoteReply { announced, entries: Vec::new(), omitted: None });
            }
            None => {
                // What was not noticed until now is the work of the call.
                let paths = self.resolved(&request.paths)?;
                self.announce_call(author, request, Some(paths.clone()))?;
                Some(paths)
            }
        };
        let observed = match paths {
            Some(named) => named.iter().try_for_each(|path| self.look(author, path)),
            None => self.look_at_tracked(author),
        };
        // Whatever was found, the call is over: it claims nothing more.
        let ended = lock(&self.state.announced).end(&author.session, name).unwrap_or_default();
        let receipts: Vec<Record> = ended.receipts.into_iter().map(Record::ReadReceipt).collect();
        if !receipts.is_empty() {
            self.state.store.append(&receipts).map_err(|error| store_refusal(&error))?;
        }
        observed?;
        let omitted = (ended.omitted > 0).then_some(ended.omitted);
        Ok(NoteReply { announced, entries: ended.entries, omitted })
    }

    fn announce_call(
        &self,
        author: &Caller,
        request: &NoteRequest,
        paths: Option<BTreeSet<FilePath>>,
    ) -> Result<(), Refusal> {
        let call = AnnouncedCall { client: author.client.clone(), label: request.label.clone(), paths };
        let name = request.call.as_deref().unwrap_or_default();
        let now = self.state.steady.now_ms(&*self.state.clock);
        let begun = lock(&self.state.announced).begin(&author.session, name, call, now);
        begun.map_err(too_many)
    }

    /// Reads the named files, so that their changes will be journaled. With `check`, refuses those that are not what the
    /// session has read. Returns the paths with links resolved, without those at which no file can be: the other tool refuses
    /// them itself.
    ///
    /// # Errors
    /// The first error of a path if there is no other path.
    fn look_at_named(&self, author: &Caller, request: &NoteRequest) -> Result<BTreeSet<FilePath>, Refusal> {
        let mut paths = BTreeSet::new();
        let (mut unusable, mut stale, mut more) = (None, Vec::new(), 0_u64);
        let mut room = REFUSAL_SHOWS;
        for path in &request.paths {
            let observed = match self.observe_reserved(author, path, limits::FILE) {
                Err(error) if is_of_path(&error) => {
                    unusable.get_or_insert(error);
                    continue;
                }
                observed => observed?,
            };
            let ObservedFile { path, version, observation, reservation: _reservation } = observed;
            let seen =
                self.state.store.seen(&author.session, &path).map_err(|error| store_refusal(&error))?;
            let had = seen.map(|seen| seen.hash);
            external::note(&self.state, &path, &observation, version, had, true);
            if let Some(found) = observation.found() {
                self.state.store.keep_content(found.meta.hash, Arc::clone(&found.bytes));
            }
            self.touch(&path);
            // What is not shown does not count as read: the next call is refused for it.
            if request.check && stale.len() <= limits::OTHER_ERRORS {
                stale.extend(changed_since_read(&self.state, author, &path, &observation, &mut room)?);
            } else if request.check && has_changed(&self.state, author, &path, &observation)? {
                more += 1;
            }
            paths.insert(path);
        }
        let mut refusals = stale.into_iter();
        let Some(mut first) = refusals.next() else {
            return match unusable.filter(|_| paths.is_empty()) {
                Some(error) => Err(error),
                None => Ok(paths),
            };
        };
        first.others = refusals.map(|other| *other).collect();
        first.more = (more > 0).then_some(more);
        Err(first)
    }

    /// Returns the paths with links resolved, without those at which no file can be.
    ///
    /// # Errors
    /// The first error if there is no other path.
    fn resolved(&self, paths: &[FilePath]) -> Result<BTreeSet<FilePath>, Refusal> {
        let mut unusable = None;
        let mut resolved = BTreeSet::new();
        for path in paths {
            match self.state.disk.resolve(path) {
                Ok(place) => drop(resolved.insert(place.path().clone())),
                Err(error) => drop(unusable.get_or_insert_with(|| Box::new(error.to_wire(path)))),
            }
        }
        match unusable.filter(|_| resolved.is_empty()) {
            Some(error) => Err(error),
            None => Ok(resolved),
        }
    }
}

/// Returns true if an error is about the path alone, so that other paths of the request are not affected.
fn is_of_path(error: &RequestError) -> bool {
    !matches!(error.code, ErrorCode::Busy | ErrorCode::Stopping | ErrorCode::Internal | ErrorCode::Limit)
}

/// Refuses fields that contradict each other or are over their limits.
fn check_fields(request: &NoteRequest) -> Result<(), Refusal> {
    let names = [("session", &request.session), ("label", &request.label), ("call", &request.call)];
    for (what, name) in names {
        if let Some(name) = name {
            check_name(what, name)?;
        }
    }
    if request.check && (request.phase == NotePhase::End || request.paths.is_empty()) {
        let message =
            "`check` compares the files in `paths` before a call; send it with `begin` and with paths";
        return Err(Box::new(RequestError::new(ErrorCode::Malformed, message)));
    }
    if request.paths.len() > NOTE_PATHS {
        let count = request.paths.len();
        let message = format!(
            "a note names at most {NOTE_PATHS} paths, and this one names {count}; leave them out to mean every file"
        );
        let mut error = RequestError::new(ErrorCode::TooLarge, message);
        error.limit = Some(NOTE_PATHS as u64);
        return Err(Box::new(error));
    }
    Ok(())
}

fn too_many(limit: AnnouncementLimit) -> Refusal {
    let (most, what) = match limit {
        AnnouncementLimit::OfAll => (NOTES, "announced calls"),
        AnnouncementLimit::Paths => (NOTED_PATHS, "paths of announced calls"),
    };
    let message = format!("there are {most} {what} already; send `end` for calls that have ended");
    let mut error = RequestError::new(ErrorCode::Limit, message);
    error.limit = Some(most as u64);
    Box::new(error)
}
