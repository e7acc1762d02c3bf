//! Other programs that write to the files that clients edit, with kills in between: every outside write is the base
//! of a later edit, still in the file, or in the journal. Every write has a tag of its own, and every tag is looked
//! for in the end.
//!
//! `WRITES=N` sets the number of writes (6,000; the command in tests/README.md makes 100,000).
//!
//! Outside programs can overwrite each other, too. Here they take turns at each file and append to what they read, so
//! that a missing tag was lost by the daemon.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use editd_proto::message::{
    EditPosition, EntryKind, FileEdit, FileEntry, JobRequest, JobStatus, Receipt, kind,
};
use editd_tests::client::{Client, RequestFailure};
use editd_tests::journal_contents::{self, EntryFile};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::wait;
use rustix::fs::{CWD, RenameFlags, renameat_with};

const FILES: usize = 6;
const CLIENTS: usize = 4;
/// Outside writes between two kills.
const LIFE: u64 = 1500;
/// Above this a writer cuts old lines off, so that the files stay small.
const LARGE: usize = 12 * 1024;

/// Between two writes of one program.
const PAUSE: Duration = Duration::from_millis(2);

/// The ways in which other programs write.
const MANNERS: [SaveMethod; 5] =
    [SaveMethod::Replace, SaveMethod::Backup, SaveMethod::Append, SaveMethod::Rewrite, SaveMethod::Exchange];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SaveMethod {
    /// A new file, renamed over the old one.
    Replace,
    /// The old one is renamed to a backup, and a new one written under its name: as vim does.
    Backup,
    /// Through a descriptor that is open for a while.
    Append,
    /// Truncated, and a while later written.
    Rewrite,
    /// A new file, exchanged with the old one.
    Exchange,
}

/// The state of one file; only the thread that holds it writes the file.
#[derive(Default)]
struct FileTurn {
    /// Tags that were written, and not cut off again by a writer who saw them.
    owed: BTreeSet<String>,
}

#[test]
fn no_outside_write_is_lost() {
    let writes = std::env::var("WRITES").ok().and_then(|n| n.parse().ok()).unwrap_or(6_000_u64);
    let mut daemon = TestDaemon::new();
    for file in 0..FILES {
        daemon.put(&name(file), "begin\n");
    }
    // Each write and each edit may be an entry: none may go because of its age or their number.
    daemon.put(".editd.toml", format!("keep_entries = {}\nkeep_bytes = \"64GiB\"\n", 20 * writes));
    daemon.start();
    daemon.trust();
    // Settings are read at the start.
    daemon.kill_and_start();
    let (socket, folder) = (daemon.socket(), daemon.workspace().to_owned());
    let (made, applied, done) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let turns: Vec<Mutex<FileTurn>> = (0..FILES).map(|_| Mutex::default()).collect();
    let mut kills = 0;
    let mut edits_of_first_half = 0;
    thread::scope(|scope| {
        let writers: Vec<_> = MANNERS
            .into_iter()
            .map(|manner| {
                let outside = OutsideWriter { manner, folder: &folder, turns: &turns, made: &made, writes };
                scope.spawn(move || outside.run())
            })
            .collect();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (socket, applied, done) = (&socket, &applied, &done);
                scope.spawn(move || edit_on(socket, client, applied, done))
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            wait::pause(Duration::from_millis(2));
            if made.load(Ordering::Relaxed) >= LIFE * (kills + 1) {
                daemon.kill_and_start();
                kills += 1;
                if made.load(Ordering::Relaxed) < writes / 2 {
                    edits_of_first_half = applied.load(Ordering::Relaxed);
                }
            }
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let edits = applied.into_inner();
    daemon.stop();
    let TagPlaces { standing, journaled, aside, lost } = tag_places(&daemon, &turns);
    println!(
        "{writes} outside writes, {edits} edits applied, {kills} kills: {standing} tags stand, {journaled} more are \
         in the journal, {aside} in .editd/lost, {} lost",
        lost.len()
    );
    if !lost.is_empty() {
        tell_where(&daemon, &lost);
    }
    assert!(edits > writes / 100, "the clients hardly edited: {edits}");
    assert!(
        edits_of_first_half < edits / 4 * 3,
        "{edits_of_first_half} of {edits} edits were in the first half"
    );
    assert_eq!(lost, Vec::<String>::new());
}

/// The numbers of tags by the place where they are, and the tags that are nowhere.
#[derive(Default)]
struct TagPlaces {
    standing: usize,
    journaled: usize,
    aside: usize,
    lost: Vec<String>,
}

/// Looks for each tag that a writer left.
fn tag_places(daemon: &TestDaemon, turns: &[Mutex<FileTurn>]) -> TagPlaces {
    let kept = kept_tags(daemon);
    let mut places = TagPlaces::default();
    for (file, turn) in turns.iter().enumerate() {
        let there = tags(&daemon.get(&name(file)));
        for tag in &turn.lock().unwrap().owed {
            if there.contains(tag) {
                places.standing += 1;
            } else if kept.journal.contains(tag) {
                places.journaled += 1;
            } else if kept.aside.contains(tag) {
                places.aside += 1;
            } else {
                places.lost.push(format!("{tag} in {}", name(file)));
            }
        }
    }
    places
}

/// A program that knows nothing of editd.
struct OutsideWriter<'a> {
    manner: SaveMethod,
    folder: &'a Path,
    turns: &'a [Mutex<FileTurn>],
    made: &'a AtomicU64,
    writes: u64,
}

impl OutsideWriter<'_> {
    fn run(&self) {
        for nth in 0..self.writes / MANNERS.len() as u64 {
            let file = (nth as usize * 7 + self.manner as usize) % FILES;
            let mut turn = self.turns[file].lock().unwrap();
            let tag = format!("W-{:?}-{nth}", self.manner);
            self.write(&self.folder.join(name(file)), &tag, &mut turn);
            turn.owed.insert(tag);
            drop(turn);
            self.made.fetch_add(1, Ordering::Relaxed);
            // Leaves the clients a chance: what is wanted is not many writes but many meetings.
            wait::pause(PAUSE);
        }
    }

    fn write(&self, path: &Path, tag: &str, turn: &mut FileTurn) {
        let line = format!("{tag}\n");
        if self.manner == SaveMethod::Append {
            let mut open = OpenOptions::new().append(true).create(true).open(path).unwrap();
            dawdle();
            open.write_all(line.as_bytes()).unwrap();
            return;
        }
        let mut content = fs::read(path).unwrap_or_default();
        if content.len() > LARGE {
            let cut = content.len() / 2;
            let cut = cut + content[cut..].iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            // What is cut off was there until now.
            for tag in tags(&content[..cut]) {
                turn.owed.remove(&tag);
            }
            content.drain(..cut);
        }
        content.extend_from_slice(line.as_bytes());
        let beside =
            |ending: &str| -> PathBuf { path.with_file_name(format!(".outside-{:?}{ending}", self.manner)) };
        match self.manner {
            SaveMethod::Append => unreachable!("handled above"),
            SaveMethod::Replace => {
                fs::write(beside(".new"), &content).unwrap();
                fs::rename(beside(".new"), path).unwrap();
            }
            SaveMethod::Backup => {
                fs::rename(path, beside("~")).unwrap();
                dawdle();
                fs::write(path, &content).unwrap();
                fs::remove_file(beside("~")).unwrap();
            }
            SaveMethod::Rewrite => {
                let mut open = File::create(path).unwrap();
                dawdle();
                open.write_all(&content).unwrap();
            }
            SaveMethod::Exchange => {
                fs::write(beside(".new"), &content).unwrap();
                renameat_with(CWD, beside(".new"), CWD, path, RenameFlags::EXCHANGE).unwrap();
                fs::remove_file(beside(".new")).unwrap();
            }
        }
    }
}

/// Long enough that a job comes in between, now and then.
fn dawdle() {
    for _ in 0..20 {
        thread::yield_now();
    }
}

/// Appends a line to one file after the other; every second client says on what content. Counts the applied edits.
fn edit_on(socket: &Path, client: usize, applied: &AtomicU64, done: &AtomicBool) {
    let mut connection: Option<Client> = None;
    let mut nth = 0_u64;
    let mut base = None;
    while !done.load(Ordering::Relaxed) {
        let Some(open) = connection.as_mut() else {
            connection = Client::connect(socket, &format!("client {client}")).ok();
            if connection.is_none() {
                wait::pause(Duration::from_millis(2));
            }
            continue;
        };
        nth += 1;
        let file = (nth as usize * 5 + client) % FILES;
        let edit = FileEdit {
            op: "insert".to_owned(),
            at: Some(EditPosition::End),
            text: Some(format!("E-{client}-{nth}\n")),
            ..FileEdit::default()
        };
        let base = base.take().or_else(|| client.is_multiple_of(2).then(|| "any".to_owned()));
        let entry =
            FileEntry { path: name(file).as_str().into(), base, edits: vec![edit], ..FileEntry::default() };
        let job = JobRequest { diff: Some(false), files: vec![entry], ..JobRequest::default() };
        match open.ask::<Receipt>(kind::EDIT, &job) {
            Ok(receipt) if receipt.status == JobStatus::Applied => {
                applied.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) => {}
            Err(RequestFailure::Lost(_)) => connection = None,
            Err(RequestFailure::Refused(error)) => panic!("client {client}: {error:?}"),
        }
    }
}

/// Prints the records of the journal that have lost tags in a changed range, although their contents cannot be rebuilt.
fn tell_where(daemon: &TestDaemon, lost: &[String]) {
    let lost: BTreeSet<&str> = lost.iter().filter_map(|line| line.split(' ').next()).collect();
    journal_contents::each(daemon, |told| {
        let EntryFile { entry, file, before, after } = told;
        for splice in &file.splices {
            let both = [&splice.old, &splice.new].map(|bytes| tags(bytes));
            for tag in both.iter().flatten().filter(|tag| lost.contains(tag.as_str())) {
                let rebuilt = (before.is_some(), after.is_some());
                println!(
                    "{tag} is in entry {} ({:?}, {:?}, {:?}), rebuilt: {rebuilt:?}",
                    entry.id.0, entry.kind, file.how, entry.label
                );
            }
        }
    });
}

struct FoundTags {
    journal: BTreeSet<String>,
    aside: BTreeSet<String>,
}

/// Every tag in the contents that outside changes left or replaced, as the journal rebuilds them, and in files that
/// were set aside.
fn kept_tags(daemon: &TestDaemon) -> FoundTags {
    let mut journal = BTreeSet::new();
    journal_contents::each(daemon, |told| {
        if told.entry.kind != EntryKind::External {
            return;
        }
        let rebuilt = [&told.before, &told.after].into_iter().flatten();
        journal.extend(rebuilt.flat_map(|bytes| tags(bytes)));
    });
    let mut aside = BTreeSet::new();
    for lost in fs::read_dir(daemon.workspace().join(".editd/lost")).unwrap() {
        aside.extend(tags(&fs::read(lost.unwrap().path()).unwrap()));
    }
    for slot in fs::read_dir(daemon.workspace().join(".editd/staging")).unwrap() {
        aside.extend(tags(&fs::read(slot.unwrap().path()).unwrap()));
    }
    FoundTags { journal, aside }
}

fn tags(bytes: &[u8]) -> BTreeSet<String> {
    String::from_utf8_lossy(bytes).lines().filter(|line| line.starts_with("W-")).map(str::to_owned).collect()
}

fn name(file: usize) -> String {
    format!("file {file}.txt")
}
