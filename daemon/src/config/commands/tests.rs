//! Parsing of commands in a settings file, and the errors for invalid ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

const WHOLE: &str = r#"
[syntax]
check = false
except = ["vendor/**"]

[[after_write]]
name = "fmt"
files = ["*.rs"]
command = ["rustfmt", "{file}"]

[[validator]]
name = "ruff"
files = ["*.py", "/tools/*"]
command = ["ruff", "check", "--stdin-filename", "{path}", "-"]
timeout = "30s"
memory = "1GiB"
output = "2MiB"
pattern = '^(?P<path>.+):(?P<line>\d+): (?P<message>.*)$'

[[after_write]]
name = "sort"
files = ["**"]
command = ["sort"]
stdout = true
"#;

fn read(text: &str) -> Result<CommandConfig, String> {
    read_commands(text.as_bytes())
}

#[test]
fn validators_come_first_each_kind_in_the_order_of_the_file() {
    let commands = read(WHOLE).unwrap();
    let names: Vec<&str> = commands.list.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["ruff", "fmt", "sort"]);
    let [ruff, fmt, sort] = commands.list.as_slice() else { unreachable!("{commands:?}") };
    assert_eq!(
        (ruff.kind, fmt.kind, sort.kind),
        (CommandKind::Validator, CommandKind::AfterWrite, CommandKind::AfterWrite)
    );
    assert_eq!(ruff.timeout, Duration::from_secs(30));
    assert_eq!((ruff.memory, ruff.output), (1 << 30, 2 << 20));
    assert!(ruff.pattern.as_ref().unwrap().0.is_match(b"a.py:3: wrong"));
    assert_eq!((fmt.timeout, fmt.memory, fmt.output), (Duration::from_secs(10), 2 << 30, 1 << 20));
    assert_eq!((fmt.stdout, sort.stdout), (false, true));
    assert!(ruff.files.matches(&"deep/down/a.py".into()) && !ruff.files.matches(&"a.rs".into()));
    assert!(!commands.syntax.check && commands.syntax.except.matches(&"vendor/a/b.js".into()));
}

#[test]
fn the_page_shows_commands_that_are_read_and_the_defaults() {
    let page = include_str!("../../../docs/validators-and-formatters.md");
    let shown = page.split("```toml commands\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands = read(shown).unwrap();
    let names: Vec<(&str, bool)> = commands.list.iter().map(|one| (one.name.as_str(), one.stdout)).collect();
    let expected =
        [("ruff", false), ("rustfmt", true), ("black", true), ("gofmt", false), ("prettier", true)];
    assert_eq!(names, expected);
    for one in &commands.list {
        assert_eq!((one.timeout, one.memory, one.output), (TIMEOUT, MEMORY, OUTPUT), "{}", one.name);
    }
    assert!(commands.syntax.check && commands.syntax.except.matches(&"vendor/a.js".into()));
}

#[test]
fn a_file_without_commands_checks_syntax_everywhere() {
    let none = read("unread = \"reject\"").unwrap();
    assert_eq!(CommandConfig { written: Vec::new(), ..none }, CommandConfig::default());
    assert!(CommandConfig::default().syntax.check);
}

#[test]
fn a_mistake_is_named_with_its_line() {
    let validator = |rest: &str| format!("[[validator]]\nname = \"v\"\nfiles = [\"*\"]\n{rest}");
    let command = |rest: &str| validator(&format!("command = [\"true\"]\n{rest}"));
    let check = |words: &str| {
        let first = "[[check]]\nname = \"a\"\nfiles = [\"*\"]\ncommand = [\"true\"]";
        format!("{first}\n[[check]]\ncommand = [{words}]\nname = \"b\"\nfiles = [\"*\"]\n")
    };
    for (text, line, word) in [
        (command("shell = true"), "line 5", "shell"),
        (command("stdout = true"), "line 5", "stdout"),
        (command("output = \"65MiB\""), "line 5", "64 MiB at most"),
        (command("memory = \"2TiB\""), "line 5", "1048576 MiB at most"),
        (command("timeout = 5"), "line 5", "timeout"),
        (command("timeout = \"0s\""), "line 5", "1ms"),
        (command("timeout = \"11m\""), "line 5", "600s"),
        (command("memory = \"0B\""), "line 5", "more than 0"),
        (command("pattern = \"(\""), "line 5", "pattern"),
        (command("pattern = \"(?P<lien>a)\""), "line 5", "lien"),
        (command("pattern = '(\\w{999}){999}'"), "line 5", "size"),
        (command("env = [\"=a\"]"), "line 5", "NAME=VALUE"),
        (command("env = [\"A=\\u0000\"]"), "line 5", "NAME=VALUE"),
        (command("env = \"A\""), "line 5", "sequence"),
        (validator("command = []"), "line 4", "no program"),
        (validator("command = \"ruff -\""), "line 4", "sequence"),
        (validator("command = [\"a\\u0000\"]"), "line 4", "NUL"),
        (validator(""), "line 1", "command"),
        (check("\"true\", \"{file}\""), "line 6", "use \"{files}\""),
        (check("\"true\", \"--in={files}\""), "line 6", "argument of its own"),
        (check("\"{files}\""), "line 6", "argument of its own"),
        (check("\"true\"") + "wait = \"31s\"", "line 9", "30s"),
        ("[[validator]]\nname = \"syntax\"".to_owned(), "line 2", "built-in"),
        ("[[validator]]\nname = \"a\\nb\"".to_owned(), "line 2", "one line"),
        ("[[validator]]\nname = \"a\"\nfiles = []".to_owned(), "line 3", "no file"),
        ("[[validator]]\nname = \"a\"\nfiles = [\"[\"]".to_owned(), "line 3", "files"),
        (
            "[[after_write]]\nname = \"a\"\nfiles = [\"*\"]\ncommand = [\"fmt\"]".to_owned(),
            "line 1",
            "{file}",
        ),
        ("[syntax]\ncheck = \"no\"".to_owned(), "line 2", "check"),
        ("[syntax]\nexpect = []".to_owned(), "line 2", "expect"),
    ] {
        let why = read(&text).unwrap_err();
        assert!(why.contains(line) && why.contains(word), "{text}\n{why}");
    }
    assert!(read_commands(b"# \xff").is_err());
}

#[test]
fn names_are_unique_over_both_kinds_and_numbers_bounded() {
    let one = |kind: &str, name: &str| {
        let file = if kind == "check" { "." } else { "{file}" };
        format!("[[{kind}]]\nname = \"{name}\"\nfiles = [\"*\"]\ncommand = [\"cat\", \"{file}\"]\n")
    };
    // Each has four lines, and the name is in the second one.
    let why = read(&(one("check", "b") + &one("after_write", "a") + &one("validator", "a"))).unwrap_err();
    assert!(why.contains("line 10\ntwo commands are named \"a\", the first at line 6;"), "{why}");
    let many = |count: usize| (0..count).map(|n| one("validator", &n.to_string())).collect::<String>();
    assert_eq!(read(&many(limits::COMMANDS)).unwrap().list.len(), limits::COMMANDS);
    let why = read(&many(limits::COMMANDS + 1)).unwrap_err();
    assert!(why.contains("line 130\n") && why.contains("more than 32 `[[validator]]`"), "{why}");
}
