//! Writes the results into the file of a scenario: the fields that its expectations name, and the final state.
//! Comments and everything else stay. A person must check that the results are right.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, InlineTable, Item, Table};

use super::format::{PathState, Scenario};
use super::machine::{self, ScenarioMachine};
use super::matching::{self, ABSENT};
use super::player::PlayResult;
use crate::tree;

/// The file's text with what happened.
///
/// # Panics
/// If the text is not that of the scenario.
pub fn blessed(text: &str, scenario: &Scenario, played: &PlayResult, on: &dyn ScenarioMachine) -> String {
    let mut file: DocumentMut = text.parse().expect("a parsed scenario is TOML");
    let steps = file.get_mut("step").and_then(Item::as_array_of_tables_mut).expect("a scenario has steps");
    for (at, step) in steps.iter_mut().enumerate() {
        let reply = played.replies.get(at).and_then(Option::as_ref);
        let told = scenario.steps.get(at).and_then(|step| step.expect.as_ref());
        if let (Some(reply), Some(told)) = (reply, told) {
            let now = merged(told, &matching::filled(told, &played.saved), reply);
            if now != *told {
                step.insert("expect", Item::Value(in_toml(&now)));
            }
        }
    }
    if !machine::differences(on, &scenario.before, &scenario.after, false).is_empty() {
        let after = changed(scenario, on);
        file.remove("after");
        if !after.is_empty() {
            file.insert("after", Item::Table(nodes_in_toml(&after)));
        }
    }
    file.to_string()
}

/// The expectation with what was really there, as far as it named anything.
fn merged(told: &Value, filled: &Value, reply: &Value) -> Value {
    match (told, filled, reply) {
        (Value::Object(told), _, Value::Object(_)) if told.is_empty() => usual(reply),
        (Value::Object(told), Value::Object(filled), Value::Object(reply)) => {
            let one = |(key, told): (&String, &Value)| {
                let filled = filled.get(key).unwrap_or(told);
                let now = reply.get(key).map_or_else(|| json!(ABSENT), |reply| merged(told, filled, reply));
                (key.clone(), now)
            };
            Value::Object(told.iter().map(one).collect())
        }
        (Value::Array(told), Value::Array(filled), Value::Array(reply)) if told.len() == reply.len() => told
            .iter()
            .zip(filled)
            .zip(reply)
            .map(|((told, filled), reply)| merged(told, filled, reply))
            .collect(),
        _ if matching::fits(filled, reply) => told.clone(),
        _ => reply.clone(),
    }
}

/// Returns the fields of a reply that a scenario usually expects.
fn usual(reply: &Value) -> Value {
    let take = |from: &Value, keys: &[&str]| -> Map<String, Value> {
        keys.iter().filter_map(|key| Some(((*key).to_owned(), from.get(*key)?.clone()))).collect()
    };
    let mut out = take(reply, &["status", "text", "bytes", "encoding", "line_ending", "bom", "clips"]);
    if let Some(error) = reply.get("error") {
        let keys = ["code", "path", "edit", "other_edit", "by", "would_apply", "entries", "lines", "found"];
        out.insert("error".to_owned(), Value::Object(take(error, &keys)));
    }
    if let Some(Value::Array(entries)) = reply.get("entries") {
        let short = entries.iter().map(|entry| Value::Object(take(entry, &["kind", "session", "undone"])));
        out.insert("entries".to_owned(), short.collect());
    }
    Value::Object(out)
}

/// Returns the paths that differ from the initial state, in the form of a scenario.
fn changed(scenario: &Scenario, on: &dyn ScenarioMachine) -> BTreeMap<String, PathState> {
    let is = on.tree();
    let mut after = BTreeMap::new();
    for line in machine::differences(on, &scenario.before, &BTreeMap::new(), false) {
        let Some((path, _)) = line.split_once(": ") else { continue };
        // A second name that still is one shows what the first one holds.
        let second = scenario.before.get(path).filter(|node| node.hard.is_some());
        if second.is_some_and(|node| machine::hard_differs(on, path, node).is_none()) {
            continue;
        }
        let there = is.nodes.get(&machine::path_bytes(path));
        after.insert(
            path.to_owned(),
            there.map_or_else(|| PathState { absent: true, ..PathState::default() }, |n| node(n, on, path)),
        );
    }
    after
}

fn node(there: &tree::TreeNode, on: &dyn ScenarioMachine, path: &str) -> PathState {
    match there {
        tree::TreeNode::Folder(_) => PathState { folder: true, ..PathState::default() },
        tree::TreeNode::Link(target) => {
            PathState { link: Some(machine::path_text(target)), ..PathState::default() }
        }
        tree::TreeNode::Other => PathState { fifo: true, ..PathState::default() },
        tree::TreeNode::File { mode, .. } => {
            let bytes = on.read(&machine::path_bytes(path));
            let mode = (*mode != 0o644).then(|| format!("{mode:o}"));
            match String::from_utf8(bytes) {
                Ok(text) => PathState { text: Some(text), mode, ..PathState::default() },
                Err(odd) => {
                    let hex = odd.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
                    PathState { hex: Some(hex), mode, ..PathState::default() }
                }
            }
        }
    }
}

fn nodes_in_toml(nodes: &BTreeMap<String, PathState>) -> Table {
    let mut all = Table::new();
    all.set_implicit(true);
    for (path, node) in nodes {
        let mut one = Table::new();
        let texts = [("text", &node.text), ("hex", &node.hex), ("mode", &node.mode), ("link", &node.link)];
        for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
            one.insert(key, toml_edit::value(text.as_str()));
        }
        for (key, _) in [("folder", node.folder), ("fifo", node.fifo), ("absent", node.absent)]
            .into_iter()
            .filter(|(_, set)| *set)
        {
            one.insert(key, toml_edit::value(true));
        }
        all.insert(path, Item::Table(one));
    }
    all
}

fn in_toml(value: &Value) -> toml_edit::Value {
    match value {
        // TOML has no null; a scenario writes it as a word that fits nothing, so that it is noticed.
        Value::Null => "<null>".into(),
        Value::Bool(is) => (*is).into(),
        Value::Number(n) => match n.as_i64() {
            Some(whole) => whole.into(),
            None => n.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => on_one_line(text),
        Value::Array(all) => all.iter().map(in_toml).collect::<toml_edit::Array>().into(),
        Value::Object(all) => {
            let mut table = InlineTable::new();
            for (key, one) in all {
                table.insert(key, in_toml(one));
            }
            table.into()
        }
    }
}

/// JSON's escapes are TOML's, but for one character.
fn on_one_line(text: &str) -> toml_edit::Value {
    let quoted = Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    quoted.parse().unwrap_or_else(|_| text.into())
}
