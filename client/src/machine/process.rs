//! Facts about running processes, as the system tells them: parents, sessions, terminals. It only looks.

use std::process;

/// The number of the process that runs this.
pub fn own_id() -> u32 {
    process::id()
}

/// One running process. What the system does not tell is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcessFacts {
    /// Its number.
    pub id: u32,
    /// The number of its parent; 0 where that is outside of the container.
    pub parent: u32,
    /// The number of the leader of its session, where the system tells it.
    pub session: Option<u32>,
    /// Set if it leads its session.
    pub leads: bool,
    /// Its controlling terminal, such as `pts/3`.
    pub terminal: Option<String>,
    /// When it started, in a form of the system's own.
    pub started: String,
    /// Its name, as the system calls it.
    pub name: String,
    /// The program that it runs, without its folder.
    pub program: Option<String>,
    /// Its command line.
    pub words: Vec<String>,
}

/// The last part of a path, without the `-` in front of a login shell's name.
pub fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_prefix('-').unwrap_or(name)
}

#[cfg(target_os = "linux")]
pub use linux::{numbering, process};

#[cfg(all(unix, not(target_os = "linux")))]
pub use listed::process;

/// Returns nothing: the start is a full date, so that a number and a start identify a process.
#[cfg(not(target_os = "linux"))]
pub fn numbering() -> String {
    String::new()
}

/// The facts about a process. This system does not tell them.
#[cfg(not(unix))]
pub fn process(_: u32) -> Option<ProcessFacts> {
    None
}

/// `/proc`.
#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    use super::ProcessFacts;

    /// The end of a program's link after its file was replaced. It must not change the name of a session.
    const REPLACED: &str = " (deleted)";

    /// The facts about a process; `None` where it has ended or is hidden.
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

    /// `/proc/PID/stat`: number, name in parentheses, state, parent, group, session, terminal, … start.
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

    /// The name of a terminal's device number, as the kernel's list of devices has it.
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

    /// This start of the machine and this container, as each has its own numbers and times of processes.
    pub fn numbering() -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let container = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        format!("{} {}", boot.trim(), container.display())
    }
}

/// The program `ps`, where there is no `/proc`.
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
#[cfg_attr(target_os = "linux", expect(unreachable_pub, reason = "here only the tests use it"))]
mod listed {
    use std::process::{Command, Stdio};

    use super::{ProcessFacts, base_name};

    /// The facts about a process; `None` where it has ended or `ps` may not run.
    pub fn process(id: u32) -> Option<ProcessFacts> {
        let fields = ["ppid=", "tty=", "stat=", "lstart=", "args="];
        let mut command = Command::new("/bin/ps");
        command.arg("-ww").args(fields.iter().flat_map(|field| ["-o", field])).arg("-p").arg(id.to_string());
        let told = command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        parse(id, &String::from_utf8_lossy(&told.stdout))
    }

    /// Parent, terminal, state (`s` for the leader of a session), the five words of a time, the command line.
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
