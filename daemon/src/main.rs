//! The daemon's process. The library does everything.

fn main() -> std::process::ExitCode {
    editd::main()
}
