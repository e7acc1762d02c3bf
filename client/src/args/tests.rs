//! Tests of the command line as tables.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::ffi::OsString;

use clap::CommandFactory;
use editctl::journal::entries::FirstEntry;
use editctl::values;

use super::{Command, CommandLine, parse};

fn line(words: &str) -> Result<CommandLine, clap::Error> {
    parse(std::iter::once("editctl").chain(words.split_whitespace()).map(Into::into))
}

#[test]
fn the_words_are_consistent() {
    let all: Vec<OsString> =
        CommandLine::command().get_subcommands().map(|one| one.get_name().into()).collect();
    super::scope::scoped(CommandLine::command(), &all).debug_assert();
}

/// Command lines with every command.
const UNDERSTOOD: &[&str] = &[
    "read a --lines 1:5 --numbers",
    "read a --lines 7:",
    "edit",
    "edit -",
    "edit job.json --path a --base any --mode verify-only --partial --threshold 0.9 --key k",
    "edit --dialect patch --path p -",
    "replace a old new --all --expect 3",
    "replace a --near 4 --old-file x --new-file -",
    "create a text --label l",
    "create a --file -",
    "write a text --base any",
    "write a --file -",
    "mv a b --overwrite",
    "rm a --base @3",
    "symbol a Class/method text --replace-body",
    "symbol a f --insert-after --file -",
    "symbol a f --delete --on-stale rebase",
    "outline a --depth 1 --json",
    "read a --symbol Class/method --body --numbers",
    "undo",
    "undo 3 @4 --on-stale rebase",
    "undo --session s --since 10m --path p",
    "undo --to m --session s --dry-run",
    "mark m",
    "redo 3",
    "log --path p --session s --limit 5",
    "show 3",
    "show 3 --bytes --from 2",
    "cat src/a@3 --before --raw --json",
    "clip list",
    "clip set a text",
    "clip copy a /b",
    "clip rm a",
    "forget a --json",
    "watch",
    "watch src/*.rs",
    "status --watch=500ms --json",
    "metrics",
    "config --json",
    "--workspace /w --session s --json --no-spawn doctor",
    "salvage --state /s",
    "export --since 3",
    "export journal.jsonl --force --json",
    "import journal.jsonl --state /s",
    "trust",
    "trust --yes blake3:0",
    "trust --show --json",
    "trust --revoke",
    "stop",
    "checks",
    "checks 3 --timeout 10s --json",
    "wait 3 --timeout 10s",
    "cancel 3",
    "dialects --json",
    "mcp --workspace /w --as codex --tools read,apply_patch",
    "--session s hook claude-code --no-spawn",
    "setup codex --remove",
    "--workspace /w --session s --socket /s --no-spawn ui",
    "--session s diff --since 2h a",
    "blame a --lines 3-4 --json",
    "report --html -",
    "help replace",
];

#[test]
fn every_command_is_understood() {
    for words in UNDERSTOOD {
        let parsed = line(words);
        assert!(parsed.is_ok(), "{words}: {}", parsed.unwrap_err());
    }
    for command in CommandLine::command().get_subcommands() {
        let name = command.get_name();
        let tested = UNDERSTOOD.iter().any(|words| words.split(' ').any(|word| word == name));
        assert!(tested, "add a command line of `{name}` to the list above");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for words in [
        "",
        "reed a",
        "read",
        "read a b",
        "read a --lines 0:3",
        "read a --lines 1:3 --symbol b",
        "read a --body",
        "read a --lines 5-",
        "read a --lines -5",
        "read a --lines 5-7-9",
        "read a --lines :",
        "edit --threshold 0.3",
        "edit --threshold NaN",
        "edit --mode careless",
        "edit --durability none",
        "replace a b c d",
        "write a b --file c",
        "mv a",
        "rm a b",
        "symbol a f",
        "symbol a f text",
        "symbol a --delete",
        "symbol a f --delete --replace",
        "symbol a f text --delete",
        "symbol a f --delete --file t",
        "symbol a f text --replace --file t",
        "undo x",
        "status --watch=soon",
        "status --watch=0ms",
        "status --watch=99ms",
        "status --trace first",
        "status --watch --trace 3",
        "undo 3 --to m",
        "undo 3 --since 10m",
        "undo --since 10m --to m",
        "mark",
        "undo -1",
        "show",
        "clip",
        "clip set a text --file f",
        "trust --yes",
        "trust --yes h --revoke",
        "trust --show --revoke",
    ] {
        assert!(line(words).is_err(), "{words}");
    }
}

/// Returns a command line for every command, with the arguments that it requires.
fn shortest_commands() -> Vec<String> {
    fn add(command: &clap::Command, words: &str, found: &mut Vec<String>) {
        let required = command.get_positionals().filter(|argument| argument.is_required_set()).count();
        let action = if command.get_name() == "symbol" { " --delete" } else { "" };
        let words = format!("{words} {}{}{action}", command.get_name(), " 1".repeat(required));
        let mut below = command.get_subcommands().peekable();
        if below.peek().is_none() {
            found.push(words.trim().to_owned());
        }
        below.for_each(|one| add(one, &words, found));
    }
    let mut found = Vec::new();
    CommandLine::command().get_subcommands().for_each(|one| add(one, "", &mut found));
    found
}

#[test]
fn the_reference_lists_every_command() {
    let page = include_str!("../../docs/commands.md");
    let block = page.split("```").nth(1).unwrap();
    let words: Vec<&str> = block.split(|c: char| c != '-' && !c.is_alphanumeric()).collect();
    for command in CommandLine::command().get_subcommands() {
        let name = command.get_name();
        assert!(words.contains(&name), "the list in client/docs/commands.md lacks `{name}`");
    }
}

/// Returns the output of `editctl COMMAND --help`.
fn help(command: &str) -> String {
    let shown = line(&format!("{command} --help")).unwrap_err();
    assert!(!shown.use_stderr(), "{command}");
    shown.to_string()
}

#[test]
fn a_command_lists_and_takes_its_own_flags_alone() {
    let edits = ["edit", "replace", "write", "mv", "rm", "symbol"].as_slice();
    let jobs = [edits, &["create"]].concat();
    let changes = [jobs.as_slice(), &["undo", "redo"]].concat();
    let stale = [edits, &["undo", "redo"]].concat();
    let limited = [changes.as_slice(), &["wait"]].concat();
    let flags: [(&str, &[&str]); 12] = [
        ("--mode strict", &changes),
        ("--base any", edits),
        ("--partial", edits),
        ("--threshold 0.9", edits),
        ("--detach", &jobs),
        ("--on-stale rebase", &stale),
        ("--key k", &changes),
        ("--label l", &changes),
        ("--durability full", &changes),
        ("--no-diff", &changes),
        ("--diff", &changes),
        ("--budget 9000", &limited),
    ];
    let commands = shortest_commands();
    // These pass their words and their help to another program.
    let passing = ["hook", "setup", "diff", "blame", "report"];
    let commands: Vec<&str> =
        commands.iter().map(String::as_str).filter(|name| !passing.contains(name)).collect();
    for name in passing {
        let (job, help) = (format!("--mode strict {name} a"), format!("{name} --help"));
        assert!(line(&job).is_err() && line(&help).is_ok(), "{name}");
    }
    for command in commands {
        let (name, help) = (command.split(' ').next().unwrap(), help(command));
        assert!(help.contains("--session") && help.contains("--json"), "{command}: {help}");
        for (flag, takers) in flags {
            let taken = takers.contains(&name);
            let long = flag.split(' ').next().unwrap();
            assert_eq!(
                help.contains(&format!("{long} ")) || help.contains(&format!("{long}\n")),
                taken,
                "{command} {long}"
            );
            for words in [format!("{command} {flag}"), format!("{flag} {command}")] {
                match line(&words) {
                    Ok(_) => assert!(taken, "{words}"),
                    Err(error) => {
                        let said = error.to_string();
                        assert!(!taken && said.contains(long) && said.contains(name), "{words}: {said}");
                    }
                }
            }
        }
    }
    let top = line("--help").unwrap_err().to_string();
    assert!(!top.contains("--threshold") && top.contains("--workspace"), "{top}");
    let parsed = line("--key k edit --label l").unwrap();
    assert_eq!((parsed.job.key.as_deref(), parsed.job.label.as_deref()), (Some("k"), Some("l")));
}

#[test]
fn old_and_new_may_begin_with_a_hyphen_and_flags_still_work() {
    let parsed = line("replace a -> => --all --expect 2 --json").unwrap();
    assert!(parsed.everywhere.json);
    let Command::Replace(replace) = parsed.command else { panic!("not replace") };
    assert_eq!((replace.old.as_deref(), replace.new.as_deref()), (Some("->"), Some("=>")));
    assert!(replace.all);
    assert_eq!(replace.expect, Some(2));
    let Command::Replace(replace) = line("replace --all a -- --all -x").unwrap().command else { panic!() };
    assert_eq!((replace.old.as_deref(), replace.new.as_deref()), (Some("--all"), Some("-x")));
    let Command::Replace(replace) = line("replace a --x -1 --json --near 4").unwrap().command else {
        panic!()
    };
    assert_eq!((replace.old.as_deref(), replace.new.as_deref()), (Some("--x"), Some("-1")));
    assert_eq!(replace.near, Some(4));
    let Command::Undo(undo) = line("undo 3 --path -x --path --dry-run --dry-run").unwrap().command else {
        panic!()
    };
    assert_eq!((undo.paths, undo.dry_run), (vec!["-x".into(), "--dry-run".into()], true));
}

#[test]
fn ranges_of_lines() {
    assert_eq!(values::lines("3:9"), Ok((3, 9)));
    assert_eq!(values::lines(":9"), Ok((1, 9)));
    assert_eq!(values::lines("3:"), Ok((3, u64::MAX)));
    assert_eq!(values::lines("10-12"), Ok((10, 12)));
    assert_eq!(values::lines("10"), Ok((10, 10)));
    assert!(values::lines("0").is_err());
    assert!(values::lines("10-").is_err() && values::lines("-10").is_err() && values::lines("-").is_err());
    assert!(values::lines("-1:4").is_err());
    assert!(values::lines("99999999999999999999:").is_err());
}

#[test]
fn since_takes_entries_lengths_and_moments() {
    let now = 1_800_000_000_000;
    let since = |text: &str| match values::since(text, now)? {
        FirstEntry::At(time) => Ok(time),
        FirstEntry::Numbered(entry) => Err(format!("entry {entry}")),
    };
    assert_eq!(since("10m"), Ok(now - 600_000));
    assert_eq!(since("2h ago"), Ok(now - 7_200_000));
    assert_eq!(since("1h 30m"), Ok(now - 5_400_000));
    assert_eq!(since("2d"), Ok(now - 172_800_000));
    assert_eq!(since("1763632800000"), Ok(1_763_632_800_000));
    assert_eq!(since("2025-11-20T10:00:00Z"), Ok(1_763_632_800_000));
    assert_eq!(since("2025-11-20T11:00+01:00"), Ok(1_763_632_800_000));
    assert_eq!(since("1960-01-01T00:00Z"), Ok(0));
    assert!(since("2025-11-20").is_ok());
    assert!(since("2025-11-20 10:00").is_ok());
    // The last time of that day: today or yesterday.
    let time = since("14:30").unwrap();
    assert!(time <= now && now - time < 24 * 3_600_000, "{time}");
    for entry in ["17", "@17", " 17 ", "99999999999"] {
        assert_eq!(since(entry), Err(format!("entry {}", entry.trim().trim_start_matches('@'))));
    }
    assert!(since("yesterday").is_err_and(|words| words.contains("--since yesterday: use")));
    for wrong in ["", "soon", "-", "10 parsecs", "99999999999999999999999"] {
        assert!(since(wrong).is_err(), "{wrong}");
    }
}
