//! `create`: a new file, refused where something is. Fields: `text`, empty where absent. It overwrites nothing.

use editd_proto::message::Edit;

use super::effect::{Effect, Scene};
use super::given::Given;
use super::registry::Op;
use super::write::rewrite;
use crate::Refusal;
use crate::clip::Clips;

pub(crate) const FIELDS: &[&str] = &["text"];

/// A new file.
#[derive(Debug)]
pub(crate) struct Create<'a> {
    /// What it says then.
    pub(crate) text: Given<'a>,
}

pub(crate) fn parse(edit: &Edit, _: Option<f64>) -> Result<Op<'_>, Refusal> {
    Ok(Op::Create(Create { text: Given::plain(edit.text.as_deref().unwrap_or("")) }))
}

impl Create<'_> {
    /// Says what the file says.
    pub(crate) fn effect(&self, scene: &Scene<'_>, clips: &Clips<'_>) -> Result<Effect, Refusal> {
        Ok(rewrite(scene, &self.text.resolve(clips)?))
    }
}
