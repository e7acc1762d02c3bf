//! Outlines: the definitions of a file. It shows no content, so it gives no read receipt; it changes nothing.

use editd_engine::Refusal;
use editd_proto::message::{OutlineReply, OutlineRequest};

use super::Workspace;
use super::read::ObservedFile;
use crate::caller::Caller;
use crate::state::ReservedReply;
use crate::state::refusal::root_present;

impl Workspace {
    /// Lists the definitions in a file.
    ///
    /// # Errors
    /// `missing`, `outside`, `denied`, and those of [`editd_engine::outline`].
    pub fn outline(
        &self,
        caller: &Caller,
        request: &OutlineRequest,
    ) -> Result<ReservedReply<'_, OutlineReply>, Refusal> {
        root_present(&self.state)?;
        let ObservedFile { path, observation, reservation, .. } =
            self.observe_reserved(caller, &request.path, editd_engine::longest_parsed())?;
        let found = self.file(&path, &observation)?;
        let outlined = {
            let _turn = self.state.parsing.turn_of_reader(&caller.owner, found.bytes.len())?;
            editd_engine::outline(&found.bytes, request.depth, &path, &self.state.options([&path]))?
        };
        let mut warnings = Vec::new();
        if outlined.broken {
            let warning =
                "the file has syntax errors: symbols may be missing, or end elsewhere than they seem to";
            warnings.push(warning.to_owned());
        }
        let reply = OutlineReply {
            version: found.meta.hash.version(),
            path,
            language: outlined.language.to_owned(),
            symbols: outlined.symbols,
            omitted: (outlined.omitted > 0).then_some(outlined.omitted),
            warnings,
        };
        Ok(ReservedReply::new(reservation, reply))
    }
}
