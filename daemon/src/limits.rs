//! Every limit of the daemon, with its reason. Limits that clients must know are in `editd_proto::limits`.

mod checks;
mod commands;
mod database;
mod memory;
mod notes;
mod past;
mod replies;
mod settings;
mod several;
mod shares;
mod supervisor;
mod watching;

use std::time::Duration;

pub use checks::*;
pub use commands::*;
pub use database::*;
pub use memory::*;
pub use notes::*;
pub use past::*;
pub use replies::*;
pub use settings::*;
pub use several::*;
pub use shares::*;
pub use supervisor::*;
pub use watching::*;

/// Names of the workspace's folder in one payload: its own, that of the daemon's start, and others through links.
pub const ROOT_NAMES: usize = 6;

/// Jobs that wait or run at once; one more is `busy`.
pub const QUEUE: usize = 1024;

/// Jobs that run at once: enough that many clients share one flush.
pub const WORKERS: usize = 32;

/// The number of those that may run commands of the workspace: such jobs take seconds, and wait for each other; the
/// other jobs continue meanwhile.
pub const CALLING_WORKERS: usize = WORKERS / 2;
const _: () = assert!(RUNS <= CALLING_WORKERS && CALLING_WORKERS < WORKERS);

/// Open connections; one more is sent `busy` and closed.
pub const CONNECTIONS: usize = 256;

/// Requests of one connection that wait for their reply; no more are read from it.
pub const PIPELINE: usize = 64;

/// Milliseconds in which a connection must send `hello`.
pub const HELLO_MS: u64 = 10_000;

/// Milliseconds in which a frame that has begun must be complete, and a reply must be read.
pub const FRAME_MS: u64 = 60_000;

/// Folders that are watched because files in them were read or written.
pub const WATCHED_FOLDERS: usize = 4096;

/// Bytes of a log segment.
pub const SEGMENT: u64 = 8 * 1024 * 1024;

/// Bytes of a segment that are reserved for the records that end one running job, so that a full disk cannot stop it
/// between its intent and its seal. They include the unused rest of two blocks.
pub const RESERVE_JOB: u64 = 12 * 1024;
/// Bytes that are reserved in addition for each file of the job; twice the length of its path is added.
pub const RESERVE_FILE: u64 = 768;
/// Bytes that are reserved for starts: sixteen on a full disk, since each takes a block of 4 KiB.
pub const RESERVE_STARTS: u64 = 64 * 1024;

/// Bytes of one record of the log, unpacked, which limits the cost of reading one. The largest job that fits a frame
/// is far below, unless it rewrites more than half of this.
pub const RECORD: usize = 1 << 30;

/// Bytes from which a record is packed with zstd: below, packing takes longer than the write that it saves.
pub const PACK: usize = 16 * 1024;

/// Bytes of a row in the database; larger values stay in the log.
pub const ROW: usize = 4096;

/// Contents that wait to be written, and their bytes; further ones are not kept.
pub const CONTENTS_WAITING: usize = 256;
/// See [`CONTENTS_WAITING`].
pub const CONTENTS_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of the blocks in which the size of kept contents is counted: most file systems give a small file one of these. It
/// also bounds the table of kept contents in memory, of some 100 bytes for each: 6.5 MB for 256 MiB of contents.
pub const CONTENTS_BLOCK: u64 = 4096;

/// Milliseconds for which further contents wait at least after some were written: if jobs follow each other on one file,
/// only the last of them is written.
pub const CONTENTS_MS: u64 = 100;

/// Bytes of written contents for which further ones wait a millisecond: a thread that packs one large content after the
/// other would take a whole processor.
pub const CONTENTS_BYTES_PER_MS: usize = 25_000;

/// Milliseconds for which a client's key, and the receipt of a job without an entry, are kept beyond their segment: a
/// day, as promised.
pub const KEY_MS: u64 = 24 * 60 * 60 * 1000;

/// The same if the log would otherwise exceed its limit: the first of these with which it can be shortened. A client that
/// lost the connection repeats its request within seconds.
pub const KEYS_MS: [u64; 4] = [KEY_MS, 60 * 60 * 1000, 10 * 60 * 1000, 60 * 1000];

/// Milliseconds for which a request waits until the log has room: no edit waits longer than 100 ms for housekeeping.
pub const ROOM_MS: u64 = 50;

/// Milliseconds for which one of many steps of retention lets requests go first. A step reads or writes one record, or
/// removes a few entries.
pub const RETENTION_YIELDS: usize = 10;

/// Read receipts that are kept for one session; the oldest are removed first.
pub const SEEN_OF_SESSION: usize = 10_000;

/// Read receipts that are kept in all.
pub const SEEN: usize = 50_000;

/// Milliseconds for which the paths of a job stay resolved between the search for its lanes and its first attempt.
pub const RESOLVED_MS: u64 = 2;

/// Milliseconds after which a `relaxed` job is flushed at the latest.
pub const RELAXED_MS: u64 = 50;

/// Bytes of one name in a path (`NAME_MAX` of Unix systems): a longer one cannot be created.
pub const COMPONENT: usize = 255;

/// Links that one path may pass through.
pub const LINKS: usize = 40;

/// Bytes of extended attributes of one removed file that the journal records, names and values together. The kernel
/// limits one value to as many.
pub const FILE_ATTRIBUTES: usize = 64 * 1024;

/// Bytes of extended attributes that the journal records for all files that one job removes.
pub const JOB_ATTRIBUTES: usize = 4 * 1024 * 1024;

/// Bytes of `.editd.toml`.
pub const CONFIG: usize = 1024 * 1024;

/// Bytes of requests that wait or run at once, over all connections, by the memory they take once they are decoded;
/// one more is `busy`. One request that is larger than a share of this ([`LARGE_SHARE`]) fits beside them.
pub const QUEUE_BYTES: usize = 64 * 1024 * 1024;

/// Milliseconds that a starting daemon waits for one that is stopping, or for one that started before it.
#[cfg(unix)]
pub const CLAIM_MS: u64 = 10_000;

/// The most milliseconds that a flush of the log waits for jobs that are about to need one.
pub const GATHER_MS: u64 = 2;

/// Bytes of replies and events that one connection may leave unread. Beyond that, no further request of it is read,
/// and events are replaced by one `overflow`.
pub const OUTBOX: usize = 1024 * 1024;

/// Bytes of unread replies over all connections; beyond that a reading request is `busy`.
pub const OUTGOING: usize = 128 * 1024 * 1024;

/// Bytes of the reply to a job once [`OUTGOING`] is reached: enough for most without their diffs.
pub const BRIEF: usize = 64 * 1024;
const _: () = assert!(BRIEF * QUEUE <= OUTGOING);

/// Bytes of a frame above which it counts as large: only a few of those arrive at once, others wait.
pub const LARGE: usize = 1024 * 1024;

/// Files in one page of the journal: each takes about ten of the values that a message may have.
pub const FILES_LISTED: usize = 40_000;

/// Entries that the entries of one page may name as undone or redone.
pub const OF_LISTED: usize = 50_000;

/// Large frames that arrive at once.
pub const LARGE_FRAMES: usize = 8;

/// Milliseconds for which nothing of a large frame may arrive: others wait for its place.
pub const LARGE_MS: u64 = 5_000;

/// Subscriptions of one connection.
pub const CONNECTION_SUBSCRIPTIONS: usize = 16;

/// The longest time of `wait`, in milliseconds.
pub const WAIT_MS: u64 = 60 * 60 * 1000;

/// Milliseconds for which a connection is still read after it was sent the reason for closing it, so that the client
/// reads the reason before it notices the end.
pub const LINGER_MS: u64 = 1000;

/// Milliseconds after which the clients that connect during a start are told that it takes longer. Until then they wait to
/// be served.
pub const STARTING_MS: u64 = 300;

/// The interval at which a long start reports its progress, in milliseconds.
pub const START_REPORT_MS: u64 = 2000;

/// Refused connections that are still read. If there are as many, a further connection above [`CONNECTIONS`] waits for
/// its error, and one that is refused for another reason is closed at once.
pub const LINGERING: usize = 32;

const _: () =
    assert!(FILES_LISTED * 12 + OF_LISTED + 32 * editd_proto::limits::HISTORY < editd_proto::limits::VALUES);
const _: () = assert!(LARGE_FRAMES * editd_proto::limits::FRAME <= OUTGOING);
const _: () = assert!(QUEUE_BYTES >= editd_proto::limits::FRAME && OUTBOX < OUTGOING);

/// Bytes of all files that one job reads; a larger job would take too much of the machine's memory.
pub const JOB_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of the payload of another tool, if the configuration sets no limit: as much as those tools accept. A refusal
/// states it in bytes.
pub const PAYLOAD: usize = 1024 * 1024;

/// Bytes of a text above which it is parsed for one reader or job at a time: in the worst case parsing takes three
/// thousand times its size, and all workers may parse at once. A typical text of this size takes ten milliseconds.
pub const PARSED_AT_ONCE: usize = 32 * 1024;

/// Readers that wait for their turn to parse, half of them of one session: each has a thread, which jobs need as well.
pub const READERS_IN_LINE: usize = 8;

/// Milliseconds for which a reader or a job waits for its turn: a few of the slowest parses.
pub const PARSE_WAIT_MS: u64 = 5000;

/// Milliseconds of a parse after which freed memory is returned to the system at once: it took many megabytes.
pub const PARSE_LONG_MS: u64 = 50;

/// Moves of one file after another that a refusal follows.
pub const MOVES: usize = 8;

/// Milliseconds that a refusal may take to ask the journal why a text is missing: too few to be noticed.
pub const WHY_MS: u64 = 20;

/// Entries that it may examine; an older change explains little.
pub const WHY_ENTRIES: usize = 64;

/// Bytes that it may read and rebuild: as much as memory bandwidth allows in [`WHY_MS`].
pub const WHY_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of changes by other sessions that the reply to a rebased file shows.
pub const THEIRS_SHOWN: usize = 500;

/// The distance in lines from an edit within which such changes are shown.
pub const THEIRS_NEAR: u64 = 8;

/// Edits of one job for which the journal is asked.
pub const WHY_EDITS: usize = 3;

/// Milliseconds between sealing and settling an entry, so that the files of a burst of jobs are flushed once. It is
/// also the grace time on systems where no lease tells whether a displaced file has a writer.
pub const SETTLE_AFTER_MS: u64 = 1000;

/// Milliseconds without a new job after which settling begins: in a burst it would delay the jobs.
pub const SETTLE_PAUSE_MS: u64 = 250;

/// Milliseconds after which settling begins although the burst continues.
pub const SETTLE_LATEST_MS: u64 = 10_000;

/// The longest pause between two checks of a displaced file that is still open, in milliseconds.
pub const SETTLE_RETRY_MS: u64 = 60_000;

/// Entries that may wait to be settled; a job that would add one more settles first.
pub const UNSETTLED: usize = 4096;

/// Entries that are settled together: their files and folders are flushed once. A job at the limit of [`UNSETTLED`] waits for
/// one such batch.
pub const SETTLE_BATCH: usize = 256;

/// Files that are kept open until they are flushed: a quarter of the usual limit of open files.
pub const HELD: usize = 256;

/// Files with a failed flush that are remembered, more than one job has; beyond that no file is trusted.
pub const DOUBTED: usize = 16_384;
const _: () = assert!(DOUBTED > editd_proto::limits::FILES);

/// Seconds after a file's last change in which its bytes may not have reached the disk yet (Linux writes back after
/// 30): an intent on so young a file stores the whole file.
pub const YOUNG_S: u64 = 60;

/// Bytes above which a young file is flushed instead of stored in the intent.
pub const YOUNG_BYTES: u64 = 1024 * 1024;

/// Paths whose last known file is kept in memory.
pub const KNOWN_PATHS: usize = 16_384;

/// Paths of the journal whose last states are read from it at once: this bounds the memory, while each entry of a page is
/// read once.
pub const PATHS_RECALLED: usize = 1024;
const _: () = assert!(PATHS_RECALLED < KNOWN_PATHS);

/// Files that an undo to a mark names because they could not be compared.
pub const UNCLEAR_FILES: usize = 20;

/// Bytes of a file up to which an external change is journaled whole; for a larger one only the hashes are.
pub const EXTERNAL_BYTES: usize = 16 * 1024 * 1024;

/// Milliseconds for which a file in `.editd/lost` is kept: 30 days.
pub const LOST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Names that are read to find the hard links of the files that a job changes, or of one that an undo makes again.
pub const LINK_NAMES: usize = 200_000;

/// Files whose hard links are remembered.
pub const LINKED_FILES: usize = 1024;

/// Files that were set aside and are kept, the newest; other programs that move files while jobs change them can make
/// hundreds in a second.
pub const LOST_FILES: usize = 1000;

/// Bytes of these files, so that they fill no disk. The newest one is kept whatever its size.
pub const LOST_BYTES: u64 = 256 * 1024 * 1024;

/// Files that are set aside before the limits are checked again: that lists the folder.
pub const LOST_UNCHECKED: usize = 64;

/// Files set aside on other mounts that are remembered, in memory; a later start finds more.
pub const LOST_BESIDE: usize = 10_000;

/// Entries that one undo may undo: their records are read one by one within the memory of a job, in a few seconds.
pub const UNDO: usize = 20_000;
const _: () = assert!(UNDO < OF_LISTED);

/// Entries, files and references in which an undo searches for entries that were undone already: 100 MB in the worst case,
/// some 20 MB for most journals. If there are more, all entries count.
pub const REVERTED_SOUGHT: usize = 400_000;

/// The number of times that one step of a path is repeated because another process changed it meanwhile.
pub const RESOLVE_AGAIN: usize = 32;
// A position has 36 bits for the offset in a segment; a group has at most a handful of records.
const _: () = assert!((RECORD as u64) < 1 << 34 && SEGMENT < 1 << 34);

/// Jobs after which the journal is pruned although more arrive.
pub const UPKEEP_JOBS: u32 = 1000;

/// Milliseconds without a job after which the journal is pruned.
pub const UPKEEP_AFTER_MS: u64 = 60_000;

/// Milliseconds from the start of the daemon to the first check of its log: later than the first requests.
pub const LOG_CHECK_AFTER_MS: u64 = 5000;

/// Milliseconds between two checks of the log. Data that rots takes weeks; a check of 1 GiB takes half a minute.
pub const LOG_CHECK_MS: u64 = 6 * 60 * 60 * 1000;

/// Milliseconds between two segments of a check, so that it reads at most 32 MiB in a second.
pub const LOG_CHECK_PAUSE_MS: u64 = 250;

/// Milliseconds between two checks of the paths of the workspace and the socket: a daemon whose folder or socket is gone
/// exits within seconds, and a few system calls in two seconds cost nothing.
pub const FOLDER_MS: u64 = 2000;

/// Milliseconds after which a renewed receipt is flushed: a power cut costs its session one more read.
pub const RECEIPT_MS: u64 = 1000;

/// Milliseconds after an outline, or after the end of idle threads, after which their memory is returned to the system.
pub const REST_MS: u64 = 1000;

/// Milliseconds without work after which a thread ends, since each keeps some memory.
pub const IDLE_THREAD_MS: u64 = 5000;

/// Hints that wait to be handled; one more is an overflow.
pub const HINTS: usize = 1024;

/// Threads that wait for sockets. One that works on a request itself is replaced by another thread meanwhile.
pub const IO_THREADS: usize = 2;

/// Threads in addition to the workers, for requests that are not jobs.
pub const READERS: usize = 16;

/// Bytes of a thread's stack. Only the used part takes memory.
pub const STACK: usize = 2 * 1024 * 1024;

/// Milliseconds in which a reply must be read while the daemon stops; slower clients lose it.
pub const PARTING_MS: u64 = 5000;

const _: () = assert!(PARTING_MS < FRAME_MS);

/// Commands of the workspace that run at once, if the machine has as many cores: more would only slow each other
/// down.
pub const RUNS: usize = 8;

/// The lowest memory limit of a command in bytes: no interpreter starts with less.
pub const RUN_MEMORY_LEAST: u64 = 16 * 1024 * 1024;

/// The time that all validators of one job may take: its client waits, and its files are locked.
pub const CHECK_TIME: Duration = Duration::from_secs(120);

/// The number of validator runs for one job: once for each file of a large job.
pub const CHECK_RUNS: usize = 2000;

/// Doubtful errors that are reported for one file: a grammar that does not know a construct reports many.
pub const SYNTAX_DOUBTS: usize = 3;

/// Bytes of text, old and new, that the built-in check of syntax examines for one job: some ten seconds.
pub const SYNTAX_BYTES: usize = 64 * 1024 * 1024;

/// Issues that are parsed from one run, so that those of two contents can be compared; a receipt has fewer.
pub const ISSUES_READ: usize = 5000;

/// Issues in one receipt, over all its files: as many of the longest as fit a frame.
pub const RECEIPT_ISSUES: usize = 1000;

/// Warnings of validators in one receipt; a job with many files may have one for each file.
pub const CHECK_WARNINGS: usize = 100;
