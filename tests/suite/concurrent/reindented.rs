//! Edits, with `rebase`, of real files that a formatter indented anew after they were read: the share that applies,
//! by the way in which they name their place, compared with a merge of lines. Every edit that is applied changes the
//! intended line. The test prints the table; `EDITS` and `SEED` make the run longer or different.

use editd_engine::{merge, splices_between};
use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::{env, real_files, text};

/// Edits of each kind, unless `EDITS` says otherwise.
const EDITS: usize = 30;
/// Session and path of every edit.
const SESSION: &str = "s0";
const PATH: &str = "f.rs";

/// The ways in which an edit names its place.
const KINDS: [&str; 6] = [
    "a part of a line",
    "a line without its indentation",
    "a line with its indentation",
    "two lines with their indentation",
    "an anchor of a line",
    "a line number and its version",
];

/// The indentation that the formatter makes of a step of four spaces.
const STEPS: [&str; 2] = ["  ", "\t"];

/// A file as every line of it is indented in steps of another kind.
fn indented_anew(content: &str, step: &str) -> String {
    let line = |line: &str| {
        let bare = line.trim_start_matches(' ');
        let depth = line.len() - bare.len();
        format!("{}{}{bare}\n", step.repeat(depth / 4), " ".repeat(depth % 4))
    };
    content.lines().map(line).collect()
}

/// One edit: its wire form, and the content that it means in what was read.
struct LocatedEdit {
    edit: Value,
    wanted: String,
    line: String,
}

fn planned(content: &str, at: usize, kind: usize) -> Option<LocatedEdit> {
    let lines: Vec<&str> = content.lines().collect();
    let (line, next) = (*lines.get(at)?, *lines.get(at + 1)?);
    let bare = line.trim();
    let once = |part: &str| content.matches(part).count() == 1;
    if bare.len() < 12 || line == bare || !once(bare) || next.trim().len() < 2 {
        return None;
    }
    let replaced = |new: String| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = new;
        lines.join("\n") + "\n"
    };
    let marked = |line: &str| format!("{line} // mark-1");
    let edit = match kind {
        0 => {
            let part = bare.get(2..)?;
            once(part).then(|| json!({ "op": "replace", "old": part, "new": marked(part) }))?
        }
        1 => json!({ "op": "replace", "old": bare, "new": marked(bare) }),
        2 => json!({ "op": "replace", "old": line, "new": marked(line) }),
        3 => {
            let (old, new) = (format!("{line}\n{next}"), format!("{}\n{next}", marked(line)));
            json!({ "op": "replace", "old": old, "new": new })
        }
        4 => json!({ "op": "insert", "at": { "after": bare }, "text": " // mark-1" }),
        _ => json!({ "op": "lines", "start": at + 1, "end": at + 1, "text": marked(line) }),
    };
    Some(LocatedEdit { edit, wanted: replaced(marked(line)), line: bare.to_owned() })
}

/// Reads a file, has it indented anew, and sends an edit of what was read. Returns true if it was applied.
fn applies(daemon: &TestDaemon, content: &str, now: &str, planned: &LocatedEdit) -> bool {
    let mut client = daemon.client(SESSION);
    daemon.put(PATH, content);
    let read = client.ask_json(kind::READ, &json!({ "path": PATH }));
    daemon.put(PATH, now);
    let mut file = json!({ "path": PATH, "edits": [planned.edit] });
    if planned.edit["op"] == "lines" {
        file["base"] = read["version"].clone();
    }
    let job = json!({ "on_stale": "rebase", "mode": "interactive", "diff": false, "files": [file] });
    let reply = client.ask_json(kind::EDIT, &job);
    let after = text(&daemon.get(PATH));
    if jobs::status(&reply) != "applied" {
        assert_eq!(after, now, "a refused edit was written: {reply}");
        return false;
    }
    let changed: Vec<(&str, &str)> = now.lines().zip(after.lines()).filter(|(was, is)| was != is).collect();
    let [(was, is)] = changed[..] else { panic!("{} lines were changed: {reply}", changed.len()) };
    assert_eq!((was.trim(), is), (planned.line.as_str(), &*format!("{was} // mark-1")), "{job}");
    true
}

#[test]
fn edits_of_a_file_that_was_indented_anew_are_located_again() {
    let (edits, seed) = (env("EDITS", EDITS as u64) as usize, env("SEED", 7));
    let mut random = fastrand::Rng::with_seed(seed);
    let files: Vec<String> =
        real_files().into_iter().map(|file| file.lines().map(|line| format!("{line}\n")).collect()).collect();
    let mut daemon = TestDaemon::new();
    daemon.put(PATH, "");
    daemon.start();
    println!(
        "| a place named by | edits | applied with `rebase` | a merge by lines alone |\n|---|---|---|---|"
    );
    let (mut all, mut applied, mut merged) = (0, 0, 0);
    for (kind, name) in KINDS.iter().enumerate() {
        let (mut here, mut alone) = (0, 0);
        let mut done = 0;
        while done < edits {
            let content = &files[random.usize(..files.len())];
            let at = random.usize(..content.lines().count());
            let Some(planned) = planned(content, at, kind) else { continue };
            done += 1;
            let now = indented_anew(content, STEPS[done % STEPS.len()]);
            let made = applies(&daemon, content, &now, &planned);
            here += usize::from(made);
            let splices = splices_between(content.as_bytes(), planned.wanted.as_bytes());
            alone += usize::from(merge(content.as_bytes(), &splices, now.as_bytes(), None).is_ok());
            // What stands once in what was read and in what is there is found, whatever became of the line around it.
            assert!(made || kind > 1 && kind != 4, "{name}: {}", planned.edit);
        }
        println!("| {name} | {done} | {here} | {alone} |");
        (all, applied, merged) = (all + done, applied + here, merged + alone);
    }
    println!("| all | {all} | {applied} | {merged} |");
    assert!(all >= 54 && applied > merged, "{applied} of {all} applied, a merge alone {merged}");
}
