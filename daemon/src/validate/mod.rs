//! What others have to say about a content before it is written. It reads no workspace file and writes none.

pub mod process;
