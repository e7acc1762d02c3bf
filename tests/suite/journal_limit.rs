//! `keep_bytes` under load, with a real process: small requests that make large records do not let the log grow beyond
//! its limit by more than the documentation says.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;

/// The limit in the configuration of the tests.
const LIMIT: u64 = 16 * MIB;

/// The segment that is written to, the one that is prepared, and one with records that retention writes again.
const BEYOND: u64 = 24 * MIB;

fn limited() -> (TestDaemon, PathBuf) {
    let mut daemon = TestDaemon::trusted("keep_bytes = \"16MiB\"\n");
    // Settings are read at the start.
    daemon.kill_and_start();
    let status = daemon.client("s").ask_json(kind::STATUS, &json!({}));
    let log = Path::new(status["state"].as_str().unwrap()).join("log");
    (daemon, log)
}

fn bytes_in(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).unwrap().map(|entry| {
        // Retention removes files meanwhile.
        entry.unwrap().metadata().map_or(0, |meta| meta.len())
    });
    sizes.sum()
}

/// Returns text that no compression shortens by much.
fn text(seed: u64, bytes: usize) -> String {
    let lines = (0u64..)
        .map(|nth| format!("{}\n", blake3::hash(&[seed.to_le_bytes(), nth.to_le_bytes()].concat()).to_hex()));
    let mut text: String = lines.take(bytes / 65).collect();
    text.push_str("end\n");
    text
}

/// Sends a request until the journal has room for it.
fn patiently(daemon: &TestDaemon, session: &str, kind: &str, request: &Value) -> Value {
    let mut client = daemon.client(session);
    let mut replies = (0..2000).map(|_| client.ask_json(kind, request));
    replies.find(|reply| jobs::code(reply) != Some("busy")).unwrap()
}

#[test]
fn tiny_requests_with_large_records_do_not_outgrow_the_limit() {
    let (daemon, log) = limited();
    daemon.put("large.txt", text(1, 6 * MIB as usize));
    let delete = jobs::one("large.txt", json!({ "op": "delete" }));
    let mut most = 0;
    for _ in 0..24 {
        // Both take megabytes of the journal for a few bytes.
        jobs::applied(&patiently(&daemon, "s", kind::EDIT, &delete));
        most = most.max(bytes_in(&log));
        jobs::applied(&patiently(&daemon, "s", kind::UNDO, &json!({})));
        most = most.max(bytes_in(&log));
    }
    println!("the log had at most {} MiB", most / MIB);
    assert!(most <= LIMIT + BEYOND, "{most} bytes");
}

#[test]
fn a_job_that_needs_the_whole_journal_is_refused_with_the_remedy() {
    let (daemon, log) = limited();
    daemon.put("large.txt", text(2, 48 * MIB as usize));
    let delete = jobs::one("large.txt", json!({ "op": "delete" }));
    let reply = patiently(&daemon, "s", kind::EDIT, &delete);
    jobs::refused(&reply, "limit");
    let told = reply["error"]["message"].as_str().unwrap();
    assert!(told.contains("limit of 16.0 MiB") && told.contains("raise `keep_bytes`"), "{told}");
    assert!(daemon.workspace().join("large.txt").exists());
    jobs::applied(&patiently(&daemon, "s", kind::EDIT, &jobs::write("small.txt", "text\n")));
    assert!(bytes_in(&log) <= LIMIT + BEYOND);
}

#[test]
fn many_keyed_jobs_of_many_clients_do_not_outgrow_the_limit() {
    let (daemon, log) = limited();
    let jobs_of_each = std::env::var("JOURNAL_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let client = |client: u64| {
        let path = format!("file-{client}.txt");
        let mut most = 0;
        for nth in 0..jobs_of_each {
            // Half of them make the same large change; a receipt is kept for each key.
            let body = if nth % 8 == 0 { text(nth, 256 * 1024) } else { format!("{nth}\n") };
            let job = jobs::with(jobs::write(&path, &body), "key", json!(format!("key {nth}")));
            jobs::applied(&patiently(&daemon, &format!("client {client}"), kind::EDIT, &job));
            most = most.max(bytes_in(&log));
        }
        most
    };
    let most = thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|nth| scope.spawn(move || client(nth))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).max().unwrap()
    });
    println!("the log had at most {} MiB", most / MIB);
    assert!(most <= LIMIT + BEYOND, "{most} bytes");
}
