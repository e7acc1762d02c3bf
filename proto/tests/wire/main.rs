//! The wire as a peer sees it: messages, their cost, and the document. Nothing here is daemon or client.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod document;
mod errors;
mod memory;
mod round_trip;
mod samples;
