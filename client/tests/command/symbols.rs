//! Tests of outlines and single definitions: the requests and the output.

use editd_proto::ids::Version;
use editd_proto::message::{
    OutlineReply, OutlineRequest, ReadReply, ReadRequest, SymbolDeclaration, SymbolInfo, SymbolPosition,
    TextExtent, kind,
};
use editd_proto::{ErrorCode, RequestError};
use serde_json::json;

use super::peer::{Says, Scene, frame, reply};
use super::{content, err, object, out, status};

fn symbol() -> SymbolInfo {
    let extent = TextExtent { start: (2, 1), end: (3, 2) };
    SymbolInfo {
        name: "S/m".into(),
        kind: "method".into(),
        depth: 0,
        lines: (2, 3),
        definition: extent,
        body: None,
        position: SymbolPosition { line: 1, column: 3 },
        declarations: vec![],
    }
}

#[test]
fn an_outline_is_a_tree_or_the_reply() {
    let outline = OutlineReply {
        path: "src/a".into(),
        version: Version("0123456789ab".into()),
        language: "rust".into(),
        symbols: vec![symbol()],
        omitted: None,
        warnings: vec![],
    };
    let scene = Scene::new(move |_, message| reply(message, &outline));
    let output = scene.run(&["outline", "a", "--depth", "2"], b"");
    assert_eq!((status(&output), out(&output), err(&output)), (0, "2-3  method S/m\n", ""));
    let request: OutlineRequest = scene.asked(kind::OUTLINE).body().unwrap();
    assert_eq!(request, OutlineRequest { path: "src/a".into(), depth: Some(2) });
    let output = scene.run(&["outline", "a", "--json"], b"");
    let found = object(&output);
    assert_eq!((&found["symbols"][0]["name"], &found["language"]), (&json!("S/m"), &json!("rust")));
    let request: OutlineRequest = scene.asked(kind::OUTLINE).body().unwrap();
    assert_eq!(request.depth, None);
}

#[test]
fn a_definition_is_read_by_its_name() {
    let read = ReadReply { first_line: 2, symbol: Some(symbol()), bom: true, ..content(b"x\r\ny\r\n") };
    let scene = Scene::new(move |_, message| reply(message, &read));
    let output = scene.run(&["read", "a", "--symbol", "S/m", "--body"], b"");
    assert_eq!((status(&output), out(&output)), (0, "x\r\ny\r\n"), "a byte order mark is the file's");
    let request: ReadRequest = scene.asked(kind::READ).body().unwrap();
    assert_eq!((request.symbol.as_deref(), request.body, request.lines), (Some("S/m"), true, None));
    let output = scene.run(&["read", "a", "--symbol", "S/m", "--numbers"], b"");
    assert_eq!(out(&output), "2 | x\r\n3 | y\r\n");
    let request: ReadRequest = scene.asked(kind::READ).body().unwrap();
    assert!(!request.body);
}

#[test]
fn declarations_of_a_definition_are_told_beside_it() {
    let declared = |name: &str, lines| SymbolDeclaration { name: name.into(), lines };
    let declarations = vec![declared("f[1]", (1, 2)), declared("f[2]", (3, 3))];
    let found = SymbolInfo { name: "f[3]".into(), lines: (4, 6), declarations, ..symbol() };
    let read = ReadReply { symbol: Some(found), ..content(b"x\n") };
    let scene = Scene::new(move |_, message| reply(message, &read));
    let output = scene.run(&["read", "a", "--symbol", "f"], b"");
    assert_eq!((status(&output), out(&output)), (0, "x\n"));
    let told =
        "editctl: f[3] (lines 4-6) is the implementation; declarations: f[1] (lines 1-2), f[2] (line 3)\n";
    assert_eq!(err(&output), told);
}

#[test]
fn a_name_that_is_not_there_lists_those_that_are() {
    let mut error = RequestError::new(ErrorCode::SymbolNotFound, "there is none");
    error.symbols = vec!["S/m".into(), "S/n".into()];
    let scene = Scene::new(move |_, message| Says::Frames(frame(message.id(), kind::ERROR, &error)));
    let output = scene.run(&["read", "a", "--symbol", "x"], b"");
    assert_eq!((status(&output), out(&output)), (1, ""));
    assert_eq!(err(&output), "editctl: symbol_not_found: there is none\n  S/m\n  S/n\n");
}
