//! The sources of settings, and the values that wait for trust or for a restart.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use clap::Parser;

use super::*;
use crate::config::read_commands;

/// The settings of a file, as a daemon that starts with it has them.
fn started(text: &str, trusted: bool) -> SettingSources {
    let config = read_commands(text.as_bytes()).unwrap();
    let mut sources = SettingSources { trusted, ..SettingSources::of_file(hash(text), config.written) };
    sources.values = vec![("unread", "anchored".to_owned()), ("keep_age", "30d".to_owned())];
    sources
}

fn hash(text: &str) -> Option<ContentHash> {
    Some(ContentHash::from_bytes(*blake3::hash(text.as_bytes()).as_bytes()))
}

/// Returns the row of a setting, as text.
fn row(sources: &SettingSources, now: &str, trusted: bool, name: &str) -> String {
    let config = read_commands(now.as_bytes()).unwrap();
    let now = PresentFile { hash: hash(now), written: Some(&config.written), trusted };
    let one = sources.list(&now).into_iter().find(|one| one.name == name).unwrap();
    format!("{} {:?} {:?} {:?} {:?}", one.value, one.source, one.line, one.written.as_deref(), one.waits)
}

#[test]
fn a_value_of_the_file_applies_or_says_what_it_waits_for() {
    let old = "keep_age = \"60d\"\nunread = \"allow\"\n";
    let new = "unread = \"reject\"\n";
    let told = |old: &str, at_start: bool, now: &str, trusted: bool, name: &str| {
        row(&started(old, at_start), now, trusted, name)
    };
    assert_eq!(told(old, false, old, false, "keep_age"), "30d File Some(1) None None");
    assert_eq!(told(old, true, old, true, "unread"), "anchored File Some(2) None None");
    assert_eq!(
        told(old, false, old, false, "unread"),
        "anchored Default Some(2) Some(\"allow\") Some(Trust)"
    );
    assert_eq!(
        told(old, false, old, true, "unread"),
        "anchored Default Some(2) Some(\"allow\") Some(Restart)"
    );
    assert_eq!(
        told(old, false, new, false, "unread"),
        "anchored Default Some(1) Some(\"reject\") Some(Restart)"
    );
    assert_eq!(told(old, false, new, false, "keep_age"), "30d File None None Some(Restart)");
    assert_eq!(told("", true, "", false, "unread"), "anchored Default None None None");
}

#[test]
fn commands_and_exceptions_of_syntax_are_those_of_the_present_file() {
    let now = "[syntax]\ncheck = false\n[[format]]\nname = \"f\"\nfiles = [\"*\"]\ncommand = [\"f\"]\n";
    let sources = started("", true);
    let told = |trusted, name| row(&sources, now, trusted, name);
    assert_eq!(told(true, "syntax.check"), "false File Some(2) None None");
    assert_eq!(told(false, "syntax.check"), "true Default Some(2) Some(\"false\") Some(Trust)");
    assert_eq!(told(true, "syntax.except"), "[] Default None None None");
    assert_eq!(told(true, "format f"), "[\"f\"] File Some(4) None None");
    let waiting = "does not run Default Some(4) Some(\"[\\\"f\\\"]\") Some(Trust)";
    assert_eq!(told(false, "format f"), waiting);
    assert!(sources.is_other(&PresentFile { hash: hash(now), written: None, trusted: false }));
    assert!(!sources.is_other(&PresentFile { hash: hash(""), written: None, trusted: false }));
}

#[test]
fn a_file_is_changed_if_a_restart_would_make_a_difference() {
    let changed = |old: &str, now: &str| {
        let config = read_commands(now.as_bytes()).unwrap();
        let present = PresentFile { hash: hash(now), written: Some(&config.written), trusted: true };
        started(old, true).is_changed(&present)
    };
    let command = "[[validator]]\nname = \"v\"\nfiles = [\"*\"]\ncommand = [\"v\"]\n";
    assert!(!changed("", command) && !changed(command, ""));
    assert!(!changed("keep_age = \"60d\"\n", "# how long\nkeep_age = \"60d\"\n"));
    assert!(changed("", "keep_age = \"60d\"\n") && changed("keep_age = \"60d\"\n", ""));
    let unusable = PresentFile { hash: hash("a"), written: None, trusted: false };
    assert!(started("", true).is_changed(&unusable));
}

#[test]
fn options_and_the_environment_overrule_the_file() {
    let text = "idle_exit = \"1h\"\nconfine = \"on\"\n";
    let mut sources = started(text, true);
    let words = ["editd", "--idle-exit", "5m", "--state", "/s"];
    let args = DaemonArgs::try_parse_from(words).unwrap();
    let around = DaemonEnvironment { names_state_home: true, ..DaemonEnvironment::default() };
    sources.note_given(&args, &around, true);
    let settings = args.over(Settings::default());
    sources.note_values(&settings, &args, [Path::new("/w"), Path::new("/s"), Path::new("/x.sock")]);
    let told = |name| row(&sources, text, true, name);
    assert_eq!(told("idle_exit"), "5m Option None Some(\"1h\") None");
    assert_eq!(told("confine"), "on File Some(2) None None");
    assert_eq!(told("state"), "/s Option None None None");
    assert_eq!(told("socket"), "/x.sock Systemd None None None");
    assert_eq!(told("workspace"), "/w Default None None None");
    let around_only = DaemonArgs::try_parse_from(["editd"]).unwrap();
    let mut sources = SettingSources::default();
    sources.note_given(&around_only, &around, false);
    sources.note_values(
        &Settings::default(),
        &around_only,
        [Path::new("/w"), Path::new("/s"), Path::new("/x")],
    );
    assert_eq!(row(&sources, "", true, "state"), "/s Environment None None None");
}

#[test]
fn each_value_has_the_word_that_the_file_would_have() {
    let mut sources = SettingSources::default();
    let args = DaemonArgs::try_parse_from(["editd"]).unwrap();
    sources.note_values(&Settings::default(), &args, [Path::new("/w"), Path::new("/s"), Path::new("/x")]);
    let is_key = |key: &str| !["encodings", "workspace", "state", "socket", "log_level"].contains(&key);
    for (key, value) in sources.values.iter().filter(|(key, value)| is_key(key) && value != "never") {
        let text = match value.parse::<u64>() {
            Ok(number) => format!("{key} = {number}"),
            Err(_) => format!("{key} = {value:?}"),
        };
        assert!(read_commands(text.as_bytes()).is_ok(), "{text}");
    }
    for words in [
        [word(super::super::UnreadPolicy::Allow), word(super::super::UnreadPolicy::Reject)],
        [word(super::super::GeneratedPolicy::Refuse), word(super::super::GeneratedPolicy::Allow)],
    ] {
        assert!(words.iter().all(|word| ["allow", "reject", "refuse"].contains(&word.as_str())), "{words:?}");
    }
}
