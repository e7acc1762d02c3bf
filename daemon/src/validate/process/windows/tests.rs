//! *Bounded*: a command that hangs, starts others, floods or uses too much memory is ended with all its descendants. The
//! commands are this program again, with a task.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_types,
    clippy::zombie_processes,
    reason = "a test fails by panicking, and its processes are ended by what it tests"
)]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use editd_proto::plain_path::plain;

use super::super::{CommandEnd, CommandOutput, CommandRun, CommandRunner};
use crate::clock::SystemClock;
use crate::limits::RUN_PROCESSES;

const LONG: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_millis(1500);

/// The name of [`task`] and the variable that says what it does.
const TASK: &str = "validate::process::windows::tests::task";
const VARIABLE: &str = "EDITD_TEST_TASK";

/// A file that a process holds until it ends: nobody else can open it meanwhile.
fn hold(path: &str) -> File {
    OpenOptions::new().create(true).append(true).share_mode(0).open(path).unwrap()
}

fn this_program(task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([TASK, "--exact", "--nocapture"]).env(VARIABLE, task);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// No test: the programs that the tests below run.
#[test]
fn task() {
    let Ok(task) = std::env::var(VARIABLE) else { return };
    let mut words = task.split(' ');
    match words.next().unwrap() {
        "echo" => {
            let mut input = String::new();
            std::io::stdin().read_to_string(&mut input).unwrap();
            print!("<{input}>");
            eprint!("to stderr");
            std::process::exit(3);
        }
        "variables" => {
            for (name, value) in std::env::vars() {
                println!("{name}={value}");
            }
            println!("in {}", std::env::current_dir().unwrap().display());
        }
        "hang" => {
            let _held = words.next().map(hold);
            hang();
        }
        // Starts a process, waits until that holds its file, and ends, or goes on.
        "leave" | "stay" => {
            this_program("hang child").spawn().unwrap();
            until(|| is_held(Path::new("child")));
            if task == "stay" {
                hang();
            }
        }
        "crowd" => {
            // A small program that waits for its input: under Wine, this one would take tens of megabytes each time.
            let mut waits = Command::new("cmd");
            waits.args(["/c", "set /p line="]).stdin(Stdio::piped()).stdout(Stdio::null());
            // With this one, one more than are permitted: Wine does not end all that is being started.
            let started: Vec<_> = (0..RUN_PROCESSES).map(|_| waits.spawn()).collect();
            println!("{}", started.len());
            hang();
        }
        // A daemon that is killed just after it has created the first process of a command.
        "create" => {
            super::OwnJob::new().enter();
            this_program("hang child").spawn().unwrap();
            hang();
        }
        "fill" => {
            // Not without end, in case nobody measures it.
            let kept: Vec<Vec<u8>> = (0..400).map(|_| vec![1_u8; 1 << 20]).collect();
            println!("{}", kept.len());
            hang();
        }
        "flood" => loop {
            std::io::stdout().write_all(&[b'x'; 4096]).unwrap();
        },
        // A daemon that is killed while it runs a command.
        "daemon" => {
            CommandFolder::at(PathBuf::from(".")).run("stay", |_| ());
        }
        other => panic!("{other}"),
    }
    std::process::exit(0);
}

/// A folder in which commands run.
struct CommandFolder {
    runner: CommandRunner,
    folder: PathBuf,
}

impl CommandFolder {
    fn at(folder: PathBuf) -> Self {
        Self { runner: CommandRunner::new(None, Arc::new(SystemClock::start())), folder }
    }

    fn run(&self, task: &str, change: impl FnOnce(&mut CommandRun<'_>)) -> CommandOutput {
        let program = std::env::current_exe().unwrap().into_os_string();
        let words = [TASK, "--exact", "--nocapture"].map(OsString::from);
        self.program(&[vec![program], words.to_vec()].concat(), task, change)
    }

    fn program(
        &self,
        command: &[OsString],
        task: &str,
        change: impl FnOnce(&mut CommandRun<'_>),
    ) -> CommandOutput {
        let env = [format!("{VARIABLE}={task}")];
        let mut run = CommandRun {
            session: "s",
            command,
            env: &env,
            write: &[],
            folder: &self.folder,
            input: b"",
            time: LONG,
            within: LONG,
            memory: 1 << 30,
            output: 1 << 20,
            stop: None,
        };
        change(&mut run);
        self.runner.run(run)
    }

    fn is_held(&self, name: &str) -> bool {
        is_held(&self.folder.join(name))
    }
}

fn folder() -> (tempfile::TempDir, CommandFolder) {
    let temp = tempfile::tempdir().unwrap();
    // As the daemon resolves its workspace: the folder of temporary files may have a short name.
    let folder = CommandFolder::at(plain(temp.path().canonicalize().unwrap()));
    (temp, folder)
}

/// Returns true if a process has the file and shares it with nobody.
fn is_held(path: &Path) -> bool {
    OpenOptions::new().read(true).open(path).is_err_and(|why| why.raw_os_error() == Some(32))
}

fn until(condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < LONG, "it never becomes so");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

#[test]
fn a_command_returns_its_status_and_its_output() {
    let (_temp, folder) = folder();
    let ran = folder.run("echo", |run| run.input = b"content");
    assert_eq!(ran.ended, CommandEnd::Exited(3));
    assert!(String::from_utf8_lossy(&ran.stdout).ends_with("<content>"), "{ran:?}");
    assert_eq!(ran.stderr, b"to stderr");
    let exception = CommandEnd::Signalled(0xC000_0005_u32.cast_signed());
    assert_eq!(super::ended(0xC000_0005_u32.cast_signed()), exception);
    assert!(exception.to_string().contains("0xc0000005"), "{exception}");
}

#[test]
fn a_script_is_found_and_gets_its_words() {
    let (_temp, folder) = folder();
    std::fs::write(folder.folder.join("say.cmd"), "@echo off\r\necho got %1\r\nexit /b 5\r\n").unwrap();
    let ran = folder.program(&["./say", "./a b.txt"].map(OsString::from), "", |_| ());
    assert_eq!(ran.ended, CommandEnd::Exited(5), "{ran:?}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "got \"./a b.txt\"");
    let absent = folder.program(&["no-such-program".into()], "", |_| ()).ended;
    assert!(matches!(&absent, CommandEnd::NotStarted(why) if why.contains("PATH")), "{absent:?}");
}

#[test]
fn few_variables_reach_a_command_in_its_folder() {
    let (_temp, folder) = folder();
    let env: &[String] = Box::leak(Box::new([format!("{VARIABLE}=variables"), "MODE=a b".to_owned()]));
    let ran = folder.run("", |run| run.env = env);
    let said = String::from_utf8_lossy(&ran.stdout).to_lowercase();
    assert!(said.contains("\npath=") && said.contains("\nsystemroot="), "{said}");
    assert!(said.contains("\nmode=a b") && !said.contains("cargo_manifest_dir"), "{said}");
    let own = folder.folder.display().to_string().to_lowercase();
    assert!(said.contains(&format!("in {own}")), "{said} {own}");
}

#[test]
fn unread_input_does_no_harm() {
    let (_temp, folder) = folder();
    let large: &'static [u8] = vec![b'x'; 8 << 20].leak();
    assert_eq!(folder.run("variables", |run| run.input = large).ended, CommandEnd::Exited(0));
}

#[test]
fn a_command_that_hangs_is_ended_with_those_that_it_started() {
    let (_temp, folder) = folder();
    let began = Instant::now();
    assert_eq!(folder.run("hang itself", |run| run.time = SOON).ended, CommandEnd::TimedOut);
    assert!(began.elapsed() >= SOON);
    assert!(folder.folder.join("itself").exists() && !folder.is_held("itself"));
    let long = Duration::from_secs(5);
    assert_eq!(folder.run("stay", |run| run.time = long).ended, CommandEnd::TimedOut);
    assert!(folder.folder.join("child").exists() && !folder.is_held("child"));
}

#[test]
fn a_process_that_would_outlive_its_command_is_ended() {
    let (_temp, folder) = folder();
    let ran = folder.run("leave", |_| ());
    assert_eq!(ran.ended, CommandEnd::Exited(0), "{ran:?}");
    assert!(folder.folder.join("child").exists() && !folder.is_held("child"));
}

#[test]
fn a_flood_of_output_is_ended_and_its_beginning_kept() {
    let (_temp, folder) = folder();
    let ran = folder.run("flood", |run| run.output = 100_000);
    assert_eq!((ran.ended, ran.stdout.len() + ran.stderr.len()), (CommandEnd::Flooded, 100_000));
}

#[test]
fn a_command_that_uses_too_much_memory_is_ended() {
    let (_temp, folder) = folder();
    assert_eq!(folder.run("fill", |run| run.memory = 200 << 20).ended, CommandEnd::Memory);
}

#[test]
fn a_command_that_starts_process_after_process_is_ended() {
    let (_temp, folder) = folder();
    assert_eq!(folder.run("crowd", |run| run.memory = 4 << 30).ended, CommandEnd::Processes);
}

#[test]
fn a_command_ends_when_the_daemon_stops() {
    let (_temp, folder) = folder();
    let stop: &'static AtomicBool = Box::leak(Box::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            until(|| folder.is_held("itself"));
            stop.store(true, std::sync::atomic::Ordering::Release);
        });
        assert_eq!(folder.run("hang itself", |run| run.stop = Some(stop)).ended, CommandEnd::Stopped);
    });
    assert!(!folder.is_held("itself"));
}

#[test]
fn a_command_ends_with_a_daemon_that_is_killed() {
    for task in ["daemon", "create"] {
        let (_temp, folder) = folder();
        let mut daemon = this_program(task).current_dir(&folder.folder).spawn().unwrap();
        until(|| folder.is_held("child"));
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        until(|| !folder.is_held("child"));
    }
}
