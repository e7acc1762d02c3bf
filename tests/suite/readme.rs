//! The commands and examples of the README and of the reference pages are run: the first job and steps, the tour line by line, the
//! configuration, the dialects. The picture in the README is compared with a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use editd_proto::message::JobRequest;
use editd_proto::operation::operation;
use editd_tests::binaries;
use editd_tests::picture;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;

const README: &str = "README.md";
const COMMANDS: &str = "client/docs/commands.md";
const CONFIGURATION: &str = "daemon/docs/configuration.md";
const DIALECTS: &str = "daemon/docs/dialects.md";
const EDIT_LANGUAGE: &str = "daemon/docs/edit-language.md";
const SYMBOLS: &str = "daemon/docs/symbols.md";

/// The text of a page.
fn page(name: &str) -> String {
    fs::read_to_string(binaries::top().join(name)).unwrap()
}

/// The block of a page that opens with this fence.
fn block(name: &str, fence: &str) -> String {
    let page = page(name);
    let (_, rest) = page.split_once(&format!("\n```{fence}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned()
}

#[test]
fn the_example_with_symbols_has_the_shown_results() {
    let daemon = TestDaemon::new();
    let said = run(&daemon, &format!("{}\neditctl stop >&2", block(SYMBOLS, "sh symbols")));
    for line in ["1-6  class Ada", "2-3    method greet", "    def greet(self):", "+        return \"Hi\""] {
        assert!(said.contains(&format!("{line}\n")), "{line:?} in {said}");
    }
    let text = fs::read_to_string(daemon.workspace().join("ada.py")).unwrap();
    assert!(text.contains("        return \"Hello\"\n"), "{text}");
}

#[test]
fn one_substitution_renames_in_several_files() {
    let daemon = TestDaemon::new();
    let at = |path: &str| daemon.workspace().join(path);
    fs::create_dir_all(at("src/deep")).unwrap();
    fs::create_dir_all(at("lib")).unwrap();
    fs::write(at("src/a.rs"), "fn old_name() {}\nold_name();\n").unwrap();
    fs::write(at("src/deep/b.rs"), "old_name();\nold_names();\n").unwrap();
    fs::write(at("Cargo.toml"), "name = \"old_name\"\n").unwrap();
    fs::write(at("notes.rs"), "old_name\n").unwrap();
    run(&daemon, &block(EDIT_LANGUAGE, "sh several"));
    assert_eq!(fs::read_to_string(at("src/a.rs")).unwrap(), "fn new_name() {}\nnew_name();\n");
    assert_eq!(fs::read_to_string(at("src/deep/b.rs")).unwrap(), "new_name();\nold_names();\n");
    assert_eq!(fs::read_to_string(at("Cargo.toml")).unwrap(), "name = \"new_name\"\n");
    assert_eq!(fs::read_to_string(at("notes.rs")).unwrap(), "old_name\n");

    // The example of the manual, as `editctl help substitute` shows it.
    fs::write(at("greet.py"), "def greet(name):\n    return \"Hello \" + name\n").unwrap();
    fs::write(at("lib/a.py"), "name = name + name\n").unwrap();
    let entry = operation("substitute").unwrap().of_several.unwrap();
    run(&daemon, &format!("editctl edit <<'EOF'\n{entry}\nEOF\neditctl stop >&2"));
    assert_eq!(fs::read_to_string(at("lib/a.py")).unwrap(), "person = person + person\n");
}

#[test]
fn the_tour_has_the_shown_results() {
    let daemon = TestDaemon::new();
    let tour = block(README, "sh tour");
    assert_eq!(tour.lines().count(), 10);
    let said = run_in(&daemon, binaries::top(), &tour);
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert!(lines.contains(&"50"), "fifty files differ: {said}");
    assert!(said.contains("the tour"), "the log names the job: {said}");
    assert!(lines.contains(&"byte-identical"), "{said}");
    let (before, after) = toured(&daemon);
    let before = FileTree::of(&before);
    assert!(before.files() > 2000, "a real tree: {} files", before.files());
    assert_eq!(before.differences(&FileTree::of(&after)), [""; 0], "modes too");
}

/// The folders that the tour has made: the copy that stayed as it was, and the one that was edited.
fn toured(daemon: &TestDaemon) -> (PathBuf, PathBuf) {
    let mut folders = fs::read_dir(daemon.workspace()).unwrap().map(|entry| entry.unwrap().path());
    let before = folders.find(|path| path.extension().is_some_and(|end| end == "before")).unwrap();
    let after = before.with_extension("");
    (before, after)
}

#[test]
fn the_first_job_makes_its_file() {
    let daemon = TestDaemon::new();
    let first = block(README, "sh first");
    let (build, job) = first.split_once(" && target/release/").unwrap();
    assert_eq!(build, "cargo build --release");
    let said = run(&daemon, &format!("cd /\n{job}"));
    assert_eq!(said, "job 1 applied, version @1\nhello.txt 1 +1\n");
    let made = fs::read_dir(daemon.workspace()).unwrap().next().unwrap().unwrap().path();
    run_in(&daemon, &made, "editctl stop --workspace .");
    assert_eq!(fs::read_to_string(made.join("hello.txt")).unwrap(), "hello\n");
}

#[test]
fn the_first_steps_need_no_checkout() {
    let daemon = TestDaemon::new();
    let said = run(&daemon, &format!("{}\neditctl stop >&2", block(README, "sh steps")));
    for line in [
        "list.txt 2 +1 -1",
        "    list.txt  +1 -1",
        "wrote ../notes.html: 2 entries (1 undone), 0 files changed",
    ] {
        assert!(said.contains(&format!("{line}\n")), "{line:?} in {said}");
    }
    assert_eq!(fs::read_to_string(daemon.workspace().join("notes/list.txt")).unwrap(), "milk\nbread\n");
    assert!(fs::read_to_string(daemon.workspace().join("notes.html")).unwrap().contains("list.txt"));
}

#[test]
fn the_picture_is_of_a_real_run() {
    let lines = picture::session();
    assert!(lines.len() <= picture::LINES, "{lines:?}");
    // The times in the log differ from run to run.
    let timeless = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "0");
    let drawn = fs::read_to_string(picture::path()).unwrap();
    let command = "cargo run -p editd-tests --example session";
    assert_eq!(timeless(&drawn), timeless(&picture::svg(&lines)), "draw the picture again: {command}");
    assert!(page(README).contains("](daemon/docs/session.svg)"));
}

/// A shell in a workspace of its own that runs a block of a page. Returns what it printed.
fn run(daemon: &TestDaemon, block: &str) -> String {
    run_in(daemon, daemon.workspace(), block)
}

/// The same in a folder. Temporary folders are made in the workspace.
fn run_in(daemon: &TestDaemon, folder: &Path, block: &str) -> String {
    let path = std::env::join_paths(
        [binaries::editctl().parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = daemon.command("bash");
    shell.current_dir(folder).env("TMPDIR", daemon.workspace());
    shell.args(["-euc", block]).env("PATH", path.unwrap()).env("EDITD_BIN", binaries::editd());
    let done = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let complained = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}\n{complained}");
    said
}

#[test]
fn the_examples_of_dialects_have_the_shown_replies() {
    let daemon = TestDaemon::new();
    let said = run(&daemon, &format!("{}\neditctl stop >&2", block(DIALECTS, "sh dialects")));
    assert!(said.starts_with("Applied 1 of 1 blocks"), "{said}");
    assert!(said.contains("<patches_applied>all</patches_applied>"), "{said}");
    let now = String::from_utf8(daemon.get("greet.py")).unwrap();
    assert_eq!(now, "def greet(name):\n    print(f\"Hello {name}\")\n");
}

#[test]
fn one_payload_of_each_dialect_is_recognised_and_applies() {
    let daemon = TestDaemon::new();
    let examples = block(DIALECTS, "sh examples");
    // The first line makes the file; `ranges` has an example of its own.
    let payloads = examples.lines().count() - 1;
    assert_eq!(
        payloads,
        editd_engine::dialect::list().count() - 1,
        "{DIALECTS} must have one payload of each"
    );
    let said = run(&daemon, &format!("{examples}\neditctl stop >&2"));
    assert!(
        said.contains(&format!("job {payloads}")),
        "each payload must change `f` as the one above left it: {said}"
    );
    for dialect in [
        "<patches_applied>",
        "File saved",
        "OK",
        "Applied 1 of 1 blocks",
        "Success. Updated",
        "patching file f",
    ] {
        assert!(said.contains(dialect), "{dialect}: {said}");
    }
}

#[test]
fn the_examples_of_tool_calls_have_the_shown_replies() {
    let daemon = TestDaemon::new();
    let said = run(&daemon, &format!("{}\neditctl stop >&2", block(DIALECTS, "sh tools")));
    assert!(said.contains("The file list.txt has been updated.") && said.contains("\nOK\n"), "{said}");
    assert_eq!(String::from_utf8(daemon.get("list.txt")).unwrap(), "zero\none\n2\n");
}

#[test]
fn the_example_of_ranges_applies() {
    let daemon = TestDaemon::new();
    let said = run(&daemon, &format!("{}\neditctl stop >&2", block(DIALECTS, "sh ranges")));
    assert!(said.starts_with("applied\njob ") && said.contains(": count.txt "), "{said}");
    assert_eq!(String::from_utf8(daemon.get("count.txt")).unwrap(), "one\nzwei\nthree\nfour\n");
}

#[test]
fn every_dialect_is_in_the_table() {
    let dialects = page(DIALECTS);
    for (name, _) in editd_engine::dialect::list() {
        assert!(dialects.contains(&format!("\n| `{name}` | ")), "the table in {DIALECTS} lacks `{name}`");
    }
}

#[test]
fn the_example_configuration_is_valid() {
    let daemon = TestDaemon::new();
    fs::write(daemon.workspace().join(".editd.toml"), block(CONFIGURATION, "toml config")).unwrap();
    let settings = editd::testing::load_settings(daemon.workspace()).unwrap().settings.trusted;
    assert_eq!(settings.keep_entries, 100_000);
    assert_eq!(settings.encodings, [("legacy/**/*.txt".to_owned(), "windows-1252".to_owned())]);
    // Every line says what it is where it is absent, but for the encodings and the idle time.
    let defaults = editd::testing::Settings::default();
    assert_eq!(format!("{:?}", settings.unread), format!("{:?}", defaults.unread));
    assert_eq!(settings.durability, defaults.durability);
    assert_eq!(settings.payload_limit, defaults.payload_limit);
    assert_eq!(
        (settings.keep_age, settings.keep_entries, settings.keep_bytes, settings.keep_contents),
        (defaults.keep_age, defaults.keep_entries, defaults.keep_bytes, defaults.keep_contents)
    );
}

#[test]
fn every_command_that_is_listed_exists() {
    let daemon = TestDaemon::new();
    let listed = block(COMMANDS, "");
    let mut words: Vec<&str> = Vec::new();
    for piece in listed.lines().flat_map(|line| line.split("editctl ").skip(1)) {
        words.extend(piece.split(" / ").filter_map(|one| one.split_whitespace().next()));
    }
    assert!(words.len() >= 13, "{words:?}");
    for word in words {
        let helped = daemon.command(binaries::editctl()).args([word, "--help"]).output().unwrap();
        assert!(helped.status.success(), "editctl {word} --help");
    }
}

/// The options in the first column of the tables of a page.
fn options(name: &str) -> Vec<String> {
    let page = page(name);
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `--")?.split(" | ").next());
    let words = cells.flat_map(|cell| cell.split(", "));
    let plain = |word: &str| word.trim_matches('`').trim_start_matches("--").to_owned();
    words.map(|word| format!("--{}", plain(word.split(' ').next().unwrap()))).collect()
}

#[test]
fn every_option_that_is_listed_exists() {
    let daemon = TestDaemon::new();
    let help = |program: &Path, words: &[&str]| {
        let done = daemon.command(program).args(words).arg("--help").output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    for (page, help, count) in [
        (COMMANDS, help(binaries::editctl(), &["edit"]), 17),
        (CONFIGURATION, help(binaries::editd(), &[]), 6),
    ] {
        let options = options(page);
        assert_eq!(options.len(), count, "{options:?}");
        for option in options {
            assert!(help.split_whitespace().any(|word| word == option), "{option}: {help}");
        }
    }
}

#[test]
fn the_example_job_is_valid() {
    let job: JobRequest = serde_json::from_str(&block(EDIT_LANGUAGE, "json")).unwrap();
    assert_eq!(job.files.len(), 1);
    // Its table lists every field of a job.
    let page = page(EDIT_LANGUAGE);
    let sample = serde_json::json!({
        "files": [], "key": "k", "label": "l", "mode": "strict", "on_stale": "reject", "partial": true,
        "durability": "full", "threshold": 0.5, "detach": true, "verified": "v", "diff": true, "budget": 1
    });
    let whole: JobRequest = serde_json::from_value(sample).unwrap();
    for field in serde_json::to_value(&whole).unwrap().as_object().unwrap().keys() {
        assert!(page.contains(&format!("\n| `{field}` | ")), "{field}");
    }
}

#[test]
fn the_shown_question_about_trust_is_the_real_one() {
    let daemon = TestDaemon::new();
    let command = "[[after_write]]\nname = \"rustfmt\"\nfiles = [\"*.rs\"]\n\
                   command = [\"rustfmt\", \"--edition\", \"2024\", \"{file}\"]\n";
    fs::write(daemon.workspace().join(".editd.toml"), command).unwrap();
    let said = run(&daemon, "editctl trust --show\neditctl stop >&2");
    let shown = block("daemon/docs/trust.md", "");
    let shown: Vec<&str> = shown.lines().skip(1).collect();
    let (hash, commands) = (shown[2], &shown[..2]);
    assert_eq!(said.lines().take(2).collect::<Vec<_>>(), commands);
    assert!(said.lines().nth(2).unwrap().starts_with(hash.trim_end_matches('…')), "{said}");
}
