//! Tests of a daemon that stops or disconnects: the requests that are repeated, with a simulated daemon.

use editd_proto::message::{JobStatus, StopReply, kind};
use editd_proto::{ErrorCode, RequestError};
use serde_json::json;

use super::peer::{Says, Scene, frame, reply};
use super::{content, err, object, out, receipt, status};

#[test]
fn a_lost_answer_is_asked_for_again_only_where_twice_is_once() {
    let first_leaves = || {
        Scene::new(|number, message| match (number, message.kind()) {
            (0, _) => Says::Leaves,
            (_, kind::READ) => reply(message, &content(b"again")),
            _ => reply(message, &receipt(JobStatus::Applied, None)),
        })
    };
    let output = first_leaves().run(&["read", "a"], b"");
    assert_eq!((status(&output), out(&output)), (0, "again"));
    let output = first_leaves().run(&["replace", "a", "x", "y", "--key", "k"], b"");
    assert_eq!(status(&output), 0, "{}", err(&output));
    let scene = first_leaves();
    let output = scene.run(&["replace", "a", "x", "y"], b"");
    assert_eq!((status(&output), out(&output)), (5, ""));
    assert!(err(&output).contains("may be done or not"), "{}", err(&output));
    assert_eq!(scene.heard.try_iter().filter(|message| message.kind() == kind::EDIT).count(), 1);
}

#[test]
fn requests_that_a_leaving_daemon_did_not_do_are_asked_of_the_next_one() {
    let stopping = || RequestError::new(ErrorCode::Stopping, "connect again");
    for id_of_all in [false, true] {
        let scene = Scene::new(move |number, message| match number {
            0 | 1 => {
                let id = if id_of_all { 0 } else { message.id() };
                Says::Last(frame(id, kind::ERROR, &stopping()))
            }
            _ => reply(message, &receipt(JobStatus::Applied, None)),
        });
        let output = scene.run(&["replace", "a", "x", "y"], b"");
        assert_eq!(status(&output), 0, "{}", err(&output));
        assert_eq!(scene.heard.try_iter().filter(|message| message.kind() == kind::EDIT).count(), 3);
    }
    let scene = Scene::new(move |_, message| Says::Last(frame(message.id(), kind::ERROR, &stopping())));
    let output = scene.run(&["replace", "a", "x", "y"], b"");
    assert_eq!(status(&output), 1, "not for ever: {}", err(&output));
}

#[test]
fn a_wait_ends_well_only_when_the_job_has() {
    let queued = || receipt(JobStatus::Queued, None);
    let scene = Scene::new(move |_, message| reply(message, &queued()));
    assert_eq!(status(&scene.run(&["edit", "--detach"], br#"{"files": []}"#)), 0);
    assert_eq!(status(&scene.run(&["wait", "17", "--timeout", "1s"], b"")), 1);
    // Without a time limit of its own, a wait continues after the daemon's longest wait.
    let scene = Scene::new(move |number, message| match number {
        0 => reply(message, &queued()),
        _ => reply(message, &receipt(JobStatus::Applied, None)),
    });
    let output = scene.run(&["wait", "17"], b"");
    assert_eq!((status(&output), out(&output).contains("is entry")), (0, false));
    let output = scene.run(&["wait", "16"], b"");
    assert!(
        out(&output).ends_with("job 16 is entry 17 of the journal; both numbers refer to it\n"),
        "{}",
        out(&output)
    );
}

#[test]
fn stop_returns_when_the_daemon_has_left() {
    let scene = Scene::new(|_, message| Says::Last(frame(message.id(), kind::STOP, &StopReply { pid: 5 })));
    let output = scene.run(&["stop", "--json"], b"");
    assert_eq!((status(&output), object(&output)), (0, json!({"pid": 5})));
}
