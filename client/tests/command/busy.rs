//! A busy daemon is asked again, except for requests for which `busy` has another meaning.

use editd_proto::message::{JobStatus, kind};
use editd_proto::{ErrorCode, RequestError};

use crate::peer::{Says, Scene, frame, reply};
use crate::{content, err, receipt, status};

fn busy() -> RequestError {
    RequestError::new(ErrorCode::Busy, "too many bytes of requests are waiting; try again in a moment")
}

#[test]
fn a_busy_daemon_is_asked_until_it_has_room() {
    // Each request comes on a connection of its own.
    let scene = Scene::new(|number, message| match (number, message.kind()) {
        (0..3, _) => Says::Frames(frame(message.id(), kind::ERROR, &busy())),
        (3..5, kind::EDIT) => reply(message, &receipt(JobStatus::Refused, Some(busy()))),
        (_, kind::EDIT) => reply(message, &receipt(JobStatus::Applied, None)),
        _ => reply(message, &content(b"text\n")),
    });
    let output = scene.run(&["create", "new", "text"], b"");
    assert_eq!((status(&output), err(&output)), (0, ""));
    let requests = scene.heard.try_iter().filter(|message| message.kind() == kind::EDIT).count();
    assert_eq!(requests, 6);
}

#[test]
fn a_job_that_has_begun_is_not_cancelled_again_and_again() {
    let scene = Scene::new(|_, message| Says::Frames(frame(message.id(), kind::ERROR, &busy())));
    let output = scene.run(&["cancel", "7"], b"");
    assert_eq!(status(&output), 1, "{}", err(&output));
    let requests = scene.heard.try_iter().filter(|message| message.kind() == kind::CANCEL).count();
    assert_eq!(requests, 1);
}
