//! Edits by line number after changes by the session and by others, compared with a model that knows the line of each
//! number: an edit changes that line, or nothing. `STEPS` and `SEED` make the run longer or different.

use std::collections::BTreeMap;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::{env, text};

/// One file whose lines are all different, edited by number: the model knows which line each number meant.
struct NumberedFile {
    daemon: TestDaemon,
    random: fastrand::Rng,
    /// The lines, as the model has them.
    now: Vec<String>,
    /// The line that each session was last shown under each number.
    read: Vec<BTreeMap<usize, String>>,
    /// Every version and its lines.
    versions: Vec<(String, Vec<String>)>,
    fresh: usize,
    applied: usize,
    refused: usize,
}

impl NumberedFile {
    fn new(seed: u64, sessions: usize) -> Self {
        let now: Vec<String> = (0..24).map(|n| format!("line {n} of the file")).collect();
        let mut daemon = TestDaemon::new();
        daemon.put("a.txt", now.join("\n") + "\n");
        daemon.start();
        let random = fastrand::Rng::with_seed(seed);
        let read = vec![BTreeMap::new(); sessions];
        Self { daemon, random, now, read, versions: Vec::new(), fresh: 0, applied: 0, refused: 0 }
    }

    fn line(&mut self) -> String {
        self.fresh += 1;
        format!("made {}", self.fresh)
    }

    fn ask(&self, session: usize, kind: &str, body: &Value) -> Value {
        self.daemon.client(&format!("s{session}")).ask_json(kind, body)
    }

    fn read(&mut self, session: usize) {
        let first = self.random.usize(..self.now.len());
        let last = self.random.usize(first..self.now.len());
        let part = self.random.bool().then_some((first, last));
        let mut body = json!({ "path": "a.txt" });
        if let Some((first, last)) = part {
            body["lines"] = json!([first + 1, last + 1]);
        }
        let reply = self.ask(session, kind::READ, &body);
        let version = reply["version"].as_str().unwrap().to_owned();
        let (first, last) = part.unwrap_or((0, self.now.len() - 1));
        if part.is_none() {
            self.read[session].clear();
        }
        for at in first..=last {
            self.read[session].insert(at + 1, self.now[at].clone());
        }
        self.versions.push((version, self.now.clone()));
    }

    /// A change by quotation, or past the daemon.
    fn change(&mut self, session: Option<usize>) {
        let at = self.random.usize(..self.now.len());
        let old = self.now[at].clone();
        let mut lines = vec![self.line()];
        if self.random.bool() {
            lines.push(self.line());
        }
        if self.random.u8(..4) == 0 && self.now.len() > 8 {
            lines.clear();
        }
        let mut wanted = self.now.clone();
        wanted.splice(at..=at, lines.iter().cloned());
        match session {
            None => self.daemon.put("a.txt", wanted.join("\n") + "\n"),
            Some(session) => {
                let edit =
                    json!({ "op": "replace", "old": old, "new": lines.join("\n"), "whole_lines": true });
                let job = json!({ "files": [{ "path": "a.txt", "base": "any", "edits": [edit] }] });
                jobs::applied(&self.ask(session, kind::EDIT, &job));
            }
        }
        self.now = wanted;
    }

    /// An edit by number: written, it must have hit the line that the number meant; refused, nothing.
    fn by_number(&mut self, session: usize) {
        let based = self.random.bool().then(|| self.random.choice(&self.versions).cloned()).flatten();
        let count = based.as_ref().map_or(self.now.len(), |(_, lines)| lines.len());
        let number = self.random.usize(1..=count);
        let meant = match &based {
            Some((_, lines)) => Some(lines[number - 1].clone()),
            None => self.read[session].get(&number).cloned(),
        };
        let insert = self.random.bool();
        let new = self.line();
        let edit = match insert {
            true => json!({ "op": "insert", "at": { "line": number }, "text": new }),
            false => json!({ "op": "lines", "start": number, "end": number, "text": new }),
        };
        let mut file = json!({ "path": "a.txt", "edits": [edit] });
        if let Some((version, _)) = &based {
            file["base"] = json!(version);
        }
        let mut job = json!({ "files": [file] });
        if self.random.bool() {
            job["on_stale"] = json!("rebase");
        }
        let reply = self.ask(session, kind::EDIT, &job);
        let told = text(&self.daemon.get("a.txt"));
        let found: Vec<String> = told.lines().map(str::to_owned).collect();
        if jobs::status(&reply) == "refused" {
            self.refused += 1;
            assert_eq!(found, self.now, "a refused job wrote: {job} {reply}");
            // A number without a meaning means what the refusal shows under it.
            let unread = reply["error"]["code"] == "unread";
            for shown in reply["error"]["excerpts"].as_array().into_iter().flatten().filter(|_| unread) {
                let first = shown["line"].as_u64().unwrap() as usize;
                for (at, line) in shown["text"].as_str().unwrap().lines().enumerate() {
                    self.read[session].insert(first + at, line.to_owned());
                }
            }
            return;
        }
        self.applied += 1;
        let place = match &meant {
            Some(meant) => self.now.iter().position(|line| line == meant),
            // A reply has shown the line under its number: that much the model does not know.
            None => found.iter().position(|line| *line == new),
        };
        let place = place.unwrap_or_else(|| panic!("the line {meant:?} was gone: {job} {reply}"));
        assert!(meant.is_some() || job["on_stale"] == "rebase" || place == number - 1, "{job} {reply}");
        let mut wanted = self.now.clone();
        wanted.splice(place..place + usize::from(!insert), [new]);
        assert_eq!(found, wanted, "another line than {meant:?} was hit: {job} {reply}");
        self.now = wanted;
    }
}

#[test]
fn an_edit_by_number_hits_the_line_that_its_session_read_or_nothing() {
    let steps = env("STEPS", 500) as usize;
    for sessions in [2, 3] {
        let mut run = NumberedFile::new(env("SEED", 11), sessions);
        for session in 0..sessions {
            run.read(session);
        }
        for _ in 0..steps {
            let session = run.random.usize(..sessions);
            match run.random.u8(..10) {
                0 | 1 => run.read(session),
                2 | 3 => run.change(Some(session)),
                4 => run.change(None),
                _ => run.by_number(session),
            }
        }
        println!("{sessions} sessions: {} edits by number applied, {} refused", run.applied, run.refused);
        assert!(run.applied > steps / 20 && run.refused > steps / 20, "the steps are no test");
    }
}
