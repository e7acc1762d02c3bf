//! Parsing of settings, the errors for invalid ones, and the settings that need trust.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the file is on a real disk")]

use super::*;

#[test]
fn an_empty_file_gives_the_defaults() {
    assert_eq!(parse("").unwrap(), Settings::default());
}

#[test]
fn every_key_is_read() {
    let settings = parse(
        r#"
        unread = "reject"
        on_stale = "rebase"
        durability = "full"
        idle_exit = "10m"
        keep_age = "14d"
        keep_entries = 700
        keep_bytes = "64MiB"
        keep_contents = "2MB"
        payload_limit = "2MiB"
        generated = "refuse"
        [[encodings]]
        paths = "legacy/**"
        encoding = "latin1"
        "#,
    )
    .unwrap();
    let expected = Settings {
        unread: UnreadPolicy::Reject,
        on_stale: OnStale::Rebase,
        durability: Durability::Full,
        idle_exit: Some(Duration::from_secs(600)),
        keep_age: Duration::from_secs(14 * 86400),
        keep_entries: 700,
        keep_bytes: 64 << 20,
        keep_contents: 2_000_000,
        encodings: vec![("legacy/**".into(), "latin1".into())],
        payload_limit: 2 << 20,
        generated: GeneratedPolicy::Refuse,
        ..Settings::default()
    };
    assert_eq!(settings, expected);
}

#[test]
fn the_page_shows_the_defaults() {
    let page = include_str!("../../../docs/configuration.md");
    let shown = page.split("```toml config\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let settings = parse(shown).unwrap();
    let encodings = vec![("legacy/**/*.txt".to_owned(), "windows-1252".to_owned())];
    let idle_exit = Some(Duration::from_secs(1800));
    assert_eq!(settings, Settings { encodings, idle_exit, ..Settings::default() });
}

#[test]
fn a_mistake_is_named_with_its_line_and_key() {
    for (text, line, word) in [
        ("\nunraed = \"reject\"", "line 2", "unraed"),
        ("unread = \"never\"", "line 1", "anchored"),
        ("generated = \"never\"", "line 1", "refuse"),
        ("\n\nkeep_age = \"14\"", "line 3", "a duration"),
        ("keep_bytes = 5", "line 1", "keep_bytes"),
        ("keep_bytes = \"5mb\"", "line 1", "a size"),
        ("keep_entries = -1", "line 1", "keep_entries"),
        ("state = \"/tmp\"", "line 1", "state"),
        ("[[encodings]]\npaths = \"a[\"\nencoding = \"latin1\"", "line 2", "paths"),
        ("[[encodings]]\npaths = \"a\"\nencoding = \"klingon\"", "line 3", "klingon"),
        ("keep_age = ", "line 1", "keep_age"),
        ("idle_exit = \"1ms\"", "line 1", "at least 1s"),
        ("keep_age = \"59m\"", "line 1", "at least 1h"),
        ("keep_entries = 99", "line 1", "at least 100"),
        ("keep_bytes = \"1MiB\"", "line 1", "at least 8MiB"),
        ("keep_contents = \"0B\"", "line 1", "at least 1MiB"),
        ("payload_limit = \"1B\"", "line 1", "at least 1KiB"),
    ] {
        let why = parse(text).unwrap_err();
        assert!(why.contains(line) && why.contains(word), "{text}: {why}");
    }
}

#[test]
fn a_mistake_in_a_command_leaves_the_settings_as_they_are_and_is_told_with_the_commands() {
    for wrong in [
        "[[validator]]\nname = \"a\"\nfiles = [\"*\"]\ncommand = [\"a\"]\npattern = \"(bad\"",
        "[[validator]]\nshell = \"sh\"",
        "[[after_write]]\nname = 5",
        "[syntax]\ncheck = \"no\"",
    ] {
        let text = format!("keep_entries = 700\n{wrong}\n");
        assert_eq!(parse(&text).unwrap().keep_entries, 700, "{text}");
        assert!(written(&text).is_err(), "{text}");
        let text = format!("keep_entries = -7\n{wrong}\n");
        assert!(parse(&text).unwrap_err().contains("line 1"), "{text}");
    }
}

#[test]
fn a_file_that_is_too_long_or_none_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(load(folder.path()).unwrap(), LoadedSettings::default());
    std::fs::write(folder.path().join(FILE_NAME), "#".repeat(limits::CONFIG + 1)).unwrap();
    assert!(matches!(load(folder.path()), Err(ConfigError::Unreadable { .. })));
    std::fs::remove_file(folder.path().join(FILE_NAME)).unwrap();
    std::fs::create_dir(folder.path().join(FILE_NAME)).unwrap();
    let why = load(folder.path()).unwrap_err().to_string();
    assert!(why.contains(FILE_NAME) && why.contains("not a file"), "{why}");
}

#[test]
fn each_setting_that_relaxes_something_needs_trust() {
    for (text, key, at_start) in [
        ("unread = \"allow\"", "unread", true),
        ("on_stale = \"rebase\"", "on_stale", true),
        ("durability = \"relaxed\"", "durability", true),
        ("idle_exit = \"29m\"", "idle_exit", true),
        ("keep_age = \"29d\"", "keep_age", true),
        ("keep_entries = 99999", "keep_entries", true),
        ("keep_bytes = \"1023MiB\"", "keep_bytes", true),
        ("keep_bytes = \"9TiB\"", "keep_bytes", true),
        ("keep_contents = \"1MiB\"", "keep_contents", true),
        ("keep_contents = \"9TiB\"", "keep_contents", true),
        ("payload_limit = \"2MiB\"", "payload_limit", true),
        ("generated = \"allow\"", "generated", true),
        ("git_folder = \"allow\"", "git_folder", true),
        ("hard_links = \"allow\"", "hard_links", true),
        ("confine = \"off\"", "confine", true),
        ("encodings = [{ encoding = \"utf-16le\", paths = \"**\" }]", "encodings", true),
        ("syntax.check = false", "syntax.check", false),
        ("syntax.except = [\"**\"]", "syntax.except", false),
    ] {
        let settings = by_trust(text).unwrap();
        assert_eq!(settings.untrusted, Settings::default(), "{text}");
        assert_eq!(settings.trusted.relaxed, [RelaxedSetting { key, line: text.to_owned(), at_start }]);
        assert_eq!(written(text).unwrap().1, settings.trusted.relaxed);
        if at_start {
            assert_ne!(Settings { relaxed: Vec::new(), ..settings.trusted }, Settings::default(), "{text}");
        }
    }
}

#[test]
fn a_stricter_setting_needs_no_trust() {
    for text in [
        "unread = \"reject\"",
        "durability = \"full\"",
        "idle_exit = \"1h\"",
        "keep_age = \"90d\"",
        "keep_entries = 200000",
        "payload_limit = \"2KiB\"",
        "generated = \"refuse\"",
        "encodings = [{ paths = \"old/**\", encoding = \"windows-1252\" }]",
    ] {
        let settings = by_trust(text).unwrap();
        assert_ne!(settings.untrusted, Settings::default(), "{text}");
        assert_eq!(settings.untrusted, settings.trusted, "{text}");
    }
    let text = "syntax.check = true\nsyntax.except = []\nunread = \"anchored\"";
    assert_eq!(by_trust(text).unwrap(), SettingsByTrust::default());
}

#[cfg(unix)]
#[test]
fn settings_behind_a_link_have_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("real"), "unread = \"allow\"").unwrap();
    std::os::unix::fs::symlink("real", folder.path().join(FILE_NAME)).unwrap();
    let loaded = load(folder.path()).unwrap();
    assert_eq!((loaded.hash, loaded.settings.untrusted), (None, Settings::default()));
}
