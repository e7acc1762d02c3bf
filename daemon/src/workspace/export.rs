//! The reply to `export`: the journal as lines of JSON, in pieces; and the import, while no daemon serves. It changes no
//! file of the workspace.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{ExportReply, ExportRequest};

use super::history::{ASKINGS, in_motion};
use super::{OpenError, Workspace};
use crate::caller::Caller;
use crate::disk::Disk;
use crate::os::Os;
use crate::state::refusal::{no_entry, store_refusal};
use crate::state::{BudgetClass, ReservedReply};
use crate::store::StoreOptions;
use crate::store::portable::PIECE;
use crate::store::portable::export::{ExportCursor, ExportPiece};
use crate::store::portable::import::{ImportReport, import};

/// The bytes that a piece without large entries holds: its lines, their encoding, and the frame.
const HOLDS: usize = 6 * PIECE;

impl Workspace {
    /// Returns a piece of the exported journal, and the position of the next one.
    ///
    /// # Errors
    /// `not_found` if there is no entry from `since` on, `malformed` for a `cursor` of no export, `busy` if there is not
    /// enough memory, `io` if the journal cannot be read.
    pub fn export(
        &self,
        caller: &Caller,
        request: &ExportRequest,
    ) -> Result<ReservedReply<'_, ExportReply>, Refusal> {
        let mut needs = HOLDS;
        for _ in 0..ASKINGS {
            let reservation = self.state.memory.acquire(&caller.owner, needs, BudgetClass::Reader)?;
            let piece = match &request.cursor {
                None => self.first_piece(request.since)?,
                Some(cursor) => {
                    let cursor = ExportCursor::parse(cursor).ok_or_else(not_a_cursor)?;
                    let piece = self.state.store.export_next(&cursor, &|bytes| reservation.grow(bytes));
                    piece.map_err(|error| store_refusal(&error))?
                }
            };
            match piece.needs.filter(|_| piece.bytes.is_empty()) {
                Some(more) => needs = more,
                None => {
                    let cursor = piece.next.map(|next| next.to_string());
                    return Ok(ReservedReply::new(reservation, ExportReply { bytes: piece.bytes, cursor }));
                }
            }
        }
        Err(in_motion())
    }

    fn first_piece(&self, since: Option<JobId>) -> Result<ExportPiece, Refusal> {
        let root = self.state.root.as_os_str().as_encoded_bytes();
        let piece = self.state.store.export_first(since, root, self.state.clock.wall_ms());
        let piece = piece.map_err(|error| store_refusal(&error))?;
        match since.filter(|since| piece.next.as_ref().is_some_and(|next| next.last < since.0)) {
            Some(since) => Err(no_entry(&self.state, since)),
            None => Ok(piece),
        }
    }

    /// Imports an exported journal into the empty one of a workspace, with the lock of the workspace.
    ///
    /// # Errors
    /// Fails if a daemon serves the workspace, the journal is not empty, a line of the file is wrong, or the system
    /// fails. Nothing was imported then.
    pub fn import(
        os: &Arc<dyn Os>,
        root: &Path,
        state: &Path,
        source: &mut dyn Read,
        options: &StoreOptions,
        now_ms: u64,
    ) -> Result<ImportReport, OpenError> {
        let _locked = Disk::open(Arc::clone(os), root).map_err(|error| OpenError(error.to_string()))?;
        let dir = os
            .open_dir(state)
            .map_err(|error| OpenError(format!("cannot open the state folder: {error}")))?;
        import(os, &dir, source, options, now_ms).map_err(|error| OpenError(error.to_string()))
    }
}

fn not_a_cursor() -> Refusal {
    let message = "that `cursor` is not from an earlier reply to `export`; begin again without one";
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}
