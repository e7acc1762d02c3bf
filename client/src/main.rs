//! `editctl`
fn main() {}
