//! Facts about running processes: parents, sessions and terminals. Changes nothing.

use std::process;

/// Returns the id of this process.
pub fn own_id() -> u32 {
    process::id()
}

/// A running process. Facts that the system does not report are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcessFacts {
    /// The process id.
    pub id: u32,
    /// The id of the parent; 0 if it is outside of the container.
    pub parent: u32,
    /// The id of the session leader, if the system reports it.
    pub session: Option<u32>,
    /// Set if the process leads its session.
    pub leads: bool,
    /// The controlling terminal, such as `pts/3`.
    pub terminal: Option<String>,
    /// The start time, in a format of the system.
    pub started: String,
    /// The name that the system has for the process.
    pub name: String,
    /// The name of the program file, without its folder.
    pub program: Option<String>,
    /// The command line.
    pub words: Vec<String>,
}

/// Returns the last part of a path, without the `-` in front of a login shell's name.
pub fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_prefix('-').unwrap_or(name)
}

#[cfg(target_os = "linux")]
pub use linux::{numbering, process};

#[cfg(all(unix, not(target_os = "linux")))]
pub use listed::process;

/// Returns nothing: the start is a full date, so an id and a start identify a process.
#[cfg(not(target_os = "linux"))]
pub fn numbering() -> String {
    String::new()
}

/// Returns nothing, since this system does not report facts about processes.
#[cfg(not(unix))]
pub fn process(_: u32) -> Option<ProcessFacts> {
    None
}

/// Facts from `/proc`.
#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    use super::ProcessFacts;

    /// The suffix of a program's link after its file was replaced. It must not change the name of a session.
    const REPLACED: &str = " (deleted)";

    /// Returns the facts about a process, or `None` if it has ended or is hidden.
    pub fn process(id: u32) -> Option<ProcessFacts> {
        let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
        let mut facts = parse(id, &String::from_utf8_lossy(&stat))?;
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = line.strip_suffix(b"\0").unwrap_or(&line);
        facts.words =
            line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        facts.program = fs::read_link(format!("/proc/{id}/exe")).ok().and_then(|path| program(&path));
        Some(facts)
    }

    fn program(path: &Path) -> Option<String> {
        let name = path.file_name()?.to_string_lossy();
        Some(name.strip_suffix(REPLACED).unwrap_or(&name).to_owned())
    }

    /// Parses `/proc/PID/stat`: id, name in parentheses, state, parent, group, session, terminal, … start.
    pub(super) fn parse(id: u32, stat: &str) -> Option<ProcessFacts> {
        let (head, rest) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        let mut fields = rest.split_whitespace().skip(1);
        let parent = fields.next()?.parse().ok()?;
        let session: u32 = fields.nth(1)?.parse().ok()?;
        let terminal = fields.next()?.parse::<i32>().ok().map(i32::cast_unsigned).and_then(device);
        let started = fields.nth(14)?.to_owned();
        let leads = session == id;
        Some(ProcessFacts {
            id,
            parent,
            session: Some(session),
            leads,
            terminal,
            started,
            name,
            ..ProcessFacts::default()
        })
    }

    /// Returns the name of a terminal's device number, as in the kernel's list of devices.
    fn device(number: u32) -> Option<String> {
        let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xf_ff00));
        match (major, minor) {
            (0, 0) => None,
            (136..=143, minor) => Some(format!("pts/{}", (major - 136) * 256 + minor)),
            (4, 0..=63) => Some(format!("tty{minor}")),
            (4, minor) => Some(format!("ttyS{}", minor - 64)),
            _ => Some(format!("tty{major}:{minor}")),
        }
    }

    /// Returns an identifier of this boot and this container, since each has its own process ids and start times.
    pub fn numbering() -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let container = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        format!("{} {}", boot.trim(), container.display())
    }
}

/// Facts from the program `ps`, for systems without `/proc`.
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "here only the tests use it"))]
mod listed {
    use std::process::{Command, Stdio};

    use super::{ProcessFacts, base_name};

    /// Returns the facts about a process, or `None` if it has ended or `ps` cannot be run.
    pub fn process(id: u32) -> Option<ProcessFacts> {
        let fields = ["ppid=", "tty=", "stat=", "lstart=", "args="];
        let mut command = Command::new("/bin/ps");
        command.arg("-ww").args(fields.iter().flat_map(|field| ["-o", field])).arg("-p").arg(id.to_string());
        let told = command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        parse(id, &String::from_utf8_lossy(&told.stdout))
    }

    /// Parses the parent, the terminal, the state (`s` for a session leader), the five words of a time, and the command
    /// line.
    pub(super) fn parse(id: u32, told: &str) -> Option<ProcessFacts> {
        let mut fields = told.split_whitespace();
        let parent = fields.next()?.parse().ok()?;
        let terminal = fields.next()?;
        let leads = fields.next()?.contains('s');
        let started: Vec<&str> = fields.by_ref().take(5).collect();
        let words: Vec<String> = fields.map(str::to_owned).collect();
        let program = words.first().map(|word| base_name(word).trim_end_matches(':').to_owned())?;
        Some(ProcessFacts {
            id,
            parent,
            session: None,
            leads,
            terminal: Some(terminal).filter(|name| !name.starts_with(['?', '-'])).map(str::to_owned),
            started: started.join(" "),
            name: program.clone(),
            program: Some(program),
            words,
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
