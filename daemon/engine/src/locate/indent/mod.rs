//! The fourth rung: another indentation, as long as one mapping explains every line. It never guesses the
//! indentation of a line that the mapping does not reach.
//!
//! *Contract*: white space here is spaces and tabs; every other character, form feeds included, is content.

mod gauge;
mod mapping;
mod rung;
mod unit;

pub(crate) use mapping::Mapping;
pub(crate) use rung::{adapt, search};
pub(crate) use unit::{BLANKS, Unit, is_blank, split_indent};

#[cfg(test)]
mod tests;
