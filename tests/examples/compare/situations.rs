//! Situations in which edit tools do harm, and the outcome of each of them.

use std::collections::BTreeMap;

use super::tool::{EditTool, ToolReply};

/// The outcome of each situation for each tool.
#[derive(Default)]
pub(crate) struct SituationTable {
    tools: Vec<&'static str>,
    rows: BTreeMap<usize, Vec<String>>,
}

/// A situation: a name, and a function that makes it and returns its outcome.
type Situation = (&'static str, fn(&mut EditTool) -> String);

const SITUATIONS: [Situation; 7] = [
    ("lines of a CRLF file, quoted with LF", crlf),
    ("a quoted text that occurs twice", ambiguous),
    ("an edit that breaks the syntax", broken_syntax),
    ("others changed another line since the read", others_elsewhere),
    ("others changed the line since the read", others_same_line),
    ("others changed the file since the read; it is written whole", others_whole_file),
    ("two files, the edit of the second fails", half_a_change),
];

impl SituationTable {
    pub(crate) fn add(&mut self, tool: &mut EditTool) {
        self.tools.push(tool.kind.name());
        for (row, (_, play)) in SITUATIONS.iter().enumerate() {
            let outcome = play(tool);
            self.rows.entry(row).or_default().push(outcome);
        }
    }

    pub(crate) fn print(&self) {
        println!("| | {} |\n|---|{}", self.tools.join(" | "), "---|".repeat(self.tools.len()));
        for (row, outcomes) in &self.rows {
            let name = SITUATIONS.get(*row).map_or("", |situation| situation.0);
            println!("| {name} | {} |", outcomes.join(" | "));
        }
    }
}

/// Returns the first line of a reply, as far as it fits into a table.
fn said(reply: &ToolReply) -> String {
    if std::env::var_os("SHOW").is_some() {
        eprintln!("-- refusal: {}\n{}", reply.is_refusal, reply.text);
    }
    if reply.is_refusal { "refused".to_owned() } else { "applied".to_owned() }
}

/// Reads a file as an agent does before it edits.
fn given(tool: &mut EditTool, file: &str, text: &str) {
    tool.put(file, text);
    let read = tool.read(file);
    tool.call(&read);
}

fn crlf(tool: &mut EditTool) -> String {
    given(tool, "dos.txt", "one\r\ntwo\r\nthree\r\n");
    let call = tool.replace("dos.txt", "one\ntwo", "one\n2\n2.5");
    let reply = said(&tool.call(&call));
    match tool.get("dos.txt").unwrap_or_default().as_str() {
        "one\r\n2\r\n2.5\r\nthree\r\n" => format!("{reply}, with CRLF"),
        "one\r\ntwo\r\nthree\r\n" => reply,
        text if !text.contains('\r') => format!("{reply}, **all line endings are LF**"),
        _ => format!("{reply}, **mixed line endings**"),
    }
}

fn ambiguous(tool: &mut EditTool) -> String {
    let text = "def a():\n    return 1\n\n\ndef b():\n    return 1\n";
    given(tool, "twice.py", text);
    let call = tool.replace("twice.py", "return 1", "return 2");
    let reply = tool.call(&call);
    let outcome = said(&reply);
    if tool.get("twice.py").as_deref() == Some(text) {
        let lines = ["2", "6"].iter().all(|line| reply.text.contains(line));
        return format!("{outcome}{}", if lines { "; the reply has the lines" } else { "" });
    }
    format!("{outcome}, **to the first**")
}

fn broken_syntax(tool: &mut EditTool) -> String {
    let text = "fn main() {\n    if true {\n        run();\n    }\n}\n";
    given(tool, "main.rs", text);
    let call = tool.replace("main.rs", "        run();\n    }\n", "        run();\n");
    let reply = tool.call(&call);
    let outcome = said(&reply);
    let is_told = ["syntax", "parse"].iter().any(|word| reply.text.to_lowercase().contains(word));
    match (tool.get("main.rs").as_deref() == Some(text), is_told) {
        (true, _) => format!("{outcome}; the reply has the place"),
        (false, true) => format!("{outcome}, with a warning"),
        (false, false) => format!("{outcome}, **without a word**"),
    }
}

const THREE: &str = "one\ntwo\nthree\n";

fn others_elsewhere(tool: &mut EditTool) -> String {
    given(tool, "shared.txt", THREE);
    tool.put("shared.txt", "zero\none\ntwo\nthree\n");
    let call = tool.replace("shared.txt", "three", "3");
    let reply = said(&tool.call(&call));
    match tool.get("shared.txt").unwrap_or_default().as_str() {
        "zero\none\ntwo\n3\n" => format!("{reply}; both changes are kept"),
        _ => format!("{reply}, **a change is lost**"),
    }
}

fn others_same_line(tool: &mut EditTool) -> String {
    given(tool, "line.txt", THREE);
    tool.put("line.txt", "one\ntwo, by others\nthree\n");
    let call = tool.replace("line.txt", "two\nthree", "2\nthree");
    let reply = tool.call(&call);
    let outcome = said(&reply);
    let shows = if reply.text.contains("by others") { "; the reply shows the change" } else { "" };
    match tool.get("line.txt").unwrap_or_default().contains("by others") {
        true => format!("{outcome}{shows}"),
        false => format!("{outcome}, **the change of the others is lost**"),
    }
}

fn others_whole_file(tool: &mut EditTool) -> String {
    given(tool, "whole.txt", THREE);
    tool.put("whole.txt", "one\ntwo, by others\nthree\n");
    let call = tool.write("whole.txt", "1\n2\n3\n");
    let reply = tool.call(&call);
    let outcome = said(&reply);
    let text = tool.get("whole.txt").unwrap_or_default();
    let shows = if reply.text.contains("by others") { "; the reply shows the change" } else { "" };
    match text.contains("by others") {
        true => format!("{outcome}{shows}"),
        false => format!("{outcome}, **the change of the others is lost**"),
    }
}

fn half_a_change(tool: &mut EditTool) -> String {
    given(tool, "first.txt", THREE);
    given(tool, "second.txt", THREE);
    let calls = [tool.replace("first.txt", "two", "2"), tool.replace("second.txt", "absent", "2")];
    let edits: Vec<_> =
        calls.iter().filter_map(|call| call.1["edits"].as_array()).flatten().cloned().collect();
    let is_one_call = edits.iter().all(|edit| edit["path"].is_string()) && !edits.is_empty();
    let mut outcome = String::new();
    if is_one_call {
        outcome = said(&tool.call(&("edit", serde_json::json!({"edits": edits}))));
    } else {
        for call in &calls {
            outcome = said(&tool.call(call));
        }
    }
    match tool.get("first.txt").as_deref() == Some(THREE) {
        true => format!("{outcome}; no file is changed"),
        false => format!("{outcome}; the first file is changed"),
    }
}
