//! The requests for clipboards: list, show, set, copy, remove.

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;
use editd_proto::message::{ClipAction, ClipReply, ClipRequest};

use super::Workspace;
use crate::caller::Caller;
use crate::clipboard;
use crate::record::{ClipboardRecord, Record};
use crate::state::refusal::{log_present, store_refusal};
use crate::state::undecided::AppendWatch;
use crate::transaction::check_clips;

impl Workspace {
    /// Answers a request for clipboards.
    ///
    /// # Errors
    /// `malformed` for a missing or bad name, `no_clipboard` for one that is empty, `too_large`, `io`.
    pub fn clip(&self, caller: &Caller, request: &ClipRequest) -> Result<ClipReply, Refusal> {
        if request.action == ClipAction::List {
            let mut clips = self.state.store.clips(&caller.session).map_err(|error| store_refusal(&error))?;
            // Jobs that were checked at the same moment may together have stored more than the limit.
            let omitted = clips.len().saturating_sub(limits::CLIPBOARDS) as u64;
            clips.truncate(limits::CLIPBOARDS);
            let omitted = Some(omitted).filter(|more| *more > 0);
            return Ok(ClipReply { clips: Some(clips), omitted, ..ClipReply::default() });
        }
        let name = wanted(request.name.as_deref(), "name")?;
        clipboard::check_name(name)?;
        match request.action {
            ClipAction::List | ClipAction::Show => self.show_clip(caller, name),
            ClipAction::Set => {
                let text = wanted(request.text.as_deref(), "text")?;
                check_clips(&self.state, &caller.session, &[(name, text.len())])?;
                self.store_clip(caller, name, Some(text.as_bytes().to_vec()), None)
            }
            ClipAction::Copy => {
                let to = wanted(request.to.as_deref(), "to")?;
                let clip = self.find_clip(caller, name)?;
                let bytes = clip.bytes.as_ref().map_or(0, Vec::len);
                check_clips(&self.state, &caller.session, &[(to, bytes)])?;
                self.store_clip(caller, to, clip.bytes, clip.origin)
            }
            ClipAction::Rm => {
                self.find_clip(caller, name)?;
                self.store_clip(caller, name, None, None)
            }
        }
    }

    fn find_clip(&self, caller: &Caller, name: &str) -> Result<ClipboardRecord, Refusal> {
        let session = clipboard::owner(&caller.session, name);
        let clip = self.state.store.clip(session, name).map_err(|error| store_refusal(&error))?;
        clip.filter(|clip| clip.bytes.is_some()).ok_or_else(|| {
            let message =
                format!("clipboard {name:?} is empty; `editctl clip list` lists those with content");
            Box::new(RequestError::new(ErrorCode::NoClipboard, message))
        })
    }

    fn show_clip(&self, caller: &Caller, name: &str) -> Result<ClipReply, Refusal> {
        let clip = self.find_clip(caller, name)?;
        let (text, bytes) = match String::from_utf8(clip.bytes.unwrap_or_default()) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(error.into_bytes())),
        };
        let name = Some(name.to_owned());
        Ok(ClipReply { name, text, bytes, origin: clip.origin, ..ClipReply::default() })
    }

    fn store_clip(
        &self,
        caller: &Caller,
        name: &str,
        bytes: Option<Vec<u8>>,
        origin: Option<editd_proto::FilePath>,
    ) -> Result<ClipReply, Refusal> {
        let clip = ClipboardRecord {
            session: caller.session.clone(),
            name: name.to_owned(),
            bytes,
            origin: origin.clone(),
            time: self.state.clock.wall_ms(),
        };
        log_present(&self.state)?;
        let watch = AppendWatch::before_append(&self.state.store);
        let durable =
            self.state.store.append(&[Record::Clip(clip)]).and_then(|at| self.state.store.flush(at));
        let _durable = durable.map_err(|error| {
            if !watch.may_be_stored(&error) {
                return store_refusal(&error);
            }
            let message = format!(
                "{error}; the change of clipboard {name:?} may be in the log; restart the daemon, then check with \
                 `editctl clip show {name}`"
            );
            Box::new(RequestError::new(ErrorCode::Io, message))
        })?;
        Ok(ClipReply { name: Some(name.to_owned()), origin, ..ClipReply::default() })
    }
}

fn wanted<'a>(field: Option<&'a str>, name: &str) -> Result<&'a str, Refusal> {
    field.ok_or_else(|| {
        Box::new(RequestError::new(ErrorCode::Malformed, format!("this clipboard request needs `{name}`")))
    })
}
