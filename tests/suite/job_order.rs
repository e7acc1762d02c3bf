//! *Order*: jobs on one file run in the order in which they arrive, under any of its names; jobs on different files do
//! not wait for each other; an undo waits for earlier jobs. The tests compare results, never times.

use std::fs;
use std::os::unix::fs::symlink;

use editd_proto::codec::Message;
use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Sends everything without waiting, then takes all replies; sorted by request.
fn pipelined(client: &mut Client, requests: &[(&str, Value)]) -> Vec<Value> {
    let ids: Vec<u64> = requests.iter().map(|(kind, body)| client.send(kind, body).unwrap()).collect();
    let mut replies: Vec<Message> = ids.iter().map(|_| client.receive().unwrap()).collect();
    replies.sort_by_key(Message::id);
    assert!(replies.iter().map(Message::id).eq(ids), "one reply to each request");
    replies.iter().map(|reply| reply.body().unwrap()).collect()
}

fn lines(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(|n| format!("{n}\n")).collect()
}

#[test]
fn jobs_on_one_file_run_in_order_under_any_of_its_names() {
    let mut daemon = TestDaemon::new();
    daemon.put("deep/a.txt", "");
    symlink("deep/a.txt", daemon.workspace().join("link")).unwrap();
    symlink("deep", daemon.workspace().join("folder")).unwrap();
    fs::hard_link(daemon.workspace().join("deep/a.txt"), daemon.workspace().join("hard.txt")).unwrap();
    daemon.start();
    let mut client = daemon.client("a");
    let names = ["deep/a.txt", "link", "hard.txt", "folder/a.txt", "./deep//a.txt"];
    let requests: Vec<_> =
        (0..300).map(|n| (kind::EDIT, jobs::append(names[n % names.len()], &format!("{n}\n")))).collect();
    let replies = pipelined(&mut client, &requests);
    replies.iter().for_each(jobs::applied);
    assert_eq!(String::from_utf8(daemon.get("hard.txt")).unwrap(), lines(0..300));
    let ids: Vec<u64> = replies.iter().map(jobs::number).collect();
    assert!(ids.is_sorted(), "the journal's order is the order of arrival: {ids:?}");
}

#[test]
fn a_name_created_by_a_job_orders_later_jobs() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    for round in 0..20 {
        let (one, two) = (format!("{round}/one.txt"), format!("{round}/two.txt"));
        let requests = [
            (kind::EDIT, jobs::write(&one, "1\n")),
            (kind::EDIT, jobs::append(&one, "2\n")),
            (kind::EDIT, jobs::one(&one, json!({"op": "rename", "to": two}))),
            (kind::EDIT, jobs::append(&two, "3\n")),
            (kind::EDIT, jobs::write(&one, "new\n")),
            (kind::EDIT, jobs::one(&two, json!({"op": "copy", "to": one, "overwrite": true}))),
            (kind::EDIT, jobs::append(&one, "4\n")),
        ];
        let replies = pipelined(&mut client, &requests);
        replies.iter().for_each(jobs::applied);
        assert_eq!(daemon.get(&two), b"1\n2\n3\n", "{round}");
        assert_eq!(daemon.get(&one), b"1\n2\n3\n4\n", "{round}");
    }
}

#[test]
fn a_small_job_passes_a_large_one_on_another_file_but_not_on_the_same() {
    let mut daemon = TestDaemon::new();
    let large = "some text that a pattern has to look at, and another word\n".repeat(400_000);
    daemon.put("large.txt", &large);
    daemon.start();
    let mut client = daemon.client("a");
    let slow = json!({"op": "substitute", "pattern": "(?:[a-z]+ )+word", "replacement": "x", "regex": true,
        "count": 1});
    let slow = client.send(kind::EDIT, &jobs::with(jobs::one("large.txt", slow), "diff", json!(false)));
    let same = client.send(kind::EDIT, &jobs::with(jobs::append("large.txt", "end\n"), "diff", json!(false)));
    let other = client.send(kind::EDIT, &jobs::write("small.txt", "small\n"));
    let came: Vec<u64> = (0..3)
        .map(|_| {
            let message = client.receive().unwrap();
            jobs::applied(&message.body::<Value>().unwrap());
            message.id()
        })
        .collect();
    assert_eq!(came, [other.unwrap(), slow.unwrap(), same.unwrap()]);
    assert!(daemon.get("large.txt").ends_with(b"word\nend\n"));
}

#[test]
fn an_undo_reverts_earlier_jobs_and_no_later_one() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    for round in 0..30 {
        let (one, two) = (format!("{round}-one.txt"), format!("{round}-two.txt"));
        // Which of two jobs on different files comes last, the journal says and not the order of sending.
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(&one, "1\n")));
        let requests = [
            (kind::EDIT, jobs::write(&two, "1\n")),
            (kind::EDIT, jobs::append(&two, "2\n")),
            (kind::UNDO, json!({})),
            (kind::EDIT, jobs::append(&two, "3\n")),
            (kind::EDIT, jobs::append(&one, "4\n")),
            (kind::UNDO, json!({ "path": one })),
            (kind::REDO, json!({})),
            (kind::EDIT, jobs::append(&one, "5\n")),
        ];
        let replies = pipelined(&mut client, &requests);
        replies.iter().for_each(jobs::applied);
        assert_eq!(daemon.get(&two), b"1\n3\n", "{round}");
        assert_eq!(daemon.get(&one), b"1\n4\n5\n", "{round}");
    }
}

#[test]
fn many_clients_on_one_file_lose_no_job() {
    let daemon = TestDaemon::started();
    daemon.put("all.txt", "");
    std::thread::scope(|scope| {
        for nth in 0..8 {
            let daemon = &daemon;
            scope.spawn(move || {
                let mut client = daemon.client(&format!("client {nth}"));
                let requests: Vec<_> =
                    (0..40).map(|n| (kind::EDIT, jobs::append("all.txt", &format!("{nth}:{n}\n")))).collect();
                pipelined(&mut client, &requests).iter().for_each(jobs::applied);
            });
        }
    });
    let text = String::from_utf8(daemon.get("all.txt")).unwrap();
    assert_eq!(text.lines().count(), 320);
    for nth in 0..8 {
        let own: Vec<String> = (0..40).map(|n| format!("{nth}:{n}")).collect();
        let prefix = format!("{nth}:");
        assert!(text.lines().filter(|line| line.starts_with(&prefix)).eq(&own), "client {nth}: {text}");
    }
}
