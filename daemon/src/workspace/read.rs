//! Reads, which give a session its read receipt, and observations for the watcher. Neither changes a file.

use std::sync::Arc;

use editd_engine::{FileView, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{
    ChangeEvent, ChangeKind, EntryKind, FileOutcome, JobStatus, ReadReply, ReadRequest, Receipt, SymbolInfo,
};
use editd_proto::path::FilePath;

use super::Workspace;
use crate::caller::Caller;
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::edit::{name_moved, sha256};
use crate::journal::external::{self, ObservationEffect};
use crate::journal::past::{self, PastBudget};
use crate::limits::{MEMORY_UNRESERVED, READER_HOLDS};
use crate::os::FileKind;
use crate::receipt::{self, lines::last_line};
use crate::record::{ReadReceipt, Record};
use crate::state::path_cache::ObservationVersion;
use crate::state::readable;
use crate::state::refusal::{disk_refusal, root_present, store_refusal};
use crate::state::{BudgetClass, Reservation, ReservedReply, lock};
use crate::transaction::DialectReply;

/// The most bytes of text in a reply: the other fields need space, too, mostly the path.
const ROOM: usize = limits::FRAME - 4 * limits::PATH;

/// The number of attempts to observe a path that jobs keep writing, before the hint is dropped.
const LOOKS: usize = 4;

impl Workspace {
    /// Reads a file and renews the session's receipt.
    ///
    /// # Errors
    /// `missing`, `outside`, `denied`, `unsupported`, `too_large`, `out_of_range`; `stale` if the client reports a
    /// content that the file does not have; for a symbol, those of [`editd_engine::view_symbol`].
    pub fn read(
        &self,
        caller: &Caller,
        request: &ReadRequest,
    ) -> Result<ReservedReply<'_, ReadReply>, Refusal> {
        self.read_if(caller, request, |_| Ok(()))
    }

    /// Reads a file after reserving memory for its bytes and the reply.
    pub(super) fn observe_reserved(
        &self,
        caller: &Caller,
        path: &FilePath,
        most: usize,
    ) -> Result<ObservedFile<'_>, Refusal> {
        let resolve = || self.state.disk.resolve(path).map_err(|error| Box::new(error.to_wire(path)));
        let mut place = resolve()?;
        let size = place.stat().map_or(0, |stat| readable(stat.size));
        // A file that is too large is not read.
        let size = if size > most { 0 } else { size };
        let holds =
            size.saturating_mul(READER_HOLDS).saturating_add(size.min(limits::FRAME).saturating_mul(2));
        let reservation = self.state.memory.acquire(&caller.owner, holds, BudgetClass::Reader)?;
        if holds > MEMORY_UNRESERVED {
            // The path may have changed while this request waited.
            place = resolve()?;
        }
        let version = lock(&self.state.path_cache).version(place.path());
        let room = (reservation.granted() / (READER_HOLDS + 2)).max(size).min(most);
        let observation = self
            .state
            .disk
            .observe_within(&place, room)
            .map_err(|error| disk_refusal(place.path(), &error))?;
        if let Observation::TooLarge(stat) = &observation
            && (1..=most).contains(&readable(stat.size))
        {
            let message = format!("{path} grows while it is read; read it again when it no longer grows");
            return Err(Box::new(RequestError::new(ErrorCode::Busy, message).at(path)));
        }
        Ok(ObservedFile { path: place.path().clone(), version, observation, reservation })
    }

    /// The same as [`Workspace::read`], unless `fits` refuses the reply: then the session gets no receipt either.
    fn read_if(
        &self,
        caller: &Caller,
        request: &ReadRequest,
        fits: impl FnOnce(&ReadReply) -> Result<(), Refusal>,
    ) -> Result<ReservedReply<'_, ReadReply>, Refusal> {
        check_fields(request)?;
        root_present(&self.state)?;
        let most = if request.symbol.is_some() { editd_engine::longest_parsed() } else { limits::FILE };
        let ObservedFile { path, version, observation, reservation } =
            self.observe_reserved(caller, &request.path, most)?;
        let earlier = self.state.store.seen(&caller.session, &path).map_err(|error| store_refusal(&error))?;
        let had = earlier.as_ref().map(|seen| seen.hash);
        external::note(&self.state, &path, &observation, version, had, observation.found().is_some());
        let found = self.file(&path, &observation)?;
        if let Some(seen) = &request.seen {
            check_seen(&path, seen, found)?;
        }
        let ShownPart { view, lines, symbol } = self.shown(caller, request, &path, &found.bytes)?;
        let shown = match &request.seen {
            Some(_) => 0,
            None => view.text.as_ref().map_or(0, String::len) + view.bytes.as_ref().map_or(0, Vec::len),
        };
        if shown > ROOM {
            return Err(too_much_to_show(&path, view.lines, shown));
        }
        // Lines after the end do not exist; a range that shows all lines is a read of the whole file.
        let whole = lines.is_none_or(|(first, last)| first <= 1 && last >= view.lines) || view.text.is_none();
        let hash = found.meta.hash;
        let now = self.state.clock.wall_ms();
        let renewed = match lines.filter(|_| !whole) {
            None => receipt::whole(hash, &found.bytes, now),
            Some((first, last)) => {
                let known = earlier.as_ref().map(|seen| self.carried(&path, seen, found, now));
                // A caller that was shown the last line has seen the end of the file.
                let end = if last >= view.lines { last_line(&found.bytes) } else { last };
                receipt::added(known.as_ref(), hash, ((first.max(1), last.min(view.lines.max(1))), end), now)
            }
        };
        let quiet = request.seen.is_some();
        let reply = ReadReply {
            path: path.clone(),
            version: hash.version(),
            hash: format!("blake3:{}", hash.hex()),
            text: view.text.filter(|_| !quiet),
            bytes: view.bytes.filter(|_| !quiet),
            lines: view.lines,
            first_line: view.first_line,
            encoding: view.encoding,
            line_ending: view.line_ending,
            bom: view.bom,
            size: found.meta.size,
            symbol,
        };
        fits(&reply)?;
        let renewed = receipt::of(caller, &path, renewed);
        if !earlier.is_some_and(|seen| receipt::says_the_same(&seen, &renewed)) {
            let record = Record::ReadReceipt(renewed);
            self.state.store.append(&[record]).map_err(|error| store_refusal(&error))?;
        }
        self.state.store.keep_content(hash, Arc::clone(&found.bytes));
        self.touch(&path);
        Ok(ReservedReply::new(reservation, reply))
    }

    /// Returns the receipt of an earlier read for the present content, with the lines that others have left alone
    /// since. So a read of a part of the file does not forget the rest, and adds only the part.
    fn carried(&self, path: &FilePath, seen: &ReadReceipt, found: &FileSnapshot, now: u64) -> ReadReceipt {
        if seen.hash.is_none_or(|hash| hash == found.meta.hash) {
            return seen.clone();
        }
        let present = (found.meta.hash, &*found.bytes);
        let before = past::of_receipt(&self.state, seen, present, &PastBudget::short(&self.state));
        let Some(before) = before else { return seen.clone() };
        let splices = editd_engine::splices_between(&before, &found.bytes);
        let change = receipt::KnownChange::new((&before, &found.bytes), &splices);
        let shown = receipt::changed_by_others(seen, found.meta.hash, &change, (&[], false), now);
        receipt::of_session(&seen.session, path, shown)
    }

    /// Returns the part of a file to show.
    fn shown(
        &self,
        caller: &Caller,
        request: &ReadRequest,
        path: &FilePath,
        bytes: &[u8],
    ) -> Result<ShownPart, Refusal> {
        let options = self.state.options([path]);
        if let Some(name) = &request.symbol {
            let _turn = self.state.parsing.turn_of_reader(&caller.owner, bytes.len())?;
            let shown = editd_engine::view_symbol(bytes, name, request.body, path, &options)?;
            return Ok(ShownPart { view: shown.view, lines: Some(shown.lines), symbol: Some(shown.symbol) });
        }
        let lines = if request.seen.is_some() { None } else { request.lines };
        let view = editd_engine::view(bytes, lines, path, &options)?;
        Ok(ShownPart { view, lines, symbol: None })
    }

    /// Reads a file for a payload that asks to see it: returns a receipt with the text in its dialect.
    pub(super) fn view(
        &self,
        caller: &Caller,
        request: &ReadRequest,
        dialect_reply: Option<&DialectReply>,
    ) -> Receipt {
        let mut receipt = Receipt::new(None, JobStatus::Unchanged);
        let read = self.read_if(caller, request, |read| {
            if let Some(dialect_reply) = dialect_reply {
                dialect_reply.add_view(read, &mut receipt);
            }
            match receipt.text.as_ref().map_or(0, String::len) {
                shown if shown > ROOM => Err(too_much_to_show(&read.path, read.lines, shown)),
                _ => Ok(()),
            }
        });
        let read = match read {
            Ok(read) => read.reply,
            Err(refusal) => return Receipt::refused(*refusal),
        };
        let version = Some(read.version);
        receipt.files.push(FileOutcome {
            before: version.clone(),
            after: version,
            ..FileOutcome::new(read.path, JobStatus::Unchanged)
        });
        receipt
    }

    pub(super) fn file<'a>(
        &self,
        path: &FilePath,
        observation: &'a Observation,
    ) -> Result<&'a FileSnapshot, Refusal> {
        let (code, message) = match observation {
            Observation::File(found) => return Ok(found),
            Observation::Absent => {
                let message = format!("{path} does not exist; check the path");
                let mut error = RequestError::new(ErrorCode::Missing, message).at(path);
                name_moved(&self.state, path, &mut error);
                return Err(Box::new(error));
            }
            // It could be read, but the parser takes no file of this size.
            Observation::TooLarge(stat) if readable(stat.size) > 0 => {
                return Err(editd_engine::too_long_to_parse(path, readable(stat.size)));
            }
            Observation::TooLarge(stat) => {
                let message =
                    format!("{path} has {} bytes; editd reads files up to {} bytes", stat.size, limits::FILE);
                let mut error = RequestError::new(ErrorCode::TooLarge, message).at(path);
                error.limit = Some(limits::FILE as u64);
                return Err(Box::new(error));
            }
            Observation::Unreadable(_) => (
                ErrorCode::Denied,
                format!("{path} may not be read; change its permissions, or run the daemon as its owner"),
            ),
            Observation::Other(FileKind::Dir) => {
                (ErrorCode::Unsupported, format!("{path} is a folder; name a file in it"))
            }
            Observation::Other(_) => (ErrorCode::Unsupported, format!("{path} is no regular file; name one")),
        };
        Err(Box::new(RequestError::new(code, message).at(path)))
    }

    /// Observes a path for a hint of the watcher. A change by another program of a file that a session read or the
    /// daemon wrote becomes an `external` entry. Returns `None` if nothing changed since the last observation, otherwise the
    /// event, which the caller sends.
    pub fn observe(&self, path: &FilePath) -> Option<ChangeEvent> {
        let event = self.noticed(path)?;
        if let Some(entry) = event.entry {
            lock(&self.state.unreported).remove(entry);
        }
        Some(event)
    }

    /// Returns true if the file at a path is the one that the last job put there, and no program has changed it since
    /// by its metadata. Its content is not read: a program that writes it within a tick of the file system's clock makes
    /// an event of its own.
    pub fn is_as_left(&self, path: &FilePath) -> bool {
        let Ok(Some(place)) = self.state.disk.find(path) else { return false };
        let left = |stat| lock(&self.state.path_cache).is_as_left(path, stat);
        place.path() == path && place.stat().is_some_and(left)
    }

    /// The same as `observe` for a request: the event of an entry is sent after it.
    pub(super) fn noticed(&self, path: &FilePath) -> Option<ChangeEvent> {
        for _ in 0..LOOKS {
            let place = self.state.disk.find(path).ok()?;
            let was_file = lock(&self.state.path_cache).tracked(path);
            let place = place.filter(|place| !was_file || place.path() == path);
            // A tracked file is gone if something else has its name. The journal ignores other paths that cannot be those
            // of files, and links.
            if place.is_none() && !was_file {
                return None;
            }
            let path = place.as_ref().map_or(path, ResolvedPath::path);
            let version = lock(&self.state.path_cache).version(path);
            if version == ObservationVersion::Busy {
                continue;
            }
            let before = lock(&self.state.path_cache).hash(path);
            let observation = match &place {
                Some(place) => self.state.disk.observe(place).ok()?,
                None => Observation::Absent,
            };
            if !lock(&self.state.path_cache).valid(path, version) {
                continue;
            }
            return self.event(path, &observation, version, before);
        }
        None
    }

    fn event(
        &self,
        path: &FilePath,
        observation: &Observation,
        version: ObservationVersion,
        before: Option<Option<editd_proto::ids::ContentHash>>,
    ) -> Option<ChangeEvent> {
        let entry = match external::note(&self.state, path, observation, version, None, false) {
            ObservationEffect::Nothing => return None,
            ObservationEffect::Untracked => None,
            ObservationEffect::Entry(id) => Some(id),
        };
        let now = observation.hash();
        let change = match (before, now) {
            (_, None) => ChangeKind::Removed,
            (Some(None), Some(_)) => ChangeKind::Created,
            (_, Some(_)) => ChangeKind::Changed,
        };
        Some(ChangeEvent {
            change,
            path: Some(path.clone()),
            version: now.map(|hash| hash.version()),
            entry,
            by: entry.map(|_| EntryKind::External),
            session: entry.and_then(|id| self.author(id)),
            message: None,
            check: None,
        })
    }

    /// Returns the entries of changes by other programs whose events are due, each once; true if some were lost.
    pub fn unreported(&self) -> (Vec<JobId>, bool) {
        lock(&self.state.unreported).take()
    }

    /// Returns the session that announced a change, if one did.
    fn author(&self, change: JobId) -> Option<String> {
        let entry = self.state.store.summary(change).ok().flatten()?;
        (!entry.is_outside()).then_some(entry.session)
    }
}

/// A file that was read, with the memory reserved for its content.
pub(super) struct ObservedFile<'h> {
    /// Its path, links resolved.
    pub(super) path: FilePath,
    /// The version of the observation.
    pub(super) version: ObservationVersion,
    /// The state of the file.
    pub(super) observation: Observation,
    /// The memory reserved for the content.
    pub(super) reservation: Reservation<'h>,
}

/// The part of a file that a reader is shown.
struct ShownPart {
    view: FileView,
    /// The lines of the part; `None` if it is the whole file.
    lines: Option<(u64, u64)>,
    symbol: Option<SymbolInfo>,
}

/// Refuses fields that contradict each other.
fn check_fields(request: &ReadRequest) -> Result<(), Refusal> {
    let message = match (&request.symbol, &request.lines, &request.seen) {
        (None, ..) if request.body => "`body` is that of a `symbol`; name one",
        (Some(_), Some(_), _) => "`symbol` and `lines` both say what to read; send one of them",
        (Some(_), _, Some(_)) => "`seen` reports the whole file; leave `symbol` out",
        _ => return Ok(()),
    };
    Err(Box::new(RequestError::new(ErrorCode::Malformed, message).at(&request.path)))
}

fn too_much_to_show(path: &FilePath, lines: u64, shown: usize) -> Refusal {
    let message = format!("{path} has {shown} bytes to show; read at most {ROOM} at once, by lines");
    let mut error = RequestError::new(ErrorCode::TooLarge, message).at(path);
    error.lines = Some(lines);
    error.limit = Some(ROOM as u64);
    Box::new(error)
}

/// Compares the hash that a client computed of a file it read itself with the present content.
fn check_seen(path: &FilePath, seen: &str, found: &FileSnapshot) -> Result<(), Refusal> {
    let lower = seen.to_ascii_lowercase();
    let same = match lower.split_once(':') {
        Some(("blake3", digest)) => found.meta.hash.hex() == digest,
        Some(("sha256", digest)) => sha256(&found.bytes) == digest,
        _ => {
            let message = format!("seen {seen:?} is no `blake3:` or `sha256:` with 64 hexadecimal digits");
            return Err(Box::new(RequestError::new(ErrorCode::Malformed, message).at(path)));
        }
    };
    if same {
        return Ok(());
    }
    let message = format!("the content of {path} does not have the hash in `seen`; read it again");
    let mut error = RequestError::new(ErrorCode::Stale, message).at(path);
    error.version = Some(found.meta.hash.version());
    Err(Box::new(error))
}
