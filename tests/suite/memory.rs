//! Promise *bounded* for memory, with a real process: if many clients ask for the largest files at once, all get a
//! reply, and the daemon stays below its limit. Linux only: other systems do not report the peak of a process.

use std::fs;
use std::thread;

use editd::testing::limits::MEMORY_BUDGET;
use editd_proto::limits;
use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process};
use serde_json::{Value, json};

/// The memory that the daemon may have besides the contents of requests, KiB: the content that it keeps for the next
/// request, and itself.
const BESIDES: u64 = 160 * 1024;

/// Times that a client asks until it is served.
const ASKINGS: usize = 20;

/// A file of nearly the largest size, in lines.
fn large() -> String {
    "a line of thirty-two bytes here\n".repeat((limits::FILE - 4 * 1024 * 1024) / 32)
}

/// Asks, and again as long as too much is in hand: on a busy machine that may take longer than the daemon has patience.
fn ask(daemon: &TestDaemon, session: &str, kind: &str, request: &Value) -> Value {
    let mut client = daemon.client(session);
    let mut asked = (0..ASKINGS).map(|_| client.ask_json(kind, request));
    asked.find(|reply| jobs::code(reply) != Some("busy")).unwrap()
}

/// Has one client each ask for something at the same time; gives what each was told.
fn all_at_once(daemon: &TestDaemon, asked: &[(&str, Value)]) -> Vec<Value> {
    thread::scope(|scope| {
        let threads: Vec<_> = asked
            .iter()
            .enumerate()
            .map(|(nth, (kind, request))| {
                scope.spawn(move || ask(daemon, &format!("client {nth}"), kind, request))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[track_caller]
fn bounded(daemon: &TestDaemon) {
    let peak = process::peak_kib(daemon.pid()).unwrap();
    let most = MEMORY_BUDGET as u64 / 1024 + BESIDES;
    assert!(peak < most, "at most {peak} KiB, where {most} were to be enough");
}

#[test]
fn readers_and_jobs_on_the_largest_files_take_turns_and_all_are_served() {
    let daemon = TestDaemon::started();
    if process::peak_kib(daemon.pid()).is_none() {
        println!("skipped: this system does not tell a process's memory");
        return;
    }
    let text = large();
    daemon.put("read.txt", &text);
    let mut asked = vec![(kind::READ, json!({"path": "read.txt", "lines": [1, 2]})); 32];
    for nth in 0..4 {
        let path = format!("edited-{nth}.txt");
        daemon.put(&path, &text);
        let edit = json!({"op": "lines", "start": 2, "end": 2, "text": "changed\n"});
        asked.insert(nth * 8, (kind::EDIT, jobs::one(&path, edit)));
    }
    for (reply, (kind, _)) in all_at_once(&daemon, &asked).iter().zip(&asked) {
        if *kind == kind::EDIT {
            jobs::applied(reply);
        } else {
            assert_eq!(reply["text"].as_str().map(str::len), Some(64), "{}", reply["error"]);
        }
    }
    bounded(&daemon);
    for nth in 0..4 {
        let now = fs::read_to_string(daemon.workspace().join(format!("edited-{nth}.txt"))).unwrap();
        assert_eq!((now.len(), now.lines().nth(1)), (text.len() - 24, Some("changed")));
    }
}

#[test]
fn small_files_that_would_become_large_take_turns() {
    let daemon = TestDaemon::started();
    if process::peak_kib(daemon.pid()).is_none() {
        println!("skipped: this system does not tell a process's memory");
        return;
    }
    let (places, replacement) = (10_000, "x".repeat(2000));
    let asked: Vec<_> = (0..10)
        .map(|nth| {
            let path = format!("f{nth}.txt");
            daemon.put(&path, "ab\n".repeat(places));
            let edit = json!({"op": "substitute", "pattern": "a", "replacement": replacement});
            (kind::EDIT, jobs::one(&path, edit))
        })
        .collect();
    all_at_once(&daemon, &asked).iter().for_each(jobs::applied);
    bounded(&daemon);
    let made = fs::metadata(daemon.workspace().join("f7.txt")).unwrap().len();
    assert_eq!(made, (places * (2000 + 2)) as u64);
}

#[test]
fn a_file_that_is_too_large_to_be_parsed_is_not_read() {
    let daemon = TestDaemon::started();
    daemon.put("large.txt", large());
    daemon.put("large.rs", large());
    let Some(before) = process::peak_kib(daemon.pid()) else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    let mut client = daemon.client("reader");
    for path in ["large.txt", "large.rs"] {
        jobs::refused(&client.ask_json(kind::OUTLINE, &json!({ "path": path })), "too_large");
        let symbol = json!({"path": path, "symbol": "main"});
        jobs::refused(&client.ask_json(kind::READ, &symbol), "too_large");
    }
    let now = process::peak_kib(daemon.pid()).unwrap();
    assert!(now < before + 8 * 1024, "{before} KiB before, {now} KiB now");
}
