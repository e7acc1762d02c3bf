//! *Bounded*: one client that takes as much as it can does not lock out the others. Each test is an attack; meanwhile
//! another client does ordinary work, which is never refused.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use editd_proto::limits;
use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

/// Edits of a job that needs more memory than all small requests together may have.
const MANY: usize = limits::EDITS;

/// A job of as many small edits as one may have: a frame of three megabytes, a hundred in memory.
fn large_job(path: &str) -> Value {
    let edits: Vec<Value> =
        (1..=MANY).map(|line| json!({ "op": "lines", "start": line, "end": line, "text": "b\n" })).collect();
    json!({ "files": [{ "path": path, "base": "any", "edits": edits }], "diff": false })
}

fn lines(number: usize) -> String {
    "a\n".repeat(number)
}

/// Sets a flag when it goes, also where a test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A configuration with a hook for `*.slow` that ends once the file `go` exists.
fn slow_hook() -> String {
    let script = "while ! [ -e go ]; do sleep 0.02; done";
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    format!(
        "[[after_write]]\nname = \"slow\"\nfiles = [\"*.slow\"]\ncommand = {command}\ntimeout = \"600s\"\n"
    )
}

/// Makes sure that a client edits and reads as usual.
#[track_caller]
fn works(client: &mut Client, nth: usize) {
    let text = format!("{nth}\n");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("honest.txt", &text)));
    let read = client.ask_json(kind::READ, &json!({ "path": "honest.txt" }));
    assert_eq!(read["text"], text, "{read}");
}

#[test]
fn a_connection_that_verifies_huge_jobs_in_a_loop_makes_no_edit_busy() {
    let daemon = TestDaemon::started();
    daemon.put("huge.txt", lines(MANY));
    let (over, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    let job = jobs::with(large_job("huge.txt"), "mode", json!("verify_only"));
    thread::scope(|scope| {
        for nth in 0..2 {
            let (daemon, job, over, rounds) = (&daemon, &job, &over, &rounds);
            scope.spawn(move || {
                let mut greedy = daemon.client(&format!("greedy {nth}"));
                while !over.load(Ordering::Relaxed) {
                    let reply = greedy.ask_json(kind::EDIT, job);
                    assert!(matches!(jobs::status(&reply), "verified" | "busy"), "{reply}");
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let _over = SetOnDrop(&over);
        let mut honest = daemon.client("honest");
        let mut edits = 0;
        while edits < 50 || rounds.load(Ordering::Relaxed) < 4 {
            works(&mut honest, edits);
            edits += 1;
        }
        println!("{edits} edits beside {} huge jobs", rounds.load(Ordering::Relaxed));
    });
}

#[test]
fn a_job_under_a_slow_hook_delays_no_job_on_another_file() {
    let daemon = TestDaemon::trusted(&slow_hook());
    daemon.put("huge.slow", lines(MANY));
    daemon.put("other.txt", lines(MANY));
    let mut slow = daemon.client("slow");
    let asked = slow.send(kind::EDIT, &large_job("huge.slow")).unwrap();
    wait::until("the hook runs", wait::LONG, || {
        (daemon.get("huge.slow") != lines(MANY).as_bytes()).then_some(())
    });
    let mut honest = daemon.client("honest");
    (0..20).for_each(|nth| works(&mut honest, nth));
    // The memory of the first one is free again, although its hook has not ended.
    jobs::applied(&honest.ask_json(kind::EDIT, &large_job("other.txt")));
    daemon.put("go", "");
    let reply = slow.receive().unwrap();
    assert_eq!((reply.id(), reply.kind()), (asked, kind::EDIT));
}

#[test]
fn jobs_under_slow_hooks_delay_no_hook_of_another_session() {
    let config = slow_hook()
        + "[[after_write]]\nname = \"quick\"\nfiles = [\"*.quick\"]\ncommand = [\"true\", \"{file}\"]\n";
    let daemon = TestDaemon::trusted(&config);
    let mut slow = daemon.client("slow");
    let count = 30;
    for nth in 0..count {
        slow.send(kind::EDIT, &jobs::write(&format!("{nth}.slow"), "text\n")).unwrap();
    }
    let written = |nth: usize| daemon.workspace().join(format!("{nth}.slow")).is_file();
    wait::until("hooks run", wait::LONG, || (0..count).any(written).then_some(()));
    let mut honest = daemon.client("honest");
    for nth in 0..5 {
        jobs::applied(&honest.ask_json(kind::EDIT, &jobs::write("a.quick", &format!("{nth}\n"))));
    }
    daemon.put("go", "");
    for _ in 0..count {
        slow.receive().unwrap();
    }
}

#[test]
fn an_undo_behind_a_slow_hook_delays_no_other_session() {
    let daemon = TestDaemon::trusted(&slow_hook());
    let mut slow = daemon.client("slow");
    slow.send(kind::EDIT, &jobs::write("a.slow", "text\n")).unwrap();
    wait::until("the hook runs", wait::LONG, || daemon.workspace().join("a.slow").is_file().then_some(()));
    slow.send(kind::UNDO, &json!({})).unwrap();
    let mut honest = daemon.client("honest");
    (0..20).for_each(|nth| works(&mut honest, nth));
    daemon.put("go", "");
    for _ in 0..2 {
        let reply: Value = slow.receive().unwrap().body().unwrap();
        jobs::applied(&reply);
    }
    assert!(!daemon.workspace().join("a.slow").exists(), "it was undone");
}

#[test]
fn silent_connections_give_their_places_to_others() {
    let daemon = TestDaemon::started();
    // More than the daemon serves; half of them say hello.
    let mut silent: Vec<UnixStream> = Vec::new();
    for nth in 0..300 {
        if nth % 2 == 0 {
            silent.push(UnixStream::connect(daemon.socket()).unwrap());
        } else {
            silent.push(daemon.client("silent").stream().try_clone().unwrap());
        }
    }
    works(&mut daemon.client("honest"), 0);
    let mut editctl = daemon.editctl();
    let status = editctl.args(["--no-spawn", "status"]).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "another process is served as well");
    // The oldest was told why, and was closed.
    let mut told = Vec::new();
    silent[0].set_read_timeout(Some(wait::LONG)).unwrap();
    silent[0].read_to_end(&mut told).unwrap();
    assert!(String::from_utf8_lossy(&told).contains("connect again"), "{}", String::from_utf8_lossy(&told));
}

/// Connects until the daemon refuses; each connection sends a request, so that it keeps its place.
fn connected_to_the_limit(daemon: &TestDaemon) -> Vec<Client> {
    let mut open = Vec::new();
    while let Ok(mut client) = daemon.try_client(&format!("s{}", open.len())) {
        client.ask_json(kind::STATUS, &json!({}));
        open.push(client);
    }
    open
}

#[test]
fn one_process_does_not_have_all_connections_although_it_uses_them() {
    let daemon = TestDaemon::started();
    let open = connected_to_the_limit(&daemon);
    assert!(open.len() < editd::testing::limits::CONNECTIONS, "{}", open.len());
    let mut editctl = daemon.editctl();
    let status = editctl.args(["--no-spawn", "status"]).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "another process is served");
}

#[test]
fn a_process_that_keeps_connecting_beyond_its_share_delays_no_other() {
    let daemon = TestDaemon::started();
    let open = connected_to_the_limit(&daemon);
    // More than the refused connections that are read at once; none of them takes its refusal.
    let more: Vec<UnixStream> = (0..50).map(|_| UnixStream::connect(daemon.socket()).unwrap()).collect();
    for _ in 0..2 {
        let mut editctl = daemon.editctl();
        let status = editctl.args(["--no-spawn", "status"]).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "another process is served, beside {} and {}", open.len(), more.len());
    }
}

#[test]
fn one_session_does_not_have_all_clipboards() {
    let daemon = TestDaemon::started();
    let set = |client: &mut Client, name: &str| {
        client.ask_json(kind::CLIP, &json!({ "action": "set", "name": name, "text": "text" }))
    };
    let mut greedy = daemon.client("greedy");
    let refused = (0..=limits::CLIPBOARDS).map(|nth| set(&mut greedy, &format!("c{nth}")));
    let refused = refused.into_iter().find(|reply| jobs::code(reply).is_some()).unwrap();
    jobs::refused(&refused, "too_large");
    assert!(refused["error"]["message"].as_str().unwrap().contains("session \"greedy\""), "{refused}");
    assert_eq!(set(&mut daemon.client("honest"), "mine")["name"], "mine");
}

/// A text that keeps the parser of Java in error recovery.
fn hostile_java() -> String {
    "a<".repeat(450_000)
}

#[test]
fn parsing_a_hostile_text_takes_bounded_memory_and_gives_it_back() {
    let daemon = TestDaemon::started();
    daemon.put("A.java", hostile_java());
    let Some(before) = process::resident_kib(daemon.pid()) else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    let mut client = daemon.client("reader");
    for _ in 0..3 {
        jobs::refused(&client.ask_json(kind::OUTLINE, &json!({ "path": "A.java" })), "limit");
    }
    let (after, peak) = (process::resident_kib(daemon.pid()), process::peak_kib(daemon.pid()));
    let (after, peak) = (after.unwrap(), peak.unwrap());
    println!("{before} KiB before, at most {peak}, {after} after");
    assert!(peak < before + 200 * 1024, "{before} KiB before, at most {peak}");
    assert!(after < before + 32 * 1024, "{before} KiB before, {after} after");
}

#[test]
fn broken_code_is_never_applied_while_others_parse_hostile_texts() {
    let daemon = TestDaemon::started();
    daemon.put("A.java", hostile_java());
    let code = "def f(a):\n    return a\n".repeat(4000);
    daemon.put("code.py", &code);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for nth in 0..6 {
            let (daemon, over) = (&daemon, &over);
            scope.spawn(move || {
                let mut hostile = daemon.client(&format!("hostile {nth}"));
                while !over.load(Ordering::Relaxed) {
                    let append = jobs::with(jobs::append("A.java", "a<"), "mode", json!("verify_only"));
                    hostile.ask_json(kind::EDIT, &append);
                    hostile.ask_json(kind::OUTLINE, &json!({ "path": "A.java" }));
                }
            });
        }
        let _over = SetOnDrop(&over);
        wait::pause(Duration::from_millis(100));
        let mut honest = daemon.client("honest");
        let mut slowest = Duration::ZERO;
        for nth in 0..6 {
            let broken = honest.ask_json(kind::EDIT, &jobs::append("code.py", "def g(:\n"));
            assert!(matches!(jobs::status(&broken), "refused" | "busy"), "{broken}");
            let sound = jobs::append("code.py", &format!("def h{nth}():\n    pass\n"));
            let start = Instant::now();
            let reply = wait::until("a sound edit is applied", wait::LONG, || {
                let reply = honest.ask_json(kind::EDIT, &sound);
                let busy = reply["error"]["code"] == "busy";
                (!busy).then_some(reply)
            });
            jobs::applied(&reply);
            slowest = slowest.max(start.elapsed());
        }
        println!("the slowest edit took {slowest:?}");
    });
    assert!(!String::from_utf8(daemon.get("code.py")).unwrap().contains("def g("));
}

/// A job keeps a file and a folder open for each of its files, and so does its undo.
#[cfg(target_os = "linux")]
#[test]
fn a_job_over_more_files_than_can_be_open_changes_nothing() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let daemon = TestDaemon::started();
    let few = Rlimit { current: Some(512), maximum: Some(512) };
    let pid = Pid::from_raw(daemon.pid().cast_signed()).unwrap();
    prlimit(Some(pid), Resource::Nofile, few).unwrap();
    let files = |count: u64| {
        let create = json!({ "op": "create", "text": "x\n" });
        let files = (0..count).map(|file| json!({ "path": format!("new/{file}.txt"), "edits": [create] }));
        json!({ "files": files.collect::<Vec<_>>() })
    };
    let mut client = daemon.client("a");
    let reply = client.ask_json(kind::EDIT, &files(300));
    jobs::refused(&reply, "limit");
    assert_eq!(reply["error"]["limit"], 192, "{reply}");
    assert!(!daemon.workspace().join("new").exists());
    jobs::applied(&client.ask_json(kind::EDIT, &files(192)));
    // Until its files are flushed, they are open.
    wait::until("the job is undone", wait::LONG, || {
        let reply = client.ask_json(kind::UNDO, &json!({}));
        if matches!(jobs::code(&reply), Some("limit" | "busy")) {
            return None;
        }
        jobs::applied(&reply);
        Some(())
    });
    assert!(!daemon.workspace().join("new/0.txt").exists());
}
