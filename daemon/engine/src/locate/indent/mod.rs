//! The fourth rung: another indentation, as long as one mapping explains every line. It never guesses the
//! indentation of a line that the mapping does not reach.
//!
//! *Contract*: white space here is spaces and tabs; every other character, form feeds included, is content.

mod convert;
mod decide;
mod dominant;
mod evidence;
mod gauge;
mod mapping;
mod passage;
mod rung;
mod unit;

pub(crate) use decide::{Frames, settle};
pub(crate) use dominant::dominant;
pub(crate) use mapping::IndentMapping;
pub(crate) use rung::{adapt, search};
pub(crate) use unit::{BLANKS, Unit, common_divisor, is_blank, split_indent};

#[cfg(test)]
mod tests;
