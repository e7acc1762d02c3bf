//! The limits of planning, with their reasons. Limits that the caller of a job must know are in `editd_types::limits`.

/// Number of bytes at the start of a file in which a NUL makes the file binary.
pub(crate) const BINARY_PROBE: usize = 8 * 1024;

/// Maximum number of places that the edits of one file entry change. A place takes 64 bytes during planning.
pub(crate) const PLACES: usize = 300_000;

/// Number of splices of one file above which neighbouring splices are joined, so that their overhead stays below
/// the size of the file.
pub(crate) const SPLICES: usize = 16_384;

/// Maximum number of bytes between two splices that are joined because there are more than [`SPLICES`].
pub(crate) const SPLICE_GAP: usize = 32;

/// Maximum size of a compiled regular expression, in bytes.
pub(crate) const REGEX_SIZE: usize = 1024 * 1024;

/// Maximum size of a pattern, in bytes. Compiling it takes a multiple of that.
pub(crate) const PATTERN: usize = 64 * 1024;

/// Maximum size of a pattern that is checked for wildcards that match a second start, in bytes. The check reads the
/// pattern again for each level of nesting.
pub(crate) const GUARDED_PATTERN: usize = 4 * 1024;

/// Maximum number of steps that the backtracking engine may take back in one search.
pub(crate) const BACKTRACKS: usize = 100_000;

/// Maximum number of such steps if the next match is far away: each place that the search passes takes a step, too.
/// The search takes a fraction of a second.
pub(crate) const FAR_BACKTRACKS: usize = 8_000_000;

/// Number of steps that a search is allowed at first. Most searches need fewer, and a search costs the steps that
/// it is allowed.
pub(crate) const FEW_BACKTRACKS: usize = 256;

/// Maximum number of steps that all searches of one job are allowed: seconds on a slow machine.
pub(crate) const BACKTRACK_STEPS: u64 = 128 * 1024 * 1024;

/// Number of bytes that are read in the time of one step.
pub(crate) const STEP_BYTES: usize = 32;

/// Maximum number of matches that the backtracking engine searches in one substitution.
pub(crate) const BACKTRACK_MATCHES: usize = 20_000;

/// Maximum number of bytes that the steps of one search read if a step matches a whole repetition: a fraction of a
/// second.
pub(crate) const BACKTRACK_WORK: usize = 64 * 1024 * 1024;

/// Maximum number of look-aheads of one pattern whose length is computed.
pub(crate) const AHEAD: usize = 32;

/// Maximum number of bytes that the regular expressions of one job read: seconds on a slow machine.
pub(crate) const REGEX_WORK: u64 = 512 * 1024 * 1024;

/// Maximum number of regular expressions of one job. Compiling one may take milliseconds.
pub(crate) const REGEXES: usize = 500;

/// Cost of compiling a pattern for one file, in bytes that regular expressions read.
pub(crate) const COMPILING: usize = 256 * 1024;

/// Maximum number of places of one hunk that are compared with those of the neighbouring hunks.
pub(crate) const HUNK_PLACES: usize = 1_000;

/// Maximum number of bytes that the stages of one job read and write. A path may be listed many times.
pub(crate) const STAGE_WORK: u64 = 8 * 1024 * 1024 * 1024;

/// Maximum size of the splices of one job in bytes, old and new. A copy or a deletion contains the whole file.
pub(crate) const CHANGE: usize = 512 * 1024 * 1024;

/// Maximum number of bytes that the edits of one job store in clipboards, including those that a later edit
/// overwrites.
pub(crate) const CLIPS: usize = 64 * 1024 * 1024;

/// Maximum size of all diffs of one job in bytes, so that its reply fits into a frame.
pub(crate) const DIFFS: u64 = 4 * 1024 * 1024;

/// Maximum number of refusals of one entry that have all details.
pub(crate) const EXPLAINED: usize = 100;

/// Maximum length of the message of each further refusal, in characters.
pub(crate) const BRIEFLY: usize = 200;

/// Maximum number of bytes that the literal searches of one job read: seconds on a slow machine.
pub(crate) const SEARCH_WORK: u64 = 8 * 1024 * 1024 * 1024;

/// Cost of reading a text for one frequent quotation, in searches of the text, since each match interrupts the
/// search.
pub(crate) const FREQUENT_PASSES: usize = 8;

/// Maximum number of steps of the fuzzy searches of one job. A step compares 64 pairs of characters; reading a byte
/// of the file counts as four steps. Seconds on a slow machine.
pub(crate) const LIKENESS_WORK: u64 = 1024 * 1024 * 1024;

/// Maximum length of a quoted text in a fuzzy search, in characters. Comparing it with one window of the file must
/// stay a small part of [`LIKENESS_WORK`], and its tables take 200 bytes for each character.
pub(crate) const FUZZY_QUOTE: usize = 64 * 1024;

/// Maximum number of windows of a file that are compared with one quoted text. Each takes 16 bytes until the search
/// ends.
pub(crate) const FUZZY_WINDOWS: usize = 250_000;

/// Maximum difference in similarity at which another window counts as good as the best one.
pub(crate) const FUZZY_TIE: f64 = 0.02;

/// Maximum number of bytes that the search for near misses reads in one job. It only serves a message.
pub(crate) const NEAREST_WORK: u64 = 16 * 1024 * 1024;

/// Maximum number of lines that the rungs of one job compare one by one, for quotations with many possible places:
/// one second.
pub(crate) const COMPARE_WORK: u64 = 16 * 1024 * 1024;

/// Maximum size of a window that is compared with the window before it, in bytes. The comparison costs as much as
/// that of one line.
pub(crate) const SAME_BYTES: usize = 512;

/// Maximum number of places of a chunk that are compared to explain why it was not found. The message names five.
pub(crate) const LOOKED_AT: usize = 64;

/// Cost of reading a file line by line, in literal searches of the file.
pub(crate) const SCOPE_PASSES: usize = 8;

/// Cost of one place of a line that is searched below another line, in bytes of literal searches. Each place is
/// looked up among the places of the other line.
pub(crate) const SCOPE_PLACE: usize = 4096;

/// Maximum number of bytes of text that is parsed for the symbol edits of one job: about ten seconds.
pub(crate) const PARSE_WORK: u64 = 64 * 1024 * 1024;

/// Number of steps of the parser (see `editd_syntax::ParseBudget`) that every file may take, however small.
pub(crate) const PARSE_STEPS: u64 = 5_000;

/// Number of bytes of a file for each further step. An ordinary text takes one step for about a hundred bytes, so a
/// job of many files that are hard to parse costs only a few times as much as one of ordinary files.
pub(crate) const PARSE_BYTES_PER_STEP: u64 = 8;

/// Number of steps of the parser for the new text of one edit, however short. A job may have thousands of edits.
pub(crate) const PART_STEPS: u64 = 1_000;

/// Cost of a blank line beside a symbol, in bytes of literal searches. Each blank line is checked separately.
pub(crate) const BLANK_LINE: usize = 1024;

/// Cost of listing one symbol if another symbol was not found, in bytes of literal searches.
pub(crate) const SYMBOL_LISTED: usize = 1024;

/// Maximum number of blank lines that an insertion beside a symbol copies from its neighbours.
pub(crate) const BLANK_LINES: usize = 8;

/// Maximum number of lines that the line diff holds and compares at once, of both sides. Longer contents are compared by
/// windows.
pub(crate) const DIFF_LINES: usize = 100_000;

/// Maximum work of the line diff of contents with more lines. A window takes the square of its lines that differ, with
/// which the time of the algorithm grows, and [`DIFF_LINE_WORK`] for each line. After it, the rest counts as one change.
pub(crate) const DIFF_WORK: u64 = 4_000_000_000;

/// The work of splitting and hashing one line of a window, in the unit of [`DIFF_WORK`].
pub(crate) const DIFF_LINE_WORK: u64 = 512;

/// Maximum size of the indentation that a mapping gives a line, in bytes. Converting steps of one space to steps of
/// eight multiplies the size of the text.
pub(crate) const INDENT: usize = 4096;

/// Maximum size of a quoted part of a text in a message, in bytes.
pub(crate) const EXCERPT: usize = 160;

/// Maximum size of each of the three texts of a conflict region, in bytes: about twenty lines, so that five regions
/// are a small part of a frame.
pub(crate) const REGION: usize = 1024;

/// Maximum number of blocks that the reply of a dialect describes in detail: a screen or two.
pub(crate) const BLOCKS_DETAILED: usize = 100;

/// Maximum number of clipboards that a reply names one by one, since a payload may fill thousands.
pub(crate) const CLIPBOARDS_LISTED: usize = 20;

/// Maximum length of a message about the JSON of a payload, in characters. It may quote the payload.
pub(crate) const JSON_MESSAGE: usize = 512;

/// Size of a symbol in a reply without its name, in bytes, with all of its numbers.
pub(crate) const SYMBOL_BYTES: usize = 256;

/// Maximum size of a name path that a refusal lists or an edit names, in bytes. Nobody types a longer one.
pub(crate) const SYMBOL_NAME: usize = 1024;

/// Number of bytes at the start of a file that are searched for a generator's comment. A licence may be above it.
pub(crate) const HEADER: usize = 8 * 1024;

/// Number of lines at the start of a file that are searched for such a comment.
pub(crate) const HEADER_LINES: usize = 100;

const _: () = assert!(editd_types::limits::FILE.saturating_mul(3) < u32::MAX as usize);

/// Maximum number of edits of a refused job that is planned again to find further failures. Each failure holds a
/// whole error, and many such jobs may be refused at once.
pub(crate) const REPLANNED_EDITS: usize = 1_000;
