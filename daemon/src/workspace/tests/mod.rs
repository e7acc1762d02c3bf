//! What tests of several rooms use of a workspace. It tests nothing itself.

pub(crate) mod kit;
