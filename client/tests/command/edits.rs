//! Tests of the commands that make one edit: `create`, `write`, `mv`, `rm` and `symbol`.

use editd_proto::message::{FileEdit, FileEntry, JobRequest, JobStatus, kind};

use super::peer::{Scene, reply};
use super::{err, receipt, status};

#[test]
fn a_file_is_made_of_a_word_a_file_or_standard_input() {
    let scene = Scene::new(|_, message| reply(message, &receipt(JobStatus::Applied, None)));
    std::fs::write(scene.root().join("src/from"), "of a file").unwrap();
    let sources = [
        (&["new", "-x\n"][..], "-x\n"),
        (&["new", "--file", "from"], "of a file"),
        (&["new"], "of the input"),
        (&["new", "-"], "of the input"),
    ];
    for (op, (words, text)) in ["create", "write"].into_iter().flat_map(|op| sources.map(|one| (op, one))) {
        let output = scene.run(&[&[op], words].concat(), b"of the input");
        assert_eq!((status(&output), err(&output)), (0, ""), "{words:?}");
        let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
        let file = &request.files[0];
        assert_eq!((file.path.clone(), file.base.as_deref()), ("src/new".into(), None));
        assert_eq!((file.edits[0].op.as_str(), file.edits[0].text.as_deref()), (op, Some(text)));
    }
}

#[test]
fn a_command_for_one_edit_sends_that_edit() {
    let scene = Scene::new(|_, message| reply(message, &receipt(JobStatus::Applied, None)));
    let edit = |op: &str| FileEdit { op: op.to_owned(), ..FileEdit::default() };
    let symbol = |action: &str, text: Option<&str>| FileEdit {
        name: Some("S/m".to_owned()),
        action: Some(action.to_owned()),
        text: text.map(str::to_owned),
        ..edit("symbol")
    };
    let moved = FileEdit { to: Some("src/b".into()), ..edit("rename") };
    for (words, expected) in [
        (&["rm", "a"][..], edit("delete")),
        (&["mv", "a", "b"], moved.clone()),
        (&["mv", "a", "b", "--overwrite"], FileEdit { overwrite: Some(true), ..moved }),
        (&["symbol", "a", "S/m", "--replace-body"], symbol("replace_body", Some("of the input"))),
        (&["symbol", "a", "S/m", "--replace", "-"], symbol("replace", Some("of the input"))),
        (&["symbol", "a", "S/m", "--insert-before", "-- x"], symbol("insert_before", Some("-- x"))),
        (&["symbol", "a", "S/m", "-x", "--insert-after"], symbol("insert_after", Some("-x"))),
        (&["symbol", "a", "S/m", "--delete"], symbol("delete", None)),
    ] {
        let output = scene.run(words, b"of the input");
        assert_eq!((status(&output), err(&output)), (0, ""), "{words:?}");
        let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
        let entry = FileEntry { path: "src/a".into(), edits: vec![expected], ..FileEntry::default() };
        assert_eq!(request.files, [entry], "{words:?}");
    }
    let output = scene.run(&["rm", "a", "--base", "@3"], b"");
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    assert_eq!((status(&output), request.files[0].base.as_deref()), (0, Some("@3")));
}
