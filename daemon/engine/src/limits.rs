//! The limits that only planning has, with their reasons; limits that clients must know are in
//! `editd_types::limits`.

/// Bytes from the start of a file in which a NUL makes it binary.
pub(crate) const BINARY_PROBE: usize = 8 * 1024;

/// Places that the edits of one file entry may touch: a place costs 64 bytes while it is planned.
pub(crate) const PLACES: usize = 300_000;

/// Splices of one file above which neighbours are joined, so that their overhead stays below the file's size.
pub(crate) const SPLICES: usize = 16_384;

/// Bytes between two splices up to which they are joined if there are more than [`SPLICES`].
pub(crate) const SPLICE_GAP: usize = 32;

/// Bytes of a compiled regular expression.
pub(crate) const REGEX_SIZE: usize = 1024 * 1024;

/// Bytes of a pattern: compiling costs a multiple of it.
pub(crate) const PATTERN: usize = 64 * 1024;

/// Bytes of a pattern that is checked for wildcards that swallow a second start: each level of it is walked anew.
pub(crate) const GUARDED_PATTERN: usize = 4 * 1024;

/// Steps that the backtracking engine may take back in one search.
pub(crate) const BACKTRACKS: usize = 100_000;

/// The same if the next match is far away: each place passed on the way takes a step, too. A fraction of a second.
pub(crate) const FAR_BACKTRACKS: usize = 8_000_000;

/// Steps that a search begins with: most need fewer, and the steps allowed are the steps that it costs.
pub(crate) const FEW_BACKTRACKS: usize = 256;

/// Steps that all searches of one job may be allowed: seconds at the slowest.
pub(crate) const BACKTRACK_STEPS: u64 = 128 * 1024 * 1024;

/// Bytes that are read in the time of one step.
pub(crate) const STEP_BYTES: usize = 32;

/// Matches that the backtracking engine may be asked for in one substitution.
pub(crate) const BACKTRACK_MATCHES: usize = 20_000;

/// Bytes that the steps of one search may read if a step runs a whole repetition. A fraction of a second.
pub(crate) const BACKTRACK_WORK: usize = 64 * 1024 * 1024;

/// Look-ahead of one pattern whose reach is measured.
pub(crate) const AHEAD: usize = 32;

/// Bytes that the regular expressions of one job may look at: seconds at the slowest.
pub(crate) const REGEX_WORK: u64 = 512 * 1024 * 1024;

/// Regular expressions of one job: compiling one may take milliseconds.
pub(crate) const REGEXES: usize = 500;

/// The cost of compiling a pattern for one file, in bytes that regular expressions look at.
pub(crate) const COMPILING: usize = 256 * 1024;

/// Places of one hunk that are compared with those of the hunks beside it.
pub(crate) const HUNK_PLACES: usize = 1_000;

/// Bytes of content that the stages of one job may read and write anew: a path may be listed many times.
pub(crate) const STAGE_WORK: u64 = 8 * 1024 * 1024 * 1024;

/// Bytes that the splices of one job may hold, old and new: a copy or a deletion holds the whole file.
pub(crate) const CHANGE: usize = 512 * 1024 * 1024;

/// Bytes that the edits of one job may store in clipboards, all stores counted.
pub(crate) const CLIPS: usize = 64 * 1024 * 1024;

/// Bytes that the diffs of one job may have in all, so that its reply fits into a frame.
pub(crate) const DIFFS: u64 = 4 * 1024 * 1024;

/// Refusals of one entry that are explained in full.
pub(crate) const EXPLAINED: usize = 100;

/// Characters of the message of each further refusal.
pub(crate) const BRIEFLY: usize = 200;

/// Bytes that the literal searches of one job may look at: seconds at the slowest.
pub(crate) const SEARCH_WORK: u64 = 8 * 1024 * 1024 * 1024;

/// The cost of reading a text for one frequent quotation, in searches of the text: each hit stops the search.
pub(crate) const FREQUENT_PASSES: usize = 8;

/// Steps that the fuzzy searches of one job may take: a step compares 64 pairs of characters, and reading a byte of
/// the file counts as four. Seconds at the slowest.
pub(crate) const LIKENESS_WORK: u64 = 1024 * 1024 * 1024;

/// Characters of a quoted text that is searched by likeness: comparing it with one window of the file must stay a
/// small part of [`LIKENESS_WORK`], and its tables take 200 bytes for each.
pub(crate) const FUZZY_QUOTE: usize = 64 * 1024;

/// Windows of a file that are compared with one quoted text: each takes 16 bytes until the best is known.
pub(crate) const FUZZY_WINDOWS: usize = 250_000;

/// The difference in likeness up to which another window counts as good as the best one.
pub(crate) const FUZZY_TIE: f64 = 0.02;

/// Bytes of file text that the search for near misses of one job may look at: it serves a message only.
pub(crate) const NEAREST_WORK: u64 = 16 * 1024 * 1024;

/// Lines that the rungs of one job may compare one by one, for a quotation with many possible places: a second
/// at most.
pub(crate) const COMPARE_WORK: u64 = 16 * 1024 * 1024;

/// Bytes of a window with the same text as the one before: detecting that costs as much as comparing one line.
pub(crate) const SAME_BYTES: usize = 512;

/// Places of a chunk that are compared to explain why it was not found: the message names five.
pub(crate) const LOOKED_AT: usize = 64;

/// The cost of reading a file line by line, in literal searches of the file.
pub(crate) const SCOPE_PASSES: usize = 8;

/// The cost of one place of a line that is searched below another line, in bytes of literal searches: each place is
/// looked up anew among the places of the other line.
pub(crate) const SCOPE_PLACE: usize = 4096;

/// Bytes of text that the symbol edits of one job may have parsed: ten seconds or so.
pub(crate) const PARSE_WORK: u64 = 64 * 1024 * 1024;

/// Steps of the parser (see `editd_syntax::ParseBudget`) that every file may take, however small.
pub(crate) const PARSE_STEPS: u64 = 5_000;

/// Bytes of a file for each further step; an ordinary text takes one for every hundred or so. So a job of many files that
/// are hard to parse costs no more than a few times as much as one of ordinary files.
pub(crate) const PARSE_BYTES_PER_STEP: u64 = 8;

/// Steps of the parser for the new text of one edit, however short: a job may have thousands of them.
pub(crate) const PART_STEPS: u64 = 1_000;

/// The cost of a blank line beside a symbol, in bytes of literal searches: each blank line is checked separately.
pub(crate) const BLANK_LINE: usize = 1024;

/// The cost of listing one symbol when another symbol was not found, in bytes of literal searches.
pub(crate) const SYMBOL_LISTED: usize = 1024;

/// Blank lines that an insertion beside a symbol copies from its neighbours, at most.
pub(crate) const BLANK_LINES: usize = 8;

/// Lines of both sides that the line diff compares; more count as replaced as a whole.
pub(crate) const DIFF_LINES: usize = 100_000;

/// Bytes of the indentation that a mapping may give a line: converting steps of one space to steps of eight
/// multiplies what was sent.
pub(crate) const INDENT: usize = 4096;

/// Bytes that a stretch of text in a message may have.
pub(crate) const EXCERPT: usize = 160;

/// Bytes of each of the three texts that a region of a conflict shows: some twenty lines, and five regions stay a
/// small part of a frame.
pub(crate) const REGION: usize = 1024;

/// Maximum number of blocks that the reply of a dialect describes in detail: a screen or two.
pub(crate) const BLOCKS_DETAILED: usize = 100;

/// Maximum number of clipboards that a reply names one by one, since a payload may fill thousands.
pub(crate) const CLIPBOARDS_LISTED: usize = 20;

/// Characters of a message about a payload's JSON: it may quote what was sent.
pub(crate) const JSON_MESSAGE: usize = 512;

/// Bytes of a symbol in a reply besides its name, with all the numbers that it has.
pub(crate) const SYMBOL_BYTES: usize = 256;

/// Bytes of a name path that a refusal lists or an edit names: nobody types a longer one.
pub(crate) const SYMBOL_NAME: usize = 1024;

/// Bytes at the start of a file that are searched for a generator's comment: a licence may stand before it.
pub(crate) const HEADER: usize = 8 * 1024;

/// Lines at the start of a file that are searched for it.
pub(crate) const HEADER_LINES: usize = 100;

const _: () = assert!(editd_types::limits::FILE.saturating_mul(3) < u32::MAX as usize);

/// The most edits of a refused job that is planned again for its other failures: each failure holds a whole error, and
/// many such jobs may be refused at once.
pub(crate) const REPLANNED_EDITS: usize = 1_000;
