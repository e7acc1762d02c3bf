//! Tests of reading edits and templates. They look at no file.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use editd_types::operation::OPERATIONS;
use editd_types::{EditPosition, EditScope, ErrorCode, FileEdit, FileMode, FilePath};

use super::*;
use crate::ContentProof;

fn edit(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}

#[test]
fn a_refusal_names_the_field() {
    let text = || Some("x".to_owned());
    for (edit, field) in [
        (edit("replace"), "old"),
        (FileEdit { old: text(), ..edit("replace") }, "new"),
        (FileEdit { old: text(), new: text(), text: text(), ..edit("replace") }, "text"),
        (FileEdit { text: text(), ..edit("insert") }, "at"),
        (FileEdit { at: Some(EditPosition::End), ..edit("insert") }, "text"),
        (FileEdit { text: text(), to_clipboard: text(), ..edit("write") }, "to_clipboard"),
        (FileEdit { start: Some(1), text: text(), ..edit("lines") }, "end"),
        (FileEdit { pattern: text(), ..edit("substitute") }, "replacement"),
        (edit("chunk"), "old"),
        (FileEdit { old: text(), before: text(), ..edit("chunk") }, "new"),
        (FileEdit { old: text(), new: text(), near: Some(1), ..edit("chunk") }, "near"),
        (
            FileEdit { old: text(), new: text(), within: Some(EditScope::Lines((2, 1))), ..edit("chunk") },
            "within",
        ),
        (edit("symbol"), "name"),
        (FileEdit { name: text(), ..edit("symbol") }, "action"),
        (
            FileEdit { name: text(), action: Some("delete".to_owned()), text: text(), ..edit("symbol") },
            "text",
        ),
        (FileEdit { name: Some(String::new()), ..edit("symbol") }, "name"),
        (edit("rename"), "to"),
        (FileEdit { to: Some(FilePath::from("")), ..edit("copy") }, "to"),
        (edit("chmod"), "mode"),
        (FileEdit { mode: Some(FileMode::Bits(0o1000)), ..edit("chmod") }, "mode"),
        (FileEdit { mode: Some(FileMode::Bits(400)), ..edit("chmod") }, "mode"),
        (FileEdit { mode: Some(FileMode::Octal("+7".to_owned())), ..edit("chmod") }, "mode"),
        (FileEdit { overwrite: Some(true), ..edit("create") }, "overwrite"),
        (
            FileEdit { old: text(), new: text(), from_clipboard: Some("n".repeat(300)), ..edit("replace") },
            "from_clipboard",
        ),
    ] {
        let refusal = parse(&edit, None).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::Malformed);
        assert!(refusal.message.contains(&format!("`{field}`")), "{}", refusal.message);
    }
}

#[test]
fn a_number_that_may_be_meant_as_digits_is_no_mode() {
    let read = |bits| {
        let edit = FileEdit { mode: Some(FileMode::Bits(bits)), ..edit("chmod") };
        parse(&edit, None).map(drop).map_err(|refusal| refusal.message)
    };
    // Of programs, which have octal numbers.
    for bits in
        [0, 0o400, 0o444, 0o555, 0o600, 0o640, 0o644, 0o660, 0o664, 0o700, 0o711, 0o750, 0o755, 0o770, 0o775]
    {
        assert_eq!(read(bits), Ok(()), "0o{bits:o}");
    }
    // Of people; 511 is 0o777, and 0o511 is a mode too.
    for digits in [400, 440, 444, 500, 511, 100, 111, 222, 333, 600, 644, 755, 777] {
        let said = read(digits).unwrap_err();
        assert!(said.contains(&format!("such as \"{digits}\"")), "{said}");
    }
    assert!(read(888).unwrap_err().contains("such as \"755\""));
}

#[test]
fn modes_are_read_as_octal_digits() {
    for (digits, bits) in [("644", 0o644), ("0755", 0o755), ("0o600", 0o600), ("0", 0)] {
        let edit = FileEdit { mode: Some(FileMode::Octal(digits.to_owned())), ..edit("chmod") };
        assert!(matches!(parse(&edit, None), Ok(Op::Chmod(found)) if found == bits));
    }
}

#[test]
fn an_edit_proves_what_it_quotes() {
    let text = || Some("x".to_owned());
    let to = || Some(FilePath::from("to"));
    for (edit, wanted) in [
        (FileEdit { old: text(), new: text(), ..edit("replace") }, ContentProof::Quoted),
        (FileEdit { old: text(), new: text(), ..edit("chunk") }, ContentProof::Quoted),
        (FileEdit { text: text(), at: Some(EditPosition::End), ..edit("insert") }, ContentProof::NotNeeded),
        (
            FileEdit { text: text(), at: Some(EditPosition::Before("a".to_owned())), ..edit("insert") },
            ContentProof::Quoted,
        ),
        (FileEdit { text: text(), at: Some(EditPosition::Line(1)), ..edit("insert") }, ContentProof::Blind),
        (FileEdit { text: text(), ..edit("write") }, ContentProof::Blind),
        (FileEdit { pattern: text(), replacement: text(), ..edit("substitute") }, ContentProof::Blind),
        (FileEdit { name: text(), action: Some("delete".to_owned()), ..edit("symbol") }, ContentProof::Blind),
        (
            FileEdit {
                name: text(),
                action: Some("insert_after".to_owned()),
                text: text(),
                ..edit("symbol")
            },
            ContentProof::Quoted,
        ),
        (edit("create"), ContentProof::NotNeeded),
        (edit("delete"), ContentProof::Blind),
        (FileEdit { to: to(), ..edit("copy") }, ContentProof::NotNeeded),
        // What they replace is the target's content, and judged as that.
        (FileEdit { to: to(), overwrite: Some(true), ..edit("copy") }, ContentProof::NotNeeded),
        (FileEdit { to: to(), overwrite: Some(true), ..edit("rename") }, ContentProof::NotNeeded),
        (FileEdit { mode: Some(FileMode::Bits(0o600)), ..edit("chmod") }, ContentProof::NotNeeded),
    ] {
        assert_eq!(parse(&edit, None).unwrap().proof(), wanted, "{edit:?}");
    }
}

#[test]
fn every_kind_is_in_the_table_of_operations() {
    let missing: Vec<&str> =
        registry::names().filter(|name| OPERATIONS.iter().all(|one| one.name != *name)).collect();
    assert!(missing.is_empty(), "`OPERATIONS` in types/src/operation/table.rs lacks {missing:?}");
    assert_eq!(OPERATIONS.len(), registry::names().count(), "`OPERATIONS` has a kind that `KINDS` lacks");
}

/// Returns the first example of an operation with this value of a field.
fn example_with(name: &str, field: &str, value: serde_json::Value) -> Op {
    let operation = editd_types::operation::operation(name);
    let operation = operation.unwrap_or_else(|| panic!("`OPERATIONS` lacks `{name}`"));
    let mut edit: serde_json::Value = serde_json::from_str(operation.examples.first().unwrap().edit).unwrap();
    let fields = edit.as_object_mut().unwrap();
    fields.insert(field.to_owned(), value);
    if field == "within" {
        // Both name a symbol.
        fields.remove("name");
    }
    parse(&serde_json::from_value(edit).unwrap(), None)
        .unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"))
}

#[test]
fn every_kind_tells_the_facts_about_its_fields() {
    let long = "x".repeat(1000);
    for operation in OPERATIONS {
        let name = operation.name;
        for field in operation.fields.iter().map(|field| field.name) {
            let of = |value: serde_json::Value| example_with(name, field, value);
            let (method, told) = match field {
                "to_clipboard" => ("stores", of("c".into()).stores() == Some("c")),
                "from_clipboard" => ("reads", of("c".into()).reads() == Some("c")),
                "to" => ("target", of("c".into()).target() == Some(&FilePath::from("c"))),
                "start" => ("named_lines", of(1.into()).named_lines().is_some()),
                "within" => {
                    let within = serde_json::json!({"position": {"line": 0, "column": 0}});
                    ("needs_symbols", of(within).needs_symbols())
                }
                "text" | "new" | "replacement" => {
                    let new = if name == "hunk" { format!("-a\n+{long}\n") } else { long.clone() };
                    ("text_bytes", of(new.into()).text_bytes() >= long.len())
                }
                _ => continue,
            };
            assert!(told, "`Op::{method}` must know the field `{field}` of `{name}`");
        }
    }
}

#[test]
fn the_manual_names_every_rung_from_strict_to_loose() {
    let mut fields = editd_types::operation::OPERATIONS.iter().flat_map(|operation| operation.fields);
    let told = fields.find(|field| field.name == "match").unwrap().meaning;
    let names = crate::locate::Rung::names();
    assert!(
        told.ends_with(&format!(": {names}")),
        "`MATCH` in types/src/operation/table.rs must list {names}"
    );
    let rungs: Vec<_> = names.split(", ").map(crate::locate::Rung::named).collect();
    assert!(rungs.is_sorted(), "`LADDER` must have the order of `Rung`: {names}");
}

#[test]
fn every_given_field_is_checked() {
    let all = r#"{"op": "x", "old": "", "new": "", "text": "", "at": "end", "start": 1, "end": 1, "near": 1,
        "window": 1, "match": "", "threshold": 1, "whole_lines": true, "all": true, "expect": 1, "eol": "",
        "pattern": "", "replacement": "", "regex": true, "flags": "", "count": 1, "to_clipboard": "",
        "from_clipboard": "", "reindent": {}, "to": "", "overwrite": true, "if_empty": true, "own_line": true,
        "mode": "", "name": "", "action": "", "before": "", "after": "", "within": {"lines": [1, 1]}, "in_order": true}"#;
    let edit: FileEdit = serde_json::from_str(all).unwrap();
    assert_eq!(edit.unknown, Vec::<String>::new());
    let written = serde_json::to_value(&edit).unwrap();
    let mut named: Vec<&str> = fields::present(&edit).chain(["op"]).collect();
    named.sort_unstable();
    let mut fields: Vec<&String> = written.as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(named, fields, "`fields::present` must list each");
    let (_, declared) = include_str!("../../types/src/edit.rs").split_once("pub struct FileEdit {").unwrap();
    let (declared, _) = declared.split_once("pub unknown").unwrap();
    assert_eq!(declared.matches("\n    pub ").count(), fields.len(), "`all` must have each field of an edit");
    // Each belongs to some operation.
    let read: Vec<&str> =
        OPERATIONS.iter().flat_map(|operation| operation.fields).map(|field| field.name).collect();
    assert_eq!(named.iter().find(|name| **name != "op" && !read.contains(name)), None);
}
