//! Slow clients: slow to send `hello`, to finish a frame, to read replies.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::Write;

use editd_proto::RequestError;
use editd_proto::codec;
use editd_proto::error::ErrorCode;
use editd_proto::message::{
    ChangeEvent, ChangeKind, FileEdit, ReadReply, SubscribeReply, SubscribeRequest, kind,
};

use super::kit::{EmptyBody, Served, job, read, until};
use crate::limits;

/// Bytes of a large job.
const LARGE: usize = 8 * 1024 * 1024;

#[test]
fn a_connection_without_hello_is_told_and_closed() {
    let mut served = Served::in_a_hurry();
    let mut silent = served.stranger();
    let mut half = served.stranger();
    half.stream.write_all(&[0, 0]).unwrap();
    served.let_time_pass();
    assert_eq!(silent.last_error(0).code, ErrorCode::Io);
    assert_eq!(half.last_error(0).code, ErrorCode::Io, "half a length is no hello either");
}

#[test]
fn a_frame_that_is_never_finished_is_told_and_closed() {
    let mut served = Served::in_a_hurry();
    let mut client = served.client();
    let frame = codec::encode(1, kind::EDIT, &job("edit", "a")).unwrap();
    client.stream.write_all(frame.get(..frame.len() - 1).unwrap()).unwrap();
    served.let_time_pass();
    assert_eq!(client.last_error(0).code, ErrorCode::Io);
    assert!(served.fake.log().is_empty());
}

#[test]
fn a_silent_connection_that_waits_is_left_alone() {
    let mut served = Served::in_a_hurry();
    let mut client = served.client();
    // Another connection's time runs out meanwhile, so time does advance.
    let mut stranger = served.stranger();
    served.let_time_pass();
    stranger.last_error(0);
    let text: ReadReply = client.ask(1, kind::READ, &read("a"));
    assert_eq!(text.text.as_deref(), Some("a"));
}

#[test]
fn a_client_that_takes_no_replies_holds_up_nobody_and_gets_them_all_later() {
    let served = Served::start();
    let mut greedy = served.client();
    let size = 4_000_000;
    let count = 64;
    for id in 0..count {
        greedy.send(id, kind::READ, &read(&format!("big/{size}")));
    }
    let mut other = served.client();
    for id in 0..100 {
        let _: ReadReply = other.ask(id, kind::READ, &read("small"));
    }
    let (mut whole, mut busy) = (0, 0);
    for _ in 0..count {
        let reply = greedy.receive();
        match reply.kind() {
            kind::READ => {
                assert_eq!(reply.body::<ReadReply>().unwrap().text.unwrap().len(), size);
                whole += 1;
            }
            _ => {
                assert_eq!(reply.body::<RequestError>().unwrap().code, ErrorCode::Busy);
                busy += 1;
            }
        }
    }
    assert_eq!(whole + busy, count);
    assert!(whole > 0);
    assert!(whole <= count / 2 || busy == 0, "what is refused is refused since too much waits");
}

#[test]
fn a_client_that_never_takes_its_replies_is_dropped() {
    let mut served = Served::in_a_hurry();
    let mut client = served.client();
    client.send(1, kind::READ, &read("big/4000000"));
    let mut other = served.client();
    served.let_time_pass();
    // The daemon gives up; then nothing of the client is left in it.
    until("the client is dropped", || {
        let status: editd_proto::message::StatusReply = other.ask(1, kind::STATUS, &EmptyBody {});
        status.sessions <= 1
    });
}

#[test]
fn a_daemon_that_stops_leaves_without_who_takes_no_reply() {
    let mut served = Served::in_a_hurry();
    let mut client = served.client();
    client.send(1, kind::READ, &read("big/4000000"));
    let mut other = served.client();
    let _: ReadReply = other.ask(1, kind::READ, &read("small"));
    served.server.stop.ask();
    served.let_time_pass();
    served.ended();
    drop(client);
}

#[test]
fn large_frames_arrive_a_few_at_a_time_and_too_many_bytes_are_busy() {
    let served = Served::start();
    served.fake.hold("held");
    let count = 2 * limits::QUEUE_BYTES / LARGE;
    let large = |number: usize| {
        let mut request = job("held", &format!("file-{number}"));
        request.files[0].edits = vec![FileEdit { text: Some("x".repeat(LARGE)), ..FileEdit::default() }];
        request
    };
    let clients: Vec<_> = (0..count)
        .map(|number| {
            let mut client = served.client();
            std::thread::spawn(move || {
                client.send(1, kind::EDIT, &large(number));
                client
            })
        })
        .collect();
    // All are accepted, although more large frames arrive than allowed at once, and the jobs are held.
    let mut clients: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    let mut other = served.client();
    let _: ReadReply = other.ask(1, kind::READ, &read("small"));
    let fit = limits::LARGE_SHARE / LARGE - 1;
    served.fake.log_of(fit);
    served.fake.let_go("held");
    let mut applied = 0;
    for client in &mut clients {
        let reply = client.receive();
        match reply.kind() {
            kind::EDIT => applied += 1,
            _ => assert_eq!(reply.body::<RequestError>().unwrap().code, ErrorCode::Busy),
        }
    }
    assert!((fit..count).contains(&applied), "{applied} of {count}");
}

#[test]
fn events_come_in_order_and_too_many_turn_into_one_overflow() {
    let served = Served::start();
    let mut client = served.client();
    let subscribed: SubscribeReply = client.ask(9, kind::SUBSCRIBE, &SubscribeRequest::default());
    assert_eq!(subscribed.folders, 3);
    let sink = served.sinks.lock().unwrap().first().unwrap().clone();
    let event = |number: usize| ChangeEvent {
        path: Some(format!("file-{number}-{}", "x".repeat(1000)).as_str().into()),
        ..ChangeEvent::without_path(ChangeKind::Changed)
    };
    let count = 20 * limits::OUTBOX / 1000;
    for number in 0..count {
        sink.send(&event(number));
    }
    let mut seen = 0;
    loop {
        let reply = client.receive();
        assert_eq!((reply.id(), reply.kind()), (9, kind::EVENT));
        let got: ChangeEvent = reply.body().unwrap();
        if got.change == ChangeKind::Overflow {
            break;
        }
        assert_eq!(got, event(seen));
        seen += 1;
    }
    assert!(seen < count);
    // Once it has caught up, events come again.
    sink.send(&event(7));
    assert_eq!(client.receive().body::<ChangeEvent>().unwrap(), event(7));
    drop(client);
    until("the subscription ends", || served.sinks.lock().unwrap().is_empty());
}
