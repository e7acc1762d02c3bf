//! Several sessions and a formatter in one tree of real files, with edits by quotation, by the numbers of a named version,
//! and by bare numbers after own and others' changes: every applied edit is in the file at the end, at its
//! line; and the calls that staleness costs are counted, with `reject` and with `rebase`. The test prints the table;
//! `EDITS` and `SEED` make the run longer and another one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process};
use serde_json::{Value, json};

mod line_numbers;
mod reindented;

/// Edits of one run, unless `EDITS` says otherwise.
const EDITS: usize = 192;
/// Edits between two runs of the formatter.
const FORMATTER_EVERY: usize = 4;
/// Calls after which an edit is taken to be refused for ever.
const MOST_CALLS: usize = 8;

/// A file as a session has read it.
#[derive(Clone)]
struct ReadCopy {
    version: String,
    lines: Vec<String>,
}

/// The ways in which an edit names its place.
#[derive(Clone, Copy, PartialEq, Debug)]
enum EditForm {
    /// It quotes the line.
    Replace,
    /// It names the line's number, and the version that it was read in.
    LinesOfVersion,
    /// It adds behind the line, which it quotes.
    InsertAfter,
    /// It names the number under which the session last read the line.
    Lines,
    /// It adds a line before that number.
    InsertAtLine,
}

const ALL_SAID: [EditForm; 6] = [
    EditForm::Replace,
    EditForm::Replace,
    EditForm::LinesOfVersion,
    EditForm::InsertAfter,
    EditForm::Lines,
    EditForm::InsertAtLine,
];

impl EditForm {
    /// Returns true if the same edit means the same line after others have moved it.
    fn quotes(self) -> bool {
        matches!(self, EditForm::Replace | EditForm::InsertAfter)
    }

    /// Returns true if it means a line only as long as that stands where it was read.
    fn is_bare_number(self) -> bool {
        matches!(self, EditForm::Lines | EditForm::InsertAtLine)
    }
}

/// One edit: the line that it is about, as its session read it, and the text that proves that it was made.
#[derive(Clone)]
struct PlannedEdit {
    path: String,
    at: usize,
    line: String,
    mark: String,
    said: EditForm,
}

#[derive(Default, Debug)]
struct CallTally {
    jobs: usize,
    at_once: usize,
    extra: usize,
    given_up: usize,
    apart: usize,
    apart_late: Vec<String>,
    /// Edits by bare numbers: those applied with the first call, and the others.
    numbered: (usize, usize),
}

struct SessionRun {
    daemon: TestDaemon,
    random: fastrand::Rng,
    rebase: bool,
    paths: Vec<String>,
    copies: BTreeMap<(usize, String), ReadCopy>,
    /// Every applied edit.
    made: Vec<PlannedEdit>,
    touched: BTreeSet<String>,
    tally: CallTally,
}

/// The contents of the daemon's own source files that have between 120 and 350 lines.
fn real_files() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon/engine/src")];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => drop(found.insert(path.clone(), std::fs::read_to_string(path).unwrap_or_default())),
            }
        }
    }
    found.into_values().filter(|text| (120..350).contains(&text.lines().count())).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl SessionRun {
    fn new(seed: u64, rebase: bool) -> Self {
        let mut daemon = TestDaemon::new();
        let mut paths = Vec::new();
        for (at, text) in real_files().into_iter().step_by(5).take(8).enumerate() {
            let path = format!("f{at}.rs");
            daemon.put(&path, text);
            paths.push(path);
        }
        assert_eq!(paths.len(), 8, "there are too few real files");
        daemon.start();
        let random = fastrand::Rng::with_seed(seed);
        let (copies, made, touched, tally) = Default::default();
        Self { daemon, random, rebase, paths, copies, made, touched, tally }
    }

    fn read(&mut self, session: usize, path: &str) -> ReadCopy {
        let reply = self.daemon.client(&format!("s{session}")).ask_json(kind::READ, &json!({ "path": path }));
        let lines = reply["text"].as_str().unwrap().lines().map(str::to_owned).collect();
        let copy = ReadCopy { version: reply["version"].as_str().unwrap().to_owned(), lines };
        self.copies.insert((session, path.to_owned()), copy.clone());
        copy
    }

    fn known(&mut self, session: usize, path: &str) -> ReadCopy {
        match self.copies.get(&(session, path.to_owned())) {
            Some(copy) => copy.clone(),
            None => self.read(session, path),
        }
    }

    /// An edit of a line that stands once in what the session has read and that it has not changed itself.
    fn plan(&mut self, session: usize, number: usize) -> PlannedEdit {
        loop {
            let path = self.random.choice(&self.paths).unwrap().clone();
            let copy = self.known(session, &path);
            let at = self.random.usize(..copy.lines.len());
            let line = copy.lines[at].clone();
            let bare = line.trim();
            let once = copy.lines.iter().filter(|other| other.contains(bare)).count() == 1;
            let own = format!("{path}:{bare}");
            if bare.len() < 8 || bare.contains("mark-") || !once || self.touched.contains(&own) {
                continue;
            }
            self.touched.insert(own);
            let mark = format!("mark-{session}-{number}");
            let said = self.random.choice(ALL_SAID).unwrap();
            return PlannedEdit { path, at, line: bare.to_owned(), mark, said };
        }
    }

    fn job(&self, session: usize, edit: &PlannedEdit) -> Value {
        let copy = &self.copies[&(session, edit.path.clone())];
        let line = &copy.lines[edit.at];
        let number = edit.at + 1;
        let changed = format!("{} // {}", edit.line, edit.mark);
        let text = line.replacen(&edit.line, &changed, 1);
        let behind = format!(" // {}", edit.mark);
        let edit_json = match edit.said {
            EditForm::Replace => json!({ "op": "replace", "old": edit.line, "new": changed }),
            EditForm::InsertAfter => json!({ "op": "insert", "at": { "after": edit.line }, "text": behind }),
            EditForm::LinesOfVersion | EditForm::Lines => {
                json!({ "op": "lines", "start": number, "end": number, "text": text })
            }
            EditForm::InsertAtLine => {
                json!({ "op": "insert", "at": { "line": number }, "text": format!("// {}", edit.mark) })
            }
        };
        let mut file = json!({ "path": edit.path, "edits": [edit_json] });
        if edit.said == EditForm::LinesOfVersion {
            file["base"] = json!(copy.version);
        }
        let mut job = json!({ "diff": false, "mode": "interactive", "files": [file] });
        if self.rebase {
            job["on_stale"] = json!("rebase");
        }
        job
    }

    /// Returns true if others have left the line of an edit alone: it stands as it was read, once.
    fn is_apart(&self, session: usize, edit: &PlannedEdit) -> bool {
        let line = &self.copies[&(session, edit.path.clone())].lines[edit.at];
        let now = text(&self.daemon.get(&edit.path));
        let whole = now.lines().filter(|other| other == line).count() == 1;
        whole && now.lines().filter(|other| other.contains(&edit.line)).count() == 1
    }

    fn edit(&mut self, session: usize, number: usize) {
        let mut edit = self.plan(session, number);
        // A bare number is refused where the line was moved, even if nobody has touched it.
        let apart = !edit.said.is_bare_number() && self.is_apart(session, &edit);
        self.tally.jobs += 1;
        self.tally.apart += usize::from(apart);
        // A reply may have shown lines under numbers that the session's copy does not have.
        let mut shown = false;
        for call in 0..MOST_CALLS {
            let job = self.job(session, &edit);
            let reply = self.daemon.client(&format!("s{session}")).ask_json(kind::EDIT, &job);
            if jobs::status(&reply) == "applied" {
                self.tally.at_once += usize::from(call == 0);
                if edit.said.is_bare_number() {
                    let (at_once, later) = &mut self.tally.numbered;
                    *(if call == 0 { at_once } else { later }) += 1;
                }
                if shown || reply["files"][0].get("warnings").is_some() {
                    self.copies.remove(&(session, edit.path.clone()));
                }
                self.made.push(edit);
                return;
            }
            if call == 0 && apart {
                self.tally.apart_late.push(format!("{job} {reply}"));
            }
            let error = &reply["error"];
            self.tally.extra += 1;
            if error["code"] == "stale" && error["would_apply"] == "clean" && edit.said.quotes() {
                shown = true;
                continue;
            }
            // What the refusal shows does not say where the line is: the session looks.
            self.tally.extra += 1;
            let copy = self.read(session, &edit.path.clone());
            let place = copy.lines.iter().position(|line| line.contains(&edit.line));
            let once = copy.lines.iter().filter(|line| line.contains(&edit.line)).count() == 1;
            match place.filter(|_| once) {
                Some(at) => edit.at = at,
                None => {
                    self.tally.given_up += 1;
                    return;
                }
            }
        }
        panic!("session {session} cannot continue: {}", self.job(session, &edit));
    }

    /// A formatter indents some lines anew and moves others down, past the daemon.
    fn format(&mut self) {
        let path = self.random.choice(&self.paths).unwrap().clone();
        let mut lines: Vec<String> = text(&self.daemon.get(&path)).lines().map(str::to_owned).collect();
        let from = self.random.usize(..lines.len());
        let to = (from + self.random.usize(5..40)).min(lines.len());
        let deeper = self.random.bool();
        for line in lines.iter_mut().take(to).skip(from).filter(|line| !line.is_empty()) {
            match deeper {
                true => line.insert_str(0, "    "),
                false => *line = line.strip_prefix("    ").unwrap_or(line).to_owned(),
            }
        }
        if self.random.bool() {
            lines.insert(from, String::new());
        }
        self.daemon.put(&path, lines.join("\n") + "\n");
    }

    fn check(&self) {
        for PlannedEdit { path, mark, line, said, .. } in &self.made {
            let now = text(&self.daemon.get(path));
            let lines: Vec<&str> = now.lines().filter(|line| !line.is_empty()).collect();
            let has_mark = |at: &usize| lines[*at].split(' ').any(|word| word == mark);
            let marked: Vec<usize> = (0..lines.len()).filter(has_mark).collect();
            assert_eq!(marked.len(), 1, "{path}: {mark} stands {} times", marked.len());
            let at = marked[0] + usize::from(*said == EditForm::InsertAtLine);
            let there = lines.get(at).copied().unwrap_or_default();
            assert!(
                there.trim_start().starts_with(line.as_str()),
                "{path}: {mark} is not at {line:?}: {said:?}"
            );
        }
    }
}

fn run(sessions: usize, formatter: bool, rebase: bool, edits: usize, seed: u64) -> CallTally {
    let mut run = SessionRun::new(seed, rebase);
    for number in 0..edits {
        if formatter && number % FORMATTER_EVERY == FORMATTER_EVERY - 1 {
            run.format();
        }
        run.edit(number % sessions, number);
    }
    run.check();
    run.tally
}

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn sessions_and_a_formatter_lose_nothing_and_a_rebase_saves_the_calls() {
    if process::skips_under_wine("a formatter cannot replace a file that is open") {
        return;
    }
    let edits = env("EDITS", EDITS as u64) as usize;
    let seed = env("SEED", 7);
    println!(
        "| sessions | formatter | on_stale | jobs | applied at once | extra calls per job | given up | apart from others | of those not at once |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut numbered = (0, 0);
    for (sessions, formatter) in [(2, false), (2, true), (3, true)] {
        let mut extra = Vec::new();
        for rebase in [false, true] {
            let tally = run(sessions, formatter, rebase, edits, seed);
            println!(
                "| {sessions} | {} | {} | {} | {} | {:.2} | {} | {} | {} |",
                if formatter { "yes" } else { "no" },
                if rebase { "rebase" } else { "reject" },
                tally.jobs,
                tally.at_once,
                tally.extra as f64 / tally.jobs as f64,
                tally.given_up,
                tally.apart,
                tally.apart_late.len()
            );
            numbered.0 += tally.numbered.0;
            numbered.1 += tally.numbered.1;
            if rebase {
                let late = tally.apart_late.first();
                assert!(late.is_none(), "an edit apart from others' lines did not apply at once: {late:?}");
            }
            extra.push(tally.extra);
        }
        assert!(extra[1] < extra[0], "a rebase saves no calls: {extra:?}");
    }
    // The files are those of the registry, so a single run may have none of the one kind.
    assert!(numbered.0 > 0 && numbered.1 > 0, "no number was moved, or each: {numbered:?}");
}
