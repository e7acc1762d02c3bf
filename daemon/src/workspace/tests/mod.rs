//! Support for the tests of several modules that use a workspace. It tests nothing itself.

pub(crate) mod kit;
