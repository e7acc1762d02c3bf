//! Edits of symbols in texts with random damage: the invariants hold for any text.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{
    FileState, Plan, PlanOptions, Refusal, WorkspaceSnapshot, apply, invert, plan_input as plan,
};
use editd_proto::error::ErrorCode;
use editd_proto::message::{EditScope, EditStatus, FileEdit, FileEntry, JobRequest, SymbolPosition};
use editd_proto::path::FilePath;
use editd_syntax::{Language, Outline, ParseBudget, outline};
use proptest::prelude::*;

/// Texts that are damaged, each with the name of its file.
const TEXTS: [(&str, &str); 4] = [
    (
        "a.rs",
        "/// A.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n    y: u8 // last\n}\n\nimpl A {\n    fn a(&self) -> u8 {\n        self.x\n    }\n\n    fn b() {}\n}\n\nenum E { A, B, C }\nconst C: [u8; 2] = [\n    1,\n    2,\n];\n",
    ),
    (
        "a.py",
        "@a\n@b(1)\nclass A:\n    x = 1\n\n    def f(self):\n        # c\n        return 1\n\n    def g(self): return 2\n\n\ndef h(a,\n      b):\n    class B:\n        pass\n\n    return B\n",
    ),
    ("a.json", "{\n  \"a\": [1, 2],\n  \"b\": {\"c\": 1, \"d\": {}},\n  \"e\": null\n}\n"),
    (
        "a.ts",
        "export const f = (a: number) => {\n\treturn { a, b() { return 1; } };\n};\nlet x = 1, y = 2;\nclass A {\n\t/** D. */\n\t@dec() m(): void;\n\tm(a?: number) { }\n}\n",
    ),
];

/// The pieces of which files and new texts are made.
const PIECES: [&str; 16] = [
    "",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "  ",
    "}",
    "{",
    ",",
    ";",
    "// c\n",
    "é𝄞",
    "\n\n\n",
    "\"",
    "x\n    y\nz",
    "{\n        a\n    }",
];

const ACTIONS: [&str; 5] = ["replace_body", "replace", "insert_before", "insert_after", "delete"];

/// Returns a text after some cuts and additions, each at a separate place.
fn damaged(text: &str, damages: &[(usize, usize, usize)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (at, gone, piece) in damages {
        let at = at % (letters.len() + 1);
        let end = (at + gone).min(letters.len());
        letters.splice(at..end, PIECES[piece % PIECES.len()].chars());
    }
    letters.into_iter().collect()
}

fn planned(name: &str, text: &str, edits: Vec<FileEdit>) -> Result<Plan, Refusal> {
    let path = FilePath::from(name);
    let state = FileState::File { bytes: Arc::from(text.as_bytes()), mode: 0o644 };
    let world =
        WorkspaceSnapshot { files: BTreeMap::from([(path.clone(), state)]), ..WorkspaceSnapshot::default() };
    let files = vec![FileEntry { path, base: None, edits, ..FileEntry::default() }];
    plan(&JobRequest { files, ..JobRequest::default() }, &world, &PlanOptions::default())
}

fn found(name: &str, text: &str) -> Outline {
    outline(Language::of(name.as_bytes(), text).unwrap(), text, &ParseBudget::default()).unwrap()
}

fn edit(action: &str, path: &str, text: Option<&str>) -> FileEdit {
    FileEdit {
        op: "symbol".to_owned(),
        name: Some(format!("/{path}")),
        action: Some(action.to_owned()),
        text: text.filter(|_| action != "delete").map(str::to_owned),
        ..FileEdit::default()
    }
}

/// Checks that the result of a plan can be undone.
fn can_be_taken_back(text: &str, plan: &Plan) {
    for change in &plan.changes {
        let after = apply(text.as_bytes(), &change.splices).unwrap();
        assert_eq!(apply(&after, &invert(&change.splices)).as_deref(), Some(text.as_bytes()));
    }
}

fn damages() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    proptest::collection::vec((0..400_usize, 0..4_usize, 0..PIECES.len()), 0..6)
}

/// Texts of which each body is sent back with a word of it changed: lines that say nothing about the indentation of the
/// first, texts of several lines in quotes, steps that are none.
const KEPT: [(&str, &str); 13] = [
    (
        "a.yml",
        "on:\n  push:\n  pull_request:\n  workflow_dispatch:\njobs:\n  a:\n    steps:\n      - uses: b\n        with:\n          c: d\n      - run: |\n          echo a\n            echo b\n",
    ),
    (
        "a.py",
        "class A:\n    def f(self):\n        sql = \"\"\"\nSELECT a\nFROM b\n\"\"\"\n        return run(sql)\n\n    def g(self):\n        if a:\n            b()\n\n    def h(self):\n        a = (1,\n  2)\n        return a\n",
    ),
    ("a.sh", "f() {\n  cat <<EOF\none\n  two\nEOF\n  g \"a\nb\"\n}\nA='a\n  b'\n"),
    (
        "a.rs",
        "impl A {\n    fn a() {\n        let a = \"b\n  c\";\n        a\n    }\n    const B: [u8; 2] = [\n            1,\n    ];\n}\n",
    ),
    (
        "a.js",
        "class A {\n\tf() {\n\t\treturn `a\n  b ${c}\n`;\n\t}\n\tg() { return 1;\n\t}\n}\nconst b = {\n  c: function () { d(); },\n};\n",
    ),
    (
        "a.go",
        "package a\n\nfunc f() string {\n\tx := `a\n b\n`\n\treturn x\n}\n\nvar A = []int{\n\t1,\n\t2,\n}\n",
    ),
    ("a.rb", "class A\n  def f\n    a = <<~EOS\n      one\n        two\n    EOS\n    go a\n  end\nend\n"),
    ("a.c", "int f(void)\n{\n\tint a = 1;\n#ifdef B\n\ta = 2;\n#endif\nout:\n\treturn a;\n}\n"),
    (
        "a.php",
        "<?php\nclass A {\n    function f() {\n        $a = <<<EOT\none\n  two\nEOT;\n        return $a;\n    }\n}\n",
    ),
    (
        "a.java",
        "class A {\n    String f() {\n        return \"\"\"\n            one\n          two\n            \"\"\";\n    }\n}\n",
    ),
    ("a.toml", "[a]\nb = [\n  1,\n    2,\n]\nc = \"\"\"\none\n  two\n\"\"\"\n"),
    ("a.json", "{\n  \"a\": {\n      \"b\": 1,\n    \"c\": [\n 2]\n  }\n}\n"),
    ("a.css", "@media a {\n  .b {\n      color: red;\n    margin: 0\n  }\n}\n"),
];

/// A text for each of its words, with another in its place.
fn with_a_word_changed(text: &str) -> Vec<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let mut changed = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(is_word).map(|at| from + at) {
        let end = text[start..].find(|letter| !is_word(letter)).map_or(text.len(), |at| start + at);
        changed.push([&text[..start], "other", &text[end..]].concat());
        from = end;
    }
    changed
}

#[test]
fn a_definition_sent_back_with_a_word_changed_changes_that_word() {
    let mut tried = 0;
    for (name, text) in KEPT {
        let found = found(name, text);
        assert!(!found.broken, "{name}");
        for symbol in &found.symbols {
            let body = symbol.body.clone().map(|body| ("replace_body", body));
            for (action, range) in body.into_iter().chain([("replace", symbol.definition.clone())]) {
                for changed in with_a_word_changed(&text[range.clone()]) {
                    let expected = [&text[..range.start], &changed, &text[range.end..]].concat();
                    let plan = planned(name, text, vec![edit(action, &symbol.path, Some(&changed))]).unwrap();
                    let made =
                        plan.changes.first().map(|change| apply(text.as_bytes(), &change.splices).unwrap());
                    let made = made.map_or_else(|| text.to_owned(), |made| String::from_utf8(made).unwrap());
                    assert_eq!(made, expected, "{name} {} {action}\n{changed}", symbol.path);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_definition_sent_back_with_a_line_doubled_or_gone_keeps_the_others() {
    let mut tried = 0;
    for (name, text) in KEPT {
        for symbol in &found(name, text).symbols {
            let Some(body) = symbol.body.clone() else { continue };
            let own = &text[body.clone()];
            let lines: Vec<&str> = own.split_inclusive('\n').collect();
            // The last line and the first two give the depth of the others.
            for at in 2..lines.len().saturating_sub(1) {
                let (head, tail) = (lines[..at].concat(), lines[at + 1..].concat());
                for changed in [[head.as_str(), lines[at], lines[at], &tail].concat(), [head, tail].concat()]
                {
                    let expected = [&text[..body.start], &changed, &text[body.end..]].concat();
                    if found(name, &expected).broken {
                        continue;
                    }
                    let edits = vec![edit("replace_body", &symbol.path, Some(&changed))];
                    let plan = planned(name, text, edits).unwrap();
                    let made = apply(text.as_bytes(), &plan.changes[0].splices).unwrap();
                    assert_eq!(
                        String::from_utf8(made).unwrap(),
                        expected,
                        "{name} {}\n{changed}",
                        symbol.path
                    );
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 50, "{tried}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn own_bodies_and_definitions_change_nothing(which in 0..TEXTS.len(), damages in damages()) {
        let (name, text) = TEXTS[which];
        let text = damaged(text, &damages);
        for symbol in &found(name, &text).symbols {
            let own = [
                ("replace", Some(symbol.definition.clone())),
                ("replace", Some(symbol.extent.clone())),
                ("replace_body", symbol.body.clone()),
            ];
            for (action, range) in own {
                let Some(range) = range else { continue };
                let planned = planned(name, &text, vec![edit(action, &symbol.path, Some(&text[range]))]);
                match planned {
                    Ok(plan) => prop_assert_eq!(plan.files[0].edits[0].status, EditStatus::Unchanged),
                    // In damaged texts, several symbols may have the same name.
                    Err(refusal) => prop_assert_eq!(refusal.code, ErrorCode::Ambiguous),
                }
            }
        }
    }

    #[test]
    fn deleted_symbols_are_gone_and_nothing_else(which in 0..TEXTS.len(), damages in damages()) {
        let (name, text) = TEXTS[which];
        let text = damaged(text, &damages);
        for symbol in &found(name, &text).symbols {
            let Ok(plan) = planned(name, &text, vec![edit("delete", &symbol.path, None)]) else { continue };
            can_be_taken_back(&text, &plan);
            let after = apply(text.as_bytes(), &plan.changes[0].splices).unwrap();
            let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect::<String>();
            let (before, own) = (&text[..symbol.extent.start], &symbol.extent);
            // What ends a statement of several stays with the rest of it.
            let tail = text[symbol.definition.end..own.end].trim_start().starts_with(';') && symbol.listed;
            let end = if tail { symbol.definition.end } else { own.end };
            let kept = solid(before) + &solid(&text[end..]);
            prop_assert_eq!(solid(std::str::from_utf8(&after).unwrap()), kept);
        }
    }

    #[test]
    fn many_edits_at_once_are_planned_or_refused(
        which in 0..TEXTS.len(),
        damages in damages(),
        wanted in proptest::collection::vec((0..30_usize, 0..ACTIONS.len(), 0..PIECES.len()), 1..6),
        place in (0..30_u64, 0..40_u64),
    ) {
        let (name, text) = TEXTS[which];
        let text = damaged(text, &damages);
        let found = found(name, &text);
        let mut edits: Vec<FileEdit> = Vec::new();
        for (at, action, piece) in &wanted {
            let path = found.symbols.get(at % found.symbols.len().max(1)).map_or("none", |symbol| &symbol.path);
            edits.push(edit(ACTIONS[*action], path, Some(PIECES[*piece])));
        }
        let position = SymbolPosition { line: place.0, column: place.1 };
        edits[0].name = None;
        edits[0].within = Some(EditScope::Position(position));
        if let Ok(plan) = planned(name, &text, edits) {
            can_be_taken_back(&text, &plan);
        }
    }

    #[test]
    fn inserted_symbols_stand_there_and_nothing_is_lost(which in 0..TEXTS.len(), at in 0..30_usize, after: bool) {
        let (name, text) = TEXTS[which];
        let found = found(name, text);
        let symbol = &found.symbols[at % found.symbols.len()];
        let action = if after { "insert_after" } else { "insert_before" };
        let plan = planned(name, text, vec![edit(action, &symbol.path, Some("one\n    two\nthree"))]).unwrap();
        let change = &plan.changes[0];
        prop_assert!(change.splices.iter().all(|splice| splice.old.is_empty()));
        let made = apply(text.as_bytes(), &change.splices).unwrap();
        let made = String::from_utf8(made).unwrap();
        let place = made.find("one").unwrap();
        let beside = if after { place >= symbol.definition.end } else { place <= symbol.extent.start };
        prop_assert!(beside, "{}", made);
        prop_assert!(made.contains("two") && made.contains("three"));
    }
}
