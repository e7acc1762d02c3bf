//! The kit of the tests: what the integration tests, case files and benchmarks share. It is never part of
//! the daemon or the client.

pub mod sim;
