//! The languages, one file each: a table of the nodes that define something.

#[cfg(feature = "css")]
pub(crate) mod css;
#[cfg(feature = "html")]
pub(crate) mod html;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
#[cfg(feature = "rust")]
pub(crate) mod rust;
#[cfg(feature = "toml")]
pub(crate) mod toml;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
