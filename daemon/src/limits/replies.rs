//! Limits of replies.

use editd_proto::limits::{FRAME, PATH};

/// Bytes of a content in one reply to `content`. They fit a line of JSON, where each byte is a number of up to three
/// digits and a comma.
pub const CONTENT_PART: usize = FRAME / 4 - 64 * 1024;
const _: () = assert!(4 * (CONTENT_PART + PATH) + 1024 < FRAME);

/// Milliseconds for which the first byte of a refused connection is awaited, since it tells whether the error must be a
/// frame or a line of JSON. A client sends `hello` as soon as it is connected.
pub const FRAMING_MS: u64 = 100;

/// Marks that the refusal of an unknown one lists, the newest: enough for a person to choose from.
pub const MARKS_LISTED: usize = 20;

/// Tokens of the error of a refusal as JSON, if the request names no budget: 400, less the error of the estimate.
pub const REFUSAL_TOKENS: usize = 370;

/// Tokens of the error of an edit in the receipt of a job that was applied in part, if so many edits fail that their share of
/// [`REFUSAL_TOKENS`] is smaller.
pub const PARTIAL_TOKENS: usize = 80;

/// Bytes of a refusal that show a file: its diff, unseen lines, the most similar lines.
pub const REFUSAL_SHOWS: usize = 700;

/// Bytes of all diffs that a receipt has without being asked, because the result differs from the request.
pub const UNASKED_DIFFS: usize = 700;

/// Bytes of the message of an error beside another one, and of other sentences in a long refusal.
pub const OTHER_MESSAGE: usize = 120;

/// Bytes of each text of a conflict's region in a long refusal.
pub const REGION_BYTES: usize = 120;

/// Issues of a validator that a long refusal lists.
pub const TERSE_ISSUES: usize = 5;

/// Symbols that a long refusal lists.
pub const TERSE_SYMBOLS: usize = 10;

/// Bytes of a line of the file that a long refusal shows.
pub const TERSE_LINE: usize = 100;

/// Files that are parsed so that a refusal can name the definitions that have an ambiguous text.
pub const PLACES_FILES: usize = 3;

/// Bytes of such a file: some ten milliseconds, for a message alone.
pub const PLACES_PARSED: usize = 512 * 1024;

/// Configuration warnings that are remembered, over all sessions, so that none is sent twice; forgetting them repeats
/// one.
pub const WARNINGS_KEPT: usize = 1000;
