//! *Once*: a key is one job of its session, sent twice at the same moment, after a kill, or for a detached job whose
//! waiter lost its connection. The tests do not depend on the moment of a kill.

use std::sync::Barrier;
use std::thread;

use editd_proto::message::kind;
use editd_tests::client::{Client, RequestFailure};
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

fn keyed(path: &str, text: &str, key: &str) -> Value {
    jobs::with(jobs::append(path, text), "key", json!(key))
}

#[test]
fn a_key_sent_twice_at_the_same_moment_is_one_job() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "");
    let rounds = 60;
    let together = Barrier::new(2);
    let send = || {
        let mut client = daemon.client("a");
        (0..rounds)
            .map(|round| {
                together.wait();
                client.ask_json(kind::EDIT, &keyed("a.txt", &format!("{round}\n"), &format!("key {round}")))
            })
            .collect::<Vec<Value>>()
    };
    let (one, two) = thread::scope(|scope| {
        let other = scope.spawn(send);
        (send(), other.join().unwrap())
    });
    for (round, (one, two)) in one.iter().zip(&two).enumerate() {
        jobs::applied(one);
        jobs::applied(two);
        assert_eq!(jobs::number(one), jobs::number(two), "{round}: {one} {two}");
        let repeated = [one, two].iter().filter(|reply| reply["repeated"] == true).count();
        assert_eq!(repeated, 1, "{round}: {one} {two}");
    }
    let all: String = (0..rounds).map(|round| format!("{round}\n")).collect();
    assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), all);

    // After a kill, and after a clean end, they are still the same jobs.
    for clean in [false, true] {
        if clean {
            daemon.stop();
            daemon.start();
        } else {
            daemon.kill_and_start();
        }
        let mut client = daemon.client("a");
        for (round, first) in one.iter().enumerate() {
            let again = keyed("a.txt", &format!("{round}\n"), &format!("key {round}"));
            let reply = client.ask_json(kind::EDIT, &again);
            assert_eq!((&reply["repeated"], &reply["job"]), (&json!(true), &first["job"]), "{reply}");
        }
        let other = client.ask_json(kind::EDIT, &keyed("a.txt", "another\n", "key 7"));
        jobs::refused(&other, "malformed");
        assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), all);
    }
    // To another session the key is its own.
    jobs::applied(&daemon.client("b").ask_json(kind::EDIT, &keyed("a.txt", "b\n", "key 7")));
}

#[test]
fn an_undo_with_a_key_happens_once_too() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    for n in 0..3 {
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", &format!("{n}\n"))));
    }
    let undo = json!({ "key": "take it back" });
    let first = client.ask_json(kind::UNDO, &undo);
    jobs::applied(&first);
    assert_eq!(daemon.get("a.txt"), b"0\n1\n");
    daemon.kill_and_start();
    let again = daemon.client("a").ask_json(kind::UNDO, &undo);
    assert_eq!((&again["repeated"], &again["job"]), (&json!(true), &first["job"]), "{again}");
    assert_eq!(daemon.get("a.txt"), b"0\n1\n");
}

#[test]
fn of_an_undo_and_an_edit_with_one_key_only_one_runs() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "");
    daemon.put("b.txt", "");
    let together = Barrier::new(2);
    for round in 0..40 {
        let first = jobs::append("a.txt", "one\n");
        jobs::applied(&daemon.client("a").ask_json(kind::EDIT, &first));
        let key = format!("shared {round}");
        let (undone, edited) = thread::scope(|scope| {
            let undo = scope.spawn(|| {
                let mut client = daemon.client("a");
                together.wait();
                client.ask_json(kind::UNDO, &json!({"key": key}))
            });
            let mut client = daemon.client("a");
            together.wait();
            let edited = client.ask_json(kind::EDIT, &keyed("b.txt", "two\n", &key));
            (undo.join().unwrap(), edited)
        });
        let done = [&undone, &edited].iter().filter(|reply| reply["status"] == "applied").count();
        assert_eq!(done, 1, "{round}: {undone} {edited}");
        // What was shown is no part of the job.
        if undone["status"] == "applied" {
            let again = daemon.client("a").ask_json(kind::UNDO, &json!({"key": key, "diff": false}));
            assert_eq!((&again["repeated"], &again["job"]), (&json!(true), &undone["job"]), "{again}");
        }
    }
}

#[test]
fn a_detached_job_survives_the_daemon_that_accepted_it() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "");
    let mut all = String::new();
    for round in 0..12 {
        let mut client = daemon.client("a");
        let mut numbers = Vec::new();
        for n in 0..5 {
            let line = format!("{round}.{n}\n");
            let job = jobs::with(keyed("a.txt", &line, &line), "detach", json!(true));
            let reply = client.ask_json(kind::EDIT, &job);
            assert_eq!(jobs::status(&reply), "queued", "{reply}");
            numbers.push(jobs::number(&reply));
            all.push_str(&line);
        }
        daemon.kill_and_start();
        let mut client = daemon.client("a");
        for (n, number) in numbers.iter().enumerate() {
            let reply = client.ask_json(kind::WAIT, &json!({ "job": number, "timeout_ms": 60_000 }));
            jobs::applied(&reply);
            // The same key is that job, whether it is sent to wait or not.
            let line = format!("{round}.{n}\n");
            let reply = client.ask_json(kind::EDIT, &keyed("a.txt", &line, &line));
            assert_eq!(reply["repeated"], true, "{reply}");
        }
    }
    assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), all, "in order of arrival");
    daemon.stop();
    daemon.start();
    let reply = daemon.client("a").ask_json(kind::WAIT, &json!({ "job": 1_000_000, "timeout_ms": 1000 }));
    jobs::refused(&reply, "not_found");
}

/// Sends two detached jobs on one file: the first is slow, and the second waits for it.
fn a_slow_job_and_one_that_waits_for_it() -> (TestDaemon, Client, [u64; 2]) {
    let mut daemon = TestDaemon::new();
    daemon.put("large.txt", "some text to be looked at and a word\n".repeat(600_000));
    daemon.start();
    let mut client = daemon.client("a");
    let slow = json!({"op": "substitute", "pattern": "(?:[a-z]+ )+word", "replacement": "x", "regex": true,
        "count": 1});
    let slow = jobs::with(jobs::one("large.txt", slow), "detach", json!(true));
    let first = jobs::number(&client.ask_json(kind::EDIT, &slow));
    let job = jobs::with(jobs::append("large.txt", "second\n"), "detach", json!(true));
    let second = jobs::number(&client.ask_json(kind::EDIT, &job));
    (daemon, client, [first, second])
}

#[test]
fn a_waiter_whose_daemon_is_killed_loses_the_connection_and_not_the_job() {
    let (mut daemon, mut client, [first, second]) = a_slow_job_and_one_that_waits_for_it();
    client.send(kind::WAIT, &json!({ "job": second })).unwrap();
    daemon.kill();
    loop {
        match client.receive() {
            // The reply may have been under way.
            Ok(message) => jobs::applied(&message.body().unwrap()),
            Err(RequestFailure::Lost(_)) => break,
            Err(refused) => panic!("{refused:?}"),
        }
    }
    daemon.start();
    let mut client = daemon.client("a");
    for job in [first, second] {
        let reply = client.ask_json(kind::WAIT, &json!({ "job": job, "timeout_ms": 60_000 }));
        jobs::applied(&reply);
    }
    assert!(daemon.get("large.txt").ends_with(b"word\nsecond\n"));
}

#[test]
fn a_job_can_be_cancelled_only_before_it_begins() {
    let (mut daemon, mut client, [first, second]) = a_slow_job_and_one_that_waits_for_it();
    let cancelled = client.ask_json(kind::CANCEL, &json!({ "job": second }));
    assert_eq!(cancelled["status"], "refused", "{cancelled}");
    jobs::refused(&cancelled, "rejected");
    let reply = client.ask_json(kind::WAIT, &json!({ "job": first, "timeout_ms": 60_000 }));
    jobs::applied(&reply);
    let late = client.ask_json(kind::CANCEL, &json!({ "job": first }));
    assert!(jobs::status(&late) == "applied" || jobs::code(&late).is_some(), "{late}");
    // Also for a daemon that comes after a kill it stays cancelled.
    daemon.kill_and_start();
    let mut client = daemon.client("a");
    let reply = client.ask_json(kind::WAIT, &json!({ "job": second, "timeout_ms": 60_000 }));
    jobs::refused(&reply, "rejected");
    assert!(daemon.get("large.txt").ends_with(b"word\n"));
}
