//! Outlines: what a file defines. It shows no content, so it gives no receipt; it changes nothing.

use editd_engine::Refusal;
use editd_proto::message::{OutlineReply, OutlineRequest};

use super::Workspace;
use crate::job::{disk_refusal, standing};

impl Workspace {
    /// Lists the definitions in a file.
    ///
    /// # Errors
    /// `missing`, `outside`, `denied`, and those of [`editd_engine::outline`].
    pub fn outline(&self, request: &OutlineRequest) -> Result<OutlineReply, Refusal> {
        standing(&self.rooms)?;
        let place =
            self.rooms.disk.resolve(&request.path).map_err(|error| Box::new(error.to_wire(&request.path)))?;
        let path = place.path().clone();
        let sight = self.rooms.disk.look(&place).map_err(|error| disk_refusal(&path, &error))?;
        let found = self.file(&path, &sight)?;
        let outlined = {
            let _turn = self.rooms.parsing.turn_of_reader(found.bytes.len())?;
            editd_engine::outline(&found.bytes, request.depth, &path, &self.rooms.options([&path]))?
        };
        let mut warnings = Vec::new();
        if outlined.broken {
            let warning =
                "the file has syntax errors: symbols may be missing, or end elsewhere than they seem to";
            warnings.push(warning.to_owned());
        }
        Ok(OutlineReply {
            version: found.face.hash.version(),
            path,
            language: outlined.language.to_owned(),
            symbols: outlined.symbols,
            omitted: (outlined.omitted > 0).then_some(outlined.omitted),
            warnings,
        })
    }
}
