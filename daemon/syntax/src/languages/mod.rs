//! The languages, one file each: a table of the nodes that define something.

#[cfg(feature = "css")]
pub(crate) mod css;
#[cfg(any(feature = "javascript", feature = "typescript"))]
mod ecmascript;
#[cfg(feature = "go")]
pub(crate) mod go;
#[cfg(feature = "html")]
pub(crate) mod html;
#[cfg(feature = "javascript")]
pub(crate) mod javascript;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
#[cfg(feature = "python")]
pub(crate) mod python;
#[cfg(feature = "rust")]
pub(crate) mod rust;
#[cfg(feature = "toml")]
pub(crate) mod toml;
#[cfg(feature = "typescript")]
pub(crate) mod typescript;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
