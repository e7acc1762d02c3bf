//! *Damage of stored data* at random places of the log, the database and the kept contents. Every run ends in *intact and
//! served*, *reported and salvaged* or *refused with instructions*; no entry is wrong, and none is missing without a
//! report. `CORRUPTIONS=1000` makes that many runs; the table of their ends is printed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, tree, wait};
use serde_json::{Value, json};

mod newest;

/// Edits that make the state: more than fit one segment of the log.
const EDITS: u64 = 230;

/// Returns text that hardly compresses.
fn noise(dice: &mut fastrand::Rng, len: usize) -> String {
    std::iter::repeat_with(|| char::from(dice.u8(b' '..=b'~'))).take(len).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// A state that many jobs have made, and copies of it to damage.
struct Rig {
    daemon: TestDaemon,
    state: PathBuf,
    saved: PathBuf,
    history: BTreeMap<u64, Value>,
}

impl Rig {
    fn new() -> Rig {
        let mut daemon = TestDaemon::started();
        let (mut client, mut dice) = (daemon.client("s"), fastrand::Rng::with_seed(5));
        for n in 0..EDITS {
            let path = format!("{}.txt", n % 7);
            let text = noise(&mut dice, if n % 3 == 0 { 100_000 } else { 900 });
            let job = jobs::with(jobs::write(&path, &text), "key", json!(format!("key {n}")));
            jobs::applied(&client.ask_json(kind::EDIT, &job));
            if n % 10 == 0 {
                let set = json!({ "action": "set", "name": format!("c{n}"), "text": text });
                client.ask_json(kind::CLIP, &set);
            }
        }
        let state = daemon.state_folder();
        let history = history(&daemon);
        assert_eq!(history.len() as u64, EDITS);
        daemon.stop();
        let saved = daemon.folder("saved");
        tree::copy(&state, &saved);
        Rig { daemon, state, saved, history }
    }

    fn restore(&self) {
        // The folder itself stays: its mode is private.
        for entry in fs::read_dir(&self.state).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        tree::copy(&self.saved, &self.state);
    }

    /// Starts the daemon; the error is what it said.
    fn try_start(&mut self) -> Result<(), String> {
        let mut command = self.daemon.command(binaries::editd());
        command.arg("--workspace").arg(self.daemon.workspace()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let served = wait::until("the daemon answers or ends", wait::LONG, || {
            if child.try_wait().unwrap().is_some() {
                return Some(false);
            }
            self.daemon.try_client("readiness").ok().map(|_| true)
        });
        if served {
            // It is stopped, and started again in the way of all tests, which also tests a second start.
            self.daemon.client("s").ask_json(kind::STOP, &json!({}));
        }
        let output = child.wait_with_output().unwrap();
        if !served {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        self.daemon.start();
        Ok(())
    }

    /// Runs `editctl salvage`, and returns its report; `None` if nothing was damaged.
    fn salvage(&self) -> Option<Value> {
        let output = self.daemon.editctl().args(["--json", "salvage"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (!report.is_null()).then_some(report)
    }

    /// Checks that every entry that is served is right, and returns the missing ones. If an entry's end is lost, and the later
    /// entry that explains its file, too, the entry is marked as diverged.
    fn missing(&self) -> Vec<u64> {
        let mut served = history(&self.daemon);
        let missing: Vec<u64> = self.history.keys().copied().filter(|id| !served.contains_key(id)).collect();
        for (id, entry) in &mut served {
            let path = entry["files"][0]["path"].clone();
            let diverged = entry.as_object_mut().unwrap().remove("diverged").is_some();
            assert_eq!(self.history.get(id), Some(&*entry), "entry {id}");
            let mut later = missing.iter().filter(|lost| *lost > id);
            let unexplained = later.any(|lost| self.history[lost]["files"][0]["path"] == path);
            assert!(
                unexplained || !diverged,
                "entry {id} diverged, and no later entry of {path} is missing: {missing:?}"
            );
        }
        missing
    }
}

fn history(daemon: &TestDaemon) -> BTreeMap<u64, Value> {
    let mut client = daemon.client("s");
    let mut found = BTreeMap::new();
    let mut before = Value::Null;
    loop {
        let mut request = json!({ "limit": 100 });
        if !before.is_null() {
            request["before"] = before.clone();
        }
        let reply = client.ask_json(kind::HISTORY, &request);
        let entries = reply["entries"].as_array().unwrap_or_else(|| panic!("{reply}")).clone();
        for entry in entries {
            before = entry["id"].clone();
            found.insert(entry["id"].as_u64().unwrap(), entry);
        }
        if reply["more"] != true {
            return found;
        }
    }
}

/// In the last two, the database is lost, too, so that the start must pass the damage. In the newest segment, only records
/// with others behind them are damaged then: a lost end cannot be told from a power cut.
const PARTS: [&str; 5] =
    ["log", "sled", "contents", "full segment, no database", "newest segment, no database"];
const DAMAGES: [&str; 3] = ["flipped bit", "zeroed sector", "cut off"];
const ENDS: [&str; 3] = ["intact and served", "reported and salvaged", "refused with instructions"];

/// Returns the offsets of the records in a segment that is not packed.
fn records(segment: &[u8]) -> Vec<usize> {
    (4096..segment.len()).step_by(8).filter(|at| segment[*at..].starts_with(b"rec1")).collect()
}

/// Returns the path of the newest segment that has records: the next one may be prepared.
fn newest_segment(state: &Path) -> PathBuf {
    let mut files = files_below(&state.join("log"));
    while records(&fs::read(files.last().unwrap()).unwrap()).is_empty() {
        files.pop();
    }
    files.pop().unwrap()
}

fn damage(rig: &Rig, part: &str, how: &str, dice: &mut fastrand::Rng) -> String {
    let newest = part == "newest segment, no database";
    let files = match part {
        "full segment, no database" => {
            fs::remove_dir_all(rig.state.join("sled")).unwrap();
            vec![rig.state.join("log/0000000000000001.log")]
        }
        "newest segment, no database" => {
            fs::remove_dir_all(rig.state.join("sled")).unwrap();
            vec![newest_segment(&rig.state)]
        }
        part => files_below(&rig.state.join(part)),
    };
    let path = &files[dice.usize(..files.len())];
    let mut bytes = fs::read(path).unwrap();
    let end = match newest {
        true => records(&bytes).iter().rev().nth(10).copied().unwrap(),
        false => bytes.len().max(1),
    };
    let at = dice.usize(..end);
    match how {
        "flipped bit" if !bytes.is_empty() => bytes[at] ^= 1 << dice.u8(..8),
        "cut off" if newest => bytes[at..at + 64].fill(0),
        "zeroed sector" => {
            let at = at & !511;
            let end = (at + 512).min(bytes.len());
            bytes[at..end].fill(0);
        }
        _ => bytes.truncate(at),
    }
    fs::write(path, bytes).unwrap();
    format!("{how} at {at} of {}", path.strip_prefix(&rig.state).unwrap().display())
}

/// Returns the position in [`ENDS`].
fn end_of(rig: &mut Rig, told: &str, may_refuse: bool) -> usize {
    let mut reported = String::new();
    match rig.try_start() {
        Err(refusal) => {
            assert!(may_refuse || told.contains("cut off"), "{told}: {refusal}");
            assert!(refusal.contains("editctl salvage"), "{told}: {refusal}");
            reported.push_str(&refusal);
        }
        Ok(()) => {
            let found = rig.daemon.client("s").ask_json(kind::CHECK, &json!({}));
            let findings = found["findings"].as_array().unwrap();
            let log = findings.iter().find(|finding| finding["subject"] == "log").unwrap().clone();
            let missing = rig.missing();
            let losses = findings.iter().find(|finding| finding["subject"] == "losses");
            if let Some(losses) = losses {
                reported.push_str(losses["message"].as_str().unwrap());
            }
            if log["severity"] == "ok" && losses.is_none() {
                assert_eq!(missing, Vec::<u64>::new(), "{told}: missing without a report");
                rig.daemon.stop();
                assert_eq!(rig.salvage(), None, "{told}");
                return 0;
            }
            reported.push_str(log["message"].as_str().unwrap());
            rig.daemon.stop();
        }
    }
    let report = rig.salvage();
    let listed = |id: u64| {
        let named = |report: &Value| {
            let gone = report["entries"].as_array().unwrap().iter().any(|entry| entry["id"] == id);
            let ranges = report["possible_entries"].as_array().unwrap().iter();
            let within =
                |range: &Value| (range[0].as_u64().unwrap()..=range[1].as_u64().unwrap()).contains(&id);
            gone || ranges.into_iter().any(within)
        };
        report.as_ref().is_some_and(named) || reported.contains("may have been lost")
    };
    if let Err(refusal) = rig.try_start() {
        panic!("{told}: not even after a salvage: {refusal}");
    }
    for id in rig.missing() {
        assert!(listed(id), "{told}: entry {id} is missing without a report: {reported} {report:?}");
    }
    let found = rig.daemon.client("s").ask_json(kind::CHECK, &json!({}));
    let log = found["findings"].as_array().unwrap().iter().find(|finding| finding["subject"] == "log");
    let severity = log.unwrap()["severity"].clone();
    assert!(severity == "ok" || report.is_none(), "{told}: {found}");
    rig.daemon.stop();
    1
}

#[test]
fn damage_anywhere_is_harmless_or_reported_and_salvaged() {
    let runs = std::env::var("CORRUPTIONS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(30_usize);
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20);
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut rig = Rig::new();
    let files: Vec<Vec<u8>> = (0..7).map(|n| rig.daemon.get(&format!("{n}.txt"))).collect();
    let mut table = BTreeMap::<(&str, &str), [u64; 3]>::new();
    for run in 0..runs {
        let (part, how) = (PARTS[run % PARTS.len()], DAMAGES[run / PARTS.len() % 3]);
        rig.restore();
        let told = format!("run {run}: {}", damage(&rig, part, how, &mut dice));
        let end = end_of(&mut rig, &told, !part.contains("no database"));
        table.entry((part, how)).or_default()[end] += 1;
        for (n, bytes) in files.iter().enumerate() {
            assert!(rig.daemon.get(&format!("{n}.txt")) == *bytes, "{told}: a file of the workspace changed");
        }
    }
    println!("| damaged | how | {} |\n|---|---|---|---|---|", ENDS.join(" | "));
    for ((part, how), ends) in table {
        println!("| {part} | {how} | {} | {} | {} |", ends[0], ends[1], ends[2]);
    }
}

#[test]
fn editctl_salvage_names_what_is_gone_and_keeps_the_rest() {
    let mut rig = Rig::new();
    let daemon = &mut rig.daemon;
    daemon.start();
    let output = daemon.editctl().arg("salvage").output().unwrap();
    let refused = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && refused.contains("stop"), "{refused}");
    daemon.stop();
    let output = daemon.editctl().arg("salvage").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("nothing was changed"), "{told}");

    // The content of a record in the middle of the first segment, while the database is intact.
    let log = rig.state.join("log/0000000000000001.log");
    let mut bytes = fs::read(&log).unwrap();
    let inside = |at: &usize| !bytes[at - 20_000..at + 20_000].windows(4).any(|magic| magic == b"rec1");
    let at = (bytes.len() / 2..).step_by(1000).find(inside).unwrap();
    bytes[at] ^= 1;
    fs::write(&log, &bytes).unwrap();
    rig.daemon.start();
    let found = rig.daemon.editctl().arg("doctor").output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(found.contains("cannot be shown or undone") && found.contains("editctl salvage"), "{found}");
    rig.daemon.stop();
    // Later the database is not trusted: the start passes the damage.
    fs::write(rig.state.join("sled/db"), b"").unwrap();
    rig.daemon.start();
    let status = rig.daemon.client("s").ask_json(kind::STATUS, &json!({}));
    assert!(status["damage"].as_str().unwrap().contains("1 record is lost"), "{status}");
    let missing = rig.missing();
    assert_eq!(missing.len(), 1, "{missing:?}");
    let undone = rig.daemon.client("s").ask_json(kind::UNDO, &json!({ "jobs": [missing[0]] }));
    jobs::refused(&undone, "not_found");
    assert!(undone["error"]["message"].as_str().unwrap().contains("its record may be lost"), "{undone}");
    rig.daemon.stop();
    let output = rig.daemon.editctl().arg("salvage").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("damaged state is kept as log.damaged-"), "{told}");
    assert_eq!(
        files_below(&rig.state).iter().filter(|path| path.ends_with("0000000000000001.log")).count(),
        2
    );
    rig.daemon.start();
    let status = rig.daemon.client("s").ask_json(kind::STATUS, &json!({}));
    assert_eq!((status["damage"].clone(), rig.missing()), (Value::Null, missing));
}
