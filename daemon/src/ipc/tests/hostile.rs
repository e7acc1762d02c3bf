//! Misbehaving clients: each gets a typed error or a closed connection, and other clients are not affected.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;

use editd_proto::codec;
use editd_proto::error::ErrorCode;
use editd_proto::message::{Hello, ReadReply, Receipt, StatusReply, kind};

use super::kit::{Client, EmptyBody, Served, hello, job, read};
use crate::limits;

/// Checks that an earlier connection still works.
fn unharmed(client: &mut Client) {
    let text: ReadReply = client.ask(77, kind::READ, &read("fine"));
    assert_eq!(text.text.as_deref(), Some("fine"));
}

#[test]
fn garbage_is_told_off_and_closed_before_hello_and_after() {
    let served = Served::start();
    let mut bystander = served.client();
    for bytes in
        [&b"\x00\x00\x00\x00"[..], b"\x00\x00\x00\x05hello", b"\x00\x00\x00\x01\xc1", b"\x00\x00\x00\x01\x80"]
    {
        let mut stranger = served.stranger();
        stranger.stream.write_all(bytes).unwrap();
        assert_eq!(stranger.last_error(0).code, ErrorCode::Malformed);
        let mut greeted = served.client();
        greeted.stream.write_all(bytes).unwrap();
        assert_eq!(greeted.last_error(0).code, ErrorCode::Malformed);
        unharmed(&mut bystander);
    }
}

#[test]
fn a_length_of_4_gb_is_refused_before_anything_else() {
    let served = Served::start();
    let mut bystander = served.client();
    for mut client in [served.stranger(), served.client()] {
        client.stream.write_all(&[0xff; 4]).unwrap();
        // The client may be sending already when the answer comes.
        let _ = client.stream.write_all(&[0; 10_000]);
        let error = client.last_error(0);
        assert_eq!(error.code, ErrorCode::TooLarge);
    }
    let mut stranger = served.stranger();
    stranger.stream.write_all(&(editd_proto::limits::FRAME as u32).to_be_bytes()).unwrap();
    assert_eq!(stranger.last_error(0).code, ErrorCode::TooLarge, "a stranger may send less");
    unharmed(&mut bystander);
}

#[test]
fn a_wrong_version_and_a_wrong_first_word_are_refused() {
    let served = Served::start();
    let mut client = served.stranger();
    client.send(5, kind::HELLO, &Hello { protocol: vec![2, 99], ..hello() });
    assert_eq!(client.last_error(5).code, ErrorCode::Unsupported);
    let mut client = served.stranger();
    client.send(6, kind::READ, &read("a"));
    assert_eq!(client.last_error(6).code, ErrorCode::Malformed);
}

#[test]
fn a_client_that_dies_harms_nobody() {
    let served = Served::start();
    let mut bystander = served.client();
    let frame = codec::encode(1, kind::EDIT, &job("edit", "a")).unwrap();
    for end in 0..frame.len() {
        let mut client = served.client();
        client.stream.write_all(frame.get(..end).unwrap()).unwrap();
    }
    unharmed(&mut bystander);
    assert!(served.fake.log().is_empty(), "no job was made of a part");
    // If a client dies while its job runs, the job is finished all the same.
    served.fake.hold("held");
    let mut client = served.client();
    client.send(1, kind::EDIT, &job("held", "a"));
    served.fake.log_with("begin held");
    drop(client);
    served.fake.let_go("held");
    served.fake.log_with("end held");
    unharmed(&mut bystander);
    let mut sessions = 2;
    while sessions > 1 {
        let status: StatusReply = bystander.ask(1, kind::STATUS, &EmptyBody {});
        sessions = status.sessions;
    }
}

/// A connection that keeps its place, since it has sent a request.
fn used(served: &Served) -> Client {
    let mut client = served.client();
    let _: StatusReply = client.ask(1, kind::STATUS, &EmptyBody {});
    client
}

#[test]
fn one_connection_too_many_is_busy_until_another_ends() {
    let served = Served::start();
    let mut open: Vec<Client> = (0..limits::CONNECTIONS_SHARE).map(|_| used(&served)).collect();
    assert_eq!(served.stranger().last_error(0).code, ErrorCode::Busy);
    unharmed(open.first_mut().unwrap());
    drop(open.pop());
    // The end of the connection is noticed at some later moment.
    loop {
        let mut next = served.stranger();
        next.send(0, kind::HELLO, &hello());
        let reply = next.receive();
        if reply.kind() == kind::HELLO {
            break;
        }
        assert_eq!(reply.body::<editd_proto::RequestError>().unwrap().code, ErrorCode::Busy);
    }
}

#[test]
fn the_oldest_silent_connection_gives_its_place_to_a_new_one() {
    let served = Served::start();
    let mut silent: Vec<Client> = (0..limits::CONNECTIONS_SHARE - 1).map(|_| served.client()).collect();
    let mut stranger = served.stranger();
    let mut late: Vec<Client> = (0..3).map(|_| used(&served)).collect();
    for client in silent.iter_mut().take(3) {
        assert_eq!(client.last_error(0).code, ErrorCode::Busy);
    }
    late.iter_mut().for_each(unharmed);
    unharmed(silent.get_mut(3).unwrap());
    // One that has not even said hello is among them.
    let _more: Vec<Client> = (0..limits::CONNECTIONS_SHARE - 4).map(|_| used(&served)).collect();
    assert_eq!(stranger.last_error(0).code, ErrorCode::Busy);
    unharmed(silent.get_mut(3).unwrap());
}

#[test]
fn a_connection_above_the_limit_is_read_after_its_error_however_many_there_are() {
    let served = Served::start();
    let _open: Vec<Client> = (0..limits::CONNECTIONS_SHARE).map(|_| used(&served)).collect();
    let refused = |mut client: Client| {
        let error: editd_proto::RequestError = client.receive().body().unwrap();
        assert_eq!(error.code, ErrorCode::Busy);
        assert!(error.message.contains("try again"), "{}", error.message);
        client
    };
    let _crowd: Vec<Client> = (0..limits::LINGERING).map(|_| refused(served.stranger())).collect();
    for _ in 0..3 {
        let mut late = refused(served.stranger());
        // If the connection were closed, this would fail, as with a daemon that died.
        late.stream.write_all(&codec::encode(1, kind::HELLO, &hello()).unwrap()).unwrap();
    }
}

#[test]
fn a_panic_inside_is_one_internal_error() {
    let served = Served::start();
    let mut client = served.client();
    client.send(1, kind::READ, &read("panic"));
    assert_eq!(client.error(1).code, ErrorCode::Internal);
    client.send(2, kind::EDIT, &job("panic", "a"));
    assert_eq!(client.error(2).code, ErrorCode::Internal);
    let next: Receipt = client.ask(3, kind::EDIT, &job("next", "a"));
    assert!(next.error.is_none());
}

#[test]
fn another_user_is_denied() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can be another user");
        return;
    }
    let served = Served::start();
    // The outer protection of the socket is removed, to test the inner one.
    for (path, mode) in [(served.folder.path().to_owned(), 0o755), (served.socket(), 0o777)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); \
                  d=b''\nwhile True:\n b=s.recv(4096)\n d+=b\n if not b: break\nsys.stdout.buffer.write(d)";
    let child = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(served.socket())
        .uid(65534)
        .gid(65534)
        .output();
    let Ok(output) = child else {
        eprintln!("skipped: there is no python3");
        return;
    };
    let mut frames = codec::FrameReader::new(1 << 20);
    frames.push(&output.stdout);
    let message = codec::Message::parse(frames.next_frame().unwrap().unwrap()).unwrap();
    assert_eq!(message.body::<editd_proto::RequestError>().unwrap().code, ErrorCode::Denied);
}
