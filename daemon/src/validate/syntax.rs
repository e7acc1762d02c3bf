//! The built-in check of syntax over the contents of a job. It starts no process.

use super::check::{Content, Told};
use super::issues::Found;
use crate::limits::SYNTAX_BYTES;

/// What the built-in check has against each content; contents beyond [`SYNTAX_BYTES`] in all are not looked at.
pub(super) fn introduced(
    content: &Content<'_>,
    looked_at: &mut usize,
    options: &editd_engine::Options,
) -> Told {
    let bytes = content.new.len().saturating_add(content.old.map_or(0, <[u8]>::len));
    *looked_at = looked_at.saturating_add(bytes);
    if *looked_at > SYNTAX_BYTES {
        let note = format!(
            "its syntax was not checked: the job has more than {SYNTAX_BYTES} bytes of text to look at"
        );
        return Told { note: Some(note), ..Told::default() };
    }
    match editd_engine::introduced(content.path, content.old, content.new, options) {
        Err(why) => Told { note: Some(format!("its syntax was not checked: {why}")), ..Told::default() },
        Ok(errors) => {
            let found = errors.into_iter().map(|error| Found {
                elsewhere: None,
                line: Some(error.line),
                column: Some(error.column),
                message: error.message,
                bare: false,
            });
            Told { issues: found.collect(), note: None }
        }
    }
}
