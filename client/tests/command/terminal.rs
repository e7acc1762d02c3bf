//! Tests of the output on a real terminal: nothing that a terminal obeys reaches it, and a pipe gets every byte.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use editd_proto::message::{ClipReply, ContentReply, ExportReply, ExportRequest, ReadReply, kind};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::content;
use super::peer::{Scene, reply};

/// A text with which a file can change the title, clear the screen, type into the shell, and hide its end.
const HOSTILE: &[u8] = b"a\x1b]0;title\x07\x1b[2Jb\rc\xc2\x9b31m\xe2\x80\xaed\te\n";

/// Runs `editctl` on a new terminal, and returns what reached the terminal.
fn on_terminal(scene: &Scene, words: &[&str]) -> Vec<u8> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let path = ptsname(&terminal, Vec::new()).unwrap();
    let side = || File::options().read(true).write(true).open(path.to_str().unwrap()).unwrap();
    let mut command = scene.editctl(words);
    let mut child = command.stdin(Stdio::null()).stdout(side()).stderr(side()).spawn().unwrap();
    drop(command);
    let (mut terminal, mut shown, mut part) = (File::from(terminal), Vec::new(), [0; 4096]);
    // The last read fails: no process has the other side open any more.
    while let Ok(count @ 1..) = terminal.read(&mut part) {
        shown.extend_from_slice(&part[..count]);
    }
    child.wait().unwrap();
    shown
}

#[test]
fn a_terminal_gets_no_character_that_it_obeys() {
    let scene = Scene::new(|_, message| match message.kind() {
        kind::CLIP => {
            let text = Some(String::from_utf8(HOSTILE.to_vec()).unwrap());
            reply(message, &ClipReply { text, ..ClipReply::default() })
        }
        _ => reply(message, &content(HOSTILE)),
    });
    let hostile_name = "no\x1b[2Jsuch";
    for words in [
        &["read", "a"][..],
        &["read", "a", "--numbers"],
        &["clip", "show", "a"],
        &["read", "b", hostile_name],
    ] {
        let shown = String::from_utf8(on_terminal(&scene, words)).unwrap();
        assert!(shown.contains(r"\u{1b}[2J"), "{words:?} {shown:?}");
        // The terminal itself puts a carriage return before each line break.
        let shown = shown.replace("\r\n", "\n");
        let obeyed =
            |letter: &char| letter.is_control() && !matches!(letter, '\n' | '\t') || *letter == '\u{202e}';
        assert_eq!(shown.chars().find(obeyed), None, "{words:?} {shown:?}");
    }
    let piped = scene.run(&["read", "a"], b"");
    assert_eq!(piped.stdout, HOSTILE);
}

#[test]
fn bytes_that_are_no_text_are_escaped_on_a_terminal() {
    let binary: ReadReply = content(b"\x00\x9b2J\xff");
    let scene = Scene::new(move |_, message| reply(message, &binary));
    assert_eq!(on_terminal(&scene, &["read", "a"]), br"\u{0}\x9b2J\xff");
}

#[test]
fn a_journal_is_exported_piece_by_piece_and_not_to_a_terminal() {
    let scene = Scene::new(|_, message| {
        let request: ExportRequest = message.body().unwrap();
        let (bytes, cursor) = match request.cursor.as_deref() {
            None => (b"{}\n".to_vec(), Some("next".to_owned())),
            Some(_) => (b"1\n2\n".to_vec(), None),
        };
        reply(message, &ExportReply { bytes, cursor })
    });
    let shown = String::from_utf8(on_terminal(&scene, &["export"])).unwrap();
    assert!(shown.contains("not printed to a terminal") && !shown.contains("{}"), "{shown}");
    // printf '{}\n1\n2\n' | sha256sum
    let sum = "5edcb793f2e2ea8004e8e8a254b681e14aa9e61163415e9a6466230facea8c81";
    let end = format!("{{\"type\":\"end\",\"lines\":3,\"bytes\":7,\"sha256\":\"{sum}\"}}\n");
    let piped = scene.run(&["export", "--since", "3"], b"");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), format!("{{}}\n1\n2\n{end}"));
}

#[test]
fn json_on_a_terminal_is_escaped_and_means_the_same() {
    let scene = Scene::new(|_, message| reply(message, &content(HOSTILE)));
    let shown = String::from_utf8(on_terminal(&scene, &["read", "a", "--json"])).unwrap();
    let shown = shown.replace("\r\n", "\n");
    let obeyed = |letter: &char| letter.is_control() && *letter != '\n' || *letter == '\u{202e}';
    assert_eq!(shown.chars().find(obeyed), None, "{shown:?}");
    assert!(shown.contains(r"\u009b31m\u202e"), "{shown:?}");
    let of = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
    let piped = scene.run(&["read", "a", "--json"], b"");
    assert_eq!(of(shown.as_bytes()), of(&piped.stdout));
    assert!(piped.stdout.windows(2).any(|part| part == b"\xc2\x9b"), "a pipe gets the text as it is");
}

#[test]
fn cat_sends_bytes_that_are_no_text_to_a_terminal_only_with_raw() {
    const BYTES: &[u8] = b"\x00\x9b2J\xff";
    let binary = ContentReply {
        path: "a".into(),
        bytes: BYTES.to_vec(),
        size: BYTES.len() as u64,
        version: Some(editd_proto::ids::Version("0123456789ab".into())),
    };
    let scene = Scene::new(move |_, message| reply(message, &binary));
    let refused = String::from_utf8(on_terminal(&scene, &["cat", "a@7"])).unwrap();
    assert!(refused.contains("is not text") && refused.contains("--raw"), "{refused:?}");
    assert_eq!(on_terminal(&scene, &["cat", "a@7", "--raw"]), BYTES);
    assert_eq!(scene.run(&["cat", "a@7"], b"").stdout, BYTES);
}
