//! The daemon's process. It reads the command line and leaves the rest to the library.

fn main() {}
