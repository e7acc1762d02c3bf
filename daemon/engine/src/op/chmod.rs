//! `chmod`: the permission bits of a file. Fields: `mode`. It never touches content.

use editd_types::{FileEdit, FileMode};

use super::fields;
use super::registry::Op;
use crate::Refusal;
use crate::refusal::malformed;

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let bits = match fields::required(edit, "mode", &edit.mode)? {
        FileMode::Bits(bits) if *bits > 0o777 || may_be_digits(*bits) => {
            let digits = bits.to_string();
            let such = octal(&digits).filter(|meant| *meant <= 0o7777).map_or("755", |_| &digits);
            return Err(malformed(format!(
                "`mode` is the number {bits}, which is 0o{bits:o}; write the octal digits as text, such as \"{such}\""
            )));
        }
        FileMode::Bits(bits) => Some(*bits),
        FileMode::Octal(digits) => octal(digits),
    };
    let bits = bits.filter(|bits| *bits <= 0o7777);
    bits.map(Op::Chmod)
        .ok_or_else(|| malformed("`mode` must be permission bits up to 0o7777, such as \"644\""))
}

fn octal(digits: &str) -> Option<u32> {
    let digits = digits.strip_prefix("0o").unwrap_or(digits);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    if plain { u32::from_str_radix(digits, 8).ok() } else { None }
}

/// Returns true if a number may be meant as the octal digits that it shows. JSON has no octal numbers: 400 is 0o620,
/// but mostly stands for `"400"`. If only the number itself is a mode that files usually have (420 is 0o644, while
/// 0o420 lets only the group write), it is taken as a number.
fn may_be_digits(bits: u32) -> bool {
    let Some(meant) = octal(&bits.to_string()).filter(|meant| *meant != bits) else { return false };
    let owner_reads = meant & 0o400 != 0;
    !nests(bits) || nests(meant) && owner_reads
}

/// Returns true if others have no permission that the group lacks, and the group none that the owner lacks.
fn nests(bits: u32) -> bool {
    let [owner, group, others] = [bits >> 6 & 7, bits >> 3 & 7, bits & 7];
    group & !owner == 0 && others & !group == 0
}
