//! The only room that touches the workspace's files; it decides nothing about what they should hold.

pub mod place;
