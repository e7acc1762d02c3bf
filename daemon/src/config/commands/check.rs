//! `[[check]]`: a command that runs on the workspace after a job was applied.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::super::file::WrittenDuration;
use super::{CheckFields, CommandSpec, FILE, FILES, PATH};
use crate::limits;

/// The limits of a check if the file has none: a compiler or a test run takes longer and more than a linter of one file.
const TIMEOUT: Duration = Duration::from_secs(120);
const MEMORY: u64 = 4 << 30;

/// `[[check]]`.
#[derive(Deserialize)]
#[serde(try_from = "CheckFields")]
pub(in crate::config) struct WrittenCheck(pub(super) CommandSpec);

impl TryFrom<CheckFields> for WrittenCheck {
    type Error = &'static str;

    fn try_from(mut fields: CheckFields) -> Result<Self, &'static str> {
        let (pattern, wait) = (fields.pattern.take(), fields.wait.take());
        let timeout = fields.timeout.as_ref().map_or(TIMEOUT, |time| time.0);
        let memory = fields.memory.as_ref().map_or(MEMORY, |size| size.0);
        let wait = wait.map_or(Duration::ZERO, |wait| wait.0);
        let spec = CommandSpec { pattern, wait, timeout, memory, ..fields.spec() };
        let per_file = |word: &String| word.contains(PATH) || word.contains(FILE);
        if spec.command.iter().any(per_file) {
            return Err(
                "a check runs once for all files of a job: use \"{files}\" instead of {path} and {file}",
            );
        }
        let is_part = |word: &String| word != FILES && word.contains(FILES);
        if spec.command.first().is_some_and(|program| program == FILES) || spec.command.iter().any(is_part) {
            return Err("\"{files}\" must be an argument of its own: it becomes one argument for each file");
        }
        Ok(Self(spec))
    }
}

/// The time for which replies wait.
pub(super) struct WaitTime(Duration);

impl<'de> Deserialize<'de> for WaitTime {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenDuration(time) = WrittenDuration::deserialize(from)?;
        if time > limits::CHECK_WAIT {
            let most = limits::CHECK_WAIT.as_secs();
            return Err(de::Error::custom(format_args!("a reply waits for at most {most}s")));
        }
        Ok(Self(time))
    }
}
