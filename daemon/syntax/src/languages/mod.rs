//! The languages, one file each: a table of the nodes that define something.

#[cfg(feature = "rust")]
pub(crate) mod rust;
