//! Tests of derived sessions with process trees as tables. Real processes are tested in `tests/command`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::{DerivedSession, SessionOrigin, of_process};
use crate::machine::process::{ProcessFacts, base_name};

/// Parses a process: `id parent session terminal command…`, with `-` for no terminal.
fn facts(line: &str) -> ProcessFacts {
    let mut words = line.split_whitespace();
    let mut number = || words.next().unwrap().parse().unwrap();
    let (id, parent, session) = (number(), number(), number());
    let terminal = words.next().filter(|name| *name != "-").map(str::to_owned);
    let words: Vec<String> = words.map(|word| word.replace('_', " ")).collect();
    let name: String = base_name(words.first().unwrap()).chars().take(15).collect();
    let program = Some(name.clone());
    let (session, leads, started) = (Some(session), session == id, format!("start of {id}"));
    ProcessFacts { id, parent, session, leads, terminal, started, name, program, words }
}

/// Returns the session of the last process.
fn session(tree: &str) -> DerivedSession {
    let all: Vec<ProcessFacts> = tree.lines().filter(|line| !line.trim().is_empty()).map(facts).collect();
    of_process(all.last().unwrap().id, |id| all.iter().find(|one| one.id == id).cloned())
}

fn origin(tree: &str) -> String {
    session(tree).origin.to_string()
}

const ALONE: &str = "this command alone";

#[test]
fn a_shell_at_a_terminal_is_the_terminal_for_all_that_is_typed() {
    let shell = "1 0 1 - /sbin/init\n 50 1 50 - gnome-terminal-\n 60 50 60 pts/3 ";
    for (below, expected) in [
        ("bash\n 70 60 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("-zsh\n 70 60 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("bash --rcfile /x/rc -i\n 70 60 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("bash\n 65 60 60 pts/3 sh -c x\n 70 65 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("bash\n 65 60 60 pts/3 zsh\n 70 65 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("bash\n 65 60 60 pts/3 timeout 9 sh\n 70 65 60 pts/3 editctl", "terminal pts/3, process 60"),
        ("bash\n 65 60 60 pts/3 xargs editctl\n 70 65 60 pts/3 editctl", "terminal pts/3, process 60"),
        // A script is a separate caller.
        ("bash\n 65 60 60 pts/3 /bin/sh ./fix.sh\n 70 65 60 pts/3 editctl", "sh, process 65"),
        ("bash\n 65 60 60 pts/3 make\n 66 65 60 pts/3 sh -ec x\n 70 66 60 pts/3 editctl", "make, process 65"),
    ] {
        assert_eq!(origin(&format!("{shell}{below}")), expected, "{below}");
    }
}

#[test]
fn a_reused_terminal_number_is_another_session() {
    let first = session("60 50 60 pts/3 bash\n 70 60 60 pts/3 editctl");
    let again = session("60 50 60 pts/3 bash\n 71 60 60 pts/3 editctl");
    assert_eq!(first, again);
    assert!(first.name.starts_with("pts-3-"), "{}", first.name);
    let later = of_process(70, |id| {
        let mut one = facts(if id == 70 { "70 60 60 pts/3 editctl" } else { "60 50 60 pts/3 bash" });
        one.started.push_str(", later");
        Some(one).filter(|_| id == 70 || id == 60)
    });
    assert_eq!(later.origin, first.origin);
    assert_ne!(later.name, first.name);
}

#[test]
fn a_runtime_is_one_session_however_it_runs_its_commands() {
    let runtime = "1 0 1 - init\n 60 1 60 pts/3 bash\n 80 60 60 pts/3 node\n";
    let expected = "node, process 80";
    for below in [
        "90 80 60 pts/3 editctl",
        "85 80 60 pts/3 bash -c x\n 90 85 60 pts/3 editctl",
        "85 80 60 pts/3 /bin/bash -l -o pipefail -c x\n 90 85 60 pts/3 editctl",
        // Each command has its own session or terminal.
        "85 80 85 - bash -lc x\n 90 85 85 - editctl",
        "85 80 85 - setsid -w bash -c x\n 86 85 86 - bash -c x\n 90 86 86 - editctl",
        "85 80 85 pts/9 bash -c x\n 90 85 85 pts/9 editctl",
        // One shell runs all commands.
        "85 80 60 pts/3 bash\n 90 85 60 pts/3 editctl",
        "85 80 85 - bash -s\n 90 85 85 - editctl",
        "85 80 85 - timeout 60 bash -c x\n 86 85 85 - bash -c x\n 90 86 85 - editctl",
        "85 80 60 pts/3 bwrap --dev /dev bash -c x\n 86 85 86 - bash -c x\n 90 86 86 - editctl",
    ] {
        let found = session(&format!("{runtime}{below}"));
        assert_eq!(found.origin.to_string(), expected, "{below}");
        assert!(found.name.starts_with("node-80-"), "{}", found.name);
    }
    // A shell that leads its own terminal represents that terminal.
    assert_eq!(
        origin(&format!("{runtime} 85 80 85 pts/9 bash -i\n 90 85 85 pts/9 editctl")),
        "terminal pts/9, process 85"
    );
}

#[test]
fn two_runtimes_at_one_terminal_are_two_sessions_and_the_terminal_a_third() {
    let tree = |below: &str| {
        session(&format!("60 1 60 pts/3 bash\n 80 60 60 pts/3 node\n 81 60 60 pts/3 node\n{below}"))
    };
    let names = [
        tree("90 80 60 pts/3 bash -c x\n 91 90 60 pts/3 editctl").name,
        tree("90 81 60 pts/3 bash -c x\n 91 90 60 pts/3 editctl").name,
        tree("91 60 60 pts/3 editctl").name,
    ];
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
}

#[test]
fn programs_that_run_commands_for_many_callers_give_no_session() {
    for (tree, expected) in [
        // One command over ssh without a terminal, and several.
        ("1 0 1 - init\n 40 1 40 - sshd\n 41 40 41 - editctl", ALONE),
        (
            "1 0 1 - init\n 40 1 40 - sshd-session\n 41 40 41 - bash -c x\n 42 41 41 - editctl",
            "bash, process 41",
        ),
        ("1 0 1 - init\n 40 1 40 - sshd\n 41 40 41 - -bash\n 42 41 41 - editctl", "bash, process 41"),
        (
            "1 0 1 - init\n 40 1 40 - sshd\n 41 40 41 pts/1 -bash\n 42 41 41 pts/1 editctl",
            "terminal pts/1, process 41",
        ),
        ("1 0 1 - init\n 40 1 40 - cron\n 41 40 41 - sh -c x\n 42 41 41 - editctl", "sh, process 41"),
        ("1 0 1 - systemd\n 41 1 41 - editctl", ALONE),
        ("1 0 1 - init\n 40 1 40 - tmux:_server\n 41 40 41 - sh -c x\n 42 41 41 - editctl", "sh, process 41"),
        // Commands that a container engine starts from the outside; only the command itself is visible.
        ("41 0 41 - editctl", ALONE),
        ("41 0 41 - sh -c x\n 42 41 41 - editctl", "sh, process 41"),
        ("41 0 41 pts/0 bash\n 42 41 41 pts/0 editctl", "terminal pts/0, process 41"),
        // A hook of editd.
        (
            "1 0 1 - init\n 40 1 40 - editd\n 41 40 40 - editd\n 42 41 41 - sh -c x\n 43 42 41 - editctl",
            "sh, process 42",
        ),
    ] {
        assert_eq!(origin(tree), expected, "{tree}");
    }
}

#[test]
fn a_process_that_adopts_orphans_is_not_their_caller() {
    for tree in [
        "1 0 1 - some_runner\n 41 1 30 - editctl",
        "1 0 1 - some_runner\n 41 1 41 - editctl",
        "1 0 1 - some_runner\n 41 1 1 - editctl",
        "1 0 1 - init\n 20 1 20 - node\n 41 20 30 - editctl",
        "1 0 1 pts/0 bash\n 41 1 30 - editctl",
    ] {
        assert_eq!(origin(tree), ALONE, "{tree}");
    }
    let orphans = "1 0 1 - node\n 30 1 30 - bash -c x\n 41 30 30 - editctl";
    assert_eq!(origin(orphans), "bash, process 30");
}

#[test]
fn the_first_process_of_a_container_is_the_caller_at_its_own_terminal() {
    for (tree, expected) in [
        ("1 0 1 pts/0 bash\n 41 1 1 pts/0 editctl", "terminal pts/0, process 1"),
        ("1 0 1 pts/0 node\n 40 1 1 pts/0 sh -c x\n 41 40 1 pts/0 editctl", "node, process 1"),
        ("1 0 1 - sh ./entry\n 30 1 1 - node\n 40 30 40 - sh -c x\n 41 40 40 - editctl", "node, process 30"),
    ] {
        assert_eq!(origin(tree), expected, "{tree}");
    }
}

#[test]
fn a_command_without_a_caller_has_a_unique_session() {
    let (one, other) = (session("41 0 41 - editctl"), session("41 0 41 - editctl"));
    assert_eq!(one.origin, SessionOrigin::Command);
    assert!(one.name.starts_with("once-41-"), "{}", one.name);
    assert_ne!(one.name, other.name);
    // Without /proc no process has facts.
    assert_eq!(of_process(41, |_| None).origin, SessionOrigin::Command);
    // A cycle of parents must end.
    let circle = |id| Some(facts(&format!("{id} {} 1 - sh -c x", if id == 41 { 42 } else { 41 })));
    assert_eq!(of_process(41, circle).origin, SessionOrigin::Command);
}
