//! Tests of `trust` as a process, and of the output of receipts and journal entries with hooks, with a simulated
//! daemon.

use editd_proto::ids::JobId;
use editd_proto::message::{
    CommandInfo, EntryKind, EntrySummary, HistoryReply, HookOutcome, JobStatus, TrustReply, TrustRequest,
    kind,
};

use super::peer::{Scene, reply};
use super::{err, object, out, receipt, status};

fn brought(trusted: bool) -> TrustReply {
    let command = CommandInfo {
        kind: "after_write".into(),
        name: "fmt\u{1b}[2J".into(),
        files: vec!["*.rs".into()],
        command: vec!["sh".into(), "-c".into(), "echo a\nb".into()],
        env: vec!["LD_PRELOAD=./a b".into()],
        write: vec!["~/a b".into()],
    };
    TrustReply { hash: Some("blake3:ab".into()), trusted, commands: vec![command], settings: vec![] }
}

fn asked(scene: &Scene) -> TrustRequest {
    scene.asked(kind::TRUST).body().unwrap()
}

#[test]
fn without_a_terminal_nothing_is_recorded_and_the_status_says_so() {
    let scene = Scene::new(|_, message| reply(message, &brought(false)));
    let output = scene.run(&["trust"], b"y\n");
    assert_eq!((status(&output), asked(&scene)), (1, TrustRequest::default()));
    assert!(err(&output).contains("--yes HASH"), "{}", err(&output));
    let text = out(&output);
    assert!(
        text.contains("not trusted: blake3:ab")
            && text.contains(r#""sh" "-c" "echo a\nb""#)
            && text.contains(r#"env "LD_PRELOAD=./a b""#)
            && text.contains(r#"write "~/a b""#),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text}");
    let output = scene.run(&["trust", "--json"], b"");
    assert_eq!((status(&output), object(&output)["trusted"].as_bool()), (1, Some(false)));
    assert_eq!(status(&scene.run(&["trust", "--show"], b"")), 0);
}

#[test]
fn a_hash_that_is_given_is_recorded_and_revoke_forgets() {
    let scene = Scene::new(|_, message| reply(message, &brought(true)));
    let output = scene.run(&["trust", "--yes", "blake3:ab"], b"");
    assert_eq!((status(&output), asked(&scene).hash.as_deref()), (0, Some("blake3:ab")));
    assert!(out(&output).contains("\ntrusted: blake3:ab"), "{}", out(&output));
    let scene = Scene::new(|_, message| reply(message, &brought(false)));
    assert_eq!(status(&scene.run(&["trust", "--revoke"], b"")), 0);
    assert!(asked(&scene).revoke);
    let none = TrustReply { hash: None, trusted: false, commands: vec![], settings: vec![] };
    let scene = Scene::new(move |_, message| reply(message, &none));
    let output = scene.run(&["trust"], b"");
    assert_eq!((status(&output), out(&output)), (0, "no commands\n"));
}

#[test]
fn settings_that_need_trust_are_shown_without_any_command() {
    let settings = vec!["unread = \"allow\"".to_owned(), "a\u{1b}[2J".to_owned()];
    let told = TrustReply { commands: vec![], settings, ..brought(false) };
    let scene = Scene::new(move |_, message| reply(message, &told));
    let output = scene.run(&["trust"], b"");
    let text = out(&output);
    assert!(text.starts_with("setting unread = \"allow\"\nsetting a") && !text.contains('\u{1b}'), "{text}");
    assert!(status(&output) == 1 && err(&output).contains("--yes HASH"), "{}", err(&output));
}

#[test]
fn hooks_are_told_in_receipts_and_in_the_log() {
    let mut told = receipt(JobStatus::Applied, None);
    let files = told.files.clone();
    let warnings = vec!["it was ended".to_owned()];
    told.hooks = vec![HookOutcome { name: "fmt".into(), job: Some(JobId(18)), files, warnings }];
    let scene = Scene::new(move |_, message| reply(message, &told));
    let output = scene.run(&["undo"], b"");
    let text = out(&output);
    assert!(
        text.contains("after_write fmt, entry 18\n") && text.contains("  warning: it was ended"),
        "{text}"
    );
    let entry = EntrySummary {
        id: JobId(18),
        queued: None,
        key: None,
        time: 0,
        session: "s".into(),
        client: "c".into(),
        label: Some("after_write fmt".into()),
        kind: EntryKind::Hook,
        undone: false,
        partly_undone: false,
        diverged: false,
        forgotten: false,
        of: vec![JobId(17)],
        omitted_of: 0,
        omitted_files: 0,
        files: vec![],
    };
    let history = HistoryReply { entries: vec![entry], more: false };
    let scene = Scene::new(move |_, message| reply(message, &history));
    let output = scene.run(&["log"], b"");
    assert!(out(&output).contains("hook  of 17  by s (c)"), "{}", out(&output));
}
