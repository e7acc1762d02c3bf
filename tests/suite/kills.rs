//! SIGKILL in a loop under load from several clients. What was acknowledged stands, what was not is whole or
//! absent, over all files of a job; clipboards agree; a key sent again is the same job; undo gives the start.
//!
//! `KILLS=N` sets the number of kills (40; the command in the README takes 250).

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use editd_proto::message::{
    ClipAction, ClipReply, ClipRequest, Edit, FileEntry, HistoryReply, HistoryRequest, JobRequest, Receipt,
    Status, UndoRequest, kind,
};
use editd_tests::client::{Client, Failure};
use editd_tests::house::House;
use editd_tests::tree::Tree;
use editd_tests::wait;

/// Clients that write while the daemon is killed.
const CLIENTS: usize = 4;
/// Files of every job.
const FILES: usize = 4;
/// The daemon lives at least so long between two kills, and at most twice that, milliseconds.
const LIFE_MS: u64 = 60;

#[test]
fn what_was_acknowledged_outlives_every_kill() {
    let kills = std::env::var("KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(40_u64);
    let mut house = House::new();
    for client in 0..CLIENTS {
        for file in 0..FILES {
            house.put(&name(client, file), content(client, file, 0));
        }
    }
    let start = Tree::of(house.workspace());
    house.start();
    let socket = house.socket();
    let done = AtomicBool::new(false);
    let mut counted = 0;
    let last = thread::scope(|scope| {
        let workers: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (socket, done) = (&socket, &done);
                scope.spawn(move || {
                    Worker::new(client).run(|| Client::connect(socket, &session(client)), done)
                })
            })
            .collect();
        for round in 0..kills {
            // The moment of the kill wanders through the journeys.
            let life = Duration::from_micros(LIFE_MS * 1000 + (round * 7919) % (LIFE_MS * 1000));
            wait::pause(life);
            house.kill();
            counted += 1;
            all_or_nothing(&house);
            house.start();
            all_or_nothing(&house);
        }
        done.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<u64>>()
    });
    assert_eq!(counted, kills);
    assert!(last.iter().all(|steps| *steps > kills / 8), "hardly anything was done: {last:?}");
    println!("{kills} kills, {} acknowledged jobs", last.iter().sum::<u64>());
    for (client, steps) in last.iter().enumerate() {
        check_client(&house, client, *steps);
    }
    // All of it, taken back, is the start.
    for (client, steps) in last.iter().enumerate() {
        undo_all(&house, client, *steps);
    }
    assert_eq!(start.differences(&Tree::of(house.workspace())), Vec::<String>::new());
}

/// A client that counts its files up, one job a step.
struct Worker {
    client: usize,
    step: u64,
}

impl Worker {
    fn new(client: usize) -> Self {
        Self { client, step: 0 }
    }

    /// Until `done`, each step under its own key until it is acknowledged. Returns the last step.
    fn run(mut self, connect: impl Fn() -> Result<Client, Failure>, done: &AtomicBool) -> u64 {
        let mut connection: Option<Client> = None;
        loop {
            let step = self.step + 1;
            let Some(client) = connection.as_mut() else {
                connection = connect().ok();
                if connection.is_none() {
                    wait::pause(Duration::from_millis(2));
                }
                continue;
            };
            match client.ask::<Receipt>(kind::EDIT, &self.job(step)) {
                Ok(receipt) => {
                    assert_eq!(
                        receipt.status,
                        Status::Applied,
                        "client {} step {step}: {receipt:?}",
                        self.client
                    );
                    self.step = step;
                    if done.load(Ordering::Relaxed) {
                        return step;
                    }
                }
                Err(Failure::Lost(_)) => connection = None,
                Err(Failure::Refused(error)) => panic!("client {} step {step}: {error:?}", self.client),
            }
        }
    }

    /// Replaces the number by the next, so that a job done twice or on a lost one is refused.
    fn job(&self, step: u64) -> JobRequest {
        let replace = |clip: Option<String>| Edit {
            op: "replace".to_owned(),
            old: Some(format!("number {}\n", step - 1)),
            new: Some(format!("number {step}\n")),
            to_clipboard: clip,
            ..Edit::default()
        };
        let files = (0..FILES).map(|file| FileEntry {
            path: name(self.client, file).as_str().into(),
            base: None,
            edits: vec![replace((file == 0).then(|| "last".to_owned()))],
        });
        JobRequest {
            key: Some(format!("step {step}")),
            diff: Some(false),
            files: files.collect(),
            ..JobRequest::default()
        }
    }
}

/// The files of each client show one number, whatever the daemon was doing.
fn all_or_nothing(house: &House) {
    if house.try_client("look").is_err() {
        // Between a kill and recovery a job may stand in the middle.
        return;
    }
    // Jobs go on while this looks: two looks that agree on the first file frame one moment.
    for client in 0..CLIENTS {
        let framed = (0..200).any(|_| {
            let first = number(house, client, 0);
            let all: Vec<u64> = (0..FILES).map(|file| number(house, client, file)).collect();
            first == number(house, client, 0) && all.iter().all(|one| *one == first)
        });
        assert!(framed, "client {client}: the files of one job never agree");
    }
}

fn check_client(house: &House, client: usize, steps: u64) {
    for file in 0..FILES {
        assert_eq!(number(house, client, file), steps, "client {client}, file {file}");
    }
    let mut connection = house.client(&session(client));
    let clip = ClipRequest { action: ClipAction::Show, name: Some("last".to_owned()), to: None, text: None };
    let clip: ClipReply = connection.ask(kind::CLIP, &clip).unwrap();
    assert_eq!(clip.text, Some(format!("number {}\n", steps - 1)), "client {client}");
    let mut entries = 0;
    let mut before = None;
    loop {
        let page = HistoryRequest {
            session: Some(session(client)),
            before,
            limit: Some(1000),
            ..HistoryRequest::default()
        };
        let page: HistoryReply = connection.ask(kind::HISTORY, &page).unwrap();
        entries += page.entries.len() as u64;
        before = page.entries.last().map(|entry| entry.id);
        if !page.more {
            break;
        }
    }
    assert_eq!(entries, steps, "client {client}: one entry for each acknowledged job");
    // A key of long ago is still the same job.
    let again: Receipt = connection.ask(kind::EDIT, &Worker::new(client).job(1)).unwrap();
    assert!(again.repeated && again.status == Status::Applied, "{again:?}");
}

/// Takes back every entry of a client, the newest first, as many at once as one undo takes.
fn undo_all(house: &House, client: usize, steps: u64) {
    let mut connection = house.client(&session(client));
    let mut jobs = Vec::new();
    loop {
        let page = HistoryRequest {
            session: Some(session(client)),
            before: jobs.last().copied(),
            limit: Some(1000),
            ..HistoryRequest::default()
        };
        let page: HistoryReply = connection.ask(kind::HISTORY, &page).unwrap();
        jobs.extend(page.entries.iter().map(|entry| entry.id));
        if !page.more {
            break;
        }
    }
    assert_eq!(jobs.len() as u64, steps);
    for some in jobs.chunks(900) {
        let request = UndoRequest { jobs: some.to_vec(), diff: Some(false), ..UndoRequest::default() };
        let receipt: Receipt = connection.ask(kind::UNDO, &request).unwrap();
        assert_eq!(receipt.status, Status::Applied, "{receipt:?}");
    }
}

fn session(client: usize) -> String {
    format!("client {client}")
}

fn name(client: usize, file: usize) -> String {
    format!("c{client}/file {file}.txt")
}

fn content(client: usize, file: usize, number: u64) -> String {
    let filler: String = (0..60).map(|n| format!("line {n} of file {file} of client {client}\n")).collect();
    format!("{filler}number {number}\n{filler}")
}

fn number(house: &House, client: usize, file: usize) -> u64 {
    let text = String::from_utf8(house.get(&name(client, file))).unwrap();
    let number = text.lines().find_map(|line| line.strip_prefix("number ")).unwrap().parse().unwrap();
    assert_eq!(text, content(client, file, number), "client {client}, file {file} is torn");
    number
}
