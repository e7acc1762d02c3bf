//! Tests of parsing process facts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::{ProcessFacts, base_name, linux, listed, own_id, process};

#[test]
fn a_line_of_stat_is_read_whatever_the_name_of_the_process() {
    let line = "42 (a) b (c)) S 7 42 42 34819 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 8192 100 0";
    let facts = linux::parse(42, line).unwrap();
    let expected = ProcessFacts {
        id: 42,
        parent: 7,
        session: Some(42),
        leads: true,
        terminal: Some("pts/3".into()),
        started: "987654".into(),
        name: "a) b (c)".into(),
        ..ProcessFacts::default()
    };
    assert_eq!(facts, expected);
    assert_eq!(linux::parse(42, &line.replace("34819", "0")).unwrap().terminal, None);
    assert_eq!(linux::parse(42, &line.replace("34819", "1025")).unwrap().terminal, Some("tty1".into()));
    assert_eq!(linux::parse(42, &line.replace("34819", "1088")).unwrap().terminal, Some("ttyS0".into()));
    assert_eq!(linux::parse(42, "42 (cut"), None);
}

#[test]
fn a_line_of_ps_is_read() {
    let told = "  812 ttys003  Ss+  Sun Nov 22 17:30:01 2026     -zsh --login\n";
    let facts = listed::parse(901, told).unwrap();
    let expected = ProcessFacts {
        id: 901,
        parent: 812,
        session: None,
        leads: true,
        terminal: Some("ttys003".into()),
        started: "Sun Nov 22 17:30:01 2026".into(),
        name: "zsh".into(),
        program: Some("zsh".into()),
        words: vec!["-zsh".into(), "--login".into()],
    };
    assert_eq!(facts, expected);
    let told = "1 ?? S Sun Nov 22 17:30:01 2026 sshd: somebody@notty";
    let facts = listed::parse(901, told).unwrap();
    assert_eq!((facts.terminal, facts.leads, facts.name.as_str()), (None, false, "sshd"));
    assert_eq!(listed::parse(901, ""), None);
}

#[test]
fn the_process_of_this_test_is_found() {
    let own = process(own_id()).unwrap();
    assert_eq!((own.id, own.session.is_some()), (own_id(), true));
    assert!(!own.started.is_empty() && !own.words.is_empty() && own.program.is_some());
    let Some(told) = listed::process(own_id()) else {
        return eprintln!("skipped: /bin/ps is absent");
    };
    assert_eq!((told.parent, told.leads, told.terminal), (own.parent, own.leads, own.terminal));
    assert_eq!(told.words.first(), own.words.first());
}

#[test]
fn names_lose_their_folder_and_the_mark_of_a_login() {
    for (word, name) in [("/bin/bash", "bash"), ("-zsh", "zsh"), ("sh", "sh"), ("", "")] {
        assert_eq!(base_name(word), name);
    }
}
