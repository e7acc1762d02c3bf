//! `chmod`: the permission bits of a file. Fields: `mode`. It never touches content.

use editd_proto::message::{Edit, FileMode};

use super::fields;
use super::registry::Op;
use crate::Refusal;
use crate::refusal::malformed;

pub(crate) const FIELDS: &[&str] = &["mode"];

pub(crate) fn parse(edit: &Edit, _: Option<f64>) -> Result<Op<'_>, Refusal> {
    let bits = match fields::required(edit, "mode", &edit.mode)? {
        // JSON has no octal numbers: 755 is meant as the digits, and is other bits.
        FileMode::Bits(bits) if *bits > 0o777 => {
            return Err(malformed(format!(
                "`mode` is the number {bits}, which is 0o{bits:o}; write the octal digits as text, such as \"755\""
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
