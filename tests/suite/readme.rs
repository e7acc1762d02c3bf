//! What the README shows is run: the tour line by line, the configuration, the commands. It knows nothing of
//! them but where they stand.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use editd_proto::operation::operation;
use editd_tests::binaries;
use editd_tests::house::House;
use editd_tests::tree::Tree;

/// The block of the README that opens with this fence.
fn block(fence: &str) -> String {
    let readme = fs::read_to_string(binaries::top().join("README.md")).unwrap();
    let (_, rest) = readme.split_once(&format!("\n```{fence}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned()
}

/// Lets `~/.cargo` be the one that this build uses.
fn lend_the_registry(house: &House) {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let own = own.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(".cargo"));
    symlink(own, house.folder("home").join(".cargo")).unwrap();
}

#[test]
fn the_lines_about_symbols_do_what_they_say() {
    let house = House::new();
    let said = run(&house, &format!("{}\neditctl stop >&2", block("sh symbols")));
    for line in ["1-6  class Ada", "2-3    method greet", "    def greet(self):", "+        return \"Hi\""] {
        assert!(said.contains(&format!("{line}\n")), "{line:?} in {said}");
    }
    let text = fs::read_to_string(house.workspace().join("ada.py")).unwrap();
    assert!(text.contains("        return \"Hello\"\n"), "{text}");
}

#[test]
fn one_substitution_renames_in_several_files() {
    let house = House::new();
    let at = |path: &str| house.workspace().join(path);
    fs::create_dir_all(at("src/deep")).unwrap();
    fs::create_dir_all(at("lib")).unwrap();
    fs::write(at("src/a.rs"), "fn old_name() {}\nold_name();\n").unwrap();
    fs::write(at("src/deep/b.rs"), "old_name();\nold_names();\n").unwrap();
    fs::write(at("Cargo.toml"), "name = \"old_name\"\n").unwrap();
    fs::write(at("notes.rs"), "old_name\n").unwrap();
    run(&house, &block("sh several"));
    assert_eq!(fs::read_to_string(at("src/a.rs")).unwrap(), "fn new_name() {}\nnew_name();\n");
    assert_eq!(fs::read_to_string(at("src/deep/b.rs")).unwrap(), "new_name();\nold_names();\n");
    assert_eq!(fs::read_to_string(at("Cargo.toml")).unwrap(), "name = \"new_name\"\n");
    assert_eq!(fs::read_to_string(at("notes.rs")).unwrap(), "old_name\n");

    // The example of the manual, as `editctl help substitute` shows it.
    fs::write(at("greet.py"), "def greet(name):\n    return \"Hello \" + name\n").unwrap();
    fs::write(at("lib/a.py"), "name = name + name\n").unwrap();
    let entry = operation("substitute").unwrap().of_several.unwrap();
    run(&house, &format!("editctl edit <<'EOF'\n{entry}\nEOF\neditctl stop >&2"));
    assert_eq!(fs::read_to_string(at("lib/a.py")).unwrap(), "person = person + person\n");
}

#[test]
fn the_tour_ends_as_it_says() {
    let house = House::new();
    lend_the_registry(&house);
    let tour = block("sh tour");
    assert_eq!(tour.lines().count(), 10);
    let said = run(&house, &tour);
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert!(lines.contains(&"50"), "fifty files differ: {said}");
    assert!(said.contains("the tour"), "the log names the job: {said}");
    assert!(lines.contains(&"byte-identical"), "{said}");
    let before = Tree::of(&house.workspace().join("before"));
    assert!(before.files() > 2000, "a real tree: {} files", before.files());
    let now = Tree::of(&house.workspace().join("tour"));
    assert_eq!(before.differences(&now), [""; 0], "modes too");
}

/// A shell in a workspace of its own that runs a block of the README. Returns what it printed.
fn run(house: &House, block: &str) -> String {
    let path = std::env::join_paths(
        [binaries::editctl().parent().unwrap().to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = house.command("bash");
    shell.args(["-euc", block]).env("PATH", path.unwrap()).env("EDITD_BIN", binaries::editd());
    let done = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let complained = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}\n{complained}");
    said
}

#[test]
fn the_dialects_answer_as_it_says() {
    let house = House::new();
    let said = run(&house, &format!("{}\neditctl stop >&2", block("sh dialects")));
    assert!(said.starts_with("Applied 1 of 1 blocks"), "{said}");
    assert!(said.contains("<patches_applied>all</patches_applied>"), "{said}");
    let now = String::from_utf8(house.get("greet.py")).unwrap();
    assert_eq!(now, "def greet(name):\n    print(f\"Hello {name}\")\n");
}

#[test]
fn one_payload_of_each_dialect_is_recognised_and_applies() {
    let house = House::new();
    let examples = block("sh examples");
    assert_eq!(examples.lines().count(), editd_engine::dialect::list().count(), "one of each but `ranges`");
    let said = run(&house, &format!("{examples}\neditctl stop >&2"));
    assert_eq!(String::from_utf8(house.get("f")).unwrap(), "n\n", "{said}");
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
fn the_calls_of_tools_answer_as_it_says() {
    let house = House::new();
    let said = run(&house, &format!("{}\neditctl stop >&2", block("sh tools")));
    assert!(said.contains("The file list.txt has been updated.") && said.contains("\nOK\n"), "{said}");
    assert_eq!(String::from_utf8(house.get("list.txt")).unwrap(), "zero\none\n2\n");
}

#[test]
fn the_example_of_ranges_applies() {
    let house = House::new();
    let said = run(&house, &format!("{}\neditctl stop >&2", block("sh ranges")));
    assert!(said.starts_with("applied\njob ") && said.contains(": count.txt "), "{said}");
    assert_eq!(String::from_utf8(house.get("count.txt")).unwrap(), "one\nzwei\nthree\nfour\n");
}

#[test]
fn every_dialect_stands_in_its_table() {
    let readme = fs::read_to_string(binaries::top().join("README.md")).unwrap();
    for (name, _) in editd_engine::dialect::list() {
        assert!(readme.contains(&format!("\n| `{name}` | ")), "{name}");
    }
}

#[test]
fn the_configuration_is_one() {
    let house = House::new();
    fs::write(house.workspace().join(".editd.toml"), block("toml config")).unwrap();
    let settings = editd::config::load(house.workspace()).unwrap();
    assert_eq!(settings.keep_entries, 100_000);
    assert_eq!(settings.encodings, [("legacy/**/*.txt".to_owned(), "windows-1252".to_owned())]);
    // Every line says what it is where it is absent, but for the encodings and the idle time.
    let defaults = editd::config::Settings::default();
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
    let house = House::new();
    let readme = fs::read_to_string(binaries::top().join("README.md")).unwrap();
    let (_, commands) = readme.split_once("\n## Commands\n").unwrap();
    let listed = commands.split_once("\n```\n").unwrap().1.split_once("\n```").unwrap().0;
    let mut words: Vec<&str> = Vec::new();
    for piece in listed.lines().flat_map(|line| line.split("editctl ").skip(1)) {
        words.extend(piece.split(" / ").filter_map(|one| one.split_whitespace().next()));
    }
    assert!(words.len() >= 13, "{words:?}");
    for word in words {
        let helped = house.command(binaries::editctl()).args([word, "--help"]).output().unwrap();
        assert!(helped.status.success(), "editctl {word} --help");
    }
}
