//! The languages, one file each: a table of the nodes that define something.

#[cfg(any(feature = "javascript", feature = "typescript"))]
mod ecmascript;
#[cfg(feature = "go")]
pub(crate) mod go;
#[cfg(feature = "javascript")]
pub(crate) mod javascript;
#[cfg(feature = "python")]
pub(crate) mod python;
#[cfg(feature = "rust")]
pub(crate) mod rust;
#[cfg(feature = "typescript")]
pub(crate) mod typescript;
