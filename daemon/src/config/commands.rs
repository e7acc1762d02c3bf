//! Parses the commands of a workspace and the exceptions of the check of syntax in `.editd.toml`. It gets the bytes
//! from its caller, starts no command and knows nothing of trust.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

mod check;
mod numbers;

use super::file::{self, ParsedConfig, WrittenDuration, WrittenSize};
use super::written::{self, WrittenSetting};
use super::{FileGlobs, RelaxedSetting};
use crate::limits;

/// The placeholder for the file's path below the workspace, in the words of a command.
pub const PATH: &str = "{path}";
/// The placeholder for the path of the file to read or change.
pub const FILE: &str = "{file}";
/// The word of a check that stands for the paths of all changed files.
pub const FILES: &str = "{files}";
/// The name of the built-in check of syntax, which no command may have.
pub const BUILT_IN: &str = "syntax";

/// The limits of a command if the file has none.
const TIMEOUT: Duration = Duration::from_secs(10);
const MEMORY: u64 = 2 << 30;
const OUTPUT: u64 = 1 << 20;

/// The groups that a pattern may have.
const GROUPS: [&str; 4] = ["path", "line", "col", "message"];

/// The purpose of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandKind {
    /// It reports issues of a content.
    Validator,
    /// It formats a content that is about to be written.
    Format,
    /// It may change a file that was just written.
    AfterWrite,
    /// It reports problems of the whole workspace after a job.
    Check,
}

impl CommandKind {
    /// Returns its name in `.editd.toml` and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Validator => "validator",
            Self::Format => "format",
            Self::AfterWrite => "after_write",
            Self::Check => "check",
        }
    }
}

/// A command of a workspace.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandSpec {
    /// Its purpose.
    pub kind: CommandKind,
    /// Its name, which is unique in the file.
    pub name: String,
    /// The files that it is for.
    pub files: FileGlobs,
    /// Program and arguments, at least the program. `{path}` and `{file}` are replaced.
    pub command: Vec<String>,
    /// Variables of its environment beside the usual ones: `NAME` passes the daemon's value, `NAME=VALUE` sets one.
    pub env: Vec<String>,
    /// Folders that it can write besides the workspace and that for its temporary files: absolute, or below `~/`.
    pub write: Vec<String>,
    /// The time that it may run.
    pub timeout: Duration,
    /// Bytes of memory that it and its children may use.
    pub memory: u64,
    /// Bytes that it may write to standard output and standard error together.
    pub output: u64,
    /// For a validator or a check: the form of an issue in its output; the default forms if `None`.
    pub pattern: Option<IssuePattern>,
    /// For a hook: true if its standard output is the file's new content; otherwise it may change the file itself.
    pub stdout: bool,
    /// For a check: the time for which the reply to a job waits for it.
    pub wait: Duration,
}

/// The form of an issue in a validator's output, with the optional groups `path`, `line`, `col` and `message`.
#[derive(Clone, Debug)]
pub struct IssuePattern(pub regex::bytes::Regex);

impl PartialEq for IssuePattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// The settings of the built-in check of syntax.
#[derive(Clone, PartialEq, Debug)]
pub struct SyntaxCheck {
    /// True if it is enabled.
    pub check: bool,
    /// Files that it skips.
    pub except: FileGlobs,
}

impl Default for SyntaxCheck {
    fn default() -> Self {
        Self { check: true, except: FileGlobs::default() }
    }
}

/// The checks and hooks of a `.editd.toml`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CommandConfig {
    /// Its commands: validators, then formatters, then hooks, then checks, each in the file's order.
    pub list: Vec<CommandSpec>,
    /// The built-in check of syntax.
    pub syntax: SyntaxCheck,
    /// The settings of the file that need trust.
    pub relaxed: Vec<RelaxedSetting>,
    /// All settings of the file, and its commands, as it has them.
    pub written: Vec<WrittenSetting>,
}

/// Parses the commands in the bytes of a whole `.editd.toml`.
///
/// # Errors
/// The first error anywhere in the file, with its line.
pub fn read_commands(bytes: &[u8]) -> Result<CommandConfig, String> {
    let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
    let (parsed, relaxed) = file::written(text)?;
    let written = written::find(text, &relaxed);
    numbers::check(text)?;
    Ok(CommandConfig { relaxed, written, ..commands(parsed) })
}

/// Returns the commands of a parsed file.
fn commands(written: ParsedConfig) -> CommandConfig {
    let validators = written.validator.into_iter().map(|mut fields| {
        let pattern = fields.pattern.take();
        CommandSpec { pattern, ..fields.spec() }
    });
    let formatters = written.format.into_iter().map(|fields| CommandSpec { stdout: true, ..fields.spec() });
    let hooks = written.after_write.into_iter().map(|hook| hook.0);
    let checks = written.check.into_iter().map(|check| check.0);
    let list = validators.chain(formatters).chain(hooks).chain(checks).collect();
    let syntax = written.syntax.map_or_else(SyntaxCheck::default, |syntax| SyntaxCheck {
        check: syntax.check.unwrap_or(true),
        except: syntax.except.unwrap_or_default(),
    });
    CommandConfig { list, syntax, relaxed: Vec::new(), written: Vec::new() }
}

/// `[[after_write]]`.
#[derive(Deserialize)]
#[serde(try_from = "HookFields")]
pub(super) struct WrittenHook(CommandSpec);

pub(super) use check::WrittenCheck;

/// `[syntax]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenSyntax {
    check: Option<bool>,
    except: Option<FileGlobs>,
}

/// Declares the fields of one kind of command: those of every kind, and its own. Each kind has a list of its own, so that
/// a key of another kind is reported with its line.
macro_rules! command_fields {
    ($name:ident, $kind:ident, $words:ty $(, $field:ident: $type:ty)*) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            name: CommandName,
            files: SomeFiles,
            command: $words,
            env: Option<CommandVariables>,
            write: Option<CommandFolders>,
            timeout: Option<CommandTimeout>,
            memory: Option<ByteSize<{ limits::COMMAND_MEMORY }>>,
            output: Option<ByteSize<{ limits::COMMAND_OUTPUT }>>,
            $($field: Option<$type>,)*
        }

        impl $name {
            /// Returns the command without the fields that only its kind has.
            fn spec(self) -> CommandSpec {
                CommandSpec {
                    kind: CommandKind::$kind,
                    name: self.name.0,
                    files: self.files.0,
                    command: self.command.0,
                    env: self.env.map_or_else(Vec::new, |env| env.0),
                    write: self.write.map_or_else(Vec::new, |write| write.0),
                    timeout: self.timeout.map_or(TIMEOUT, |time| time.0),
                    memory: self.memory.map_or(MEMORY, |size| size.0),
                    output: self.output.map_or(OUTPUT, |size| size.0),
                    pattern: None,
                    stdout: false,
                    wait: Duration::ZERO,
                }
            }
        }
    };
}

command_fields!(ValidatorFields, Validator, CommandWords, pattern: IssuePattern);
command_fields!(FormatterFields, Format, CommandWords);
command_fields!(HookFields, AfterWrite, CommandWords, stdout: bool);
command_fields!(CheckFields, Check, check::CheckWords, pattern: IssuePattern, wait: check::WaitTime);

impl TryFrom<HookFields> for WrittenHook {
    type Error = &'static str;

    fn try_from(fields: HookFields) -> Result<Self, &'static str> {
        let stdout = fields.stdout.unwrap_or(false);
        let spec = fields.spec();
        let named = spec.command.iter().any(|word| word.contains(PATH) || word.contains(FILE));
        if !stdout && !named {
            return Err(
                "`command` names neither {path} nor {file}: name the file that it may change, or say \
                        `stdout = true` if it writes the new content to standard output",
            );
        }
        Ok(Self(CommandSpec { stdout, ..spec }))
    }
}

struct CommandName(String);
struct SomeFiles(FileGlobs);
struct CommandWords(Vec<String>);
struct CommandVariables(Vec<String>);
struct CommandFolders(Vec<String>);
struct CommandTimeout(Duration);
struct ByteSize<const MOST: u64>(u64);

impl<'de> Deserialize<'de> for CommandName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        if name == BUILT_IN {
            return Err(de::Error::custom("`syntax` is the built-in check; choose another name"));
        }
        if name.trim().is_empty() || name.len() > limits::COMMAND_NAME || name.contains(char::is_control) {
            let most = limits::COMMAND_NAME;
            return Err(de::Error::custom(format_args!("a name is one line of 1 to {most} bytes")));
        }
        Ok(Self(name))
    }
}

impl<'de> Deserialize<'de> for SomeFiles {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let files = FileGlobs::deserialize(from)?;
        if files.globs().is_empty() {
            return Err(de::Error::custom("it matches no file; `[\"**\"]` matches every file"));
        }
        Ok(Self(files))
    }
}

impl<'de> Deserialize<'de> for CommandWords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(from)?;
        if words.first().is_none_or(String::is_empty) {
            return Err(de::Error::custom(
                "it names no program; write the program and its arguments as a list",
            ));
        }
        let bytes = words.iter().map(String::len).sum::<usize>();
        if words.len() > limits::COMMAND_WORDS || bytes > limits::COMMAND_BYTES {
            return Err(de::Error::custom(format_args!(
                "it has {} words and {bytes} bytes; the limit is {} words and {} bytes",
                words.len(),
                limits::COMMAND_WORDS,
                limits::COMMAND_BYTES
            )));
        }
        if words.iter().any(|word| word.contains('\0')) {
            return Err(de::Error::custom("a word has a NUL byte, which no program can receive"));
        }
        Ok(Self(words))
    }
}

impl<'de> Deserialize<'de> for CommandVariables {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let variables = Vec::<String>::deserialize(from)?;
        let bytes = variables.iter().map(String::len).sum::<usize>();
        if variables.len() > limits::COMMAND_WORDS || bytes > limits::COMMAND_BYTES {
            return Err(de::Error::custom(format_args!(
                "it has {} variables and {bytes} bytes; the limit is {} variables and {} bytes",
                variables.len(),
                limits::COMMAND_WORDS,
                limits::COMMAND_BYTES
            )));
        }
        let is_wrong = |one: &&String| one.is_empty() || one.starts_with('=') || one.contains('\0');
        if let Some(wrong) = variables.iter().find(is_wrong) {
            return Err(de::Error::custom(format_args!(
                "{wrong:?} is no variable; write \"NAME\" to pass the daemon's value, or \"NAME=VALUE\""
            )));
        }
        Ok(Self(variables))
    }
}

impl<'de> Deserialize<'de> for CommandFolders {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let folders = Vec::<String>::deserialize(from)?;
        let most = limits::COMMAND_FOLDERS;
        if folders.len() > most {
            return Err(de::Error::custom(format_args!("a command can write at most {most} more folders")));
        }
        let is_wrong = |one: &&String| !(one.starts_with('/') || one.starts_with("~/")) || one.contains('\0');
        if let Some(wrong) = folders.iter().find(is_wrong) {
            return Err(de::Error::custom(format_args!(
                "{wrong:?} is no folder; write an absolute path, or one that begins with \"~/\""
            )));
        }
        Ok(Self(folders))
    }
}

impl<'de> Deserialize<'de> for CommandTimeout {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenDuration(time) = WrittenDuration::deserialize(from)?;
        if time.is_zero() || time > limits::COMMAND_TIMEOUT {
            let most = limits::COMMAND_TIMEOUT.as_secs();
            return Err(de::Error::custom(format_args!("a command may run for 1ms to {most}s")));
        }
        Ok(Self(time))
    }
}

impl<'de, const MOST: u64> Deserialize<'de> for ByteSize<MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenSize(size) = WrittenSize::deserialize(from)?;
        if size == 0 {
            return Err(de::Error::custom("it must be more than 0"));
        }
        if size > MOST {
            return Err(de::Error::custom(format_args!("it may be {} MiB at most", MOST >> 20)));
        }
        Ok(Self(size))
    }
}

impl<'de> Deserialize<'de> for IssuePattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text.len() > limits::COMMAND_PATTERN {
            let most = limits::COMMAND_PATTERN;
            return Err(de::Error::custom(format_args!("a pattern has at most {most} bytes")));
        }
        let regex = regex::bytes::RegexBuilder::new(&text)
            .multi_line(true)
            .size_limit(limits::PATTERN_COMPILED)
            .build()
            .map_err(de::Error::custom)?;
        if let Some(strange) = regex.capture_names().flatten().find(|name| !GROUPS.contains(name)) {
            return Err(de::Error::custom(format_args!(
                "the group {strange:?} is unknown; use the groups {}",
                GROUPS.join(", ")
            )));
        }
        Ok(Self(regex))
    }
}

#[cfg(test)]
mod tests;
