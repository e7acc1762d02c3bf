//! `[[check]]`: a command that runs on the workspace after a job was applied.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::super::file::WrittenDuration;
use super::{CheckFields, CommandSpec, CommandWords, FILE, FILES, PATH};
use crate::limits;

/// The limits of a check if the file has none: a compiler or a test run takes longer and more than a linter of one file.
const TIMEOUT: Duration = Duration::from_secs(120);
const MEMORY: u64 = 4 << 30;

/// `[[check]]`.
#[derive(Deserialize)]
#[serde(from = "CheckFields")]
pub(in crate::config) struct WrittenCheck(pub(super) CommandSpec);

impl From<CheckFields> for WrittenCheck {
    fn from(mut fields: CheckFields) -> Self {
        let (pattern, wait) = (fields.pattern.take(), fields.wait.take());
        let timeout = fields.timeout.as_ref().map_or(TIMEOUT, |time| time.0);
        let memory = fields.memory.as_ref().map_or(MEMORY, |size| size.0);
        let wait = wait.map_or(Duration::ZERO, |wait| wait.0);
        Self(CommandSpec { pattern, wait, timeout, memory, ..fields.spec() })
    }
}

/// The program and the arguments of a check.
pub(super) struct CheckWords(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for CheckWords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let CommandWords(words) = CommandWords::deserialize(from)?;
        if words.iter().any(|word| word.contains(PATH) || word.contains(FILE)) {
            return Err(de::Error::custom(
                "a check runs once for all files of a job: use \"{files}\" instead of {path} and {file}",
            ));
        }
        let is_part = |word: &String| word != FILES && word.contains(FILES);
        if words.first().is_some_and(|program| program == FILES) || words.iter().any(is_part) {
            return Err(de::Error::custom(
                "\"{files}\" must be an argument of its own: it becomes one argument for each file",
            ));
        }
        Ok(Self(words))
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
