//! The supported languages, one file each. A file contains the table of the nodes that define something.

#[cfg(feature = "bash")]
pub(crate) mod bash;
#[cfg(feature = "c")]
pub(crate) mod c;
#[cfg(feature = "cpp")]
pub(crate) mod cpp;
#[cfg(feature = "c-sharp")]
pub(crate) mod csharp;
#[cfg(feature = "css")]
pub(crate) mod css;
#[cfg(any(feature = "c", feature = "cpp"))]
mod declarators;
#[cfg(any(feature = "javascript", feature = "typescript"))]
mod ecmascript;
#[cfg(feature = "go")]
pub(crate) mod go;
#[cfg(feature = "html")]
pub(crate) mod html;
#[cfg(feature = "java")]
pub(crate) mod java;
#[cfg(feature = "javascript")]
pub(crate) mod javascript;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
#[cfg(any(
    feature = "c",
    feature = "cpp",
    feature = "c-sharp",
    feature = "java",
    feature = "php",
    feature = "python",
    feature = "ruby"
))]
mod parts;
#[cfg(feature = "php")]
pub(crate) mod php;
#[cfg(feature = "python")]
pub(crate) mod python;
#[cfg(feature = "ruby")]
pub(crate) mod ruby;
#[cfg(feature = "rust")]
pub(crate) mod rust;
#[cfg(feature = "toml")]
pub(crate) mod toml;
#[cfg(feature = "typescript")]
pub(crate) mod typescript;
#[cfg(feature = "yaml")]
pub(crate) mod yaml;
