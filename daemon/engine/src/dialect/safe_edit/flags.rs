//! Translates the flags of a Python regular expression to those of `substitute`. It reads no pattern.

use crate::Refusal;
use crate::refusal::malformed;

/// Python's bit, and the letter; none for a bit that changes nothing, since text is Unicode here anyway.
const BITS: [(u32, Option<char>); 6] =
    [(2, Some('i')), (8, Some('m')), (16, Some('s')), (64, Some('x')), (256, Some('a')), (32, None)];

/// Python's bit for patterns with white space and comments.
pub(super) const VERBOSE: u32 = 64;

/// Returns the letters of a set of bits.
///
/// # Errors
/// `malformed` for a bit that means nothing here.
pub(super) fn letters(bits: u32) -> Result<String, Refusal> {
    let unknown = BITS.iter().fold(bits, |left, (bit, _)| left & !bit);
    if unknown != 0 {
        return Err(malformed(format!(
            "the flags contain {unknown}, which has no meaning here; 2, 8, 16, 32, 64 and 256 are known"
        )));
    }
    Ok(BITS.iter().filter(|(bit, _)| bits & bit != 0).filter_map(|(_, letter)| *letter).collect())
}
