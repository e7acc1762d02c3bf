//! SIGKILL in a loop under load from several clients. Acknowledged jobs are kept, others are applied to all files or
//! to none; clipboards agree; a key sent again is the same job; undo restores the start.
//!
//! `KILLS=N` sets the number of kills (40; the command in tests/README.md takes 250).

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use editd_tests::counters::{self, CounterClient};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::wait;

/// Clients that write while the daemon is killed.
const CLIENTS: usize = 4;
/// The daemon lives at least so long between two kills, and at most twice that, milliseconds.
const LIFE_MS: u64 = 60;

#[test]
fn acknowledged_jobs_survive_every_kill() {
    let kills = std::env::var("KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(40_u64);
    let mut daemon = TestDaemon::new();
    for client in 0..CLIENTS {
        CounterClient::new(client).prepare(&daemon);
    }
    let start = FileTree::of(daemon.workspace());
    daemon.start();
    let socket = daemon.socket();
    let done = AtomicBool::new(false);
    let mut counted = 0;
    let last = thread::scope(|scope| {
        let workers: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (socket, done) = (&socket, &done);
                scope.spawn(move || CounterClient::new(client).run(socket, done, |_| {}))
            })
            .collect();
        let clients = EndsClients(&done);
        for round in 0..kills {
            // The moment of the kill wanders through the journeys.
            let life = Duration::from_micros(LIFE_MS * 1000 + (round * 7919) % (LIFE_MS * 1000));
            wait::pause(life);
            daemon.kill();
            counted += 1;
            all_or_nothing(&daemon);
            daemon.start();
            all_or_nothing(&daemon);
        }
        drop(clients);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<u64>>()
    });
    assert_eq!(counted, kills);
    assert!(last.iter().all(|steps| *steps > kills / 8), "hardly anything was done: {last:?}");
    println!("{kills} kills, {} acknowledged jobs", last.iter().sum::<u64>());
    for (client, steps) in last.iter().enumerate() {
        assert_eq!(counters::check(&daemon, client, *steps), Ok(()));
    }
    // All of it, taken back, is the start.
    for (client, steps) in last.iter().enumerate() {
        let steps = usize::try_from(*steps).unwrap();
        assert_eq!(counters::undo(&daemon, client, steps), Ok(()));
    }
    assert_eq!(start.differences(&FileTree::of(daemon.workspace())), Vec::<String>::new());
}

/// Ends the clients when it is dropped, also if the test fails: otherwise it would wait for them.
struct EndsClients<'a>(&'a AtomicBool);

impl Drop for EndsClients<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The files of each client show one number, whatever the daemon was doing.
fn all_or_nothing(daemon: &TestDaemon) {
    if daemon.try_client("look").is_err() {
        // Between a kill and recovery a job may stand in the middle.
        return;
    }
    // Jobs go on while this looks: only a moment in which none was on its way is whole.
    for client in 0..CLIENTS {
        let agree = || match counters::shown(daemon, client) {
            Err(torn) if torn.contains("is torn") => panic!("{torn}"),
            shown => shown.ok(),
        };
        wait::until("the files of one job agree", wait::LONG, agree);
    }
}
