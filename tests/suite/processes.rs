//! *Bounded*: a command that hangs, forks, floods, uses too much memory or hides is ended with all its descendants.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use editd::testing::{CommandEnd, CommandOutput, CommandRun, CommandRunner, SystemClock};
use editd_tests::{binaries, process, wait};

/// A folder in which commands run, and by which their processes are known.
struct CommandFolder {
    runner: CommandRunner,
    folder: PathBuf,
    _scratch: tempfile::TempDir,
}

impl CommandFolder {
    fn new() -> CommandFolder {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().canonicalize().unwrap();
        let runner = CommandRunner::new(Some(binaries::editd().to_owned()), Arc::new(SystemClock::start()));
        CommandFolder { runner, folder, _scratch: scratch }
    }

    fn run(&self, script: &str, change: impl FnOnce(&mut CommandRun<'_>)) -> CommandOutput {
        self.program(&["sh", "-c", script], change)
    }

    fn program(&self, words: &[&str], change: impl FnOnce(&mut CommandRun<'_>)) -> CommandOutput {
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut run = CommandRun {
            session: "s",
            command: &command,
            env: &[],
            write: &[],
            folder: &self.folder,
            input: b"",
            time: wait::LONG,
            within: wait::LONG,
            memory: 1 << 30,
            output: 1 << 20,
            stop: None,
        };
        change(&mut run);
        let ran = self.runner.run(run);
        assert_eq!(process::in_folder(&self.folder), Vec::<u32>::new(), "{words:?} left something behind");
        ran
    }
}

const SOON: Duration = Duration::from_millis(400);

#[test]
fn a_command_returns_its_status_and_its_output() {
    let yard = CommandFolder::new();
    let ran = yard.run("cat; echo to stderr >&2; pwd; exit 3", |run| run.input = b"content\n");
    assert_eq!(ran.ended, CommandEnd::Exited(3));
    let pwd = yard.folder.display();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("content\n{pwd}\n"));
    assert_eq!(ran.stderr, b"to stderr\n");
    assert_eq!(yard.run("kill -ILL $$", |_| ()).ended, CommandEnd::Signalled(4));
}

#[test]
fn a_command_that_is_not_permitted_any_more_is_not_started() {
    let yard = CommandFolder::new();
    let command = ["sh", "-c", "touch ran"].map(OsString::from);
    let run = CommandRun {
        session: "s",
        command: &command,
        env: &[],
        write: &[],
        folder: &yard.folder,
        input: b"",
        time: wait::LONG,
        within: wait::LONG,
        memory: 1 << 30,
        output: 1 << 20,
        stop: None,
    };
    let gone = || Err("it is no longer trusted".to_owned());
    assert_eq!(
        yard.runner.run_if(run, gone).ended,
        CommandEnd::NotStarted("it is no longer trusted".to_owned())
    );
    assert!(!yard.folder.join("ran").exists());
    assert_eq!(yard.runner.run_if(run, || Ok(())).ended, CommandEnd::Exited(0));
    assert!(yard.folder.join("ran").exists(), "the turn was given back");
}

#[test]
fn an_absent_program_is_named() {
    let CommandEnd::NotStarted(why) =
        CommandFolder::new().program(&["no-such-program-anywhere"], |_| ()).ended
    else {
        panic!("it was started");
    };
    assert!(why.contains("no-such-program-anywhere") && why.contains("PATH"), "{why}");
}

#[test]
fn unread_input_does_no_harm() {
    let large: &'static [u8] = vec![b'x'; 8 << 20].leak();
    let yard = CommandFolder::new();
    assert_eq!(yard.run("exec <&-; exit 0", |run| run.input = large).ended, CommandEnd::Exited(0));
    assert_eq!(yard.run("head -c 10 >/dev/null", |run| run.input = large).ended, CommandEnd::Exited(0));
    let ran = yard.run("wc -c", |run| run.input = large);
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), large.len().to_string());
}

#[test]
fn a_large_input_is_not_the_command_s_memory() {
    let large: &'static [u8] = vec![b'x'; 60 << 20].leak();
    let yard = CommandFolder::new();
    let limits = |run: &mut CommandRun<'_>| (run.input, run.memory, run.time) = (large, 16474 << 10, SOON);
    assert_eq!(yard.run("exec sleep 1000", limits).ended, CommandEnd::TimedOut);
    let ran = yard.run("wc -c", |run| (run.input, run.memory) = (large, 1 << 20));
    assert_eq!((ran.ended, String::from_utf8_lossy(&ran.stdout).trim()), (CommandEnd::Exited(0), "62914560"));
}

#[test]
fn a_command_that_hangs_is_ended() {
    let yard = CommandFolder::new();
    for script in [
        "exec sleep 1000",
        "trap '' TERM INT HUP; while :; do :; done",
        "sleep 1000 & sleep 1000 & wait",
        "(setsid sleep 1000 &) ; exec sleep 1000",
        "kill -STOP $$; sleep 1000",
        "setsid sh -c 'setsid sh -c \"sleep 1000 & sleep 1000\" & sleep 1000' & wait",
    ] {
        let began = Instant::now();
        assert_eq!(yard.run(script, |run| run.time = SOON).ended, CommandEnd::TimedOut, "{script}");
        assert!(began.elapsed() >= SOON, "{script}");
    }
}

#[test]
fn descendants_of_a_command_are_ended_with_it() {
    let yard = CommandFolder::new();
    let ran =
        yard.run("(setsid sleep 1000 >/dev/null 2>&1 &); (sleep 1000 &) ; sleep 1000 & echo done", |_| ());
    assert_eq!(ran.ended, CommandEnd::Exited(0));
    assert_eq!(ran.stdout, b"done\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_whose_supervisor_is_killed_is_ended() {
    let yard = CommandFolder::new();
    for script in [
        "kill -9 $PPID; exec sleep 1000",
        "setsid sleep 1000 & kill -9 $PPID; wait",
        "kill -STOP $PPID; sleep 1000",
    ] {
        // The last is not given up before the time is up, and its supervisor's spare time.
        let ended = yard.run(script, |run| run.time = SOON).ended;
        assert!(matches!(ended, CommandEnd::Lost(_)), "{script}: {ended:?}");
    }
}

#[test]
fn a_flood_of_output_is_ended_and_its_beginning_kept() {
    let yard = CommandFolder::new();
    for script in ["yes", "yes >&2", "head -c 30000000 /dev/zero", "(setsid yes &); sleep 1000"] {
        let ran = yard.run(script, |run| run.output = 100_000);
        assert_eq!(ran.ended, CommandEnd::Flooded, "{script}");
        assert_eq!(ran.stdout.len() + ran.stderr.len(), 100_000, "{script}");
    }
    let ran = yard.run("head -c 100000 /dev/zero", |run| run.output = 100_000);
    assert_eq!((ran.ended, ran.stdout.len()), (CommandEnd::Exited(0), 100_000));
}

#[test]
fn a_command_that_uses_too_much_memory_is_ended() {
    let yard = CommandFolder::new();
    let memory = 96 << 20;
    let alone = "s=x; while :; do s=$s$s; done";
    let together =
        "for i in 1 2 3 4 5 6; do head -c 30000000 /dev/zero | tail -c 30000000 | sleep 1000 & done; wait";
    for script in [alone, together] {
        let ran = yard.run(script, |run| run.memory = memory);
        assert_eq!(ran.ended, CommandEnd::Memory, "{script}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn a_fork_bomb_is_ended() {
    let yard = CommandFolder::new();
    // Each ends by itself after a while, so that a test that fails leaves a machine that can be used.
    let bomb = "f() { [ $1 -gt 8 ] && exec sleep 5; f $(($1 + 1)) & f $(($1 + 1)) & wait; }; f 0";
    assert_eq!(yard.run(bomb, |_| ()).ended, CommandEnd::Processes);
    let hiding = "echo '[ $1 -gt 8 ] && exec sleep 5; setsid sh ./b $(($1+1)) & setsid sh ./b $(($1+1)) & wait' >b; sh ./b 0";
    assert_eq!(yard.run(hiding, |_| ()).ended, CommandEnd::Processes);
}

/// More commands than can run at once, each with this time in all; how they ended.
fn crowd(yard: &CommandFolder, within: Duration) -> Vec<CommandEnd> {
    std::thread::scope(|scope| {
        let runs = (0..18).map(|nth| {
            scope.spawn(move || {
                let command =
                    ["sh", "-c", ": >\"$1\"; exec sleep 1000", "sh", &nth.to_string()].map(OsString::from);
                let (folder, input) = (yard.folder.as_path(), b"");
                let run = CommandRun {
                    session: "s",
                    command: &command,
                    env: &[],
                    write: &[],
                    folder,
                    input,
                    time: SOON,
                    within,
                    memory: 1 << 30,
                    output: 1,
                    stop: None,
                };
                yard.runner.run(run).ended
            })
        });
        let runs: Vec<_> = runs.collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

#[test]
fn no_command_waits_for_a_turn_longer_than_its_limit() {
    let yard = CommandFolder::new();
    let ended = crowd(&yard, SOON);
    assert!(
        ended.iter().all(|ended| matches!(ended, CommandEnd::TimedOut | CommandEnd::NoTurn)),
        "{ended:?}"
    );
    assert!(ended.contains(&CommandEnd::NoTurn), "{ended:?}");
    assert_eq!(process::in_folder(&yard.folder), Vec::<u32>::new());
}

#[test]
fn the_wait_for_a_turn_is_not_the_command_s_time() {
    let yard = CommandFolder::new();
    let ended = crowd(&yard, wait::LONG);
    assert!(ended.iter().all(|ended| *ended == CommandEnd::TimedOut), "{ended:?}");
    assert_eq!(std::fs::read_dir(&yard.folder).unwrap().count(), ended.len(), "each was started");
}
