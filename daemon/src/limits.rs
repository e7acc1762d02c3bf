//! Every limit of the daemon alone, with its reason; those that clients must know stand in
//! `editd_proto::limits`.

mod commands;
mod memory;
mod replies;
mod several;

use std::time::Duration;

pub use commands::*;
pub use memory::*;
pub use replies::*;
pub use several::*;

/// Jobs that wait or run at once; one more is `busy`.
pub const QUEUE: usize = 1024;

/// Jobs that run at once: enough that many clients share one flush.
pub const WORKERS: usize = 32;

/// Of those, the ones for which commands of the workspace may run: they take seconds, and wait for one another's turns;
/// the other jobs go on meanwhile.
pub const CALLING_WORKERS: usize = WORKERS / 2;
const _: () = assert!(RUNS <= CALLING_WORKERS && CALLING_WORKERS < WORKERS);

/// Open connections; one more is closed with `busy`.
pub const CONNECTIONS: usize = 256;

/// Requests of one connection that wait for their reply; the connection is not read beyond.
pub const PIPELINE: usize = 64;

/// Milliseconds in which a connection must have said `hello`.
pub const HELLO_MS: u64 = 10_000;

/// Milliseconds in which a frame that has begun must be whole, and a reply must be taken.
pub const FRAME_MS: u64 = 60_000;

/// Folders that are watched because files in them were read or written.
pub const WATCHED_FOLDERS: usize = 4096;

/// Bytes of a log segment.
pub const SEGMENT: u64 = 8 * 1024 * 1024;

/// Bytes of one record of the log, unpacked: what reading one back may cost. The largest job that a frame
/// can describe stays far below unless it rewrites more than half of this.
pub const RECORD: usize = 1 << 30;

/// Bytes from which a record is packed with zstd: below, packing takes longer than the write that it saves.
pub const PACK: usize = 16 * 1024;

/// Bytes of a row in the database; larger values stay in the log.
pub const ROW: usize = 4096;

/// Changed rows that wait above the database: what the next opening may have to apply again, and memory.
pub const OVERLAY_ROWS: usize = 256;

/// Bytes of the same.
pub const OVERLAY_BYTES: usize = 1024 * 1024;

/// Rows in one batch of the database. sled keeps every version of a page that a batch goes through until
/// the batch ends: 256 rows were seen to cost 35 MB, 8192 rows 335 MB, and to be no slower.
pub const DATABASE_BATCH: usize = 256;

/// Changed rows that are gathered while the database is rebuilt: what changes again soon is written once.
pub const REPLAY_ROWS: usize = 4096;

/// Contents that wait to be written, and their bytes; one more is not kept.
pub const CONTENTS_WAITING: usize = 256;
/// See [`CONTENTS_WAITING`].
pub const CONTENTS_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// How long the next contents wait once some were written, milliseconds: where jobs follow each other on one file, the
/// last of them is written.
pub const CONTENTS_MS: u64 = 100;

/// Milliseconds for which a client's key, and the receipt of a job without an entry, outlive their
/// segment: a day, as promised.
pub const KEY_MS: u64 = 24 * 60 * 60 * 1000;

/// Receipts for files that one session keeps; the oldest go first.
pub const SEEN_OF_SESSION: usize = 10_000;

/// Receipts for files that are kept in all.
pub const SEEN: usize = 50_000;

/// Bytes below which a database is never moved into a fresh folder, however little of it lives.
pub const DATABASE_SMALL: u64 = 64 * 1024 * 1024;

/// How many times what lives in it a database may hold before it is moved.
pub const DATABASE_SLACK: u64 = 4;

/// Milliseconds after which a `relaxed` job is flushed at the latest.
pub const RELAXED_MS: u64 = 50;

/// Bytes of one name in a path (`NAME_MAX` of Unix systems): a longer one could never be made.
pub const COMPONENT: usize = 255;

/// Links that one path may pass through.
pub const LINKS: usize = 40;

/// Bytes of `.editd.toml`.
pub const CONFIG: usize = 1024 * 1024;

/// Bytes of requests that wait or run at once, over all connections, as what they take once they are decoded; one more is
/// `busy`. A single request always fits.
pub const QUEUE_BYTES: usize = 64 * 1024 * 1024;

/// Connections that wait to be accepted: a burst of clients that start at once.
pub const BACKLOG: i32 = 1024;

/// Milliseconds that a starting daemon waits for one that is just leaving, or loses to one just coming.
pub const CLAIM_MS: u64 = 10_000;

/// Bytes of replies and events that one connection may leave unread before no more of its requests are
/// read, and events give way to one `overflow`.
pub const OUTBOX: usize = 1024 * 1024;

/// Bytes of replies that wait to be taken, over all connections; beyond it a reading request is `busy`.
pub const OUTGOING: usize = 128 * 1024 * 1024;

/// Bytes of the reply to a job where [`OUTGOING`] is reached: enough for most without their diffs.
pub const BRIEF: usize = 64 * 1024;
const _: () = assert!(BRIEF * QUEUE <= OUTGOING);

/// Bytes of a frame above which it is large: few of those arrive at once, others wait their turn.
pub const LARGE: usize = 1024 * 1024;

/// Files in one page of the journal: each takes some ten of the values that a message may hold.
pub const FILES_LISTED: usize = 40_000;

/// Entries that the entries of one page may name as those that they took back or brought back.
pub const OF_LISTED: usize = 50_000;

/// Large frames that arrive at once.
pub const LARGE_FRAMES: usize = 8;

/// How long nothing of a large frame may arrive, milliseconds: others wait for its place.
pub const LARGE_MS: u64 = 5_000;

/// Subscriptions of one connection.
pub const CONNECTION_SUBSCRIPTIONS: usize = 16;

/// Milliseconds that `wait` waits at most.
pub const WAIT_MS: u64 = 60 * 60 * 1000;

/// Milliseconds that a connection is listened to after it was told why it is closed, so that it reads that
/// before it notices the closing.
pub const LINGER_MS: u64 = 1000;

/// Refused connections that are listened to at once; more are closed at once.
pub const LINGERING: usize = 32;

const _: () =
    assert!(FILES_LISTED * 12 + OF_LISTED + 32 * editd_proto::limits::HISTORY < editd_proto::limits::VALUES);
const _: () = assert!(LARGE_FRAMES * editd_proto::limits::FRAME <= OUTGOING);
const _: () = assert!(QUEUE_BYTES >= editd_proto::limits::FRAME && OUTBOX < OUTGOING);

/// Paths with recent events that wait to be looked at; more is an overflow.
pub const WATCH_PENDING: usize = 32_768;

/// Milliseconds without an event after which a path is looked at: editors write in bursts.
pub const WATCH_QUIET_MS: u64 = 20;

/// Milliseconds after which a path is looked at though events go on.
pub const WATCH_LATEST_MS: u64 = 200;

/// Paths of which it is remembered what subscribers were told last.
pub const WATCH_ECHOES: usize = 4096;

/// Folders that are watched because of subscriptions; Linux grants a user 8,192 watches at the least.
pub const SUBSCRIBED_FOLDERS: usize = 65_536;

/// Subscriptions at once, over all connections.
pub const SUBSCRIPTIONS: usize = 1024;

/// Globs of one subscription.
pub const GLOBS: usize = 64;

/// Bytes of the same, in all: compiled they take a hundred times that.
pub const GLOBS_BYTES: usize = 8 * 1024;

/// Bytes of one glob.
pub const GLOB: usize = 1024;

/// Bytes of one `.gitignore`; a larger one is not obeyed.
pub const IGNORE_FILE: usize = 1024 * 1024;

/// Bytes of all files that one job reads; a reader of a larger job would cost the machine its memory.
pub const JOB_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of the payload of another tool, where the configuration says nothing else: what those tools take. It is
/// stated in bytes where one is refused.
pub const PAYLOAD: usize = 1024 * 1024;

/// Bytes of a text above which it is parsed for one reader or job at a time: at the dearest it takes three thousand times
/// its size, and all workers may parse at once. An ordinary one of this size takes ten milliseconds.
pub const PARSED_AT_ONCE: usize = 32 * 1024;

/// Readers that wait for their turn to parse: each has a thread, which jobs need as well.
pub const READERS_IN_LINE: usize = 8;

/// Milliseconds for which a reader or a job waits for its turn: some parses at the slowest.
pub const PARSE_WAIT_MS: u64 = 5000;

/// Milliseconds that a refusal may take to ask the journal why a text is not there: less than anybody notices.
pub const WHY_MS: u64 = 20;

/// Entries that are asked; a change that lies further back explains little.
pub const WHY_ENTRIES: usize = 64;

/// Bytes that this may read and rebuild: what fits into [`WHY_MS`] at the speed of memory.
pub const WHY_BYTES: usize = 64 * 1024 * 1024;

/// Entries that one job or undo takes back in thought to find earlier contents of files: some ten milliseconds, and
/// a content that lies further back is read again sooner than merged.
pub const PAST_ENTRIES: usize = 1024;

/// Bytes that this may read and rebuild: half a second at the slowest.
pub const PAST_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of others' changes that the reply to a rebased file shows.
pub const THEIRS_SHOWN: usize = 500;

/// Lines between a change of others and an edit within which the reply shows it.
pub const THEIRS_NEAR: u64 = 8;

/// Edits of one job for which the journal is asked why.
pub const WHY_EDITS: usize = 3;

/// Milliseconds for which a sealed entry rests before it is settled: what a burst of jobs leaves is then
/// flushed once, and it is the grace time where no lease tells whether a displaced file has a writer.
pub const SETTLE_AFTER_MS: u64 = 1000;

/// Milliseconds without a new job after which settling begins: in a burst it would be in the jobs' way.
pub const SETTLE_PAUSE_MS: u64 = 250;

/// Milliseconds after which settling begins although the burst goes on.
pub const SETTLE_LATEST_MS: u64 = 10_000;

/// The longest pause between two looks at a displaced file that somebody still has open, milliseconds.
pub const SETTLE_RETRY_MS: u64 = 60_000;

/// Entries that may wait to be settled; a job that would be one more settles first.
pub const UNSETTLED: usize = 4096;

/// Files that are held open until they are flushed: a quarter of what most systems let a process open.
pub const HELD: usize = 256;

/// Files whose flush has failed that are remembered, more than one job has; beyond them no file is trusted any more.
pub const DOUBTED: usize = 16_384;
const _: () = assert!(DOUBTED > editd_proto::limits::FILES);

/// Seconds after its last change in which a file's own bytes may not have reached the disk yet (Linux writes
/// back after 30): an intent on so young a file carries all of it.
pub const YOUNG_S: u64 = 60;

/// Bytes above which a young file is flushed instead of carried in the intent.
pub const YOUNG_BYTES: u64 = 1024 * 1024;

/// Paths whose last seen content is remembered in memory.
pub const KNOWN_PATHS: usize = 16_384;

/// Bytes of a file whose outside change is journaled whole; of a larger one only the hashes are.
pub const EXTERNAL_BYTES: usize = 16 * 1024 * 1024;

/// Milliseconds for which a file in `.editd/lost` is kept: 30 days.
pub const LOST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Files set aside on other mounts that are remembered, in memory; a later start finds more.
pub const LOST_BESIDE: usize = 10_000;

/// Entries that one undo takes back.
pub const UNDO: usize = 1000;
/// Times that one step of a path is taken again because another process changed it meanwhile.
pub const RESOLVE_AGAIN: usize = 32;
// A position keeps 36 bits for the offset in a segment; a group is at most a handful of records.
const _: () = assert!((RECORD as u64) < 1 << 34 && SEGMENT < 1 << 34);

/// Jobs after which the journal is pruned though more are coming.
pub const UPKEEP_JOBS: u32 = 1000;

/// Milliseconds without a job after which the journal is pruned.
pub const UPKEEP_AFTER_MS: u64 = 60_000;

/// Milliseconds between two checks of the workspace's folder: a daemon whose folder is gone exits within seconds, and
/// one system call in two seconds costs nothing.
pub const FOLDER_MS: u64 = 2000;

/// Milliseconds after which a renewed receipt is flushed: a power cut costs its session one more read.
pub const RECEIPT_MS: u64 = 1000;

/// Milliseconds after an outline in which the memory that it took is given back.
pub const REST_MS: u64 = 1000;

/// Hints that wait to be looked at; one more is an overflow.
pub const HINTS: usize = 1024;

/// Threads that wait for sockets: they never run a job.
pub const IO_THREADS: usize = 2;

/// Threads beside the workers for requests that are no jobs.
pub const READERS: usize = 16;

/// Bytes of a thread's stack. Only what is used costs memory.
pub const STACK: usize = 2 * 1024 * 1024;

/// Milliseconds in which a reply must be taken once the daemon is to stop: it leaves without who does not.
pub const PARTING_MS: u64 = 5000;

const _: () = assert!(PARTING_MS < FRAME_MS);

/// Commands of the workspace that run at once, where the machine has as many cores: more would only wait for one
/// another.
pub const RUNS: usize = 8;

/// Processes of one command at once: a parallel linter has one for each core; a fork bomb has more in no time.
pub const RUN_PROCESSES: usize = 256;

/// Milliseconds between two looks at what a command has taken: at the speed of memory some tens of megabytes.
pub const RUN_LOOK_MS: u64 = 20;

/// A supervisor rests this many times as long as it looked, so that it does not cost much where the machine has many
/// processes.
pub const RUN_LOOK_SHARE: u32 = 4;

/// Milliseconds between two looks at the most: on a busy machine a look takes long, and a fork bomb is why.
pub const RUN_LOOK_LATEST_MS: u64 = 60;

/// Milliseconds for which a supervisor tries to end what will not end.
pub const RUN_KILL_MS: u64 = 5000;

/// Milliseconds more after which the daemon gives a supervisor up.
pub const RUN_SPARE_MS: u64 = 5000;

/// How far below the daemon commands stand in priority: its supervisor must get its turn beside a fork bomb.
pub const RUN_NICE: i32 = 10;

/// Files that a command may have open, where it does not raise that itself: what most systems begin with.
pub const RUN_FILES: u64 = 1024;

/// Bytes of one file that a command writes: sixteen times the largest that can be edited.
pub const RUN_FILE_BYTES: u64 = 1 << 30;

/// How much memory the system lets a single process ask for, as a multiple of what all may have: some programs ask
/// for much and use little. The resident memory decides; this holds where it grows faster than it is looked at.
pub const RUN_DATA_FACTOR: u64 = 4;

/// Bytes of memory that a command may have in any case: less, and no interpreter starts.
pub const RUN_MEMORY_LEAST: u64 = 16 * 1024 * 1024;

/// How long all validators of one job may take: its client waits, and its files are held.
pub const CHECK_TIME: Duration = Duration::from_secs(120);

/// Runs of validators for one job: once for each file of a large one.
pub const CHECK_RUNS: usize = 2000;

/// Errors of one file that are told as doubtful: where a grammar does not know what stands there, it says so often.
pub const SYNTAX_DOUBTS: usize = 3;

/// Bytes of text, old and new, that the built-in check of syntax looks at for one job: some ten seconds.
pub const SYNTAX_BYTES: usize = 64 * 1024 * 1024;

/// Issues that are read out of one run, so that those of two contents can be compared; a receipt has fewer.
pub const ISSUES_READ: usize = 5000;

/// Issues in one receipt, over all its files: a frame holds as many of the longest.
pub const RECEIPT_ISSUES: usize = 1000;

/// Warnings of validators in one receipt; a job of many files may have as many as files.
pub const CHECK_WARNINGS: usize = 100;

/// Characters of an issue's message: a few lines.
pub const ISSUE_MESSAGE: usize = 600;

/// Lines that are shown of a validator that said nothing that could be read.
pub const OUTPUT_LINES: usize = 5;
