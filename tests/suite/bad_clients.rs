//! *Bounded*: bad clients get a typed error or a closed connection; meanwhile another client edits undisturbed, the
//! daemon's memory stays within its limits, and threads and descriptors are released.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use editd::testing::limits::CONNECTIONS;
use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::message::kind;
use editd_proto::{RequestError, limits};
use editd_tests::client::{Client, RequestFailure, hello};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::json;

/// The time limit of an edit of the bystander: far more than it needs, far less than a hang.
const QUICK: Duration = Duration::from_secs(10);

const MIB: u64 = 1024;

/// The number of processes that are started at once: each must connect before its patience ends.
const AT_ONCE: usize = 16;

/// Sets a flag when it goes, also where a test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs an attack while another client edits. Afterwards: nobody was harmed, the peak of the daemon's memory
/// rose by at most `mib`, threads and descriptors went back.
fn unharmed<T>(daemon: &TestDaemon, mib: u64, attack: impl FnOnce() -> T) -> T {
    let pid = daemon.pid();
    jobs::applied(&daemon.client("bystander").ask_json(kind::EDIT, &jobs::write("by.txt", "warm\n")));
    wait::until("the first connections are gone", wait::LONG, || {
        let mut looks = daemon.try_client("look").ok()?;
        (looks.ask_json(kind::STATUS, &json!({}))["sessions"] == 1).then_some(())
    });
    let before = (process::peak_kib(pid), process::threads(pid), process::descriptors(pid));
    let done = AtomicBool::new(false);
    let (edits, slowest, out) = thread::scope(|scope| {
        let bystander = scope.spawn(|| {
            let mut client = daemon.client("bystander");
            let (mut edits, mut slowest) = (0, Duration::ZERO);
            while edits < 20 || !done.load(Ordering::Relaxed) {
                let start = Instant::now();
                edits += 1;
                let job = jobs::write("by.txt", &format!("edit {edits}\n"));
                jobs::applied(&client.ask_json(kind::EDIT, &job));
                slowest = slowest.max(start.elapsed());
            }
            (edits, slowest)
        });
        let over = SetOnDrop(&done);
        let out = attack();
        drop(over);
        let (edits, slowest) = bystander.join().unwrap();
        (edits, slowest, out)
    });
    assert_eq!(daemon.pid(), pid);
    assert_eq!(daemon.get("by.txt"), format!("edit {edits}\n").as_bytes());
    assert!(slowest < QUICK, "an edit of the bystander took {slowest:?}");
    if let (Some(peak), Some(threads), Some(open)) = before {
        let now = process::peak_kib(pid).unwrap();
        println!("{edits} edits meanwhile, the slowest {slowest:?}; peak {peak} -> {now} KiB");
        assert!(now <= peak + mib * MIB, "the peak of memory rose from {peak} to {now} KiB");
        // A journal that grows opens a file or two of its own.
        wait::until("threads and descriptors go back", wait::LONG, || {
            let (now_threads, now_open) = (process::threads(pid)?, process::descriptors(pid)?);
            (now_threads <= threads + 1 && now_open <= open + 4).then_some(())
        });
    }
    out
}

/// A connection that has said nothing yet.
fn stranger(daemon: &TestDaemon) -> UnixStream {
    let stream = UnixStream::connect(daemon.socket()).unwrap();
    stream.set_read_timeout(Some(wait::LONG)).unwrap();
    stream.set_write_timeout(Some(wait::LONG)).unwrap();
    stream
}

/// A connection that was greeted.
fn guest(daemon: &TestDaemon) -> UnixStream {
    daemon.client("guest").stream().try_clone().unwrap()
}

/// Returns the codes of the errors that the daemon sends before it closes the connection.
#[track_caller]
fn farewell(stream: &mut UnixStream) -> Vec<String> {
    let mut frames = FrameReader::new(limits::FRAME);
    let mut codes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        while let Some(frame) = frames.next_frame().unwrap() {
            let message = Message::parse(frame).unwrap();
            assert_eq!(message.kind(), kind::ERROR, "only errors are answered to nonsense");
            let error: RequestError = message.body().unwrap();
            assert!(error.message.len() > 10, "{error:?}");
            codes.push(serde_json::to_value(error.code).unwrap().as_str().unwrap().to_owned());
        }
        match stream.read(&mut buffer) {
            Ok(0) => return codes,
            Ok(n) => frames.push(&buffer[..n]),
            Err(e) if e.kind() == ErrorKind::ConnectionReset => return codes,
            Err(e) => panic!("the connection was not closed: {e}"),
        }
    }
}

/// Frames that are none, by the limit of the length that holds.
fn nonsense(limit: usize) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let framed = |payload: &[u8]| [&u32::try_from(payload.len()).unwrap().to_be_bytes(), payload].concat();
    let above = u32::try_from(limit + 1).unwrap().to_be_bytes().to_vec();
    vec![
        ("a length of 4 GB", [&[0xff; 4], &[b'x'; 100][..]].concat(), "too_large"),
        ("a length of one byte too many", above, "too_large"),
        ("text that is no frame", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), "too_large"),
        ("noise", framed(&[0xc1, 0xff, 0x00, 0x93, 0xc1]), "malformed"),
        ("an empty frame", framed(&[]), "malformed"),
        ("5 KB of nested lists", framed(&[b"\x81\xa1x", &[0x91; 5000][..], b"\xc0"].concat()), "too_large"),
        ("5 KB of nested maps", framed(&b"\x81\xa1x".repeat(1700)), "too_large"),
        ("a list of 4 billion in 8 bytes", framed(b"\x81\xa1x\xdd\xff\xff\xff\xff"), "too_large"),
        ("a text of 4 GB in 8 bytes", framed(b"\x81\xa1x\xdb\xff\xff\xff\xff"), "malformed"),
    ]
}

#[test]
fn invalid_bytes_close_only_their_connection_with_a_typed_error() {
    let daemon = TestDaemon::started();
    unharmed(&daemon, 24, || {
        for round in 0..3 {
            for (greeted, limit) in [(false, limits::FRAME_BEFORE_HELLO), (true, limits::FRAME)] {
                for (what, raw, code) in nonsense(limit) {
                    let mut stream = if greeted { guest(&daemon) } else { stranger(&daemon) };
                    stream.write_all(&raw).unwrap();
                    let said = farewell(&mut stream);
                    // Where a length is refused and where a text becomes one differs by a limit alone.
                    let either = what == "text that is no frame" && said == ["malformed"];
                    assert!(said == [code] || either, "{what}, greeted: {greeted}, {round}: {said:?}");
                }
            }
        }
    });
}

#[test]
fn a_client_that_dies_in_the_middle_of_a_frame_is_forgotten() {
    let daemon = TestDaemon::started();
    unharmed(&daemon, 24, || {
        let whole = hello(&[1], None);
        for end in 0..whole.len() {
            stranger(&daemon).write_all(&whole[..end]).unwrap();
        }
        let job = codec::encode(2, kind::EDIT, &jobs::write("dead.txt", &"x".repeat(4000))).unwrap();
        for end in (0..job.len()).step_by(97) {
            guest(&daemon).write_all(&job[..end]).unwrap();
        }
        // And one whose frame is whole, but who does not wait: its job is done, or not, but nothing breaks.
        guest(&daemon).write_all(&job).unwrap();
    });
    assert!(!daemon.workspace().join("dead.txt").is_file() || daemon.get("dead.txt").len() == 4000);
}

#[test]
fn an_endless_sender_delays_no_other_client() {
    let daemon = TestDaemon::started();
    unharmed(&daemon, 40, || {
        // Declared as large as may be, and begun: the memory for it comes with its bytes alone.
        let mut slow: Vec<UnixStream> = (0..20).map(|_| guest(&daemon)).collect();
        let length = u32::try_from(limits::FRAME).unwrap().to_be_bytes();
        slow.iter_mut().for_each(|one| one.write_all(&length).unwrap());
        let mut mute = stranger(&daemon);
        mute.write_all(&[0]).unwrap();
        let start = Instant::now();
        let mut next = hello(&[1], None).into_iter().skip(1);
        // One byte now and then: that buys no time.
        mute.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut byte = [0; 1];
        loop {
            match mute.read(&mut byte) {
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                _ => break,
            }
            assert!(start.elapsed() < wait::LONG, "a stranger may be silent for ever");
            if let Some(byte) = next.next() {
                mute.write_all(&[byte]).unwrap();
            }
            slow.iter_mut().for_each(|one| one.write_all(b"x").unwrap());
        }
        println!("a stranger was let go after {:?}", start.elapsed());
    });
}

#[test]
fn a_client_that_never_reads_replies_is_not_read() {
    let daemon = TestDaemon::started();
    daemon.put("large.txt", "a line of text\n".repeat(200_000));
    let read = codec::encode(2, kind::READ, &json!({ "path": "large.txt" })).unwrap();
    // 40 clients that ask for 3 MB each, again and again: the daemon keeps 128 MiB of replies for all.
    unharmed(&daemon, 260, || {
        let mut greedy: Vec<UnixStream> = (0..40).map(|_| guest(&daemon)).collect();
        for one in &mut greedy {
            one.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            let taken = (0..20_000).take_while(|_| one.write_all(&read).is_ok()).count();
            assert!(taken < 20_000, "the daemon takes any number of requests");
        }
        // Others are served, though a large reply may have to wait for its turn.
        let status = daemon.client("other").ask_json(kind::STATUS, &json!({}));
        assert_eq!(status["sessions"], 42, "{status}");
        greedy.iter().for_each(|one| one.shutdown(Shutdown::Both).unwrap());
    });
    let reply = daemon.client("other").ask_json(kind::READ, &json!({ "path": "large.txt" }));
    assert_eq!(reply["lines"], 200_000);
}

#[test]
fn of_three_hundred_connections_of_one_process_only_its_share_is_open() {
    let daemon = TestDaemon::started();
    unharmed(&daemon, 64, || {
        let mut open: Vec<Client> = Vec::new();
        let mut busy = 0;
        for _ in 0..300 {
            match daemon.try_client(&format!("crowd {}", open.len())) {
                Ok(mut client) => {
                    // One that had sent no request would give its place to the next.
                    client.ask_json(kind::STATUS, &json!({}));
                    open.push(client);
                }
                Err(RequestFailure::Refused(error)) => {
                    assert_eq!(serde_json::to_value(error.code).unwrap(), "busy", "{error:?}");
                    busy += 1;
                }
                Err(RequestFailure::Lost(why)) => panic!("closed instead of `busy`: {why:?}"),
            }
        }
        // 192 are open; the bystander is one of them.
        assert_eq!((open.len(), busy), (191, 109));
        let reply = open[190].ask_json(kind::EDIT, &jobs::write("crowd.txt", "the last of them\n"));
        jobs::applied(&reply);
        drop(open);
        // Room again, as soon as they are gone.
        wait::until("somebody else is let in", wait::LONG, || daemon.try_client("late").ok());
    });
}

#[test]
fn editctl_waits_until_a_daemon_with_too_many_connections_accepts_it() {
    let daemon = TestDaemon::started();
    let mut open: Vec<Client> = Vec::new();
    while let Ok(mut client) = daemon.try_client(&format!("crowd {}", open.len())) {
        client.ask_json(kind::STATUS, &json!({}));
        open.push(client);
    }
    // One process has its share of the connections; other processes take the rest, a few at a time.
    let mut watching: Vec<Child> = Vec::new();
    while open.len() + watching.len() < CONNECTIONS {
        let more = AT_ONCE.min(CONNECTIONS - open.len() - watching.len());
        let watch = || daemon.editctl().arg("watch").stdout(Stdio::piped()).spawn().unwrap();
        watching.extend(std::iter::repeat_with(watch).take(more));
        let connected = open.len() + watching.len();
        wait::until("all are connected", wait::LONG, || {
            (open[0].ask_json(kind::STATUS, &json!({}))["sessions"] == connected).then_some(())
        });
    }
    // Each has sent its request once it reports a change. Its pipe stays open, or it would end at the next change.
    let mut pipes = Vec::new();
    for child in &mut watching {
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        daemon.put("seen", format!("{:?}", Instant::now()));
        out.read_line(&mut line).unwrap();
        pipes.push(out);
    }
    let before = daemon.said().matches("connection refused").count();
    let mut editctl = daemon.editctl();
    let waits = editctl.arg("status").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait::until("editctl is refused", wait::LONG, || {
        (daemon.said().matches("connection refused").count() > before).then_some(())
    });
    drop(open.pop());
    let ended = waits.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    for mut child in watching {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn five_thousand_requests_without_reading_are_all_answered() {
    let daemon = TestDaemon::started();
    unharmed(&daemon, 64, || {
        let mut client = daemon.client("pipeline");
        let mut writes = client.stream().try_clone().unwrap();
        let mut all = Vec::new();
        for id in 2..5002_u64 {
            let frame = match id % 10 {
                0 => codec::encode(id, kind::EDIT, &jobs::append("many.txt", &format!("{id}\n"))),
                _ => codec::encode(id, kind::STATUS, &json!({})),
            };
            all.extend(frame.unwrap());
        }
        // As many as the daemon takes without being read; the rest when it is.
        writes.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
        let mut sent = 0;
        while let Ok(n @ 1..) = writes.write(&all[sent..]) {
            sent += n;
        }
        println!("{sent} of {} bytes were taken before a reply was read", all.len());
        writes.set_write_timeout(Some(wait::LONG)).unwrap();
        let mut answered = thread::scope(|scope| {
            scope.spawn(|| writes.write_all(&all[sent..]).unwrap());
            (0..5000).map(|_| client.receive().unwrap()).collect::<Vec<Message>>()
        });
        answered.sort_by_key(Message::id);
        assert!(answered.iter().zip(2..).all(|(message, id)| message.id() == id), "a reply to each, once");
        assert!(answered.iter().all(|message| message.kind() != kind::ERROR));
    });
    let lines: String = (10..5002).step_by(10).map(|id| format!("{id}\n")).collect();
    assert_eq!(String::from_utf8(daemon.get("many.txt")).unwrap(), lines, "in order of arrival");
}

#[test]
fn a_subscriber_that_never_reads_is_told_that_it_missed_events() {
    let daemon = TestDaemon::started();
    let name = |n: usize| format!("{n:0>200}");
    let mut client = unharmed(&daemon, 64, || {
        let mut client = daemon.client("sleeper");
        client.ask_json(kind::SUBSCRIBE, &json!({}));
        for n in 0..9000 {
            daemon.put(&name(n), "x");
        }
        // A second one sees the last file: then the first has been told, or not, of all of them.
        let mut awake = daemon.client("awake");
        awake.ask_json(kind::SUBSCRIBE, &json!({}));
        daemon.put("last", "x");
        loop {
            let event: serde_json::Value = awake.receive().unwrap().body().unwrap();
            if event["path"] == "last" {
                break;
            }
            if event["change"] == "overflow" {
                // It may be among those that were lost.
                daemon.put("last", format!("{:?}", Instant::now()));
            }
        }
        client
    });
    let overflow = loop {
        let event: serde_json::Value = client.receive().unwrap().body().unwrap();
        if event["change"] == "overflow" {
            break event;
        }
    };
    assert!(overflow.get("path").is_none_or(serde_json::Value::is_null), "{overflow}");
}
